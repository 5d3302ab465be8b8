//! Agents' logs as memfold sees them: lines framed out of an append-only file, and the event model they are translated into.
//! Relies on nothing of memfold; reads through [`std::io::Read`], never by map.
//!
//! In reading order: [`Lines`] frames a JSONL log and [`Messages`] a whole-file JSON log, both out of one bounded window
//! and both cutting endless strings in the same way; [`Unzstd`] stands before them for a compressed log, and [`Form`] tells
//! by its name which a file is; [`read_line`] reads one line back. [`event`] is what a line means, [`own`] memfold's own
//! lines, [`Appender`] the only writer.

mod append;
mod clip;
mod error;
pub mod event;
mod form;
mod frame;
mod framer;
mod ids;
mod lines;
mod messages;
pub mod own;
pub mod repair;
mod reread;
mod seek;
mod time;
mod value;
mod window;
mod zst;

pub use append::{AppendError, AppendTarget, Appender, MAX_LINE, Written};
pub use error::Error;
pub use form::Form;
pub use frame::{Content, Limits, Line, Terminated};
pub use ids::{Offset, Position, Seq, Timestamp, Turn};
pub use lines::Lines;
pub use messages::Messages;
pub use reread::{Reread, read_line, read_line_at, read_message};
pub use time::Date;
pub use zst::{Unzstd, ZstdError};
