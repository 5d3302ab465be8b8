//! Qwen Code: `~/.qwen/projects/<folder>/chats/<id>.jsonl`, before below `~/.qwen/tmp`. Facts from its source at the end of
//! 2026. It came from Gemini CLI, whose parts its messages have, and its lines form a tree as Claude Code's do: `uuid` and
//! `parentUuid`, of which the last line's ancestry is live. A fork copies lines with their ids.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use memfold_log::event::{
    Boundary, Course, Event, Facts, Follows, Identity, Kind, Output, Part, Reading, Title, Unranked,
};
use memfold_log::{Form, Timestamp};

use crate::call::call;
use crate::gemini::line::Piece;
use crate::gemini::returned::returned;
use crate::json::{Content, Flag, Text, object};
use crate::message::{Spoken, note, one};
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::wrapped;
use crate::{Agent, NotALine};

/// Qwen Code's logs.
pub(crate) struct Qwen;

/// The folder of a project's chats.
const CHATS: &str = "chats";
/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["system-reminder", "session_context", "hook_context"];
/// What a compaction's note holds.
const SNAPSHOT: &str = "<state_snapshot>";

object! {
    /// A line.
    Line<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        uuid: Text<'a> = "uuid",
        parent: Text<'a> = "parentUuid",
        session: Text<'a> = "sessionId",
        timestamp: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "gitBranch",
        message: Message<'a> = "message",
        result: Account<'a> = "toolCallResult",
        payload: Payload<'a> = "systemPayload",
        agent: Text<'a> = "agentId",
        side_chain: Flag = "isSidechain",
        forked: Forked<'a> = "forkedFrom",
    }
}

object! {
    /// What was said, as the model's interface has it.
    Message<'a> {
        parts: Content<'a, Piece<'a>> = "parts",
    }
}

object! {
    /// The host's account of a result.
    Account<'a> {
        status: Text<'a> = "status",
    }
}

object! {
    /// What a line of the host's says.
    Payload<'a> {
        typed: Text<'a> = "displayText",
        title: Text<'a> = "customTitle",
        titled_by: Text<'a> = "titleSource",
        history: Content<'a, Message<'a>> = "compressedHistory",
        parent: Text<'a> = "parentSessionId",
    }
}

object! {
    /// From where a line was copied.
    Forked<'a> {
        session: Text<'a> = "sessionId",
    }
}

impl Agent for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let Some(base) = base(env, "QWEN_HOME", home, ".qwen") else {
            return Vec::new();
        };
        ["projects", "tmp"]
            .map(|folder| Store {
                dir: base.join(folder),
                depth: 5,
                archived: false,
            })
            .into()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form == Form::Lines)?;
        let folder = path_below_store.iter().nth(1)?;
        (folder == CHATS || folder == "subagents").then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            let known = matches!(
                peek.text("type"),
                "user" | "assistant" | "tool_result" | "system"
            );
            known
                && ["uuid", "sessionId", "timestamp"]
                    .iter()
                    .all(|key| peek.has(key))
                && (peek.has("message.parts") || peek.has("systemPayload"))
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names.windows(4).any(
            |names| matches!(names, [base, _, _, chats] if *base == ".qwen" && *chats == CHATS),
        )
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        PathFacts {
            task: stem(path).filter(|name| is_uuid(name)).map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "qwen",
            arguments: vec!["--resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

fn reading(mut line: Line<'_>) -> Reading<'_> {
    let time = Timestamp::parse(line.timestamp.as_str());
    let helper = line.agent.filled().filter(|_| line.side_chain.on());
    let session = line.session.filled();
    let mut facts = Facts {
        // A sub-agent's lines carry its parent's id.
        task: match (&session, &helper) {
            (Some(session), Some(helper)) => Some(Cow::Owned(format!("{session}/{helper}"))),
            _ => session.clone(),
        },
        parent: session.filter(|_| helper.is_some()),
        helper: helper.clone(),
        forked_from: line.forked.session.filled(),
        cwd: line.cwd.filled(),
        branch: line.branch.filled(),
        time,
        title: None,
    };
    if let Some(title) = std::mem::take(&mut line.payload.title).filled() {
        facts.title = Some(match line.payload.titled_by.as_str() {
            "auto" => Title::Given(title),
            _ => Title::Person(title),
        });
    }
    let course = match (line.uuid.clone().filled(), line.parent.filled()) {
        (None, _) => Course::default(),
        (Some(id), parent) => Course {
            names: vec![id],
            follows: parent.map_or(Follows::Nothing, Follows::After),
        },
    };
    let said = match line.kind.as_str() {
        "user" => Some(user(line.subtype.as_str(), line.message, line.payload)),
        "assistant" => Some(reply(line.message)),
        "tool_result" => Some(result(line.message, line.result.status.as_str())),
        "system" => system(line.subtype.as_str(), line.payload),
        _ => None,
    };
    let boundary = said
        .as_ref()
        .map_or(Boundary::Within, |(_, _, boundary)| *boundary);
    let event = said.map(|(kind, parts, _)| Event {
        kind: match (kind, &helper) {
            (Kind::Person, Some(_)) => Kind::Unranked(Unranked::Instructions),
            (kind, _) => kind,
        },
        helper: helper.clone(),
        time,
        identity: Identity {
            id: line.uuid.filled(),
            origin: None,
        },
        parts,
    });
    Reading {
        facts,
        event,
        boundary,
        course,
        ..Reading::default()
    }
}

fn pieces<'a>(message: Message<'a>) -> Vec<Piece<'a>> {
    match message.parts {
        Content::Blocks(pieces) => pieces,
        Content::Nothing | Content::Words(_) => Vec::new(),
    }
}

fn texts<'a>(message: Message<'a>) -> impl Iterator<Item = Cow<'a, str>> {
    pieces(message)
        .into_iter()
        .filter(|piece| !piece.thought.on())
        .filter_map(|piece| piece.text.filled())
}

