//! Kimi CLI: `~/.kimi/sessions/<MD5 of the directory>/<id>/wire.jsonl`, sub-agents' in `<id>/subagents/<id>/`. Facts from its
//! own source in 2026. The wire's records say all that happened, and when. Beside them lies `context.jsonl`, what the model
//! sees of it, which is begun anew when it is compacted: it is read where there is no wire, as in sessions of 2025.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use md5::{Digest, Md5};
use memfold_log::Form;
use memfold_log::event::{
    Boundary, Event, Facts, Identity, Kind, Outcome, Output, Part, Reading, Unranked,
};

use crate::call::call_like;
use crate::input::Input;
use crate::json::{Content, Flag, Moment, Text, object};
use crate::message::{
    Block, Item, Said, Spoken, note, one, parsed, readable_output, same, text_of,
};
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::{Agent, NotALine};

/// Kimi CLI's logs.
pub(crate) struct Kimi;

/// A sub-agent's log lies at `<directory>/<id>/subagents/<id>/wire.jsonl`.
const DEPTH: usize = 5;
const WIRE: &str = "wire";
const CONTEXT: &str = "context";
const HELPERS: &str = "subagents";
/// Beside the sessions: the directories in which there were any.
const REGISTRY: &str = "kimi.json";
/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["system", "system-reminder"];
/// What says how a shell failed.
const EXIT: &str = "Command failed with exit code: ";

object! {
    /// Any line: a record of the wire, or a message of the context.
    Line<'a> {
        timestamp: Moment = "timestamp",
        message: Record<'a> = "message",
        role: Text<'a> = "role",
        content: Content<'a, Block<'a>> = "content",
        calls: Content<'a, ToolCall<'a>> = "tool_calls",
        answers: Text<'a> = "tool_call_id",
    }
}

object! {
    /// What happened.
    Record<'a> {
        kind: Text<'a> = "type",
        payload: Payload<'a> = "payload",
    }
}

object! {
    /// What a record says.
    Payload<'a> {
        kind: Text<'a> = "type",
        typed: Content<'a, Block<'a>> = "user_input",
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        function: Function<'a> = "function",
        answers: Text<'a> = "tool_call_id",
        value: Value<'a> = "return_value",
        plan: Text<'a> = "content",
        question: Text<'a> = "question",
        response: Text<'a> = "response",
        agent: Text<'a> = "agent_id",
        helper: Text<'a> = "subagent_type",
        event: Inner<'a> = "event",
    }
}

object! {
    /// What happened in a sub-agent's context.
    Inner<'a> {
        kind: Text<'a> = "type",
        payload: InnerPayload<'a> = "payload",
    }
}

object! {
    /// What such a record says.
    InnerPayload<'a> {
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        function: Function<'a> = "function",
        answers: Text<'a> = "tool_call_id",
        value: Value<'a> = "return_value",
    }
}

object! {
    /// A call.
    ToolCall<'a> {
        id: Text<'a> = "id",
        function: Function<'a> = "function",
    }
}

object! {
    /// A call's tool and its arguments.
    Function<'a> {
        name: Text<'a> = "name",
        arguments: Input<'a> = "arguments",
    }
}

object! {
    /// What a call returned.
    Value<'a> {
        error: Flag = "is_error",
        output: Content<'a, Item<'a>> = "output",
        message: Text<'a> = "message",
    }
}

object! {
    /// Where there were sessions.
    Registry<'a> {
        directories: Content<'a, Directory<'a>> = "work_dirs",
    }
}

object! {
    /// A directory.
    Directory<'a> {
        path: Text<'a> = "path",
    }
}

