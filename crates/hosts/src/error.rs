//! Why a settings file is not changed: by its text, or by the disk.

use std::path::PathBuf;

use memfold_disk::DiskError;

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Its host cannot read it either.
    #[error("line {line}: {what}")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// Something else stands where memfold's part belongs.
    #[error("`{key}` {what}")]
    Shape {
        /// The key, with those above it.
        key: String,
        /// What it is, as it follows the key.
        what: &'static str,
    },
    /// To change it would change more of it than is meant.
    #[error("it cannot be changed without touching the rest of it: its lines end in two ways")]
    Inexact,
    /// Another program has memfold's name.
    #[error("another server is registered as `memfold` there: {0}")]
    Foreign(String),
    /// The person turned it off there.
    #[error("memfold is registered there, and turned off")]
    TurnedOff,
}

impl Refused {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Refused::Broken { .. } | Refused::Shape { .. } | Refused::Inexact => {
                "nothing was written; mend the file, then run it again"
            }
            Refused::Foreign(_) => {
                "nothing was written; rename or remove that entry, then run it again"
            }
            Refused::TurnedOff => {
                "nothing was written; turn it on in that file or by the host, or run it with --remove"
            }
        }
    }
}

/// Why a settings file cannot be read, changed or put in place.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// By its text.
    #[error("{}: {source}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Refused,
    },
    /// By the disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// It is none that a host could have written.
    #[error("{}: {what}", path.display())]
    Odd {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// It is not what was shown any more.
    #[error("{}: it changed meanwhile", .0.display())]
    Changed(PathBuf),
    /// Where the file is cannot be told.
    #[error("cannot tell where {0} keeps its settings: HOME is not set")]
    NoHome(&'static str),
}

impl FileError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            FileError::Refused { source, .. } => source.hint(),
            FileError::Disk(error) => error.hint(),
            FileError::Odd { .. } => "nothing was written; look at that file",
            FileError::Changed(_) => "nothing was written; run it again",
            FileError::NoHome(_) => "set HOME",
        }
    }
}
