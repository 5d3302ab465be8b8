//! Whether the roll-up says what the logs say. Relies on logs that were folded again just now, and on no sidecar or receipt:
//! each document's words, length, kind, time and keys are compared, and which copies count is decided anew.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use memfold_disk::{Identity, Links, Snapshot};
use memfold_fold::document::{Document, Keys};
use memfold_fold::past::Past;
use memfold_rollup::{Name, RollupError, RowId, Shard, ShardId, verify_bytes};
use memfold_segment::{DocId, Reader, Source};
use memfold_sidecar::{Proved, SidecarError};

use crate::about::About;
use crate::catalogue::LogEntry;
use crate::duplicates::{Claim, copies, each};
use crate::rollup::{OpenShard, Rollup};

/// What a log says, as a shard must have it.
pub(crate) struct Said {
    path: PathBuf,
    identity: Identity,
    agent: &'static str,
    about: About,
    documents: Vec<Document>,
    words: Vec<Words>,
    keys: Vec<Keys>,
    replaced: Vec<u32>,
}

/// The words of a document: how many, and a hash of which, how often each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    length: u32,
    hash: u64,
}

impl Said {
    /// What a log says that was proved or folded just now.
    pub(crate) fn of(entry: &LogEntry, proved: &Proved) -> Result<Said, SidecarError> {
        let Proved {
            sidecar,
            tail,
            facts,
        } = proved;
        let mut documents = sidecar.documents(0..u32::MAX)?;
        documents.extend(tail.documents.iter().cloned());
        let mut keys = sidecar.keys()?;
        keys.extend(tail.keys.iter().copied());
        let waypoints = sidecar.waypoints()?;
        let past = Past::of(waypoints.iter().chain(&tail.waypoints));
        let mut words = words_of(&Reader::open(sidecar.words()?)?)?;
        words.extend(words_of(&Reader::open(&tail.segment)?)?);
        Ok(Said {
            path: entry.path.clone(),
            identity: entry.identity,
            agent: entry.agent.name(),
            about: About::new(entry, facts),
            documents,
            words,
            keys,
            replaced: past.replaced().to_vec(),
        })
    }
}

