//! The fold: one line after another into documents, links and cards, up to the last whole turn and the tail after it.
//! Relies on the agent's translation being a function of the line alone; keeps all pairing and numbering here.

mod calls;
mod held;
mod start;

use std::collections::HashSet;

use memfold_agents::Agent;
use memfold_log::event::{Boundary, Course, Effect, Event, Facts, Follows, Kind, Part, Reading};
use memfold_log::{Content, Line, Offset, Seq, Terminated, Timestamp};
use sha2::{Digest, Sha256};

pub use self::calls::call_words;
use self::calls::is_retrieval;
use self::held::Held;
use crate::FoldError;
use crate::card::{Card, Note, headline};
use crate::checkpoint::{Checkpoint, Covered, Sealed, Tally, one_more};
use crate::document::{Context, Document, DocumentKind, Keys, Link};
use crate::facts::LogFacts;
use crate::identity;
use crate::past::{Names, Waypoint};
use crate::words::Counter;

/// A result's call counts so often (the first seed, section 8): its words and the parts of its names. The whole names belong
/// to the event that says them: with them in the result too, a name asked for found results
/// before the calls that hold it (precision at R of 187 known names on 14 logs: 70% with them, 93% without).
const CALL_WEIGHT: u32 = 3;
/// A pause of more than so many milliseconds, an hour, ends a sitting.
const PAUSE: i64 = 3_600_000;
/// How much of a call's words its result repeats.
const CALL_WORDS_LIMIT: usize = 4096;

/// A fold in progress.
pub struct Fold {
    agent: &'static dyn Agent,
    words: Counter,
    documents: Vec<Document>,
    keys: Vec<Keys>,
    links: Vec<Link>,
    cards: Vec<Card>,
    waypoints: Vec<Waypoint>,
    names: Names,
    /// What the open card tells of calls that a later line may tell again.
    told: HashSet<(calls::Told, String)>,
    seen: HashSet<u64>,
    /// How many documents precede those of `documents`.
    before: usize,
    /// The last event, while the next line may say it again more fully.
    held: Option<Held>,
    state: Checkpoint,
    turn_state: TurnState,
    whole: Whole,
}

/// How a line's reading stands to what was read before it.
#[derive(Clone, Copy)]
struct Placed {
    keys: Keys,
    copy: bool,
    begins: bool,
}

/// Whether a later line may say what a line says again, more fully.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    Once,
    Again,
}

impl Telling {
    fn of(course: &Course<'_>) -> Telling {
        match course.follows {
            Follows::Replaces => Telling::Again,
            _ => Telling::Once,
        }
    }
}

/// Whether the last card still takes events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnState {
    Open,
    Closed,
}

/// How far the records were at the end of the last whole turn.
struct Whole {
    covered: Covered,
    documents: usize,
    links: usize,
    cards: usize,
    waypoints: usize,
    checkpoint: Checkpoint,
}

/// What follows the last whole turn, folded in memory: the same records, not yet a sidecar's.
#[derive(Debug)]
pub struct Tail {
    /// A row for each document after the last whole turn.
    pub documents: Vec<Document>,
    /// Their keys.
    pub keys: Vec<Keys>,
    /// Links whose result lies in the tail.
    pub links: Vec<Link>,
    /// The cards of the tail. A document's card number counts from the log's first card: the tail's first is `first_card`.
    pub cards: Vec<Card>,
    /// The number of the tail's first card.
    pub first_card: u32,
    /// Waypoints of the tail's lines.
    pub waypoints: Vec<Waypoint>,
    /// The tail's words, its documents numbered from 0.
    pub segment: memfold_segment::Encoded,
}

impl Fold {
    fn see(&mut self, keys: &[Keys]) {
        self.seen.extend(
            keys.iter()
                .flat_map(|keys| [keys.id, keys.origin])
                .filter(|key| *key != 0),
        );
    }

    /// How much of the log is whole turns so far.
    pub fn covered(&self) -> Covered {
        self.whole.covered
    }

    /// Takes what the log says of itself outside its lines, as a whole-file log does. It comes before them.
    pub fn about(&mut self, facts: &Facts<'_>) {
        self.state.facts.add(facts);
    }

