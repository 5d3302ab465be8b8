//! A home with an agent's store in it, at one path for as long as it is there: what stands below it is made anew as often as
//! a test wants. Knows what must be true of it whatever happened.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use memfold::{Answer, Error, Filter, FoldReport, Logs, Memfold, Options, Quiet, Search, Viewer};
use memfold_disk::Dirs;
use memfold_reference::Reference;
use memfold_sidecar::{Keeper, Place, Receipts, beside};
use memfold_tests::home::{half_a_turn, padded_turns, turns};
use tempfile::TempDir;

use crate::disk;
use crate::scenarios::Switch;

pub(crate) const QUERIES: [&str; 3] = ["denylist symlink", "the gate held turn2", "half-a-turn"];
/// Where the logs of a work tree are: nothing of ours lies beside them.
const TREE: &str = "home/.claude/projects/-tree";
const STORE: &str = "home/.claude/projects/-project";

/// An event as an answer has it: its log, its line, the bits of its score.
pub(crate) type Event = (PathBuf, u64, u64);

/// A home.
pub(crate) struct Site {
    _folder: TempDir,
    root: PathBuf,
    /// The logs as the agent wrote them.
    logs: BTreeMap<PathBuf, Vec<u8>>,
    truth: Vec<Vec<Event>>,
    /// The sidecars of a home in which nothing ever happened.
    sidecars: BTreeMap<PathBuf, Vec<u8>>,
    roll_from: usize,
}

impl Site {
    /// A home with a few logs: whole ones, one with a tail, one that shares events with another, one in a work tree.
    pub(crate) fn new() -> Site {
        let mut logs = vec![
            (STORE, turns(0..3)),
            (STORE, [turns(10..12), half_a_turn(12)].concat()),
            (STORE, [turns(0..2), turns(20..22)].concat()),
            (TREE, turns(30..32)),
        ];
        logs[1].1.extend(half_a_turn(13));
        Site::with(logs, 1)
    }

    /// One with as many logs as make the command roll them up, one of them large.
    pub(crate) fn of_many() -> Site {
        let mut logs: Vec<_> = (0..memfold::ROLL_FROM)
            .map(|log| (STORE, turns(log * 3..log * 3 + 2)))
            .collect();
        let padding = "0123456789abcdef ".repeat(2_000);
        logs.push((STORE, padded_turns(100..104, &padding)));
        logs.push((TREE, [turns(110..112), half_a_turn(112)].concat()));
        Site::with(logs, memfold::ROLL_FROM)
    }

    fn with(logs: Vec<(&str, Vec<u8>)>, roll_from: usize) -> Site {
        let (folder, root) = disk::folder();
        let logs = (0..)
            .zip(logs)
            .map(|(number, (folder, bytes))| {
                let path = root.join(folder).join(format!("log{number:02}.jsonl"));
                (path, with_project(&root, &bytes))
            })
            .collect();
        let mut site = Site {
            _folder: folder,
            root,
            logs,
            truth: Vec::new(),
            sidecars: BTreeMap::new(),
            roll_from,
        };
        site.learn();
        site
    }

    /// Finds out what is true of the logs as they are now to be.
    fn learn(&mut self) {
        self.begin();
        let reference = Reference::read(self.logs.keys());
        self.truth = QUERIES
            .iter()
            .map(|query| {
                let found = reference.search(query, memfold::LIMIT);
                let event =
                    |(path, seq, score): (PathBuf, usize, f64)| (path, seq as u64, score.to_bits());
                found.into_iter().map(event).collect()
            })
            .collect();
        assert!(self.truth.iter().all(|events| !events.is_empty()));
        self.fold();
        self.sidecars = self.kept();
        assert_eq!(self.sidecars.len(), self.logs.len());
        self.begin();
    }