/// The words of each document of a segment. Terms come in one order in every segment.
fn words_of<S: Source>(reader: &Reader<S>) -> Result<Vec<Words>, memfold_segment::Error> {
    let lengths = reader.lengths()?;
    let mut words: Vec<Words> = (0..reader.documents())
        .map(|document| Words {
            length: lengths.get(DocId(document)),
            hash: 0,
        })
        .collect();
    reader.prefix(b"", usize::MAX, |term, postings| {
        let mut of_term = DefaultHasher::new();
        term.hash(&mut of_term);
        let of_term = of_term.finish();
        for posting in postings {
            let place = usize::try_from(posting.doc.0).unwrap_or(usize::MAX);
            if let Some(words) = words.get_mut(place) {
                let mixed = words.hash.rotate_left(7) ^ of_term ^ u64::from(posting.frequency);
                words.hash = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
        }
    })?;
    Ok(words)
}

/// What is wrong with a roll-up.
#[derive(Debug)]
pub(crate) struct Fault {
    /// In which shard; nothing for the catalogue.
    pub(crate) shard: Option<ShardId>,
    pub(crate) what: String,
}

impl Fault {
    fn of(shard: ShardId, what: impl Into<String>) -> Fault {
        Fault {
            shard: Some(shard),
            what: what.into(),
        }
    }
}

impl Rollup {
    /// What shows without a log: checksums, names, and rows that do not fit their shard.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let count = self.catalogue.shards().len();
        let mut rows: HashMap<ShardId, Vec<RowId>> = HashMap::new();
        for row in self.catalogue.rows() {
            match self.catalogue.shard_of(row).filter(|shard| shard.0 < count) {
                Some(shard) => rows.entry(shard).or_default().push(row),
                None => faults.push(Fault {
                    shard: None,
                    what: "a log in a shard that there is not".to_owned(),
                }),
            }
        }
        for shard in (0..count).map(ShardId) {
            let of_shard = rows.remove(&shard).unwrap_or_default();
            if let Err(error) = self
                .whole(shard)
                .and_then(|whole| self.fits(&whole.shard, &of_shard))
            {
                faults.push(Fault::of(shard, cause(&error)));
            }
        }
        faults
    }

    /// A shard, every byte of it checked.
    fn whole(&self, id: ShardId) -> Result<Arc<OpenShard>, RollupError> {
        let shard = self.open(id)?;
        let row = self
            .catalogue
            .shards()
            .get(id.0)
            .ok_or(RollupError::Damaged("a shard that it does not name"))?;
        let file =
            Snapshot::open(self.path_of(row), Links::Refuse).map_err(std::io::Error::other)?;
        let length = usize::try_from(file.len()).map_err(std::io::Error::other)?;
        let bytes = file.read_at(0, length).map_err(std::io::Error::other)?;
        verify_bytes(&bytes)?;
        if Name::of(&bytes) != row.name || bytes.len() as u64 != row.bytes {
            return Err(RollupError::Damaged("another shard than the name says"));
        }
        Ok(shard)
    }

    /// Whether the logs of a shard lie in it side by side, each with as many documents that count as its row says.
    fn fits(&self, shard: &Arc<Shard>, rows: &[RowId]) -> Result<(), RollupError> {
        let (dead, words) = (shard.dead()?, shard.words()?);
        let lengths = words.lengths()?;
        let mut from = 0;
        for row in rows {
            let documents = self.catalogue.documents(*row);
            // A log without events has a place among the others, and takes none.
            let overlap = !documents.is_empty() && documents.start < from;
            if overlap || documents.end > shard.documents() {
                return Err(RollupError::Damaged("a log's documents out of their place"));
            }
            from = from.max(documents.end);
            let live = self.catalogue.live(*row);
            let counts = documents.filter(|document| dead.binary_search(document).is_err());
            let (mut count, mut length) = (0u64, 0u64);
            for document in counts {
                count += 1;
                length = length.saturating_add(u64::from(lengths.get(DocId(document))));
            }
            if (count, length) != (live.documents, live.total_length) {
                return Err(RollupError::Damaged(
                    "another number of documents that count",
                ));
            }
        }
        Ok(())
    }

    /// Where it says something else of logs, in the state in which it has them, than they do. Shards that cannot be read are
    /// no concern of this.
    pub(crate) fn disagreements(&self, logs: &[Said]) -> Vec<Fault> {
        let rows: Vec<(RowId, &Said)> = logs
            .iter()
            .filter_map(|said| Some((self.catalogue.find(&said.path, &said.identity)?, said)))
            .collect();
        let dead = self.which_count(&rows);
        let mut faults = Vec::new();
        let mut by_shard: HashMap<ShardId, Vec<(RowId, &Said)>> = HashMap::new();
        for (row, said) in &rows {
            if let Some(shard) = self.catalogue.shard_of(*row) {
                by_shard.entry(shard).or_default().push((*row, *said));
            }
        }
        for (id, of_shard) in by_shard {
            let Ok(columns) = self.open(id).and_then(|open| Columns::of(&open.shard)) else {
                continue;
            };
            for (row, said) in of_shard {
                let wrong = self
                    .row_is_wrong(row, said)
                    .or_else(|| columns.are_wrong(self.catalogue.documents(row).start, said))
                    .or_else(|| {
                        let first = self.catalogue.documents(row).start;
                        columns.counts_wrong(first, said, dead.get(&row)?)
                    });
                if let Some(what) = wrong {
                    faults.push(Fault::of(id, format!("{}: {what}", said.path.display())));
                }
            }
        }
        faults.extend(self.strangers(&rows));
        faults.sort_by(|a, b| (a.shard, &a.what).cmp(&(b.shard, &b.what)));
        faults
    }

    fn row_is_wrong(&self, row: RowId, said: &Said) -> Option<String> {
        let is = [
            ("agent", self.catalogue.agent(row) == said.agent),
            ("task", self.catalogue.task(row) == said.about.task),
            (
                "working directory",
                self.catalogue.cwd(row) == said.about.cwd.as_deref(),
            ),
            ("last time", self.catalogue.ended(row) == said.about.ended),
            (
                "number of events",
                self.catalogue.documents(row).len() == said.documents.len(),
            ),
        ];
        let wrong = is.iter().find(|(_, is_so)| !is_so);
        wrong.map(|(what, _)| format!("another {what} than the log's"))
    }

    /// The documents that do not count, of the logs for which that can be decided: all those that share with one are here.
    fn which_count(&self, rows: &[(RowId, &Said)]) -> HashMap<RowId, Vec<u32>> {
        let here: HashSet<RowId> = rows.iter().map(|(row, _)| *row).collect();
        let partly: HashSet<u64> = self
            .catalogue
            .rows()
            .filter(|row| !here.contains(row))
            .map(|row| self.catalogue.component(row))
            .filter(|component| *component != 0)
            .collect();
        let claims: Vec<Claim<'_>> = rows
            .iter()
            .map(|(_, said)| Claim {
                started: said.about.started,
                path: &said.path,
                keys: said.keys.as_slice().into(),
                replaced: &said.replaced,
            })
            .collect();
        rows.iter()
            .zip(copies(&claims).of)
            .filter(|((row, _), _)| !partly.contains(&self.catalogue.component(*row)))
            .map(|((row, _), dead)| (*row, dead))
            .collect()
    }

    /// Logs that share events with others in the roll-up which no component joins to them.
    fn strangers(&self, rows: &[(RowId, &Said)]) -> Vec<Fault> {
        let mut owner: HashMap<u64, RowId> = HashMap::new();
        let mut faults = Vec::new();
        for (row, said) in rows {
            let alone = each(&said.keys).find(|(_, key)| {
                let first = *owner.entry(*key).or_insert(*row);
                first != *row
                    && (self.catalogue.component(*row) == 0
                        || self.catalogue.component(first) != self.catalogue.component(*row))
            });
            if alone.is_some() {
                faults.push(Fault {
                    shard: None,
                    what: format!(
                        "{}: shares events with a log that it is not joined to",
                        said.path.display()
                    ),
                });
            }
        }
        faults
    }
}

