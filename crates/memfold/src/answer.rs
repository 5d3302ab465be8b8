//! What the engine answers: plain data, serialised as `CLI.md` has it. A front end only renders it.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

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

/// What a search of the repository answers.
#[derive(Clone, Debug, Serialize)]
pub struct RepoAnswer {
    /// The version of this shape; changes only add.
    pub schema: u32,
    /// `repo`.
    pub scope: &'static str,
    /// The project's name.
    pub project: String,
    /// The tree's root, from which paths are named.
    #[serde(serialize_with = "as_text")]
    pub root: PathBuf,
    /// The query as typed.
    pub query: String,
    /// The words it asks for.
    pub words: Vec<String>,
    /// What was ranked.
    pub ranked: RankedFiles,
    /// How many files matched, of which `results` are the best.
    pub matched: u64,
    /// The best chunk holds too few of the words to be trusted.
    pub weak: bool,
    /// How many of the query's words the best chunk holds.
    pub best_words: usize,
    /// Everything that was asked for was reached.
    pub complete: bool,
    /// What the reader should know: what was not reached, refused or left out, why nothing was found.
    pub notes: Vec<String>,
    /// What of the notes is about what was not reached.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
    /// By rank.
    pub results: Vec<RepoHit>,
    /// How long the search took, in microseconds.
    pub micros: u64,
}

/// What an answer about the repository lacks. Each stands among its notes, too, in words for a person at a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// So many files lie past the limits of one index.
    PastLimits(usize),
    /// The listing took too long: so many folders were not reached.
    NotListed(usize),
    /// The tree has more entries than are listed.
    TooManyEntries,
    /// What was read is not kept, and why.
    NotKept(String),
    /// So many changed files were not read yet.
    NotRead(usize),
    /// The words of so many files are missing from the index.
    WordsLost(u64),
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = |n: u64| match n {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        match self {
            Gap::PastLimits(left) => write!(
                f,
                "partial: {} past the limits of one index; narrow it: --project DIR, or --path P",
                files(*left as u64)
            ),
            Gap::NotListed(folders) => write!(
                f,
                "partial: the listing took too long, {folders} folders were not reached"
            ),
            Gap::TooManyEntries => {
                f.write_str("partial: the tree has more entries than are listed")
            }
            Gap::NotKept(why) => write!(f, "not kept: {why}"),
            Gap::NotRead(changed) => write!(
                f,
                "partial: {} changed and not read yet; memfold update goes on",
                files(*changed as u64)
            ),
            Gap::WordsLost(lacking) => write!(
                f,
                "partial: the words of {} are missing; memfold rebuild --repo",
                files(*lacking)
            ),
        }
    }
}

/// What a search of the repository ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankedFiles {
    /// Files.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
}

/// The best chunk of a file.
#[derive(Clone, Debug, Serialize)]
pub struct RepoHit {
    /// From 1.
    pub rank: usize,
    /// Comparable within one answer only.
    pub score: f64,
    /// The file, from the tree's root.
    pub path: String,
    /// The chunk's first line, from 1.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// Its first line's text.
    pub title: String,
    /// The lines that hold the most of the words, numbered as in the file.
    pub lines: Vec<NumberedLine>,
    /// Words that it does not hold.
    pub missing: Vec<String>,
    /// Other chunks of the file that hold words: first and last line.
    pub also: Vec<(u32, u32)>,
    /// `external:file`: text of a file, not of the person or the agent.
    pub provenance: &'static str,
}

