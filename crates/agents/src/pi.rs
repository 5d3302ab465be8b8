//! pi: `~/.pi/agent/sessions/--<path>--/<time>_<id>.jsonl`, and its fork omp below `~/.omp`. Facts from logs of the first
//! form (entries one after another) and from pi's own page of the third. Entries form a tree by `id` and `parentId`: the
//! last one is the leaf, and only its ancestry is live. Ids are short and unique in their log alone; what makes an entry the
//! same as its copy in a fork is its time with what it says.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::event::{
    Boundary, Course, Elides, Event, Facts, Follows, Identity, Kind, Outcome, Output, Part,
    Reading, Title,
};
use memfold_log::{Form, Timestamp};

use crate::call::call;
use crate::input::Input;
use crate::json::{Content, Flag, Number, Text, object};
use crate::message::{self, Block, Said, Spoken};
use crate::output::number_at_end;
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::wrapped;
use crate::{Agent, NotALine};

/// pi's logs, and omp's.
pub(crate) struct Pi;

/// A log lies in the folder of its project; omp keeps those of sub-agents in one below.
const DEPTH: usize = 3;
/// Around the text of a skill that the person called.
const HOSTS_TAGS: &[&str] = &["skill"];
/// What ends a shell's text that failed.
const EXIT: &str = "Command exited with code ";

object! {
    /// Any line: the header, or an entry.
    Line<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        parent: Text<'a> = "parentId",
        timestamp: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        forked: Text<'a> = "parentSession" | "branchedFrom",
        message: Message<'a> = "message",
        summary: Text<'a> = "summary",
        first_kept: Text<'a> = "firstKeptEntryId",
        name: Text<'a> = "name",
        content: Content<'a, Block<'a>> = "content",
    }
}

object! {
    /// What was said.
    Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a, Block<'a>> = "content",
        stop: Text<'a> = "stopReason",
        failure: Text<'a> = "errorMessage",
        answers: Text<'a> = "toolCallId",
        tool: Text<'a> = "toolName",
        error: Flag = "isError",
        command: Text<'a> = "command",
        output: Text<'a> = "output",
        exit: Number = "exitCode",
        cancelled: Flag = "cancelled",
        summary: Text<'a> = "summary",
    }
}

