//! The one error of this crate: what failed, where, and (`hint`) what a person can do next.
//! The questions `is_…` let a caller tell a folder that cannot be written from a failing disk.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use crate::stat::FileKind;
use crate::sys;

/// Why something could not be done to the disk.
///
/// The message is one line that says what and where, the system's own reason included;
/// [`hint`](Self::hint) says what to do next.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiskError {
    /// The system refused.
    #[error("cannot {doing} {}: {source}", Shown(path))]
    Io {
        /// What was tried, as it follows "cannot".
        doing: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },

    /// A regular file was wanted, and something else has that name.
    #[error("{} is {kind}, not a regular file", Shown(path))]
    NotRegular {
        /// The name.
        path: PathBuf,
        /// What it names.
        kind: FileKind,
    },

    /// The file was cut after it was opened.
    #[error(
        "{} is shorter than the {len} bytes it had when it was opened",
        Shown(path)
    )]
    Shrunk {
        /// The file.
        path: PathBuf,
        /// Its length when opened.
        len: u64,
    },

    /// A read was asked for that the file never held.
    #[error("{wanted} bytes at {at} lie past the {len} bytes of {}", Shown(path))]
    PastEnd {
        /// The file.
        path: PathBuf,
        /// Where the read was to start.
        at: u64,
        /// How many bytes were asked for.
        wanted: u64,
        /// The file's length when opened.
        len: u64,
    },

    /// Someone else held the lock for as long as the caller was ready to wait.
    #[error(
        "{} is locked by another process (waited {} ms for {})",
        Shown(key), waited.as_millis(), Shown(path)
    )]
    Busy {
        /// What the lock stands for.
        key: PathBuf,
        /// The lock file.
        path: PathBuf,
        /// How long the caller waited.
        waited: Duration,
    },

    /// A walk came to a folder deeper than it may go; the folder was left out.
    #[error("{} is more than {limit} folders deep and was not read", Shown(path))]
    TooDeep {
        /// The folder left out.
        path: PathBuf,
        /// The depth allowed.
        limit: usize,
    },

    /// A walk met more entries than it may look at; the rest was left out.
    #[error(
        "more than {limit} entries: {} was not read to its end, nor what follows",
        Shown(path)
    )]
    TooMany {
        /// The folder in which the walk stopped listing.
        path: PathBuf,
        /// The number of entries allowed.
        limit: usize,
    },

    /// A path below a pinned folder that leads out of it: by `..`, or by a link.
    #[error("{} leads out of the folder it was looked up in", Shown(path))]
    LeadsOut {
        /// The path, below that folder.
        path: PathBuf,
    },

    /// The path ends in no name that a file could have.
    #[error("{} does not name a file", Shown(path))]
    NoName {
        /// The path.
        path: PathBuf,
    },

    /// No variable says where our own folders are.
    #[error(
        "cannot tell where memfold's files belong: {variable} and {} are not set",
        sys::HOME
    )]
    NoHome {
        /// The variable that would have said it directly.
        variable: &'static str,
    },
}

impl DiskError {
    /// For `map_err`: what was tried and where, around the system's reason.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }

