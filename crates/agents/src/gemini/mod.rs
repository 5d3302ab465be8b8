//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id8>.jsonl`, before 0.39 `.json`; sub-agents' logs lie in
//! `chats/<parent's id>/`. Facts from logs of versions 0.26 to 0.39 and from its source at 0.50. A message is written again
//! under its id when its calls have returned: the last line of an id counts. `$rewindTo` takes a message and all that
//! followed it back; `$set` changes what the log says of itself, its whole history included.

pub(crate) mod line;
mod project;
pub(crate) mod returned;
mod translate;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::Form;
use memfold_log::event::Reading;

use crate::json::{Flag, Text, object};
use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, base, is_uuid, stem};
use crate::{Agent, NotALine};

/// Gemini CLI's logs.
pub(crate) struct Gemini;

/// A sub-agent's log lies at `<project>/chats/<parent>/<id>.jsonl`.
const DEPTH: usize = 4;
/// The folder of a project's chats.
const CHATS: &str = "chats";
/// How a main log's name begins.
const PREFIX: &str = "session-";
/// How long it keeps chats where its settings do not say.
const KEPT: Days = Days(30);

object! {
    /// The settings that bear on logs.
    Settings<'a> {
        general: General<'a> = "general",
    }
}

object! {
    /// Its general settings.
    General<'a> {
        retention: Retention<'a> = "sessionRetention",
    }
}

object! {
    /// What it deletes.
    Retention<'a> {
        enabled: Flag = "enabled",
        age: Text<'a> = "maxAge",
    }
}

