//! What a process costs: its processor time, user and system, and the most memory it held, as the kernel counts them for a
//! child that has ended. The kernel keeps one peak for all children, so a build is started by a small process of its own
//! ([`measured`]) that has no other child.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

use super::Result;

/// What one run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// The most memory it held, in bytes; only [`cost_alone`] knows it.
    pub(crate) peak: u64,
}

/// Runs a command to its end. What it prints is thrown away.
pub(crate) fn cost(command: &mut Command) -> Result<Cost> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let before = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let begun = Instant::now();
    let status = command.status()?;
    let wall = begun.elapsed();
    let after = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    // 1: nothing found.
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok(Cost {
        wall,
        cpu: cpu(&after).saturating_sub(cpu(&before)),
        peak: 0,
    })
}

/// Runs a command as the only child of a process of its own, so that its peak of memory is known too.
pub(crate) fn cost_alone(command: &Command) -> Result<Cost> {
    let mut alone = super::step("measured")?;
    alone.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            alone.env(name, value);
        }
    }
    let output = alone.stderr(Stdio::inherit()).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let numbers: Vec<u64> = printed
        .split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect();
    match numbers[..] {
        [wall, cpu, peak] if output.status.success() => Ok(Cost {
            wall: Duration::from_micros(wall),
            cpu: Duration::from_micros(cpu),
            peak,
        }),
        _ => Err(format!("{command:?} could not be measured").into()),
    }
}

/// The other side of [`cost_alone`]: runs a command, prints wall and processor time in microseconds and peak in bytes.
pub(crate) fn measured(words: &[String]) -> Result<()> {
    let (program, arguments) = words.split_first().ok_or("what is to be measured?")?;
    let cost = cost(Command::new(program).args(arguments))?;
    let kilobytes = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    writeln!(
        io::stdout(),
        "{} {} {}",
        cost.wall.as_micros(),
        cost.cpu.as_micros(),
        u64::try_from(kilobytes)? * 1024
    )?;
    Ok(())
}

/// The processor time of this thread so far.
pub(crate) fn cpu_of_this_thread() -> Result<Duration> {
    // What getrusage says of a thread that runs is as old as the last tick: several milliseconds.
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}

fn cpu(usage: &Usage) -> Duration {
    let part = |time: nix::sys::time::TimeVal| {
        let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(micros)
    };
    part(usage.user_time()) + part(usage.system_time())
}
