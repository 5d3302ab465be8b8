//! What a front end asks of the engine.

use std::path::PathBuf;

use memfold_fold::document::DocumentKind;
use memfold_log::Timestamp;

use crate::conversation::{Conversation, HostId};

/// On whose behalf the engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A person at a terminal: reads any task.
    Person,
    /// An agent: reads earlier tasks only where a person turned that on.
    Agent,
}

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One log.
    Conversation,
    /// The project's logs.
    Earlier,
}

/// Which logs a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Logs {
    /// The project's, as the agents' stores hold them.
    Project,
    /// Every project's. A person only.
    Everywhere,
    /// All logs below these folders, whatever their project.
    Below(Vec<PathBuf>),
    /// This one file.
    File(PathBuf),
    /// The conversation that asks, its helpers' logs included. Its own to read, whatever the switch says.
    Conversation(Conversation),
    /// The project's, without the conversation that asks.
    Others(Conversation),
    /// Every project's of which a person allowed it, without the conversation that asks: only where the person's own
    /// configuration lets the session tools reach so far.
    Allowed(Option<Conversation>),
}

/// A search of sessions.
#[derive(Clone, Debug)]
pub struct Search {
    /// What is asked, as typed: words, names, `"quoted phrases"`.
    pub query: String,
    /// Where.
    pub logs: Logs,
    /// How many events the answer holds at most.
    pub limit: usize,
    /// Only events that pass, applied before ranking.
    pub filter: Filter,
}

impl Search {
    /// The eight best events for these words.
    pub fn new(query: impl Into<String>, logs: Logs) -> Search {
        Search {
            query: query.into(),
            logs,
            limit: 8,
            filter: Filter::default(),
        }
    }
}

/// Which events may be answered with.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only these agents' logs (by name or short name); empty for all.
    pub agents: Vec<String>,
    /// Only these kinds; empty for all.
    pub kinds: Vec<DocumentKind>,
    /// Only events at or after this moment.
    pub since: Option<Timestamp>,
    /// Only events before this moment.
    pub until: Option<Timestamp>,
    /// Only turns whose card names a path that is, ends with, or lies below this one.
    pub path: Option<String>,
}

/// One event to read back.
#[derive(Clone, Debug)]
pub struct Recall {
    /// `TASK:SEQ`, or `SEQ` alone with [`Logs::File`] and [`Logs::Conversation`].
    pub address: String,
    /// Where the task's log is looked for.
    pub logs: Logs,
    /// The first line of the event's text to show, from 1.
    pub start: u64,
    /// How many lines at most; 80 unless given.
    pub count: u64,
}

impl Recall {
    /// An event's first page, of 80 lines.
    pub fn new(address: impl Into<String>, logs: Logs) -> Recall {
        Recall {
            address: address.into(),
            logs,
            start: 1,
            count: 80,
        }
    }
}

/// A search of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepoSearch {
    /// Words, names and "quoted phrases".
    pub query: String,
    /// Only this file, or the files below this folder: absolute, or from the folder where the call stands.
    pub path: Option<String>,
    /// How many files to answer with at most.
    pub limit: usize,
    /// On whose account.
    pub cause: Cause,
}

/// An update of the repository's index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepoUpdate {
    /// A folder or file to index whole, ignored files too: absolute, or from the folder where the call stands.
    pub path: Option<String>,
    /// On whose account.
    pub cause: Cause,
}

/// What a front end knows of who had the repository searched or updated. The index's events name it, and nothing is decided by it:
/// it need not be proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The conversation; else the one in whose shell we run, where its host says which.
    pub session: Option<HostId>,
    /// The model's call.
    pub call: Option<HostId>,
}

/// What is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Logs, or folders of logs; the project's logs if there are none.
    pub paths: Vec<PathBuf>,
    /// Whether the agents' expressions are asked again.
    pub replay: Replay,
}

/// Whether the agents' regular expressions are asked again as plain words of the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replay {
    /// They are not.
    #[default]
    Left,
    /// They are.
    Made,
}
