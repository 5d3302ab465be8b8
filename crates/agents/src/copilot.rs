//! GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, before `<id>.jsonl`. Facts from the schema of its SDK's
//! events and from public readers. Each line is an event `{type, data, id, timestamp}`; sub-agents speak among the main
//! lines, under the call that started them. A rewind takes an event and all that followed it back.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use memfold_log::event::{
    Boundary, Call, Course, Event, Facts, Follows, Identity, Kind, Outcome, Output, Part, Reading,
    Title, Unranked,
};
use memfold_log::{Form, Timestamp};

use crate::call::call_like;
use crate::input::Input;
use crate::json::{Content, Flag, Text, object};
use crate::message::{self, Item, Spoken, parsed, readable_output, text_of};
use crate::output::number_at_end;
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::wrapped;
use crate::{Agent, NotALine};

/// Copilot CLI's logs.
pub(crate) struct Copilot;

/// The file of a session's events, in the session's folder.
const EVENTS: &str = "events";
/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &[
    "system-reminder",
    "system_reminder",
    "current_datetime",
    "reminder",
];
/// The label of a sub-agent whose lines do not name it.
const HELPER: &str = "sub-agent";
/// What ends a shell's text.
const EXIT: (&str, &str) = ("<exited with exit code ", ">");

object! {
    /// An event.
    Line<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        timestamp: Text<'a> = "timestamp",
        data: Data<'a> = "data",
    }
}

object! {
    /// What an event says.
    Data<'a> {
        session: Text<'a> = "sessionId",
        context: Context<'a> = "context",
        content: Text<'a> = "content",
        source: Text<'a> = "source",
        calls: Content<'a, Request<'a>> = "toolRequests",
        within: Text<'a> = "parentToolCallId",
        call: Text<'a> = "toolCallId",
        success: Flag = "success",
        result: Content<'a, Returned<'a>> = "result",
        error: Failure<'a> = "error",
        title: Text<'a> = "title",
        summary: Text<'a> = "summaryContent",
        message: Text<'a> = "message",
        rewound: Text<'a> = "upToEventId",
    }
}

object! {
    /// Where the task works.
    Context<'a> {
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "branch",
    }
}

object! {
    /// A call.
    Request<'a> {
        id: Text<'a> = "toolCallId",
        name: Text<'a> = "name",
        input: Input<'a> = "arguments",
    }
}

object! {
    /// What a call returned. A plain text in older logs.
    Returned<'a> {
        content: Content<'a, Item<'a>> = "content",
    }
}

object! {
    /// Why a call failed.
    Failure<'a> {
        message: Text<'a> = "message",
    }
}