/// What a shard says of its documents.
struct Columns {
    words: Vec<Words>,
    kinds: Vec<memfold_fold::document::DocumentKind>,
    times: Vec<Option<i64>>,
    sittings: memfold_rollup::Sittings,
    /// By document.
    keys: Vec<(u32, u64)>,
    dead: Vec<u32>,
}

impl Columns {
    fn of(shard: &Arc<Shard>) -> Result<Columns, RollupError> {
        let mut keys: Vec<(u32, u64)> = shard
            .keys()?
            .into_iter()
            .map(|(key, document)| (document, key))
            .collect();
        keys.sort_unstable();
        Ok(Columns {
            words: words_of(&shard.words()?)?,
            kinds: shard.kinds()?,
            times: shard.times()?,
            sittings: shard.sittings()?,
            keys,
            dead: shard.dead()?,
        })
    }

    /// What it says otherwise of a log whose first document is `first`.
    fn are_wrong(&self, first: u32, said: &Said) -> Option<String> {
        let at = |number: u32| usize::try_from(first.saturating_add(number)).unwrap_or(usize::MAX);
        let mut before: Option<&Document> = None;
        for ((number, document), words) in (0u32..).zip(&said.documents).zip(&said.words) {
            let here = first.saturating_add(number);
            let is_dead = self.dead.binary_search(&here).is_ok();
            let expected = if is_dead { Words::default() } else { *words };
            let ends = |before: &Document| {
                u32::from(before.sitting != document.sitting)
                    == self.sittings.between(here.saturating_sub(1), here)
            };
            let is = [
                ("words", self.words.get(at(number)) == Some(&expected)),
                ("kind", self.kinds.get(at(number)) == Some(&document.kind)),
                ("time", self.times.get(at(number)) == Some(&document.time)),
                ("sitting", before.is_none_or(ends)),
            ];
            if let Some((what, _)) = is.iter().find(|(_, is_so)| !is_so) {
                return Some(format!("another {what} of line {}", document.seq));
            }
            before = Some(document);
        }
        let count = u32::try_from(said.documents.len()).unwrap_or(u32::MAX);
        let end = first.saturating_add(count);
        let from = self.keys.partition_point(|(document, _)| *document < first);
        let to = self.keys.partition_point(|(document, _)| *document < end);
        let mut keys: Vec<(u32, u64)> = each(&said.keys)
            .map(|(document, key)| (first.saturating_add(document), key))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        (self.keys.get(from..to) != Some(&keys)).then(|| "other keys".to_owned())
    }

    /// Whether other documents of a log count than those that should.
    fn counts_wrong(&self, first: u32, said: &Said, dead: &[u32]) -> Option<String> {
        let count = u32::try_from(said.documents.len()).unwrap_or(u32::MAX);
        let end = first.saturating_add(count);
        let from = self.dead.partition_point(|document| *document < first);
        let to = self.dead.partition_point(|document| *document < end);
        let here = self.dead.get(from..to).unwrap_or_default();
        let expected = dead.iter().map(|document| first.saturating_add(*document));
        (!here.iter().copied().eq(expected)).then(|| "other copies count".to_owned())
    }
}

/// Why, without what every error of a roll-up says first.
fn cause(error: &RollupError) -> String {
    match error {
        RollupError::Io(error) => format!("cannot be read: {error}"),
        RollupError::Damaged(what) => format!("damaged: {what}"),
        RollupError::Words(error) => format!("damaged: {error}"),
        other => other.to_string(),
    }
}
