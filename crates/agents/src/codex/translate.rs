//! From Codex's line to what it says. Depends on the line alone.

use std::borrow::Cow;

use memfold_log::Timestamp;
use memfold_log::event::{
    Boundary, Elides, Event, Facts, Identity, Kind, Output, Part, Reading, Title, Unranked,
};

use super::item::{Block, Item, Source, SubAgent};
use super::returned::returned;
use super::words::{self, Said, said};
use crate::call::call;
use crate::input::Input;
use crate::json::{Content, Text};

const IMAGE: &str = "[image]";

/// The label of a helper that has no name.
const UNNAMED_HELPER: &str = "sub-agent";

/// When a line was written: as a time, and as the log spells it.
struct When<'a> {
    time: Option<Timestamp>,
    spelled: Text<'a>,
}

/// Translates a line.
pub(crate) fn reading(mut line: Item<'_>) -> Reading<'_> {
    let spelled = std::mem::take(&mut line.timestamp);
    let time = Timestamp::parse(spelled.as_str());
    let when = When { time, spelled };
    let mut reading = match line.payload.take() {
        Some(payload) => match line.kind.as_str() {
            "session_meta" => Reading {
                facts: head(*payload),
                ..Reading::default()
            },
            "turn_context" => Reading {
                facts: Facts {
                    cwd: payload.cwd.filled(),
                    ..Facts::default()
                },
                ..Reading::default()
            },
            "response_item" => item(*payload, when),
            "event_msg" => mark(*payload),
            // The history embedded beside the note is a copy.
            "compacted" => match payload.message.filled() {
                Some(note) => event(
                    Kind::Compaction,
                    when,
                    Text::default(),
                    None,
                    vec![Part::Text(note)],
                    Boundary::Within,
                ),
                // Newer ones hand a history over that only the model can read.
                None => Reading {
                    elides: Elides::All,
                    ..Reading::default()
                },
            },
            _ => Reading::default(),
        },
        // The old form: bare items, and a head without a type.
        None if line.kind.0.is_none() => Reading {
            facts: head(line),
            ..Reading::default()
        },
        None => item(line, when),
    };
    reading.facts.time = time;
    reading
}

/// What the log is.
fn head(meta: Item<'_>) -> Facts<'_> {
    let mut parent = meta.parent.filled();
    let mut helper =
        (meta.started_by.as_str() == "subagent").then_some(Cow::Borrowed(UNNAMED_HELPER));
    if let Content::Blocks(sources) = meta.source {
        match sources
            .into_iter()
            .next()
            .map(|Source { subagent, .. }| subagent)
        {
            Some(Content::Words(name)) => helper = Some(name),
            Some(Content::Blocks(agents)) => {
                for SubAgent { spawn, other, .. } in agents {
                    parent = parent.or(spawn.parent.filled());
                    let name = [spawn.nickname, spawn.part, other]
                        .into_iter()
                        .find_map(Text::filled);
                    helper = name.or(Some(Cow::Borrowed(UNNAMED_HELPER)));
                }
            }
            _ => {}
        }
    }
    if helper.is_some() {
        helper = [meta.nickname, meta.part]
            .into_iter()
            .find_map(Text::filled)
            .or(helper);
    }
    Facts {
        task: meta.id.filled(),
        parent: parent.filter(|_| helper.is_some()),
        forked_from: meta.forked_from.filled(),
        helper,
        cwd: meta.cwd.filled(),
        branch: meta.git.branch.filled(),
        ..Facts::default()
    }
}

/// The log's own marks. Its other events repeat items, or tell of what is not shown.
fn mark(event: Item<'_>) -> Reading<'_> {
    let mut reading = Reading::default();
    match event.kind.as_str() {
        "task_complete" | "turn_complete" | "turn_aborted" => reading.boundary = Boundary::Ends,
        "thread_name_updated" => reading.facts.title = event.thread_name.filled().map(Title::Given),
        _ => {}
    }
    reading
}

fn event<'a>(
    kind: Kind,
    when: When<'a>,
    id: Text<'a>,
    origin: Option<Cow<'a, str>>,
    parts: Vec<Part<'a>>,
    boundary: Boundary,
) -> Reading<'a> {
    let identity = Identity {
        id: id.filled(),
        origin: origin.or(when.spelled.filled()),
    };
    Reading {
        facts: Facts::default(),
        event: Some(Event {
            kind,
            helper: None,
            time: when.time,
            identity,
            parts,
        }),
        boundary,
        ..Reading::default()
    }
}

fn item<'a>(item: Item<'a>, when: When<'a>) -> Reading<'a> {
    match item.kind.as_str() {
        "message" => message(item, when),
        "reasoning" => event(
            Kind::Unranked(Unranked::Thinking),
            when,
            item.id,
            None,
            Vec::new(),
            Boundary::Within,
        ),
        kind if kind.ends_with("_call") => {
            let origin = item.call_id.clone().filled();
            let tool = match (item.namespace.filled(), item.name.filled()) {
                (Some(server), Some(name)) => {
                    Cow::Owned(format!("{}__{name}", server.trim_end_matches('_')))
                }
                (None, Some(name)) => name,
                // `web_search_call` has an action and no name.
                _ => Cow::Owned(kind.trim_end_matches("_call").to_owned()),
            };
            let input = match item.input.0 {
                Some(text) => Input::text(text),
                None if item.action.first().is_some() => item.action.without("type"),
                None => item.arguments.0,
            };
            let call = call(item.call_id.or_empty(), tool, input);
            event(
                Kind::Reply,
                when,
                item.id,
                origin,
                vec![Part::Call(call)],
                Boundary::Within,
            )
        }
        kind if kind.ends_with("_output") => {
            let origin = item.call_id.clone().filled();
            let (text, outcome) = returned(item.output);
            let output = Output {
                call: item.call_id.or_empty(),
                tool: item.name.filled(),
                text,
                outcome,
                persisted: None,
            };
            event(
                Kind::Result,
                when,
                item.id,
                origin,
                vec![Part::Output(output)],
                Boundary::Within,
            )
        }
        _ => Reading::default(),
    }
}

fn message<'a>(item: Item<'a>, when: When<'a>) -> Reading<'a> {
    let (texts, pictures) = texts(item.content);
    let note = Kind::Unranked(Unranked::Note);
    match item.role.as_str() {
        "assistant" => {
            let parts: Vec<_> = texts.into_iter().map(Part::Text).collect();
            if parts.is_empty() {
                return Reading::default();
            }
            // Comments precede calls, so a message ends a turn only where it says that it is the answer.
            let boundary = if item.phase.as_str() == "final_answer" {
                Boundary::Ends
            } else {
                Boundary::Within
            };
            event(Kind::Reply, when, item.id, None, parts, boundary)
        }
        "user" => {
            let cwd = texts
                .iter()
                .find_map(|text| words::directory(text))
                .map(|cwd| Cow::Owned(cwd.to_owned()));
            let mut own = Vec::new();
            let mut hosts = Vec::new();
            let (mut kind, mut boundary) = (note, Boundary::Within);
            for text in texts {
                match said(text.clone()) {
                    Said::Person(words) => {
                        own.push(Part::Text(words));
                        continue;
                    }
                    Said::Compaction => kind = Kind::Compaction,
                    Said::Aborted => boundary = Boundary::Ends,
                    Said::Host => {}
                }
                hosts.push(Part::Text(text));
            }
            if own.is_empty() && hosts.is_empty() && pictures {
                own.push(Part::Text(Cow::Borrowed(IMAGE)));
            }
            let mut reading = if own.is_empty() {
                event(kind, when, item.id, None, hosts, boundary)
            } else {
                event(Kind::Person, when, item.id, None, own, Boundary::Begins)
            };
            reading.facts.cwd = cwd;
            reading
        }
        _ => event(
            note,
            when,
            item.id,
            None,
            texts.into_iter().map(Part::Text).collect(),
            Boundary::Within,
        ),
    }
}

/// The texts of a message, and whether it has pictures.
fn texts<'a>(content: Content<'a, Block<'a>>) -> (Vec<Cow<'a, str>>, bool) {
    match content {
        Content::Nothing => (Vec::new(), false),
        Content::Words(text) => (vec![text], false),
        Content::Blocks(blocks) => {
            let pictures = blocks
                .iter()
                .any(|block| block.kind.as_str() == "input_image");
            (
                blocks
                    .into_iter()
                    .filter_map(|block| block.text.filled())
                    .collect(),
                pictures,
            )
        }
    }
}
