//! What there is: the logs of a project, the turns of a log, the command that continues a task, the state of it all.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use memfold_agents::Days;
use memfold_disk::{Identity, Links};
use memfold_log::Timestamp;
use memfold_sidecar::{Place, Receipt, Receipts, beside};

use crate::about::About;
use crate::address::Addresses;
use crate::answer::{Cards, LogList, LogRow, ResumeCommand, Status};
use crate::catalogue::LogEntry;
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::Quiet;
use crate::recall::turn_card;
use crate::request::{Logs, Viewer};
use crate::visible::visible;

/// A log that its agent deletes within so many days is marked.
const SOON: u32 = 7;
const DAY_NS: i64 = 86_400_000_000_000;

impl Memfold {
    /// The logs there are, newest first. Reads of a log no more than its first lines, and that only where no receipt tells.
    ///
    /// # Errors
    /// If it is not allowed, or the folder that is named cannot be read.
    pub fn logs(&self, logs: &Logs) -> Result<LogList, Error> {
        let receipts = self.receipts();
        let found = self.find(logs, &receipts)?;
        self.allow(logs, &found.logs, &receipts)?;
        let retention = self.retention();
        let mut rows: Vec<(Option<i64>, LogRow)> = found
            .logs
            .iter()
            .map(|entry| self.row(entry, &receipts, &retention))
            .collect();
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
        let mut rows: Vec<LogRow> = rows.into_iter().map(|(_, row)| row).collect();
        let addresses = Addresses::new(rows.iter().map(|row| row.task.as_str()));
        for row in &mut rows {
            row.short = addresses.short(&row.task);
        }
        let mut notes = found.notes;
        if rows.is_empty() {
            notes.push(format!(
                "no agent's log of {} was found",
                self.project().display()
            ));
        }
        Ok(LogList {
            schema: 1,
            project: self.project_name(),
            logs: rows,
            notes,
        })
    }

    fn row(
        &self,
        entry: &LogEntry,
        receipts: &Receipts,
        retention: &Retention,
    ) -> (Option<i64>, LogRow) {
        let receipt = receipts.of(&entry.path);
        let about = self.glance(entry, receipts);
        let written = about.ended.or(Some(entry.identity.mtime_ns / 1_000_000));
        let row = LogRow {
            short: String::new(),
            agent: entry.agent.name(),
            path: entry.path.clone(),
            bytes: entry.bytes,
            time: written.map(|time| Timestamp(time).rfc3339()),
            turns: receipt.map(|receipt| receipt.turns),
            events: receipt.map(|receipt| receipt.documents),
            sidecar: self.sidecar_state(entry, receipt).to_owned(),
            title: visible(&about.title).into_owned(),
            cwd: about
                .cwd
                .map(|cwd| visible(&memfold_redact::redact(&cwd)).into_owned()),
            helper: about.helper,
            task: about.task,
            archived: entry.archived,
            deleted_in_days: retention.days_left(entry),
        };
        (written, row)
    }

