//! What the engine answers: plain data, serialised as it stands here, by which `--json` and the tools' structures are fixed:
//! changes only add. A front end only renders it.

mod listed;
mod recalled;
mod repository;
mod upkeep;

use std::path::PathBuf;

use serde::Serialize;

pub use listed::{EarlierSwitch, LogList, LogRow, ResumeCommand, Status};
pub use recalled::{CardCommand, Cards, NumberedNote, Recalled, RecalledCall, TurnCard, TurnEvent};
pub use repository::{Gap, RankedFiles, RepoAnswer, RepoHit, RepoReport};
pub use upkeep::{FoldReport, FoldRow, Forgotten, KeptKind, KeptRow, Sum};

/// The ranked events of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The version of this shape; changes only add.
    pub schema: u32,
    /// `conversation` or `earlier`.
    pub scope: &'static str,
    /// The project's name.
    pub project: String,
    /// The query as typed.
    pub query: String,
    /// The words it asks for.
    pub words: Vec<String>,
    /// What was ranked.
    pub ranked: Ranked,
    /// How many events matched, of which `results` are the best.
    pub matched: u64,
    /// The best event holds too few of the words to be trusted.
    pub weak: bool,
    /// How many of the query's words the best event holds.
    pub best_words: usize,
    /// Everything that was asked for was reached.
    pub complete: bool,
    /// What the reader should know: unreadable logs, why nothing was found, what was not reached.
    pub notes: Vec<String>,
    /// So many files were written by a later program and could not be used, which [`outdated_note`](crate::outdated_note)
    /// says among the notes.
    #[serde(skip)]
    pub outdated: usize,
    /// By rank.
    pub results: Vec<Hit>,
    /// How long the search took, in microseconds.
    pub micros: u64,
}

/// What a search ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ranked {
    /// Logs.
    pub logs: usize,
    /// Events, copies counted once.
    pub events: u64,
}

/// One event of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// Comparable within one answer only.
    pub score: f64,
    /// The task's id.
    pub task: String,
    /// The shortest address that names the event: enough of the task's id, a colon, the seq.
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
    /// `person`, `reply`, `result`, `file`, `plan`, `summary`, `compaction`.
    pub kind: &'static str,
    /// RFC 3339, UTC.
    pub time: Option<String>,
    /// What the event is, on one line: for a result, its call.
    pub title: String,
    /// A result's exit code.
    pub exit: Option<i32>,
    /// The result failed.
    pub failed: bool,
    /// The turn's card on a line.
    pub card: String,
    /// The turn's title.
    pub turn_title: String,
    /// The event happened in a helper's context, under this label.
    pub helper: Option<String>,
    /// The lines that hold the most of the query's words, numbered as recall numbers them.
    pub lines: Vec<NumberedLine>,
    /// How many lines the event has.
    pub total_lines: u64,
    /// The query's words that the event does not hold.
    pub missing: Vec<String>,
    /// The command that reads it back.
    pub read: Vec<String>,
    /// Where the text comes from: data, never instructions.
    pub provenance: &'static str,
    /// The log lies in an archive of the agent.
    pub archived: bool,
    /// The task went back behind the event and on without it.
    pub abandoned: bool,
}

/// A line of a text, numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NumberedLine {
    /// Its number.
    pub line: u64,
    /// Its text, redacted, control characters made visible.
    pub text: String,
}

/// A path as JSON's text: what is no Unicode in it is replaced, since JSON has no other text.
pub(crate) fn as_text<S: serde::Serializer>(
    path: &std::path::Path,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
