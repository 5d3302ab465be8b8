//! A search of sessions: logs → sidecars and tails → segments → the ranking as one collection → the best events, read again.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::time::Instant;

use memfold_fold::Tail;
use memfold_fold::card::{Card, Listing};
use memfold_fold::document::{Document, DocumentKind};
use memfold_log::Timestamp;
use memfold_segment::{Concept, DocId, Encoded, Matches, Reader, Section, Select, Source, Term};
use memfold_sidecar::{Sidecar, Store, Words};
use memfold_text::{Matcher, Query, QueryTerm};

use crate::address::Addresses;
use crate::answer::{Answer, Hit, NumberedLine, Ranked};
use crate::duplicates::copies;
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::Progress;
use crate::ranking::{EventId, Places, RankedEvent, rank};
use crate::read::{Told, tell, words_of};
use crate::ready::Ready;
use crate::request::{Filter, Logs, Search};
use crate::visible::visible;

/// The most results that a call may ask for.
pub const LIMIT: usize = 1000;
/// How many lines of an event a search shows.
const BEST_LINES: usize = 3;
/// A line of an answer is cut to so many characters.
const LINE_CHARS: usize = 200;

/// The words of a sidecar or of a tail.
enum SegmentSource<'a> {
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
struct Segments<'a> {
    readers: Vec<Reader<SegmentSource<'a>>>,
    parts: Vec<Part>,
    notes: Vec<String>,
}

