//! Agents' logs as memfold sees them: lines framed out of an append-only file, and the event model they are translated into.
//! Relies on nothing of memfold; reads through [`std::io::Read`], never by map.

pub mod event;
mod ids;

pub use ids::{Offset, Seq, Timestamp, Turn};
