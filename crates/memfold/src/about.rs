//! What is known of a log's task: by its path, by its lines, or by the receipt that remembers those.

use memfold_agents::PathFacts;
use memfold_fold::facts::LogFacts;
use memfold_sidecar::Receipt;

use crate::catalogue::LogEntry;

/// What is known of a log's task.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// The task's id; a helper's is its parent's with its own label.
    pub(crate) task: String,
    pub(crate) helper: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) title: String,
    pub(crate) started: Option<i64>,
    pub(crate) ended: Option<i64>,
}

impl About {
    /// What a log's facts and its path say. A path that names the task is right: the lines may be a copy's.
    pub(crate) fn new(entry: &LogEntry, facts: &LogFacts) -> About {
        let title = facts.title.clone().unwrap_or_default();
        About::of(
            entry,
            facts.task.as_deref(),
            facts.parent.as_deref(),
            facts.helper.as_deref(),
        )
        .with(facts.cwd.clone(), title, facts.started, facts.ended)
    }

    pub(crate) fn of_receipt(entry: &LogEntry, receipt: &Receipt) -> About {
        let title = receipt
            .title
            .clone()
            .or_else(|| receipt.request.clone())
            .unwrap_or_default();
        About::of(
            entry,
            receipt.task.as_deref(),
            receipt.parent.as_deref(),
            receipt.helper.as_deref(),
        )
        .with(receipt.cwd.clone(), title, receipt.started, receipt.ended)
    }

    /// What the listing of a session says; it is of now. A session without a title is told by its first request.
    pub(crate) fn of_session(
        entry: &LogEntry,
        facts: &LogFacts,
        receipt: Option<&Receipt>,
    ) -> About {
        let mut about = About::new(entry, facts);
        if about.title.is_empty() {
            about.title = receipt
                .and_then(|receipt| receipt.request.clone())
                .unwrap_or_default();
        }
        about
    }

    pub(crate) fn of(
        entry: &LogEntry,
        task: Option<&str>,
        parent: Option<&str>,
        helper: Option<&str>,
    ) -> About {
        let PathFacts {
            task: path_task,
            parent: path_parent,
            helper: path_helper,
            cwd,
        } = entry.path_facts();
        let helper = path_helper.or_else(|| helper.map(str::to_owned));
        let parent = path_parent.or_else(|| parent.map(str::to_owned));
        let stem = || {
            let name = entry
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            name.split('.').next().unwrap_or_default().to_owned()
        };
        let own = path_task
            .or_else(|| task.map(str::to_owned))
            .unwrap_or_else(stem);
        let task = match (&helper, parent) {
            (Some(helper), Some(parent)) => format!("{parent}/{helper}"),
            // A helper's lines carry its parent's id.
            (Some(helper), None) if own != *helper => format!("{own}/{helper}"),
            _ => own,
        };
        About {
            task,
            helper,
            cwd,
            ..About::default()
        }
    }

    fn with(
        self,
        cwd: Option<String>,
        title: String,
        started: Option<i64>,
        ended: Option<i64>,
    ) -> About {
        About {
            cwd: self.cwd.or(cwd),
            title,
            started,
            ended,
            ..self
        }
    }
}