impl Agent for Kimi {
    fn name(&self) -> &'static str {
        "kimi"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        base(env, "KIMI_SHARE_DIR", home, ".kimi")
            .map(|base| Store {
                dir: base.join("sessions"),
                depth: DEPTH,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form == Form::Lines)?;
        let name = stem(path_below_store)?;
        let known = match path_below_store.components().count() {
            // The oldest sessions are files.
            2 => true,
            _ => name == WIRE || name == CONTEXT,
        };
        known.then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            let wire = peek.has("message.type") && peek.has("message.payload");
            wire || peek.has("protocol_version")
                || matches!(
                    peek.text("role"),
                    "_system_prompt" | "_checkpoint" | "_usage"
                )
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names
            .windows(2)
            .any(|pair| matches!(pair, [base, store] if *base == ".kimi" && *store == "sessions"))
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let name = |path: Option<&Path>| Some(path?.file_name()?.to_str()?.to_owned());
        let folder = match stem(path) {
            Some(WIRE | CONTEXT) => path.parent(),
            _ => return PathFacts::default(),
        };
        let above = folder.and_then(Path::parent);
        if above.is_some_and(|above| above.ends_with(HELPERS)) {
            let parent = name(above.and_then(Path::parent));
            let helper = name(folder);
            return PathFacts {
                task: parent
                    .as_ref()
                    .zip(helper.as_ref())
                    .map(|(parent, helper)| format!("{parent}/{helper}")),
                parent,
                helper,
                ..PathFacts::default()
            };
        }
        PathFacts {
            task: name(folder),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn told_by(&self, log: &Path) -> Option<PathBuf> {
        (stem(log)? == CONTEXT).then(|| log.with_file_name("wire.jsonl"))
    }

    fn place_files(&self, log: &Path) -> Vec<PathBuf> {
        let sessions = log
            .ancestors()
            .find(|folder| folder.file_name().is_some_and(|name| name == "sessions"));
        sessions
            .and_then(Path::parent)
            .map(|share| share.join(REGISTRY))
            .into_iter()
            .collect()
    }

    fn place_in<'t>(&self, log: &Path, _: &Path, text: &'t str) -> Option<Cow<'t, str>> {
        let registry: Registry<'t> = serde_json::from_str(text).ok()?;
        let Content::Blocks(directories) = registry.directories else {
            return None;
        };
        let mut paths = directories
            .into_iter()
            .filter_map(|directory| directory.path.filled());
        paths.find(|path| self.worked_in(log, Path::new(&**path)))
    }

