//! What can go wrong while a log is read. Where, and what it means for what was already returned.

use std::io;

use crate::ids::Offset;
use crate::zst::ZstdError;

/// Why a log could not be read on. What was returned before an error stands; after one, nothing more is returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The reader failed.
    #[error("the log could not be read at byte {}: {source}", at.0)]
    Read {
        /// The first byte that was not read.
        at: Offset,
        /// What the reader said.
        source: io::Error,
    },
    /// The log ended before the length it had when it was opened: it was truncated or replaced while it was read.
    #[error("the log ends at byte {}, before its length {} at opening: it was cut while it was read", at.0, end.0)]
    Shrunk {
        /// Where it ended.
        at: Offset,
        /// The length it had.
        end: Offset,
    },
    /// A whole-file JSON log ends inside its document. Every message returned before is whole.
    #[error("the JSON document is cut at byte {}", at.0)]
    DocumentCut {
        /// Where the file ends.
        at: Offset,
    },
    /// A whole-file JSON log is not one JSON document: a bracket closes that was never opened.
    #[error("not a JSON document: at byte {} a bracket closes that none opened", at.0)]
    NotADocument {
        /// The bracket.
        at: Offset,
    },
    /// No line of this length is at this place (any more).
    #[error("no line of {length} bytes begins at byte {}", start.0)]
    NoSuchLine {
        /// Where it was to begin.
        start: Offset,
        /// Its length.
        length: u64,
    },
}

impl Error {
    /// Whether what was returned is whole as far as it goes, and the rest is missing or no log's: a compressed log or a
    /// document that is cut or damaged.
    pub fn is_of_the_form(&self) -> bool {
        self.compression().is_some()
            || matches!(self, Error::DocumentCut { .. } | Error::NotADocument { .. })
    }

    /// What is wrong with the compression, where that is why the log could not be read.
    pub fn compression(&self) -> Option<&ZstdError> {
        match self {
            Error::Read { source, .. } => ZstdError::within(source),
            _ => None,
        }
    }
}
