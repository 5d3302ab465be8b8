//! The command. It turns arguments into the engine's requests and the engine's answers into text or JSON; it decides
//! nothing about logs, sidecars or ranking. What it promises stands in its help and in the README. A library beside the command
//! only so that `tests/` can build the same command with fail points in it.

mod args;
mod ask;
mod bounds;
mod clock;
mod doctor;
mod exit_codes;
mod failure;
mod host;
mod measure;
mod numbers;
mod output;
mod progress;
mod registered;
mod render;
mod request;
mod run;
mod safe;
mod setup;
mod shell;
mod style;
mod table;
mod viewer;
mod when;

use std::process::ExitCode;

/// The command: reads this process's arguments, answers, and says how it ended.
pub fn main() -> ExitCode {
    run::run(std::env::args_os().collect()).into()
}
