//! Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, cold ones `.jsonl.zst`, and `archived_sessions/`.
//! Facts from logs of versions 0.34 to 0.139 and from the older form without envelopes. The first `session_meta` is the
//! log's own; later ones are of the tasks it was forked from. Events that repeat messages are not read.

mod item;
mod returned;
mod translate;
mod words;

use std::ffi::OsString;
use std::path::Path;

use memfold_log::Form;
use memfold_log::event::Reading;

use crate::peek::Peek;
use crate::scan;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::{Agent, NotALine};

/// Codex's logs.
pub(crate) struct Codex;

/// How a log's name begins.
const PREFIX: &str = "rollout-";

/// A log's id ends its name.
const ID_LENGTH: usize = 36;

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let Some(base) = base(env, "CODEX_HOME", home, ".codex") else {
            return Vec::new();
        };
        vec![
            Store {
                dir: base.join("sessions"),
                depth: 4,
                archived: false,
            },
            Store {
                dir: base.join("archived_sessions"),
                depth: 4,
                archived: true,
            },
        ]
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form != Form::Document)?;
        stem(path_below_store)?.starts_with(PREFIX).then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            match peek.text("type") {
                "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted" => {
                    peek.has("payload")
                }
                // The old form: a head without a type, states, bare items.
                "" => {
                    (peek.has("id") && peek.has("timestamp") && peek.has("instructions"))
                        || peek.text("record_type") == "state"
                }
                "function_call" => peek.has("call_id") && peek.has("arguments"),
                _ => false,
            }
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        self.names(path).is_some()
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let task = stem(path).and_then(|stem| {
            let name = stem.strip_prefix(PREFIX)?;
            name.get(name.len().checked_sub(ID_LENGTH)?..)
                .filter(|id| is_uuid(id))
        });
        PathFacts {
            task: task.map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(translate::reading(scan::read(line)?)))
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "codex",
            arguments: vec!["resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "019a7206-e2ca-7fc3-be05-5a768efe7dd0";

    #[test]
    fn stores_follow_the_environment() {
        let moved = |name: &str| (name == "CODEX_HOME").then(|| OsString::from("/x"));
        let stores = Codex.stores(&moved, None);
        assert_eq!(
            stores
                .iter()
                .map(|store| (store.dir.to_str().unwrap(), store.archived))
                .collect::<Vec<_>>(),
            [("/x/sessions", false), ("/x/archived_sessions", true)]
        );
        assert_eq!(
            Codex.stores(&|_| None, Some(Path::new("/h")))[0].dir,
            Path::new("/h/.codex/sessions")
        );
    }

    #[test]
    fn file_names() {
        let name = format!("2026/01/20/rollout-2026-01-20T09-38-57-{ID}.jsonl");
        assert_eq!(Codex.names(Path::new(&name)), Some(Form::Lines));
        assert_eq!(
            Codex.names(Path::new(&format!("{name}.zst"))),
            Some(Form::CompressedLines)
        );
        assert_eq!(Codex.names(Path::new("history.jsonl")), None);
        assert_eq!(
            Codex.facts_from_path(Path::new(&name)).task.as_deref(),
            Some(ID)
        );
        assert_eq!(
            Codex
                .facts_from_path(Path::new(
                    "rollout-é019a7206-e2ca-7fc3-be05-5a768efe7d.jsonl"
                ))
                .task,
            None
        );
    }

    #[test]
    fn resuming() {
        let resume = Codex.resume(ID, None).unwrap();
        assert_eq!(
            (resume.program, resume.arguments),
            ("codex", vec!["resume".into(), ID.into()])
        );
        assert_eq!(Codex.resume("--yolo", None), None);
    }
}
