//! Git's own command, with all that a clone could make it run or read turned off: for an index of a form that is not read
//! here. It gets git's folder and the tree by name, so that neither `.git` nor `core.worktree` has a say; its time and its
//! output are bounded. One trace it leaves: it touches the shared part of a split index, as any git does.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use memfold_disk::{FileKind, Links, PinnedFolder};
use memfold_guard::program;
use thiserror::Error;

use super::entry::Standing;
use super::repository::GitDir;

/// Git's command, by its absolute path.
///
/// ```no_run
/// use std::path::Path;
/// use memfold_repo::listing::{Hardened, Wanted, program};
///
/// # let (root, path) = (Path::new("/project"), std::ffi::OsString::new());
/// let git = program("git", &path, root).map(Hardened::new);
/// let wanted = Wanted { git: git.as_ref(), ..Wanted::default() };
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hardened {
    git: PathBuf,
}

/// Why git's command gave no listing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// Something git reads before it can be told not to is not what it should be.
    #[error("{0} is not a regular file, or names other files")]
    Odd(&'static str),
    /// It could not be run.
    #[error("git could not be run: {0}")]
    Run(#[from] std::io::Error),
    /// It ended with an error.
    #[error("git could not list the tree")]
    Failed,
    /// It took too long, and was ended.
    #[error("git took too long to list the tree")]
    TooLong,
    /// It gave more than is read.
    #[error("git listed more than is read")]
    TooMuch,
}

/// A path that git lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) path: Vec<u8>,
    pub(super) standing: Standing,
}

/// The most output that is read.
const OUTPUT_BYTES: u64 = 256 << 20;

/// Turned off: programs that git would start, and files that it would read or write, by a clone's configuration.
const OFF: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.bare=false",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("GIT_PAGER", "cat"),
];

impl Hardened {
    /// The command that lies there.
    pub fn new(git: impl Into<PathBuf>) -> Self {
        Self { git: git.into() }
    }

    /// What git lists: the paths, and whether each is tracked.
    pub(super) fn list(
        &self,
        root: &Path,
        git: &GitDir,
        time: Duration,
    ) -> Result<Vec<Listed>, CommandError> {
        check(git)?;
        let mut command = self.command(root, git.path());
        let mut child = command.spawn()?;
        let Some(output) = child.stdout.take() else {
            program::end(&mut child);
            return Err(CommandError::Failed);
        };
        let read = read_in_time(output, time);
        if read.is_err() {
            program::end(&mut child);
        }
        let bytes = read?;
        // Its output has ended, and so has it, or nearly.
        match child.wait()?.success() {
            true => Ok(parse(&bytes)),
            false => Err(CommandError::Failed),
        }
    }

    fn command(&self, root: &Path, git_dir: &Path) -> Command {
        let mut command = Command::new(&self.git);
        command
            .env_clear()
            .envs(ENVIRONMENT.iter().copied())
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", "/nonexistent")
            .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root))
            .current_dir(root);
        for setting in OFF {
            command.args(["-c", setting]);
        }
        command
            .arg(with("--git-dir=", git_dir))
            .arg(with("--work-tree=", root))
            .args(["--no-pager", "ls-files", "-z", "-t"])
            .args(["--cached", "--others", "--exclude-standard"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        program::alone(&mut command);
        command
    }
}

fn with(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

/// A pipe in the place of a file would hang git, and a configuration that includes others reads outside the tree.
fn check(git: &GitDir) -> Result<(), CommandError> {
    let top = git.folder().folder("").map_err(|_| CommandError::Failed)?;
    for name in [
        "HEAD",
        "config",
        "config.worktree",
        "index",
        "packed-refs",
        "commondir",
    ] {
        regular(&top, name)?;
    }
    if let Ok(info) = git.folder().folder("info") {
        for name in ["exclude", "sparse-checkout", "attributes", "grafts"] {
            regular(&info, name)?;
        }
    }
    for name in ["config", "config.worktree"] {
        let Ok(file) = git.folder().file(name, Links::Refuse) else {
            continue;
        };
        let most = 1 << 20;
        let text = file
            .read_at_most(most)
            .map_err(|_| CommandError::Odd("git's configuration"))?;
        let lower = text.to_ascii_lowercase();
        if text.len() >= most || lower.windows(7).any(|part| part == b"include") {
            return Err(CommandError::Odd("git's configuration"));
        }
    }
    Ok(())
}

fn regular(folder: &PinnedFolder, name: &'static str) -> Result<(), CommandError> {
    match folder.stat(name) {
        Ok(stat) if stat.kind == FileKind::Regular => Ok(()),
        Err(error) if error.is_not_found() => Ok(()),
        _ => Err(CommandError::Odd(name)),
    }
}

/// All of it, or why not. A reader that is still waiting is left behind: it ends when what holds the pipe does.
fn read_in_time(output: ChildStdout, time: Duration) -> Result<Vec<u8>, CommandError> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(OUTPUT_BYTES + 1).read_to_end(&mut bytes);
        // Nobody listens any more if it took too long.
        let _ = tell.send(read.map(|_| bytes));
    });
    match told.recv_timeout(time) {
        Err(_) => Err(CommandError::TooLong),
        Ok(Err(error)) => Err(error.into()),
        Ok(Ok(bytes)) if bytes.len() as u64 > OUTPUT_BYTES => Err(CommandError::TooMuch),
        Ok(Ok(bytes)) => Ok(bytes),
    }
}

/// Each path has a letter and a space before it: `?` where it is not tracked.
fn parse(output: &[u8]) -> Vec<Listed> {
    let path = |line: &[u8]| {
        let (tag, path) = line.split_at_checked(2)?;
        let standing = match tag {
            b"? " => Standing::Untracked,
            _ => Standing::Tracked,
        };
        let path = path.to_owned();
        (!path.is_empty()).then_some(Listed { path, standing })
    };
    let mut all: Vec<Listed> = output.split(|byte| *byte == 0).filter_map(path).collect();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    // The stages of a conflict are one path.
    all.dedup_by(|later, earlier| later.path == earlier.path);
    all
}