    /// Everything as it was before memfold came: the logs, and nothing else.
    pub(crate) fn begin(&self) {
        disk::clear(&self.root);
        for folder in [STORE, TREE, "home/.claude/projects/-tree/.git", "project"] {
            fs::create_dir_all(self.root.join(folder)).unwrap();
        }
        for (path, bytes) in &self.logs {
            fs::write(path, bytes).unwrap();
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The logs' files.
    pub(crate) fn logs(&self) -> impl Iterator<Item = &Path> {
        self.logs.keys().map(PathBuf::as_path)
    }

    /// Cuts the logs to a part of their turns, as they were some time ago. [`Site::grow`] gives the rest.
    pub(crate) fn shrink(&self) {
        for (path, bytes) in &self.logs {
            // Four lines are a turn.
            let lines = bytes.split_inclusive(|byte| *byte == b'\n').take(4);
            fs::write(path, lines.collect::<Vec<_>>().concat()).unwrap();
        }
    }

    pub(crate) fn grow(&self) {
        for (path, bytes) in &self.logs {
            let there = fs::metadata(path).unwrap().len() as usize;
            let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
            std::io::Write::write_all(&mut file, &bytes[there..]).unwrap();
        }
    }

    /// Writes other bytes in a log's place.
    pub(crate) fn write(&self, log: usize, bytes: &[u8]) {
        let path = self.logs.keys().nth(log).unwrap();
        fs::write(path, with_project(&self.root, bytes)).unwrap();
    }

    fn variable(root: &Path, name: &str) -> Option<OsString> {
        (name == "HOME").then(|| root.join("home").into())
    }

    pub(crate) fn dirs(&self) -> Dirs {
        Dirs::from_env(|name| Site::variable(&self.root, name)).unwrap()
    }

    pub(crate) fn engine(&self) -> Memfold {
        engine_at(&self.root, self.roll_from)
    }

    /// Whether the switch is so.
    pub(crate) fn is_turned(&self, to: Switch) -> bool {
        self.engine().earlier().unwrap().on == (to == Switch::On)
    }

    pub(crate) fn search(&self, query: &str) -> Result<Answer, Error> {
        search_with(&self.engine(), query)
    }

    pub(crate) fn fold(&self) -> FoldReport {
        self.engine().fold(&[], &Quiet).unwrap()
    }

    /// What a query must find.
    pub(crate) fn truth(&self, query: usize) -> &[Event] {
        &self.truth[query]
    }

    /// What keeps an answer from being the reference's.
    pub(crate) fn differs(&self, query: usize, answer: &Answer) -> Option<String> {
        let found: Vec<Event> = events_of(answer)
            .into_iter()
            .map(|(log, seq, score)| (log, seq as u64, score.to_bits()))
            .collect();
        if found == self.truth[query] && answer.complete {
            return None;
        }
        let (query, truth) = (QUERIES[query], &self.truth[query]);
        Some(format!(
            "{query:?}, complete: {}, notes {:?}\nfound {found:?}\ninstead of {truth:?}",
            answer.complete, answer.notes
        ))
    }

    /// Every search answers as the reference does, and has nothing to say beside it.
    #[track_caller]
    pub(crate) fn answers(&self, when: &str) {
        for (number, query) in QUERIES.iter().enumerate() {
            let answer = self.search(query).unwrap();
            if let Some(why) = self.differs(number, &answer) {
                panic!("{when}: {why}");
            }
            assert_eq!(answer.notes, Vec::<String>::new(), "{when}: {query:?}");
        }
    }

    /// Every log is as the agent wrote it.
    #[track_caller]
    pub(crate) fn logs_are_unchanged(&self, when: &str) {
        for (path, bytes) in &self.logs {
            let there = fs::read(path).unwrap();
            assert!(there == *bytes, "{when}: {} was changed", path.display());
        }
    }

    /// All holds that must hold after whatever happened, once its cause is gone: logs and answers, and a fold makes
    /// everything as if it had not happened.
    #[track_caller]
    pub(crate) fn is_whole(&self, when: &str) {
        self.logs_are_unchanged(when);
        self.answers(when);
        self.folds_whole(when);
        self.answers(&format!("{when}, then folded"));
    }

    /// A fold makes everything as if nothing had happened.
    #[track_caller]
    pub(crate) fn folds_whole(&self, when: &str) {
        let folded = self.fold();
        assert_eq!(folded.notes, Vec::<String>::new(), "{when}");
        let verified = self.engine().verify(&[], &Quiet).unwrap();
        assert_eq!(verified.logs.len(), self.logs.len(), "{when}: {verified:?}");
        for row in &verified.logs {
            assert_eq!(row.verdict, "current", "{when}: {folded:?}");
        }
        assert!(
            self.kept() == self.sidecars,
            "{when}: a sidecar is another than that of a first fold"
        );
        let left = self.leftovers();
        assert!(left.is_empty(), "{when}: left over: {left:?}");
        self.logs_are_unchanged(when);
    }

    /// After everything was forgotten nothing is left but what the person decided, locks, and a list of no receipts.
    #[track_caller]
    pub(crate) fn is_forgotten(&self, when: &str) {
        self.logs_are_unchanged(when);
        let dirs = self.dirs();
        let left: Vec<PathBuf> = self
            .files()
            .into_iter()
            .filter(|path| {
                !self.logs.contains_key(path)
                    && *path != dirs.cache.join("receipts")
                    && !path.starts_with(dirs.data.join("locks"))
                    && !path.starts_with(&dirs.config)
            })
            .collect();
        assert!(left.is_empty(), "{when}: not forgotten: {left:?}");
    }

    /// The sidecar of each log, with its bytes; beside it or in the cache, whichever could be written.
    fn kept(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let keeper = Keeper::new(self.dirs().locks(), self.dirs().cache);
        let receipts = Receipts::load(&self.dirs().cache);
        let sidecar = |log: &PathBuf| {
            let path = match receipts.of(log).unwrap().place {
                Place::Beside => beside(log),
                Place::Cache => keeper.in_cache(log),
            };
            (path.clone(), (log.clone(), fs::read(path).unwrap()))
        };
        let (paths, kept): (BTreeSet<_>, _) = self.logs.keys().map(sidecar).unzip();
        let is_other = |path: &PathBuf| {
            path.extension().is_some_and(|end| end == "mem") && !paths.contains(path)
        };
        let others: Vec<_> = self.files().into_iter().filter(is_other).collect();
        assert!(others.is_empty(), "second sidecars: {others:?}");
        kept
    }

    /// Files that nothing names: of publishes that came to no end, and of roll-ups that did not.
    fn leftovers(&self) -> Vec<PathBuf> {
        let catalogue = fs::read(self.dirs().cache.join("rollup/catalogue")).unwrap_or_default();
        let is_named = |path: &Path| {
            let hex = path.file_stem().unwrap().to_str().unwrap();
            let name: Vec<u8> = (0..hex.len() / 2)
                .map(|byte| u8::from_str_radix(&hex[2 * byte..2 * byte + 2], 16).unwrap())
                .collect();
            catalogue.windows(name.len()).any(|window| window == name)
        };
        let is_left = |path: &PathBuf| match path.extension().and_then(|end| end.to_str()) {
            Some("tmp") => true,
            Some("shard") => !is_named(path),
            _ => false,
        };
        self.files().into_iter().filter(is_left).collect()
    }

    /// Every file in the home.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let (mut found, mut folders) = (Vec::new(), vec![self.root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// A log as one of the project in a home.
fn with_project(root: &Path, log: &[u8]) -> Vec<u8> {
    let project = root.join("project");
    let text = String::from_utf8(log.to_vec()).unwrap();
    text.replace("\"/project\"", &format!("{project:?}"))
        .into_bytes()
}

/// The engine of a home.
pub(crate) fn engine_at(root: &Path, roll_from: usize) -> Memfold {
    let home = root.to_owned();
    Memfold::open(Options {
        project: Some(root.join("project")),
        working_directory: root.join("project"),
        data_dir: None,
        config_dir: None,
        cache_dir: None,
        viewer: Viewer::Person,
        variables: Box::new(move |name| Site::variable(&home, name)),
        roll_from,
    })
    .unwrap()
}

pub(crate) fn search_with(engine: &Memfold, query: &str) -> Result<Answer, Error> {
    let search = Search {
        query: query.to_owned(),
        logs: Logs::Project,
        limit: memfold::LIMIT,
        filter: Filter::default(),
    };
    engine.search(&search, &Quiet)
}

/// The events of an answer, as the reference has them.
pub(crate) fn events_of(answer: &Answer) -> Vec<(PathBuf, usize, f64)> {
    let hits = answer.results.iter();
    hits.map(|hit| (hit.log.clone(), hit.seq as usize, hit.score))
        .collect()
}
