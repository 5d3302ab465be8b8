//! A person's home in a folder of its own: agents' stores, projects, and what memfold keeps, where it keeps it by default.
//! Logs whose words are known, and the truth about them: what a home that never had a sidecar answers.

use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memfold::{Answer, Filter, FoldReport, FoldRow, Logs, Memfold, Options, Quiet, Search, Viewer};
use memfold_disk::{Dirs, Identity, Links};
use memfold_sidecar::{Place, Receipts};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What is asked of the logs that [`turns`] writes: words of every turn, of one, of calls, and one that no turn holds.
pub const QUERIES: &[&str] = &[
    "denylist symlink",
    "turn3 denylist",
    "cargo test guard",
    "\"the gate held\"",
    "allowlis",
    "half-a-turn",
];

/// A home.
pub struct Home {
    _folder: TempDir,
    root: PathBuf,
}

impl Home {
    /// An empty one: a home directory, a folder of logs outside any store, and a project. memfold's folders are not there.
    pub fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["home", "logs", "project"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        Home {
            _folder: folder,
            root,
        }
    }

    /// One with the log `logs/a.jsonl`, folded.
    pub fn folded(bytes: &[u8]) -> Home {
        let home = Home::new();
        home.write("logs/a.jsonl", bytes);
        home.fold();
        home
    }

    /// A path in it.
    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// Below which everything is that memfold may touch.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file, and the folders it needs.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A file's bytes.
    pub fn read(&self, path: impl AsRef<Path>) -> Vec<u8> {
        let path = self.at(path);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Appends to a file.
    pub fn append(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let mut whole = self.read(path.as_ref());
        whole.extend_from_slice(bytes);
        self.write(path, &whole);
    }

    fn variable(root: &Path, name: &str) -> Option<OsString> {
        (name == "HOME").then(|| root.join("home").into())
    }

    /// memfold's own folders.
    pub fn dirs(&self) -> Dirs {
        Dirs::from_env(|name| Home::variable(&self.root, name)).unwrap()
    }

    /// An engine, opened in `project`.
    pub fn engine_of(&self, viewer: Viewer, project: &Path) -> Memfold {
        let root = self.root.clone();
        Memfold::open(Options {
            project: None,
            working_directory: project.to_owned(),
            data_dir: None,
            config_dir: None,
            cache_dir: None,
            viewer,
            variables: Box::new(move |name| Home::variable(&root, name)),
            roll_from: memfold::ROLL_FROM,
        })
        .unwrap()
    }

    /// An engine as a person opens it in the project.
    pub fn engine(&self) -> Memfold {
        self.engine_of(Viewer::Person, &self.at("project"))
    }

    /// Where [`Home::search`] looks.
    pub fn logs(&self) -> Logs {
        Logs::Below(vec![self.at("logs")])
    }

    /// Searches the logs that lie outside any store.
    pub fn search(&self, query: &str) -> Answer {
        self.engine()
            .search(&search(query, self.logs()), &Quiet)
            .unwrap()
    }

    /// What the logs answer to `queries`: everything but time, notes and where the home lies.
    pub fn answers(&self, queries: &[&str]) -> String {
        let root = self.root.display().to_string();
        let all = queries.iter().map(|query| {
            let answer = self.search(query);
            let shown = json!({
                "query": query, "events": answer.ranked.events, "matched": answer.matched,
                "complete": answer.complete, "results": answer.results,
            });
            serde_json::to_string_pretty(&shown)
                .unwrap()
                .replace(&root, "")
        });
        all.collect::<Vec<_>>().join("\n")
    }

    /// A new home with the same logs and nothing else.
    pub fn without_sidecars(&self) -> Home {
        let fresh = Home::new();
        for path in self.files("logs") {
            if path.to_string_lossy().contains(".jsonl") {
                let below = path.strip_prefix(&self.root).unwrap();
                fresh.write(below, &fs::read(&path).unwrap());
            }
        }
        fresh
    }

    /// Folds the logs that lie outside any store.
    pub fn fold(&self) -> FoldReport {
        self.engine().fold(&[self.at("logs")], &Quiet).unwrap()
    }

    /// Verifies them.
    pub fn verify(&self) -> FoldReport {
        self.engine().verify(&[self.at("logs")], &Quiet).unwrap()
    }

    /// The regular files below a folder, in order.
    pub fn files(&self, below: &str) -> Vec<PathBuf> {
        let (mut found, mut folders) = (Vec::new(), vec![self.at(below)]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let entry = entry.unwrap();
                match entry.file_type().unwrap() {
                    kind if kind.is_dir() => folders.push(entry.path()),
                    kind if kind.is_file() => found.push(entry.path()),
                    _ => {}
                }
            }
        }
        found.sort();
        found
    }

    /// What this machine remembers of its logs.
    pub fn receipts(&self) -> Receipts {
        Receipts::load(&self.dirs().cache)
    }

    /// Where the sidecar of a log is, as its receipt says.
    pub fn sidecar(&self, log: &str) -> PathBuf {
        let log = self.at(log);
        match self.receipts().of(&log) {
            Some(receipt) if receipt.place == Place::Cache => {
                let keeper = memfold_sidecar::Keeper::new(self.dirs().locks(), self.dirs().cache);
                let agent = memfold_agents::by_name(&receipt.agent).unwrap();
                keeper.kept_in_cache(&log, agent)
            }
            _ => memfold_sidecar::beside(&log),
        }
    }

