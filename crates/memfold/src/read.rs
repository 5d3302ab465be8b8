//! What an event says, read again from its line: redacted by today's rules, and made fit to be shown.
//! A search's best lines and a recall's pages number the lines of the same text.

use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_disk::{Links, Snapshot};
use memfold_fold::document::{Document, DocumentKind, Link};
use memfold_log::event::{Call, Event, Outcome, Part};
use memfold_log::{Offset, Reread};
use memfold_redact::redact;
use memfold_sidecar::LogFile;
use memfold_text::lines::lines;
use memfold_text::shorten;

use crate::long_lines::in_parts;
use crate::visible::visible;

/// A title is cut to so many characters.
const TITLE: usize = 160;

/// An event as it is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    /// What it is, on one line.
    pub(crate) title: String,
    /// Its words, redacted, in lines of which none is too long for a page.
    pub(crate) text: String,
    /// The numbers of the lines that go on from the one before.
    pub(crate) going_on: Vec<u64>,
    pub(crate) exit: Option<i32>,
    pub(crate) failed: bool,
    pub(crate) helper: Option<String>,
    /// A reply's calls, in order.
    pub(crate) calls: Vec<ToldCall>,
    /// Files beside the log that hold the whole of a result's text.
    pub(crate) persisted: Vec<String>,
}

/// A call of a reply.
#[derive(Clone, Debug)]
pub(crate) struct ToldCall {
    pub(crate) title: String,
    /// The line that makes the call holds its result too.
    pub(crate) answered_here: bool,
}

/// Reads an event. `calls` are the links of a result to the calls it answers.
pub(crate) fn tell(
    log: &LogFile,
    agent: &'static dyn Agent,
    document: &Document,
    calls: &[Link],
) -> Result<Told, String> {
    let line = line(log, document.start, document.length)?;
    let event = event(&line, agent)
        .ok_or_else(|| format!("line {} is not the event that was folded", document.seq))?;
    let mut told = Told {
        helper: event.helper.as_deref().map(clean),
        ..Told::default()
    };
    let mut texts: Vec<String> = Vec::new();
    let outputs = event
        .parts
        .iter()
        .filter(|part| matches!(part, Part::Output(_)))
        .count();
    for (number, part) in event.parts.iter().enumerate() {
        match part {
            Part::Text(text) => texts.push(redact(text).into_owned()),
            Part::Call(call) => {
                let title = title_of(call);
                let arguments = redact(&call.arguments);
                // The subject is in the title; what else the arguments say follows.
                let subject = call.subject.trim();
                let more: Vec<&str> = lines(&arguments)
                    .map(|line| line.text)
                    .filter(|line| line.len() < subject.len() || line.trim() != subject)
                    .collect();
                texts.push(title.clone());
                if !more.is_empty() {
                    texts.push(more.join("\n"));
                }
                let answered_here = event.parts.iter().any(|part| {
                    matches!(part, Part::Output(output) if output.call == call.id && !call.id.is_empty())
                });
                told.calls.push(ToldCall {
                    title,
                    answered_here,
                });
            }
            Part::Output(output) => {
                let link = calls
                    .iter()
                    .find(|link| u32::try_from(number).is_ok_and(|number| link.part == number));
                let own = || {
                    let call = event.parts.iter().find_map(|part| match part {
                        Part::Call(call) if call.id == output.call => Some(call),
                        _ => None,
                    });
                    call.filter(|call| !call.id.is_empty()).map(title_of)
                };
                let call = link
                    .and_then(|link| call_title(log, agent, link))
                    .or_else(own)
                    .or_else(|| output.tool.as_deref().map(clean));
                if (outputs > 1 || !told.calls.is_empty())
                    && let Some(call) = &call
                {
                    texts.push(format!("[{call}]"));
                }
                if told.title.is_empty() && document.kind == DocumentKind::Result {
                    told.title = call.unwrap_or_else(|| "a result".to_owned());
                }
                match output.outcome {
                    Outcome::Exit(code) => {
                        told.exit = told.exit.filter(|known| *known != 0).or(Some(code));
                        told.failed |= code != 0;
                    }
                    Outcome::Failed => told.failed = true,
                    Outcome::Unknown => {}
                }
                let whole = output
                    .persisted
                    .as_deref()
                    .map(|named| persisted(log, named));
                match whole {
                    Some(Ok(whole)) => texts.push(redact(&whole).into_owned()),
                    Some(Err(named)) => {
                        told.persisted.push(named);
                        texts.push(redact(&output.text).into_owned());
                    }
                    None => texts.push(redact(&output.text).into_owned()),
                }
            }
        }
    }
    (told.text, told.going_on) = in_parts(texts.join("\n"));
    if told.title.is_empty() {
        let first = told
            .text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or_default();
        told.title = match document.kind {
            DocumentKind::Compaction => clean(&format!("the note of a compaction: {first}")),
            _ => clean(first),
        };
    }
    Ok(told)
}