    fn source_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }

    /// The user may not do this here (EACCES, EPERM).
    pub fn is_permission(&self) -> bool {
        self.source_kind() == Some(io::ErrorKind::PermissionDenied)
    }

    /// The file system is mounted read-only (EROFS).
    pub fn is_read_only(&self) -> bool {
        self.source_kind() == Some(io::ErrorKind::ReadOnlyFilesystem)
    }

    /// The folder cannot be written by this user, for whichever reason: look for another place.
    pub fn is_unwritable(&self) -> bool {
        self.is_permission() || self.is_read_only()
    }

    /// The disk or the user's share of it is full (ENOSPC, EDQUOT).
    pub fn is_no_space(&self) -> bool {
        matches!(
            self.source_kind(),
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        )
    }

    /// This process or the system has no file descriptor left (EMFILE, ENFILE): says nothing about
    /// the file.
    pub fn is_too_many_files(&self) -> bool {
        matches!(self, Self::Io { source, .. } if sys::is_too_many_files(source))
    }

    /// Nothing has that name.
    pub fn is_not_found(&self) -> bool {
        self.source_kind() == Some(io::ErrorKind::NotFound)
    }

    /// A link stood where none is followed, or a file where a folder was to be.
    pub fn is_link(&self) -> bool {
        match self {
            Self::NotRegular { kind, .. } => *kind == FileKind::Link,
            Self::Io { source, .. } => sys::may_be_link(source),
            _ => false,
        }
    }

    /// Someone else holds the lock.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }

    /// What a person can do about it, as a sentence of its own.
    pub fn hint(&self) -> &'static str {
        if self.is_permission() {
            return "check who owns it and its mode, or run as the user who does";
        }
        if self.is_read_only() {
            return "the file system is read-only: choose another folder, or remount it";
        }
        if self.is_no_space() {
            return "free some space, or point memfold at another disk";
        }
        if self.is_too_many_files() {
            return "raise the limit on open files (ulimit -n), or close other programs";
        }
        if self.is_not_found() {
            return "check the spelling; it may have been moved or removed meanwhile";
        }
        match self {
            Self::Io { .. } => "try again; if it stays, look at the disk and the system's log",
            Self::NotRegular { .. } => "name the file itself, or move what has that name away",
            Self::Shrunk { .. } => "it was cut or rewritten meanwhile: run the command again",
            Self::PastEnd { .. } => "what pointed there is out of date: rebuild it",
            Self::Busy { .. } => "wait for the other memfold to end, then run the command again",
            Self::TooDeep { .. } => "name a folder nearer to the files",
            Self::TooMany { .. } => "name a smaller folder",
            Self::LeadsOut { .. } => {
                "nothing outside the folder is read: name the file where it lies"
            }
            Self::NoName { .. } => "give the path of a file, not of a folder",
            Self::NoHome { .. } => "set HOME, or name the folder with the variable or its option",
        }
    }
}

/// A path as a message shows it: as it is, but on one line and without terminal codes.
struct Shown<'a>(&'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.to_str() {
            Some(plain) if !plain.chars().any(char::is_control) => f.write_str(plain),
            _ => write!(f, "{:?}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    fn refused(errno: Errno) -> DiskError {
        DiskError::io("write", Path::new("/a/b"))(errno.into())
    }

    #[test]
    fn each_refusal_is_told_from_the_others() {
        type Question = (&'static str, fn(&DiskError) -> bool);
        let questions: [Question; 5] = [
            ("permission", DiskError::is_permission),
            ("read-only", DiskError::is_read_only),
            ("space", DiskError::is_no_space),
            ("files", DiskError::is_too_many_files),
            ("missing", DiskError::is_not_found),
        ];
        for (errno, answer) in [
            (Errno::ACCESS, "permission"),
            (Errno::PERM, "permission"),
            (Errno::ROFS, "read-only"),
            (Errno::NOSPC, "space"),
            (Errno::DQUOT, "space"),
            (Errno::MFILE, "files"),
            (Errno::NFILE, "files"),
            (Errno::NOENT, "missing"),
            (Errno::IO, ""),
            (Errno::NOTDIR, ""),
        ] {
            let error = refused(errno);
            for (name, ask) in questions {
                assert_eq!(ask(&error), name == answer, "{errno:?} asked for {name}");
            }
            let unwritable = matches!(answer, "permission" | "read-only");
            assert_eq!(error.is_unwritable(), unwritable, "{errno:?}");
        }
    }

    #[test]
    fn a_message_is_one_line_with_the_path() {
        assert!(
            refused(Errno::NOSPC)
                .to_string()
                .starts_with("cannot write /a/b: ")
        );
        let odd = DiskError::NoName {
            path: "a\n\u{1b}[31mb".into(),
        }
        .to_string();
        assert!(!odd.contains(['\n', '\u{1b}']), "{odd:?}");
        assert!(odd.contains("a\\n"));
    }

    #[test]
    fn hints_follow_the_reason() {
        assert!(refused(Errno::MFILE).hint().contains("ulimit"));
        assert!(refused(Errno::ROFS).hint().contains("read-only"));
        assert_ne!(refused(Errno::IO).hint(), refused(Errno::NOSPC).hint());
    }
}
