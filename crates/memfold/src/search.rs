//! A search of sessions: logs → sidecars and tails, or the roll-up of them → segments → the ranking as one collection → the
//! best events, read again.

use std::path::PathBuf;
use std::time::Instant;

use memfold_fold::card::Card;
use memfold_fold::document::{Document, DocumentKind};
use memfold_log::Timestamp;
use memfold_segment::Matches;
use memfold_sidecar::Receipts;
use memfold_text::{Matcher, Query};

use crate::address::Addresses;
use crate::answer::{Answer, Hit, NumberedLine, Ranked};
use crate::collected::Collected;
use crate::engine::Memfold;
use crate::error::Error;
use crate::filter::{self, passing_filter};
use crate::progress::Progress;
use crate::ranking::{PHRASE_POOL, RankedEvent, concepts, rank};
use crate::read::{Told, tell, words_of};
use crate::ready::Ready;
use crate::request::{Filter, Logs, Search};
use crate::segments::Segments;
use crate::visible::visible;

/// The most results that a call may ask for.
pub const LIMIT: usize = 1000;
/// How many lines of an event a search shows.
const BEST_LINES: usize = 3;
/// A line of an answer is cut to so many characters.
const LINE_CHARS: usize = 200;

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
        // Cards alone say which paths a turn touched, and a roll-up holds none.
        let rollup = match search.filter.path {
            None => self.rollup(),
            Some(_) => None,
        };
        let found = self.find_rolled(&search.logs, &receipts, rollup.as_deref())?;
        self.allow(&search.logs, &found.logs, &receipts)?;
        let gone = rollup
            .as_ref()
            .map_or(Vec::new(), |rollup| rollup.gone(&found));
        let mut notes = found.notes;
        let none_found = found.logs.is_empty();
        let mut logs = self.collect(found.logs, rollup, &mut receipts, &mut notes, progress);
        let mut answer = loop {
            let answer = self.answer(search, &query, &logs, &receipts);
            if logs.has_failed() {
                self.without_rollup(&mut logs, &mut receipts, &mut notes, progress);
                continue;
            }
            let released = self.release_doubted(&mut logs, &mut receipts, &mut notes, progress);
            let mended = self.mend(&mut logs.own, &mut receipts, &mut notes);
            if !mended.any && !released {
                break answer;
            }
            logs.unreadable += mended.lost;
            logs.arrange();
        };
        if logs.left > 0 {
            notes.push(format!("{} older logs were not reached", logs.left));
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
        answer.complete &= logs.left == 0 && logs.unreadable == 0;
        self.roll(logs, &gone, &mut receipts, progress);
        answer.micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        Ok(answer)
    }

    /// What logs that are ready answer.
    fn answer(
        &self,
        search: &Search,
        query: &Query,
        logs: &Collected,
        receipts: &Receipts,
    ) -> Answer {
        let segments = Segments::open(logs);
        let mut notes = segments.notes.clone();
        let live = segments.live(logs);
        let filter = passing_filter(logs, &segments, &search.filter, &mut notes);
        let readers = segments.readers();
        let matches = Matches::gather(&readers, &concepts(query), &live);
        for (segment, error) in matches.failures() {
            match segments.log_of(*segment).and_then(|log| logs.own(log)) {
                Some(ready) => {
                    ready.doubt();
                    notes.push(format!("{}: left out: {error}", ready.entry.path.display()));
                }
                None => logs.fail(),
            }
        }
        let places = segments.places(logs);
        // Those that do not hold a phrase drop out, as may those whose log cannot be read.
        let most = match query.phrases.is_empty() {
            true => search.limit.saturating_mul(2),
            false => usize::MAX,
        };
        let (mut ranked, matched) = rank(query, &matches, &places, &live, &filter, most);
        let mut matched = matched;
        let mut looked_at_all = true;
        if !query.phrases.is_empty() {
            self.keep_phrases(query, logs, receipts, &mut ranked);
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
            scope: if matches!(search.logs, Logs::File(_)) {
                "conversation"
            } else {
                "earlier"
            },
            project: self.searched(&search.logs),
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
            results: Vec::new(),
            micros: 0,
        };
        let addresses = Addresses::new((0..logs.order().len()).map(|log| logs.task(log)));
        let mut matcher = Matcher::new(query);
        for event in &ranked {
            if answer.results.len() >= search.limit || logs.has_failed() {
                break;
            }
            let hit = match self.opened(logs, event.event.log, receipts) {
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
        let told = self.told(ready, &document)?;
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
            Logs::Project => vec!["memfold".into(), "recall".into(), address.clone()],
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
            abandoned: ready.past().is_abandoned(document.seq),
        })
    }

    /// What was searched, by a name: the project's, or that of the folders.
    fn searched(&self, logs: &Logs) -> String {
        match logs {
            Logs::Project | Logs::File(_) => self.project_name(),
            Logs::Everywhere => "all projects".to_owned(),
            Logs::Below(folders) => {
                let name = |folder: &PathBuf| crate::project::name(folder);
                folders.iter().map(name).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Keeps, of the ranked events, those that hold every quoted phrase: looked for in the events themselves.
    fn keep_phrases(
        &self,
        query: &Query,
        logs: &Collected,
        receipts: &Receipts,
        ranked: &mut Vec<RankedEvent>,
    ) {
        let mut matcher = Matcher::new(query);
        ranked.retain(|event| {
            let Some(Ok(ready)) = self.opened(logs, event.event.log, receipts) else {
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
        if filter::is_any(filter) {
            return "nothing matched within the filters; try without them".to_owned();
        }
        if !query.phrases.is_empty() {
            return "nothing holds the quoted words in a row; try without the quotes".to_owned();
        }
        "nothing matched; try other words for it, or fewer".to_owned()
    }
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
