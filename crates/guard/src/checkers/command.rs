//! Runs a checker's program for one file, for a bounded time. It is the person's own program; what it is given is a path
//! that begins with `/`, so a file's name is never taken for an option.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

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

pub(super) fn ask(program: &Path, arguments: &[String], file: &Path, time: Duration) -> Answer {
    let kept = KEPT
        .into_iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(file)
        // Not in the tree: what lies there must not configure it.
        .current_dir("/")
        .env_clear()
        .envs(kept.collect::<Vec<(&str, OsString)>>())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A group of its own, so that what it starts ends with it.
        .process_group(0);
    match command.spawn() {
        Ok(child) => answer(child, time),
        Err(error) => Answer::Failed(format!("could not be run: {error}")),
    }
}

fn answer(mut child: Child, time: Duration) -> Answer {
    match wait(&mut child, time) {
        Ok(Some(status)) => match status.code() {
            Some(0) => Answer::Yes,
            Some(1) => Answer::No,
            Some(2) => Answer::Ask,
            Some(code) => Answer::Failed(format!("ended with exit code {code}")),
            None => Answer::Failed("was ended by a signal".to_owned()),
        },
        Ok(None) => {
            end(&mut child);
            Answer::TooLong
        }
        Err(error) => {
            end(&mut child);
            Answer::Failed(format!("could not be waited for: {error}"))
        }
    }
}

/// Its status, or nothing if it has not ended in time.
fn wait(child: &mut Child, time: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let Some(left) = time.checked_sub(begun.elapsed()) else {
            return Ok(None);
        };
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Ends it with all it started in its group. What fails here has ended already.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
