//! deepcode: `~/.deepcode/sessions/<id>.v1.jsonl`, before `<id>.jsonl`. Facts from its own source. The first line says whose
//! log it is and is written anew, the whole file with it, when the title changes. The oldest logs are bare messages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::event::{Event, Facts, Identity, Reading, Title};
use memfold_log::{Form, Timestamp};

use crate::json::{Content, Moment, Text, object};
use crate::message::{self, Block, Said};
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, stem};
use crate::{Agent, NotALine};

/// deepcode's logs.
pub(crate) struct Deepcode;

/// What ends the name of a log of the present form.
const PRESENT: &str = ".v1";
/// Tags that the host puts around its own text.
const HOSTS_TAGS: &[&str] = &["system-reminder"];

object! {
    /// Any line.
    Line<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        cwd: Text<'a> = "cwd",
        created: Moment = "created_at",
        title: Text<'a> = "title",
        role: Text<'a> = "role",
        content: Content<'a, Block<'a>> = "content",
        timestamp: Text<'a> = "timestamp",
    }
}

impl Agent for Deepcode {
    fn name(&self) -> &'static str {
        "deepcode"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        base(env, "DEEPCODE_SESSIONS_DIR", home, ".deepcode/sessions")
            .map(|dir| Store {
                dir,
                depth: 1,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        Form::of(path_below_store).filter(|form| *form == Form::Lines)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        let peeks: Vec<_> = first_lines.iter().map(|line| Peek::at(line)).collect();
        let present = |peek: &Peek| match peek.text("type") {
            "session_meta" => peek.has("id") && !peek.has("payload"),
            "message" => peek.has("schema_version") && peek.has("role"),
            _ => false,
        };
        // A bare message says nothing else, and neither do the others of its log.
        let bare = |peek: &Peek| {
            matches!(peek.text("role"), "user" | "assistant")
                && peek.has("content")
                && !["type", "message", "id", "tool_calls"]
                    .iter()
                    .any(|key| peek.has(key))
        };
        let spoken: Vec<_> = peeks.iter().filter(|peek| peek.has("role")).collect();
        peeks.iter().any(present) || (!spoken.is_empty() && spoken.into_iter().all(bare))
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names.windows(2).any(
            |pair| matches!(pair, [base, store] if *base == ".deepcode" && *store == "sessions"),
        )
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let present = stem(path).and_then(|stem| stem.strip_suffix(PRESENT));
        PathFacts {
            task: present.map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| Ok(reading(serde_json::from_slice(line)?)))
    }

    fn told_by(&self, log: &Path) -> Option<PathBuf> {
        let old = stem(log).filter(|stem| !stem.ends_with(PRESENT))?;
        Some(log.with_file_name(format!("{old}{PRESENT}.jsonl")))
    }

    fn resume(&self, _: &str, _: Option<&str>) -> Option<Resume> {
        None
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

fn reading(line: Line<'_>) -> Reading<'_> {
    let time = Timestamp::parse(line.timestamp.as_str());
    if line.kind.as_str() == "session_meta" {
        return Reading {
            facts: Facts {
                task: line.id.filled(),
                cwd: line.cwd.filled(),
                title: line.title.filled().map(Title::Given),
                time: line.created.0,
                ..Facts::default()
            },
            ..Reading::default()
        };
    }
    let said = Said::of(line.content, message::same);
    let (kind, parts, boundary) = match line.role.as_str() {
        "assistant" => said.reply(),
        "user" => said.user(HOSTS_TAGS),
        _ => return Reading::default(),
    };
    Reading {
        facts: Facts {
            time,
            ..Facts::default()
        },
        event: Some(Event {
            kind,
            helper: None,
            time,
            identity: Identity {
                id: None,
                origin: line.timestamp.filled(),
            },
            parts,
        }),
        boundary,
        ..Reading::default()
    }
}