impl Gemini {
    /// Its own folder.
    fn folder(env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Option<PathBuf> {
        base(env, "GEMINI_CLI_HOME", home, "").map(|home| home.join(".gemini"))
    }
}

impl Agent for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        Gemini::folder(env, home)
            .map(|folder| Store {
                dir: folder.join("tmp"),
                depth: DEPTH,
                archived: false,
            })
            .into_iter()
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        let names: Vec<_> = path_below_store.iter().collect();
        let form = Form::of(path_below_store)?;
        let is_log = match names.as_slice() {
            [_, chats, name] => *chats == CHATS && name.to_str()?.starts_with(PREFIX),
            [_, chats, _, _] => *chats == CHATS && form == Form::Lines,
            _ => false,
        };
        is_log.then_some(form)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.iter().any(|line| {
            let peek = Peek::at(line);
            let message = matches!(
                peek.text("type"),
                "user" | "gemini" | "info" | "warning" | "error"
            ) && ["id", "timestamp", "content"]
                .iter()
                .all(|key| peek.has(key));
            message
                || (peek.has("sessionId") && peek.has("projectHash"))
                || peek.has("$set")
                || peek.has("$rewindTo")
        })
    }

    fn claims_path(&self, path: &Path) -> bool {
        let names: Vec<_> = path.iter().collect();
        names.windows(4).any(|names| {
            matches!(names, [folder, tmp, _, chats] if *folder == ".gemini" && *tmp == "tmp" && *chats == CHATS)
        })
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let name = |path: Option<&Path>| Some(path?.file_name()?.to_str()?.to_owned());
        let folder = path.parent();
        let helper = name(folder.and_then(Path::parent))
            .filter(|above| above == CHATS)
            .and_then(|_| stem(path));
        match (helper, name(folder)) {
            (Some(helper), Some(parent)) => PathFacts {
                task: Some(format!("{parent}/{helper}")),
                parent: Some(parent),
                helper: Some(helper.to_owned()),
                ..PathFacts::default()
            },
            _ => PathFacts::default(),
        }
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| {
            Ok(translate::reading(serde_json::from_slice(line)?))
        })
    }

    fn messages(&self) -> &'static [&'static str] {
        &["messages"]
    }

    fn place_files(&self, log: &Path) -> Vec<PathBuf> {
        project::files(log)
    }

    fn place_in<'t>(&self, log: &Path, file: &Path, text: &'t str) -> Option<Cow<'t, str>> {
        project::place(log, file, text)
    }

    fn worked_in(&self, log: &Path, directory: &Path) -> bool {
        project::hash_is_of(log, directory)
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        is_uuid(task).then(|| Resume {
            program: "gemini",
            arguments: vec!["--resume".to_owned(), task.to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn settings(
        &self,
        env: &dyn Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        Gemini::folder(env, home).map(|folder| folder.join("settings.json"))
    }

    fn retention(&self, settings: Option<&str>) -> Option<Days> {
        let settings: Settings<'_> = settings
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let retention = settings.general.retention;
        if retention.enabled.0 == Some(false) {
            return None;
        }
        Some(days(retention.age.as_str()).unwrap_or(KEPT))
    }
}

/// The days of an age as its settings have it: `30d`, `2w`, `1m`, `48h`.
fn days(age: &str) -> Option<Days> {
    let unit = age.chars().next_back()?;
    let number: u32 = age.strip_suffix(unit)?.parse().ok()?;
    let days = match unit {
        'h' => Some(number / 24),
        'd' => Some(number),
        'w' => number.checked_mul(7),
        'm' => number.checked_mul(30),
        _ => None,
    };
    days.map(Days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_follow_the_environment() {
        let moved = |name: &str| (name == "GEMINI_CLI_HOME").then(|| OsString::from("/x"));
        assert_eq!(
            Gemini.stores(&moved, Some(Path::new("/h")))[0].dir,
            Path::new("/x/.gemini/tmp")
        );
        assert_eq!(
            Gemini.stores(&|_| None, Some(Path::new("/h")))[0].dir,
            Path::new("/h/.gemini/tmp")
        );
    }

    #[test]
    fn file_names() {
        for (path, form) in [
            (
                "api/chats/session-2026-01-02T03-04-3f9a1c02.jsonl",
                Some(Form::Lines),
            ),
            (
                "api/chats/session-2026-01-02T03-04-3f9a1c02.json",
                Some(Form::Document),
            ),
            ("api/chats/3f9a1c02-1/k2j4x.jsonl", Some(Form::Lines)),
            ("api/logs.json", None),
            ("api/checkpoints/session-x.json", None),
            ("api/chats/session-x.jsonl.tmp-12", None),
        ] {
            assert_eq!(Gemini.names(Path::new(path)), form, "{path}");
        }
    }

    #[test]
    fn paths_tell_the_parent() {
        let main = Gemini.facts_from_path(Path::new("/h/.gemini/tmp/api/chats/session-a.jsonl"));
        assert_eq!(main, PathFacts::default());
        let helper = Gemini.facts_from_path(Path::new("/h/.gemini/tmp/api/chats/p-1/k2j4x.jsonl"));
        assert_eq!(
            helper,
            PathFacts {
                task: Some("p-1/k2j4x".into()),
                parent: Some("p-1".into()),
                helper: Some("k2j4x".into()),
                ..PathFacts::default()
            }
        );
    }

    #[test]
    fn how_long_chats_are_kept() {
        for (settings, days) in [
            (None, Some(30)),
            (
                Some(r#"{"general":{"sessionRetention":{"maxAge":"2w"}}}"#),
                Some(14),
            ),
            (
                Some(r#"{"general":{"sessionRetention":{"maxAge":"48h"}}}"#),
                Some(2),
            ),
            (
                Some(r#"{"general":{"sessionRetention":{"maxAge":"soon"}}}"#),
                Some(30),
            ),
            (
                Some(r#"{"general":{"sessionRetention":{"enabled":false,"maxAge":"2w"}}}"#),
                None,
            ),
            (Some("// not JSON"), Some(30)),
        ] {
            assert_eq!(Gemini.retention(settings), days.map(Days), "{settings:?}");
        }
    }
}
