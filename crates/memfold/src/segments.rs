//! The segments of one search: each log's sidecar and tail, and the roll-up's shards, as one list; which of their documents
//! count, and where each document stands in its log.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use memfold_fold::Tail;
use memfold_rollup::{RollupError, ShardWords};
use memfold_segment::{Collection, DocId, Encoded, Reader, Section, Select, Source};
use memfold_sidecar::{Sidecar, Store, Words};

use crate::collected::{Collected, Which};
use crate::duplicates::{Claim, copies};
use crate::ranking::{EventId, Places, Standing};
use crate::ready::Ready;
use crate::rollup::OpenShard;

/// The words of a sidecar, of a tail, or of a shard.
pub(crate) enum SegmentSource<'a> {
    Sidecar(Words<&'a Store>),
    Tail(&'a Encoded),
    Shard(ShardWords),
}

impl Source for SegmentSource<'_> {
    fn read(&self, section: Section, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            SegmentSource::Sidecar(words) => words.read(section, at, length),
            SegmentSource::Tail(encoded) => Source::read(*encoded, section, at, length),
            SegmentSource::Shard(words) => words.read(section, at, length),
        }
    }

    fn len(&self, section: Section) -> u64 {
        match self {
            SegmentSource::Sidecar(words) => words.len(section),
            SegmentSource::Tail(encoded) => Source::len(*encoded, section),
            SegmentSource::Shard(words) => words.len(section),
        }
    }
}

/// What a segment holds.
pub(crate) enum Part<'a> {
    /// A part of one log.
    Log {
        log: usize,
        /// The number of its first document in the log.
        first: u32,
        documents: u32,
    },
    /// Many logs.
    Shard(Slots<'a>),
}

/// The logs of a shard that a search ranks.
pub(crate) struct Slots<'a> {
    pub(crate) shard: &'a OpenShard,
    /// By their first document.
    pub(crate) logs: Vec<Slot>,
    /// Documents that do not count.
    dead: &'a [u32],
    /// Those that do.
    counted: Collection,
    /// Whether every document of the shard is of such a log.
    all: bool,
}

/// A log's documents in a shard.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) first: u32,
    pub(crate) documents: u32,
    pub(crate) log: usize,
}

impl Slots<'_> {
    fn slot(&self, document: DocId) -> Option<&Slot> {
        let after = self.logs.partition_point(|slot| slot.first <= document.0);
        self.logs
            .get(after.checked_sub(1)?)
            .filter(|slot| document.0 - slot.first < slot.documents)
    }

    fn holds(&self, document: DocId) -> bool {
        self.slot(document).is_some() && self.counts(document)
    }

    /// Whether a document of one of its logs counts.
    fn counts(&self, document: DocId) -> bool {
        self.dead.binary_search(&document.0).is_err()
    }
}

/// A segment of a log that was opened on its own.
#[derive(Clone, Copy)]
struct Piece {
    segment: usize,
    /// Its first document's number in the log.
    number: u32,
    documents: u32,
}

/// A segment's reader.
enum Opened<'a> {
    /// Opened for this search.
    Now(Box<Reader<SegmentSource<'a>>>),
    /// Open since an earlier one.
    Kept(&'a Reader<SegmentSource<'static>>),
}

/// All segments of the logs.
pub(crate) struct Segments<'a> {
    readers: Vec<Opened<'a>>,
    pub(crate) parts: Vec<Part<'a>>,
    /// For each log that was opened on its own, its sealed part and its tail.
    pieces: Vec<[Option<Piece>; 2]>,
    pub(crate) notes: Vec<String>,
}

