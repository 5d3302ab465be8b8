//! Logs that are opened once and may be asked many times, as they were then: what is written meanwhile is not seen. A search
//! is one question to logs that are opened for it.

use std::cell::RefCell;
use std::time::Instant;

use memfold_log::Timestamp;
use memfold_segment::{Matches, Reader, Room, Select};
use memfold_sidecar::Receipts;
use memfold_text::{Matcher, Query};

use crate::address::Addresses;
use crate::answer::{Answer, Hit, NumberedLine, Ranked};
use crate::collected::Collected;
use crate::engine::Memfold;
use crate::error::Error;
use crate::filter::passing_filter;
use crate::progress::Progress;
use crate::ranking::{BM25, PHRASE_POOL, RankedEvent, concepts, rank};
use crate::read::words_of;
use crate::ready::Ready;
use crate::request::{Filter, Logs, Search};
use crate::search::{card_line, kind_word, query_of};
use crate::segments::{Chosen, SegmentSource, Segments};
use crate::visible::visible;

/// How many lines of an event a search shows.
const BEST_LINES: usize = 3;
/// A line of an answer is cut to so many characters.
const LINE_CHARS: usize = 200;

/// Logs, opened: [`Memfold::with_opened`].
pub struct Opened<'o> {
    engine: &'o Memfold,
    /// Which logs they are.
    request: &'o Logs,
    logs: &'o Collected,
    segments: &'o Segments<'o>,
    readers: Vec<&'o Reader<SegmentSource<'o>>>,
    live: Chosen<'o>,
    receipts: &'o Receipts,
    room: RefCell<Room>,
}

