//! Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, sub-agents below `<session>/subagents/`.
//! Facts from logs of versions 1.0.98 to 2.1.178. One block of a reply is written as one line, under one message id; a
//! sub-agent's lines carry its parent's session id; older sub-agents ("side chains") lie among the main lines.

mod line;
mod returned;
mod translate;
mod words;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::Form;
use memfold_log::event::Reading;

use crate::json::{Number, object};
use crate::peek::Peek;
use crate::scan;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::{Agent, NotALine};

/// Claude Code's logs.
pub(crate) struct ClaudeCode;

/// A sub-agent's log lies at most at `<folder>/<session>/subagents/workflows/<id>/agent-<id>.jsonl`.
const DEPTH: usize = 6;

/// What stands for a picture.
const IMAGE: &str = "[image]";

/// How long it keeps logs where its settings do not say.
const KEPT: Days = Days(30);

/// Types of lines that only Claude Code writes with a session id.
const TYPES: &[&str] = &[
    "user",
    "assistant",
    "system",
    "attachment",
    "progress",
    "queue-operation",
    "ai-title",
    "custom-title",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "agent-name",
    "tag",
];

object! {
    /// The settings that bear on logs.
    Settings<'a> {
        days: Number = "cleanupPeriodDays",
    }
}

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn short_name(&self) -> &'static str {
        "claude"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let base = base(env, "CLAUDE_CONFIG_DIR", home, ".claude");
        base.map(|base| Store {
            dir: base.join("projects"),
            depth: DEPTH,
            archived: false,
        })
        .into_iter()
        .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form != Form::Document)?;
        // A workflow's journal lies among its agents' logs and is none.
        (!stem(path_below_store)?.starts_with("journal")).then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            match peek.text("type") {
                "summary" => peek.has("leafUuid"),
                "file-history-snapshot" => peek.has("messageId"),
                // Others write the same base fields but `message.parts`.
                "user" | "assistant" => {
                    peek.has("sessionId")
                        && (peek.has("message.content") || peek.has("isSidechain"))
                        && !peek.has("message.parts")
                }
                kind => {
                    peek.has("sessionId") && TYPES.contains(&kind) && !peek.has("systemPayload")
                }
            }
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names
            .windows(2)
            .any(|pair| matches!(pair, [base, store] if *base == ".claude" && *store == "projects"))
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let Some(stem) = stem(path) else {
            return PathFacts::default();
        };
        let Some(id) = stem.strip_prefix("agent-").filter(|id| !id.is_empty()) else {
            return PathFacts {
                task: is_uuid(stem).then(|| stem.to_owned()),
                ..PathFacts::default()
            };
        };
        let parent = path
            .ancestors()
            .find(|folder| folder.file_name().is_some_and(|name| name == "subagents"));
        let parent = parent
            .and_then(|folder| folder.parent()?.file_name()?.to_str())
            .filter(|name| is_uuid(name));
        PathFacts {
            task: parent.map(|parent| translate::helpers_task(parent, id)),
            parent: parent.map(str::to_owned),
            helper: Some(id.to_owned()),
            cwd: None,
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(translate::reading(scan::read(line)?)))
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "claude",
            arguments: vec!["--resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn settings(
        &self,
        env: &dyn Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        base(env, "CLAUDE_CONFIG_DIR", home, ".claude").map(|base| base.join("settings.json"))
    }

    fn retention(&self, settings: Option<&str>) -> Option<Days> {
        let settings: Settings<'_> = settings
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let days = settings.days.0.and_then(|days| u32::try_from(days).ok());
        Some(days.map_or(KEPT, Days))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "3f9a1c02-0000-4000-8000-000000000001";

    #[test]
    fn stores_follow_the_environment() {
        let moved = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| OsString::from("/c"));
        assert_eq!(
            ClaudeCode.stores(&moved, Some(Path::new("/h")))[0].dir,
            PathBuf::from("/c/projects")
        );
        assert_eq!(
            ClaudeCode.stores(&|_| None, Some(Path::new("/h")))[0].dir,
            PathBuf::from("/h/.claude/projects")
        );
        assert!(ClaudeCode.stores(&|_| None, None).is_empty());
    }

    #[test]
    fn file_names() {
        for (path, form) in [
            ("-p/3f9a1c02.jsonl", Some(Form::Lines)),
            ("-p/s/subagents/agent-a1.jsonl", Some(Form::Lines)),
            ("-p/s/subagents/agent-a1.meta.json", None),
            ("-p/s/subagents/workflows/w/journal.jsonl", None),
            ("-p/sessions-index.json", None),
            ("-p/s/tool-results/t.txt", None),
        ] {
            assert_eq!(ClaudeCode.names(Path::new(path)), form, "{path}");
        }
    }

    #[test]
    fn paths_tell_the_task() {
        let main =
            ClaudeCode.facts_from_path(Path::new(&format!("/c/projects/-p/{SESSION}.jsonl")));
        assert_eq!(
            main,
            PathFacts {
                task: Some(SESSION.into()),
                parent: None,
                helper: None,
                cwd: None,
            }
        );
        for below in ["subagents", "subagents/workflows/w1"] {
            let helper = ClaudeCode.facts_from_path(Path::new(&format!(
                "/c/projects/-p/{SESSION}/{below}/agent-a1b2.jsonl"
            )));
            assert_eq!(
                helper,
                PathFacts {
                    task: Some(format!("{SESSION}/agent-a1b2")),
                    parent: Some(SESSION.into()),
                    helper: Some("a1b2".into()),
                    cwd: None,
                }
            );
        }
        let old = ClaudeCode.facts_from_path(Path::new("-p/agent-a1b2.jsonl"));
        assert_eq!(
            old,
            PathFacts {
                task: None,
                parent: None,
                helper: Some("a1b2".into()),
                cwd: None,
            }
        );
        assert_eq!(
            ClaudeCode.facts_from_path(Path::new("notes.jsonl")),
            PathFacts::default()
        );
    }

    #[test]
    fn resuming() {
        let resume = ClaudeCode.resume(SESSION, Some("/p")).unwrap();
        assert_eq!(
            (resume.program, resume.arguments, resume.directory),
            (
                "claude",
                vec!["--resume".into(), SESSION.into()],
                Some("/p".into())
            )
        );
        for task in [
            format!("{SESSION}/agent-a1"),
            "--dangerously".into(),
            String::new(),
        ] {
            assert_eq!(ClaudeCode.resume(&task, None), None);
        }
    }

    #[test]
    fn how_long_logs_are_kept() {
        for (settings, days) in [
            (None, 30),
            (Some(r#"{"cleanupPeriodDays":7,"model":"x"}"#), 7),
            (Some(r#"{"cleanupPeriodDays":"7"}"#), 30),
            (Some(r#"{"cleanupPeriodDays":-1}"#), 30),
            (Some("not json"), 30),
        ] {
            assert_eq!(
                ClaudeCode.retention(settings),
                Some(Days(days)),
                "{settings:?}"
            );
        }
    }
}
