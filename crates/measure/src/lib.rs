//! How agents searched, counted from their logs' events. Pure: readings in, counts out.
//! Relies on `agents` for what a call looks for and on `fold` for which events are copies of others.
//!
//! In reading order: [`Tally`] is what is counted; [`Task`] counts it over the lines of one log, in their order; `context`
//! holds what the main agent or one of its helpers has done and what is left in its window, `named` the files that a
//! search's result names. [`Seen`] keeps an event that stands in several logs from being counted more than once.
//!
//! ```
//! use memfold_log::Seq;
//! use memfold_measure::{Kind, Seen, Task};
//!
//! let agent = memfold_agents::by_name("codex").unwrap();
//! let line = br#"{"timestamp":"2026-01-02T03:04:05Z","type":"response_item","payload":{"type":"function_call",
//!     "name":"exec_command","call_id":"c1","arguments":"{\"cmd\":\"rg -n 'denied|refused|forbidden' src\"}"}}"#;
//! let mut seen = Seen::default();
//! let mut task = Task::new(&mut seen);
//! task.line(Seq::FIRST, &agent.read(line).unwrap());
//! let tally = task.finish().tally;
//! assert_eq!(tally.searches[&Kind::ShellGrep].calls, 1);
//! assert_eq!(tally.expressions.alternations, 1);
//! ```

mod context;
mod named;
mod path;
mod tally;
mod task;

pub use tally::{Expressions, Found, Kind, Reads, Recalls, Repeated, Runs, Tally, Window};
pub use task::{Asked, Chain, Measured, Seen, Task};
