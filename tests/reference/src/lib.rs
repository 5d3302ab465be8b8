//! The slow, obvious search: logs in, ranked events out, without an index, without a cache, without care for time.
//! It rests on what the pages of the other crates promise, not on their code: only the agents' translation of a line and the
//! redactor are shared. Everything fast is held against it, scores included.
//!
//! In reading order: `log` reads logs into documents, `words` cuts their words, `query` says what is asked for, `rank` ranks.

// It is a part of the tests: where it is wrong it should stop at once.
#![allow(clippy::indexing_slicing, clippy::expect_used)]

mod log;
mod query;
mod rank;
mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use log::{Document, Key, Log};
pub use words::{Kind, Term, Word, words};

/// Logs, read and counted.
///
/// ```
/// use memfold_reference::Reference;
///
/// # let folder = std::env::temp_dir().join(format!("reference-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let log = folder.join("a.jsonl");
/// std::fs::write(&log, concat!(
///     r#"{"v":1,"kind":"person","text":"fix the denylist test"}"#, "\n",
///     r#"{"v":1,"kind":"reply","text":"Done."}"#, "\n",
/// ))?;
/// let found = Reference::read([&log]).search("denylist", 10);
/// assert_eq!((&found[0].0, found[0].1), (&log, 1));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Reference {
    /// The newest task first, of tasks as new the first by path.
    logs: Vec<Log>,
}

impl Reference {
    /// Reads logs. Files that are none are left out.
    pub fn read(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Reference {
        let read = |path: &Path| Log::read(path);
        let mut logs: Vec<Log> = paths
            .into_iter()
            .filter_map(|path| read(path.as_ref()))
            .collect();
        mark_copies(&mut logs);
        logs.sort_by(|a, b| b.ended.cmp(&a.ended).then(a.path.cmp(&b.path)));
        Reference { logs }
    }

    /// The best events of all logs, as one collection: each one's log, line and score.
    pub fn search(&self, query: &str, limit: usize) -> Vec<(PathBuf, usize, f64)> {
        rank::rank(self, query)
            .into_iter()
            .take(limit)
            .map(|(place, score)| {
                let path = self.logs[place.0].path.clone();
                (path, self.document(place).seq, score)
            })
            .collect()
    }

    /// Every event that counts.
    pub fn documents(&self) -> Vec<&Document> {
        self.places()
            .map(|(_, document)| document)
            .filter(|document| !document.is_copy)
            .collect()
    }

    /// Whether the task went back behind an event and on without it.
    pub fn is_abandoned(&self, path: &Path, seq: usize) -> bool {
        let documents = self.logs.iter().filter(|log| log.path == path);
        documents
            .flat_map(|log| &log.documents)
            .any(|document| document.seq == seq && document.is_abandoned)
    }

    /// The logs, as they were read.
    pub fn logs(&self) -> &[Log] {
        &self.logs
    }

    fn places(&self) -> impl Iterator<Item = (rank::Place, &Document)> {
        self.logs.iter().enumerate().flat_map(|(log, read)| {
            let documents = read.documents.iter().enumerate();
            documents.map(move |(number, document)| ((log, number), document))
        })
    }

    fn document(&self, (log, number): rank::Place) -> &Document {
        &self.logs[log].documents[number]
    }
}

/// Of an event in several logs, the copy in the earliest log counts, of logs as early the first by path.
fn mark_copies(logs: &mut [Log]) {
    logs.sort_by(|a, b| {
        let start = |log: &Log| (log.started.is_none(), log.started);
        start(a).cmp(&start(b)).then(a.path.cmp(&b.path))
    });
    let mut owners: HashMap<Key, usize> = HashMap::new();
    for (number, log) in logs.iter_mut().enumerate() {
        for document in &mut log.documents {
            for key in &document.keys {
                let owner = *owners.entry(key.clone()).or_insert(number);
                document.is_copy |= owner != number;
            }
        }
    }
}
