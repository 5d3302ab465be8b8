//! What keeps the engine from answering: what, where, and what to do next.

use std::path::PathBuf;

/// An error of a request. Faults of single logs are notes of the answer instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request contradicts itself or is out of bounds.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// An agent asked for what no person allowed it.
    #[error("{what}")]
    NotAllowed {
        /// What is not allowed.
        what: &'static str,
        /// How a person allows it, or why none can.
        hint: String,
    },
    /// No task, event or log by that name.
    #[error("{what}")]
    NotFound {
        /// What was looked for and where.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A file or folder could not be used.
    #[error("{}: {what}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What happened.
        what: String,
        /// What to do.
        hint: String,
    },
}

impl Error {
    /// A stable word for the kind of error, as JSON names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Usage { .. } => "usage",
            Error::NotAllowed { .. } => "not-allowed",
            Error::NotFound { .. } => "not-found",
            Error::File { .. } => "file",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &str {
        match self {
            Error::Usage { hint, .. }
            | Error::NotAllowed { hint, .. }
            | Error::NotFound { hint, .. }
            | Error::File { hint, .. } => hint,
        }
    }
}
