//! Reading an event back, by the line that a search or another event named.

use memfold_fold::card::{Card, End};
use memfold_fold::document::DocumentKind;
use memfold_log::{Position, Timestamp};
use memfold_text::lines::lines;

use crate::address::{Address, Addresses};
use crate::answer::{
    CardCommand, NumberedLine, NumberedNote, Recalled, RecalledCall, TurnCard, TurnEvent,
};
use crate::engine::Memfold;
use crate::error::Error;
use crate::long_lines;
use crate::progress::Progress;
use crate::ready::Ready;
use crate::request::{Logs, Recall};
use crate::search::kind_word;
use crate::visible::visible;

/// The most lines that a page shows.
pub const PAGE: u64 = 10_000;

impl Memfold {
    /// Reads one event back: redacted, paged by lines, with what belongs to it.
    ///
    /// # Errors
    /// Each its own: no such task, another project's task, no such line, a line that holds no event that is ranked, a range
    /// past the end, not allowed; or it was to stop before the log was folded.
    pub fn recall(&self, recall: &Recall, progress: &dyn Progress) -> Result<Recalled, Error> {
        let recalled = self.read_back(recall, progress)?;
        self.record_recall(&recall.logs, &recalled);
        Ok(recalled)
    }

    fn read_back(&self, recall: &Recall, progress: &dyn Progress) -> Result<Recalled, Error> {
        if recall.count == 0 || recall.count > PAGE || recall.start == 0 {
            return Err(Error::Usage {
                what: format!("a page starts at line 1 or later and has 1 to {PAGE} lines"),
                hint: "give --start and --count such numbers".to_owned(),
            });
        }
        let address = Address::parse(&recall.address)?;
        let mut receipts = self.receipts();
        let entry = match (&recall.logs, address.task) {
            (Logs::File(path), None) => {
                let entry = self.entry(path, &receipts)?;
                self.allow(&recall.logs, std::slice::from_ref(&entry), &receipts)?;
                entry
            }
            (Logs::Conversation(conversation), None) => {
                self.entry(conversation.log(), &receipts)?
            }
            (logs, Some(task)) => self.log_of(task, logs, &receipts)?,
            (_, None) => {
                return Err(Error::Usage {
                    what: format!("`{}` names a line, but no task", recall.address),
                    hint: "give TASK:SEQ, or --log FILE".to_owned(),
                });
            }
        };
        let mut notes = Vec::new();
        let mut ready = self.one(entry, &mut receipts, progress, &mut notes)?;
        let page = self.page(&ready, address.seq, recall, notes.clone());
        if !ready.is_doubted() {
            return page;
        }
        ready = self.again(ready, &mut receipts, &mut notes)?;
        self.page(&ready, address.seq, recall, notes)
    }

    pub(crate) fn page(
        &self,
        ready: &Ready,
        seq: u64,
        recall: &Recall,
        mut notes: Vec<String>,
    ) -> Result<Recalled, Error> {
        let file_error = |what: String| Error::File {
            path: ready.entry.path.clone(),
            what,
            hint: "try again; if it stays so: memfold verify".to_owned(),
        };
        let found = ready
            .document_of(seq)
            .map_err(|error| file_error(error.to_string()))?;
        let Some((number, document)) = found else {
            return Err(self.not_an_event(ready, seq));
        };
        let card = ready
            .card(document.card)
            .map_err(|error| file_error(error.to_string()))?;
        let told = self.told(ready, &document).map_err(file_error)?;

        let all = lines(&told.text);
        let total = all.clone().count() as u64;
        if recall.start > total.max(1) {
            return Err(Error::NotFound {
                what: format!(
                    "event {seq} has {total} lines, so none from {} on",
                    recall.start
                ),
                hint: "give --start a smaller number".to_owned(),
            });
        }
        let shown: Vec<NumberedLine> = all
            .skip(usize::try_from(recall.start - 1).unwrap_or(usize::MAX))
            .take(usize::try_from(recall.count).unwrap_or(usize::MAX))
            .map(|line| NumberedLine {
                line: line.number as u64,
                text: visible(line.text).into_owned(),
            })
            .collect();
        if let (Some(first), Some(last)) = (shown.first(), shown.last()) {
            notes.extend(long_lines::note(&told.going_on, first.line, last.line));
        }
        let next = recall.start.saturating_add(shown.len() as u64);
        let (mut call, mut calls) = (None, Vec::new());
        match document.kind {
            DocumentKind::Result => {
                let links = ready
                    .calls_of(seq)
                    .map_err(|error| file_error(error.to_string()))?;
                call = links.first().map(|link| link.call_seq);
            }
            DocumentKind::Reply => {
                let links = ready
                    .results_of(seq)
                    .map_err(|error| file_error(error.to_string()))?;
                calls = (0u32..)
                    .zip(told.calls)
                    .map(|(number, call)| RecalledCall {
                        title: call.title,
                        result: links
                            .iter()
                            .find(|link| link.call == number)
                            .map(|link| link.result_seq)
                            .or(call.answered_here.then_some(seq)),
                    })
                    .collect();
            }
            _ => {}
        }
        let first = document.seq == card.first_seq && !card.continued;
        let events = if first {
            self.events_of(ready, document.card).map_err(file_error)?
        } else {
            Vec::new()
        };
        notes.extend(told.persisted.iter().map(|file| {
            format!(
                "this is a preview: the host kept the whole output in {}",
                visible(&memfold_redact::redact(file))
            )
        }));
        if ready.past().replaced().binary_search(&number).is_ok() {
            notes.push(format!("a later line says what line {seq} says again"));
        }
        let addresses = Addresses::new(std::iter::once(ready.about.task.as_str()));
        Ok(Recalled {
            schema: 1,
            task: ready.about.task.clone(),
            address: format!("{}:{seq}", addresses.short(&ready.about.task)),
            agent: ready.entry.agent.name(),
            log: ready.entry.path.clone(),
            seq,
            turn: card.turn,
            kind: kind_word(document.kind),
            time: document.time.map(|time| Timestamp(time).rfc3339()),
            title: told.title,
            exit: told.exit,
            failed: told.failed,
            helper: told.helper.or_else(|| ready.about.helper.clone()),
            abandoned: ready.past().is_abandoned(seq),
            call,
            calls,
            lines: shown,
            total_lines: total,
            next: (next <= total).then_some(next),
            card: first.then(|| turn_card(ready, document.card, &card)),
            events,
            notes,
            provenance: "external:log",
        })
    }