impl Agent for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let folders = [
            base(env, "PI_CODING_AGENT_DIR", home, ".pi/agent"),
            base(env, "OMP_CODING_AGENT_DIR", home, ".omp/agent"),
        ];
        let from_home = |folder: PathBuf| match (folder.strip_prefix("~"), home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => folder,
        };
        folders
            .into_iter()
            .flatten()
            .map(|folder| Store {
                dir: from_home(folder).join("sessions"),
                depth: DEPTH,
                archived: false,
            })
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        Form::of(path_below_store).filter(|form| *form == Form::Lines)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            let has = |keys: &[&str]| keys.iter().all(|key| peek.has(key));
            match peek.text("type") {
                "session" => has(&["id", "timestamp", "cwd"]),
                "message" => has(&["timestamp", "message.role", "message.timestamp"]),
                "model_change" | "thinking_level_change" => peek.has("timestamp"),
                "compaction" => has(&["timestamp", "summary", "tokensBefore"]),
                "branch_summary" => has(&["timestamp", "summary", "fromId"]),
                _ => false,
            }
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names.windows(3).any(|names| {
            matches!(names, [folder, agent, sessions]
                if (*folder == ".pi" || *folder == ".omp") && *agent == "agent" && *sessions == "sessions")
        })
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        PathFacts {
            task: stem(path).and_then(task_in).map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "pi",
            arguments: vec!["--session".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

/// The id that ends a log's name: `<time>_<id>`.
fn task_in(stem: &str) -> Option<&str> {
    let (_, id) = stem.rsplit_once('_')?;
    is_uuid(id).then_some(id)
}

fn reading(line: Line<'_>) -> Reading<'_> {
    let time = Timestamp::parse(line.timestamp.as_str());
    let mut facts = Facts {
        time,
        ..Facts::default()
    };
    if line.kind.as_str() == "session" {
        facts.task = line.id.filled();
        facts.cwd = line.cwd.filled();
        // The path of another log, written by whichever system it was on.
        let forked = line.forked.filled();
        facts.forked_from = forked.and_then(|path| {
            let name = path.rsplit(['/', '\\']).next()?;
            Some(Cow::Owned(task_in(stem(Path::new(name))?)?.to_owned()))
        });
        return Reading {
            facts,
            ..Reading::default()
        };
    }
    let course = match (line.id.filled(), line.parent.filled()) {
        // The first form has no ids.
        (None, _) => Course::default(),
        (Some(id), parent) => Course {
            names: vec![id],
            follows: parent.map_or(Follows::Nothing, Follows::After),
        },
    };
    if line.kind.as_str() == "session_info" {
        facts.title = line.name.filled().map(Title::Person);
    }
    let said = match line.kind.as_str() {
        "message" => message(line.message, line.timestamp.as_str()),
        "compaction" => words(Kind::Compaction, line.summary),
        "branch_summary" => words(Kind::Summary, line.summary),
        // Of an extension, not of the person.
        "custom_message" => {
            let words = Said::of(line.content, message::same).words;
            Some(message::note(words))
        }
        _ => None,
    };
    let boundary = said
        .as_ref()
        .map_or(Boundary::Within, |(_, _, boundary)| *boundary);
    let event = said.map(|(kind, parts, _)| Event {
        kind,
        helper: None,
        time,
        identity: Identity {
            id: None,
            origin: line.timestamp.filled(),
        },
        parts,
    });
    Reading {
        facts,
        event,
        boundary,
        course,
        elides: line
            .first_kept
            .filled()
            .map_or(Elides::AsItsKind, Elides::Before),
    }
}

fn words<'a>(kind: Kind, text: Text<'a>) -> Option<Spoken<'a>> {
    Some(message::one(kind, text.filled()?))
}

fn message<'a>(message: Message<'a>, timestamp: &str) -> Option<Spoken<'a>> {
    match message.role.as_str() {
        "user" => Some(Said::of(message.content, message::same).person(HOSTS_TAGS)),
        "assistant" => {
            let said = Said::of(message.content, message::same);
            let over = said.calls.is_empty() && matches!(message.stop.as_str(), "stop" | "aborted");
            let (kind, mut parts, _) = said.reply();
            if parts.is_empty() {
                parts.extend(message.failure.filled().map(Part::Text));
            }
            let boundary = if over {
                Boundary::Ends
            } else {
                Boundary::Within
            };
            Some((kind, parts, boundary))
        }
        "toolResult" => {
            let tool = message.tool.filled();
            let text = Said::of(message.content, message::same).text();
            let shell = tool.as_deref() == Some("bash");
            let (text, outcome) = match number_at_end(&text, EXIT, "") {
                Some((rest, code)) if shell => {
                    let kept = rest.len();
                    let cut = |text: Cow<'a, str>| {
                        wrapped::narrow(text, |text| text.get(..kept).unwrap_or(text))
                    };
                    (cut(text), Outcome::Exit(code))
                }
                _ if message.error.on() => (text, Outcome::Failed),
                _ if shell => (text, Outcome::Exit(0)),
                _ => (text, Outcome::Unknown),
            };
            let output = Output {
                call: message.answers.or_empty(),
                tool,
                text,
                outcome,
                persisted: None,
            };
            let output = Part::Output(message::readable_output(output));
            Some((Kind::Result, vec![output], Boundary::Within))
        }
        "bashExecution" => Some((
            Kind::Result,
            persons_command(message, timestamp),
            Boundary::Within,
        )),
        "compactionSummary" => words(Kind::Compaction, message.summary),
        "branchSummary" => words(Kind::Summary, message.summary),
        _ => {
            let words = Said::of(message.content, message::same).words;
            Some(message::note(words))
        }
    }
}

/// A command that the person ran themselves, with what it returned.
fn persons_command<'a>(message: Message<'a>, timestamp: &str) -> Vec<Part<'a>> {
    let id: Cow<'a, str> = Cow::Owned(format!("person {timestamp}"));
    let command = message.command.or_empty();
    let outcome = match message.exit.0.and_then(|code| i32::try_from(code).ok()) {
        Some(code) => Outcome::Exit(code),
        None if message.cancelled.on() => Outcome::Failed,
        None => Outcome::Unknown,
    };
    let input = Input::of("command", command);
    vec![
        Part::Call(call(id.clone(), Cow::Borrowed("bash"), input)),
        Part::Output(Output {
            call: id,
            tool: Some(Cow::Borrowed("bash")),
            text: message.output.or_empty(),
            outcome,
            persisted: None,
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_follow_the_environment() {
        let moved = |name: &str| (name == "PI_CODING_AGENT_DIR").then(|| OsString::from("~/p"));
        let dirs: Vec<_> = Pi
            .stores(&moved, Some(Path::new("/h")))
            .into_iter()
            .map(|store| store.dir)
            .collect();
        assert_eq!(
            dirs,
            [
                PathBuf::from("/h/p/sessions"),
                PathBuf::from("/h/.omp/agent/sessions")
            ]
        );
    }

    #[test]
    fn the_name_ends_with_the_task() {
        let id = "ffae836b-9420-4060-ac13-7745215f90ff";
        let path = format!("/h/.pi/agent/sessions/--p--/2026-05-04T10-00-00-000Z_{id}.jsonl");
        assert_eq!(
            Pi.facts_from_path(Path::new(&path)).task.as_deref(),
            Some(id)
        );
        assert_eq!(Pi.facts_from_path(Path::new("notes_1.jsonl")).task, None);
    }
}
