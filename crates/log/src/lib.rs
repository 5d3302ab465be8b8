//! Agents' logs as memfold sees them: lines framed out of an append-only file, and the event model they are translated into.
//! Relies on nothing of memfold; reads through [`std::io::Read`], never by map.
//!
//! In reading order: [`Lines`] frames a JSONL log, [`Messages`] a whole-file JSON log and [`Sections`] a chat in Markdown, all
//! out of one bounded window and all cutting endless strings in the same way; [`Unzstd`] stands before them for a compressed log, and [`Form`] tells
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
mod sections;
mod seek;
mod time;
mod value;
mod window;
mod zst;

pub use append::{AppendError, AppendFile, AppendTarget, Appender, MAX_LINE, Written};
pub use error::Error;
pub use form::Form;
pub use frame::{Content, Limits, Line, Terminated};
pub use ids::{Offset, Position, Seq, Timestamp, Turn};
pub use lines::Lines;
pub use messages::Messages;
pub use reread::{Reread, read_line, read_line_at, read_message, read_section};
pub use sections::Sections;
pub use time::Date;
pub use zst::{Unzstd, ZstdError};