impl Agent for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        base(env, "COPILOT_HOME", home, ".copilot")
            .map(|base| Store {
                dir: base.join("session-state"),
                depth: 2,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form == Form::Lines)?;
        let in_folder = path_below_store.components().count() > 1;
        (!in_folder || stem(path_below_store)? == EVENTS).then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            let kind = peek.text("type");
            let known = [
                "session.",
                "user.",
                "assistant.",
                "tool.",
                "hook.",
                "subagent.",
            ];
            peek.has("data")
                && peek.has("timestamp")
                && known.iter().any(|start| kind.starts_with(start))
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names
            .windows(2)
            .any(|pair| matches!(pair, [base, store] if *base == ".copilot" && *store == "session-state"))
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let named = match stem(path) {
            Some(EVENTS) => path
                .parent()
                .and_then(|folder| folder.file_name()?.to_str()),
            named => named,
        };
        PathFacts {
            task: named.filter(|name| is_uuid(name)).map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "copilot",
            arguments: vec!["--resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

fn reading(line: Line<'_>) -> Reading<'_> {
    let time = Timestamp::parse(line.timestamp.as_str());
    let mut data = line.data;
    let mut facts = Facts {
        time,
        ..Facts::default()
    };
    let mut follows = Follows::Last;
    match line.kind.as_str() {
        "session.start" | "session.resume" => {
            facts.task = std::mem::take(&mut data.session).filled();
            facts.cwd = std::mem::take(&mut data.context.cwd).filled();
            facts.branch = std::mem::take(&mut data.context.branch).filled();
        }
        "session.title_changed" => {
            facts.title = std::mem::take(&mut data.title).filled().map(Title::Given);
        }
        "session.snapshot_rewind" => {
            if let Some(event) = std::mem::take(&mut data.rewound).filled() {
                follows = Follows::Before(event);
            }
        }
        _ => {}
    }
    let helper = data.within.clone().filled().map(|_| Cow::Borrowed(HELPER));
    let speaker = match helper {
        Some(_) => Speaker::Helper,
        None => Speaker::Main,
    };
    let said = said(line.kind.as_str(), data, speaker);
    let boundary = match (&helper, &said) {
        (None, Some((_, _, boundary))) => *boundary,
        _ => Boundary::Within,
    };
    let names: Vec<_> = line.id.clone().filled().into_iter().collect();
    let event = said.map(|(kind, parts, _)| Event {
        kind,
        helper,
        time,
        identity: Identity {
            id: line.id.filled(),
            origin: None,
        },
        parts,
    });
    Reading {
        facts,
        event,
        boundary,
        course: Course { names, follows },
        ..Reading::default()
    }
}

/// In whose context an event happened.
#[derive(Clone, Copy)]
enum Speaker {
    Main,
    Helper,
}

fn said<'a>(kind: &str, data: Data<'a>, speaker: Speaker) -> Option<Spoken<'a>> {
    let note = |words: Text<'a>| Some(message::note(words.filled()));
    match kind {
        "user.message" => {
            // A skill's text, or another that the host sends as the person.
            let source = data.source.as_str();
            if source.starts_with("skill") || source == "system" {
                return note(data.content);
            }
            let words = data.content.clone().filled()?;
            let own = wrapped::narrow(words, |text| wrapped::strip(text, HOSTS_TAGS));
            if own.is_empty() {
                return note(data.content);
            }
            let kind = match speaker {
                Speaker::Helper => Kind::Unranked(Unranked::Instructions),
                Speaker::Main => Kind::Person,
            };
            Some((kind, vec![Part::Text(own)], Boundary::Begins))
        }
        "assistant.message" => {
            let mut parts: Vec<_> = data.content.filled().into_iter().map(Part::Text).collect();
            let calls = match data.calls {
                Content::Blocks(calls) => calls,
                Content::Nothing | Content::Words(_) => Vec::new(),
            };
            let over = calls.is_empty();
            parts.extend(calls.into_iter().map(|made| Part::Call(call(made))));
            if parts.is_empty() {
                return Some((Kind::Unranked(Unranked::Thinking), parts, Boundary::Within));
            }
            let boundary = if over {
                Boundary::Ends
            } else {
                Boundary::Within
            };
            Some((Kind::Reply, parts, boundary))
        }
        "tool.execution_complete" => {
            let output = returned(data);
            Some((Kind::Result, vec![Part::Output(output)], Boundary::Within))
        }
        "session.compaction_complete" => {
            let summary = data.summary.filled()?;
            Some(message::one(Kind::Compaction, summary))
        }
        "system.message" => note(data.content),
        "session.info" | "session.warning" | "session.error" => note(data.message),
        _ => None,
    }
}

fn call(made: Request<'_>) -> Call<'_> {
    let name = made.name.or_empty();
    let like = match &*name {
        "create" => "create_file",
        "powershell" => "PowerShell",
        same => same,
    }
    .to_owned();
    call_like(made.id.or_empty(), name, &like, parsed(made.input))
}

fn returned(data: Data<'_>) -> Output<'_> {
    let failed = data.success.0 == Some(false);
    let texts = match data.result {
        Content::Nothing => vec![data.error.message.or_empty()],
        Content::Words(text) => vec![text],
        Content::Blocks(results) => results
            .into_iter()
            .map(|result| text_of(result.content))
            .collect(),
    };
    let text = message::joined(texts);
    let shell = number_at_end(&text, EXIT.0, EXIT.1).map(|(rest, code)| (rest.len(), code));
    let (text, outcome) = match shell {
        Some((kept, code)) => (
            wrapped::narrow(text, |text| text.get(..kept).unwrap_or(text)),
            Outcome::Exit(code),
        ),
        None if failed => (text, Outcome::Failed),
        None => (text, Outcome::Unknown),
    };
    readable_output(Output {
        call: data.call.or_empty(),
        tool: None,
        text,
        outcome,
        persisted: None,
    })
}