    /// Makes the receipts say that every log and sidecar, as they are now, was proved, and long after it was last touched:
    /// what stat can tell is then no reason to look at a byte.
    pub fn believe(&self) {
        let mut receipts = self.receipts();
        let all: Vec<_> = receipts
            .all()
            .map(|(log, receipt)| (log.to_owned(), receipt.clone()))
            .collect();
        assert!(!all.is_empty(), "nothing to believe");
        for (log, mut receipt) in all {
            let sidecar = self.sidecar(log.strip_prefix(&self.root).unwrap().to_str().unwrap());
            receipt.log = Identity::at(&log, Links::Follow).unwrap().to_bytes();
            receipt.sidecar = Identity::at(sidecar, Links::Refuse).unwrap().to_bytes();
            receipt.proved_at = i64::MAX;
            receipts.put(&log, receipt);
        }
        receipts.save(&self.dirs().locks()).unwrap();
    }
}

impl Default for Home {
    fn default() -> Home {
        Home::new()
    }
}

/// Stops at the first line in which two answers of [`Home::answers`] differ.
#[track_caller]
pub fn assert_same(found: &str, expected: &str, what: &str) {
    let (mut found, mut expected) = (found.lines(), expected.lines());
    for number in 1.. {
        let pair = (found.next(), expected.next());
        assert_eq!(pair.0, pair.1, "{what}: line {number}");
        if pair == (None, None) {
            return;
        }
    }
}

/// A search for everything that holds a word of `query`.
pub fn search(query: &str, logs: Logs) -> Search {
    Search {
        query: query.to_owned(),
        logs,
        limit: 200,
        filter: Filter::default(),
    }
}

/// The row of a report about a path that ends so.
pub fn row<'r>(report: &'r FoldReport, ending: &str) -> &'r FoldRow {
    report
        .logs
        .iter()
        .find(|row| row.path.to_string_lossy().ends_with(ending))
        .unwrap_or_else(|| panic!("nothing of {ending} in {report:#?}"))
}

/// A line of Claude Code's.
pub fn line(number: usize, kind: &str, more: Value) -> Vec<u8> {
    let mut line = json!({
        "parentUuid": null, "isSidechain": false, "cwd": "/project", "sessionId": "3f9a1c02-5d1e-4c7a-9b60-0000000000aa",
        "version": "2.1.100", "type": kind, "uuid": format!("u-{number}"),
        "timestamp": format!("2026-03-02T{:02}:{:02}:{:02}.000Z", number / 3600 % 24, number / 60 % 60, number % 60),
    });
    for (name, value) in more.as_object().unwrap() {
        line[name] = value.clone();
    }
    let mut bytes = line.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// A task of whole turns, each of a request, a call, its result and a closing reply.
pub fn turns(numbers: Range<usize>) -> Vec<u8> {
    padded_turns(numbers, "")
}

/// The same, each result with `padding` after its words.
pub fn padded_turns(numbers: Range<usize>, padding: &str) -> Vec<u8> {
    let mut log = Vec::new();
    for turn in numbers {
        let [request, reply, result, closing] = [0, 1, 2, 3].map(|step| turn * 4 + step);
        log.extend(line(
            request,
            "user",
            json!({ "message": { "role": "user", "content":
            format!("turn{turn}: fix the denylist test, the symlink check fails") } }),
        ));
        log.extend(line(reply, "assistant", json!({ "requestId": format!("r-{reply}"), "message": { "id": format!("m-{reply}"),
            "role": "assistant", "stop_reason": "tool_use", "content": [{ "type": "tool_use", "id": format!("c-{turn}"),
            "name": "Bash", "input": { "command": format!("cargo test -p guard denylist_{turn}") } }] } })));
        log.extend(line(result, "user", json!({ "message": { "role": "user", "content": [{ "type": "tool_result",
            "tool_use_id": format!("c-{turn}"), "is_error": turn % 2 == 0,
            "content": format!("denylist::symlink turn{turn} FAILED\nline two of {turn}\n{padding}") }] } })));
        log.extend(line(closing, "assistant", json!({ "requestId": format!("r-{closing}"), "message": {
            "id": format!("m-{closing}"), "role": "assistant", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": format!("Done: the gate held in turn{turn}.") }] } })));
    }
    log
}

/// The beginning of a turn that is not whole: a request and a call.
pub fn half_a_turn(turn: usize) -> Vec<u8> {
    let mut log = line(
        turn * 4,
        "user",
        json!({ "message": { "role": "user", "content": "half-a-turn: is the symlink gone?" } }),
    );
    log.extend(line(
        turn * 4 + 1,
        "assistant",
        json!({ "requestId": "r-half", "message": { "id": "m-half", "role": "assistant",
        "stop_reason": "tool_use", "content": [{ "type": "tool_use", "id": "c-half", "name": "Bash",
        "input": { "command": "ls -l denylist" } }] } }),
    ));
    log
}
