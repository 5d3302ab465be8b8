//! What memfold costs; build it with `--release`. `README.md` says what each command measures.

// A program whose purpose is what it prints.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::indexing_slicing)]

mod generator;
#[cfg(feature = "peers")]
mod peers;
mod random;
mod redaction;
mod sessions;

use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "\
memfold-bench peers [--quick] [--set S|M|L]... [--logs DIR]... [--rounds N] [--memfold FILE] [--folder DIR]
memfold-bench repository [--tree DIR|--files N] [--rounds N] [--memfold FILE]
memfold-bench sessions DIR [WORD...]
memfold-bench redaction [--show|--hard] [FILE...]
memfold-bench generate S|M|L DIR";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        return usage();
    };
    let done = match (command.as_str(), rest) {
        ("peers", rest) => measure_peers(rest),
        ("repository", rest) => measure_repository(rest),
        ("step", rest) => run_step(rest),
        ("redaction", rest) => redaction::measure_redaction(rest.to_vec()).map_err(Into::into),
        ("sessions", [logs, words @ ..]) => {
            sessions::measure_sessions(logs.as_ref(), words).map_err(Into::into)
        }
        ("generate", [name, folder]) => generate(name, folder),
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

fn generate(name: &str, folder: &str) -> Result<(), Box<dyn Error>> {
    let size = generator::Size::named(name)?;
    let bytes = generator::write_set(size, folder.as_ref())?;
    println!("{} logs, {:.1} MB", size.logs, bytes as f64 / 1e6);
    Ok(())
}

#[cfg(feature = "peers")]
fn measure_peers(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    if peers::measure_peers(arguments)? {
        Ok(())
    } else {
        Err("not everything could be measured".into())
    }
}

#[cfg(feature = "peers")]
fn measure_repository(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    if peers::measure_tree(arguments)? {
        Ok(())
    } else {
        Err("not everything could be measured".into())
    }
}

#[cfg(feature = "peers")]
fn run_step(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    peers::run_step(arguments)
}

#[cfg(not(feature = "peers"))]
fn measure_peers(_: &[String]) -> Result<(), Box<dyn Error>> {
    Err("it was built without its peers: cargo run --release -p memfold-bench --features peers -- peers".into())
}

#[cfg(not(feature = "peers"))]
fn measure_repository(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    measure_peers(arguments)
}

#[cfg(not(feature = "peers"))]
fn run_step(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    measure_peers(arguments)
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