    /// The state of a log's sidecar as far as stat tells it.
    fn sidecar_state(&self, entry: &LogEntry, receipt: Option<&Receipt>) -> &'static str {
        let Some(receipt) = receipt else {
            return if beside(&entry.path).exists() {
                "not proved here"
            } else {
                "none"
            };
        };
        match Identity::at(self.sidecar_path(entry, receipt), Links::Refuse) {
            Err(_) => "none",
            Ok(now) if now != Identity::from_bytes(&receipt.sidecar) => "changed",
            Ok(_) if entry.identity == Identity::from_bytes(&receipt.log) => "current",
            // A database that grew, by another session perhaps.
            Ok(_) if entry.session.is_some() => "to be proved",
            Ok(_) if entry.identity.size > Identity::from_bytes(&receipt.log).size => "behind",
            Ok(_) => "to be proved",
        }
    }

    pub(crate) fn sidecar_path(&self, entry: &LogEntry, receipt: &Receipt) -> PathBuf {
        match receipt.place {
            Place::Beside => beside(&entry.path),
            Place::Cache => self.keeper().kept_in_cache(&entry.path, entry.agent),
        }
    }

    /// How long each agent keeps its logs, by its own settings.
    fn retention(&self) -> Retention {
        let home = self.variable("HOME").map(PathBuf::from);
        let days = memfold_agents::all()
            .iter()
            .filter_map(|agent| {
                let settings = agent
                    .settings(&|name| self.variable(name), home.as_deref())
                    .and_then(|file| fs::read_to_string(file).ok());
                Some((agent.name(), agent.retention(settings.as_deref())?))
            })
            .collect();
        Retention {
            days,
            now_ns: now_ns(),
        }
    }

    /// The log written to last, helpers' aside.
    fn newest(&self, logs: &Logs, receipts: &Receipts) -> Result<LogEntry, Error> {
        let found = self.find(logs, receipts)?;
        self.allow(logs, &found.logs, receipts)?;
        let own = found
            .logs
            .into_iter()
            .filter(|entry| self.glance(entry, receipts).helper.is_none());
        own.max_by_key(|entry| entry.identity.mtime_ns)
            .ok_or_else(|| Error::NotFound {
                what: format!("no agent's log of {} was found", self.project().display()),
                hint: "give a task's id as memfold logs lists them, or --log FILE".to_owned(),
            })
    }

    /// The cards of a task (its id, or a prefix of it), of one log, or of the log written to last.
    ///
    /// # Errors
    /// If there is no such task or log, or it is not allowed.
    pub fn cards(&self, task: Option<&str>, logs: &Logs) -> Result<Cards, Error> {
        let mut receipts = self.receipts();
        let entry = match (task, logs) {
            (Some(task), logs) => self.log_of(task, logs, &receipts)?,
            (None, Logs::File(path)) => {
                let entry = self.entry(path, &receipts)?;
                self.allow(logs, std::slice::from_ref(&entry), &receipts)?;
                entry
            }
            (None, logs) => self.newest(logs, &receipts)?,
        };
        let mut notes = Vec::new();
        let mut ready = self.one(entry, &mut receipts, &Quiet, &mut notes)?;
        if ready.all_cards().is_err() {
            ready = self.again(ready, &mut receipts, &mut notes)?;
        }
        let cards = ready.all_cards().map_err(|error| Error::File {
            path: ready.entry.path.clone(),
            what: error.to_string(),
            hint: "try: memfold rebuild".to_owned(),
        })?;
        let (_, mut log) = self.row(&ready.entry, &receipts, &Retention::default());
        // The open turn counts too.
        log.turns = cards.last().map(|card| card.turn).or(log.turns);
        log.events = Some(ready.documents());
        log.short = Addresses::new(std::iter::once(log.task.as_str())).short(&log.task);
        let cards = (0u32..)
            .zip(&cards)
            .map(|(number, card)| turn_card(&ready, number, card))
            .collect();
        Ok(Cards {
            schema: 1,
            log,
            cards,
            notes,
        })
    }

    /// The host's own command that continues a task.
    ///
    /// # Errors
    /// If there is no such task, or its host has no such command.
    pub fn resume(&self, task: &str) -> Result<ResumeCommand, Error> {
        let receipts = self.receipts();
        let logs = if self.viewer() == Viewer::Person {
            Logs::Everywhere
        } else {
            Logs::Project
        };
        let entry = self.log_of(task, &logs, &receipts)?;
        let About { task, cwd, .. } = self.glance(&entry, &receipts);
        match entry.agent.resume(&task, cwd.as_deref()) {
            Some(resume) => Ok(ResumeCommand {
                task,
                agent: entry.agent.name(),
                command: std::iter::once(resume.program.to_owned())
                    .chain(resume.arguments)
                    .collect(),
                directory: resume.directory,
            }),
            None => Err(Error::NotFound {
                what: format!(
                    "{} has no command that continues {task}",
                    entry.agent.name()
                ),
                hint: "a helper's task is continued through its parent's".to_owned(),
            }),
        }
    }

    /// What memfold holds for the project.
    ///
    /// # Errors
    /// If the switches cannot be read.
    pub fn status(&self) -> Result<Status, Error> {
        let receipts = self.receipts();
        let found = self.find(&Logs::Project, &receipts)?;
        let mut status = Status {
            schema: 1,
            project: self.project_name(),
            root: self.project().to_owned(),
            earlier: self.switch().is_on(self.project())?,
            logs: found.logs.len(),
            log_bytes: found.logs.iter().map(|log| log.bytes).sum(),
            agents: Vec::new(),
            sidecars: 0,
            sidecar_bytes: 0,
            events: 0,
            turns: 0,
            newest: None,
            records: self.records(),
            record_bytes: self.record_bytes(),
            data_dir: self.dirs().data.clone(),
            config_dir: self.dirs().config.clone(),
            cache_dir: self.dirs().cache.clone(),
            left_out: found.notes,
            repository: None,
        };
        match self.repo_status_if_any() {
            Some(Ok(report)) => status.repository = Some(report),
            Some(Err(error)) => status.left_out.push(format!("the repository: {error}")),
            None => {}
        }
        let mut agents: BTreeMap<&str, usize> = BTreeMap::new();
        let mut newest = None;
        for entry in &found.logs {
            *agents.entry(entry.agent.name()).or_default() += 1;
            let receipt = receipts.of(&entry.path);
            newest = newest.max(
                receipt
                    .and_then(|receipt| receipt.ended)
                    .or(Some(entry.identity.mtime_ns / 1_000_000)),
            );
            let state = self.sidecar_state(entry, receipt);
            if let Some(receipt) = receipt
                && let Ok(sidecar) = Identity::at(self.sidecar_path(entry, receipt), Links::Refuse)
            {
                status.sidecars += 1;
                status.sidecar_bytes += sidecar.size;
                status.events += u64::from(receipt.documents);
                status.turns += u64::from(receipt.turns);
            }
            if state != "current" {
                status
                    .left_out
                    .push(format!("{}: sidecar {state}", entry.path.display()));
            }
        }
        status.newest = newest.map(|time| Timestamp(time).rfc3339());
        status.agents = agents
            .into_iter()
            .map(|(agent, logs)| (agent.to_owned(), logs))
            .collect();
        Ok(status)
    }
}

/// How long agents keep their logs.
#[derive(Default)]
struct Retention {
    days: Vec<(&'static str, Days)>,
    now_ns: i64,
}

impl Retention {
    /// In how many days the agent deletes a log, if soon. Only what lies in its own store is swept.
    fn days_left(&self, entry: &LogEntry) -> Option<u32> {
        let (_, Days(days)) = self
            .days
            .iter()
            .find(|(agent, _)| *agent == entry.agent.name() && entry.in_store)?;
        let age =
            u32::try_from(self.now_ns.saturating_sub(entry.identity.mtime_ns).max(0) / DAY_NS)
                .ok()?;
        let left = days.saturating_sub(age);
        (left <= SOON).then_some(left)
    }
}

fn now_ns() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}
