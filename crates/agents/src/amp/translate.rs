//! From Amp's messages to what they say. Depends on the message alone.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Event, Facts, Identity, Kind, Outcome, Output, Part, Reading, Title, Unranked,
};

use super::line::{Block, Message, Returned, Run, Thread};
use crate::call::call;
use crate::json::{Content, Text};
use crate::output;

const IMAGE: &str = "[image]";

/// What a thread says of itself.
pub(super) fn about(thread: Thread<'_>) -> Facts<'_> {
    let tree = match thread.environment.initial.trees {
        Content::Blocks(trees) => trees.into_iter().find_map(|tree| tree.uri.filled()),
        _ => None,
    };
    Facts {
        task: thread.id.filled(),
        cwd: tree.and_then(|uri| path_of(&uri)).map(Cow::Owned),
        title: thread.title.filled().map(Title::Given),
        time: thread.created.0.map(Timestamp::from_epoch),
        ..Facts::default()
    }
}

/// The path of a `file:` address.
fn path_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let mut pieces = path.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        // Two digits for a byte.
        let escaped = piece
            .split_at_checked(2)
            .and_then(|(digits, rest)| Some((u8::from_str_radix(digits, 16).ok()?, rest)));
        let (byte, rest) = escaped.unwrap_or((b'%', piece));
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|path| path.starts_with('/'))
}

/// Translates a message.
pub(super) fn reading(message: Message<'_>) -> Reading<'_> {
    let time = message.meta.sent.0.map(Timestamp::from_epoch);
    let (mut words, mut others, mut hosts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut calls, mut outputs, mut summary) = (false, false, false);
    let blocks = match message.content {
        Content::Nothing => Vec::new(),
        Content::Words(text) => {
            words.push(Part::Text(text));
            Vec::new()
        }
        Content::Blocks(blocks) => blocks,
    };
    for block in blocks {
        match block.kind.as_str() {
            "text" if block.hidden.on() => hosts.extend(block.text.filled().map(Part::Text)),
            "text" => words.extend(block.text.filled().map(Part::Text)),
            "image" => words.push(Part::Text(Cow::Borrowed(IMAGE))),
            "tool_use" => {
                calls = true;
                let call = call(block.id.or_empty(), block.name.or_empty(), block.input);
                others.push(Part::Call(call));
            }
            "tool_result" => {
                outputs = true;
                others.push(Part::Output(result(block)));
            }
            "summary" => {
                summary = true;
                words.extend(block.summary.summary.filled().map(Part::Text));
            }
            _ => {}
        }
    }
    let cancelled = message.state.kind.as_str() == "cancelled";
    let over = message.state.reason.as_str() == "end_turn" && !calls;
    let (kind, boundary) = match message.role.as_str() {
        _ if summary => (Kind::Compaction, Boundary::Within),
        "user" if outputs => (Kind::Result, Boundary::Within),
        "user" if words.is_empty() => {
            words = hosts;
            (Kind::Unranked(Unranked::Note), Boundary::Within)
        }
        "user" => (Kind::Person, Boundary::Begins),
        "assistant" if over || cancelled => (Kind::Reply, Boundary::Ends),
        "assistant" => (Kind::Reply, Boundary::Within),
        _ => (Kind::Unranked(Unranked::Note), Boundary::Within),
    };
    let parts: Vec<Part<'_>> = words.into_iter().chain(others).collect();
    let event = (!parts.is_empty()).then(|| Event {
        kind,
        helper: None,
        time,
        identity: Identity {
            id: None,
            origin: time.map(|time| Cow::Owned(time.0.to_string())),
        },
        parts,
    });
    Reading {
        facts: Facts {
            time,
            ..Facts::default()
        },
        event,
        boundary,
        ..Reading::default()
    }
}

fn result(block: Block<'_>) -> Output<'_> {
    let Run {
        status,
        result,
        error,
        ..
    } = block.run;
    let mut exit = None;
    let text = match result {
        Content::Nothing => None,
        Content::Words(text) => Some(output::readable(text)),
        Content::Blocks(returned) => {
            let mut texts = Vec::new();
            for Returned {
                output,
                content,
                diff,
                text,
                exit: code,
                ..
            } in returned
            {
                exit = exit.or(code.0.and_then(|code| i32::try_from(code).ok()));
                texts.extend(
                    [output, content, diff, text]
                        .into_iter()
                        .filter_map(Text::filled),
                );
            }
            match texts.len() {
                0 | 1 => texts.pop(),
                _ => Some(Cow::Owned(texts.join("\n"))),
            }
        }
    };
    let outcome = match (exit, status.as_str()) {
        (Some(code), _) => Outcome::Exit(code),
        (None, "error" | "cancelled" | "rejected-by-user") => Outcome::Failed,
        _ => Outcome::Unknown,
    };
    Output {
        call: block.answers.or_empty(),
        tool: None,
        text: text.or_else(|| error.message.filled()).unwrap_or_default(),
        outcome,
        persisted: None,
    }
}