/// Only the words of an event, redacted: to look for what stands side by side in them. Nobody may learn by a quoted guess
/// whether a secret is there.
pub(crate) fn words_of(
    log: &LogFile,
    agent: &'static dyn Agent,
    document: &Document,
) -> Option<String> {
    let line = line(log, document.start, document.length).ok()?;
    let event = event(&line, agent)?;
    let parts = event.parts.iter().map(|part| match part {
        Part::Text(text) => redact(text),
        Part::Call(call) => redact(&call.arguments),
        Part::Output(output) => redact(&output.text),
    });
    Some(parts.collect::<Vec<_>>().join("\n"))
}

/// The largest output that a host kept in a file of its own and that is read.
const PERSISTED: u64 = 8 << 20;

/// The whole text of an output of which the log holds a preview, from the file that the log names: opened only beneath the
/// session's own folder, wherever its name leads. Else that name.
fn persisted(log: &LogFile, named: &str) -> Result<String, String> {
    let read = || {
        let file = memfold_disk::resolve(Path::new(named)).ok()?;
        let own = memfold_disk::resolve(session_folder(log.path())?).ok()?;
        if file == own || !memfold_disk::is_below(&file, &own) {
            return None;
        }
        let file = Snapshot::open(&file, Links::Refuse)
            .ok()
            .filter(|file| file.len() <= PERSISTED)?;
        let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().ok_or_else(|| named.to_owned())
}

/// The folder that a host keeps beside a session's log, under the log's name; a helper's log lies in it.
fn session_folder(log: &Path) -> Option<PathBuf> {
    let of_helper = log
        .ancestors()
        .find(|place| place.file_name().is_some_and(|name| name == "subagents"));
    match of_helper {
        Some(subagents) => subagents.parent().map(Path::to_owned),
        None => Some(log.with_extension("")),
    }
}

/// The title of the call that a link names.
fn call_title(log: &LogFile, agent: &'static dyn Agent, link: &Link) -> Option<String> {
    let line = line(log, link.call_start, link.call_length).ok()?;
    let event = event(&line, agent)?;
    let call = event.parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        _ => None,
    });
    call.into_iter()
        .nth(usize::try_from(link.call).ok()?)
        .map(title_of)
}

/// A call on one line: `Bash cargo test -p guard`.
fn title_of(call: &Call<'_>) -> String {
    clean(&format!("{} {}", call.tool, redact(&call.subject)))
}

/// One line of a log's text as a title.
fn clean(text: &str) -> String {
    let text = redact(text.trim());
    shorten(&visible(&text), TITLE).into_owned()
}

fn line(log: &LogFile, start: u64, length: u64) -> Result<Reread, String> {
    log.line(Offset(start), length)
        .map_err(|error| error.to_string())
}

fn event<'a>(line: &'a Reread, agent: &'static dyn Agent) -> Option<Event<'a>> {
    agent.read(line.content().text()?).ok()?.event
}

#[cfg(test)]
mod tests {
    use super::*;
    use memfold_log::Form;
    use std::fs;

    #[test]
    fn a_persisted_output_is_opened_beneath_its_session_alone() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("s1/tool-results");
        let other = dir.path().join("s2/tool-results");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::create_dir_all(dir.path().join("s1/subagents")).unwrap();
        fs::write(own.join("a.txt"), "the whole of it").unwrap();
        fs::write(other.join("b.txt"), "another session's").unwrap();
        std::os::unix::fs::symlink(other.join("b.txt"), own.join("link.txt")).unwrap();
        fs::write(dir.path().join("s1.jsonl"), "{}\n").unwrap();
        fs::write(dir.path().join("s1/subagents/agent-x.jsonl"), "{}\n").unwrap();
        let named = |folder: &Path, name: &str| folder.join(name).display().to_string();
        for log in ["s1.jsonl", "s1/subagents/agent-x.jsonl"] {
            let log = LogFile::open(&dir.path().join(log), Form::Lines).unwrap();
            assert_eq!(
                persisted(&log, &named(&own, "a.txt")).unwrap(),
                "the whole of it"
            );
            for outside in [
                named(&other, "b.txt"),
                named(&own, "link.txt"),
                named(&own, "../../s2/tool-results/b.txt"),
                named(&own, ""),
            ] {
                assert!(persisted(&log, &outside).is_err(), "{outside}");
            }
        }
    }
}
