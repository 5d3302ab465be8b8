//! Makes the roll-up: logs that were opened one by one are put together, once there are enough of them to pay, and what is
//! gone or changed goes. All under one lock; a search that meets it goes without.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memfold_disk::{Identity, Links, Mode, publish};
use memfold_fold::document::Keys;
use memfold_log::Form;
use memfold_rollup::{
    Catalogue, Columns, LogRow, RollupError, RowId, ShardContent, ShardId, ShardRow, verify_bytes,
};
use memfold_segment::{Collection, Encoded, Part, Reader, merge};
use memfold_sidecar::Receipts;
use sha2::{Digest, Sha256};

use crate::catalogue::{Found, LogEntry, Of};
use crate::collected::Collected;
use crate::duplicates::{Claim, Copies, copies, each};
use crate::engine::Memfold;
use crate::progress::Progress;
use crate::ready::{About, Ready};
use crate::rollup::{Rolled, Rollup, file, folder, program, release_sharing, row_of, sweep};
use crate::segments::{SegmentSource, without};

/// How large shards are to be. A search opens every shard, so there are to be few; what makes one holds it in memory, so none
/// is to be large before there are many.
#[derive(Clone, Copy)]
struct Sizes {
    /// A shard is closed once the sidecars' words in it come to so many bytes.
    full: u64,
}

impl Sizes {
    const LEAST: u64 = 4 << 20;
    const MOST: u64 = 64 << 20;
    /// So many full shards are enough.
    const SHARDS: u64 = 24;
    /// So many small shards are left before they are put together.
    const FEW: usize = 4;

    /// For logs whose sidecars come to so many bytes.
    fn of(bytes: u64) -> Sizes {
        Sizes {
            full: (bytes / Self::SHARDS).clamp(Self::LEAST, Self::MOST),
        }
    }

    /// A shard of this size may end where a project's logs do.
    fn may_end(self) -> u64 {
        self.full / 2
    }

    /// A shard of fewer bytes is put together with others like it.
    fn small(self) -> u64 {
        self.full / 4
    }
}

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

