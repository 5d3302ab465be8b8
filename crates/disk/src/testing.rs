//! What several tests here need: folders, special files, and this test program run again as another
//! process.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
#[cfg(target_os = "linux")]
use std::thread;

use rustix::process::getuid;
use tempfile::TempDir;

/// What a child is to do, and to which path.
const JOB: &str = "MEMFOLD_TEST_JOB";
const PATH: &str = "MEMFOLD_TEST_PATH";

/// A folder that another user may look into.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    folder
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// By the command, since not every system has a call for it that rustix knows.
pub(crate) fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Does it as a user whom permission bits bind. Root gives itself up in a thread of its own (Linux
/// keeps the user per thread); `None` where it may not, as in some containers.
pub(crate) fn as_ordinary_user<R: Send>(act: impl FnOnce() -> R + Send) -> Option<R> {
    if !getuid().is_root() {
        return Some(act());
    }
    #[cfg(target_os = "linux")]
    return thread::scope(|scope| {
        let nobody = rustix::process::Uid::from_raw(65534);
        let thread = scope.spawn(move || {
            rustix::thread::set_thread_uid(nobody).ok()?;
            Some(act())
        });
        thread.join().unwrap()
    });
    #[cfg(not(target_os = "linux"))]
    None
}

/// This program again, with one job.
pub(crate) fn child(job: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crash::child_does_its_job", "--nocapture"])
        .env(JOB, job)
        .env(PATH, path)
        .env_remove("MEMFOLD_FAIL_AT")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// In the child: the job it was given.
pub(crate) fn job() -> Option<(String, PathBuf)> {
    Some((std::env::var(JOB).ok()?, std::env::var_os(PATH)?.into()))
}

/// A child that has said a word and now waits.
pub(crate) struct Waiting(Child);

/// Starts a child and returns when it has printed that line.
pub(crate) fn say_and_wait(mut command: Command, word: &str) -> Waiting {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines.map_while(Result::ok).any(|line| line == word),
        "the child said no {word}"
    );
    Waiting(child)
}

impl Waiting {
    /// Lets it come to its end.
    pub(crate) fn let_go(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }

    /// Ends it where it is.
    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}
