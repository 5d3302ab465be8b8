//! DeepSeek Harness: `~/.dsh/sessions/<project>/<id>/session.jsonl[.zstd]`, later with a version in the name. Facts from
//! public plugins and readers that work on its sessions. The first line says whose log it is; each further one is an event
//! `{type, seq, time, data}`. What a compaction puts in an event's place is for the model alone and counts as a copy.

use std::ffi::OsString;
use std::path::Path;

use memfold_log::Form;
use memfold_log::event::{Boundary, Event, Facts, Identity, Kind, Reading};

use crate::json::{Content, Moment, Number, Text, object};
use crate::message::{Block, Said, Spoken, note, one, same};
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, stem};
use crate::{Agent, NotALine};

/// DeepSeek Harness's logs.
pub(crate) struct Dsh;

/// How a log's name begins.
const PREFIX: &str = "session";

object! {
    /// Any line: the header, or an event.
    Line<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        cwd: Text<'a> = "cwd",
        created: Moment = "createdAt",
        depth: Number = "delegationDepth",
        time: Moment = "time",
        place: Content<'a, Text<'a>> = "surfaceOp",
        data: Data<'a> = "data",
    }
}

object! {
    /// What an event says. A person's message stands in it as it is, others as `message`.
    Data<'a> {
        id: Text<'a> = "id",
        source: Source<'a> = "source",
        content: Content<'a, Block<'a>> = "content",
        message: Message<'a> = "message",
        summary: Text<'a> = "summary",
    }
}

object! {
    /// A message.
    Message<'a> {
        id: Text<'a> = "id",
        content: Content<'a, Block<'a>> = "content",
    }
}

object! {
    /// Who speaks.
    Source<'a> {
        kind: Text<'a> = "kind",
    }
}

impl Agent for Dsh {
    fn name(&self) -> &'static str {
        "dsh"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        base(env, "DSH_HOME", home, ".dsh")
            .map(|base| Store {
                dir: base.join("sessions"),
                depth: 3,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form != Form::Document)?;
        stem(path_below_store)?.starts_with(PREFIX).then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            let kind = peek.text("type");
            let event =
                kind.contains('/') && ["seq", "time", "data"].iter().all(|key| peek.has(key));
            event || (kind == "session" && peek.has("createdAt") && peek.has("delegationDepth"))
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names
            .windows(2)
            .any(|pair| matches!(pair, [base, store] if *base == ".dsh" && *store == "sessions"))
    }

    fn facts_from_path(&self, _: &Path) -> PathFacts {
        PathFacts::default()
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn resume(&self, _: &str, _: Option<&str>) -> Option<Resume> {
        None
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

fn reading(line: Line<'_>) -> Reading<'_> {
    if line.kind.as_str() == "session" {
        let task = line.id.filled();
        let helps = line.depth.0.is_some_and(|depth| depth > 0);
        return Reading {
            facts: Facts {
                helper: task.clone().filter(|_| helps),
                task,
                cwd: line.cwd.filled(),
                time: line.created.0.or(line.time.0),
                ..Facts::default()
            },
            ..Reading::default()
        };
    }
    let time = line.time.0;
    let facts = Facts {
        time,
        ..Facts::default()
    };
    if line.kind.as_str() == "turn/end" {
        return Reading {
            facts,
            boundary: Boundary::Ends,
            ..Reading::default()
        };
    }
    // What is not appended is put in another's place; logs of the first versions say nothing of it.
    let copies = match line.place {
        Content::Nothing => false,
        Content::Words(place) => place != "append",
        Content::Blocks(_) => true,
    };
    let id = match line.data.id.clone().filled() {
        None => line.data.message.id.clone().filled(),
        id => id,
    };
    let said = match (line.kind.as_str(), copies) {
        (_, true) => {
            return Reading {
                facts,
                ..Reading::default()
            };
        }
        ("user/message", false) => Some(user(line.data)),
        ("assistant/message", false) => Some(Said::of(line.data.message.content, same).reply()),
        ("tool/result", false) => Some(Said::of(line.data.message.content, same).user(&[])),
        ("compaction/summary", false) => line
            .data
            .summary
            .filled()
            .map(|summary| one(Kind::Compaction, summary)),
        _ => None,
    };
    let Some((kind, parts, boundary)) = said else {
        return Reading {
            facts,
            ..Reading::default()
        };
    };
    Reading {
        facts,
        event: Some(Event {
            kind,
            helper: None,
            time,
            // Ids are unique in their log alone.
            identity: Identity {
                id: None,
                origin: id,
            },
            parts,
        }),
        // The log has its own mark where a turn ends.
        boundary: match boundary {
            Boundary::Ends => Boundary::Within,
            other => other,
        },
        ..Reading::default()
    }
}

fn user<'a>(data: Data<'a>) -> Spoken<'a> {
    let said = Said::of(data.content, same);
    match data.source.kind.as_str() {
        "" | "user" => said.person(&[]),
        // Skills, references, plugins.
        _ => note(said.words),
    }
}
