//! Goose: one database of many sessions, `~/.local/share/goose/sessions/sessions.db`. Facts from the sources of schemas 5 to
//! 17. A row is a message with all its content. Sessions of before the database are files that Goose takes into it by itself.

mod line;
mod tables;
mod translate;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::Form;
use memfold_log::event::Reading;

use crate::peek::Peek;
use crate::store::{Days, PathFacts, Resume, Store, data_folder};
use crate::tables::Tables;
use crate::{Agent, NotALine};

/// Goose's sessions.
pub(crate) struct Goose;

impl Agent for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let moved = env("GOOSE_PATH_ROOT")
            .map(PathBuf::from)
            .filter(|root| root.is_absolute())
            .map(|root| root.join("data"));
        let data = moved.or_else(|| data_folder(env, home).map(|data| data.join("goose")));
        data.map(|data| Store {
            dir: data.join("sessions"),
            depth: 1,
            archived: false,
        })
        .into_iter()
        .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        (path_below_store == Path::new("sessions.db")).then_some(Form::Rows)
    }

    fn tables(&self) -> Option<&'static Tables> {
        Some(&tables::TABLES)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines.first().is_some_and(|line| {
            let peek = Peek::at(line);
            peek.text("row") == "session" && peek.text("agent") == self.name()
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
            Ok(translate::reading(serde_json::from_slice(line)?))
        })
    }

    fn resume(&self, task: &str, cwd: Option<&str>) -> Option<Resume> {
        let plain = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        (!task.is_empty() && task.bytes().all(plain)).then(|| Resume {
            program: "goose",
            arguments: ["session", "--resume", "--session-id", task]
                .map(str::to_owned)
                .into(),
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

    #[test]
    fn stores_follow_the_environment() {
        let folder = |variable: &'static str, value: &'static str| {
            let env = move |name: &str| (name == variable).then(|| OsString::from(value));
            let stores = Goose.stores(&env, Some(Path::new("/h")));
            stores[0].dir.display().to_string()
        };
        assert_eq!(folder("NONE", ""), "/h/.local/share/goose/sessions");
        assert_eq!(folder("XDG_DATA_HOME", "/d"), "/d/goose/sessions");
        assert_eq!(folder("GOOSE_PATH_ROOT", "/g"), "/g/data/sessions");
        assert_eq!(
            folder("GOOSE_PATH_ROOT", "g"),
            "/h/.local/share/goose/sessions"
        );
    }

    #[test]
    fn resuming() {
        let resume = Goose.resume("20260302_1", None).unwrap();
        assert_eq!(
            resume.arguments,
            ["session", "--resume", "--session-id", "20260302_1"]
        );
        for task in ["", "--help", "20260302_1/20260302_2"] {
            assert_eq!(Goose.resume(task, None), None, "{task}");
        }
    }
}
