//! Which log is that of the conversation that asks. A host says something of it, and a log must prove it: the newest log is
//! never taken on trust, it may be another task's. Relies on stores' logs alone; what a host says is never used as a path.

use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::memmem;
use memfold_log::event::{Call, Part};
use memfold_log::{Form, Offset};
use memfold_sidecar::Receipts;

use crate::about::About;
use crate::catalogue::LogEntry;
use crate::engine::Memfold;

/// A call that is being made stands in the last lines of a log that is being written: so many bytes from the end, among so many
/// logs that were written to last. Few logs end in lines so long that the call stands further from the end.
const REACHES: [(u64, usize); 2] = [(256 << 10, 48), (4 << 20, 8)];
const FAR: u64 = REACHES[1].0;

/// An id as a host gives it: of a shape that ids have, and so neither a path nor a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostId(String);

impl HostId {
    /// Longer ones are none.
    const LONGEST: usize = 128;

    /// An id, if the text has the shape of one: letters, digits, `-`, `_`, and `.` inside.
    ///
    /// ```
    /// use memfold::HostId;
    ///
    /// assert!(HostId::parse("3f9a1c02-5d1e-4c7a-9b60-0000000000aa").is_some());
    /// assert!(HostId::parse("toolu_01AbC").is_some());
    /// assert!(HostId::parse("../../etc/passwd").is_none());
    /// assert!(HostId::parse("..").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<HostId> {
        let letters = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
        let inside = !text.starts_with('.') && !text.ends_with('.');
        (letters && inside && (4..=HostId::LONGEST).contains(&text.len()))
            .then(|| HostId(text.to_owned()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a host says of the conversation that a call belongs to. A hint until a log proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The id of this very call: the log that makes it is the conversation's.
    Call(HostId),
    /// The conversation's id, as the host says now.
    Task(HostId),
    /// The conversation's id, as the host said when our process began. It may have been cleared or resumed since.
    TaskAtStart {
        /// The id.
        id: HostId,
        /// When our process began, in nanoseconds since 1970.
        began_ns: i64,
        /// The tool that is being called.
        tool: &'static str,
    },
}

/// A conversation whose log was found. Only [`Memfold::prove`] makes one, so having one is the right to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    log: PathBuf,
    task: String,
    agent: &'static str,
    cwd: Option<PathBuf>,
}

impl Conversation {
    /// The log of whoever asks: the conversation's main log, or that of its helper.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// The task's id; a helper's is its parent's with its own.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// The agent that holds it.
    pub(crate) fn agent(&self) -> &'static str {
        self.agent
    }

    /// Where it worked, if its log says it.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// The id of the conversation, without a helper's label.
    pub fn main(&self) -> &str {
        self.task
            .split_once('/')
            .map_or(&self.task, |(main, _)| main)
    }

    /// Whether a task is this conversation's main task or one of its helpers'.
    fn holds(&self, task: &str) -> bool {
        task.strip_prefix(self.main())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A log of this project proves it.
    Proved(Conversation),
    /// A log proves it, and its task works elsewhere.
    Elsewhere {
        /// Where, if the log says it.
        cwd: Option<PathBuf>,
    },
    /// No log proves it.
    Unproved,
}

impl Memfold {
    /// Looks for the log that proves a claim. `known` is the conversation that was proved last: most likely it is still that.
    /// A store that cannot be read proves nothing.
    pub fn prove(&self, claim: &Claim, known: Option<&Conversation>) -> Proof {
        let receipts = self.receipts();
        if let Some(known) = known
            && self.still(known, claim, &receipts)
        {
            return Proof::Proved(known.clone());
        }
        self.projects().forget();
        self.places().forget();
        let logs = self.in_stores(&receipts, None).logs;
        let of = match claim {
            Claim::Call(call) => maker_of(call, &logs),
            Claim::Task(task) => self.log_of_id(task, &logs, &receipts),
            Claim::TaskAtStart { id, .. } => self.log_of_id(id, &logs, &receipts),
        };
        let Some(entry) = of else {
            return Proof::Unproved;
        };
        let about = self.glance(entry, &receipts);
        if !self.is_ours(entry, &receipts) {
            return Proof::Elsewhere {
                cwd: about.cwd.map(PathBuf::from),
            };
        }
        let conversation = Conversation {
            log: entry.path.clone(),
            task: about.task,
            agent: entry.agent.name(),
            cwd: about.cwd.map(PathBuf::from),
        };
        if let Claim::TaskAtStart { began_ns, tool, .. } = claim {
            // A session that was written to since may be the one that the host went over to.
            let since = logs.iter().any(|log| {
                log.identity.mtime_ns >= *began_ns
                    && log.agent.name() == conversation.agent
                    && self.is_ours(log, &receipts)
                    && !self.is_of(&conversation, log, &receipts)
            });
            if since && !waits_for(entry, tool) {
                return Proof::Unproved;
            }
        }
        Proof::Proved(conversation)
    }

    /// Whether what was proved last proves this claim too. It may have been proved for another project.
    fn still(&self, known: &Conversation, claim: &Claim, receipts: &Receipts) -> bool {
        let holds = |entry: &LogEntry| match claim {
            Claim::Call(call) => REACHES
                .iter()
                .any(|(bytes, _)| makes_call(entry, call, *bytes)),
            Claim::Task(task) => known.task == task.as_str(),
            Claim::TaskAtStart { .. } => false,
        };
        self.entry(&known.log, receipts)
            .is_ok_and(|entry| holds(&entry) && self.is_ours(&entry, receipts))
    }

