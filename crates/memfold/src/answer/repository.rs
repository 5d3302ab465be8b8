//! What is answered about the repository: its best files, what the index covers, and what either lacks.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::{NumberedLine, as_text};

/// What a search of the repository answers.
#[derive(Clone, Debug, Serialize)]
pub struct RepoAnswer {
    /// The version of this shape; changes only add.
    pub schema: u32,
    /// `repo`.
    pub scope: &'static str,
    /// The project's name.
    pub project: String,
    /// The tree's root, from which paths are named.
    #[serde(serialize_with = "as_text")]
    pub root: PathBuf,
    /// The query as typed.
    pub query: String,
    /// The words it asks for.
    pub words: Vec<String>,
    /// What was ranked.
    pub ranked: RankedFiles,
    /// How many files matched, of which `results` are the best.
    pub matched: u64,
    /// The best chunk holds too few of the words to be trusted.
    pub weak: bool,
    /// How many of the query's words the best chunk holds.
    pub best_words: usize,
    /// Everything that was asked for was reached.
    pub complete: bool,
    /// What the reader should know: what was not reached, refused or left out, why nothing was found.
    pub notes: Vec<String>,
    /// What of the notes is about what was not reached.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
    /// By rank.
    pub results: Vec<RepoHit>,
    /// How long the search took, in microseconds.
    pub micros: u64,
}

/// What an answer about the repository lacks. Each stands among its notes, too, in words for a person at a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// So many files lie past the limits of one index.
    PastLimits(usize),
    /// The listing took too long: so many folders were not reached.
    NotListed(usize),
    /// The tree has more entries than are listed.
    TooManyEntries,
    /// What was read is not kept, and why.
    NotKept(String),
    /// So many changed files were not read yet.
    NotRead(usize),
    /// The words of so many files are missing from the index.
    WordsLost(u64),
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = |n: u64| match n {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        match self {
            Gap::PastLimits(left) => write!(
                f,
                "partial: {} past the limits of one index; narrow it: --project DIR, or --path P",
                files(*left as u64)
            ),
            Gap::NotListed(folders) => write!(
                f,
                "partial: the listing took too long, {folders} folders were not reached"
            ),
            Gap::TooManyEntries => {
                f.write_str("partial: the tree has more entries than are listed")
            }
            Gap::NotKept(why) => write!(f, "not kept: {why}"),
            Gap::NotRead(changed) => write!(
                f,
                "partial: {} changed and not read yet; memfold update goes on",
                files(*changed as u64)
            ),
            Gap::WordsLost(lacking) => write!(
                f,
                "partial: the words of {} are missing; memfold rebuild --repo",
                files(*lacking)
            ),
        }
    }
}

/// What a search of the repository ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankedFiles {
    /// Files.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
}

/// The best chunk of a file.
#[derive(Clone, Debug, Serialize)]
pub struct RepoHit {
    /// From 1.
    pub rank: usize,
    /// Comparable within one answer only.
    pub score: f64,
    /// The file, from the tree's root.
    pub path: String,
    /// The chunk's first line, from 1.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// Its first line's text.
    pub title: String,
    /// The lines that hold the most of the words, numbered as in the file.
    pub lines: Vec<NumberedLine>,
    /// Words that it does not hold.
    pub missing: Vec<String>,
    /// Other chunks of the file that hold words: first and last line.
    pub also: Vec<(u32, u32)>,
    /// `external:file`: text of a file, not of the person or the agent.
    pub provenance: &'static str,
}

/// What an update of the repository's index did, and what the index covers now.
#[derive(Clone, Debug, Serialize)]
pub struct RepoReport {
    /// The version of this shape.
    pub schema: u32,
    /// The project's name.
    pub project: String,
    /// The tree's root.
    #[serde(serialize_with = "as_text")]
    pub root: PathBuf,
    /// Files that are indexed.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Files that were read now.
    pub read: u64,
    /// Files that are no text.
    pub skipped: u64,
    /// Files that are refused.
    pub refused: u64,
    /// Files that were no longer there.
    pub gone: usize,
    /// Changed files that were not reached.
    pub not_reached: usize,
    /// Everything that was asked for was reached.
    pub complete: bool,
    /// Per file that is left out, why.
    pub left_out: Vec<String>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// What of the notes is about what was not reached.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
    /// How many trees the index knows, how many packs it has, and how many bytes.
    pub trees: u64,
    /// Its packs of words.
    pub packs: u64,
    /// The bytes of all of it.
    pub bytes: u64,
    /// When it was last written.
    pub changed: Option<String>,
    /// How long it took, in microseconds.
    pub micros: u64,
}
