//! A log's sidecar: the `.mem` file that holds what a fold of the log's whole turns gave, bound to the log by its hashes.
//! Relies on `fold` for the records, on `segment` for the words, on `disk` to read and publish. `formats/mem.md` is its page.
//!
//! In reading order: [`encode`] writes a sidecar's bytes out of a fold's records (`container`), with [`Header`] and section
//! table (`header`), grouped records (`records`) in zstd frames (`frame`); [`Sidecar`] opens one and reads by position no
//! more than what is asked (`reader`); [`verify_bytes`] checks every byte before one is published; [`binding`] ties it to
//! its log. No byte is believed before its checksum was.

pub mod binding;
mod bytes;
mod check;
mod container;
pub mod dump;
mod error;
mod fields;
mod fold_log;
mod following;
mod frame;
mod frames;
mod header;
mod judge;
mod keeper;
mod keeping;
mod learned;
mod log_file;
mod places;
mod reader;
mod receipts;
mod records;
mod stop;
mod tails;
mod verdict;
mod verify;
mod words;
mod worth;

pub use bytes::Bytes;
pub use check::{Checked, Proved};
pub use container::encode;
pub use error::SidecarError;
pub use fold_log::{Folded, fold_on, fold_prefix, fold_tail, fold_until, fold_whole};
pub use frames::{Enough, Frames};
pub use header::{FORMAT, Header, MAGIC, Tag};
pub use keeper::{Keeper, Need};
pub use keeping::{Done, Keeping, Kept, Store};
pub use log_file::LogFile;
pub use places::parted_from;
pub use reader::Sidecar;
pub use receipts::{Place, Receipt, Receipts, beside};
pub use stop::{Stop, to_the_end};
pub use verdict::Verdict;
pub use verify::verify_bytes;
pub use words::Words;
pub use worth::Worth;
