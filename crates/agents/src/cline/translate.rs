//! From a message of Cline's or Roo's to what it says. Depends on the message alone.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Event, Facts, Identity, Kind, Outcome, Output, Part, Reading, Unranked,
};

use super::calls;
use super::line::{Block, Item, Message};
use super::said::{Said, directory, heading, said};
use crate::call::call;
use crate::json::{Content, Text};
use crate::output::number_after;

const IMAGE: &str = "[image]";
/// How a result says that its call failed.
const FAILURES: &[&str] = &[
    "The tool execution failed",
    "The user denied this operation",
    "<error>",
    "Error ",
];

/// Translates a message.
pub(super) fn reading(message: Message<'_>) -> Reading<'_> {
    let time = message.time.0.map(Timestamp::from_epoch);
    let is_summary = message.summary.on();
    let blocks = match message.content {
        Content::Nothing => Vec::new(),
        Content::Words(text) => vec![Block {
            kind: Text(Some(Cow::Borrowed("text"))),
            text: Text(Some(text)),
            ..Block::default()
        }],
        Content::Blocks(blocks) => blocks,
    };
    let mut told = match message.role.as_str() {
        "assistant" => reply(blocks),
        "user" => user(blocks),
        _ => Told::default(),
    };
    if is_summary {
        told.kind = Some(Kind::Compaction);
        told.boundary = Boundary::Within;
    }
    let kind = told.kind.filter(|_| !told.parts.is_empty());
    Reading {
        facts: Facts {
            cwd: told.cwd.map(Cow::Owned),
            time,
            ..Facts::default()
        },
        event: kind.map(|kind| Event {
            kind,
            helper: None,
            time,
            identity: Identity {
                id: None,
                // A message says when it was written, in later versions; copies keep that.
                origin: time.map(|time| Cow::Owned(time.0.to_string())),
            },
            parts: told.parts,
        }),
        boundary: told.boundary,
        ..Reading::default()
    }
}

#[derive(Default)]
struct Told<'a> {
    kind: Option<Kind>,
    parts: Vec<Part<'a>>,
    boundary: Boundary,
    cwd: Option<String>,
}

fn reply(blocks: Vec<Block<'_>>) -> Told<'_> {
    let mut told = Told {
        kind: Some(Kind::Reply),
        ..Told::default()
    };
    for block in blocks {
        match block.kind.as_str() {
            "text" => {
                let text = block.text.or_empty();
                if calls::text_hands_over(&text) {
                    told.boundary = Boundary::Ends;
                }
                told.parts.extend(calls::parts(&text));
            }
            "tool_use" => {
                let name = block.name.or_empty();
                if calls::hands_over(&name) {
                    told.boundary = Boundary::Ends;
                    told.parts
                        .extend(block.input.first_saying().cloned().map(Part::Text));
                } else {
                    told.parts
                        .push(Part::Call(call(block.id.or_empty(), name, block.input)));
                }
            }
            _ => {}
        }
    }
    told
}

fn user(blocks: Vec<Block<'_>>) -> Told<'_> {
    let mut told = Told::default();
    let mut words: Vec<Part<'_>> = Vec::new();
    let mut outputs: Vec<Output<'_>> = Vec::new();
    let mut hosts: Vec<Part<'_>> = Vec::new();
    for block in blocks {
        match block.kind.as_str() {
            "image" => words.push(Part::Text(Cow::Borrowed(IMAGE))),
            "tool_result" => result(block, &mut outputs, &mut words),
            _ => {
                let Some(text) = block.text.filled() else {
                    continue;
                };
                told.cwd = told.cwd.or_else(|| directory(&text).map(str::to_owned));
                match said(&text) {
                    Said::Person(own) => words.push(Part::Text(Cow::Owned(own.to_owned()))),
                    Said::Result { call, text } => outputs.push(output(
                        Cow::Borrowed(""),
                        Some(heading(call)),
                        text.to_owned(),
                        false,
                    )),
                    Said::Host => hosts.push(Part::Text(Cow::Owned(text.into_owned()))),
                    Said::Plain(plain) => match outputs.last_mut() {
                        // What stands below a heading comes as a text of its own.
                        Some(last) if last.text.is_empty() => {
                            last.outcome = outcome(plain, false);
                            last.text = Cow::Owned(plain.to_owned());
                        }
                        Some(_) => hosts.push(Part::Text(Cow::Owned(plain.to_owned()))),
                        None => words.push(Part::Text(Cow::Owned(plain.to_owned()))),
                    },
                }
            }
        }
    }
    outputs.retain(|output| !output.text.is_empty());
    if outputs.is_empty() && !words.is_empty() {
        told.kind = Some(Kind::Person);
        told.boundary = Boundary::Begins;
        told.parts = words;
    } else if outputs.is_empty() {
        told.kind = Some(Kind::Unranked(Unranked::Note));
        told.parts = hosts;
    } else {
        // Words beside a result are the person's answer to it.
        told.kind = Some(Kind::Result);
        told.parts = outputs.into_iter().map(Part::Output).chain(words).collect();
    }
    told
}

/// A result that is a block of its own.
fn result<'a>(block: Block<'a>, outputs: &mut Vec<Output<'a>>, words: &mut Vec<Part<'a>>) {
    let failed = block.error.on();
    let text = match block.content {
        Content::Nothing => String::new(),
        Content::Words(text) => text.into_owned(),
        Content::Blocks(items) => {
            let texts =
                items
                    .into_iter()
                    .filter_map(|Item { kind, text, .. }| match kind.as_str() {
                        "image" => Some(Cow::Borrowed(IMAGE)),
                        _ => text.filled(),
                    });
            texts.collect::<Vec<_>>().join("\n")
        }
    };
    match said(&text) {
        Said::Person(own) => words.push(Part::Text(Cow::Owned(own.to_owned()))),
        Said::Result { text, .. } => {
            outputs.push(output(
                block.answers.or_empty(),
                None,
                text.to_owned(),
                failed,
            ));
        }
        Said::Host | Said::Plain(_) => {
            outputs.push(output(block.answers.or_empty(), None, text, failed));
        }
    }
}

fn output<'a>(call: Cow<'a, str>, tool: Option<String>, text: String, failed: bool) -> Output<'a> {
    Output {
        call,
        tool: tool.map(Cow::Owned),
        outcome: outcome(&text, failed),
        text: Cow::Owned(text),
        persisted: None,
    }
}

/// How a call went: the exit code that a line before the output tells, or how its text begins.
fn outcome(text: &str, failed: bool) -> Outcome {
    let code = text.lines().take(4).find_map(|line| {
        let (_, after) = line.split_once("Exit code: ")?;
        number_after(&format!("Exit code: {after}"), "Exit code: ")
    });
    match code {
        Some(code) => Outcome::Exit(code),
        None if failed || FAILURES.iter().any(|failure| text.starts_with(failure)) => {
            Outcome::Failed
        }
        None => Outcome::Unknown,
    }
}
