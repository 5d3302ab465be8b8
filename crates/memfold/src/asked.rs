//! What the record says in sum: whether agents' searches found anything, and whether what was shown was read back.

use std::collections::{BTreeMap, HashMap};

use memfold_disk::{Links, Snapshot};
use memfold_log::own::{Body, Record, Unranked};
use memfold_log::{Lines, Offset, Position};
use serde::Serialize;

use crate::engine::Memfold;
use crate::record::{AskedRecall, AskedSearch};

/// What agents asked of memfold in a project, as far back as its record reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AskedTally {
    /// Searches, by scope.
    pub searches: BTreeMap<String, ScopeTally>,
    /// Events read back.
    pub recalls: u64,
    /// Those of them that a search had shown before.
    pub recalls_of_shown: u64,
    /// Updates of the index that were asked for.
    pub updates: u64,
}

/// Searches of a scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScopeTally {
    /// All of them.
    pub searches: u64,
    /// Their words.
    pub words: u64,
    /// Those whose best result held too few of the words.
    pub weak: u64,
    /// Those without a result.
    pub empty: u64,
}

impl AskedTally {
    /// Whether anything was asked.
    pub fn is_empty(&self) -> bool {
        *self == AskedTally::default()
    }
}

impl Memfold {
    /// What the project's record says. What of it cannot be read is not counted.
    pub(crate) fn asked(&self) -> AskedTally {
        let mut tally = AskedTally::default();
        let mut shown: HashMap<u64, Vec<String>> = HashMap::new();
        for file in self.record_files().iter().rev() {
            let Ok(file) = Snapshot::open(file, Links::Refuse) else {
                continue;
            };
            let mut lines = Lines::new(file.reader(0), Position::START, Offset(file.len()));
            while let Ok(Some(line)) = lines.next(&mut |_| {}) {
                let text = line.text().and_then(|text| std::str::from_utf8(text).ok());
                if let Some(Ok(record)) = text.map(Record::parse) {
                    tally.add(&record, &mut shown);
                }
            }
        }
        tally
    }
}

impl AskedTally {
    fn add(&mut self, record: &Record<'_>, shown: &mut HashMap<u64, Vec<String>>) {
        let Body::Unranked {
            kind,
            data: Some(data),
            ..
        } = &record.body
        else {
            return;
        };
        match kind {
            Unranked::AskedSearch => {
                let Ok(asked) = serde_json::from_str::<AskedSearch>(data.get()) else {
                    return;
                };
                let scope = self.searches.entry(asked.scope).or_default();
                scope.searches += 1;
                scope.words += asked.words as u64;
                scope.weak += u64::from(asked.weak);
                scope.empty += u64::from(asked.results == 0);
                for address in asked.shown {
                    // A place of the repository is none that is read back.
                    if let Some((task, seq)) = address.rsplit_once(':')
                        && let Ok(seq) = seq.parse()
                    {
                        shown.entry(seq).or_default().push(task.to_owned());
                    }
                }
            }
            Unranked::AskedRecall => {
                let Ok(asked) = serde_json::from_str::<AskedRecall>(data.get()) else {
                    return;
                };
                self.recalls += 1;
                let mut tasks = shown.get(&asked.seq).into_iter().flatten();
                let was_shown = tasks.any(|task| {
                    asked.task.starts_with(task.as_str())
                        || asked.address == format!("{task}:{}", asked.seq)
                });
                self.recalls_of_shown += u64::from(was_shown);
            }
            Unranked::AskedUpdate => self.updates += 1,
            _ => {}
        }
    }
}