    fn worked_in(&self, log: &Path, directory: &Path) -> bool {
        let hash = Md5::digest(directory.as_os_str().as_encoded_bytes());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        log.iter().any(|name| name == hash.as_str())
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "kimi",
            arguments: vec!["--session".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

/// The name by which others know a tool of Kimi's.
fn like(tool: &str) -> &str {
    match tool {
        "Shell" => "Bash",
        "ReadFile" | "ReadMediaFile" => "Read",
        "WriteFile" | "StrReplaceFile" => "Edit",
        same => same,
    }
}

fn reading(line: Line<'_>) -> Reading<'_> {
    let time = line.timestamp.0;
    let mut helper = None;
    let said = if line.message.kind.0.is_some() {
        record(line.message, &mut helper)
    } else {
        message(line.role.as_str(), line.content, line.calls, line.answers)
    };
    let boundary = match (&helper, &said) {
        (None, Some((_, _, boundary))) => *boundary,
        _ => Boundary::Within,
    };
    Reading {
        facts: Facts {
            time,
            ..Facts::default()
        },
        event: said
            .filter(|(kind, parts, _)| *kind != ENDED || !parts.is_empty())
            .map(|(kind, parts, _)| Event {
                kind,
                helper,
                time,
                identity: Identity::default(),
                parts,
            }),
        boundary,
        ..Reading::default()
    }
}

/// What stands for a record that says nothing but where its turn ends.
const ENDED: Kind = Kind::Unranked(Unranked::Note);

/// A record of the wire. Each part of a reply has one of its own.
fn record<'a>(record: Record<'a>, helper: &mut Option<Cow<'a, str>>) -> Option<Spoken<'a>> {
    let payload = record.payload;
    match record.kind.as_str() {
        "TurnBegin" | "SteerInput" => Some(Said::of(payload.typed, same).person(HOSTS_TAGS)),
        "TurnEnd" => Some((ENDED, Vec::new(), Boundary::Ends)),
        "ContentPart" if payload.kind.as_str() == "think" => Some((
            Kind::Unranked(Unranked::Thinking),
            Vec::new(),
            Boundary::Within,
        )),
        "ContentPart" => Some(one(Kind::Reply, payload.text.filled()?)),
        "ToolCall" => Some(called(payload.id, payload.function)),
        "ToolResult" => Some(returned(payload.answers, payload.value)),
        "PlanDisplay" => Some(one(Kind::Plan, payload.plan.filled()?)),
        // A question asked beside the task, and its answer.
        "BtwBegin" => Some(one(Kind::Person, payload.question.filled()?)),
        "BtwEnd" => Some(one(Kind::Reply, payload.response.filled()?)),
        "SubagentEvent" => {
            // One that has an id has a log of its own, too.
            let own = payload.agent.filled().is_some();
            let inner = payload.event.payload;
            let said = match payload.event.kind.as_str() {
                "ContentPart" => one(Kind::Reply, inner.text.filled()?),
                "ToolCall" => called(inner.id, inner.function),
                "ToolResult" => returned(inner.answers, inner.value),
                _ => return None,
            };
            *helper = Some(
                payload
                    .helper
                    .filled()
                    .unwrap_or(Cow::Borrowed("sub-agent")),
            );
            Some(match own {
                true => (ENDED, said.1, Boundary::Within),
                false => said,
            })
        }
        _ => None,
    }
}

fn called<'a>(id: Text<'a>, function: Function<'a>) -> Spoken<'a> {
    let name = function.name.or_empty();
    let known = like(&name).to_owned();
    let call = call_like(id.or_empty(), name, &known, parsed(function.arguments));
    (Kind::Reply, vec![Part::Call(call)], Boundary::Within)
}

fn returned<'a>(call: Text<'a>, value: Value<'a>) -> Spoken<'a> {
    let told = value.message.filled();
    let outcome = match told.as_deref().and_then(|told| {
        let (_, code) = told.split_once(EXIT)?;
        code.trim_end_matches(['.', ' ']).parse().ok()
    }) {
        Some(code) => Outcome::Exit(code),
        None if value.error.on() => Outcome::Failed,
        None => Outcome::Unknown,
    };
    let text = match (text_of(value.output), told) {
        (text, Some(told)) if text.trim().is_empty() => told,
        (text, _) => text,
    };
    let output = readable_output(Output {
        call: call.or_empty(),
        tool: None,
        text,
        outcome,
        persisted: None,
    });
    (Kind::Result, vec![Part::Output(output)], Boundary::Within)
}

/// A message of the context.
fn message<'a>(
    role: &str,
    content: Content<'a, Block<'a>>,
    calls: Content<'a, ToolCall<'a>>,
    answers: Text<'a>,
) -> Option<Spoken<'a>> {
    let mut said = Said::of(content, same);
    match role {
        "user" => Some(said.person(HOSTS_TAGS)),
        "assistant" => {
            if let Content::Blocks(calls) = calls {
                for made in calls {
                    let (_, parts, _) = called(made.id, made.function);
                    said.calls
                        .extend(parts.into_iter().filter_map(|part| match part {
                            Part::Call(call) => Some(call),
                            Part::Text(_) | Part::Output(_) => None,
                        }));
                }
            }
            Some(said.reply())
        }
        "tool" => {
            let output = readable_output(Output {
                call: answers.or_empty(),
                tool: None,
                text: said.text(),
                outcome: Outcome::Unknown,
                persisted: None,
            });
            Some((Kind::Result, vec![Part::Output(output)], Boundary::Within))
        }
        "_system_prompt" => Some(note(said.words)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_by_the_hash_of_its_directory() {
        // MD5 of "/src/api".
        let hash: String = Md5::digest(b"/src/api")
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let log = PathBuf::from(format!("/h/.kimi/sessions/{hash}/s1/wire.jsonl"));
        assert!(Kimi.worked_in(&log, Path::new("/src/api")));
        assert!(!Kimi.worked_in(&log, Path::new("/src/web")));
        let files = Kimi.place_files(&log);
        assert_eq!(files, [PathBuf::from("/h/.kimi/kimi.json")]);
        let text = r#"{"work_dirs":[{"path":"/src/web"},{"path":"/src/api","kaos":"local"}]}"#;
        assert_eq!(
            Kimi.place_in(&log, Path::new("/h/.kimi/kimi.json"), text)
                .as_deref(),
            Some("/src/api")
        );
        for odd in ["", "{}", r#"{"work_dirs":3}"#] {
            assert_eq!(Kimi.place_in(&log, Path::new("x"), odd), None);
        }
    }

    #[test]
    fn paths_tell_task_and_parent() {
        let main = Kimi.facts_from_path(Path::new("/h/.kimi/sessions/x/s1/wire.jsonl"));
        assert_eq!(main.task.as_deref(), Some("s1"));
        let helper =
            Kimi.facts_from_path(Path::new("/h/.kimi/sessions/x/s1/subagents/a7/wire.jsonl"));
        assert_eq!(helper.task.as_deref(), Some("s1/a7"));
        assert_eq!(helper.parent.as_deref(), Some("s1"));
    }
}
