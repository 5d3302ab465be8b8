//! Factory's droid: `~/.factory/sessions/<folder>/<id>.jsonl`, older ones in `sessions` itself. Facts from public readers of
//! its logs. The first line says where the task works; messages hold the blocks of the model's interface.

use std::ffi::OsString;
use std::path::Path;

use memfold_log::event::{Course, Event, Facts, Follows, Identity, Kind, Outcome, Reading, Title};
use memfold_log::{Form, Timestamp};

use crate::json::{Content, Text, object};
use crate::message::{Block, Said, Spoken, one};
use crate::output::number_at_end;
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::wrapped;
use crate::{Agent, NotALine};

/// droid's logs.
pub(crate) struct Droid;

/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["system-reminder", "system-notification", "context"];
/// What ends a shell's text that failed.
const EXIT: (&str, &str) = ("[Process exited with code ", "]");

object! {
    /// Any line.
    Line<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        parent: Text<'a> = "parentId",
        timestamp: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        title: Text<'a> = "sessionTitle" | "title",
        caller: Text<'a> = "callingSessionId",
        message: Message<'a> = "message",
        summary: Text<'a> = "summaryText",
    }
}

object! {
    /// What was said.
    Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a, Block<'a>> = "content",
    }
}

impl Agent for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        base(env, "", home, ".factory")
            .map(|base| Store {
                dir: base.join("sessions"),
                depth: 2,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        Form::of(path_below_store).filter(|form| *form == Form::Lines)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            match peek.text("type") {
                "session_start" => peek.has("id"),
                // Others write the same but a time, or a version, with each message.
                "message" => {
                    is_uuid(peek.text("id"))
                        && peek.has("message.role")
                        && !peek.has("message.timestamp")
                }
                _ => false,
            }
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names.windows(2).any(
            |pair| matches!(pair, [base, store] if *base == ".factory" && *store == "sessions"),
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
            program: "droid",
            arguments: vec!["--resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

/// The name by which others know a tool of droid's.
fn like(tool: &str) -> &str {
    match tool {
        "Execute" => "Bash",
        "Create" => "Write",
        "ApplyPatch" => "apply_patch",
        same => same,
    }
}

fn reading(line: Line<'_>) -> Reading<'_> {
    let time = Timestamp::parse(line.timestamp.as_str());
    let mut facts = Facts {
        time,
        ..Facts::default()
    };
    let (kind, parts, boundary) = match line.kind.as_str() {
        "session_start" => {
            facts.parent = line.caller.filled();
            facts.task = line.id.filled();
            // A task that another one called is its helper.
            facts.helper = facts.task.clone().filter(|_| facts.parent.is_some());
            facts.cwd = line.cwd.filled();
            // A helper's is the name of the tool that called it.
            let title = line.title.filled().filter(|_| facts.helper.is_none());
            facts.title = title.map(Title::Summary);
            return Reading {
                facts,
                ..Reading::default()
            };
        }
        "message" => message(line.message),
        "compaction_state" => match line.summary.filled() {
            Some(note) => one(Kind::Compaction, note),
            None => return Reading::default(),
        },
        _ => return Reading::default(),
    };
    let names = line.id.clone().filled().into_iter().collect();
    Reading {
        facts,
        event: Some(Event {
            kind,
            helper: None,
            time,
            identity: Identity {
                id: line.id.filled(),
                origin: None,
            },
            parts,
        }),
        boundary,
        course: Course {
            names,
            follows: line.parent.filled().map_or(Follows::Last, Follows::After),
        },
        ..Reading::default()
    }
}

fn message(message: Message<'_>) -> Spoken<'_> {
    let mut said = Said::of(message.content, like);
    for output in &mut said.outputs {
        let exit = number_at_end(&output.text, EXIT.0, EXIT.1);
        if let Some((kept, code)) = exit.map(|(rest, code)| (rest.len(), code)) {
            let text = std::mem::take(&mut output.text);
            output.text = wrapped::narrow(text, |text| text.get(..kept).unwrap_or(text));
            output.outcome = Outcome::Exit(code);
        }
    }
    match message.role.as_str() {
        "assistant" => said.reply(),
        _ => said.user(HOSTS_TAGS),
    }
}
