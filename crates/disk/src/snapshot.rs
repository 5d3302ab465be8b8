//! A file at the length it had when it was opened. Relies on positional reads into private memory:
//! what the file gains later is not seen, what it loses is an error, and nothing is mapped.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::DiskError;
use crate::stat::{Identity, Links};
use crate::sys;

/// An opened regular file with the length it had at that moment; nothing past it is ever read.
///
/// It may be shared between threads: reads name their position and move nothing.
///
/// ```
/// use std::io::Write;
/// use memfold_disk::{Links, Snapshot};
///
/// let mut log = tempfile::NamedTempFile::new()?;
/// log.write_all(b"one\n")?;
/// let snapshot = Snapshot::open(log.path(), Links::Follow)?;
/// log.write_all(b"two\n")?;
///
/// assert_eq!(snapshot.len(), 4);
/// assert_eq!(snapshot.read_at(0, 4)?, b"one\n");
/// assert!(snapshot.read_at(0, 5).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Snapshot {
    file: File,
    path: PathBuf,
    identity: Identity,
}

impl Snapshot {
    /// Opens a regular file. Pipes, sockets, devices and folders are refused, without waiting for
    /// any of them.
    pub fn open(path: impl AsRef<Path>, links: Links) -> Result<Self, DiskError> {
        let path = path.as_ref();
        let file =
            sys::open(path, links).map_err(|source| match sys::kind_of_refused(&source) {
                Some(kind) => DiskError::NotRegular {
                    path: path.to_owned(),
                    kind,
                },
                None => DiskError::io("open", path)(source),
            })?;
        let stat = sys::stat(&file).map_err(DiskError::io("look at", path))?;
        let identity = stat.regular(path)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            identity,
        })
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length in bytes when it was opened.
    pub fn len(&self) -> u64 {
        self.identity.size
    }

    /// Whether it was empty when it was opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its identity when it was opened.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Its identity now, whatever its path names by now: other than [`identity`](Self::identity) if
    /// it has grown, been rewritten or been moved since.
    pub fn identity_now(&self) -> Result<Identity, DiskError> {
        let stat = sys::stat(&self.file).map_err(DiskError::io("look at", &self.path))?;
        stat.regular(&self.path)
    }

    /// Exactly `len` bytes at `at`.
    ///
    /// A range that the file never held is refused before anything is allocated for it; one that
    /// it no longer holds is [`DiskError::Shrunk`].
    pub fn read_at(&self, at: u64, len: usize) -> Result<Vec<u8>, DiskError> {
        self.check(at, len)?;
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(len)
            .map_err(|_| DiskError::io("hold", &self.path)(io::ErrorKind::OutOfMemory.into()))?;
        while bytes.len() < len {
            let from = at.saturating_add(bytes.len() as u64);
            match sys::append_at(&self.file, &mut bytes, from) {
                Ok(0) => return Err(self.shrunk()),
                Ok(_) => {}
                Err(source) => return Err(DiskError::io("read", &self.path)(source)),
            }
        }
        // A vector may have more room than was asked for.
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Fills the buffer with the bytes at `at`; its content means nothing after an error.
    pub fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> Result<(), DiskError> {
        self.check(at, buffer.len())?;
        let (mut rest, mut from) = (buffer, at);
        while !rest.is_empty() {
            match sys::read_at(&self.file, rest, from) {
                Ok(0) => return Err(self.shrunk()),
                Ok(read) => {
                    from = from.saturating_add(read as u64);
                    rest = rest.get_mut(read..).unwrap_or_default();
                }
                Err(source) => return Err(DiskError::io("read", &self.path)(source)),
            }
        }
        Ok(())
    }

    /// Reads on from a position, to the length the file had when it was opened and no further.
    ///
    /// Each `read` is one system call: give it large buffers. A file cut meanwhile is an error
    /// ([`io::ErrorKind::UnexpectedEof`]), never an early end.
    pub fn reader(&self, from: u64) -> Reader<'_> {
        Reader {
            snapshot: self,
            at: from,
        }
    }

    fn check(&self, at: u64, wanted: usize) -> Result<(), DiskError> {
        let (len, wanted) = (self.len(), wanted as u64);
        match at.checked_add(wanted) {
            Some(end) if end <= len => Ok(()),
            _ => Err(DiskError::PastEnd {
                path: self.path.clone(),
                at,
                wanted,
                len,
            }),
        }
    }

    fn shrunk(&self) -> DiskError {
        DiskError::Shrunk {
            path: self.path.clone(),
            len: self.len(),
        }
    }
}

/// What [`Snapshot::reader`] gives.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    snapshot: &'a Snapshot,
    at: u64,
}

