//! Makes everything that is derived anew from the logs alone: sidecars, receipts, kept tails, the roll-up. Clears what stands
//! in the way of one, sweeps what was left over, leaves what a later program wrote or what is not ours, and says all of it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memfold_disk::{Identity, Links, Listings, Marked};
use memfold_log::Form;
use memfold_rollup::{RollupError, RowId, ShardId};
use memfold_sidecar::{Done, Keeper, Need, Place, Receipts, Worth, beside};

use crate::answer::{FoldReport, FoldRow, KeptKind};
use crate::cache::{self, Lying};
use crate::catalogue::{Found, LogEntry, Of, place_of};
use crate::did::{Did, Fate, sweep_copy, sweep_temporary};
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::{Progress, Quiet};
use crate::ready::KeptLog;
use crate::roll::Rolling;
use crate::rollup::{Rollup, file, folder};
use crate::upkeep::{aside, failed, is_ours, row_of};

impl Memfold {
    /// Makes everything that is derived of logs anew, whatever it is worth: their sidecars, receipts and kept tails, and the
    /// roll-up that holds them. What lies in the cache for no log that is known goes, and so do leftovers.
    ///
    /// # Errors
    /// As [`Memfold::fold`].
    pub fn rebuild(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<FoldReport, Error> {
        let found = self.listing_anew(|| self.named(paths, &self.receipts()))?;
        let mut notes = found.notes.clone();
        let mut did = Did::default();
        self.clear_the_way(&mut did);
        let mut receipts = self.receipts();
        let worth = Receipts::worth(&self.dirs().cache);
        if !matches!(worth, Worth::Sound | Worth::Missing | Worth::Newer) {
            receipts.renew();
        }
        let mut rows = self.orphans(paths, &found.logs, Need::Rebuild);
        let mut made = Vec::new();
        let mut left = 0;
        for KeptLog { entry, keeping, .. } in
            self.keep_all(found.logs.clone(), &receipts, Need::Rebuild, progress)
        {
            match keeping {
                None => left += 1,
                Some(Ok(keeping)) => {
                    let fate = match keeping.done {
                        Done::InMemory(_) => Fate::Failed,
                        _ => Fate::Rebuilt,
                    };
                    did.count(KeptKind::Sidecar, fate, 1);
                    rows.push(row_of(&entry, &keeping));
                    notes.extend(keeping.notes);
                    self.renew_tail(&entry, keeping.tail_kept, &mut did);
                    if let Some(receipt) = keeping.receipt {
                        receipts.put(&entry.path, receipt);
                        made.push(entry);
                    }
                }
                Some(Err(error)) => {
                    did.count(KeptKind::Sidecar, Fate::Failed, 1);
                    rows.push(failed(&entry, &error));
                }
            }
        }
        if left > 0 {
            notes.push(format!("{left} older logs were not reached"));
        }
        let gone = self.forget_gone(&mut receipts, &mut rows);
        did.count(KeptKind::Receipts, Fate::Dropped, gone);
        count_orphans(&rows, &mut did);
        self.save_anew(&mut receipts, &worth, made.len(), &mut did);
        if !progress.stop() {
            self.sweep_beside(&found.logs, &mut did);
            self.roll_anew(&found, &receipts, &mut did, &mut notes);
            self.sweep_cache(&receipts, &mut did, &mut notes);
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        did.kept.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(FoldReport {
            schema: 1,
            logs: rows,
            kept: did.kept,
            sums: did.sums.into_values().collect(),
            notes,
            wrong: 0,
        })
    }

    /// Takes away what stands where a file or a folder of ours should be, in our own folders alone.
    fn clear_the_way(&self, did: &mut Did) {
        let locks = self.dirs().data.join("locks");
        let mut standing: Vec<(PathBuf, KeptKind, &str)> = Vec::new();
        if fs::symlink_metadata(&locks).is_ok() && !locks.is_dir() {
            standing.push((locks, KeptKind::Folder, "something stands in its place"));
        }
        // What cannot be listed is said by the sweep.
        for lying in cache::lying(&self.dirs().cache).unwrap_or_default() {
            let is_ours = !matches!(
                lying.kind,
                KeptKind::Other | KeptKind::SetAside | KeptKind::Temporary
            );
            standing.extend(
                lying
                    .instead
                    .filter(|_| is_ours)
                    .map(|instead| (lying.path, lying.kind, instead)),
            );
        }
        for (path, kind, instead) in standing {
            match cache::clear(&path) {
                Ok(()) => did.say(&path, kind, instead, "cleared"),
                Err(error) => did.fail(&path, kind, instead, &error),
            }
        }
    }

    /// Counts the tail that was kept anew; one that was not is of no use any more.
    fn renew_tail(&self, entry: &LogEntry, is_kept: bool, did: &mut Did) {
        let [_, tail] = self.keeper().kept_elsewhere(&entry.path);
        if is_kept {
            did.count(KeptKind::Tail, Fate::Rebuilt, 1);
        } else if Keeper::tail_worth(&tail) != Worth::Newer {
            did.remove(&tail, KeptKind::Tail, Fate::Dropped, "not needed");
        }
    }

    fn save_anew(&self, receipts: &mut Receipts, worth: &Worth, made: usize, did: &mut Did) {
        let path = Receipts::file(&self.dirs().cache);
        if *worth == Worth::Newer {
            did.leave(&path, KeptKind::Receipts, worth.to_string());
            return;
        }
        match receipts.save(self.locks()) {
            Ok(()) => {
                did.count(KeptKind::Receipts, Fate::Rebuilt, made);
                if !matches!(worth, Worth::Sound | Worth::Missing) {
                    did.say(&path, KeptKind::Receipts, worth.to_string(), "rebuilt");
                }
            }
            Err(error) => did.fail(&path, KeptKind::Receipts, worth.to_string(), &error),
        }
    }

    /// Sweeps what lies beside logs: damaged sidecars that were set aside, temporary files.
    fn sweep_beside(&self, logs: &[LogEntry], did: &mut Did) {
        let mut places = HashMap::new();
        let mut folders: HashSet<PathBuf> = HashSet::from([self.dirs().config.clone()]);
        for entry in logs {
            if place_of(entry, &mut places) != Place::Beside {
                continue;
            }
            folders.extend(entry.path.parent().map(Path::to_owned));
            let damaged = aside(&beside(&entry.path));
            if is_ours(&damaged) {
                did.remove(&damaged, KeptKind::SetAside, Fate::Swept, "set aside");
            } else if fs::symlink_metadata(&damaged).is_ok() {
                did.leave(
                    &damaged,
                    KeptKind::SetAside,
                    "holds nothing that is known to be ours",
                );
            }
        }
        for folder in folders {
            sweep_temporary(&folder, did);
        }
    }

    /// Makes the roll-up anew, as far as it holds logs that were named, or is damaged.
    fn roll_anew(
        &self,
        found: &Found,
        receipts: &Receipts,
        did: &mut Did,
        notes: &mut Vec<String>,
    ) {
        let path = file(&folder(&self.dirs().cache));
        let held = |log: &LogEntry| {
            receipts
                .of(&log.path)
                .is_some_and(|receipt| receipt.holds_for(&log.identity))
        };
        let mut new: Vec<LogEntry> = found.logs.iter().filter(|log| held(log)).cloned().collect();
        let racy = found.logs.len() - new.len();
        let mut parts = (None, Vec::new(), Vec::new());
        match self.open_rollup() {
            Err(error @ RollupError::NewerVersion) => {
                did.leave(&path, KeptKind::Catalogue, error.to_string());
                return;
            }
            Ok(rollup) => match broken_shards(&rollup, did) {
                Some(broken) => {
                    let again = named_or_gone(&rollup, found);
                    parts = (Some(Arc::new(rollup)), again, broken);
                }
                None => {
                    self.drop_rollup();
                    new.extend(known(receipts, &new));
                }
            },
            Err(error) if path.is_file() => {
                did.say(&path, KeptKind::Catalogue, error.to_string(), "dropped");
                self.drop_rollup();
                new.extend(known(receipts, &new));
            }
            Err(_) if new.len() < self.roll_from() => return,
            Err(_) => {}
        }
        let (before, again, broken) = parts;
        match self.roll_entries(new, before, &again, &broken, receipts, &Quiet) {
            Ok(Rolling::Done { logs, made }) => {
                did.say(
                    &path,
                    KeptKind::Catalogue,
                    format!("{logs} logs"),
                    "rebuilt",
                );
                did.count(KeptKind::Catalogue, Fate::Rebuilt, 1);
                did.count(KeptKind::Shard, Fate::Rebuilt, made);
                if racy > 0 {
                    notes.push(format!(
                        "{racy} logs changed a moment ago, so that a later search rolls them up"
                    ));
                }
            }
            Ok(Rolling::Busy) => did.fail(
                &path,
                KeptKind::Catalogue,
                "the roll-up",
                &"another process makes it; try again",
            ),
            Err(error) => did.fail(&path, KeptKind::Catalogue, "the roll-up", &error),
        }
    }

    /// Removes from the cache folder what belongs to no log that is known, and leftovers.
    fn sweep_cache(&self, receipts: &Receipts, did: &mut Did, notes: &mut Vec<String>) {
        let cache = &self.dirs().cache;
        let lying = match cache::lying(cache) {
            Ok(lying) => lying,
            Err(error) => {
                let note = "nothing can be kept there: move away what stands in its place, or name another by MEMFOLD_CACHE_DIR";
                notes.push(format!("{}: {error}; {note}", cache.display()));
                return;
            }
        };
        let mut wanted: HashSet<PathBuf> = HashSet::new();
        let mut apart = cache::kept_apart(cache);
        for (log, receipt) in receipts.all() {
            let [sidecar, tail] = self.keeper().kept_elsewhere(log);
            wanted.insert(tail);
            wanted.extend(apart.remove(&sidecar).unwrap_or_default());
            if receipt.place == Place::Cache {
                wanted.insert(sidecar);
            }
        }
        let rollup = self.open_rollup();
        let is_newer = matches!(rollup, Err(RollupError::NewerVersion));
        wanted.extend(rollup.iter().flat_map(Rollup::files));
        for Lying {
            path,
            kind,
            instead,
        } in lying
        {
            match (kind, instead) {
                (KeptKind::Other, _) => did.leave(&path, kind, "not memfold's"),
                (KeptKind::Temporary, None) if path.is_dir() => sweep_copy(&path, did),
                (KeptKind::SetAside, Some(_)) => did.leave(&path, kind, "not memfold's"),
                // It could not be cleared, and that was said.
                (_, Some(_)) => {}
                (KeptKind::SetAside, None) => did.remove(&path, kind, Fate::Swept, "set aside"),
                (KeptKind::Shard, None) if !wanted.contains(&path) && !is_newer => {
                    did.remove(&path, kind, Fate::Swept, "no catalogue names it");
                }
                (KeptKind::Sidecar, None) if !wanted.contains(&path) => {
                    match Keeper::later_programs(&path) {
                        Some(later) => did.leave(&path, kind, later.to_string()),
                        None => did.remove(&path, kind, Fate::Dropped, "of no log that is known"),
                    }
                }
                (KeptKind::Listings, None) => match Listings::check(cache) {
                    Err(Marked::Newer) => did.leave(&path, kind, Worth::Newer.to_string()),
                    Ok(_) => did.remove(&path, kind, Fate::Dropped, "made anew by a later search"),
                    Err(_) => did.remove(&path, kind, Fate::Dropped, "damaged"),
                },
                (KeptKind::Tail, None) => match Keeper::tail_worth(&path) {
                    Worth::Newer => did.leave(&path, kind, Worth::Newer.to_string()),
                    Worth::Sound if wanted.contains(&path) => {}
                    Worth::Sound => {
                        did.remove(&path, kind, Fate::Dropped, "of no log that is known")
                    }
                    worth => did.remove(&path, kind, Fate::Dropped, worth.to_string()),
                },
                _ => {}
            }
        }
        for folder in ["", "rollup", "sidecars", "tails"] {
            sweep_temporary(&cache.join(folder), did);
        }
    }
}

/// Counts the sidecars of logs that are gone.
fn count_orphans(rows: &[FoldRow], did: &mut Did) {
    for row in rows.iter().filter(|row| row.verdict == "orphan") {
        let fate = match row.done.as_str() {
            "removed" => Fate::Dropped,
            _ => Fate::Failed,
        };
        did.count(KeptKind::Sidecar, fate, 1);
    }
}

/// The damaged shards of a roll-up; nothing if its catalogue is wrong.
fn broken_shards(rollup: &Rollup, did: &mut Did) -> Option<Vec<ShardId>> {
    let faults = rollup.faults();
    let mut broken = Vec::new();
    for fault in &faults {
        let shard = fault.shard?;
        let row = rollup.catalogue.shards().get(shard.0)?;
        did.say(
            &rollup.path_of(row),
            KeptKind::Shard,
            &fault.what,
            "rebuilt",
        );
        broken.push(shard);
    }
    Some(broken)
}

/// The rows of logs that were named, whatever their state is now, and of those that are gone.
fn named_or_gone(rollup: &Rollup, found: &Found) -> Vec<RowId> {
    let named: HashSet<&Path> = found.logs.iter().map(|log| log.path.as_path()).collect();
    let mut rows: HashSet<RowId> = rollup.gone(found).into_iter().collect();
    rows.extend(
        rollup
            .catalogue
            .rows()
            .filter(|row| named.contains(rollup.catalogue.path(*row).as_path())),
    );
    rows.into_iter().collect()
}

/// The other logs that receipts vouch for as they are now.
fn known(receipts: &Receipts, but: &[LogEntry]) -> Vec<LogEntry> {
    let but: HashSet<&Path> = but.iter().map(|log| log.path.as_path()).collect();
    receipts
        .all()
        .filter(|(log, _)| !but.contains(log))
        .filter_map(|(log, receipt)| {
            let identity = Identity::at(log, Links::Follow).ok()?;
            let agent = memfold_agents::by_name(&receipt.agent)?;
            let form = Form::of(log).unwrap_or(Form::Lines);
            receipt
                .holds_for(&identity)
                .then(|| LogEntry::of_file(log.to_owned(), form, agent, identity, Of::default()))
        })
        .collect()
}
