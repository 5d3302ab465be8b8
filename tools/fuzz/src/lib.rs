//! What must hold whatever the bytes: a target for each thing that reads bytes, called by libFuzzer (`fuzz/`) and, on every
//! file of `corpus/fuzz/<target>`, by plain `cargo test` (`tests/replay.rs`). A target panics where something does not hold.
//!
//! Bytes alone do not get past a checksum or into a packed record. So the targets of such formats take the file in
//! [`parts`], unpacked, and put right what only repeats the rest: checksums, lengths, roots, packing.
//!
//! In reading order: `segment`, `sidecar`, `rollup` (formats); `kept` (the engine over damaged files of its own); `pack`,
//! `manifest`, `journal` (a repository's index); `log`, `agents`, `redact`, `text`, `git_index` (what others write); `guard`
//! (what a person writes); `arguments` (what a model and its host say); `fold_and_search` (a made-up task, all the way).

// A part of the tests: where something does not hold it should stop at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod agents;
pub mod arguments;
pub mod fold_and_search;
pub mod git_index;
pub mod guard;
pub mod journal;
pub mod kept;
pub mod log;
pub mod manifest;
pub mod pack;
pub mod parts;
pub mod redact;
pub mod rollup;
mod scratch;
pub mod segment;
pub mod sidecar;
pub mod text;
mod trees;

/// A target: it returns, or what must hold does not.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also its folder's in `corpus/fuzz` and its program's in `fuzz/targets`.
pub const TARGETS: [(&str, Target); 15] = [
    ("segment", segment::run),
    ("sidecar", sidecar::run),
    ("rollup", rollup::run),
    ("kept", kept::run),
    ("pack", pack::run),
    ("manifest", manifest::run),
    ("journal", journal::run),
    ("guard", guard::run),
    ("git_index", git_index::run),
    ("log", log::run),
    ("agents", agents::run),
    ("redact", redact::run),
    ("text", text::run),
    ("arguments", arguments::run),
    ("fold_and_search", fold_and_search::run),
];
