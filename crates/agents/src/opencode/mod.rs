//! OpenCode: one database of many sessions, `~/.local/share/opencode/opencode.db`. Facts from the sources of versions 1.1 to
//! 1.17 and from an export of 1.17. A message's parts are rows of their own; a tool's part holds the call and, once there is
//! one, its result. A sub-agent's session names its parent's. Before 1.1 sessions lay in trees of small files, which
//! OpenCode moves into its database by itself; the trees are not read.

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

/// OpenCode's sessions.
pub(crate) struct OpenCode;

/// How a session's id begins.
const SESSION: &str = "ses_";

impl Agent for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let data = data_folder(env, home).map(|data| data.join("opencode"));
        // A database elsewhere, by its path; a relative one lies in the folder all the same.
        let named = env("OPENCODE_DB")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .and_then(|path| path.parent().map(Path::to_owned));
        let mut folders: Vec<PathBuf> = data.into_iter().chain(named).collect();
        folders.dedup();
        folders
            .into_iter()
            .map(|dir| Store {
                dir,
                depth: 1,
                archived: false,
            })
            .collect()
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        // Other channels than the released one have a database each: `opencode-dev.db`.
        let name = path_below_store.to_str()?.strip_suffix(".db")?;
        let ours = name == "opencode"
            || name
                .strip_prefix("opencode-")
                .is_some_and(|channel| !channel.is_empty() && !channel.contains('/'));
        ours.then_some(Form::Rows)
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
        let id = task.strip_prefix(SESSION)?;
        let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain.then(|| Resume {
            program: "opencode",
            arguments: vec!["--session".to_owned(), task.to_owned()],
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

    fn folders(variables: &[(&str, &str)]) -> Vec<String> {
        let env = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let stores = OpenCode.stores(&env, Some(Path::new("/h")));
        stores
            .iter()
            .map(|store| store.dir.display().to_string())
            .collect()
    }

    #[test]
    fn stores_follow_the_environment() {
        assert_eq!(folders(&[]), ["/h/.local/share/opencode"]);
        assert_eq!(folders(&[("XDG_DATA_HOME", "/d")]), ["/d/opencode"]);
        assert_eq!(
            folders(&[("OPENCODE_DB", "/elsewhere/opencode.db")]),
            ["/h/.local/share/opencode", "/elsewhere"]
        );
        assert_eq!(
            folders(&[("OPENCODE_DB", "mine.db")]),
            ["/h/.local/share/opencode"]
        );
    }

    #[test]
    fn file_names() {
        for (path, form) in [
            ("opencode.db", Some(Form::Rows)),
            ("opencode-dev.db", Some(Form::Rows)),
            ("opencode.db-wal", None),
            ("opencode-/x.db", None),
            ("storage/opencode.db", None),
            ("auth.json", None),
        ] {
            assert_eq!(OpenCode.names(Path::new(path)), form, "{path}");
        }
    }

    #[test]
    fn resuming() {
        let resume = OpenCode.resume("ses_0a1B", Some("/p")).unwrap();
        assert_eq!(
            (resume.program, resume.arguments),
            ("opencode", vec!["--session".into(), "ses_0a1B".into()])
        );
        for task in ["ses_", "ses_a/ses_b", "--help", "ses_a b"] {
            assert_eq!(OpenCode.resume(task, None), None, "{task}");
        }
    }
}
