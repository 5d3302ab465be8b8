//! A search of sessions: logs → sidecars and tails, or the roll-up of them → segments → the ranking as one collection → the
//! best events, read again. Where something is found damaged on the way, it is mended and asked again.

use std::path::PathBuf;
use std::time::Instant;

use memfold_fold::card::Card;
use memfold_fold::document::{Document, DocumentKind};
use memfold_text::Query;

use crate::answer::Answer;
use crate::engine::Memfold;
use crate::error::Error;
use crate::filter;
use crate::opened::Opened;
use crate::progress::Progress;
use crate::read::{Told, tell};
use crate::ready::Ready;
use crate::request::{Filter, Logs, Search};
use crate::segments::Segments;
use crate::visible::visible;

/// The most results that a call may ask for.
pub const LIMIT: usize = 1000;

impl Memfold {
    /// Ranks the events of the logs that a search names, and reads the best again.
    ///
    /// # Errors
    /// If the request is out of bounds or not allowed, or the folder or file that it names cannot be read. Faults of single
    /// logs are notes of the answer.
    pub fn search(&self, search: &Search, progress: &dyn Progress) -> Result<Answer, Error> {
        let begun = Instant::now();
        let query = query_of(&search.query, search.limit)?;
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
        logs.unreadable += found.unreadable;
        let mut answer = loop {
            let segments = Segments::open(&logs);
            let answer =
                Opened::new(self, &search.logs, &logs, &segments, &receipts).answer(search, &query);
            drop(segments);
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
            let what = match logs.left {
                1 => "1 log was".to_owned(),
                left => format!("{left} logs were"),
            };
            notes.push(format!(
                "{what} not read in time, the newest first: ask again, it goes on from there"
            ));
        }
        let outdated = logs.own.iter().filter(|log| log.outdated).count() + self.unsaved();
        if outdated > 0 {
            notes.push(outdated_note(outdated));
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
        answer.outdated = outdated;
        answer.complete &= logs.left == 0 && logs.unreadable == 0;
        self.roll(logs, &gone, &mut receipts, progress);
        answer.micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.record_search(&search.logs, &answer);
        Ok(answer)
    }

    /// What was searched, by a name: the project's, or that of the folders.
    pub(crate) fn searched(&self, logs: &Logs) -> String {
        match logs {
            Logs::Project
            | Logs::File(_)
            | Logs::Conversation(_)
            | Logs::Others(_)
            | Logs::Allowed(_) => self.project_name(),
            Logs::Everywhere => "all projects".to_owned(),
            Logs::Below(folders) => {
                let name = |folder: &PathBuf| crate::project::name(folder);
                folders.iter().map(name).collect::<Vec<_>>().join(", ")
            }
        }
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
                Logs::Conversation(_) => {
                    "the log of this conversation is not there any more".to_owned()
                }
                Logs::Others(_) | Logs::Allowed(_) => {
                    format!("no earlier task of {} was found", self.project().display())
                }
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

/// What is said where a later program keeps what this one cannot read.
pub fn outdated_note(files: usize) -> String {
    let what = match files {
        1 => "1 file was".to_owned(),
        files => format!("{files} files were"),
    };
    format!(
        "{what} written by a later memfold and left as they are: this one is to be renewed, it is slower without them"
    )
}

/// The words of a query, and whether so many results can be shown.
pub(crate) fn query_of(words: &str, limit: usize) -> Result<Query, Error> {
    if limit == 0 || limit > LIMIT {
        return Err(Error::Usage {
            what: format!("a search shows 1 to {LIMIT} events"),
            hint: "give -n a number in between".to_owned(),
        });
    }
    let query = Query::new(words);
    if query.is_empty() {
        return Err(Error::Usage {
            what: "there is no word to search for".to_owned(),
            hint: "give words or names, as in: memfold search denylist symlink".to_owned(),
        });
    }
    Ok(query)
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
