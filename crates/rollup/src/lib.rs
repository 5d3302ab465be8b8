//! The roll-up: the words of many logs in a few files, so that a search of thousands opens a handful. Derived from sidecars
//! and tails, below the cache directory, and as disposable as receipts are: without it a search opens each log's sidecar.
//!
//! In reading order: a [`Shard`] holds some logs' words, each term once, with what ranking asks of a document; the
//! [`Catalogue`] says which log's documents are where, and for which state of the log, as stat tells it; it is the one
//! place where a roll-up is put in force. [`KeyFilter`] finds events that a log outside may share with the logs of a shard.
//! `formats/rollup.md` is their page.

mod bytes;
mod catalogue;
mod error;
mod keys;
mod shard;

pub use catalogue::{Catalogue, LogRow, Name, Program, RowId, ShardId, ShardRow};
pub use error::RollupError;
pub use keys::KeyFilter;
pub use shard::{Columns, Shard, ShardContent, ShardWords, Sittings, verify_bytes};