impl<'a> Segments<'a> {
    pub(crate) fn open(logs: &'a Collected) -> Segments<'a> {
        let mut segments = Segments {
            readers: Vec::new(),
            parts: Vec::new(),
            pieces: vec![[None; 2]; logs.order().len()],
            notes: Vec::new(),
        };
        for (log, which) in logs.order().iter().enumerate() {
            if let Which::Own(place) = which
                && let Some(ready) = logs.own.get(*place)
            {
                segments.open_own(log, ready);
            }
        }
        if segments.open_shards(logs).is_err() {
            logs.fail();
        }
        segments
    }

    fn open_own(&mut self, log: usize, ready: &'a Ready) {
        match sealed_words(&ready.sidecar) {
            Ok(reader) => self.push_log(reader, log, 0),
            Err(why) => {
                ready.doubt();
                self.notes
                    .push(format!("{}: {why}", ready.entry.path.display()));
            }
        }
        if let Some(Tail { segment, .. }) = &ready.tail {
            match Reader::open(SegmentSource::Tail(segment)) {
                Ok(reader) => self.push_log(reader, log, ready.sealed_documents()),
                Err(error) => {
                    ready.doubt();
                    self.notes
                        .push(format!("{}: {error}", ready.entry.path.display()));
                }
            }
        }
    }

    fn open_shards(&mut self, logs: &'a Collected) -> Result<(), RollupError> {
        let Some(serving) = &logs.serving else {
            return Ok(());
        };
        let catalogue = &serving.rollup.catalogue;
        let mut slots: HashMap<_, Vec<(Slot, Collection)>> = HashMap::new();
        for (log, which) in logs.order().iter().enumerate() {
            if let Which::Served(_, row) = which
                && let Some(shard) = catalogue.shard_of(*row)
            {
                let documents = catalogue.documents(*row);
                let slot = Slot {
                    first: documents.start,
                    documents: documents.end - documents.start,
                    log,
                };
                slots
                    .entry(shard)
                    .or_default()
                    .push((slot, catalogue.live(*row)));
            }
        }
        for (id, shard) in &serving.shards {
            let mut of_shard = slots.remove(id).unwrap_or_default();
            of_shard.sort_by_key(|(slot, _)| (slot.first, slot.documents));
            let mut counted = Collection::default();
            let mut documents = 0u32;
            for (slot, live) in &of_shard {
                counted.documents = counted.documents.saturating_add(live.documents);
                counted.total_length = counted.total_length.saturating_add(live.total_length);
                documents = documents.saturating_add(slot.documents);
            }
            let reader = shard.words()?;
            self.parts.push(Part::Shard(Slots {
                all: documents == reader.documents(),
                logs: of_shard.into_iter().map(|(slot, _)| slot).collect(),
                dead: shard.dead()?,
                counted,
                shard,
            }));
            self.readers.push(Opened::Kept(reader));
        }
        Ok(())
    }

    /// What is read of each.
    pub(crate) fn readers(&self) -> Vec<&Reader<SegmentSource<'a>>> {
        let readers = self.readers.iter();
        readers
            .map(|opened| match opened {
                Opened::Now(reader) => reader,
                Opened::Kept(reader) => *reader,
            })
            .collect()
    }

    /// The documents that count: all but the copies of events that count elsewhere, and what a later line says more fully.
    pub(crate) fn live(&'a self, logs: &Collected) -> Chosen<'a> {
        let alive = alive(logs);
        let parts = self.parts.iter().map(|part| match part {
            Part::Log {
                log,
                first,
                documents,
            } => match alive.get(log) {
                Some(table) => Choice::Table(part_of(table, *first, *documents)),
                None => Choice::All,
            },
            Part::Shard(slots) => Choice::Shard(slots),
        });
        Chosen {
            parts: parts.collect(),
        }
    }

    /// The log of a segment, by its place; nothing for a shard.
    pub(crate) fn log_of(&self, segment: usize) -> Option<usize> {
        match self.parts.get(segment)? {
            Part::Log { log, .. } => Some(*log),
            Part::Shard(_) => None,
        }
    }

    /// Where the documents stand in the logs.
    pub(crate) fn places(&'a self, logs: &'a Collected, live: &'a Chosen<'a>) -> LogPlaces<'a> {
        LogPlaces {
            logs,
            segments: self,
            live,
            rows: RefCell::default(),
        }
    }

