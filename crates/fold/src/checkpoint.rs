//! The state of a fold at the end of its last whole turn: all that the next line needs besides the records themselves.

use std::sync::Arc;

use bincode::{Decode, Encode};

use crate::card::Card;
use crate::facts::LogFacts;
use crate::past::Waypoint;

/// The most calls that wait for a result at once. The oldest gives way: its result is then ranked without its call.
pub const OPEN_CALLS_LIMIT: usize = 1024;

/// The state of a fold at the end of a whole turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Checkpoint {
    /// What the log says of itself.
    pub facts: LogFacts,
    /// The number of the last turn begun.
    pub turn: u32,
    /// The title that a continuation of the last turn carries.
    pub turn_title: String,
    /// The number of cards so far.
    pub cards: u32,
    /// The turn of the last card.
    pub card_turn: Option<u32>,
    /// The sitting of the last document.
    pub sitting: u32,
    /// The time of the last document that has one.
    pub last_time: Option<i64>,
    /// Calls that no result has answered, oldest first.
    pub open_calls: Vec<Arc<OpenCall>>,
    /// What was met on the way.
    pub tally: Tally,
    /// SHA-256 of the log's first line: what tells a log replaced from one rewritten further on.
    pub first_line: [u8; 32],
}

/// A call that waits for its result. Shared, since a checkpoint is taken at the end of every turn.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct OpenCall {
    /// The id by which its result names it.
    pub id: String,
    /// The reply's line.
    pub seq: u64,
    /// Where the reply's line starts.
    pub start: u64,
    /// The length of the reply's line.
    pub length: u64,
    /// Which of the reply's calls it is, from 0.
    pub call: u32,
    /// The call's words for its result: tool, then arguments, redacted.
    pub words: String,
    /// The number of the card's command that it runs, if it runs one, with the card's number.
    pub command: Option<(u32, u32)>,
    /// It searches or reads back: its result is not ranked.
    pub retrieves: bool,
}

/// Lines and events counted by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Tally {
    /// Lines, blank and broken ones included.
    pub lines: u64,
    /// Lines that are not JSON objects.
    pub broken: u64,
    /// Lines of which a string was cut short.
    pub clipped: u64,
    /// Lines too long to be read at all.
    pub too_long: u64,
    /// Events that are never ranked.
    pub unranked: u64,
    /// Events left out as copies of an earlier event of the same log.
    pub copies: u64,
}

/// Counts one more. A tally goes on from what a sidecar says, which may be any number.
pub(crate) fn one_more(count: &mut u64) {
    *count = count.saturating_add(1);
}

/// A fold's records up to the end of its last whole turn, as a sidecar keeps them.
#[derive(Debug)]
pub struct Sealed {
    /// How much of the log they cover.
    pub covered: Covered,
    /// The state from which the fold goes on.
    pub checkpoint: Checkpoint,
    /// A row for each document.
    pub documents: Vec<crate::document::Document>,
    /// The documents' keys.
    pub keys: Vec<crate::document::Keys>,
    /// Calls and their results, in the order of the results.
    pub links: Vec<crate::document::Link>,
    /// The cards of the turns.
    pub cards: Vec<Card>,
    /// Lines that later ones can go back to, and where the task went back.
    pub waypoints: Vec<Waypoint>,
    /// The words.
    pub segment: memfold_segment::Encoded,
}

/// What a fold goes on from: a sidecar's records, its words apart.
#[derive(Debug)]
pub struct Records {
    /// How much of the log they cover.
    pub covered: Covered,
    /// The state from which the fold goes on.
    pub checkpoint: Checkpoint,
    /// A row for each document.
    pub documents: Vec<crate::document::Document>,
    /// The documents' keys.
    pub keys: Vec<crate::document::Keys>,
    /// Calls and their results.
    pub links: Vec<crate::document::Link>,
    /// The cards of the turns.
    pub cards: Vec<Card>,
    /// Lines that later ones can go back to, and where the task went back.
    pub waypoints: Vec<Waypoint>,
}

/// The part of a log that a fold's whole turns cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Its length in bytes from the start of the log's text.
    pub end: memfold_log::Offset,
    /// The number of the first line after it.
    pub next: memfold_log::Seq,
}