fn user<'a>(subtype: &str, message: Message<'a>, payload: Payload<'a>) -> Spoken<'a> {
    // Other subtypes are notices, goals and timers of the host's.
    if !matches!(subtype, "" | "mid_turn_user_message") {
        return note(texts(message));
    }
    let sent: Vec<_> = match payload.typed.filled() {
        Some(typed) => vec![typed],
        None => texts(message).collect(),
    };
    let own = sent
        .iter()
        .map(|text| wrapped::narrow(text.clone(), |text| wrapped::strip(text, HOSTS_TAGS)));
    let own: Vec<_> = own
        .filter(|text| !text.trim().is_empty())
        .map(Part::Text)
        .collect();
    if own.is_empty() {
        return note(sent);
    }
    (Kind::Person, own, Boundary::Begins)
}

fn reply(message: Message<'_>) -> Spoken<'_> {
    let (mut words, mut calls, mut thinking) = (Vec::new(), Vec::new(), false);
    for piece in pieces(message) {
        if piece.thought.on() {
            thinking = true;
        } else if let Some(name) = piece.call.name.filled() {
            let id = piece.call.id.or_empty();
            calls.push(Part::Call(call(id, name, piece.call.arguments)));
        } else {
            words.extend(piece.text.filled().map(Part::Text));
        }
    }
    let boundary = match (words.is_empty(), calls.is_empty()) {
        (false, true) => Boundary::Ends,
        _ => Boundary::Within,
    };
    let parts: Vec<_> = words.into_iter().chain(calls).collect();
    let kind = match (parts.is_empty(), thinking) {
        (false, _) => Kind::Reply,
        (true, true) => Kind::Unranked(Unranked::Thinking),
        (true, false) => Kind::Unranked(Unranked::Note),
    };
    (kind, parts, boundary)
}

/// What calls returned: a part for each that names its call, what stands beside it with it.
fn result<'a>(message: Message<'a>, status: &str) -> Spoken<'a> {
    let failed = matches!(status, "error" | "cancelled");
    let mut outputs: Vec<(Cow<'a, str>, Vec<Piece<'a>>)> = Vec::new();
    for piece in pieces(message) {
        let id = piece.response.id.clone().filled();
        match (id, outputs.last_mut()) {
            (None, Some((_, beside))) => beside.push(piece),
            (id, _) => outputs.push((id.unwrap_or_default(), vec![piece])),
        }
    }
    let parts = outputs.into_iter().map(|(call, pieces)| {
        let (text, outcome) = returned(pieces, failed);
        Part::Output(Output {
            call,
            tool: None,
            text,
            outcome,
            persisted: None,
        })
    });
    (Kind::Result, parts.collect(), Boundary::Within)
}

fn system<'a>(subtype: &str, payload: Payload<'a>) -> Option<Spoken<'a>> {
    if subtype != "chat_compression" {
        return None;
    }
    let Content::Blocks(history) = payload.history else {
        return None;
    };
    let mut texts = history.into_iter().flat_map(texts);
    let snapshot = texts.find(|text| text.contains(SNAPSHOT))?;
    Some(one(Kind::Compaction, snapshot))
}