    fn push_log(&mut self, reader: Reader<SegmentSource<'a>>, log: usize, first: u32) {
        let piece = Piece {
            segment: self.readers.len(),
            number: first,
            documents: reader.documents(),
        };
        if let Some([sealed, tail]) = self.pieces.get_mut(log) {
            *(if sealed.is_none() { sealed } else { tail }) = Some(piece);
        }
        self.parts.push(Part::Log {
            log,
            first,
            documents: reader.documents(),
        });
        self.readers.push(Opened::Now(Box::new(reader)));
    }
}

fn sealed_words(sidecar: &Sidecar<Store>) -> Result<Reader<SegmentSource<'_>>, String> {
    let words = sidecar.words().map_err(|error| error.to_string())?;
    Reader::open(SegmentSource::Sidecar(words)).map_err(|error| error.to_string())
}

/// Documents of the logs, one set a segment.
pub(crate) struct Chosen<'a> {
    pub(crate) parts: Vec<Choice<'a>>,
}

/// Documents of a segment.
pub(crate) enum Choice<'a> {
    /// All of them.
    All,
    /// Those that a table names, by document.
    Table(Vec<bool>),
    /// Those of a shard's logs that count.
    Shard(&'a Slots<'a>),
}

impl Select for Chosen<'_> {
    fn holds(&self, segment: usize, document: DocId) -> bool {
        match self.parts.get(segment) {
            Some(Choice::All) => true,
            Some(Choice::Table(table)) => usize::try_from(document.0)
                .ok()
                .and_then(|n| table.get(n))
                .copied()
                .unwrap_or(false),
            Some(Choice::Shard(slots)) => slots.holds(document),
            None => false,
        }
    }

    fn all(&self, segment: usize) -> bool {
        match self.parts.get(segment) {
            Some(Choice::All) => true,
            // A document that does not count has no postings there.
            Some(Choice::Shard(slots)) => slots.all,
            _ => false,
        }
    }

    fn counted(&self, segment: usize) -> Option<Collection> {
        match self.parts.get(segment) {
            Some(Choice::Shard(slots)) => Some(slots.counted),
            _ => None,
        }
    }
}

/// For each log that was opened on its own and has documents that do not count, which of its documents count.
fn alive(logs: &Collected) -> HashMap<usize, Vec<bool>> {
    let own: Vec<(usize, &Ready)> = (0..logs.order().len())
        .filter_map(|log| Some((log, logs.own(log)?)))
        .collect();
    let claims: Vec<Claim<'_>> = match own.as_slice() {
        // One log shares with no other.
        [(_, ready)] => vec![Claim::of_one(ready)],
        _ => own.iter().map(|(_, ready)| Claim::of(ready)).collect(),
    };
    copies(&claims)
        .of
        .into_iter()
        .zip(own)
        .filter(|(copies, _)| !copies.is_empty())
        .map(|(copies, (log, ready))| (log, without(ready.documents(), &copies)))
        .collect()
}

/// A table of so many documents, but for some.
pub(crate) fn without(documents: u32, copies: &[u32]) -> Vec<bool> {
    let mut table = vec![true; usize::try_from(documents).unwrap_or(0)];
    for copy in copies {
        if let Some(counts) = usize::try_from(*copy)
            .ok()
            .and_then(|copy| table.get_mut(copy))
        {
            *counts = false;
        }
    }
    table
}

/// A log's table as one of its segments is asked.
pub(crate) fn part_of(table: &[bool], first: u32, documents: u32) -> Vec<bool> {
    let first = usize::try_from(first).unwrap_or(usize::MAX);
    let end = first
        .saturating_add(usize::try_from(documents).unwrap_or(usize::MAX))
        .min(table.len());
    table.get(first.min(end)..end).unwrap_or_default().to_vec()
}

/// So many documents' places are read at once: as many as a sidecar packs together.
const ROWS: u32 = 32;

