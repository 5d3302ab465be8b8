//! What calls that were killed have left, and what is kept of logs that nobody knows any more: temporary files beside logs and
//! in our own folders, shards that no catalogue names, copies of databases, sidecars and tails in the cache that no receipt speaks
//! of. Relies on an hour being longer than any file is without its name or its receipt, and a copy in use.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memfold_disk::{Identity, Limits, Links, walk};
use memfold_sidecar::{Place, Receipts, parted_from};

use crate::catalogue::{Found, place_of};
use crate::engine::Memfold;
use crate::rollup::{file, folder, sweep};

/// What is younger may belong to a call that is at work.
const AGE: Duration = Duration::from_secs(3600);

/// How long a sidecar stays that is kept apart from a later program's and is not written to. Which program it is of may be one
/// that no longer runs; if it runs, it folds the log once more.
const APART: Duration = Duration::from_secs(30 * 24 * 3600);

/// The folders of the cache that hold a file for a log.
const KEPT: [&str; 2] = ["sidecars", "tails"];

/// The folder of the cache in which databases are copied that cannot be read where they lie.
pub(crate) const DATABASES: &str = "databases";

impl Memfold {
    /// Removes leftovers: in the folders of the logs in hand and in our own. None is said to anyone, and one that cannot be
    /// removed is met again.
    pub(crate) fn sweep_leftovers(&self, found: &Found, receipts: &Receipts) {
        self.sweep_temporary(found);
        self.sweep_shards();
        let Some(before) = before_now(AGE) else {
            return;
        };
        self.sweep_copies(before);
        // Where the receipts cannot be read, every log would be unknown.
        if receipts.is_readable() {
            self.sweep_unknown(found, receipts, before);
        }
    }

    fn sweep_temporary(&self, found: &Found) {
        let mut places = HashMap::new();
        let dirs = self.dirs();
        let mut folders =
            HashSet::from([dirs.cache.clone(), folder(&dirs.cache), dirs.config.clone()]);
        folders.extend(KEPT.map(|kept| dirs.cache.join(kept)));
        for log in &found.logs {
            // In a work tree nothing is ours.
            if place_of(log, &mut places) == Place::Beside {
                folders.extend(log.path.parent().map(PathBuf::from));
            }
        }
        for folder in &folders {
            let _ = memfold_disk::sweep(folder, AGE);
        }
    }

    /// Removes shards that the catalogue does not name. One that cannot be believed may be another version's: its shards stay
    /// until a roll-up is made in its place.
    fn sweep_shards(&self) {
        let folder = folder(&self.dirs().cache);
        let target = file(&folder);
        if !folder.is_dir() {
            return;
        }
        // Without the lock, somebody may be making shards at this moment.
        let Ok(Some(_lock)) = self.locks().try_lock(&target) else {
            return;
        };
        match self.rollup() {
            Some(rollup) => {
                let names = rollup.catalogue.shards().iter();
                sweep(&folder, &names.map(|shard| shard.name.file()).collect());
            }
            None if matches!(Identity::at(&target, Links::Refuse), Err(error) if error.is_not_found()) =>
            {
                sweep(&folder, &HashSet::new());
            }
            None => {}
        }
    }

    /// Removes what the cache keeps of logs without a receipt that were not found either, sidecars in it of logs that have
    /// theirs beside them, and those kept apart from a later program's that nobody has written for long.
    fn sweep_unknown(&self, found: &Found, receipts: &Receipts, before: i64) {
        let long_before = before_now(APART).unwrap_or(i64::MIN);
        let mut known = HashSet::new();
        let logs = receipts.all().map(|(log, _)| log);
        let logs = logs.chain(found.logs.iter().map(|log| log.path.as_path()));
        let of_known: HashSet<PathBuf> = logs.map(|log| self.keeper().in_cache(log)).collect();
        for (log, receipt) in receipts.all() {
            let [sidecar, tail] = self.keeper().kept_elsewhere(log);
            known.insert(tail);
            if receipt.place == Place::Cache {
                known.insert(sidecar);
            }
        }
        for log in &found.logs {
            if receipts.of(&log.path).is_none() {
                known.extend(self.keeper().kept_elsewhere(&log.path));
            }
        }
        for kept in KEPT {
            let here = Limits {
                depth: 0,
                ..Limits::default()
            };
            for file in walk(self.dirs().cache.join(kept), here)
                .files(|name| !name.as_encoded_bytes().starts_with(b"."))
                .flatten()
            {
                // `x.mem.damaged` is known as long as `x.mem` is.
                let of = match file.path.extension() {
                    Some(end) if end == "damaged" => file.path.with_extension(""),
                    _ => file.path.clone(),
                };
                let (is_known, before) = match parted_from(&of) {
                    Some(plain) if of_known.contains(&plain) => (false, long_before),
                    _ => (known.contains(&of), before),
                };
                if !is_known && file.identity.mtime_ns < before {
                    let _ = memfold_disk::remove(&file.path);
                }
            }
        }
    }

    /// Removes copies of databases, each in a folder of its own.
    fn sweep_copies(&self, before: i64) {
        let one = Limits {
            depth: 1,
            ..Limits::default()
        };
        let copies = self.dirs().cache.join(DATABASES);
        for file in walk(&copies, one).flatten() {
            if file.identity.mtime_ns < before && memfold_disk::remove(&file.path).is_ok() {
                // Gone with its last file.
                let folder = file.path.parent().filter(|folder| *folder != copies);
                let _ = folder.map(fs::remove_dir);
            }
        }
    }
}

/// The moment that long ago, in nanoseconds since 1970: what is older than that was left lying about.
fn before_now(age: Duration) -> Option<i64> {
    let then = SystemTime::now().checked_sub(age)?;
    i64::try_from(then.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}
