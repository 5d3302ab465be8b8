//! What is read back: an event, the card of a turn, the cards of a log.

use std::path::PathBuf;

use serde::Serialize;

#[cfg(doc)]
use super::Hit;
use super::{LogRow, NumberedLine, as_text};

/// An event read back.
#[derive(Clone, Debug, Serialize)]
pub struct Recalled {
    /// The version of this shape.
    pub schema: u32,
    /// The task's id.
    pub task: String,
    /// The shortest address.
    pub address: String,
    /// The agent's name.
    pub agent: &'static str,
    /// The log's file.
    #[serde(serialize_with = "as_text")]
    pub log: PathBuf,
    /// The event's line.
    pub seq: u64,
    /// The turn that holds it.
    pub turn: u32,
    /// As in [`Hit::kind`].
    pub kind: &'static str,
    /// RFC 3339, UTC.
    pub time: Option<String>,
    /// As in [`Hit::title`].
    pub title: String,
    /// A result's exit code.
    pub exit: Option<i32>,
    /// The result failed.
    pub failed: bool,
    /// As in [`Hit::helper`].
    pub helper: Option<String>,
    /// As in [`Hit::abandoned`].
    pub abandoned: bool,
    /// For a result: the seq of the call it answers.
    pub call: Option<u64>,
    /// For a reply: its calls, each with the seq of its result.
    pub calls: Vec<RecalledCall>,
    /// The lines asked for.
    pub lines: Vec<NumberedLine>,
    /// How many lines the event's text has.
    pub total_lines: u64,
    /// The first line of the next page, if there is one.
    pub next: Option<u64>,
    /// For a turn's first message: the turn's card.
    pub card: Option<TurnCard>,
    /// For a turn's first message: every event of the turn.
    pub events: Vec<TurnEvent>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Where the text comes from.
    pub provenance: &'static str,
}

/// A call of a reply.
#[derive(Clone, Debug, Serialize)]
pub struct RecalledCall {
    /// Tool and subject on one line.
    pub title: String,
    /// The line of its result, if there is one.
    pub result: Option<u64>,
}

/// An event of a turn, on a line.
#[derive(Clone, Debug, Serialize)]
pub struct TurnEvent {
    /// Its line.
    pub seq: u64,
    /// As in [`Hit::kind`].
    pub kind: &'static str,
}

/// A turn's card.
#[derive(Clone, Debug, Serialize)]
pub struct TurnCard {
    /// The turn's number; 0 for what precedes the first message.
    pub turn: u32,
    /// It continues the turn before it.
    pub continued: bool,
    /// The turn is not whole yet.
    pub open: bool,
    /// The task went back behind the turn and on without it.
    pub abandoned: bool,
    /// The person's request, its first line.
    pub title: String,
    /// Its first and last event.
    pub first_seq: u64,
    /// Its last event.
    pub last_seq: u64,
    /// RFC 3339, UTC.
    pub started: Option<String>,
    /// RFC 3339, UTC.
    pub ended: Option<String>,
    /// Files read.
    pub read: Vec<String>,
    /// Files edited.
    pub edited: Vec<String>,
    /// Commands, with their exit.
    pub commands: Vec<CardCommand>,
    /// How many files and commands are not named.
    pub more: u32,
    /// Calls made.
    pub calls: u32,
    /// Results that failed.
    pub errors: u32,
    /// The closing reply's first line.
    pub closing: String,
    /// Compactions' notes.
    pub notes: Vec<NumberedNote>,
}

/// A command of a card.
#[derive(Clone, Debug, Serialize)]
pub struct CardCommand {
    /// The command on a line.
    pub line: String,
    /// Its exit code, if a result says.
    pub exit: Option<i32>,
    /// It failed.
    pub failed: bool,
}

/// A compaction's note.
#[derive(Clone, Debug, Serialize)]
pub struct NumberedNote {
    /// Its line.
    pub seq: u64,
    /// Its first line of text.
    pub text: String,
}

/// The cards of one log.
#[derive(Clone, Debug, Serialize)]
pub struct Cards {
    /// The version of this shape.
    pub schema: u32,
    /// The log they tell of.
    pub log: LogRow,
    /// In the log's order.
    pub cards: Vec<TurnCard>,
    /// What the reader should know.
    pub notes: Vec<String>,
}