/// Where documents stand in the logs of one search.
pub(crate) struct LogPlaces<'a> {
    logs: &'a Collected,
    segments: &'a Segments<'a>,
    live: &'a Chosen<'a>,
    /// The sittings of rows of documents, by log and row.
    rows: RefCell<HashMap<(usize, u32), Vec<u32>>>,
}

/// The event of a document that is of no log.
fn nowhere(document: DocId) -> EventId {
    EventId {
        log: usize::MAX,
        number: document.0,
    }
}

impl Places for LogPlaces<'_> {
    fn event(&self, segment: usize, document: DocId) -> EventId {
        match self.segments.parts.get(segment) {
            Some(Part::Log { log, first, .. }) => EventId {
                log: *log,
                number: first.saturating_add(document.0),
            },
            Some(Part::Shard(slots)) => match slots.slot(document) {
                Some(slot) => EventId {
                    log: slot.log,
                    number: document.0 - slot.first,
                },
                None => nowhere(document),
            },
            None => nowhere(document),
        }
    }

    fn standing(&self, segment: usize, document: DocId) -> Standing {
        match self.segments.parts.get(segment) {
            Some(Part::Shard(slots)) => self.standing_in_shard(segment, slots, document),
            _ => self.standing_in_log(self.event(segment, document)),
        }
    }
}

impl LogPlaces<'_> {
    fn standing_in_log(&self, event: EventId) -> Standing {
        let group = self.group(event);
        let beside = |number: Option<u32>| {
            let event = EventId {
                number: number?,
                ..event
            };
            let (segment, document) = self.document(event)?;
            let is_beside =
                group.is_some() && self.group(event) == group && self.live.holds(segment, document);
            is_beside.then_some((segment, document))
        };
        Standing {
            event,
            group,
            before: beside(event.number.checked_sub(1)),
            after: beside(event.number.checked_add(1)),
        }
    }

    /// The segment and document of an event of a log that was opened on its own; nothing past the log's ends.
    fn document(&self, event: EventId) -> Option<(usize, DocId)> {
        let pieces = self.segments.pieces.get(event.log)?;
        pieces.iter().flatten().find_map(|piece| {
            let after = event.number.checked_sub(piece.number)?;
            (after < piece.documents).then_some((piece.segment, DocId(after)))
        })
    }

    /// The sitting of such an event.
    fn group(&self, event: EventId) -> Option<u32> {
        let ready = self.logs.own(event.log)?;
        let row = event.number / ROWS;
        let mut rows = self.rows.borrow_mut();
        let sittings = rows.entry((event.log, row)).or_insert_with(|| {
            let first = row.saturating_mul(ROWS);
            let documents = ready.documents_in(first..first.saturating_add(ROWS));
            let documents = documents.unwrap_or_default();
            documents.iter().map(|document| document.sitting).collect()
        });
        sittings
            .get(usize::try_from(event.number % ROWS).ok()?)
            .copied()
    }

    fn standing_in_shard(&self, segment: usize, slots: &Slots<'_>, document: DocId) -> Standing {
        let Some(slot) = slots.slot(document) else {
            return Standing {
                event: nowhere(document),
                group: None,
                before: None,
                after: None,
            };
        };
        let number = document.0 - slot.first;
        let mut standing = Standing {
            event: EventId {
                log: slot.log,
                number,
            },
            group: None,
            before: None,
            after: None,
        };
        let Ok(sittings) = slots.shard.sittings() else {
            self.logs.fail();
            return standing;
        };
        standing.group = Some(sittings.up_to(document.0));
        let beside = |document| {
            let document = DocId(document);
            slots.counts(document).then_some((segment, document))
        };
        if number > 0 && !sittings.begins_at(document.0) {
            standing.before = beside(document.0 - 1);
        }
        let after = document.0.saturating_add(1);
        if number + 1 < slot.documents && !sittings.begins_at(after) {
            standing.after = beside(after);
        }
        standing
    }
}
