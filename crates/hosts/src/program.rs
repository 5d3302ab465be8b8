//! How a host is to start memfold: the program by name where the host will find it, else by its path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file name of our program.
const NAME: &str = "memfold";

/// The program that a registration names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    command: String,
    project: PathBuf,
}

impl Program {
    /// The program at `executable`, for hosts that look programs up along `path`; a registration of one project is of that in
    /// `project`.
    pub fn new(executable: &Path, path: Option<&OsStr>, project: &Path) -> Program {
        let by_name = first_on(path, NAME).is_some_and(|found| is_same(&found, executable));
        Program {
            command: match by_name {
                true => NAME.to_owned(),
                false => executable.to_string_lossy().into_owned(),
            },
            project: project.to_owned(),
        }
    }

    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// The command line of a hook. A host gives it to a shell.
    pub(crate) fn hook(&self) -> String {
        let plain = |c: char| c.is_alphanumeric() || "-_./:+@".contains(c);
        match self.command.chars().all(plain) {
            true => format!("{} {HOOK}", self.command),
            false => format!("'{}' {HOOK}", self.command.replace('\'', r"'\''")),
        }
    }
}

/// The hook's arguments.
const HOOK: &str = "hook session-start";

/// Whether a command line is one that [`Program::hook`] makes.
pub(crate) fn is_hook(line: &str) -> bool {
    let program = line.trim().strip_suffix(HOOK).map(str::trim);
    program.is_some_and(|program| is_ours(program.trim_matches(['\'', '"'])))
}

/// Whether a command names our program.
pub(crate) fn is_ours(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name == NAME || name == "memfold.exe"
}

/// Whether a command can be started: it is a path of a file, or found along `path`.
pub(crate) fn can_start(command: &str, path: Option<&OsStr>) -> bool {
    match command.contains(['/', '\\']) {
        true => Path::new(command).is_file(),
        false => first_on(path, command).is_some(),
    }
}

/// Where a command is found first along a search path.
pub(crate) fn first_on(path: Option<&OsStr>, command: &str) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| [folder.join(command), folder.join(format!("{command}.exe"))])
        .find(|file| file.is_file())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (memfold_disk::resolve(one), memfold_disk::resolve(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn it_is_named_where_it_is_found_and_else_its_path_is_given() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["bin", "other"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
            fs::write(dir.path().join(folder).join(NAME), "").unwrap();
        }
        let ours = dir.path().join("bin").join(NAME);
        let along = |folders: &[&str]| {
            let path = std::env::join_paths(folders.iter().map(|name| dir.path().join(name)));
            Program::new(&ours, Some(&path.unwrap()), Path::new("/p")).command
        };
        assert_eq!(along(&["none", "bin", "other"]), NAME);
        // Another one would be started.
        assert_eq!(along(&["other", "bin"]), ours.to_str().unwrap());
        assert_eq!(along(&[]), ours.to_str().unwrap());
        assert_eq!(
            Program::new(&ours, None, Path::new("/p")).command,
            ours.to_str().unwrap()
        );
    }

    #[test]
    fn a_hook_is_known_again_however_its_path_is_written() {
        let of = |command: &str| Program {
            command: command.to_owned(),
            project: PathBuf::new(),
        };
        for command in ["memfold", "/opt/x/memfold", "/it's here/memfold"] {
            assert!(is_hook(&of(command).hook()), "{command}");
        }
        assert_eq!(
            of("/a b/memfold").hook(),
            "'/a b/memfold' hook session-start"
        );
        for line in [
            "hook session-start",
            "othermemfold hook session-start",
            "memfold mcp",
        ] {
            assert!(!is_hook(line), "{line}");
        }
    }
}
