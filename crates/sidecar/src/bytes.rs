//! Bytes that are read by position: a file's snapshot, or memory.

use std::borrow::Cow;
use std::io::{self, ErrorKind};

use memfold_disk::Snapshot;

/// Bytes of a fixed length, read by position.
pub trait Bytes {
    /// How many there are.
    fn length(&self) -> u64;

    /// Exactly `length` bytes at `at`, lent where they are at hand. A range outside the bytes is an error, and nothing is allocated for it.
    ///
    /// # Errors
    /// If the range is not held, or cannot be read.
    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>>;
}

impl Bytes for [u8] {
    fn length(&self) -> u64 {
        u64::try_from(self.len()).unwrap_or(u64::MAX)
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let start = usize::try_from(at).ok();
        let held = start.and_then(|start| self.get(start..start.checked_add(length)?));
        held.map(Cow::Borrowed)
            .ok_or_else(|| io::Error::from(ErrorKind::UnexpectedEof))
    }
}

impl Bytes for Vec<u8> {
    fn length(&self) -> u64 {
        self.as_slice().length()
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        self.as_slice().read_at(at, length)
    }
}

impl<T: Bytes + ?Sized> Bytes for &T {
    fn length(&self) -> u64 {
        (**self).length()
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        (**self).read_at(at, length)
    }
}

impl Bytes for Snapshot {
    fn length(&self) -> u64 {
        self.len()
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        Snapshot::read_at(self, at, length)
            .map(Cow::Owned)
            .map_err(io::Error::other)
    }
}
