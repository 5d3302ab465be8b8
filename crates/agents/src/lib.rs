//! The agents whose logs memfold reads: where each keeps its logs, how to tell them, and what one of their lines says.
//! Relies on `memfold-log` for the event model. Touches no file: paths, settings and first lines are given to it.
//!
//! Translation is stateless, line by line. Pairing results with calls, dropping copies and numbering turns is the fold's.
//!
//! # Adding an agent
//!
//! 1. One file here, `src/<agent>.rs` (a folder if it needs more), with a unit struct that implements [`Agent`]. Declare
//!    the fields it reads with `json::object!`: unknown ones are skipped, odd ones count as absent. `message::Said` reads
//!    blocks, `call::call` knows tools by name, `wrapped` takes a host's tags off, `output` makes results readable.
//!    A log that is one JSON document names its array ([`Agent::messages`]); one that can go back says so ([`Reading::course`]).
//! 2. A line in `AGENTS`, before any agent whose logs could be mistaken for its own.
//! 3. Made-up logs in `corpus/<agent>/`, one per trait, each beside its expected readings (`.readings`); `tests/corpus.rs`
//!    finds them. A row for each store in `tests/tests/agents.rs`. Real logs never enter the project.
//!
//! Whoever changes what a line of an agent translates to raises that agent's [`Agent::version`].

mod aider;
mod amp;
mod call;
mod claude_code;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod deepcode;
mod droid;
mod dsh;
mod gemini;
mod goose;
mod in_tree;
mod input;
mod json;
mod kimi;
mod line;
mod message;
mod object_writer;
mod opencode;
mod output;
mod own;
mod owned;
mod patch;
mod peek;
mod pi;
mod qwen;
mod scan;
pub mod seek;
mod shell;
mod store;
pub mod tables;
mod wrapped;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::event::{Facts, Reading};

pub use in_tree::{WORK_TREES, is_state_in_tree};
pub use memfold_log::Form;
pub use store::{Days, PathFacts, Resume, Store};
use tables::Tables;

/// Every agent, in the order they are asked whether a log is theirs.
static AGENTS: &[&dyn Agent] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini::Gemini,
    &qwen::Qwen,
    &pi::Pi,
    &copilot::Copilot,
    &droid::Droid,
    &cursor::Cursor,
    &kimi::Kimi,
    &dsh::Dsh,
    &deepcode::Deepcode,
    &opencode::OpenCode,
    &goose::Goose,
    &amp::Amp,
    &cline::Roo,
    &cline::Cline,
    &aider::Aider,
    &own::Own,
];

/// Every agent we read, in the order they are asked whether a log is theirs.
///
/// ```
/// let names: Vec<_> = memfold_agents::all().iter().map(|agent| agent.name()).collect();
/// assert!(names.contains(&"claude-code") && names.contains(&"gemini"));
/// ```
pub fn all() -> &'static [&'static dyn Agent] {
    AGENTS
}

/// The agent of this name, in full or short (`claude-code`, `claude`).
pub fn by_name(name: &str) -> Option<&'static dyn Agent> {
    AGENTS
        .iter()
        .copied()
        .find(|agent| agent.name() == name || agent.short_name() == name)
}

/// Whose log this is, judged by its first lines, else by its path. A last line that is cut short may be among them.
///
/// ```
/// use std::path::Path;
/// let first = br#"{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"0199-a","cwd":"/p"}}"#;
/// let agent = memfold_agents::detect(Path::new("copy.jsonl"), &[first]).unwrap();
/// assert_eq!(agent.name(), "codex");
/// ```
pub fn detect(path: &Path, first_lines: &[&[u8]]) -> Option<&'static dyn Agent> {
    let by_lines = AGENTS
        .iter()
        .copied()
        .find(|agent| agent.claims(first_lines));
    by_lines.or_else(|| AGENTS.iter().copied().find(|agent| agent.claims_path(path)))
}

/// One agent: where its logs lie, how to tell them, what their lines say.
pub trait Agent: Sync {
    /// Its name, as options and answers have it: `claude-code`.
    fn name(&self) -> &'static str;

    /// Its name where space is short: `claude`.
    fn short_name(&self) -> &'static str {
        self.name()
    }

    /// The version of this translation: part of a sidecar's fold parameters.
    fn version(&self) -> u32;

    /// The folders that hold its logs, by the environment and the home directory. They need not exist.
    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store>;

    /// Names of logs that lie in a project's own folder.
    fn in_projects(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a file below a store could be one of its logs, by its name alone, and in which form.
    fn names(&self, path_below_store: &Path) -> Option<Form>;

    /// The tables of its database, for an agent that keeps many sessions in one. Each session is a log.
    fn tables(&self) -> Option<&'static Tables> {
        None
    }

    /// Whether a log is its own, by its first lines. The last of them may be cut short.
    fn claims(&self, first_lines: &[&[u8]]) -> bool;

    /// Whether the path says that a log is its own, where its lines do not tell.
    fn claims_path(&self, path: &Path) -> bool;

    /// What the path says of a log. Where it names a task, it is right and the lines may be a copy's.
    fn facts_from_path(&self, path: &Path) -> PathFacts;

    /// Translates one line. Pure: depends on the line alone.
    ///
    /// A log may hold lines that it copied from others. Task, parent, fork and helper are those of the first line that
    /// names a task; what later lines say of these is of the task they were copied from.
    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine>;

    /// The keys that lead to the array of messages in a whole-file log ([`Form::Document`]); none where the document is
    /// the array.
    fn messages(&self) -> &'static [&'static str] {
        &[]
    }

    /// What a whole-file log says of itself: `document` is the document with that array emptied.
    fn read_document<'a>(&self, document: &'a [u8]) -> Facts<'a> {
        self.read(document)
            .map(|reading| reading.facts)
            .unwrap_or_default()
    }

    /// Another file, which tells the same task more fully if it is there: the log then does not count.
    fn told_by(&self, _log: &Path) -> Option<PathBuf> {
        None
    }

    /// Files that say where a log's task worked, where its lines do not, the surer first. They need not exist.
    fn place_files(&self, _log: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Where a log's task worked, by the text of one of these files.
    fn place_in<'t>(&self, _log: &Path, _file: &Path, _text: &'t str) -> Option<Cow<'t, str>> {
        None
    }

    /// Whether a log's path says that its task worked in this directory, in a way that names no directory: by a hash.
    fn worked_in(&self, _log: &Path, _directory: &Path) -> bool {
        false
    }

    /// The agent's own command that continues a task. None where there is none, as for a sub-agent.
    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume>;

    /// The file of the agent's settings, if they say how long it keeps its logs.
    fn settings(
        &self,
        _env: &dyn Fn(&str) -> Option<OsString>,
        _home: Option<&Path>,
    ) -> Option<PathBuf> {
        None
    }

    /// How many days the agent keeps its logs, if it sweeps them, given the text of its settings.
    fn retention(&self, settings: Option<&str>) -> Option<Days>;
}

/// Why a line of a log could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALine {
    /// Not JSON, or only a part of it.
    #[error("not JSON")]
    NotJson,
    /// JSON, but no object.
    #[error("not a JSON object")]
    NotAnObject,
}
