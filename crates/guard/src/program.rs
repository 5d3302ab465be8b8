//! Programs that are run for a bounded time, with all that they start: a checker of the person's, git for a listing. Each is
//! a group of its own, without input, and ends as a group.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Makes the command a group of its own, without our input.
pub fn alone(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).process_group(0)
}

/// Its status, or nothing if it has not ended in time; then it is ended.
pub fn wait(child: &mut Child, time: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        let left = time.checked_sub(begun.elapsed());
        match (child.try_wait(), left) {
            (Ok(Some(status)), _) => return Ok(Some(status)),
            (Ok(None), Some(left)) => thread::sleep(pause.min(left)),
            (Ok(None), None) => {
                end(child);
                return Ok(None);
            }
            (Err(error), _) => {
                end(child);
                return Err(error);
            }
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Ends it with all of its group. What fails here has ended already.
pub fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
