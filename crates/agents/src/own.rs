//! memfold's own form, for agents that write it directly: `formats/events.md` is its page, [`memfold_log::own`] its reader.
//! Such logs lie wherever their agent keeps them, so there is no store to look in; they are told by their lines.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use memfold_log::Form;
use memfold_log::event::{
    Boundary, Event, Facts, Identity, Kind, Outcome, Output, Part, Reading, Title, Unranked,
};
use memfold_log::own::{self, Body, By, CallResult, Record};

use crate::call::call;
use crate::input::Input;
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store};
use crate::{Agent, NotALine, output};

/// Logs in memfold's own form.
pub(crate) struct Own;

impl Agent for Own {
    fn name(&self) -> &'static str {
        "memfold"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, _: &dyn Fn(&str) -> Option<OsString>, _: Option<&Path>) -> Vec<Store> {
        Vec::new()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        Form::of(path_below_store).filter(|form| *form != Form::Document)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            peek.has("v") && !peek.text("kind").is_empty()
        })
    }

    fn claims_path(&self, _: &Path) -> bool {
        false
    }

    fn facts_from_path(&self, _: &Path) -> PathFacts {
        PathFacts::default()
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| {
            let text = std::str::from_utf8(line).map_err(serde::de::Error::custom)?;
            Ok(reading(Record::parse(text)?))
        })
    }

    fn resume(&self, _: &str, _: Option<&str>) -> Option<Resume> {
        None
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

fn reading(record: Record<'_>) -> Reading<'_> {
    let Record {
        time,
        id,
        agent,
        body,
    } = record;
    let mut facts = Facts {
        time,
        ..Facts::default()
    };
    let helping = agent.is_some();
    // A helper's lines bound no turn of the main context.
    let bound = |boundary| if helping { Boundary::Within } else { boundary };
    let mut boundary = Boundary::Within;
    let mut origin = None;
    let (kind, parts) = match body {
        Body::Open(open) => {
            facts.helper = agent.filter(|_| open.parent.is_some());
            facts.task = open.task;
            facts.parent = open.parent;
            facts.forked_from = open.forked_from;
            facts.cwd = open.cwd;
            facts.branch = open.branch;
            return Reading {
                facts,
                event: None,
                boundary,
                ..Reading::default()
            };
        }
        Body::Title { title, by } => {
            facts.title = Some(match by {
                By::Person => Title::Person(title),
                By::Model => Title::Given(title),
                By::Summary => Title::Summary(title),
            });
            return Reading {
                facts,
                event: None,
                boundary,
                ..Reading::default()
            };
        }
        Body::TurnEnd { .. } => {
            return Reading {
                facts,
                event: None,
                boundary: bound(Boundary::Ends),
                ..Reading::default()
            };
        }
        Body::Person { text } if helping => (Kind::Unranked(Unranked::Instructions), words([text])),
        Body::Person { text } => {
            boundary = Boundary::Begins;
            (Kind::Person, words([text]))
        }
        Body::Reply { text, calls } => {
            let mut parts = words([text]);
            parts.extend(
                calls
                    .into_iter()
                    .map(|made| Part::Call(call(made.id, made.tool, arguments(made.input)))),
            );
            (Kind::Reply, parts)
        }
        Body::Result { results } => {
            origin = Some(
                results
                    .iter()
                    .map(|result| &*result.call)
                    .collect::<Vec<_>>()
                    .join(" "),
            )
            .filter(|ids| !ids.trim().is_empty());
            (Kind::Result, results.into_iter().map(returned).collect())
        }
        Body::File { path, text } => (Kind::File, words([path, text])),
        Body::Plan { text } => (Kind::Plan, words([text])),
        Body::Summary { text } => (Kind::Summary, words([text])),
        Body::Compaction { text } => (Kind::Compaction, words([text])),
        Body::Unranked { kind, text, .. } => (Kind::Unranked(unranked(kind)), words(text)),
        _ => {
            return Reading {
                facts,
                event: None,
                boundary,
                ..Reading::default()
            };
        }
    };
    let identity = Identity {
        id,
        origin: origin.map(Cow::Owned),
    };
    Reading {
        facts,
        event: Some(Event {
            kind,
            helper: agent,
            time,
            identity,
            parts,
        }),
        boundary,
        ..Reading::default()
    }
}

fn words<'a>(texts: impl IntoIterator<Item = Cow<'a, str>>) -> Vec<Part<'a>> {
    texts
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(Part::Text)
        .collect()
}

fn arguments(input: Option<Cow<'_, serde_json::value::RawValue>>) -> Input<'_> {
    match input {
        None => Input::default(),
        Some(Cow::Borrowed(json)) => Input::from_json(Cow::Borrowed(json.get())),
        Some(Cow::Owned(json)) => Input::from_json(Cow::Owned(json.get().to_owned())),
    }
}

fn returned(result: CallResult<'_>) -> Part<'_> {
    let outcome = match result.exit {
        Some(code) => Outcome::Exit(code),
        None if result.failed => Outcome::Failed,
        None => Outcome::Unknown,
    };
    let text = if outcome == Outcome::Unknown {
        output::readable(result.text)
    } else {
        result.text
    };
    Part::Output(Output {
        call: result.call,
        tool: result.tool,
        text,
        outcome,
        persisted: result.persisted,
    })
}

fn unranked(kind: own::Unranked) -> Unranked {
    match kind {
        own::Unranked::GuardDecision => Unranked::Guard,
        own::Unranked::Egress => Unranked::Egress,
        own::Unranked::Request => Unranked::Request,
        own::Unranked::Thinking => Unranked::Thinking,
        own::Unranked::Instructions => Unranked::Instructions,
        own::Unranked::IndexUpdate | own::Unranked::IndexForget => Unranked::IndexUpdate,
        _ => Unranked::Note,
    }
}
