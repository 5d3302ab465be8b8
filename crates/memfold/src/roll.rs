//! Makes the roll-up: logs that were opened one by one are put together, once there are enough of them to pay, and what is
//! gone or changed goes. All under one lock; a search that meets it goes without.

mod kept;
mod shards;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memfold_disk::{Identity, Mode, publish};
use memfold_fold::document::Keys;
use memfold_rollup::{Catalogue, LogRow, RollupError, RowId, ShardId};
use memfold_sidecar::Receipts;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use self::kept::Kept;
use self::shards::{Made, Sizes, parts};
use crate::about::About;
use crate::catalogue::{Found, LogEntry};
use crate::collected::Collected;
use crate::duplicates::{Claim, Copies, copies};
use crate::engine::Memfold;
use crate::progress::Progress;
use crate::ready::Ready;
use crate::rollup::{Rollup, file, folder, program, sweep};

/// What became of a roll-up that was to be made.
pub(crate) enum Rolling {
    /// It is in force.
    Done {
        /// So many logs are in it.
        logs: usize,
        /// So many of its shards were made now.
        made: usize,
    },
    /// Another process is at it, or was just now.
    Busy,
}

/// A log that is to be rolled up.
struct Candidate {
    entry: LogEntry,
    started: Option<i64>,
    ended: Option<i64>,
    task: String,
    cwd: Option<String>,
    /// Logs of one project lie together.
    project: PathBuf,
    /// How many bytes its words have.
    bytes: u64,
    /// What makes its events the same as others.
    keys: Vec<Keys>,
    /// The documents that a later line says more fully.
    replaced: Vec<u32>,
    /// All documents that do not count.
    copies: Vec<u32>,
    component: u64,
}

impl Memfold {
    /// Rolls up the logs that a search had to open one by one, if they are many, and takes out of the roll-up those of
    /// `gone`. That it could not be done costs time at the next search, and nothing else.
    pub(crate) fn roll(
        &self,
        logs: Collected,
        gone: &[RowId],
        receipts: &mut Receipts,
        progress: &dyn Progress,
    ) {
        let held = |ready: &&Ready| {
            !ready.is_doubted()
                && ready.entry.session.is_none()
                && receipts
                    .of(&ready.entry.path)
                    .is_some_and(|receipt| receipt.holds_for(&ready.entry.identity))
        };
        let new: Vec<LogEntry> = logs
            .own
            .iter()
            .filter(held)
            .map(|ready| ready.entry.clone())
            .collect();
        if progress.stop() || (new.len() < self.roll_from() && gone.is_empty()) {
            return;
        }
        let before = logs.serving.map(|serving| serving.rollup);
        drop(logs.own);
        let _ = self.roll_entries(new, before, gone, &[], receipts, progress);
    }

    /// Rolls up the logs that were just folded, as [`Memfold::roll`] does after a search.
    pub(crate) fn roll_folded(&self, found: &Found, receipts: &Receipts, progress: &dyn Progress) {
        let rollup = self.rollup();
        let is_new = |log: &&LogEntry| {
            log.session.is_none()
                && rollup
                    .as_ref()
                    .is_none_or(|rollup| rollup.find(&log.path, &log.identity).is_none())
                && receipts
                    .of(&log.path)
                    .is_some_and(|receipt| receipt.holds_for(&log.identity))
        };
        let new: Vec<LogEntry> = found.logs.iter().filter(is_new).cloned().collect();
        let gone = rollup
            .as_ref()
            .map_or(Vec::new(), |rollup| rollup.gone(found));
        if new.len() >= self.roll_from() || !gone.is_empty() {
            let _ = self.roll_entries(new, rollup, &gone, &[], receipts, progress);
        }
    }

