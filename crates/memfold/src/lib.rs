//! The engine: one place that finds agents' logs, keeps their sidecars, searches them and reads a hit back.
//! Every front end (the command, the MCP server, an agent that links it) only renders what it answers.
//!
//! For an agent's author, in ten lines:
//!
//! ```
//! use memfold::{Logs, Memfold, Options, Quiet, Recall, Search, Viewer};
//!
//! # let demo = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/demo"));
//! # let dir = tempfile::tempdir()?;
//! # let (home, project) = (dir.path().to_owned(), dir.path().join("api"));
//! # std::fs::create_dir(&project)?;
//! # let log = project.join("task.jsonl");
//! # std::fs::copy(demo.join("8d41b7e2-6a0c-4f19-9c35-51e0d2a7f684.jsonl"), &log)?;
//! # let variables = move |name: &str| (name == "HOME").then(|| home.clone().into());
//! // For a model: it reads earlier tasks where the person allowed that. `variables` is `|name| std::env::var_os(name)`.
//! let engine = Memfold::open(Options::of(&project, Viewer::Agent, variables))?;
//! // A log by its file. `Logs::Project` are those of the project that known agents keep.
//! let logs = Logs::File(log);
//! let found = engine.search(&Search::new("denylist symlink", logs.clone()), &Quiet)?;
//! let best = found.results.first().ok_or("nothing matched")?;
//! println!("turn {}, seq {}: {}", best.turn, best.seq, best.title);
//! let event = engine.recall(&Recall::new(best.seq.to_string(), logs), &Quiet)?;
//! for line in &event.lines {
//!     println!("{:>4} {}", line.line, line.text);
//! }
//! # assert_eq!(found.best_words, 2);
//! # assert!(!event.lines.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The tools as a model calls them, with their descriptions and the texts of their answers, are `memfold-mcp`'s: over MCP, or
//! linked (`memfold_mcp::Tools`). A log in this project's own event model needs no translation (`formats/events.md`,
//! `memfold_log::Appender`). A sidecar is read without an engine by `memfold_sidecar::Sidecar`.
//!
//! In reading order: [`Memfold`] (`engine`) is opened for a project and a [`Viewer`]; `catalogue` finds logs, `project`
//! tells whose they are, `allow` and `switch` whether they may be read; `ready` makes each one searchable through its
//! sidecar (`about` says whose task it is), and `mend` again if that is found damaged; `rollup` answers for the many that did not change, `roll` makes it;
//! `collected` has both; `duplicates` decides which copy of an event counts; `search` opens them for one question, [`Opened`] ranks by
//! [`ranking`] and reads the best events again by `read`; `recall` pages one event, `reading_on` those that follow it;
//! `conversation` proves which log is that of the conversation that asks; `listing` and `upkeep` are the rest,
//! with `leftovers` for what calls that were killed have left, `verify` (which holds the roll-up by `said`) and `rebuild`
//! (which counts in `did`); both know the cache folder by `cache`. `repository` searches the files that the agents work on.
//! `record` keeps what agents asked, and `asked` says it in sum; both it and the repository's events name the `shell`'s host;
//! `measure` counts how agents searched, and `replay` asks the repository what they asked by expressions.
//! `health` is what a doctor looks at.

mod about;
mod address;
mod allow;
mod answer;
mod asked;
mod cache;
mod catalogue;
mod collected;
mod conversation;
mod did;
mod duplicates;
mod engine;
mod error;
mod filter;
mod health;
mod leftovers;
mod listing;
mod long_lines;
mod measure;
mod mend;
mod opened;
mod peek;
mod places;
mod planted;
mod progress;
mod project;
pub mod ranking;
mod read;
mod reading_on;
mod ready;
mod rebuild;
mod recall;
mod record;
mod replay;
mod repository;
mod request;
mod roll;
mod rollup;
mod said;
mod search;
mod segments;
mod sessions;
mod shell;
mod standing;
mod switch;
mod tasks;
mod upkeep;
mod verify;
mod visible;

pub use allow::SessionTools;
pub use answer::*;
pub use asked::{AskedTally, ScopeTally};
pub use conversation::{Claim, Conversation, HostId, Proof};
pub use engine::{Memfold, Options, ROLL_FROM, Variables};
pub use error::Error;
pub use health::{AgentHealth, FolderHealth, Health, KeptHealth, SidecarHealth, SidecarState};
pub use measure::{AgentTally, MeasureReport};
pub use memfold_fold::document::DocumentKind;
pub use memfold_log::Timestamp;
pub use memfold_measure::{Found, Kind as SearchKind, Tally};
pub use opened::Opened;
pub use progress::{Progress, Quiet};
pub use recall::PAGE;
pub use replay::{Ranks, ReplayReport, RunRanks};
pub use request::{
    Cause, Filter, Logs, Measure, Recall, Replay, RepoSearch, RepoUpdate, Scope, Search, Viewer,
};
pub use search::{LIMIT, outdated_note};
pub use visible::visible;
