//! Why a part of a roll-up cannot be believed or written. Whatever it is, the logs' sidecars answer instead.

use std::io;

/// Why a part of a roll-up cannot be believed or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RollupError {
    /// It is not there, or cannot be read.
    #[error("the roll-up cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is not as it was written.
    #[error("the roll-up is damaged: {0}")]
    Damaged(&'static str),
    /// It was written by an earlier version of the program, or one that folds logs by other rules.
    #[error("the roll-up is another version's")]
    OtherVersion,
    /// It was written by a later version of the program, in a format that is not known here. It is not to be written over.
    #[error("the roll-up is written in a newer format; left as it is")]
    NewerVersion,
    /// Its words cannot be read.
    #[error("the roll-up's words: {0}")]
    Words(#[from] memfold_segment::Error),
    /// There is more than its format holds.
    #[error("too much for a roll-up: {0}")]
    TooLarge(&'static str),
}