    /// The events of a card and of the cards that continue its turn.
    fn events_of(&self, ready: &Ready, card: u32) -> Result<Vec<TurnEvent>, String> {
        let turn = ready.card(card).map_err(|error| error.to_string())?.turn;
        let cards = ready.all_cards().map_err(|error| error.to_string())?;
        let documents = ready.all_documents().map_err(|error| error.to_string())?;
        Ok(documents
            .iter()
            .filter(|document| {
                usize::try_from(document.card)
                    .ok()
                    .and_then(|card| cards.get(card))
                    .is_some_and(|card| card.turn == turn)
            })
            .map(|document| TurnEvent {
                seq: document.seq,
                kind: kind_word(document.kind),
            })
            .collect())
    }

    /// Why a line is no event that can be recalled.
    fn not_an_event(&self, ready: &Ready, seq: u64) -> Error {
        let hint = "search shows the lines that can be recalled".to_owned();
        let mut number = 0;
        let agent = ready.entry.agent;
        let frames = ready.file.frames(agent, Position::START);
        let kind = frames.ok().and_then(|mut log| {
            while let Ok(Some(line)) = log.next(&mut |_| {}) {
                number = line.seq.get();
                if number == seq {
                    return Some(
                        line.text()
                            .and_then(|text| agent.read(text).ok())
                            .map(|reading| reading.event.map(|event| event.kind)),
                    );
                }
            }
            None
        });
        let what = match kind {
            None => format!("the log has {number} lines, so no event {seq}"),
            Some(None) => format!("line {seq} is blank or broken"),
            Some(Some(None)) => format!("line {seq} is a record of the agent's own, not an event"),
            Some(Some(Some(memfold_log::event::Kind::Unranked(why)))) => {
                format!(
                    "line {seq} is never ranked nor recalled: {}",
                    why_unranked(why)
                )
            }
            Some(Some(Some(_))) => format!(
                "line {seq} repeats an earlier event, is said again by a later line, or is an earlier search or recall, and is not ranked"
            ),
        };
        Error::NotFound { what, hint }
    }
}

fn why_unranked(why: memfold_log::event::Unranked) -> &'static str {
    use memfold_log::event::Unranked;
    match why {
        Unranked::Guard => "a guard's decision",
        Unranked::Egress => "a record of what left the machine",
        Unranked::Request => "a request to a model",
        Unranked::Note => "a note of the host",
        Unranked::Thinking => "the model's thinking",
        Unranked::IndexUpdate => "a record of the repository's index",
        Unranked::Instructions => "a helper's copy of its instructions",
    }
}

/// A card as it is answered; `number` is its place among the log's.
pub(crate) fn turn_card(ready: &Ready, number: u32, card: &Card) -> TurnCard {
    let texts = |named: &[String]| {
        named
            .iter()
            .map(|text| visible(text).into_owned())
            .collect()
    };
    TurnCard {
        turn: card.turn,
        continued: card.continued,
        open: ready.is_open(number),
        abandoned: ready.past().is_abandoned(card.first_seq),
        title: visible(&card.title).into_owned(),
        first_seq: card.first_seq,
        last_seq: card.last_seq,
        started: card.started.map(|time| Timestamp(time).rfc3339()),
        ended: card.ended.map(|time| Timestamp(time).rfc3339()),
        read: texts(&card.read.named),
        edited: texts(&card.edited.named),
        commands: card
            .commands
            .iter()
            .map(|command| CardCommand {
                line: visible(&command.line).into_owned(),
                exit: match command.end {
                    End::Exit(code) => Some(code),
                    End::Unknown | End::Failed => None,
                },
                failed: match command.end {
                    End::Exit(code) => code != 0,
                    End::Failed => true,
                    End::Unknown => false,
                },
            })
            .collect(),
        more: card
            .read
            .more
            .saturating_add(card.edited.more)
            .saturating_add(card.more_commands),
        calls: card.calls,
        errors: card.errors,
        closing: visible(&card.closing).into_owned(),
        notes: card
            .notes
            .iter()
            .map(|note| NumberedNote {
                seq: note.seq,
                text: visible(&note.text).into_owned(),
            })
            .collect(),
    }
}
