//! The segments of one search: each log's sidecar and tail as one list, which of their documents count, and where each
//! document stands in its log.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use memfold_fold::Tail;
use memfold_segment::{DocId, Encoded, Reader, Section, Select, Source};
use memfold_sidecar::{Sidecar, Store, Words};

use crate::duplicates::copies;
use crate::ranking::{EventId, Places};
use crate::ready::Ready;

/// The words of a sidecar or of a tail.
pub(crate) enum SegmentSource<'a> {
    Sidecar(Words<&'a Store>),
    Tail(&'a Encoded),
}

impl Source for SegmentSource<'_> {
    fn read(&self, section: Section, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            SegmentSource::Sidecar(words) => words.read(section, at, length),
            SegmentSource::Tail(encoded) => Source::read(*encoded, section, at, length),
        }
    }

    fn len(&self, section: Section) -> u64 {
        match self {
            SegmentSource::Sidecar(words) => words.len(section),
            SegmentSource::Tail(encoded) => Source::len(*encoded, section),
        }
    }
}

/// A segment's place: its log, and the number of its first document there.
#[derive(Clone, Copy)]
struct Part {
    log: usize,
    first: u32,
    documents: u32,
}

/// All segments of the logs, in the order of ties.
pub(crate) struct Segments<'a> {
    pub(crate) readers: Vec<Reader<SegmentSource<'a>>>,
    parts: Vec<Part>,
    pub(crate) notes: Vec<String>,
}

impl<'a> Segments<'a> {
    pub(crate) fn open(logs: &'a [Ready]) -> Segments<'a> {
        let mut segments = Segments {
            readers: Vec::new(),
            parts: Vec::new(),
            notes: Vec::new(),
        };
        for (log, ready) in logs.iter().enumerate() {
            match sealed_words(&ready.sidecar) {
                Ok(reader) => segments.push(reader, log, 0),
                Err(why) => {
                    ready.doubt();
                    segments
                        .notes
                        .push(format!("{}: {why}", ready.entry.path.display()));
                }
            }
            if let Some(Tail { segment, .. }) = &ready.tail {
                match Reader::open(SegmentSource::Tail(segment)) {
                    Ok(reader) => segments.push(reader, log, ready.sealed_documents()),
                    Err(error) => {
                        ready.doubt();
                        segments
                            .notes
                            .push(format!("{}: {error}", ready.entry.path.display()));
                    }
                }
            }
        }
        segments
    }

    /// The documents that count: all but the copies of events that count elsewhere.
    pub(crate) fn live(&self, logs: &[Ready]) -> Chosen {
        self.chosen(&alive(logs))
    }

    /// Documents chosen by log, as segments are asked.
    pub(crate) fn chosen(&self, by_log: &[Option<Vec<bool>>]) -> Chosen {
        chosen(&self.parts, by_log)
    }

    /// The log of a segment, by its place.
    pub(crate) fn log_of(&self, segment: usize) -> Option<usize> {
        self.parts.get(segment).map(|part| part.log)
    }

    /// Where the documents stand in the logs.
    pub(crate) fn places(&self, logs: &'a [Ready]) -> LogPlaces<'_> {
        LogPlaces {
            logs,
            parts: &self.parts,
            sittings: RefCell::default(),
        }
    }

    fn push(&mut self, reader: Reader<SegmentSource<'a>>, log: usize, first: u32) {
        self.parts.push(Part {
            log,
            first,
            documents: reader.documents(),
        });
        self.readers.push(reader);
    }
}

fn sealed_words(sidecar: &Sidecar<Store>) -> Result<Reader<SegmentSource<'_>>, String> {
    let words = sidecar.words().map_err(|error| error.to_string())?;
    Reader::open(SegmentSource::Sidecar(words)).map_err(|error| error.to_string())
}

/// Documents of the logs, one set a segment: all of it, or the ones that a table names.
pub(crate) struct Chosen {
    parts: Vec<Option<Vec<bool>>>,
}

impl Select for Chosen {
    fn holds(&self, segment: usize, document: DocId) -> bool {
        match self.parts.get(segment) {
            Some(Some(table)) => usize::try_from(document.0)
                .ok()
                .and_then(|n| table.get(n))
                .copied()
                .unwrap_or(false),
            Some(None) => true,
            None => false,
        }
    }

    fn all(&self, segment: usize) -> bool {
        matches!(self.parts.get(segment), Some(None))
    }
}
/// For each log, which documents count: all, or all but its copies.
fn alive(logs: &[Ready]) -> Vec<Option<Vec<bool>>> {
    copies(logs)
        .into_iter()
        .zip(logs)
        .map(|(copies, log)| {
            if copies.is_empty() {
                return None;
            }
            let mut table = vec![true; usize::try_from(log.documents()).unwrap_or(0)];
            for copy in copies {
                if let Some(counts) = usize::try_from(copy)
                    .ok()
                    .and_then(|copy| table.get_mut(copy))
                {
                    *counts = false;
                }
            }
            Some(table)
        })
        .collect()
}

/// Tables by log as tables by segment.
fn chosen(parts: &[Part], by_log: &[Option<Vec<bool>>]) -> Chosen {
    let of = |part: &Part| {
        let table = by_log.get(part.log)?.as_ref()?;
        let first = usize::try_from(part.first).ok()?;
        let end = first
            .checked_add(usize::try_from(part.documents).ok()?)?
            .min(table.len());
        Some(table.get(first.min(end)..end).unwrap_or_default().to_vec())
    };
    Chosen {
        parts: parts.iter().map(of).collect(),
    }
}

/// So many documents' places are read at once: as many as a sidecar packs together.
const ROWS: u32 = 32;

/// Where documents stand in the logs of one search.
pub(crate) struct LogPlaces<'a> {
    logs: &'a [Ready],
    parts: &'a [Part],
    /// The sittings of rows of documents, by log and row.
    sittings: RefCell<HashMap<(usize, u32), Vec<u32>>>,
}

impl Places for LogPlaces<'_> {
    fn event(&self, segment: usize, document: DocId) -> EventId {
        match self.parts.get(segment) {
            Some(part) => EventId {
                log: part.log,
                number: part.first.saturating_add(document.0),
            },
            None => EventId {
                log: usize::MAX,
                number: document.0,
            },
        }
    }

    fn document(&self, event: EventId) -> Option<(usize, DocId)> {
        let from = self.parts.partition_point(|part| part.log < event.log);
        self.parts
            .iter()
            .enumerate()
            .skip(from)
            .take_while(|(_, part)| part.log == event.log)
            .find_map(|(segment, part)| {
                let document = event.number.checked_sub(part.first)?;
                (document < part.documents).then_some((segment, DocId(document)))
            })
    }

    fn group(&self, event: EventId) -> Option<u32> {
        let row = event.number / ROWS;
        let mut rows = self.sittings.borrow_mut();
        let sittings = rows.entry((event.log, row)).or_insert_with(|| {
            let first = row.saturating_mul(ROWS);
            let log = self.logs.get(event.log);
            let documents =
                log.and_then(|log| log.documents_in(first..first.saturating_add(ROWS)).ok());
            documents
                .unwrap_or_default()
                .iter()
                .map(|document| document.sitting)
                .collect()
        });
        sittings
            .get(usize::try_from(event.number % ROWS).ok()?)
            .copied()
    }
}
