//! From Gemini CLI's line to what it says. Depends on the line alone.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Course, Event, Facts, Follows, Identity, Kind, Part, Reading, Title, Unranked,
};

use super::line::{Kept, Line, Piece, Set, ToolCall};
use super::returned::result;
use crate::call::call;
use crate::json::{Content, Text};
use crate::wrapped;

/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["session_context", "hook_context"];
/// What a compaction's note holds.
const SNAPSHOT: &str = "<state_snapshot>";

/// Translates a line.
pub(super) fn reading(line: Line<'_>) -> Reading<'_> {
    if let Some(name) = line.rewind.clone().filled() {
        return Reading {
            course: Course {
                names: Vec::new(),
                follows: Follows::Before(name),
            },
            ..Reading::default()
        };
    }
    match line.id.clone().filled() {
        Some(id) => message(id, line),
        None => about(line),
    }
}

/// A line that says something of the log: the first, or a change. A change may repeat the history.
fn about(line: Line<'_>) -> Reading<'_> {
    let Set {
        messages,
        directories,
        summary,
        updated,
        ..
    } = line.set;
    let task = line.session.filled();
    let helper = task.clone().filter(|_| line.scope.as_str() == "subagent");
    let time = Timestamp::parse(line.start.as_str()).or_else(|| Timestamp::parse(updated.as_str()));
    let facts = Facts {
        helper,
        task,
        cwd: first(line.directories).or_else(|| first(directories)),
        title: summary
            .filled()
            .or_else(|| line.summary.filled())
            // A sub-agent's is its answer, in a form of its own.
            .filter(|summary| !summary.trim_start().starts_with('{'))
            .map(Title::Summary),
        time,
        ..Facts::default()
    };
    let Content::Blocks(messages) = messages else {
        return Reading {
            facts,
            ..Reading::default()
        };
    };
    let (names, event) = history(messages, time);
    Reading {
        facts,
        event,
        boundary: Boundary::Within,
        course: Course {
            names,
            follows: Follows::Last,
        },
        ..Reading::default()
    }
}

/// A history that is written again: the note of a compaction in it counts, the copies do not.
fn history<'a>(
    messages: Vec<Kept<'a>>,
    time: Option<Timestamp>,
) -> (Vec<Cow<'a, str>>, Option<Event<'a>>) {
    let mut names = Vec::new();
    let mut note = None;
    for message in messages {
        let id = message.id.filled();
        names.extend(id.clone());
        let texts = texts(message.content);
        if note.is_none() && texts.iter().any(|text| text.contains(SNAPSHOT)) {
            note = Some((id, texts));
        }
    }
    let event = note.map(|(id, texts)| Event {
        kind: Kind::Compaction,
        helper: None,
        time,
        // Each change repeats the note.
        identity: Identity {
            id: None,
            origin: id,
        },
        parts: texts.into_iter().map(Part::Text).collect(),
    });
    (names, event)
}

fn message<'a>(id: Cow<'a, str>, line: Line<'a>) -> Reading<'a> {
    let time = Timestamp::parse(line.timestamp.as_str());
    let (kind, parts, boundary) = match line.kind.as_str() {
        "user" => user(line.content, line.shown),
        "gemini" => reply(line.content, line.calls, line.thoughts),
        _ => (
            Kind::Unranked(Unranked::Note),
            texts(line.content).into_iter().map(Part::Text).collect(),
            Boundary::Within,
        ),
    };
    let course = Course {
        names: vec![id.clone()],
        follows: Follows::Replaces,
    };
    Reading {
        facts: Facts {
            time,
            ..Facts::default()
        },
        event: Some(Event {
            kind,
            helper: None,
            time,
            identity: Identity {
                id: Some(id),
                origin: None,
            },
            parts,
        }),
        boundary,
        course,
        ..Reading::default()
    }
}

type Said<'a> = (Kind, Vec<Part<'a>>, Boundary);

/// What the person sent. Where the host added files to it, what was typed is kept beside.
fn user<'a>(content: Content<'a, Piece<'a>>, shown: Content<'a, Piece<'a>>) -> Said<'a> {
    let pictures = matches!(&content, Content::Blocks(pieces)
        if pieces.iter().any(|piece| piece.picture.kind.0.is_some()));
    let mut sent = texts(content);
    let typed = texts(shown);
    if !typed.is_empty() {
        // The first text is what was typed, with what the host made of it.
        sent = typed.into_iter().chain(sent.into_iter().skip(1)).collect();
    }
    let mut own: Vec<_> = sent
        .iter()
        .map(|text| wrapped::narrow(text.clone(), |text| wrapped::strip(text, HOSTS_TAGS)))
        .filter(|text| !text.trim().is_empty() && !is_command(text))
        .map(Part::Text)
        .collect();
    if own.is_empty() && pictures {
        own.push(Part::Text(Cow::Borrowed("[image]")));
    }
    if own.is_empty() {
        // The host's own text, or a copy of what calls returned.
        let parts = sent.into_iter().map(Part::Text).collect();
        return (Kind::Unranked(Unranked::Note), parts, Boundary::Within);
    }
    if sent.iter().any(|text| text.contains(SNAPSHOT)) {
        return (Kind::Compaction, own, Boundary::Within);
    }
    (Kind::Person, own, Boundary::Begins)
}

/// A command that the host runs itself, such as `/stats`.
fn is_command(text: &str) -> bool {
    text.trim()
        .strip_prefix('/')
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// What the model said, with its calls and what they returned. Whether calls are still to come, the line does not tell, so
/// that no reply ends a turn.
fn reply<'a, T>(
    content: Content<'a, Piece<'a>>,
    calls: Content<'a, ToolCall<'a>>,
    thoughts: Content<'a, T>,
) -> Said<'a> {
    let mut parts: Vec<_> = texts(content).into_iter().map(Part::Text).collect();
    let calls = match calls {
        Content::Blocks(calls) => calls,
        Content::Nothing | Content::Words(_) => Vec::new(),
    };
    let mut outputs = Vec::new();
    for mut made in calls {
        outputs.extend(result(&mut made).map(Part::Output));
        parts.push(Part::Call(call(
            made.id.or_empty(),
            made.name.or_empty(),
            made.arguments,
        )));
    }
    parts.extend(outputs);
    let kind = match (&parts[..], thoughts) {
        ([], Content::Blocks(_)) => Kind::Unranked(Unranked::Thinking),
        ([], _) => Kind::Unranked(Unranked::Note),
        _ => Kind::Reply,
    };
    (kind, parts, Boundary::Within)
}

/// The texts of a content, thoughts and what calls returned aside.
fn texts<'a>(content: Content<'a, Piece<'a>>) -> Vec<Cow<'a, str>> {
    match content {
        Content::Nothing => Vec::new(),
        Content::Words(text) => Text(Some(text)).filled().into_iter().collect(),
        Content::Blocks(pieces) => pieces
            .into_iter()
            .filter(|piece| !piece.thought.on())
            .filter_map(|piece| piece.text.filled())
            .collect(),
    }
}

fn first<'a>(directories: Content<'a, Text<'a>>) -> Option<Cow<'a, str>> {
    match directories {
        Content::Blocks(directories) => directories.into_iter().find_map(Text::filled),
        Content::Nothing | Content::Words(_) => None,
    }
}
