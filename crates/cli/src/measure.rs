//! `memfold measure`: its arguments, and the page that it writes.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use memfold::{Measure, MeasureReport, Replay};

use crate::failure::Failure;
use crate::render;

/// Say how agents searched
///
/// Counts over logs, per agent: searches by kind, the regular expressions that list guessed names, runs of searches, calls made
/// again after their result had left the model's window, recalls, and files read again. Says whether ranked search is used, and
/// what for.
///
/// With --replay the regular expressions are asked again as plain words of this repository: where stands the file that the agent
/// then read? Only for files that the repository still has.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  memfold measure                                    the project's logs
  memfold measure ~/.claude/projects ~/.codex        all of two agents (a person only)
  memfold measure --replay --html searches.html      ranked words against expressions, and a page")]
pub(crate) struct MeasureArgs {
    /// Logs, or folders of logs; else the project's logs
    #[arg(value_name = "LOG|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Ask the repository for the words of the agents' regular expressions
    #[arg(long)]
    pub(crate) replay: bool,
    /// Write a page with plots, too: one file that needs no other
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
}

/// What is asked of the engine.
pub(crate) fn request(args: &MeasureArgs) -> Measure {
    Measure {
        paths: args.paths.clone(),
        replay: if args.replay {
            Replay::Made
        } else {
            Replay::Left
        },
    }
}

/// Writes the page.
pub(crate) fn write_page(file: &Path, report: &MeasureReport) -> Result<(), Failure> {
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    std::fs::write(file, render::measure_page(report, &day)).map_err(|error| {
        Failure::Engine(memfold::Error::File {
            path: file.to_owned(),
            what: error.to_string(),
            hint: "name a file that can be written: --html FILE".to_owned(),
        })
    })
}
