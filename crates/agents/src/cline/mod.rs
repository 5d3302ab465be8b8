//! Cline and Roo Code, which is a fork of it: a folder of a task in the storage of an editor's extension, in it
//! `api_conversation_history.json`, a whole-file log whose document is the array of messages. Facts from the sources of Cline
//! 2 to 3 and of Roo 3. Calls stand as tags in a reply's text, in later versions as blocks of their own; what they returned
//! comes as text under a heading, or as blocks. What the person typed stands in tags of its own.

mod calls;
mod line;
mod said;
mod translate;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memfold_log::Form;
use memfold_log::event::Reading;

use crate::store::{Days, PathFacts, Resume, Store};
use crate::{Agent, NotALine};

/// Cline's tasks.
pub(crate) struct Cline;
/// Roo Code's tasks.
pub(crate) struct Roo;

/// The log of a task, in the task's folder.
const LOG: &str = "api_conversation_history.json";
/// The extensions by which the editors keep their storage.
const CLINE: &str = "saoudrizwan.claude-dev";
const ROO: &str = "rooveterinaryinc.roo-cline";
/// Editors that run such extensions, by the names of their settings' folders.
const EDITORS: &[&str] = &["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
/// Where an editor keeps its data on a machine that it reaches from another.
const SERVERS: &[&str] = &[
    ".vscode-server/data",
    ".vscode-server-insiders/data",
    ".vscode-remote/data",
    ".cursor-server/data",
    ".windsurf-server/data",
];

/// The folders in which an extension keeps its tasks.
fn tasks_of(
    extension: &str,
    env: &dyn Fn(&str) -> Option<OsString>,
    home: Option<&Path>,
) -> Vec<PathBuf> {
    let config = env("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| home.map(|home| home.join(".config")));
    let library = home.map(|home| home.join("Library/Application Support"));
    let settings = config.into_iter().chain(library);
    let of_editors = settings.flat_map(|folder| EDITORS.iter().map(move |name| folder.join(name)));
    let of_servers = home
        .into_iter()
        .flat_map(|home| SERVERS.iter().map(move |name| home.join(name)));
    of_editors
        .chain(of_servers)
        .map(|data| {
            data.join("User/globalStorage")
                .join(extension)
                .join("tasks")
        })
        .collect()
}

fn stores_in(folders: Vec<PathBuf>) -> Vec<Store> {
    let store = |dir| Store {
        dir,
        depth: 2,
        archived: false,
    };
    folders.into_iter().map(store).collect()
}

fn is_log(path_below_store: &Path) -> Option<Form> {
    let names: Vec<_> = path_below_store.iter().collect();
    matches!(names.as_slice(), [_, name] if *name == LOG).then_some(Form::Document)
}

/// The task's folder bears its id.
fn task_of(path: &Path) -> PathFacts {
    let is_log = path.file_name().is_some_and(|name| name == LOG);
    let folder = path
        .parent()
        .and_then(|folder| folder.file_name()?.to_str());
    PathFacts {
        task: folder.filter(|_| is_log).map(str::to_owned),
        ..PathFacts::default()
    }
}

/// How a log of either begins: with a task, and what the host adds to it.
fn begins_as_a_log(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"[")
        && memchr::memmem::find(head, b"\"role\"").is_some()
        && (memchr::memmem::find(head, b"<environment_details>").is_some()
            || memchr::memmem::find(head, b"\"<task>").is_some())
}

/// What Roo writes and Cline does not.
fn is_roos(head: &[u8]) -> bool {
    [&b"# Current Workspace Directory ("[..], b"<user_message>"]
        .iter()
        .any(|mark| memchr::memmem::find(head, mark).is_some())
}

/// Whether a path leads through an extension's storage.
fn leads_through(path: &Path, extension: &str) -> bool {
    path.iter().any(|name| name == extension)
}

impl Agent for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        let mut folders = tasks_of(CLINE, env, home);
        // Its command line keeps tasks of its own.
        let own = crate::store::base(env, "CLINE_DIR", home, ".cline");
        folders.extend(own.map(|own| own.join("data/tasks")));
        stores_in(folders)
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        is_log(path_below_store)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        matches!(first_lines, [head, ..] if begins_as_a_log(head) && !is_roos(head))
    }

    fn claims_path(&self, path: &Path) -> bool {
        leads_through(path, CLINE) && path.file_name().is_some_and(|name| name == LOG)
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        task_of(path)
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        crate::line::translate(line, |line| {
            Ok(translate::reading(serde_json::from_slice(line)?))
        })
    }

    /// A task is opened in its editor.
    fn resume(&self, _: &str, _: Option<&str>) -> Option<Resume> {
        None
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

impl Agent for Roo {
    fn name(&self) -> &'static str {
        "roo"
    }

    fn version(&self) -> u32 {
        Cline.version()
    }

    fn stores(&self, env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Vec<Store> {
        stores_in(tasks_of(ROO, env, home))
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        is_log(path_below_store)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        matches!(first_lines, [head, ..] if begins_as_a_log(head) && is_roos(head))
    }

    fn claims_path(&self, path: &Path) -> bool {
        leads_through(path, ROO) && path.file_name().is_some_and(|name| name == LOG)
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        task_of(path)
    }

    fn read<'a>(&self, line: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        Cline.read(line)
    }

    fn resume(&self, _: &str, _: Option<&str>) -> Option<Resume> {
        None
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
        let env = |name: &str| match name {
            "XDG_CONFIG_HOME" => Some(OsString::from("/c")),
            "CLINE_DIR" => Some(OsString::from("/own")),
            _ => None,
        };
        let folders = |agent: &dyn Agent| -> Vec<String> {
            let stores = agent.stores(&env, Some(Path::new("/h")));
            stores
                .iter()
                .map(|store| store.dir.display().to_string())
                .collect()
        };
        let cline = folders(&Cline);
        for folder in [
            "/c/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "/h/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "/own/data/tasks",
        ] {
            assert!(cline.contains(&folder.to_owned()), "{folder}: {cline:?}");
        }
        let roo = "/c/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/tasks";
        assert!(folders(&Roo).contains(&roo.to_owned()));
    }

    #[test]
    fn a_tasks_folder_names_it() {
        for (path, form) in [
            (
                "1772445600000/api_conversation_history.json",
                Some(Form::Document),
            ),
            ("1772445600000/ui_messages.json", None),
            ("api_conversation_history.json", None),
        ] {
            assert_eq!(Cline.names(Path::new(path)), form, "{path}");
        }
        let facts = Roo.facts_from_path(Path::new("/t/0199-a/api_conversation_history.json"));
        assert_eq!(facts.task.as_deref(), Some("0199-a"));
        assert_eq!(
            Cline.facts_from_path(Path::new("/t/copy.json")),
            PathFacts::default()
        );
    }
}
