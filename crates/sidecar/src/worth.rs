//! What a file of the cache is worth by its own bytes: receipts and kept tails, each with a mark and checksums.

use std::fmt;
use std::path::Path;

use memfold_disk::{DiskError, Links, Mark, Marked, Snapshot};

/// What a file of the cache is worth by its own bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// All of it is as it was written.
    Sound,
    /// It is sound, and of another state of the log than it is in, or of another log: it answers nothing.
    Stale,
    /// There is none.
    Missing,
    /// It is not as it was written.
    Damaged(String),
    /// An earlier program wrote it, in a format that is no longer read.
    Older,
    /// A later program wrote it: it is left as it is.
    Newer,
    /// It cannot be read: something else stands in its place, or it is not allowed.
    Unreadable(String),
}

impl Worth {
    pub(crate) fn of_error(error: &DiskError) -> Worth {
        match error {
            DiskError::PastEnd { .. } | DiskError::Shrunk { .. } => {
                Worth::Damaged("it ends too early".to_owned())
            }
            _ if error.is_not_found() => Worth::Missing,
            _ => Worth::Unreadable(error.to_string()),
        }
    }

    /// Opens a file; its worth where it cannot be read by this program.
    pub(crate) fn open(path: &Path, mark: Mark) -> Result<Snapshot, Worth> {
        let file = Snapshot::open(path, Links::Refuse).map_err(|error| Worth::of_error(&error))?;
        let length = file.len().min(Mark::BYTES as u64);
        let head = file
            .read_at(0, usize::try_from(length).unwrap_or(0))
            .map_err(|error| Worth::of_error(&error))?;
        match mark.tell(&head) {
            Marked::Ours => Ok(file),
            Marked::Older => Err(Worth::Older),
            Marked::Newer => Err(Worth::Newer),
            Marked::Otherwise => Err(Worth::Damaged("it does not begin as it should".to_owned())),
        }
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Worth::Sound => f.write_str("as it was written"),
            Worth::Stale => f.write_str("of another state of its log, or of another log"),
            Worth::Missing => f.write_str("there is none"),
            Worth::Damaged(what) => write!(f, "damaged: {what}"),
            Worth::Older => f.write_str("written in an older format"),
            Worth::Newer => f.write_str("written in a newer format; left as it is"),
            Worth::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}
