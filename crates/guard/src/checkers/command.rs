//! Runs a checker's program for one file, for a bounded time. It is the person's own program; what it is given is a path
//! that begins with `/`, so a file's name is never taken for an option.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program;

/// What a program said.
pub(super) enum Answer {
    /// The file may be read.
    Yes,
    /// It may not.
    No,
    /// The person is to be asked.
    Ask,
    /// It had not ended in time, and was ended.
    TooLong,
    /// It could not be run, or ended in another way: how, as it follows the checker's name.
    Failed(String),
}

/// The variables it gets of ours.
const KEPT: [&str; 3] = ["PATH", "HOME", "LANG"];

pub(super) fn ask(at: &Path, arguments: &[String], file: &Path, time: Duration) -> Answer {
    let kept = KEPT
        .into_iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(at);
    command
        .args(arguments)
        .arg(file)
        // Not in the tree: what lies there must not configure it.
        .current_dir("/")
        .env_clear()
        .envs(kept.collect::<Vec<(&str, OsString)>>())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match program::alone(&mut command).spawn() {
        Ok(child) => answer(child, time),
        Err(error) => Answer::Failed(format!("could not be run: {error}")),
    }
}

fn answer(mut child: Child, time: Duration) -> Answer {
    match program::wait(&mut child, time) {
        Ok(Some(status)) => match status.code() {
            Some(0) => Answer::Yes,
            Some(1) => Answer::No,
            Some(2) => Answer::Ask,
            Some(code) => Answer::Failed(format!("ended with exit code {code}")),
            None => Answer::Failed("was ended by a signal".to_owned()),
        },
        Ok(None) => Answer::TooLong,
        Err(error) => Answer::Failed(format!("could not be waited for: {error}")),
    }
}
