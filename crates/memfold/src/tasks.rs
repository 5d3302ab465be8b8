//! Tasks by name: which log a task's id means, without folding more than that one.

use std::path::PathBuf;

use memfold_sidecar::Receipts;

use crate::about::About;
use crate::address::meant;
use crate::catalogue::LogEntry;
use crate::engine::Memfold;
use crate::error::Error;
use crate::peek::peek;
use crate::progress::Progress;
use crate::ready::Ready;
use crate::request::Logs;

impl Memfold {
    /// What is known of a log without folding it: from its receipt, else from its first lines.
    pub(crate) fn glance(&self, entry: &LogEntry, receipts: &Receipts) -> About {
        let receipt = receipts.of(&entry.path);
        if let Some(session) = &entry.session {
            return About::of_session(entry, &session.facts, receipt);
        }
        let about = match receipt {
            Some(receipt) => About::of_receipt(entry, receipt),
            None => {
                let facts = peek(&entry.open(), entry.agent, |facts| {
                    facts.task.is_some() && facts.cwd.is_some()
                });
                About::new(entry, &facts.unwrap_or_default())
            }
        };
        self.placed(entry, about)
    }

    /// What is known of a log, with where its task worked, if the log does not say it.
    pub(crate) fn placed(&self, entry: &LogEntry, about: About) -> About {
        About {
            cwd: about.cwd.or_else(|| self.place(entry)),
            ..about
        }
    }

    /// The log of a task, found among `logs`.
    pub(crate) fn log_of(
        &self,
        task: &str,
        logs: &Logs,
        receipts: &Receipts,
    ) -> Result<LogEntry, Error> {
        let found = self.find(logs, receipts)?;
        self.allow(logs, &found.logs, receipts)?;
        let abouts: Vec<About> = found
            .logs
            .iter()
            .map(|entry| self.glance(entry, receipts))
            .collect();
        let places = meant(task, abouts.iter().map(|about| about.task.as_str()))?;
        match places.as_slice() {
            [] => Err(self.no_task(task, logs, receipts)),
            [place] => found
                .logs
                .into_iter()
                .nth(*place)
                .ok_or_else(|| self.no_task(task, logs, receipts)),
            several => {
                let mut candidates: Vec<String> = several
                    .iter()
                    .filter_map(|place| {
                        let about = abouts.get(*place)?;
                        Some(format!(
                            "{} {} {}",
                            about.task,
                            found.logs.get(*place)?.agent.short_name(),
                            about.title
                        ))
                    })
                    .collect();
                candidates.sort();
                candidates.truncate(12);
                Err(Error::Usage {
                    what: format!("`{task}` means {} tasks", several.len()),
                    hint: format!("give more of the id:\n  {}", candidates.join("\n  ")),
                })
            }
        }
    }

    fn no_task(&self, task: &str, logs: &Logs, receipts: &Receipts) -> Error {
        // Whether it is another project's is for a person to know only.
        let elsewhere = matches!(logs, Logs::Project)
            && self.viewer() == crate::request::Viewer::Person
            && self.find(&Logs::Everywhere, receipts).is_ok_and(|all| {
                let abouts: Vec<About> = all
                    .logs
                    .iter()
                    .map(|entry| self.glance(entry, receipts))
                    .collect();
                meant(task, abouts.iter().map(|about| about.task.as_str()))
                    .is_ok_and(|places| !places.is_empty())
            });
        if elsewhere {
            return Error::NotFound {
                what: format!("task {task} is another project's"),
                hint: "give --project DIR, or -A for all projects".to_owned(),
            };
        }
        Error::NotFound {
            what: format!("there is no task {task} here"),
            hint: "list the tasks with: memfold logs".to_owned(),
        }
    }

    /// One log, its sidecar made again.
    pub(crate) fn again(
        &self,
        ready: Ready,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
    ) -> Result<Ready, Error> {
        let path = ready.entry.path.clone();
        let mut logs = vec![ready];
        self.mend(&mut logs, receipts, notes);
        logs.pop().ok_or_else(|| unreadable(path, notes.pop()))
    }

    /// One log, ready to be read.
    pub(crate) fn one(
        &self,
        entry: LogEntry,
        receipts: &mut Receipts,
        progress: &dyn Progress,
        notes: &mut Vec<String>,
    ) -> Result<Ready, Error> {
        let path = entry.path.clone();
        let batch = self.ready(vec![entry], receipts, progress);
        match batch.ready.into_iter().next() {
            Some(ready) => {
                notes.extend(batch.notes);
                Ok(ready)
            }
            None if batch.left > 0 => Err(Error::File {
                path,
                what: "the log is long, and was not read to its end in time".to_owned(),
                hint: "ask again: it goes on from where it stopped; memfold fold takes the time it needs".to_owned(),
            }),
            None => Err(unreadable(path, batch.notes.into_iter().next())),
        }
    }
}

fn unreadable(path: PathBuf, why: Option<String>) -> Error {
    Error::File {
        path,
        what: why.unwrap_or_else(|| "cannot be read".to_owned()),
        hint: "look whether the file can be read".to_owned(),
    }
}
