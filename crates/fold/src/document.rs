//! The flat records of a fold: a row for each ranked event, the links between calls and results, and the events' keys.
//! Positions only: what an event says is read again from its line.

use bincode::{Decode, Encode};

/// One ranked event: where its line is and which turn holds it. Row `n` describes document `n` of the segment.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Document {
    /// The event's line number, from 1.
    pub seq: u64,
    /// Where the line starts, in bytes from the start of the log's text.
    pub start: u64,
    /// The line's length in bytes, its newline included.
    pub length: u64,
    /// The number of the card that holds the event, from 0.
    pub card: u32,
    /// The sitting in which it happened, from 0: a pause of more than an hour ends one.
    pub sitting: u32,
    /// What happened.
    pub kind: DocumentKind,
    /// When, in milliseconds since 1970, as the log says.
    pub time: Option<i64>,
    /// It happened in a helper's context inside this log.
    pub helper: Context,
}

/// The kinds of event that are ranked, as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub enum DocumentKind {
    /// The person's message.
    Person,
    /// The agent's reply, with its calls.
    Reply,
    /// The results of calls.
    Result,
    /// An attached file.
    File,
    /// A plan.
    Plan,
    /// A summary.
    Summary,
    /// A compaction's note.
    Compaction,
}

/// In whose context an event happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Context {
    /// The task's own.
    Main,
    /// A helper's, written into the same log.
    Helper,
}

/// A call and the result that answered it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
pub struct Link {
    /// The line of the reply that made the call.
    pub call_seq: u64,
    /// Which of the reply's calls it is, from 0.
    pub call: u32,
    /// Where the reply's line starts.
    pub call_start: u64,
    /// The length of the reply's line.
    pub call_length: u64,
    /// The line of the result.
    pub result_seq: u64,
    /// Which of that line's parts answers it, from 0.
    pub part: u32,
}

/// What makes an event the same as its copies elsewhere: 64 bits of a SHA-256 each, 0 for none.
/// Document `n` has keys row `n`. Two events with an equal key (not 0) are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Of the event's own id.
    pub id: u64,
    /// Of what survives a copy under a new id, with what the event says.
    pub origin: u64,
}