/// A shard that was made, and the rows of its logs.
struct Made {
    content: ShardContent,
    rows: Vec<LogRow>,
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
        let _ = self.roll_entries(new, before, gone, &[], receipts);
    }

    /// Rolls up the logs that were just folded, as [`Memfold::roll`] does after a search.
    pub(crate) fn roll_folded(&self, found: &Found, receipts: &Receipts) {
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
            let _ = self.roll_entries(new, rollup, &gone, &[], receipts);
        }
    }

    /// Rolls up `new` beside what there is, of which nothing of the logs of `gone` stays, and of `broken` shards no byte.
    pub(crate) fn roll_entries(
        &self,
        mut new: Vec<LogEntry>,
        before: Option<Arc<Rollup>>,
        gone: &[RowId],
        broken: &[ShardId],
        receipts: &Receipts,
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
        let mut candidates = self.candidates(new, receipts);
        // Which copy counts is decided among all logs that share: those that would stay as they are come in.
        let sharing = match kept.take_sharing(&candidates) {
            Ok(sharing) => sharing,
            Err(error) => {
                // A shard that cannot be read would be in the way at every search to come.
                self.drop_rollup();
                return Err(error);
            }
        };
        candidates.extend(self.candidates(sharing, receipts));
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
        for part in parts(&candidates, Sizes::of(bytes)) {
            let Some(Made {
                content,
                rows: of_part,
            }) = self.shard(part, ShardId(shards.len()), receipts)?
            else {
                continue;
            };
            let name = content.name();
            let bytes = content.size();
            // What is written is let go of before it is read back.
            let write = move |out: &mut dyn Write| {
                let mut pieces = content.pieces();
                pieces.try_for_each(|piece| out.write_all(piece).map_err(RollupError::Io))
            };
            publish(
                &folder.join(name.file()),
                Mode::Private,
                write,
                verify_bytes,
            )
            .map_err(std::io::Error::other)?;
            shards.push(ShardRow {
                name,
                documents: of_part
                    .iter()
                    .map(|row| row.documents)
                    .fold(0, u32::saturating_add),
                bytes,
            });
            rows.extend(of_part);
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
    fn candidates(&self, entries: Vec<LogEntry>, receipts: &Receipts) -> Vec<Candidate> {
        let candidate = |entry: LogEntry| {
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
        entries.into_iter().filter_map(candidate).collect()
    }

    /// The shard of some logs, with their rows.
    fn shard(
        &self,
        part: &[Candidate],
        id: ShardId,
        receipts: &Receipts,
    ) -> Result<Option<Made>, RollupError> {
        let logs: Vec<Ready> = part
            .iter()
            .map(|candidate| self.open_one(&candidate.entry, receipts))
            .collect::<Result<_, _>>()
            .map_err(std::io::Error::other)?;
        let mut columns = Columns::default();
        let mut rows = Vec::with_capacity(part.len());
        let mut readers = Vec::new();
        let mut live = Vec::new();
        for (candidate, ready) in part.iter().zip(&logs) {
            let first = u32::try_from(columns.kinds.len())
                .map_err(|_| RollupError::TooLarge("2^32 documents"))?;
            let documents = ready.all_documents().map_err(std::io::Error::other)?;
            for document in &documents {
                columns.sittings.push(document.sitting);
                columns.kinds.push(document.kind);
                columns.times.push(document.time);
            }
            columns.keys.extend(
                each(&candidate.keys).map(|(document, key)| (key, first.saturating_add(document))),
            );
            columns.dead.extend(
                candidate
                    .copies
                    .iter()
                    .map(|copy| first.saturating_add(*copy)),
            );
            let mut counted = Collection::default();
            let table = without(ready.documents(), &candidate.copies);
            let mut from = 0usize;
            for reader in segments_of(ready)? {
                let end = from.saturating_add(reader.documents() as usize);
                let table = table.get(from..end).unwrap_or_default().to_vec();
                for (length, counts) in reader.lengths()?.iter().zip(&table) {
                    if *counts {
                        counted.documents += 1;
                        counted.total_length += u64::from(length);
                    }
                }
                live.push((!candidate.copies.is_empty()).then_some(table));
                readers.push(reader);
                from = end;
            }
            if [from, candidate.keys.len()] != [documents.len(); 2] {
                return Err(RollupError::Damaged("words of other documents"));
            }
            rows.push(LogRow {
                path: candidate.entry.path.clone(),
                identity: candidate.entry.identity,
                agent: candidate.entry.agent.name().to_owned(),
                shard: id,
                first,
                documents: ready.documents(),
                live: counted,
                ended: candidate.ended,
                component: candidate.component,
                task: candidate.task.clone(),
                cwd: candidate.cwd.clone(),
            });
        }
        let parts: Vec<Part<'_, SegmentSource<'_>>> = readers
            .iter()
            .zip(&live)
            .map(|(segment, live)| Part {
                segment,
                live: live.as_deref(),
            })
            .collect();
        let words: Encoded = merge(&parts)?;
        // What changed meanwhile is another log than the row says.
        let unchanged = part.iter().all(|candidate| {
            Identity::at(&candidate.entry.path, Links::Follow)
                .is_ok_and(|identity| identity == candidate.entry.identity)
        });
        if rows.is_empty() || !unchanged {
            return Ok(None);
        }
        Ok(Some(Made {
            content: ShardContent::new(words, columns)?,
            rows,
        }))
    }
}

/// The segments of a log: its sealed part and its tail.
fn segments_of(ready: &Ready) -> Result<Vec<Reader<SegmentSource<'_>>>, RollupError> {
    let words = ready.sidecar.words().map_err(std::io::Error::other)?;
    let mut segments = vec![Reader::open(SegmentSource::Sidecar(words))?];
    if let Some(tail) = &ready.tail {
        segments.push(Reader::open(SegmentSource::Tail(&tail.segment))?);
    }
    Ok(segments)
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

/// Candidates, in order, as the shards that hold them.
fn parts(candidates: &[Candidate], sizes: Sizes) -> Vec<&[Candidate]> {
    let mut parts = Vec::new();
    let (mut from, mut bytes) = (0, 0u64);
    for (place, candidate) in candidates.iter().enumerate() {
        let next_project = place
            .checked_sub(1)
            .and_then(|before| candidates.get(before))
            .is_some_and(|before| before.project != candidate.project);
        let full = bytes.saturating_add(candidate.bytes) > sizes.full
            || (next_project && bytes >= sizes.may_end());
        if full && place > from {
            parts.extend(candidates.get(from..place));
            (from, bytes) = (place, 0);
        }
        bytes = bytes.saturating_add(candidate.bytes);
    }
    parts.extend(candidates.get(from..).filter(|last| !last.is_empty()));
    parts
}

/// What stays of the roll-up that there is.
struct Kept<'r> {
    rollup: Option<&'r Rollup>,
    /// The shards that stay, and the rows.
    shards: HashSet<ShardId>,
    rows: HashSet<RowId>,
}

impl<'r> Kept<'r> {
    fn of(rollup: Option<&'r Rollup>) -> Kept<'r> {
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
    fn bytes(&self) -> u64 {
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
    fn dissolve(&mut self, shards: &[ShardId]) {
        self.shards.retain(|shard| !shards.contains(shard));
    }

    /// Nothing of these logs stays, not even a word.
    fn dissolve_shards_of(&mut self, gone: &[RowId]) {
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
    fn give_up(&mut self, new: &[LogEntry]) {
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
    fn dissolve_small(&mut self, sizes: Sizes) {
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
    fn take_dissolved(&mut self) -> Vec<LogEntry> {
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
    fn take_sharing(&mut self, candidates: &[Candidate]) -> Result<Vec<LogEntry>, RollupError> {
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
    fn rows(&self) -> (Vec<ShardRow>, Vec<LogRow>) {
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