/// What an update of the repository's index did, and what the index covers now.
#[derive(Clone, Debug, Serialize)]
pub struct RepoReport {
    /// The version of this shape.
    pub schema: u32,
    /// The project's name.
    pub project: String,
    /// The tree's root.
    #[serde(serialize_with = "as_text")]
    pub root: PathBuf,
    /// Files that are indexed.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Files that were read now.
    pub read: u64,
    /// Files that are no text.
    pub skipped: u64,
    /// Files that are refused.
    pub refused: u64,
    /// Files that were no longer there.
    pub gone: usize,
    /// Changed files that were not reached.
    pub not_reached: usize,
    /// Everything that was asked for was reached.
    pub complete: bool,
    /// Per file that is left out, why.
    pub left_out: Vec<String>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// What of the notes is about what was not reached.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
    /// How many trees the index knows, how many packs it has, and how many bytes.
    pub trees: u64,
    /// Its packs of words.
    pub packs: u64,
    /// The bytes of all of it.
    pub bytes: u64,
    /// When it was last written.
    pub changed: Option<String>,
    /// How long it took, in microseconds.
    pub micros: u64,
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

/// The logs of a project.
#[derive(Clone, Debug, Serialize)]
pub struct LogList {
    /// The version of this shape.
    pub schema: u32,
    /// The project's name.
    pub project: String,
    /// Newest first.
    pub logs: Vec<LogRow>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// A log on a line.
#[derive(Clone, Debug, Serialize)]
pub struct LogRow {
    /// The task's id.
    pub task: String,
    /// Enough of it to name it.
    pub short: String,
    /// The agent's name.
    pub agent: &'static str,
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written to, as its lines say (RFC 3339, UTC).
    pub time: Option<String>,
    /// Turns, as far as they are known without reading the log.
    pub turns: Option<u32>,
    /// Ranked events, likewise.
    pub events: Option<u32>,
    /// The state of its sidecar, in a word or two.
    pub sidecar: String,
    /// The task's title.
    pub title: String,
    /// The directory it worked in.
    pub cwd: Option<String>,
    /// It is a helper's log.
    pub helper: Option<String>,
    /// It lies in an archive of the agent.
    pub archived: bool,
    /// The agent's own retention deletes it in this many days, if within a week.
    pub deleted_in_days: Option<u32>,
}

/// What a fold, verify or rebuild found and did, log by log.
#[derive(Clone, Debug, Serialize)]
pub struct FoldReport {
    /// The version of this shape.
    pub schema: u32,
    /// In path order.
    pub logs: Vec<FoldRow>,
    /// For `verify` and `rebuild`: files that are not one log's sidecar, where there is something to say of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptRow>,
    /// For `rebuild`: what was done, by kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Sum>,
    /// Logs that were not reached, and why.
    pub notes: Vec<String>,
    /// For `verify`: so many files are wrong.
    pub wrong: usize,
}

/// What was found and done about a file of memfold's that is not one log's sidecar.
#[derive(Clone, Debug, Serialize)]
pub struct KeptRow {
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// What it is.
    pub kind: KeptKind,
    /// What was found.
    pub found: String,
    /// What was done: `nothing`, `rebuilt`, `dropped`, `swept`, `left`, `set aside`, `failed: …`
    pub done: String,
    /// For `verify`: this one is wrong (missing, left over or of another version is said, not wrong).
    pub wrong: bool,
    /// The command that mends it, where one does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<String>,
}

/// What a file of memfold's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptKind {
    /// A log's sidecar.
    Sidecar,
    /// The receipts.
    Receipts,
    /// A log's kept tail.
    Tail,
    /// The roll-up's catalogue.
    Catalogue,
    /// A shard of the roll-up.
    Shard,
    /// What folders held when they were last listed.
    Listings,
    /// A file that a publish which was killed has left.
    Temporary,
    /// A damaged file that was set aside.
    SetAside,
    /// The log of a repository's index.
    IndexLog,
    /// What a repository's index knows of a tree.
    Manifest,
    /// The words of a repository's files.
    Pack,
    /// The note of what a repository's index holds and no tree needs.
    Collection,
    /// Something in the place of one of memfold's folders.
    Folder,
    /// Something that is not memfold's.
    Other,
}

/// How many files of a kind a rebuild did something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// Which kind.
    pub kind: KeptKind,
    /// Made anew from the logs. Of receipts: one for each log.
    pub rebuilt: usize,
    /// Removed, since they belonged to a log that is gone, or to none, or were of no use.
    pub dropped: usize,
    /// Leftovers removed.
    pub swept: usize,
    /// Left as they are: a newer program's, or not ours.
    pub left: usize,
    /// What could not be done; the rows say why.
    pub failed: usize,
}

