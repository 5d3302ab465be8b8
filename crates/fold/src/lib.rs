//! Events to turns, cards and documents: the pure fold over a log's lines, on which every sidecar rests.
//! Relies on `agents` for what a line says, on `redact` and `text` for its words, on `segment` to count them.
//!
//! The fold is a function of the log's bytes: `fold(a ++ b)` equals `fold(a)` resumed with `b`.

pub mod card;
pub mod checkpoint;
pub mod codec;
pub mod document;
pub mod facts;
mod fold;
mod identity;
mod parameters;
pub mod past;
mod words;

pub use fold::{Fold, Tail, call_words, ranked};
pub use identity::keys as event_keys;
pub use parameters::{Parameters, VERSION};

/// What can go wrong with a fold's records.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// A record is too large to be written.
    #[error("a record cannot be encoded: {0}")]
    Encode(String),
    /// Bytes are not the record they should be.
    #[error("a record cannot be decoded: {0}")]
    Decode(String),
    /// Bytes follow the record.
    #[error("{0} bytes follow a record that should fill its place")]
    TrailingBytes(usize),
    /// The log holds more events than a sidecar numbers.
    #[error("the words cannot be counted: {0}")]
    Segment(String),
}
