//! Cursor's agent: `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl`, sub-agents' below `<id>/subagents/`.
//! Facts from public readers of its transcripts. A line is a message and says neither when it was written nor what it is
//! called; where the task works, the folder's name alone tells, in which every sign of the path but letters and digits is a
//! dash. Older transcripts are plain text and not read.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use memfold_log::Form;
use memfold_log::event::{Boundary, Event, Identity, Reading};

use crate::json::{Content, Text, object};
use crate::message::{Block, Said, Spoken};
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::wrapped;
use crate::{Agent, NotALine};

/// Cursor's transcripts.
pub(crate) struct Cursor;

/// The folder of a project's transcripts.
const TRANSCRIPTS: &str = "agent-transcripts";
/// The folder of a task's sub-agents.
const HELPERS: &str = "subagents";
/// A sub-agent's transcript lies at `<folder>/agent-transcripts/<id>/subagents/<id>.jsonl`.
const DEPTH: usize = 5;
/// Around what the person typed.
const QUERY: &str = "user_query";
/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &[
    "system_reminder",
    "user_info",
    "timestamp",
    "attached_files",
    "open_and_recently_viewed_files",
    "git_status",
    "rules",
    "agent_transcripts",
    "project_layout",
];

object! {
    /// A line.
    Line<'a> {
        role: Text<'a> = "role",
        kind: Text<'a> = "type",
        message: Message<'a> = "message",
    }
}

object! {
    /// What was said.
    Message<'a> {
        content: Content<'a, Block<'a>> = "content",
    }
}

impl Agent for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        base(env, "CURSOR_CONFIG_DIR", home, ".cursor")
            .map(|base| Store {
                dir: base.join("projects"),
                depth: DEPTH,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let form = Form::of(path_below_store).filter(|form| *form == Form::Lines)?;
        let folder = path_below_store.iter().nth(1)?;
        (folder == TRANSCRIPTS).then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            matches!(peek.text("role"), "user" | "assistant")
                && peek.has("message.content")
                && !peek.has("timestamp")
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        path.iter().any(|name| name == TRANSCRIPTS)
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let Some(id) = stem(path) else {
            return PathFacts::default();
        };
        let above = path.parent().filter(|folder| folder.ends_with(HELPERS));
        let parent = above.and_then(|folder| folder.parent()?.file_name()?.to_str());
        match parent {
            Some(parent) => PathFacts {
                task: Some(format!("{parent}/{id}")),
                parent: Some(parent.to_owned()),
                helper: Some(id.to_owned()),
                ..PathFacts::default()
            },
            None => PathFacts {
                task: is_uuid(id).then(|| id.to_owned()),
                ..PathFacts::default()
            },
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn worked_in(&self, log: &Path, directory: &Path) -> bool {
        let folder = log
            .ancestors()
            .find(|folder| folder.ends_with(TRANSCRIPTS))
            .and_then(|folder| folder.parent()?.file_name()?.to_str());
        match (folder, directory.to_str()) {
            (Some(folder), Some(directory)) => folder == folder_of(directory),
            _ => false,
        }
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "cursor-agent",
            arguments: vec!["--resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

/// The folder's name for a directory.
fn folder_of(directory: &str) -> String {
    let signs = directory.trim_start_matches('/').chars();
    signs
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign
            } else {
                '-'
            }
        })
        .collect()
}

/// The name by which others know a tool of Cursor's.
fn like(tool: &str) -> &str {
    match tool {
        "Shell" | "run_terminal_cmd" | "run_terminal_command" => "Bash",
        "StrReplace" | "search_replace" | "Delete" | "delete_file" | "EditNotebook" => "Edit",
        "ApplyPatch" => "apply_patch",
        same => same,
    }
}

fn reading(line: Line<'_>) -> Reading<'_> {
    let said = Said::of(line.message.content, like);
    let (kind, parts, boundary) = match line.role.as_str() {
        "user" if said.outputs.is_empty() => person(said),
        "user" => said.user(HOSTS_TAGS),
        "assistant" => said.reply(),
        _ => {
            let boundary = match line.kind.as_str() {
                "turn_ended" => Boundary::Ends,
                _ => Boundary::Within,
            };
            return Reading {
                boundary,
                ..Reading::default()
            };
        }
    };
    Reading {
        event: Some(Event {
            kind,
            helper: None,
            time: None,
            identity: Identity::default(),
            parts,
        }),
        boundary,
        ..Reading::default()
    }
}

fn person(mut said: Said<'_>) -> Spoken<'_> {
    let queries: Vec<Cow<'_, str>> = said
        .words
        .iter()
        .filter(|text| wrapped::between(text, QUERY).is_some())
        .map(|text| {
            wrapped::narrow(text.clone(), |text| {
                wrapped::between(text, QUERY).unwrap_or(text)
            })
        })
        .collect();
    // What stands around a query is the host's.
    if !queries.is_empty() {
        said.words = queries;
    }
    said.person(HOSTS_TAGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_of_the_directories_that_it_could_name() {
        let log = Path::new("/h/.cursor/projects/src-my-api-2/agent-transcripts/a/a.jsonl");
        assert!(Cursor.worked_in(log, Path::new("/src/my.api-2")));
        assert!(!Cursor.worked_in(log, Path::new("/src/my.api")));
        assert!(!Cursor.worked_in(Path::new("/x/a.jsonl"), Path::new("/src")));
    }

    #[test]
    fn paths_tell_the_parent() {
        let id = "5e0c1a2b-3d4e-4f50-8a6b-000000000001";
        let helper = format!("/h/.cursor/projects/p/agent-transcripts/{id}/subagents/x1.jsonl");
        let facts = Cursor.facts_from_path(Path::new(&helper));
        assert_eq!(facts.task, Some(format!("{id}/x1")));
        assert_eq!(facts.helper.as_deref(), Some("x1"));
    }
}
