//! From the lines of Goose's rows to what they say. Depends on the line alone.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Event, Facts, Identity, Kind, Output, Part, Reading, Title, Unranked,
};

use super::line::{Block, Item, Line, Outcome, Value};
use crate::call::call;
use crate::json::{Content, Text};
use crate::{output, wrapped};

const IMAGE: &str = "[image]";
/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["info-msg", "system-reminder"];
/// Names that stand until there is one.
const NO_TITLES: &[&str] = &["CLI Session", "New Chat", "New session", "ACP Session"];

/// Translates a line.
pub(super) fn reading(line: Line<'_>) -> Reading<'_> {
    match line.row.as_str() {
        "session" => session(line),
        "now" => {
            let title = line
                .title
                .filled()
                .filter(|title| !NO_TITLES.iter().any(|none| title.starts_with(none)));
            let title = match line.named.on() {
                true => title.map(Title::Person),
                false => title.map(Title::Given),
            };
            Reading {
                facts: Facts {
                    title,
                    time: Timestamp::parse(line.created.as_str()),
                    ..Facts::default()
                },
                ..Reading::default()
            }
        }
        "message" => message(line),
        _ => Reading::default(),
    }
}

fn session(line: Line<'_>) -> Reading<'_> {
    let task = line.id.filled();
    let helper = task.clone().filter(|_| line.kind.as_str() == "sub_agent");
    Reading {
        facts: Facts {
            parent: line.parent.filled().filter(|_| helper.is_some()),
            task,
            helper,
            cwd: line.directory.filled(),
            time: Timestamp::parse(line.created.as_str()),
            ..Facts::default()
        },
        ..Reading::default()
    }
}

fn message(line: Line<'_>) -> Reading<'_> {
    let time = line.time.0.map(Timestamp::from_epoch);
    let hidden = line.hidden.on();
    let blocks = match line.content {
        Content::Nothing => Vec::new(),
        Content::Words(text) => vec![Block {
            kind: Text(Some(Cow::Borrowed("text"))),
            text: Text(Some(text)),
            ..Block::default()
        }],
        Content::Blocks(blocks) => blocks,
    };
    let (mut words, mut others) = (Vec::new(), Vec::new());
    let (mut calls, mut outputs, mut notices) = (false, false, false);
    for block in blocks {
        match block.kind.as_str() {
            "text" => words.extend(block.text.filled()),
            "image" => words.push(Cow::Borrowed(IMAGE)),
            "toolRequest" | "frontendToolRequest" => {
                calls = true;
                others.extend(request(block));
            }
            "toolResponse" => {
                outputs = true;
                others.push(Part::Output(response(block)));
            }
            "systemNotification" => {
                notices = true;
                words.extend(block.notice.filled());
            }
            // Thinking, and what the host asked the person.
            _ => {}
        }
    }
    let note = Kind::Unranked(Unranked::Note);
    let (kind, boundary) = match line.by.as_str() {
        _ if outputs => (Kind::Result, Boundary::Within),
        // What takes the place of what a compaction hid is for the model alone.
        "user" if hidden && !words.is_empty() => (Kind::Compaction, Boundary::Within),
        "user" if !hidden => (Kind::Person, Boundary::Begins),
        "assistant" if hidden || notices => (note, Boundary::Within),
        "assistant" if calls => (Kind::Reply, Boundary::Within),
        "assistant" => (Kind::Reply, Boundary::Ends),
        _ => (note, Boundary::Within),
    };
    if kind == Kind::Person {
        for text in &mut words {
            let own = std::mem::take(text);
            *text = wrapped::narrow(own, |words| wrapped::strip(words, HOSTS_TAGS));
        }
        words.retain(|text| !text.is_empty());
    }
    let parts: Vec<Part<'_>> = words.into_iter().map(Part::Text).chain(others).collect();
    let mut reading = Reading::default();
    reading.facts.time = time;
    if parts.is_empty() {
        return reading;
    }
    reading.event = Some(Event {
        kind,
        helper: None,
        time,
        // A reply that is written as it comes has several rows under one id.
        identity: Identity {
            id: None,
            origin: line
                .id
                .filled()
                .or_else(|| line.time.0.map(|time| Cow::Owned(time.to_string()))),
        },
        parts,
    });
    reading.boundary = boundary;
    reading
}

fn request(block: Block<'_>) -> Option<Part<'_>> {
    let Content::Blocks(values) = block.call.value else {
        return block.call.error.filled().map(Part::Text);
    };
    let value = values.into_iter().next()?;
    let call = call(block.id.or_empty(), value.name.or_empty(), value.arguments);
    Some(Part::Call(call))
}

fn response(block: Block<'_>) -> Output<'_> {
    let Outcome {
        status,
        value,
        error,
        ..
    } = block.result;
    let mut failed = status.as_str() == "error";
    let mut items = Vec::new();
    let values = match value {
        Content::Nothing => Vec::new(),
        Content::Words(text) => {
            items.push(Item {
                text: Text(Some(text)),
                ..Item::default()
            });
            Vec::new()
        }
        Content::Blocks(values) => values,
    };
    for value in values {
        let Value {
            kind,
            text,
            resource,
            annotations,
            items: content,
            failed: is_error,
            ..
        } = value;
        failed |= is_error.on();
        match content {
            // A result with its content below it; before, the content was the list itself.
            Content::Blocks(content) => items.extend(content),
            Content::Words(words) => items.push(Item {
                text: Text(Some(words)),
                ..Item::default()
            }),
            Content::Nothing => items.push(Item {
                kind,
                text,
                resource,
                annotations,
                ..Item::default()
            }),
        }
    }
    let text = match error.filled() {
        Some(error) => error,
        None => output::readable(joined(items)),
    };
    Output {
        call: block.id.or_empty(),
        tool: None,
        text,
        outcome: if failed {
            memfold_log::event::Outcome::Failed
        } else {
            memfold_log::event::Outcome::Unknown
        },
        persisted: None,
    }
}

/// The items of a result as one text. What is for the person alone repeats, nicer, what the model was told.
fn joined(items: Vec<Item<'_>>) -> Cow<'_, str> {
    let for_person = |item: &Item<'_>| match &item.annotations.audience {
        Content::Blocks(audience) => {
            matches!(audience.as_slice(), [only] if only.as_str() == "user")
        }
        _ => false,
    };
    let all_for_person = items.iter().all(for_person);
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    for item in items {
        if for_person(&item) && !all_for_person {
            continue;
        }
        match item.kind.as_str() {
            "image" => texts.push(Cow::Borrowed(IMAGE)),
            _ => texts.extend(
                [item.text, item.resource.uri, item.resource.text]
                    .into_iter()
                    .filter_map(Text::filled),
            ),
        }
    }
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n")),
    }
}