impl Memfold {
    /// Opens logs once, for many questions: each then costs its words alone, no look at any folder. `ask` is given them.
    ///
    /// ```no_run
    /// use memfold::{Logs, Memfold, Quiet};
    /// # fn ask(engine: &Memfold) -> Result<(), memfold::Error> {
    /// engine.with_opened(&Logs::Project, &Quiet, |logs| {
    ///     for words in ["denylist symlink", "sync after rename"] {
    ///         for hit in logs.search(words, 8)?.results {
    ///             println!("{} {}", hit.address, hit.title);
    ///         }
    ///     }
    ///     Ok(())
    /// })?
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Memfold::search`]. What is found damaged while it is asked is left out and noted; the next search mends it.
    pub fn with_opened<T>(
        &self,
        logs: &Logs,
        progress: &dyn Progress,
        ask: impl FnOnce(&Opened<'_>) -> T,
    ) -> Result<T, Error> {
        let mut receipts = self.receipts();
        let rollup = self.rollup();
        let found = self.find_rolled(logs, &receipts, rollup.as_deref())?;
        self.allow(logs, &found.logs, &receipts)?;
        let mut notes = found.notes;
        let mut collected = self.collect(found.logs, rollup, &mut receipts, &mut notes, progress);
        collected.unreadable += found.unreadable;
        let segments = Segments::open(&collected);
        Ok(ask(&Opened::new(
            self, logs, &collected, &segments, &receipts,
        )))
    }
}

impl<'o> Opened<'o> {
    pub(crate) fn new(
        engine: &'o Memfold,
        request: &'o Logs,
        logs: &'o Collected,
        segments: &'o Segments<'o>,
        receipts: &'o Receipts,
    ) -> Opened<'o> {
        Opened {
            engine,
            request,
            logs,
            segments,
            readers: segments.readers(),
            live: segments.live(logs),
            receipts,
            room: RefCell::default(),
        }
    }

    /// The best events for some words, best first, as places and scores: nothing of them is read again.
    ///
    /// # Errors
    /// If there is no word among them, or `limit` is out of bounds.
    pub fn rank(&self, words: &str, limit: usize) -> Result<Vec<RankedEvent>, Error> {
        let query = query_of(words, limit)?;
        let mut room = self.room.borrow_mut();
        let mut matches = self.matches(&query, &mut room);
        let nothing_left_out = Filter::default();
        let filter = passing_filter(self.logs, self.segments, &nothing_left_out, &mut Vec::new());
        Ok(self.ranked(&query, &mut matches, &filter, limit).0)
    }

    /// Ranks the events, and reads the best again.
    ///
    /// # Errors
    /// As [`Opened::rank`]. What cannot be read is a note of the answer.
    pub fn search(&self, words: &str, limit: usize) -> Result<Answer, Error> {
        let begun = Instant::now();
        let query = query_of(words, limit)?;
        let search = Search {
            query: words.to_owned(),
            logs: self.request.clone(),
            limit,
            filter: Filter::default(),
        };
        let answer = self.answer(&search, &query);
        Ok(Answer {
            complete: answer.complete && self.logs.left == 0 && self.logs.unreadable == 0,
            micros: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..answer
        })
    }

    fn matches<'r>(&'r self, query: &Query, room: &'r mut Room) -> Matches<'r> {
        Matches::gather(&self.readers, &concepts(query), &self.live, BM25, room)
    }

    fn ranked(
        &self,
        query: &Query,
        matches: &mut Matches<'_>,
        filter: &dyn Select,
        limit: usize,
    ) -> (Vec<RankedEvent>, u64) {
        let places = self.segments.places(self.logs, &self.live);
        rank(query, matches, &places, filter, limit)
    }

    /// What the logs answer.
    pub(crate) fn answer(&self, search: &Search, query: &Query) -> Answer {
        let Opened {
            engine,
            logs,
            segments,
            receipts,
            ..
        } = *self;
        let mut notes = segments.notes.clone();
        let filter = passing_filter(logs, segments, &search.filter, &mut notes);
        let mut room = self.room.borrow_mut();
        let mut matches = self.matches(query, &mut room);
        for (segment, error) in matches.failures() {
            match segments.log_of(*segment).and_then(|log| logs.own(log)) {
                Some(ready) => {
                    ready.doubt();
                    notes.push(format!("{}: left out: {error}", ready.entry.path.display()));
                }
                None => logs.fail(),
            }
        }
        // Those that do not hold a phrase drop out, as may those whose log cannot be read.
        let most = match query.phrases.is_empty() {
            true => search.limit.saturating_mul(2),
            false => usize::MAX,
        };
        let (mut ranked, mut matched) = self.ranked(query, &mut matches, &filter, most);
        let mut looked_at_all = true;
        if !query.phrases.is_empty() {
            self.keep_phrases(query, &mut ranked);
            looked_at_all = usize::try_from(matched).is_ok_and(|matched| matched <= PHRASE_POOL);
            if !looked_at_all {
                notes.push(format!(
                    "the quoted words were looked for in the best {PHRASE_POOL} of {matched} events"
                ));
            }
            matched = ranked.len() as u64;
        }

        let all = query.concepts.len();
        let best_words = ranked
            .iter()
            .take(1)
            .map(|best| best.held.iter().filter(|held| **held).count())
            .sum();
        let mut answer = Answer {
            schema: 1,
            scope: if matches!(search.logs, Logs::File(_) | Logs::Conversation(_)) {
                "conversation"
            } else {
                "earlier"
            },
            project: engine.searched(&search.logs),
            query: search.query.clone(),
            words: query.words.clone(),
            ranked: Ranked {
                logs: logs.order().len(),
                events: matches.collection().documents,
            },
            matched,
            weak: best_words * 2 < all,
            best_words,
            complete: looked_at_all && segments.notes.is_empty() && matches.failures().is_empty(),
            notes,
            outdated: 0,
            results: Vec::new(),
            micros: 0,
        };
        let named: Vec<&str> = ranked
            .iter()
            .map(|event| logs.task(event.event.log))
            .collect();
        let tasks = (0..logs.order().len()).map(|log| logs.task_bytes(log));
        let addresses = Addresses::around(&named, tasks);
        let mut matcher = Matcher::new(query);
        for event in &ranked {
            if answer.results.len() >= search.limit || logs.has_failed() {
                break;
            }
            let hit = match engine.opened(logs, event.event.log, receipts) {
                Some(Ok(ready)) => {
                    self.hit(ready, event, query, &mut matcher, &addresses, &search.logs)
                }
                Some(Err(why)) => Err(why.to_owned()),
                None => continue,
            };
            match hit {
                Ok(hit) => answer.results.push(Hit {
                    rank: answer.results.len() + 1,
                    ..hit
                }),
                Err(why) => {
                    let path = logs.entry(event.event.log).map(|entry| &entry.path);
                    let path = path.map_or_else(String::new, |path| path.display().to_string());
                    answer.notes.push(format!("{path}: {why}"));
                }
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
        let told = self.engine.told(ready, &document)?;
        let mut lines = matcher.best_lines(&told.text, BEST_LINES, LINE_CHARS);
        if lines.is_empty() {
            // A result found by its call alone, which the title tells: how it begins.
            let first =
                memfold_text::lines::lines(&told.text).find(|line| !line.text.trim().is_empty());
            lines.extend(first.map(|line| matcher.show(line.number, line.text, LINE_CHARS)));
        }
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
            Logs::Everywhere => vec![
                "memfold".into(),
                "recall".into(),
                address.clone(),
                "-A".into(),
            ],
            Logs::Project | Logs::Conversation(_) | Logs::Others(_) | Logs::Allowed(_) => {
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
            total_lines: memfold_text::lines::count(&told.text) as u64,
            missing: missing.map(|(concept, _)| concept.word.clone()).collect(),
            read,
            provenance: "external:log",
            archived: ready.entry.archived,
            abandoned: ready.past().is_abandoned(document.seq),
        })
    }

    /// Keeps, of the ranked events, those that hold every quoted phrase: looked for in the events themselves.
    fn keep_phrases(&self, query: &Query, ranked: &mut Vec<RankedEvent>) {
        let mut matcher = Matcher::new(query);
        ranked.retain(|event| {
            let Some(Ok(ready)) = self
                .engine
                .opened(self.logs, event.event.log, self.receipts)
            else {
                return false;
            };
            let words = ready
                .document(event.event.number)
                .ok()
                .and_then(|document| words_of(&ready.file, ready.entry.agent, &document));
            match words {
                Some(words) => matcher.phrases(&words).iter().all(|found| *found > 0),
                None => {
                    ready.doubt();
                    false
                }
            }
        });
    }
}
