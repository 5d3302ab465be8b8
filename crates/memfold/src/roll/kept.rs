//! What stays of a roll-up when it is made anew: the shards and rows that nothing speaks against. The logs of what does not
//! stay are rolled up again.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use memfold_disk::{Identity, Links};
use memfold_fold::document::Keys;
use memfold_log::Form;
use memfold_rollup::{Catalogue, LogRow, RollupError, RowId, ShardId, ShardRow};

use super::Candidate;
use super::shards::Sizes;
use crate::catalogue::{LogEntry, Of};
use crate::rollup::{Rolled, Rollup, release_sharing, row_of};

/// What stays of the roll-up that there is.
pub(super) struct Kept<'r> {
    rollup: Option<&'r Rollup>,
    /// The shards that stay, and the rows.
    shards: HashSet<ShardId>,
    rows: HashSet<RowId>,
}

impl<'r> Kept<'r> {
    pub(super) fn of(rollup: Option<&'r Rollup>) -> Kept<'r> {
        let mut kept = Kept {
            rollup,
            shards: HashSet::new(),
            rows: HashSet::new(),
        };
        if let Some(rollup) = rollup {
            kept.rows = rollup.catalogue.rows().collect();
            kept.shards = (0..rollup.catalogue.shards().len()).map(ShardId).collect();
        }
        kept
    }

    /// How large the shards are that stay.
    pub(super) fn bytes(&self) -> u64 {
        let rows = self
            .rollup
            .map_or(&[][..], |rollup| rollup.catalogue.shards());
        (0..)
            .zip(rows)
            .filter(|(place, _)| self.shards.contains(&ShardId(*place)))
            .map(|(_, row)| row.bytes)
            .fold(0, u64::saturating_add)
    }

    /// Nothing of these shards stays; their logs are rolled up again.
    pub(super) fn dissolve(&mut self, shards: &[ShardId]) {
        self.shards.retain(|shard| !shards.contains(shard));
    }

    /// Nothing of these logs stays, not even a word.
    pub(super) fn dissolve_shards_of(&mut self, gone: &[RowId]) {
        let Some(Rollup { catalogue, .. }) = self.rollup else {
            return;
        };
        for row in gone {
            self.rows.remove(row);
            if let Some(shard) = catalogue.shard_of(*row) {
                self.shards.remove(&shard);
            }
        }
    }

    /// Gives up the rows of logs that come in anew. Where a log lost bytes, its words are to go, too.
    pub(super) fn give_up(&mut self, new: &[LogEntry]) {
        let Some(Rollup { catalogue, .. }) = self.rollup else {
            return;
        };
        let known: HashMap<PathBuf, RowId> = catalogue
            .rows()
            .map(|row| (catalogue.path(row), row))
            .collect();
        for log in new {
            let Some(row) = known.get(&log.path) else {
                continue;
            };
            let grew = catalogue.identity(*row).is_some_and(|before| {
                before.inode == log.identity.inode
                    && before.size <= log.identity.size
                    // A whole file is written anew, and may have lost some bytes for others.
                    && log.form != Form::Document
            });
            if grew {
                self.rows.remove(row);
            } else {
                self.dissolve_shards_of(&[*row]);
            }
        }
    }

    /// Dissolves shards of which little is left, and small ones once they are several.
    pub(super) fn dissolve_small(&mut self, sizes: Sizes) {
        let Some(Rollup { catalogue, .. }) = self.rollup else {
            return;
        };
        let mut left: HashMap<ShardId, u64> = HashMap::new();
        for row in &self.rows {
            if let Some(shard) = catalogue.shard_of(*row) {
                let documents = catalogue.documents(*row);
                *left.entry(shard).or_default() += u64::from(documents.end - documents.start);
            }
        }
        let of = |shard: &ShardId| catalogue.shards().get(shard.0);
        self.shards.retain(|shard| {
            of(shard).is_some_and(|row| {
                left.get(shard).copied().unwrap_or(0).saturating_mul(2) > u64::from(row.documents)
            })
        });
        let size = |shard: &ShardId| of(shard).map_or(0, |row| row.bytes);
        let mut small: Vec<ShardId> = self
            .shards
            .iter()
            .filter(|shard| size(shard) < sizes.small())
            .copied()
            .collect();
        if small.len() < Sizes::FEW {
            return;
        }
        // The smallest first, and no more than one shard holds: one call is not to pay for all that came before.
        small.sort_by_key(|shard| (size(shard), *shard));
        let mut bytes = 0u64;
        for shard in small {
            bytes = bytes.saturating_add(size(&shard));
            if bytes > sizes.full {
                break;
            }
            self.shards.remove(&shard);
        }
    }

    /// The logs of shards that do not stay, and those that hold only together with one whose row is given up.
    pub(super) fn take_dissolved(&mut self) -> Vec<LogEntry> {
        let Some(Rollup { catalogue, .. }) = self.rollup else {
            return Vec::new();
        };
        let stays = |row: &RowId| {
            catalogue
                .shard_of(*row)
                .is_some_and(|shard| self.shards.contains(&shard))
        };
        let broken: HashSet<u64> = catalogue
            .rows()
            .filter(|row| !self.rows.contains(row) || !stays(row))
            .map(|row| catalogue.component(row))
            .filter(|component| *component != 0)
            .collect();
        let (kept, dissolved) = self
            .rows
            .drain()
            .partition(|row| stays(row) && !broken.contains(&catalogue.component(*row)));
        self.rows = kept;
        entries_of(catalogue, dissolved)
    }

    /// The logs that stay but share events with candidates, with those that hold only together with them.
    pub(super) fn take_sharing(
        &mut self,
        candidates: &[Candidate],
    ) -> Result<Vec<LogEntry>, RollupError> {
        let Some(rollup) = self.rollup else {
            return Ok(Vec::new());
        };
        let mut logs = entries_of(&rollup.catalogue, self.rows.clone());
        let mut staying = Vec::new();
        for shard in &self.shards {
            staying.push((*shard, rollup.open(*shard)?));
        }
        let keys: Vec<&[Keys]> = candidates
            .iter()
            .map(|candidate| candidate.keys.as_slice())
            .collect();
        let released = release_sharing(&rollup.catalogue, &staying, &keys, &mut logs)?;
        for row in released.iter().filter_map(row_of) {
            self.rows.remove(&row);
        }
        Ok(released)
    }

    /// The shards and rows that stay, numbered anew.
    pub(super) fn rows(&self) -> (Vec<ShardRow>, Vec<LogRow>) {
        let Some(Rollup { catalogue, .. }) = self.rollup else {
            return Default::default();
        };
        let mut shards = Vec::new();
        let mut number = HashMap::new();
        let mut rows = Vec::new();
        for log in catalogue
            .rows()
            .filter(|row| self.rows.contains(row))
            .filter_map(|row| catalogue.log(row))
        {
            let Some(shard) = catalogue.shards().get(log.shard.0) else {
                continue;
            };
            let shard = *number.entry(log.shard).or_insert_with(|| {
                shards.push(*shard);
                ShardId(shards.len() - 1)
            });
            rows.push(LogRow { shard, ..log });
        }
        (shards, rows)
    }
}

/// Logs of a catalogue as if they had been found: those that are as their rows say.
fn entries_of(catalogue: &Catalogue, rows: HashSet<RowId>) -> Vec<LogEntry> {
    let entry = |row: RowId| {
        let LogRow {
            path,
            identity,
            agent,
            ..
        } = catalogue.log(row)?;
        let agent = memfold_agents::by_name(&agent)?;
        let form = Form::of(&path).unwrap_or(Form::Lines);
        let of = Of {
            rolled: Some(Rolled {
                row,
                agent,
                cwd: None,
            }),
            ..Of::default()
        };
        (Identity::at(&path, Links::Follow).ok()? == identity)
            .then(|| LogEntry::of_file(path, form, agent, identity, of))
    };
    rows.into_iter().filter_map(entry).collect()
}
