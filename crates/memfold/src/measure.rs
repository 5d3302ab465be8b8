//! How agents searched: every line of the logs read and counted, per agent. Relies on `memfold-measure` for what is counted; here
//! is which logs, and what could not be read of them.

use std::collections::BTreeMap;

use memfold_agents::Agent;
use memfold_log::{Content, Position};
use memfold_measure::{Asked, Chain, Measured, Seen, Tally, Task};
use memfold_sidecar::{Enough, Receipts};
use serde::Serialize;

use crate::asked::AskedTally;
use crate::catalogue::LogEntry;
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::Progress;
use crate::replay::ReplayReport;
use crate::request::{Logs, Measure, Replay};

/// How agents searched in some logs.
#[derive(Clone, Debug, Serialize)]
pub struct MeasureReport {
    /// The version of this shape; changes only add.
    pub schema: u32,
    /// The project's name.
    pub project: String,
    /// Everything that was asked for was read.
    pub complete: bool,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// What was counted in all logs.
    pub total: Tally,
    /// The same for each agent, those with the most logs first.
    pub agents: Vec<AgentTally>,
    /// What the project's record says of memfold's own searches, where the project's logs are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedTally>,
    /// Ranked words against the agents' expressions, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayReport>,
}

/// What was counted in the logs of one agent.
#[derive(Clone, Debug, Serialize)]
pub struct AgentTally {
    /// The agent's name.
    pub agent: &'static str,
    /// The counts.
    pub counted: Tally,
}

/// What can be replayed of all logs.
#[derive(Default)]
pub(crate) struct Replayable {
    pub(crate) asked: Vec<Asked>,
    pub(crate) chains: Vec<Chain>,
}

impl Memfold {
    /// Counts how agents searched in the logs that are named: those of the project, or files and folders.
    ///
    /// # Errors
    /// If a path cannot be read, or an agent asks for logs that no person allowed it. Faults of single logs are notes.
    pub fn measure(
        &self,
        request: &Measure,
        progress: &dyn Progress,
    ) -> Result<MeasureReport, Error> {
        let receipts = self.receipts();
        let found = self.named(&request.paths, &receipts)?;
        let logs = match request.paths.as_slice() {
            [] => Logs::Project,
            paths => Logs::Below(paths.to_vec()),
        };
        self.allow(&logs, &found.logs, &receipts)?;
        let mut report = MeasureReport {
            schema: 1,
            project: self.project_name(),
            complete: found.unreadable == 0,
            notes: found.notes,
            total: Tally::default(),
            agents: Vec::new(),
            asked: request.paths.is_empty().then(|| self.asked()),
            replay: None,
        };
        let mut agents: BTreeMap<&'static str, Tally> = BTreeMap::new();
        let mut seen = Seen::default();
        let mut replayable = Replayable::default();
        let mut left = 0;
        progress.begin(
            found.logs.len(),
            found.logs.iter().map(|log| log.bytes).sum(),
        );
        // In their order, so that of an event in several logs the first is counted.
        for entry in &found.logs {
            if progress.stop() {
                left += 1;
                continue;
            }
            let (measured, fault) = self.measured(entry, &mut seen, &receipts);
            if let Some(fault) = fault {
                report
                    .notes
                    .push(format!("{}: {fault}", entry.path.display()));
                report.complete = false;
            }
            report.total.add(&measured.tally);
            agents
                .entry(entry.agent.name())
                .or_default()
                .add(&measured.tally);
            replayable.asked.extend(measured.asked);
            replayable.chains.extend(measured.chains);
            progress.advance(entry.bytes);
        }
        progress.end();
        if left > 0 {
            report.notes.push(format!("{left} logs were not reached"));
            report.complete = false;
        }
        report.agents = agents
            .into_iter()
            .map(|(agent, counted)| AgentTally { agent, counted })
            .collect();
        report
            .agents
            .sort_by_key(|agent| std::cmp::Reverse(agent.counted.logs));
        if request.replay == Replay::Made {
            report.replay = Some(self.replay(&replayable, progress)?);
        }
        Ok(report)
    }

    /// What was counted in a log, and why it could not be read to its end.
    fn measured(
        &self,
        entry: &LogEntry,
        seen: &mut Seen,
        receipts: &Receipts,
    ) -> (Measured, Option<String>) {
        let mut task = Task::new(seen);
        if let Ok(Some(cwd)) = self.cwd(entry, receipts) {
            task.works_in(&cwd);
        }
        let fault = read(entry, entry.agent, &mut task).err();
        (task.finish(), fault)
    }
}

/// Shows a task every line of its log.
fn read(entry: &LogEntry, agent: &dyn Agent, task: &mut Task<'_>) -> Result<(), String> {
    let log = entry.open();
    log.about(agent, |facts| {
        if let Some(cwd) = &facts.cwd {
            task.works_in(cwd);
        }
        Enough::No
    })
    .map_err(|error| error.to_string())?;
    let mut lines = log
        .frames(agent, Position::START)
        .map_err(|error| error.to_string())?;
    loop {
        lines.seek(&mut |_| {}).map_err(|error| error.to_string())?;
        let Some(line) = lines.next(&mut |_| {}).map_err(|error| error.to_string())? else {
            return Ok(());
        };
        let (Content::Text(text) | Content::Clipped { text, .. }) = &line.content else {
            continue;
        };
        // What is no line of the agent's is the fold's to count.
        if let Ok(reading) = agent.read(text) {
            task.line(line.seq, &reading);
        }
    }
}
