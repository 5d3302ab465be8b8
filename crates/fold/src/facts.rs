//! What a log says of itself as a whole, gathered line by line.

use bincode::{Decode, Encode};
use memfold_log::event::{Facts, Title};

/// The facts of a log. Task, parent, fork and helper are those of the first line that names a task; of the others the first
/// word stands, and a title gives way to a better one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct LogFacts {
    /// The log's own id for its task.
    pub task: Option<String>,
    /// The task that started this one as its helper.
    pub parent: Option<String>,
    /// The task of which this one is a fork.
    pub forked_from: Option<String>,
    /// The label of the helper whose log this is.
    pub helper: Option<String>,
    /// The first working directory, as the log spells it.
    pub cwd: Option<String>,
    /// The first branch.
    pub branch: Option<String>,
    /// The best title so far, redacted.
    pub title: Option<String>,
    title_rank: u8,
    /// The earliest and the latest time a line names, in milliseconds since 1970.
    pub started: Option<i64>,
    /// The latest time a line names.
    pub ended: Option<i64>,
}

impl LogFacts {
    /// Adds what a line says.
    pub fn add(&mut self, facts: &Facts<'_>) {
        if self.task.is_none() {
            keep_first(&mut self.task, facts.task.as_deref());
            // Whose log it is, the first line says that names a task: a later one may be of a helper among the main lines, or
            // a copy out of another log.
            if self.task.is_some() {
                keep_first(&mut self.parent, facts.parent.as_deref());
                keep_first(&mut self.forked_from, facts.forked_from.as_deref());
                keep_first(&mut self.helper, facts.helper.as_deref());
            }
        }
        keep_first(&mut self.cwd, facts.cwd.as_deref());
        keep_first(&mut self.branch, facts.branch.as_deref());
        if let Some(time) = facts.time {
            self.started = Some(self.started.map_or(time.0, |known| known.min(time.0)));
            self.ended = Some(self.ended.map_or(time.0, |known| known.max(time.0)));
        }
        let (rank, text) = match &facts.title {
            Some(Title::Summary(text)) => (1, text),
            Some(Title::Given(text)) => (2, text),
            Some(Title::Person(text)) => (3, text),
            None => return,
        };
        if rank >= self.title_rank && !text.trim().is_empty() {
            self.title_rank = rank;
            self.title = Some(crate::card::headline(&memfold_redact::redact(text)));
        }
    }
}

/// Ids and paths longer than this are no ids and paths, and are not kept.
const FACT_LIMIT: usize = 4096;

fn keep_first(known: &mut Option<String>, said: Option<&str>) {
    if known.is_none()
        && let Some(said) = said
        && !said.is_empty()
        && said.len() <= FACT_LIMIT
    {
        *known = Some(said.to_owned());
    }
}
