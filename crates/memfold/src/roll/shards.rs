//! Makes the shards of a roll-up: how large they are to be, which logs lie together in one, and the words, columns and rows of
//! one, put in place.

use std::io::Write;
use std::path::Path;

use memfold_disk::{Identity, Links, Mode, publish};
use memfold_rollup::{Columns, LogRow, RollupError, ShardContent, ShardId, ShardRow, verify_bytes};
use memfold_segment::{Collection, Encoded, Part, Reader, merge};
use memfold_sidecar::Receipts;

use super::Candidate;
use crate::duplicates::each;
use crate::engine::Memfold;
use crate::ready::Ready;
use crate::segments::{SegmentSource, without};

/// How large shards are to be. A search opens every shard, so there are to be few; what makes one holds it in memory, so none
/// is to be large before there are many.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// A shard is closed once the sidecars' words in it come to so many bytes.
    pub(super) full: u64,
}

impl Sizes {
    const LEAST: u64 = 4 << 20;
    const MOST: u64 = 64 << 20;
    /// So many full shards are enough.
    const SHARDS: u64 = 24;
    /// So many small shards are left before they are put together.
    pub(super) const FEW: usize = 4;

    /// For logs whose sidecars come to so many bytes.
    pub(super) fn of(bytes: u64) -> Sizes {
        Sizes {
            full: (bytes / Self::SHARDS).clamp(Self::LEAST, Self::MOST),
        }
    }

    /// A shard of this size may end where a project's logs do.
    fn may_end(self) -> u64 {
        self.full / 2
    }

    /// A shard of fewer bytes is put together with others like it.
    pub(super) fn small(self) -> u64 {
        self.full / 4
    }
}

/// A shard that was made, and the rows of its logs, which say of no shard yet which it is.
pub(super) struct Made {
    pub(super) shard: ShardRow,
    pub(super) rows: Vec<LogRow>,
}

impl Memfold {
    /// Makes the shard of some logs and puts it in place. Nothing if a log changed meanwhile.
    pub(super) fn make_shard(
        &self,
        part: &[Candidate],
        folder: &Path,
        receipts: &Receipts,
    ) -> Result<Option<Made>, RollupError> {
        let Some((content, rows)) = self.shard(part, receipts)? else {
            return Ok(None);
        };
        let shard = ShardRow {
            name: content.name(),
            documents: rows
                .iter()
                .map(|row| row.documents)
                .fold(0, u32::saturating_add),
            bytes: content.size(),
        };
        // What is written is let go of before it is read back.
        let write = move |out: &mut dyn Write| {
            let mut pieces = content.pieces();
            pieces.try_for_each(|piece| out.write_all(piece).map_err(RollupError::Io))
        };
        publish(
            &folder.join(shard.name.file()),
            Mode::Private,
            write,
            verify_bytes,
        )
        .map_err(std::io::Error::other)?;
        Ok(Some(Made { shard, rows }))
    }

    /// The shard of some logs, with their rows.
    fn shard(
        &self,
        part: &[Candidate],
        receipts: &Receipts,
    ) -> Result<Option<(ShardContent, Vec<LogRow>)>, RollupError> {
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
                shard: ShardId(0),
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
        Ok(Some((ShardContent::new(words, columns)?, rows)))
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

/// Candidates, in order, as the shards that hold them.
pub(super) fn parts(candidates: &[Candidate], sizes: Sizes) -> Vec<&[Candidate]> {
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
