//! Where an agent keeps its logs, and what a path says of one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A folder that holds an agent's logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The folder. It need not exist.
    pub dir: PathBuf,
    /// How many levels below it a log may lie: 1 is in the folder itself.
    pub depth: usize,
    /// Its logs are of tasks that a person archived.
    pub archived: bool,
}

/// What a log's path says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathFacts {
    /// The task's id.
    pub task: Option<String>,
    /// The id of the task that started this one as its helper.
    pub parent: Option<String>,
    /// The whole log is a helper's, under this label.
    pub helper: Option<String>,
    /// The folder that it worked in, where the log lies in that.
    pub cwd: Option<String>,
}

/// A command that continues a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The program.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The directory to run it in, as the log spells it.
    pub directory: Option<String>,
}

/// A number of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Days(pub u32);

/// The agent's own folder: where the variable points, else this folder below the home directory.
pub(crate) fn base(
    env: &dyn Fn(&str) -> Option<OsString>,
    variable: &str,
    home: Option<&Path>,
    below_home: &str,
) -> Option<PathBuf> {
    match env(variable).filter(|value| !value.is_empty()) {
        Some(value) => Some(PathBuf::from(value)),
        None => home.map(|home| home.join(below_home)),
    }
}

/// Where programs keep their data: where the XDG variable points, if it is an absolute path, else below the home directory.
pub(crate) fn data_folder(
    env: &dyn Fn(&str) -> Option<OsString>,
    home: Option<&Path>,
) -> Option<PathBuf> {
    env("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| home.map(|home| home.join(".local/share")))
}

/// A log's name without its endings: `a` for `a.jsonl.zst`.
pub(crate) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let name = name
        .strip_suffix(".zst")
        .or_else(|| name.strip_suffix(".zstd"))
        .unwrap_or(name);
    name.strip_suffix(".jsonl")
        .or_else(|| name.strip_suffix(".json"))
        .filter(|stem| !stem.is_empty())
}

/// Whether a text has the shape of a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_endings() {
        for (path, expected) in [
            ("x/a.jsonl", Some("a")),
            ("a.b.jsonl.zst", Some("a.b")),
            ("a.jsonl.zstd", Some("a")),
            ("a.json", Some("a")),
            ("a.txt", None),
            (".jsonl", None),
        ] {
            assert_eq!(stem(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn shapes_of_ids() {
        assert!(is_uuid("019a7206-e2ca-7fc3-be05-5a768efe7dd0"));
        for other in [
            "",
            "019a7206",
            "019a7206_e2ca-7fc3-be05-5a768efe7dd0",
            "019a7206-e2ca-7fc3-be05-5a768efe7ddz",
            "../../../../../../../../etc/passwd-0000",
        ] {
            assert!(!is_uuid(other), "{other}");
        }
    }

    #[test]
    fn a_variable_wins_over_home() {
        let env = |name: &str| (name == "X_HOME").then(|| OsString::from("/x"));
        assert_eq!(
            base(&env, "X_HOME", Some(Path::new("/h")), ".x"),
            Some(PathBuf::from("/x"))
        );
        assert_eq!(
            base(&env, "Y_HOME", Some(Path::new("/h")), ".y"),
            Some(PathBuf::from("/h/.y"))
        );
        assert_eq!(base(&env, "Y_HOME", None, ".y"), None);
    }
}