    /// The log of a task, by its whole id.
    fn log_of_id<'l>(
        &self,
        id: &HostId,
        logs: &'l [LogEntry],
        receipts: &Receipts,
    ) -> Option<&'l LogEntry> {
        let is_it = |log: &&LogEntry| self.glance(log, receipts).task == id.as_str();
        // Most logs are named by their task.
        let named = |log: &&LogEntry| log.path.to_string_lossy().contains(id.as_str());
        logs.iter().filter(named).find(is_it).or_else(|| {
            let ours = |log: &&LogEntry| self.is_ours(log, receipts);
            logs.iter()
                .filter(|log| !named(log))
                .filter(ours)
                .find(is_it)
        })
    }

    /// Whether a log's task is known to have worked in the project.
    fn is_ours(&self, log: &LogEntry, receipts: &Receipts) -> bool {
        self.belongs(log, self.project(), receipts).unwrap_or(false)
    }

    /// Whether a log is a conversation's: its main log, or one of its helpers'.
    pub(crate) fn is_of(
        &self,
        conversation: &Conversation,
        log: &LogEntry,
        receipts: &Receipts,
    ) -> bool {
        if log.path == conversation.log {
            return true;
        }
        if log.agent.name() != conversation.agent {
            return false;
        }
        let About { task, .. } = self.glance(log, receipts);
        conversation.holds(&task)
    }
}

/// The log that makes a call. The same call in two logs proves neither.
fn maker_of<'l>(call: &HostId, logs: &'l [LogEntry]) -> Option<&'l LogEntry> {
    let mut recent: Vec<&LogEntry> = logs.iter().collect();
    recent.sort_by_key(|log| std::cmp::Reverse(log.identity.mtime_ns));
    for (bytes, count) in REACHES {
        let mut makers = recent
            .iter()
            .take(count)
            .filter(|log| makes_call(log, call, bytes));
        if let Some(maker) = makers.next() {
            return makers.next().is_none().then_some(*maker);
        }
    }
    None
}

/// The last bytes of a log that grows line by line.
fn tail(log: &LogEntry, most: u64) -> Option<Vec<u8>> {
    if log.form != Form::Lines {
        return None;
    }
    let from = log.identity.size.saturating_sub(most);
    let mut bytes = Vec::new();
    let file = log.open();
    file.text(Offset(from))
        .ok()?
        .take(most)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// Whether a log makes a call of this id: as a call, which a text that merely holds the id is not.
fn makes_call(log: &LogEntry, id: &HostId, within: u64) -> bool {
    let Some(bytes) = tail(log, within) else {
        return false;
    };
    let wanted = memmem::Finder::new(id.as_str());
    if wanted.find(&bytes).is_none() {
        return false;
    }
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| wanted.find(line).is_some())
        .any(|line| {
            let mut makes = false;
            each_part(log, line, |part| {
                makes |= matches!(part, Part::Call(call) if call.id == id.as_str());
            });
            makes
        })
}

/// Whether the last lines of a log call a tool of ours and hold no result of it yet.
fn waits_for(log: &LogEntry, tool: &str) -> bool {
    let Some(bytes) = tail(log, FAR) else {
        return false;
    };
    let mut open: Vec<String> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        each_part(log, line, |part| match part {
            Part::Call(call) if is_of_tool(call, tool) => open.push(call.id.clone().into_owned()),
            Part::Output(output) => open.retain(|id| *id != output.call),
            _ => {}
        });
    }
    !open.is_empty()
}

/// However a host spells a server's tools.
fn is_of_tool(call: &Call<'_>, tool: &str) -> bool {
    call.tool
        .replace('-', "_")
        .ends_with(&tool.replace('-', "_"))
}

fn each_part(log: &LogEntry, line: &[u8], mut see: impl FnMut(&Part<'_>)) {
    if let Ok(reading) = log.agent.read(line)
        && let Some(event) = reading.event
    {
        event.parts.iter().for_each(&mut see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_no_path() {
        for id in ["3f9a1c02-5d1e", "toolu_01AbC", "ses_4x.y"] {
            assert_eq!(HostId::parse(id).unwrap().as_str(), id);
        }
        let long = "a".repeat(HostId::LONGEST + 1);
        for other in [
            "", "abc", "..", "....", ".abcd", "a/bcd", "a\\bcd", "a bcd", "äbcd", "abcd\n", &long,
        ] {
            assert_eq!(HostId::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_conversation_holds_its_helpers_and_nobody_elses() {
        let of = |task: &str| Conversation {
            log: PathBuf::new(),
            task: task.to_owned(),
            agent: "claude-code",
            cwd: None,
        };
        for task in ["aaaa", "aaaa/agent-1"] {
            let conversation = of(task);
            assert_eq!(conversation.main(), "aaaa");
            assert!(conversation.holds("aaaa"));
            assert!(conversation.holds("aaaa/agent-2"));
            assert!(!conversation.holds("aaaab"));
            assert!(!conversation.holds("bbbb/aaaa"));
        }
    }
}
