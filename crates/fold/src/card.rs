//! Turn cards: what happened in a turn, in a few lines. Every text in a card is redacted and cut to a line.

use bincode::{Decode, Encode};

/// The most entries that a list of a card names; what is past it is counted.
pub const LIST_LIMIT: usize = 40;
/// The longest text of a card, in characters.
pub const TEXT_LIMIT: usize = 200;

/// One turn, or the continuation of one after the log had said that it was whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Card {
    /// The turn's number, from 1; 0 for what precedes the person's first message.
    pub turn: u32,
    /// It continues the turn of the card before it.
    pub continued: bool,
    /// The first line of the person's request (of the helper's instructions in a helper's log).
    pub title: String,
    /// The first and the last line of the turn that hold an event of ours.
    pub first_seq: u64,
    /// The last line of the turn that holds an event of ours.
    pub last_seq: u64,
    /// Where the turn's first event's line starts.
    pub start: u64,
    /// The length of the turn's first event's line.
    pub start_length: u64,
    /// When it began and was last written to, in milliseconds since 1970.
    pub started: Option<i64>,
    /// When it was last written to.
    pub ended: Option<i64>,
    /// Files read, in the order of their first reading.
    pub read: Listing,
    /// Files edited, in the order of their first edit.
    pub edited: Listing,
    /// Commands run, with how they ended.
    pub commands: Vec<Command>,
    /// Commands past [`LIST_LIMIT`].
    pub more_commands: u32,
    /// Calls made.
    pub calls: u32,
    /// Results that failed.
    pub errors: u32,
    /// The first line of the last reply's words.
    pub closing: String,
    /// The first lines of compactions' notes in this turn.
    pub notes: Vec<Note>,
}

/// A list of a card: the first [`LIST_LIMIT`] entries, and how many more there were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Listing {
    /// The entries named.
    pub named: Vec<String>,
    /// How many distinct entries are not named. An entry past the limit is counted each time it comes.
    pub more: u32,
}

impl Listing {
    /// Adds an entry once.
    pub fn add(&mut self, entry: &str) {
        if self.named.iter().any(|known| known == entry) {
            return;
        }
        if self.named.len() < LIST_LIMIT {
            self.named.push(entry.to_owned());
        } else {
            self.more = self.more.saturating_add(1);
        }
    }
}

/// A command that a turn ran.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Command {
    /// The command on one line.
    pub line: String,
    /// How it ended.
    pub end: End,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum End {
    /// No result says.
    Unknown,
    /// Its exit code.
    Exit(i32),
    /// The log calls it failed and gives no code.
    Failed,
}

/// A compaction's note.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Note {
    /// Its line.
    pub seq: u64,
    /// Its first line of text.
    pub text: String,
}

/// The first line of a text that says something, trimmed and cut to [`TEXT_LIMIT`] characters.
pub fn headline(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    match line.char_indices().nth(TEXT_LIMIT) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default().trim_end()),
        None => line.to_owned(),
    }
}
