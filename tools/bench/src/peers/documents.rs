//! Logs as documents for the peers: one for each event that memfold ranks, of the same words. A person's or an agent's text,
//! the calls that a reply makes, a result behind the words of its call.
//!
//! A peer reads the logs with our own framing and translation, since nobody has another program that reads these logs.
//! Is that fair? What it costs is measured alone, in a process of its own, beside a bare typed pass of serde_json over the
//! same lines (`parse.rs`), and a peer is charged the cheaper of the two. It pays for no redaction, no hash, no card, no
//! check, and its index is not read back.
//! What memfold leaves out, the peers do not get either: copies of a line in its own log, a helper's instructions, what a
//! search of earlier tasks returned. Copies in another log are documents to them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_log::event::{Call, Effect, Event, Kind, Part};
use memfold_log::{Form, Lines, Offset, Position};
use memfold_sidecar::LogFile;

use super::Result;

/// A result tells so much of its call again, in bytes, as the fold does.
const CALL_WORDS: usize = 4096;

/// A document's number: its log's place among the logs, and the number of its line there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DocumentId {
    pub(crate) log: u32,
    pub(crate) seq: u32,
}

impl DocumentId {
    /// As one number, which every peer can keep.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.log) << 32 | u64::from(self.seq)
    }

    /// The document of such a number.
    pub(crate) fn of(number: u64) -> DocumentId {
        DocumentId {
            log: (number >> 32) as u32,
            seq: number as u32,
        }
    }
}

/// Gives documents, each with its number.
pub(crate) type Reading<'a> =
    dyn FnMut(&mut dyn FnMut(DocumentId, &str) -> Result<()>) -> Result<()> + 'a;

/// The logs below a folder, by path.
pub(crate) fn logs_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut logs = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if matches!(Form::of(&path), Some(Form::Lines | Form::CompressedLines)) {
                logs.push(path);
            }
        }
    }
    logs.sort();
    Ok(logs)
}

/// Hands on every document of the logs, in their order.
pub(crate) fn read_documents(
    logs: &[PathBuf],
    each: &mut impl FnMut(DocumentId, &str) -> Result<()>,
) -> Result<()> {
    for (number, log) in (0..).zip(logs) {
        read_log(number, log, each)?;
    }
    Ok(())
}

/// Hands on every document of a log. One of no agent that is known has none.
pub(crate) fn read_log(
    number: u32,
    path: &Path,
    each: &mut impl FnMut(DocumentId, &str) -> Result<()>,
) -> Result<()> {
    let file = LogFile::open(path, Form::of(path).unwrap_or(Form::Lines))?;
    let Some(agent) = agent_of(&file)? else {
        return Ok(());
    };
    let mut lines = lines_of(&file)?;
    let mut log = Log::default();
    while let Some(line) = lines.next(&mut |_| {})? {
        let seq = u32::try_from(line.seq.get())?;
        let Some(Ok(reading)) = line.text().map(|text| agent.read(text)) else {
            continue;
        };
        if log.helper.is_none() {
            log.helper = reading
                .facts
                .task
                .as_ref()
                .map(|_| reading.facts.helper.is_some());
        }
        if let Some(event) = &reading.event
            && log.tell(event)
        {
            each(DocumentId { log: number, seq }, &log.text)?;
        }
    }
    Ok(())
}

/// Whose log it is.
pub(crate) fn agent_of(file: &LogFile) -> Result<Option<&'static dyn Agent>> {
    let head = file.head()?;
    let first: Vec<&[u8]> = head
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    Ok(memfold_agents::detect(file.path(), &first))
}

/// Its lines, framed.
pub(crate) fn lines_of(file: &LogFile) -> Result<Lines<Box<dyn Read + '_>>> {
    let text = file.text(Offset(0))?;
    Ok(match file.text_length() {
        Some(length) => Lines::new(text, Position::START, Offset(length)),
        None => Lines::to_end(text, Position::START),
    })
}

/// What must be remembered of a log while its lines pass.
#[derive(Default)]
struct Log {
    /// Whether it is a helper's, by the first line that names a task.
    helper: Option<bool>,
    seen: HashSet<String>,
    calls: HashMap<String, OpenCall>,
    /// The present document's.
    text: String,
}

/// A call that waits for its result.
struct OpenCall {
    words: String,
    retrieves: bool,
}

impl Log {
    /// Writes what an event says to `text`. Says whether it is a document.
    fn tell(&mut self, event: &Event<'_>) -> bool {
        self.text.clear();
        if matches!(event.kind, Kind::Unranked(_)) || self.is_copy(event) {
            return false;
        }
        if event.kind == Kind::Person && self.helper == Some(true) {
            return false;
        }
        for part in &event.parts {
            match part {
                Part::Text(text) => self.add(text),
                Part::Call(call) if call.effect == Effect::Retrieves => {}
                Part::Call(call) => {
                    for text in [&call.tool, &call.arguments, &call.names] {
                        self.add(text);
                    }
                }
                Part::Output(output) => match self.calls.remove(&*output.call) {
                    Some(call) if call.retrieves => {}
                    Some(call) => {
                        self.add(&call.words);
                        self.add(&output.text);
                    }
                    None => self.add(&output.text),
                },
            }
        }
        for part in &event.parts {
            if let Part::Call(call) = part {
                self.open(call);
            }
        }
        !self.text.is_empty()
    }

    fn add(&mut self, text: &str) {
        if !text.trim().is_empty() {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(text);
        }
    }

    fn open(&mut self, call: &Call<'_>) {
        let mut words = format!("{}\n{}", call.tool, call.arguments);
        while words.len() > CALL_WORDS {
            words.pop();
        }
        let retrieves = call.effect == Effect::Retrieves;
        self.calls
            .insert(call.id.to_string(), OpenCall { words, retrieves });
    }

    fn is_copy(&mut self, event: &Event<'_>) -> bool {
        match &event.identity.id {
            Some(id) => !self.seen.insert(id.to_string()),
            None => false,
        }
    }
}