impl Reader<'_> {
    /// Where the next read starts.
    pub fn position(&self) -> u64 {
        self.at
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.snapshot.len().saturating_sub(self.at);
        let wanted = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        if buffer.is_empty() {
            return Ok(0);
        }
        let read = sys::read_at(&self.snapshot.file, buffer, self.at)?;
        if read == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                self.snapshot.shrunk(),
            ));
        }
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileKind;
    use crate::testing::{fifo, folder};
    use proptest::prelude::*;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    fn kind_refused(path: &Path, links: Links) -> FileKind {
        match Snapshot::open(path, links) {
            Err(DiskError::NotRegular { kind, .. }) => kind,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_file_gains_is_not_seen() {
        let folder = folder();
        let path = folder.path().join("log");
        std::fs::write(&path, b"first\n").unwrap();
        let snapshot = Snapshot::open(&path, Links::Refuse).unwrap();
        OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"second\n")
            .unwrap();

        let mut all = Vec::new();
        snapshot.reader(0).read_to_end(&mut all).unwrap();
        assert_eq!(all, b"first\n");
        assert!(matches!(
            snapshot.read_at(6, 1),
            Err(DiskError::PastEnd { len: 6, .. })
        ));
        assert_ne!(snapshot.identity_now().unwrap(), snapshot.identity());
        assert_eq!(snapshot.identity_now().unwrap().size, 13);
    }

    #[test]
    fn what_a_file_loses_is_an_error() {
        let folder = folder();
        let path = folder.path().join("log");
        std::fs::write(&path, b"0123456789").unwrap();
        let snapshot = Snapshot::open(&path, Links::Refuse).unwrap();
        OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(4)
            .unwrap();

        assert!(matches!(
            snapshot.read_at(0, 10),
            Err(DiskError::Shrunk { len: 10, .. })
        ));
        let mut buffer = [0; 10];
        assert!(matches!(
            snapshot.read_exact_at(&mut buffer, 0),
            Err(DiskError::Shrunk { .. })
        ));
        assert_eq!(snapshot.read_at(0, 4).unwrap(), b"0123");
        let error = snapshot.reader(0).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert!(error.to_string().contains("shorter than the 10 bytes"));
    }

    #[test]
    fn a_file_replaced_is_still_the_one_opened() {
        let folder = folder();
        let path = folder.path().join("log");
        std::fs::write(&path, b"old").unwrap();
        let snapshot = Snapshot::open(&path, Links::Refuse).unwrap();
        let new = folder.path().join("new");
        std::fs::write(&new, b"new content").unwrap();
        std::fs::rename(&new, &path).unwrap();
        assert_eq!(snapshot.read_at(0, 3).unwrap(), b"old");
    }

    #[test]
    fn only_regular_files() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fifo(&at("fifo"));
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        symlink(at("fifo"), at("link to fifo")).unwrap();
        assert_eq!(kind_refused(&at("fifo"), Links::Follow), FileKind::Fifo);
        assert_eq!(
            kind_refused(&at("link to fifo"), Links::Follow),
            FileKind::Fifo
        );
        assert_eq!(kind_refused(&at("socket"), Links::Follow), FileKind::Socket);
        assert_eq!(kind_refused(folder.path(), Links::Follow), FileKind::Folder);
        assert_eq!(
            kind_refused(Path::new("/dev/null"), Links::Follow),
            FileKind::Device
        );
        assert!(
            Snapshot::open(at("none"), Links::Follow)
                .unwrap_err()
                .is_not_found()
        );
    }

    #[test]
    fn links_as_asked() {
        let folder = folder();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, b"text").unwrap();
        symlink("file", &link).unwrap();
        assert_eq!(Snapshot::open(&link, Links::Follow).unwrap().len(), 4);
        assert_eq!(kind_refused(&link, Links::Refuse), FileKind::Link);
        symlink("loop", folder.path().join("loop")).unwrap();
        assert!(Snapshot::open(folder.path().join("loop"), Links::Follow).is_err());
    }

    #[test]
    fn no_range_is_believed_before_it_is_checked() {
        let folder = folder();
        let path = folder.path().join("x");
        std::fs::write(&path, b"abc").unwrap();
        let snapshot = Snapshot::open(&path, Links::Refuse).unwrap();
        for (at, len) in [
            (0, usize::MAX),
            (u64::MAX, 1),
            (u64::MAX, 0),
            (4, 0),
            (2, 2),
        ] {
            assert!(matches!(
                snapshot.read_at(at, len),
                Err(DiskError::PastEnd { .. })
            ));
        }
        assert_eq!(snapshot.read_at(3, 0).unwrap(), b"");
        assert_eq!(snapshot.reader(u64::MAX).read(&mut [0; 8]).unwrap(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_read_gives_the_files_own_bytes(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            at in 0u64..320,
            len in 0usize..320,
        ) {
            let folder = folder();
            let path = folder.path().join("x");
            std::fs::write(&path, &bytes).unwrap();
            let snapshot = Snapshot::open(&path, Links::Refuse).unwrap();
            let start = at as usize;
            let mut buffer = vec![0; len];
            match bytes.get(start..start + len) {
                Some(held) => {
                    prop_assert_eq!(snapshot.read_at(at, len).unwrap(), held);
                    snapshot.read_exact_at(&mut buffer, at).unwrap();
                    prop_assert_eq!(&buffer, held);
                }
                None => {
                    prop_assert!(snapshot.read_at(at, len).is_err());
                    prop_assert!(snapshot.read_exact_at(&mut buffer, at).is_err());
                }
            }
            let mut rest = Vec::new();
            snapshot.reader(at).read_to_end(&mut rest).unwrap();
            prop_assert_eq!(&rest[..], bytes.get(start..).unwrap_or_default());
        }
    }
}