    /// Folds the next line. A line that is no event of ours is counted; none stops the fold.
    ///
    /// # Errors
    /// Only if the log holds more events than a segment numbers (2^32).
    pub fn line(&mut self, line: &Line<'_>) -> Result<(), FoldError> {
        let bytes = match &line.content {
            Content::Text(bytes) | Content::Clipped { text: bytes, .. } => *bytes,
            Content::Blank => return self.no_event(|_| ()),
            Content::Nul => return self.no_event(|tally| one_more(&mut tally.broken)),
            Content::TooLong => return self.no_event(|tally| one_more(&mut tally.too_long)),
        };
        let reading = match self.agent.read(bytes) {
            Ok(reading) => reading,
            // A torn last line is not yet a line.
            Err(_) if line.terminated == Terminated::EndOfLog => return Ok(()),
            Err(_) => return self.no_event(|tally| one_more(&mut tally.broken)),
        };
        self.let_go(&reading)?;
        let read = self.place(&reading);
        if read.begins {
            // What is whole ends where this line starts: sealed before the line adds anything.
            self.seal(Covered {
                end: line.start,
                next: line.seq,
            });
        }
        one_more(&mut self.state.tally.lines);
        if matches!(line.content, Content::Clipped { .. }) {
            one_more(&mut self.state.tally.clipped);
        }
        if line.seq == Seq::FIRST {
            self.state.first_line = Sha256::digest(bytes).into();
        }
        self.state.facts.add(&reading.facts);
        if Held::is_to_be(&reading) && !read.copy {
            self.held = Some(Held::new(line, bytes, &reading.course));
            return Ok(());
        }
        self.settle(line, &reading, read)?;
        if reading.boundary == Boundary::Ends && line.terminated == Terminated::Newline {
            self.seal(Covered {
                end: Offset(line.start.0.saturating_add(line.length)),
                next: line.seq.next(),
            });
        }
        Ok(())
    }

    /// How a reading stands to what was read before it.
    fn place(&self, reading: &Reading<'_>) -> Placed {
        let keys = match &reading.event {
            Some(event) => ranked(event.kind)
                .map(|kind| identity::keys(kind, event))
                .unwrap_or_default(),
            None => Keys::default(),
        };
        // A line that says an earlier one again is no copy of it: it counts in its place, in the same turn.
        let repeats = self.names.repeats(&reading.course);
        let copy = !repeats && self.is_copy(keys);
        Placed {
            keys,
            copy,
            begins: reading.boundary == Boundary::Begins && !copy && !repeats,
        }
    }

    /// Adds what a line says to the records.
    fn settle(
        &mut self,
        line: &Line<'_>,
        reading: &Reading<'_>,
        read: Placed,
    ) -> Result<(), FoldError> {
        let documents = self.documents.len();
        if read.copy {
            one_more(&mut self.state.tally.copies);
        } else if let Some(event) = &reading.event {
            if read.begins {
                self.begin_turn(event);
            }
            match ranked(event.kind) {
                // In a helper's log nobody but its parent speaks for the person: those are instructions.
                Some(DocumentKind::Person) if self.state.facts.helper.is_some() => {
                    one_more(&mut self.state.tally.unranked)
                }
                Some(kind) => {
                    let telling = Telling::of(&reading.course);
                    self.event(line, kind, event, read.keys, telling)?;
                }
                None => one_more(&mut self.state.tally.unranked),
            }
        }
        let number = self.before.saturating_add(documents);
        let document = (self.documents.len() > documents)
            .then(|| u32::try_from(number).ok())
            .flatten();
        let way = self.names.way(&reading.course);
        self.names.note(
            line.seq,
            &reading.course,
            way,
            document,
            &mut self.waypoints,
        );
        Ok(())
    }

    fn no_event(&mut self, count: impl FnOnce(&mut Tally)) -> Result<(), FoldError> {
        one_more(&mut self.state.tally.lines);
        count(&mut self.state.tally);
        Ok(())
    }

    fn is_copy(&self, keys: Keys) -> bool {
        [keys.id, keys.origin]
            .iter()
            .any(|key| *key != 0 && self.seen.contains(key))
    }