/// What became of one log's sidecar.
#[derive(Clone, Debug, Serialize)]
pub struct FoldRow {
    /// The log (or a sidecar whose log is gone).
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// A stable word for what was found: `current`, `appended`, `missing`, `log-truncated`, …
    pub verdict: &'static str,
    /// The verdict in words, with where.
    pub found: String,
    /// What was done: `nothing`, `extended`, `folded`, `set aside, folded again`, `left`, `removed`, `failed: …`
    pub done: String,
    /// For `verify`: this one is wrong (missing or behind is said, not wrong).
    pub wrong: bool,
    /// The log's size.
    pub bytes: u64,
    /// The sidecar's size now.
    pub sidecar_bytes: Option<u64>,
    /// Ranked events covered.
    pub events: Option<u32>,
    /// Turns covered.
    pub turns: Option<u32>,
    /// For `verify`: the command that mends it, where it is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<String>,
}

/// What memfold holds.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The version of this shape.
    pub schema: u32,
    /// The project's name.
    pub project: String,
    /// The project's folder.
    #[serde(serialize_with = "as_text")]
    pub root: PathBuf,
    /// May an agent search this project's earlier tasks?
    pub earlier: bool,
    /// The project's logs.
    pub logs: usize,
    /// Their bytes.
    pub log_bytes: u64,
    /// Logs by agent.
    pub agents: Vec<(String, usize)>,
    /// Sidecars of these logs.
    pub sidecars: usize,
    /// Their bytes.
    pub sidecar_bytes: u64,
    /// Ranked events in them.
    pub events: u64,
    /// Turns in them.
    pub turns: u64,
    /// When the newest log was last written to.
    pub newest: Option<String>,
    /// Whether what agents ask is recorded.
    pub records: bool,
    /// The bytes of that record.
    pub record_bytes: u64,
    /// Where memfold writes.
    #[serde(serialize_with = "as_text")]
    pub data_dir: PathBuf,
    /// The switch's file is here.
    #[serde(serialize_with = "as_text")]
    pub config_dir: PathBuf,
    /// Receipts, and sidecars of folders that cannot be written.
    #[serde(serialize_with = "as_text")]
    pub cache_dir: PathBuf,
    /// Per log that is left out or behind, why.
    pub left_out: Vec<String>,
    /// The repository's index, where there is one.
    pub repository: Option<RepoReport>,
}

/// What `forget` removed.
#[derive(Clone, Debug, Serialize)]
pub struct Forgotten {
    /// The version of this shape.
    pub schema: u32,
    /// Sidecars removed.
    pub sidecars: usize,
    /// Other files removed.
    pub files: usize,
    /// Bytes freed.
    pub bytes: u64,
    /// What could not be removed.
    pub notes: Vec<String>,
}

/// The host's own command that continues a task.
#[derive(Clone, Debug, Serialize)]
pub struct ResumeCommand {
    /// The task's id.
    pub task: String,
    /// The agent's name.
    pub agent: &'static str,
    /// Program and arguments.
    pub command: Vec<String>,
    /// The directory to run it in.
    pub directory: Option<String>,
}

/// The switch of a project.
#[derive(Clone, Debug, Serialize)]
pub struct EarlierSwitch {
    /// The project's folder.
    #[serde(serialize_with = "as_text")]
    pub project: PathBuf,
    /// May an agent search this project's earlier tasks?
    pub on: bool,
    /// The file that says so.
    #[serde(serialize_with = "as_text")]
    pub file: PathBuf,
}

/// A path as JSON's text: what is no Unicode in it is replaced, since JSON has no other text.
pub(crate) fn as_text<S: serde::Serializer>(
    path: &std::path::Path,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
