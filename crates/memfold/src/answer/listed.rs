//! What there is: the logs of a project, what memfold holds for it, whether agents may search it, how a task goes on.

use std::path::PathBuf;

use serde::Serialize;

use super::{RepoReport, as_text};

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