    /// The turn is whole: its card takes no more, and the records so far are what a sidecar holds.
    fn seal(&mut self, covered: Covered) {
        self.turn_state = TurnState::Closed;
        self.told.clear();
        self.whole = Whole {
            covered,
            documents: self.documents.len(),
            links: self.links.len(),
            cards: self.cards.len(),
            waypoints: self.waypoints.len(),
            checkpoint: self.state.clone(),
        };
    }

    fn begin_turn(&mut self, event: &Event<'_>) {
        self.state.turn = self.state.turn.saturating_add(1);
        self.state.turn_title = first_words(event).unwrap_or_default();
    }

    /// Gives the event to a card: the open one, or a new one of the present turn. Returns the card's number in the log.
    fn take(&mut self, line: &Line<'_>, event: &Event<'_>) -> u32 {
        let time = event.time.map(|time| time.0);
        if self.turn_state == TurnState::Closed {
            self.turn_state = TurnState::Open;
            self.cards.push(Card {
                turn: self.state.turn,
                continued: self.state.card_turn == Some(self.state.turn),
                title: self.state.turn_title.clone(),
                first_seq: line.seq.get(),
                start: line.start.0,
                start_length: line.length,
                started: time,
                ..Card::default()
            });
            self.state.cards = self.state.cards.saturating_add(1);
            self.state.card_turn = Some(self.state.turn);
        }
        if let Some(card) = self.cards.last_mut() {
            card.last_seq = line.seq.get();
            card.started = card.started.or(time);
            card.ended = card.ended.max(time);
        }
        self.last_card()
    }

    /// The sitting of an event: the last one's, or the next after a long pause. Events out of order end none.
    fn sitting(&mut self, time: Option<Timestamp>) -> u32 {
        if let Some(Timestamp(now)) = time {
            if self
                .state
                .last_time
                .is_some_and(|last| now.saturating_sub(last) > PAUSE)
            {
                self.state.sitting = self.state.sitting.saturating_add(1);
            }
            self.state.last_time = Some(now);
        }
        self.state.sitting
    }

    /// The number of the last card.
    fn last_card(&self) -> u32 {
        self.state.cards.saturating_sub(1)
    }

    fn event(
        &mut self,
        line: &Line<'_>,
        kind: DocumentKind,
        event: &Event<'_>,
        keys: Keys,
        telling: Telling,
    ) -> Result<(), FoldError> {
        let outputs = self.pair(line, event);
        let ranked_parts = event.parts.iter().filter(|part| match part {
            Part::Text(text) => !text.trim().is_empty(),
            Part::Call(call) => call.effect != Effect::Retrieves,
            Part::Output(output) => !is_retrieval(&outputs, &output.call),
        });
        if ranked_parts.count() == 0 {
            one_more(&mut self.state.tally.unranked);
            self.open_calls(line, event, None, telling);
            return Ok(());
        }
        let card = self.take(line, event);
        self.words.add_word(speaker(kind), 1);
        if let Some(helper) = event
            .helper
            .as_deref()
            .or(self.state.facts.helper.as_deref())
        {
            self.words.add_text(helper, 1);
        }
        if let Some(time) = event.time {
            self.words.add_date(time);
        }
        let mut outputs = outputs.into_iter();
        for (number, part) in event.parts.iter().enumerate() {
            match part {
                Part::Text(text) => self.text(kind, line.seq, text),
                Part::Call(call) if call.effect != Effect::Retrieves => {
                    self.words.add_text(&call.tool, 1);
                    self.words
                        .add_text(&memfold_redact::redact(&call.arguments), 1);
                    self.words.add_text(&memfold_redact::redact(&call.names), 1);
                }
                Part::Call(_) => {}
                Part::Output(output) => {
                    let call = outputs.next().flatten();
                    self.output(line.seq, number, output, call.as_deref(), telling);
                }
            }
        }
        self.open_calls(line, event, Some(card), telling);
        let sitting = self.sitting(event.time);
        self.words.finish_document()?;
        self.see(&[keys]);
        self.keys.push(keys);
        self.documents.push(Document {
            seq: line.seq.get(),
            start: line.start.0,
            length: line.length,
            card,
            sitting,
            kind,
            time: event.time.map(|time| time.0),
            helper: if event.helper.is_some() {
                Context::Helper
            } else {
                Context::Main
            },
        });
        Ok(())
    }

