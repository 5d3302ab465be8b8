//! What memfold costs. `memfold-bench redaction [FILE…]`, `memfold-bench sessions DIR [WORD…]`; build it with `--release`.

// A program whose purpose is what it prints.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::indexing_slicing)]

mod redaction;
mod sessions;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let done = match (arguments.next().as_deref(), arguments) {
        (Some("redaction"), rest) => redaction::measure_redaction(rest.collect()),
        (Some("sessions"), mut rest) => match rest.next() {
            Some(logs) => sessions::measure_sessions(logs.as_ref(), &rest.collect::<Vec<_>>()),
            None => return usage(),
        },
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memfold-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "memfold-bench redaction [--show|--hard] [FILE…] | memfold-bench sessions DIR [WORD…]"
    );
    ExitCode::from(2)
}
