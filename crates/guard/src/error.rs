//! Why there is no guard. Without one nothing is read: a fault in the person's rules is never passed over.

use std::path::PathBuf;

use memfold_disk::DiskError;
use thiserror::Error;

use crate::patterns::BadPattern;

/// Why rules or a root cannot be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GuardError {
    /// The root cannot be opened.
    #[error(transparent)]
    Root(#[from] DiskError),
    /// The file of rules is there and cannot be read.
    #[error("cannot read {}: {what}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// The rules are not TOML.
    #[error("the rules are not TOML: {0}")]
    NotToml(String),
    /// The rules have a key that means nothing here.
    #[error("`{key}` means nothing in the rules; there are {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// Those that do.
        known: &'static str,
    },
    /// A key has a value of the wrong sort.
    #[error("`{key}` must be {wanted}")]
    WrongValue {
        /// The key.
        key: String,
        /// What its value must be.
        wanted: &'static str,
    },
    /// A pattern is none.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
}

impl GuardError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Root(error) => error.hint(),
            _ => "mend the rules; no file of a repository is read while they cannot be understood",
        }
    }
}
