//! What a rebuild did, file by file and in sum, and the sweeping of what was left over.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::answer::{KeptKind, KeptRow, Sum};

/// A younger temporary file may be in use: no publish is at it so long without writing.
const IN_USE: Duration = Duration::from_secs(60);

/// A younger copy of a database may be in use.
const COPY_IN_USE: Duration = Duration::from_secs(3600);

/// What a rebuild did.
#[derive(Default)]
pub(crate) struct Did {
    pub(crate) kept: Vec<KeptRow>,
    pub(crate) sums: BTreeMap<KeptKind, Sum>,
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Rebuilt,
    Dropped,
    Swept,
    Left,
    Failed,
}

impl Did {
    pub(crate) fn count(&mut self, kind: KeptKind, fate: Fate, number: usize) {
        if number == 0 {
            return;
        }
        let sum = self.sums.entry(kind).or_insert(Sum {
            kind,
            rebuilt: 0,
            dropped: 0,
            swept: 0,
            left: 0,
            failed: 0,
        });
        *match fate {
            Fate::Rebuilt => &mut sum.rebuilt,
            Fate::Dropped => &mut sum.dropped,
            Fate::Swept => &mut sum.swept,
            Fate::Left => &mut sum.left,
            Fate::Failed => &mut sum.failed,
        } += number;
    }

    pub(crate) fn say(
        &mut self,
        path: &Path,
        kind: KeptKind,
        found: impl Into<String>,
        done: impl Into<String>,
    ) {
        self.kept.push(KeptRow {
            path: path.to_owned(),
            kind,
            found: found.into(),
            done: done.into(),
            wrong: false,
            mend: Vec::new(),
        });
    }

    /// Leaves a file, and says why.
    pub(crate) fn leave(&mut self, path: &Path, kind: KeptKind, why: impl Into<String>) {
        self.count(kind, Fate::Left, 1);
        self.say(path, kind, why, "left");
    }

    pub(crate) fn fail(
        &mut self,
        path: &Path,
        kind: KeptKind,
        found: impl Into<String>,
        why: &dyn ToString,
    ) {
        self.count(kind, Fate::Failed, 1);
        self.say(path, kind, found, format!("failed: {}", why.to_string()));
    }

    /// Removes a file.
    pub(crate) fn remove(
        &mut self,
        path: &Path,
        kind: KeptKind,
        fate: Fate,
        found: impl Into<String>,
    ) {
        match memfold_disk::remove(path) {
            Ok(()) => {
                self.count(kind, fate, 1);
                let done = if fate == Fate::Swept {
                    "swept"
                } else {
                    "dropped"
                };
                self.say(path, kind, found, done);
            }
            Err(error) if error.is_not_found() => {}
            Err(error) => self.fail(path, kind, found, &error),
        }
    }
}

/// Removes a copy of a database that a call which was killed has left.
pub(crate) fn sweep_copy(folder: &Path, did: &mut Did) {
    let age = fs::symlink_metadata(folder)
        .and_then(|stat| stat.modified())
        .ok()
        .and_then(|when| when.elapsed().ok());
    if age.is_none_or(|age| age < COPY_IN_USE) {
        did.count(KeptKind::Temporary, Fate::Left, 1);
        return;
    }
    // What is in it, the call that made it wrote there: a copy, its log of writes and what SQLite made of them.
    match fs::remove_dir_all(folder) {
        Ok(()) => did.count(KeptKind::Temporary, Fate::Swept, 1),
        Err(error) => did.fail(folder, KeptKind::Temporary, "a copy of a database", &error),
    }
}

/// Sweeps the temporary files of a folder.
pub(crate) fn sweep_temporary(folder: &Path, did: &mut Did) {
    // A folder that is not there, or cannot be listed, has nothing to sweep.
    let swept = memfold_disk::sweep(folder, IN_USE).unwrap_or_default();
    did.count(KeptKind::Temporary, Fate::Swept, swept.removed);
    did.count(KeptKind::Temporary, Fate::Left, swept.left);
}
