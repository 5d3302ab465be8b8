//! From the lines of OpenCode's rows to what they say. Depends on the line alone.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Event, Facts, Identity, Kind, Outcome, Output, Part, Reading, Title, Unranked,
};

use super::line::Line;
use crate::call::call;
use crate::json::Text;
use crate::{output, wrapped};

/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["system-reminder"];
/// How the content of a file begins that the person named: what the reading tool returned.
const FILES_BEGINNINGS: &[&str] = &["<file>", "<path>"];
/// Titles that stand until there is one.
const NO_TITLES: &[&str] = &["New session - ", "Child session - "];

/// Translates a line.
pub(super) fn reading(line: Line<'_>) -> Reading<'_> {
    let time = line.time.0.map(Timestamp::from_epoch);
    let mut reading = match line.row.as_str() {
        "session" => session(line),
        "text" => text(line, time),
        "call" => {
            let origin = line.call.clone().filled();
            let call = call(line.call.or_empty(), line.tool.or_empty(), line.input);
            event(
                Kind::Reply,
                time,
                line.id.filled(),
                origin,
                vec![Part::Call(call)],
                Boundary::Within,
            )
        }
        "result" => result(line, time),
        "message" => message(line, time),
        "now" => {
            let title = line
                .title
                .filled()
                .filter(|title| !NO_TITLES.iter().any(|none| title.starts_with(none)));
            Reading {
                facts: Facts {
                    title: title.map(Title::Given),
                    ..Facts::default()
                },
                ..Reading::default()
            }
        }
        _ => Reading::default(),
    };
    reading.facts.time = time;
    reading
}

fn session(line: Line<'_>) -> Reading<'_> {
    let task = line.id.filled();
    let parent = line.parent.filled();
    // Of a parent's helpers several may have one name; their sessions have not.
    let helper = parent.as_ref().and(task.clone());
    Reading {
        facts: Facts {
            task,
            parent,
            helper,
            cwd: line.directory.filled(),
            ..Facts::default()
        },
        ..Reading::default()
    }
}

fn event<'a>(
    kind: Kind,
    time: Option<Timestamp>,
    id: Option<Cow<'a, str>>,
    origin: Option<Cow<'a, str>>,
    parts: Vec<Part<'a>>,
    boundary: Boundary,
) -> Reading<'a> {
    Reading {
        facts: Facts::default(),
        event: Some(Event {
            kind,
            helper: None,
            time,
            identity: Identity { id, origin },
            parts,
        }),
        boundary,
        ..Reading::default()
    }
}

fn text(line: Line<'_>, time: Option<Timestamp>) -> Reading<'_> {
    // A fork's messages have new ids and the times of those that they were copied from.
    let origin = line
        .created
        .0
        .map(|created| Cow::Owned(created.to_string()));
    let id = line.id.filled();
    let Some(words) = line.text.filled() else {
        return Reading::default();
    };
    let note = Kind::Unranked(Unranked::Note);
    let (kind, words, boundary) = match line.role.as_str() {
        "user" if line.synthetic.on() => {
            let is_file = FILES_BEGINNINGS
                .iter()
                .any(|beginning| words.starts_with(beginning));
            let kind = if is_file { Kind::File } else { note };
            (kind, words, Boundary::Within)
        }
        "user" => {
            let own = wrapped::narrow(words.clone(), |words| wrapped::strip(words, HOSTS_TAGS));
            if own.is_empty() {
                (note, words, Boundary::Within)
            } else {
                (Kind::Person, own, Boundary::Begins)
            }
        }
        "assistant" if line.summary.on() => (Kind::Compaction, words, Boundary::Within),
        "assistant" if line.synthetic.on() => (note, words, Boundary::Within),
        "assistant" => (Kind::Reply, words, Boundary::Within),
        _ => (note, words, Boundary::Within),
    };
    event(kind, time, id, origin, vec![Part::Text(words)], boundary)
}

fn result(line: Line<'_>, time: Option<Timestamp>) -> Reading<'_> {
    let exit = line.exit.0.and_then(|code| i32::try_from(code).ok());
    let outcome = match exit {
        Some(code) => Outcome::Exit(code),
        None if line.failed.on() => Outcome::Failed,
        None => Outcome::Unknown,
    };
    // A shell's output stands as it was printed.
    let text = match exit {
        Some(_) => line.output.or_empty(),
        None => output::readable(line.output.or_empty()),
    };
    // The part is the call's too.
    let id = line
        .id
        .filled()
        .map(|id| Cow::Owned(format!("{id} result")));
    let origin = line.call.clone().filled();
    let output = Output {
        call: line.call.or_empty(),
        tool: line.tool.filled(),
        text,
        outcome,
        persisted: None,
    };
    event(
        Kind::Result,
        time,
        id,
        origin,
        vec![Part::Output(output)],
        Boundary::Within,
    )
}

/// A reply is whole. It closes its turn unless it waits for its calls.
fn message(line: Line<'_>, time: Option<Timestamp>) -> Reading<'_> {
    let fault = line.error.filled();
    let finish = line.finish.as_str();
    let over = fault.is_some() || !matches!(finish, "" | "tool-calls" | "unknown");
    let boundary = if over {
        Boundary::Ends
    } else {
        Boundary::Within
    };
    let Some(fault) = fault else {
        return Reading {
            boundary,
            ..Reading::default()
        };
    };
    let why = [Text(Some(fault)), line.why];
    let parts = why.into_iter().filter_map(Text::filled).map(Part::Text);
    event(
        Kind::Unranked(Unranked::Note),
        time,
        line.id.filled(),
        None,
        parts.collect(),
        boundary,
    )
}
