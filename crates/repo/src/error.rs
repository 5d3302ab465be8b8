//! Why the index of a repository cannot be read or written. Whatever it is, the files and the events are there to make it
//! again.

use std::io;
use std::path::PathBuf;

/// Why a part of the index cannot be believed, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// It is not there, or cannot be read.
    #[error("the index cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is not as it was written.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    /// It was written by another version of the program.
    #[error("the index is another version's")]
    OtherVersion,
    /// Its words cannot be read.
    #[error("the index's words: {0}")]
    Words(#[from] memfold_segment::Error),
    /// It would be larger than the format allows.
    #[error("too much for one index: {0}")]
    TooLarge(&'static str),
    /// The tree cannot be listed.
    #[error("{}: cannot be listed: {what}", path.display())]
    Tree {
        /// Its root.
        path: PathBuf,
        /// What happened.
        what: String,
    },
    /// The index's own log cannot be appended to.
    #[error("the index's log cannot be written: {0}")]
    Log(#[from] memfold_log::AppendError),
    /// A file of the index cannot be written.
    #[error("{0}")]
    Write(String),
}
