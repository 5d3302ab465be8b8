//! What stat says of a file. Relies on nothing but the numbers: an identity that has not changed is
//! a hint that the bytes have not, never proof by itself (a write within one tick of the clock
//! leaves it as it was).

use std::fmt;
use std::path::Path;

use crate::error::DiskError;
use crate::sys;

/// Whether a symbolic link may stand for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// A link is followed: for a path that a person named.
    Follow,
    /// A link in the last place is refused: for a path that we found.
    Refuse,
}

/// A file as stat tells it from others and from itself at another time.
///
/// Two equal identities mean "very likely the same bytes" only if the file was left alone for a
/// while before the first was taken: see [`settled_before`](Self::settled_before).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device that holds it.
    pub dev: u64,
    /// Its number there.
    pub inode: u64,
    /// Its length in bytes.
    pub size: u64,
    /// When its content last changed, in nanoseconds since 1970. Anyone may set it.
    pub mtime_ns: i64,
    /// When its content, name or mode last changed, in nanoseconds since 1970. Only a clock sets it.
    pub ctime_ns: i64,
}

impl Identity {
    /// The length of [`to_bytes`](Self::to_bytes).
    pub const BYTES: usize = 40;

    /// The step of the coarsest clock of a file system in use (FAT's two seconds).
    const RACY_NS: i64 = 2_000_000_000;

    /// The identity of the regular file at `path`, without opening it.
    pub fn at(path: impl AsRef<Path>, links: Links) -> Result<Self, DiskError> {
        let path = path.as_ref();
        let stat = sys::stat_path(path, links).map_err(DiskError::io("look at", path))?;
        stat.regular(path)
    }

    /// Whether the file had been left alone, by its own clock, for so long before `moment_ns` that a
    /// change at or after that moment must show in its times.
    ///
    /// A file written in the same tick as the moment is *racy*: it can change again with no trace.
    pub fn settled_before(&self, moment_ns: i64) -> bool {
        let newest = self.mtime_ns.max(self.ctime_ns);
        newest.saturating_add(Self::RACY_NS) < moment_ns
    }

    /// The five numbers as bytes, little-endian, in the order of the fields.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let fields = [
            self.dev.to_le_bytes(),
            self.inode.to_le_bytes(),
            self.size.to_le_bytes(),
            self.mtime_ns.to_le_bytes(),
            self.ctime_ns.to_le_bytes(),
        ];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field);
        }
        bytes
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut fields = [[0; 8]; 5];
        for (field, part) in fields.iter_mut().zip(bytes.chunks_exact(8)) {
            field.copy_from_slice(part);
        }
        let [dev, inode, size, mtime, ctime] = fields;
        Self {
            dev: u64::from_le_bytes(dev),
            inode: u64::from_le_bytes(inode),
            size: u64::from_le_bytes(size),
            mtime_ns: i64::from_le_bytes(mtime),
            ctime_ns: i64::from_le_bytes(ctime),
        }
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Something the system did not name.
    Unknown,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regular => "a regular file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "of an unknown kind",
        })
    }
}

/// One answer of stat.
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    /// What tells it from others and from itself at another time.
    pub identity: Identity,
    /// What it is.
    pub kind: FileKind,
    /// The permission bits.
    pub(crate) mode: u32,
}

impl Stat {
    /// The identity, if this is a regular file.
    pub(crate) fn regular(&self, path: &Path) -> Result<Identity, DiskError> {
        match self.kind {
            FileKind::Regular => Ok(self.identity),
            kind => Err(DiskError::NotRegular {
                path: path.to_owned(),
                kind,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_and_back(dev: u64, inode: u64, size: u64, mtime_ns: i64, ctime_ns: i64) {
            let identity = Identity { dev, inode, size, mtime_ns, ctime_ns };
            prop_assert_eq!(Identity::from_bytes(&identity.to_bytes()), identity);
        }

        #[test]
        fn settled_never_overflows(mtime_ns: i64, ctime_ns: i64, moment: i64) {
            let identity = Identity { dev: 1, inode: 2, size: 3, mtime_ns, ctime_ns };
            let settled = identity.settled_before(moment);
            prop_assert!(!settled || mtime_ns < moment && ctime_ns < moment);
        }
    }

    #[test]
    fn racy_within_two_seconds_of_either_time() {
        let second = 1_000_000_000;
        let identity = Identity {
            dev: 1,
            inode: 2,
            size: 3,
            mtime_ns: 0,
            ctime_ns: 10 * second,
        };
        assert!(!identity.settled_before(10 * second));
        assert!(!identity.settled_before(12 * second));
        assert!(identity.settled_before(12 * second + 1));
    }

    #[test]
    fn a_write_shows_and_a_folder_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, b"one").unwrap();
        let before = Identity::at(&path, Links::Refuse).unwrap();
        std::fs::write(&path, b"longer").unwrap();
        let after = Identity::at(&path, Links::Refuse).unwrap();
        assert_eq!((before.dev, before.inode), (after.dev, after.inode));
        assert_ne!(before, after);

        let error = Identity::at(folder.path(), Links::Follow).unwrap_err();
        assert!(matches!(
            error,
            DiskError::NotRegular {
                kind: FileKind::Folder,
                ..
            }
        ));
    }
}