    /// Rolls up `new` beside what there is, of which nothing of the logs of `gone` stays, and of `broken` shards no byte. What
    /// is left where it is to stop is opened one by one until the next time.
    pub(crate) fn roll_entries(
        &self,
        mut new: Vec<LogEntry>,
        before: Option<Arc<Rollup>>,
        gone: &[RowId],
        broken: &[ShardId],
        receipts: &Receipts,
        progress: &dyn Progress,
    ) -> Result<Rolling, RollupError> {
        let folder = folder(&self.dirs().cache);
        memfold_disk::private_dir(&folder).map_err(std::io::Error::other)?;
        let target = file(&folder);
        let Some(_lock) = self
            .locks()
            .try_lock(&target)
            .map_err(std::io::Error::other)?
        else {
            return Ok(Rolling::Busy);
        };
        let now = match self.open_rollup() {
            Ok(now) => Some(now),
            Err(RollupError::NewerVersion) => return Err(RollupError::NewerVersion),
            Err(_) => None,
        };
        if let Some(before) = &before
            && now
                .as_ref()
                .is_none_or(|now| !now.catalogue.is(&before.catalogue))
        {
            // Somebody was here; what is left to do shows at the next search.
            return Ok(Rolling::Busy);
        }
        let mut kept = Kept::of(now.as_ref());
        kept.dissolve(broken);
        kept.dissolve_shards_of(gone);
        kept.give_up(&new);
        kept.dissolve_small(Sizes::of(kept.bytes()));
        new.extend(kept.take_dissolved());
        let mut candidates = self.candidates(new, receipts, progress);
        // Which copy counts is decided among all logs that share: those that would stay as they are come in.
        let sharing = match kept.take_sharing(&candidates) {
            Ok(sharing) => sharing,
            Err(error) => {
                // A shard that cannot be read would be in the way at every search to come.
                self.drop_rollup();
                return Err(error);
            }
        };
        candidates.extend(self.candidates(sharing, receipts, progress));
        decide(&mut candidates);
        candidates.sort_by(|a, b| {
            (&a.project, a.ended, &a.entry.path).cmp(&(&b.project, b.ended, &b.entry.path))
        });
        let (mut shards, mut rows) = kept.rows();
        let stayed = shards.len();
        let bytes = candidates
            .iter()
            .map(|candidate| candidate.bytes)
            .fold(kept.bytes(), u64::saturating_add);
        // A shard a thread at a time: each is held in memory while it is made.
        for some in parts(&candidates, Sizes::of(bytes)).chunks(rayon::current_num_threads()) {
            if progress.stop() {
                break;
            }
            let made: Vec<Option<Made>> = some
                .par_iter()
                .map(|part| self.make_shard(part, &folder, receipts))
                .collect::<Result<_, _>>()?;
            for Made { shard, rows: own } in made.into_iter().flatten() {
                let id = ShardId(shards.len());
                shards.push(shard);
                rows.extend(own.into_iter().map(|row| LogRow { shard: id, ..row }));
            }
        }
        let catalogue = Catalogue::encode(&program(), &shards, &rows)?;
        publish(
            &target,
            Mode::Private,
            |out| out.write_all(&catalogue).map_err(RollupError::Io),
            |written| Catalogue::open(written.to_vec(), &program()).map(drop),
        )
        .map_err(std::io::Error::other)?;
        sweep(
            &folder,
            &shards.iter().map(|shard| shard.name.file()).collect(),
        );
        Ok(Rolling::Done {
            logs: rows.len(),
            made: shards.len().saturating_sub(stayed),
        })
    }

    /// Those of the logs that can be rolled up: a receipt vouches for each.
    fn candidates(
        &self,
        entries: Vec<LogEntry>,
        receipts: &Receipts,
        progress: &dyn Progress,
    ) -> Vec<Candidate> {
        let candidate = |entry: LogEntry| {
            if progress.stop() {
                return None;
            }
            let receipt = receipts
                .of(&entry.path)
                .filter(|receipt| receipt.holds_for(&entry.identity))?;
            let About {
                task,
                cwd,
                started,
                ended,
                ..
            } = About::of_receipt(&entry, receipt);
            let project = match &cwd {
                Some(cwd) => self.projects().of(Path::new(cwd)),
                None => entry.path.parent().unwrap_or(&entry.path).to_owned(),
            };
            let ready = self.open_one(&entry, receipts).ok()?;
            let (keys, replaced) = (ready.keys().ok()?, ready.past().replaced().to_vec());
            if ready.is_doubted() {
                return None;
            }
            Some(Candidate {
                started,
                ended,
                task,
                cwd,
                project,
                bytes: Identity::from_bytes(&receipt.sidecar).size,
                keys,
                replaced,
                copies: Vec::new(),
                component: 0,
                entry,
            })
        };
        entries.into_par_iter().filter_map(candidate).collect()
    }
}

/// Decides which of the candidates' events count, and which logs hold only together.
fn decide(candidates: &mut [Candidate]) {
    let claims: Vec<Claim<'_>> = candidates
        .iter()
        .map(|candidate| Claim {
            started: candidate.started,
            path: &candidate.entry.path,
            keys: candidate.keys.as_slice().into(),
            replaced: &candidate.replaced,
        })
        .collect();
    let Copies { of, pairs } = copies(&claims);
    // Each log's component is named by its first log's path.
    let mut first: Vec<usize> = (0..candidates.len()).collect();
    let root = |first: &[usize], mut log: usize| {
        while let Some(above) = first.get(log).filter(|above| **above != log) {
            log = *above;
        }
        log
    };
    let mut shared = HashSet::new();
    for (a, b) in pairs {
        shared.extend([a, b]);
        let (a, b) = (root(&first, a), root(&first, b));
        if let Some(above) = first.get_mut(a.max(b)) {
            *above = a.min(b);
        }
    }
    let component = |log: usize| {
        if !shared.contains(&log) {
            return 0;
        }
        let of = candidates.get(root(&first, log));
        of.map_or(1, |of| number_of(&of.entry.path))
    };
    let components: Vec<u64> = (0..candidates.len()).map(component).collect();
    for ((candidate, copies), component) in candidates.iter_mut().zip(of).zip(components) {
        candidate.copies = copies;
        candidate.component = component;
    }
}

/// A number for a path, never 0.
fn number_of(path: &Path) -> u64 {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    digest
        .first_chunk()
        .map_or(1, |first| u64::from_le_bytes(*first))
        .max(1)
}
