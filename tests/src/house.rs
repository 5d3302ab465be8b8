//! An engine in a folder of its own: nothing of the machine's home, settings or environment is seen.

use std::fs;
use std::path::{Path, PathBuf};

use memfold::{Answer, Filter, Logs, Memfold, Options, Quiet, Search, Viewer};
use memfold_disk::Locks;
use memfold_reference::Reference;
use memfold_sidecar::{Receipt, Receipts};
use tempfile::TempDir;

/// A folder with logs, a project, and everything that memfold keeps.
pub struct House {
    /// Removed with the house, unless another process owns it.
    _folder: Option<TempDir>,
    root: PathBuf,
    roll_from: usize,
    /// The engine that searches, where one stays.
    kept: Option<Memfold>,
}

impl House {
    /// A house in which sidecars lie beside their logs.
    pub fn new() -> House {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["logs", "project", "data", "config", "cache"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        House {
            _folder: Some(folder),
            root,
            roll_from: memfold::ROLL_FROM,
            kept: None,
        }
    }

    /// Another process's house, at its root.
    pub fn at(root: &Path) -> House {
        House {
            _folder: None,
            root: root.to_owned(),
            roll_from: memfold::ROLL_FROM,
            kept: None,
        }
    }

    /// Below which everything is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A house whose logs are all in a roll-up, however few they are, once [`House::roll`] was called.
    pub fn rolling() -> House {
        House {
            roll_from: 1,
            ..House::new()
        }
    }

    /// As [`House::rolling`], searched by one engine that stays.
    pub fn rolling_with_one_engine() -> House {
        let mut house = House::rolling();
        house.kept = Some(house.engine());
        house
    }

    /// A house whose logs lie in a git work tree, where no sidecar is believed: they lie in the cache.
    pub fn in_work_tree() -> House {
        let house = House::new();
        fs::create_dir(house.logs().join(".git")).unwrap();
        house
    }

    /// Both.
    pub fn rolling_in_work_tree() -> House {
        House {
            roll_from: 1,
            ..House::in_work_tree()
        }
    }

    /// A house in which nothing can be kept: neither beside the logs nor in the cache.
    pub fn keeping_nothing() -> House {
        let house = House::in_work_tree();
        fs::remove_dir(house.cache()).unwrap();
        fs::write(house.cache(), "a file stands where the folder should").unwrap();
        house
    }

    /// Where the logs are.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The locks that its engine takes.
    pub fn engine_locks(&self) -> Locks {
        Locks::new(self.root.join("data/locks"))
    }

    /// Where disposable files are.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Writes a log.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.logs().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The files of the logs' folder with this ending.
    pub fn files(&self, ending: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.logs()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().ends_with(ending) {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// An engine as a person opens it.
    pub fn engine(&self) -> Memfold {
        Memfold::open(Options {
            project: Some(self.root.join("project")),
            working_directory: self.root.join("project"),
            data_dir: Some(self.root.join("data")),
            config_dir: Some(self.root.join("config")),
            cache_dir: Some(self.cache()),
            viewer: Viewer::Person,
            variables: Box::new(|_| None),
            roll_from: self.roll_from,
        })
        .unwrap()
    }

    /// Searches all logs.
    pub fn search(&self, query: &str) -> Result<Answer, memfold::Error> {
        match &self.kept {
            Some(engine) => self.search_with(engine, query),
            None => self.search_with(&self.engine(), query),
        }
    }

    /// Searches all logs with an engine that may have been used before.
    pub fn search_with(&self, engine: &Memfold, query: &str) -> Result<Answer, memfold::Error> {
        let search = Search {
            query: query.to_owned(),
            logs: Logs::Below(vec![self.logs()]),
            limit: memfold::LIMIT,
            filter: Filter::default(),
        };
        engine.search(&search, &Quiet)
    }

    /// Folds all logs up to their last whole turn.
    pub fn fold(&self) {
        self.engine().fold(&[self.logs()], &Quiet).unwrap();
    }

    /// Rolls the logs up in their present state, as a search does once they have been left alone for a while.
    pub fn roll(&self) {
        self.fold();
        let locks = self.engine_locks();
        let mut receipts = Receipts::load(&self.cache());
        let all: Vec<_> = receipts
            .all()
            .map(|(log, receipt)| (log.to_owned(), receipt.clone()))
            .collect();
        for (log, receipt) in all {
            let settled = Receipt {
                proved_at: i64::MAX,
                ..receipt
            };
            receipts.put(&log, settled);
        }
        // Where something stands in their place, nothing is rolled up.
        let _ = receipts.save(&locks);
        let _ = self.search("anything");
    }

    /// Whether a roll-up is in force.
    pub fn is_rolled(&self) -> bool {
        self.cache().join("rollup/catalogue").is_file()
    }

    /// The reference over the same logs.
    pub fn reference(&self) -> Reference {
        let mut logs = self.files(".jsonl");
        logs.extend(self.files(".jsonl.zst"));
        logs.extend(self.files(".json"));
        Reference::read(logs)
    }

    /// What the engine and the reference differ in for a query: nothing, or a report. Notes that say more than is expected
    /// are a difference.
    ///
    /// # Errors
    /// The report.
    pub fn compare(&self, reference: &Reference, query: &str) -> Result<usize, String> {
        let look = |notes: &[String]| {
            let unexpected: Vec<&String> = notes.iter().filter(|note| !is_expected(note)).collect();
            match unexpected.is_empty() {
                true => Ok(()),
                false => Err(format!("{unexpected:?}")),
            }
        };
        match &self.kept {
            Some(engine) => self.compare_with(engine, reference, query, look),
            None => self.compare_with(&self.engine(), reference, query, look),
        }
    }

    /// What an engine and the reference differ in, whatever the notes say of how the answer was got.
    ///
    /// # Errors
    /// The report.
    pub fn compare_events(
        &self,
        engine: &Memfold,
        reference: &Reference,
        query: &str,
    ) -> Result<usize, String> {
        self.compare_with(engine, reference, query, |_| Ok(()))
    }

    fn compare_with(
        &self,
        engine: &Memfold,
        reference: &Reference,
        query: &str,
        look: impl Fn(&[String]) -> Result<(), String>,
    ) -> Result<usize, String> {
        let expected = reference.search(query, memfold::LIMIT);
        let answer = match self.search_with(engine, query) {
            Ok(answer) => answer,
            Err(memfold::Error::Usage { .. }) if expected.is_empty() => return Ok(0),
            Err(error) => return Err(format!("{query:?}: {error}")),
        };
        look(&answer.notes).map_err(|notes| format!("{query:?}: {notes}"))?;
        let documents = reference.documents().len();
        if answer.ranked.events != documents as u64 {
            let ranked = answer.ranked.events;
            return Err(format!(
                "{ranked} events ranked, the reference has {documents}"
            ));
        }
        let found: Vec<_> = answer
            .results
            .iter()
            .map(|hit| (hit.log.as_path(), hit.seq, hit.score))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(path, seq, score)| (path.as_path(), *seq as u64, *score))
            .collect();
        for hit in &answer.results {
            let seq = usize::try_from(hit.seq).unwrap();
            if hit.abandoned != reference.is_abandoned(&hit.log, seq) {
                return Err(format!(
                    "{query:?}: line {seq} is abandoned: {}",
                    hit.abandoned
                ));
            }
        }
        if found == expected {
            return Ok(found.len());
        }
        let at = (0..).find(|at| found.get(*at) != expected.get(*at));
        let shown = |all: &[(&Path, u64, f64)]| {
            let lines = all.iter().map(|(path, seq, score)| {
                format!(
                    "\n  {} {seq} {score:?}",
                    path.file_name().unwrap().to_string_lossy()
                )
            });
            lines.collect::<String>()
        };
        Err(format!(
            "{query:?} differs from place {}\nfound:{}\nexpected:{}",
            at.unwrap_or(0),
            shown(&found),
            shown(&expected)
        ))
    }
}

impl Default for House {
    fn default() -> House {
        House::new()
    }
}

/// Why nothing was found, and files that are no logs, are no faults.
fn is_expected(note: &str) -> bool {
    [
        "receipts are not kept",
        "no sidecar could be kept",
        "nothing matched",
        "nothing holds the quoted words",
        "the logs hold no event",
        "no agent's log was found",
        "no log of an agent that is known here",
    ]
    .iter()
    .any(|expected| note.contains(expected))
}