impl<'a> Segments<'a> {
    fn open(logs: &'a [Ready]) -> Segments<'a> {
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
struct Chosen {
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

impl Memfold {
    /// Ranks the events of the logs that a search names, and reads the best again.
    ///
    /// # Errors
    /// If the request is out of bounds or not allowed, or the folder or file that it names cannot be read. Faults of single
    /// logs are notes of the answer.
    pub fn search(&self, search: &Search, progress: &dyn Progress) -> Result<Answer, Error> {
        let begun = Instant::now();
        if search.limit == 0 || search.limit > LIMIT {
            return Err(Error::Usage {
                what: format!("a search shows 1 to {LIMIT} events"),
                hint: "give -n a number in between".to_owned(),
            });
        }
        let query = Query::new(&search.query);
        if query.is_empty() {
            return Err(Error::Usage {
                what: "there is no word to search for".to_owned(),
                hint: "give words or names, as in: memfold search denylist symlink".to_owned(),
            });
        }
        let mut receipts = self.receipts();
        let found = self.find(&search.logs, &receipts)?;
        self.allow(&search.logs, &found.logs, &receipts)?;
        let mut notes = found.notes;
        let none_found = found.logs.is_empty();
        let batch = self.ready(found.logs, &mut receipts, progress);
        let mut logs = batch.ready;
        notes.extend(batch.notes);
        if batch.left > 0 {
            notes.push(format!("{} older logs were not reached", batch.left));
        }
        logs.sort_by(|a, b| {
            b.about
                .ended
                .cmp(&a.about.ended)
                .then_with(|| a.entry.path.cmp(&b.entry.path))
        });

        let mut answer = self.answer(search, &query, &logs);
        if self.mend(&mut logs, &mut receipts, &mut notes) {
            answer = self.answer(search, &query, &logs);
        }
        notes.append(&mut answer.notes);
        if answer.results.is_empty() {
            notes.push(self.why_empty(
                &search.logs,
                none_found,
                &search.filter,
                answer.ranked.events,
                &query,
            ));
        }
        answer.notes = notes;
        answer.complete &= batch.left == 0 && batch.unreadable == 0;
        answer.micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        Ok(answer)
    }

    /// What logs that are ready answer.
    fn answer(&self, search: &Search, query: &Query, logs: &[Ready]) -> Answer {
        let segments = Segments::open(logs);
        let mut notes = segments.notes.clone();
        let live = chosen(&segments.parts, &alive(logs));
        let filter = self.filter(logs, &segments.parts, &search.filter, &mut notes);
        let readers: Vec<&Reader<SegmentSource<'_>>> = segments.readers.iter().collect();
        let matches = Matches::gather(&readers, &concepts(query), &live);
        for (segment, error) in matches.failures() {
            if let Some(ready) = segments
                .parts
                .get(*segment)
                .and_then(|part| logs.get(part.log))
            {
                ready.doubt();
                notes.push(format!("{}: left out: {error}", ready.entry.path.display()));
            }
        }
        let places = LogPlaces {
            logs,
            parts: &segments.parts,
            sittings: RefCell::default(),
        };
        let (mut ranked, matched) = rank(query, &matches, &places, &live, &filter);
        keep_phrases(query, logs, &mut ranked);

        let all = query.concepts.len();
        let best_words = ranked
            .iter()
            .take(1)
            .map(|best| best.held.iter().filter(|held| **held).count())
            .sum();
        let mut answer = Answer {
            schema: 1,
            scope: if matches!(search.logs, Logs::File(_)) {
                "conversation"
            } else {
                "earlier"
            },
            project: self.project_name(),
            query: search.query.clone(),
            words: query.words.clone(),
            ranked: Ranked {
                logs: logs.len(),
                events: matches.collection().documents,
            },
            matched,
            weak: best_words * 2 < all,
            best_words,
            complete: segments.notes.is_empty() && matches.failures().is_empty(),
            notes,
            results: Vec::new(),
            micros: 0,
        };
        let addresses = Addresses::new(logs.iter().map(|log| log.about.task.as_str()));
        let mut matcher = Matcher::new(query);
        for event in &ranked {
            if answer.results.len() >= search.limit {
                break;
            }
            let Some(ready) = logs.get(event.event.log) else {
                continue;
            };
            match self.hit(ready, event, query, &mut matcher, &addresses, &search.logs) {
                Ok(hit) => answer.results.push(Hit {
                    rank: answer.results.len() + 1,
                    ..hit
                }),
                Err(why) => answer
                    .notes
                    .push(format!("{}: {why}", ready.entry.path.display())),
            }
        }
        answer
    }

    fn hit(
        &self,
        ready: &Ready,
        ranked: &RankedEvent,
        query: &Query,
        matcher: &mut Matcher<'_>,
        addresses: &Addresses,
        logs: &Logs,
    ) -> Result<Hit, String> {
        let document = ready
            .document(ranked.event.number)
            .map_err(|error| error.to_string())?;
        let card = ready
            .card(document.card)
            .map_err(|error| error.to_string())?;
        let told = self.told(ready, &document)?;
        let lines = matcher.best_lines(&told.text, BEST_LINES, LINE_CHARS);
        let missing = query
            .concepts
            .iter()
            .zip(&ranked.held)
            .filter(|(_, held)| !**held);
        let address = format!("{}:{}", addresses.short(&ready.about.task), document.seq);
        let read = match logs {
            Logs::File(path) => {
                vec![
                    "memfold".into(),
                    "recall".into(),
                    document.seq.to_string(),
                    "--log".into(),
                    path.display().to_string(),
                ]
            }
            Logs::Below(folders) => {
                let mut read = vec!["memfold".into(), "recall".into(), address.clone()];
                for folder in folders {
                    read.extend(["--logs".to_owned(), folder.display().to_string()]);
                }
                read
            }
            Logs::Project | Logs::Everywhere => {
                vec!["memfold".into(), "recall".into(), address.clone()]
            }
        };
        Ok(Hit {
            rank: 0,
            score: ranked.score,
            task: ready.about.task.clone(),
            address,
            agent: ready.entry.agent.name(),
            log: ready.entry.path.clone(),
            seq: document.seq,
            turn: card.turn,
            kind: kind_word(document.kind),
            time: document.time.map(|time| Timestamp(time).rfc3339()),
            title: told.title,
            exit: told.exit,
            failed: told.failed,
            card: card_line(&card),
            turn_title: visible(&card.title).into_owned(),
            helper: told.helper.or_else(|| ready.about.helper.clone()),
            lines: lines
                .into_iter()
                .map(|line| NumberedLine {
                    line: line.number as u64,
                    text: visible(&line.text).into_owned(),
                })
                .collect(),
            missing: missing.map(|(concept, _)| concept.word.clone()).collect(),
            read,
            provenance: "external:log",
            archived: ready.entry.archived,
        })
    }

    /// An event, read again.
    pub(crate) fn told(&self, ready: &Ready, document: &Document) -> Result<Told, String> {
        let calls = match document.kind {
            DocumentKind::Result => ready
                .calls_of(document.seq)
                .map_err(|error| error.to_string())?,
            _ => Vec::new(),
        };
        tell(&ready.file, ready.entry.agent, document, &calls).inspect_err(|_| ready.doubt())
    }

    fn filter(
        &self,
        logs: &[Ready],
        parts: &[Part],
        filter: &Filter,
        notes: &mut Vec<String>,
    ) -> Chosen {
        let by_event = !filter.kinds.is_empty()
            || filter.since.is_some()
            || filter.until.is_some()
            || filter.path.is_some();
        let tables: Vec<Option<Vec<bool>>> = logs
            .iter()
            .map(|log| {
                let agent = log.entry.agent;
                let by_agent = filter.agents.is_empty()
                    || filter
                        .agents
                        .iter()
                        .any(|name| name == agent.name() || name == agent.short_name());
                if !by_agent {
                    return Some(Vec::new());
                }
                if !by_event {
                    return None;
                }
                Some(passing(log, filter).unwrap_or_else(|error| {
                    notes.push(format!(
                        "{}: not filtered, so left out: {error}",
                        log.entry.path.display()
                    ));
                    Vec::new()
                }))
            })
            .collect();
        chosen(parts, &tables)
    }

    fn why_empty(
        &self,
        logs: &Logs,
        none_found: bool,
        filter: &Filter,
        events: u64,
        query: &Query,
    ) -> String {
        if none_found {
            return match logs {
                Logs::Project => format!(
                    "no agent's log of {} was found; try -A for all projects, or --logs DIR",
                    self.project().display()
                ),
                _ => "no agent's log was found there".to_owned(),
            };
        }
        if events == 0 {
            return "the logs hold no event that is ranked".to_owned();
        }
        let filtered = !filter.agents.is_empty()
            || !filter.kinds.is_empty()
            || filter.since.is_some()
            || filter.until.is_some()
            || filter.path.is_some();
        if filtered {
            return "nothing matched within the filters; try without them".to_owned();
        }
        if !query.phrases.is_empty() {
            return "nothing holds the quoted words in a row; try without the quotes".to_owned();
        }
        "nothing matched; try other words for it, or fewer".to_owned()
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

/// Which of a log's events pass a filter.
fn passing(log: &Ready, filter: &Filter) -> Result<Vec<bool>, memfold_sidecar::SidecarError> {
    let cards: Option<Vec<bool>> = match &filter.path {
        Some(path) => Some(
            log.all_cards()?
                .iter()
                .map(|card| names(card, path))
                .collect(),
        ),
        None => None,
    };
    Ok(log
        .all_documents()?
        .iter()
        .map(|document| {
            let time_passes = match document.time {
                Some(time) => {
                    filter.since.is_none_or(|since| time >= since.0)
                        && filter.until.is_none_or(|until| time < until.0)
                }
                None => filter.since.is_none() && filter.until.is_none(),
            };
            let card_passes = cards.as_ref().is_none_or(|cards| {
                usize::try_from(document.card)
                    .ok()
                    .and_then(|card| cards.get(card))
                    .copied()
                    .unwrap_or(false)
            });
            let kind_passes = filter.kinds.is_empty() || filter.kinds.contains(&document.kind);
            time_passes && card_passes && kind_passes
        })
        .collect())
}

/// Whether a card names a file that is, ends with, or lies below a path.
fn names(card: &Card, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let one = |named: &String| {
        named == path
            || named
                .strip_suffix(path)
                .is_some_and(|before| before.ends_with('/'))
            || named
                .strip_prefix(path)
                .is_some_and(|after| after.starts_with('/'))
            || named.contains(&format!("/{path}/"))
    };
    let all = |listing: &Listing| listing.named.iter().any(one);
    all(&card.read) || all(&card.edited)
}

/// The query's concepts, then its joined names, as the segments are asked.
fn concepts(query: &Query) -> Vec<Concept> {
    query
        .concepts
        .iter()
        .chain(&query.joined)
        .map(|concept| Concept {
            weight: concept.weight,
            terms: concept
                .terms
                .iter()
                .map(|term| match term {
                    QueryTerm::Exact(term) => Term::Exact(term.clone()),
                    QueryTerm::Prefix(term) => Term::Prefix(term.clone()),
                })
                .collect(),
        })
        .collect()
}

/// Keeps, of the ranked events, those that hold every quoted phrase: looked for in the events themselves.
fn keep_phrases(query: &Query, logs: &[Ready], ranked: &mut Vec<RankedEvent>) {
    if query.phrases.is_empty() {
        return;
    }
    let mut matcher = Matcher::new(query);
    ranked.retain(|event| {
        logs.get(event.event.log)
            .and_then(|ready| {
                let document = ready.document(event.event.number).ok()?;
                let words = words_of(&ready.file, ready.entry.agent, &document);
                if words.is_none() {
                    ready.doubt();
                }
                words
            })
            .is_some_and(|words| matcher.phrases(&words).iter().all(|found| *found > 0))
    });
}

/// A kind as an answer names it.
pub(crate) fn kind_word(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Person => "person",
        DocumentKind::Reply => "reply",
        DocumentKind::Result => "result",
        DocumentKind::File => "file",
        DocumentKind::Plan => "plan",
        DocumentKind::Summary => "summary",
        DocumentKind::Compaction => "compaction",
    }
}

/// A turn on a line.
pub(crate) fn card_line(card: &Card) -> String {
    let title = visible(&card.title);
    match (card.turn, title.is_empty()) {
        (0, true) => "before the first message".to_owned(),
        (turn, true) => format!("turn {turn}"),
        (turn, false) => format!("turn {turn} · {title}"),
    }
}

/// So many documents' places are read at once: as many as a sidecar packs together.
const ROWS: u32 = 32;

/// Where documents stand in the logs of one search.
struct LogPlaces<'a> {
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
