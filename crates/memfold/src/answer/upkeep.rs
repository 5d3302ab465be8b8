//! What is said of memfold's own files: found, made anew, checked, removed.

use std::path::PathBuf;

use serde::Serialize;

use super::as_text;

/// What a fold, verify or rebuild found and did, log by log.
#[derive(Clone, Debug, Serialize)]
pub struct FoldReport {
    /// The version of this shape.
    pub schema: u32,
    /// In path order.
    pub logs: Vec<FoldRow>,
    /// For `verify` and `rebuild`: files that are not one log's sidecar, where there is something to say of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptRow>,
    /// For `rebuild`: what was done, by kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Sum>,
    /// Logs that were not reached, and why.
    pub notes: Vec<String>,
    /// For `verify`: so many files are wrong.
    pub wrong: usize,
}

/// What was found and done about a file of memfold's that is not one log's sidecar.
#[derive(Clone, Debug, Serialize)]
pub struct KeptRow {
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// What it is.
    pub kind: KeptKind,
    /// What was found.
    pub found: String,
    /// What was done: `nothing`, `rebuilt`, `dropped`, `swept`, `left`, `set aside`, `failed: …`
    pub done: String,
    /// For `verify`: this one is wrong (missing, left over or of another version is said, not wrong).
    pub wrong: bool,
    /// The command that mends it, where one does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<String>,
}

/// What a file of memfold's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptKind {
    /// A log's sidecar.
    Sidecar,
    /// The receipts.
    Receipts,
    /// A log's kept tail.
    Tail,
    /// The roll-up's catalogue.
    Catalogue,
    /// A shard of the roll-up.
    Shard,
    /// What folders held when they were last listed.
    Listings,
    /// A file that a publish which was killed has left.
    Temporary,
    /// A damaged file that was set aside.
    SetAside,
    /// The log of a repository's index.
    IndexLog,
    /// What a repository's index knows of a tree.
    Manifest,
    /// The words of a repository's files.
    Pack,
    /// The note of what a repository's index holds and no tree needs.
    Collection,
    /// Something in the place of one of memfold's folders.
    Folder,
    /// Something that is not memfold's.
    Other,
}

/// How many files of a kind a rebuild did something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// Which kind.
    pub kind: KeptKind,
    /// Made anew from the logs. Of receipts: one for each log.
    pub rebuilt: usize,
    /// Removed, since they belonged to a log that is gone, or to none, or were of no use.
    pub dropped: usize,
    /// Leftovers removed.
    pub swept: usize,
    /// Left as they are: a newer program's, or not ours.
    pub left: usize,
    /// What could not be done; the rows say why.
    pub failed: usize,
}

/// What became of one log's sidecar.
#[derive(Clone, Debug, Serialize)]
pub struct FoldRow {
    /// The log (or a sidecar whose log is gone).
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// A stable word for what was found: `current`, `appended`, `missing`, `log-truncated`, …
    pub verdict: &'static str,
    /// The verdict in words, with where.
    pub found: String,
    /// What was done: `nothing`, `extended`, `folded`, `set aside, folded again`, `left`, `removed`, `failed: …`
    pub done: String,
    /// For `verify`: this one is wrong (missing or behind is said, not wrong).
    pub wrong: bool,
    /// The log's size.
    pub bytes: u64,
    /// The sidecar's size now.
    pub sidecar_bytes: Option<u64>,
    /// Ranked events covered.
    pub events: Option<u32>,
    /// Turns covered.
    pub turns: Option<u32>,
    /// For `verify`: the command that mends it, where it is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<String>,
}

/// What `forget` removed.
#[derive(Clone, Debug, Serialize)]
pub struct Forgotten {
    /// The version of this shape.
    pub schema: u32,
    /// Sidecars removed.
    pub sidecars: usize,
    /// Other files removed.
    pub files: usize,
    /// Bytes freed.
    pub bytes: u64,
    /// What could not be removed.
    pub notes: Vec<String>,
}