    fn text(&mut self, kind: DocumentKind, seq: Seq, text: &str) {
        let text = memfold_redact::redact(text);
        self.words.add_text(&text, 1);
        let Some(card) = self.cards.last_mut() else {
            return;
        };
        match kind {
            DocumentKind::Reply => {
                let line = headline(&text);
                if !line.is_empty() {
                    card.closing = line;
                }
            }
            DocumentKind::Compaction => card.notes.push(Note {
                seq: seq.get(),
                text: headline(&text),
            }),
            _ => {}
        }
    }

    /// What the log says of itself, as far as it was folded.
    pub fn facts(&self) -> &LogFacts {
        &self.state.facts
    }

    /// The log is complete and will not grow (a compressed one, a whole file): its end is the end of a turn.
    ///
    /// # Errors
    /// As of [`Fold::line`].
    pub fn end(&mut self, covered: Covered) -> Result<(), FoldError> {
        self.release()?;
        self.seal(covered);
        Ok(())
    }

    /// The records up to the last whole turn, and those after it.
    ///
    /// # Errors
    /// If the documents cannot be numbered.
    pub fn finish(mut self) -> Result<(Sealed, Tail), FoldError> {
        self.release()?;
        let whole = self.whole.documents.min(self.documents.len());
        let first_card = self.whole.checkpoint.cards;
        let (segment, tail_segment) = (
            self.words.encode(0, whole)?,
            self.words.encode(whole, self.documents.len())?,
        );
        let tail = Tail {
            documents: self.documents.split_off(whole),
            keys: self.keys.split_off(whole.min(self.keys.len())),
            links: self.links.split_off(self.whole.links.min(self.links.len())),
            cards: self.cards.split_off(self.whole.cards.min(self.cards.len())),
            first_card,
            waypoints: self
                .waypoints
                .split_off(self.whole.waypoints.min(self.waypoints.len())),
            segment: tail_segment,
        };
        let sealed = Sealed {
            covered: self.whole.covered,
            checkpoint: self.whole.checkpoint,
            documents: self.documents,
            keys: self.keys,
            links: self.links,
            cards: self.cards,
            waypoints: self.waypoints,
            segment,
        };
        Ok((sealed, tail))
    }

    /// Everything folded since the start or since [`Fold::after`], whole turns or not.
    ///
    /// # Errors
    /// If the documents cannot be numbered.
    pub fn into_tail(mut self) -> Result<Tail, FoldError> {
        self.release()?;
        let segment = self.words.encode(0, self.documents.len())?;
        let first_card = self
            .state
            .cards
            .saturating_sub(u32::try_from(self.cards.len()).unwrap_or(u32::MAX));
        Ok(Tail {
            documents: self.documents,
            keys: self.keys,
            links: self.links,
            cards: self.cards,
            first_card,
            waypoints: self.waypoints,
            segment,
        })
    }
}

/// The kind under which an event is ranked, if it is.
pub fn ranked(kind: Kind) -> Option<DocumentKind> {
    match kind {
        Kind::Person => Some(DocumentKind::Person),
        Kind::Reply => Some(DocumentKind::Reply),
        Kind::Result => Some(DocumentKind::Result),
        Kind::File => Some(DocumentKind::File),
        Kind::Plan => Some(DocumentKind::Plan),
        Kind::Summary => Some(DocumentKind::Summary),
        Kind::Compaction => Some(DocumentKind::Compaction),
        Kind::Unranked(_) => None,
    }
}
fn speaker(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Person | DocumentKind::File => "user",
        _ => "assistant",
    }
}

fn first_words(event: &Event<'_>) -> Option<String> {
    event.parts.iter().find_map(|part| match part {
        Part::Text(text) => {
            Some(headline(&memfold_redact::redact(text))).filter(|line| !line.is_empty())
        }
        _ => None,
    })
}
