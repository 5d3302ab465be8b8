//! A file of sections: a head that says where each lies, under a checksum, and a checksum for each section. Decoders of
//! packs and manifests rely on it for lengths and damage; it knows nothing of what the sections hold.

use std::borrow::Cow;
use std::io::{self, ErrorKind};

use memfold_disk::Snapshot;

use crate::RepoError;

/// What a file of sections begins with: a name and its version.
pub(crate) type Magic = [u8; 8];

const ROW: usize = 20;

/// Positional reads of a file's bytes.
pub(crate) trait ReadAt {
    fn read_at(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>>;
    fn size(&self) -> u64;
}

impl ReadAt for Snapshot {
    fn read_at(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        Snapshot::read_at(self, at, len)
            .map(Cow::Owned)
            .map_err(io::Error::other)
    }

    fn size(&self) -> u64 {
        self.len()
    }
}

/// Where a file's bytes are: on the disk, or in memory where nothing can be kept.
#[derive(Debug)]
pub(crate) enum Store {
    File(Snapshot),
    Memory(Vec<u8>),
}

impl ReadAt for Store {
    fn read_at(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Store::File(file) => ReadAt::read_at(file, at, len),
            Store::Memory(bytes) => usize::try_from(at)
                .ok()
                .and_then(|at| bytes.get(at..at.checked_add(len)?))
                .map(Cow::Borrowed)
                .ok_or_else(|| ErrorKind::UnexpectedEof.into()),
        }
    }

    fn size(&self) -> u64 {
        match self {
            Store::File(file) => file.size(),
            Store::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ReadAt for &[u8] {
    fn read_at(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        usize::try_from(at)
            .ok()
            .and_then(|at| self.get(at..at.checked_add(len)?))
            .map(Cow::Borrowed)
            .ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    at: u64,
    length: u64,
    crc: u32,
}

/// An open file of `N` sections.
#[derive(Debug)]
pub(crate) struct Sections<B, const N: usize> {
    bytes: B,
    rows: [Row; N],
}

fn head_length(sections: usize) -> usize {
    size_of::<Magic>() + sections * ROW + 4
}

/// The file's bytes, in pieces: head, then the sections, one after another.
pub(crate) fn encode<const N: usize>(magic: &Magic, sections: [&[u8]; N]) -> Vec<u8> {
    let mut head = magic.to_vec();
    let mut at = head_length(N) as u64;
    for section in sections {
        head.extend_from_slice(&at.to_le_bytes());
        head.extend_from_slice(&(section.len() as u64).to_le_bytes());
        head.extend_from_slice(&crc32fast::hash(section).to_le_bytes());
        at += section.len() as u64;
    }
    head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
    let mut bytes = head;
    sections
        .iter()
        .for_each(|section| bytes.extend_from_slice(section));
    bytes
}

impl<B: ReadAt, const N: usize> Sections<B, N> {
    /// Opens a file by its head.
    pub(crate) fn open(bytes: B, magic: &Magic) -> Result<Self, RepoError> {
        let head = bytes
            .read_at(0, head_length(N))
            .map_err(|_| RepoError::Damaged("ends too early"))?;
        let Some(rest) = head.strip_prefix(magic) else {
            let (name, _) = magic.split_at(magic.len() - 1);
            return Err(match head.starts_with(name) {
                true => RepoError::OtherVersion,
                false => RepoError::Damaged("another kind of file"),
            });
        };
        let (content, crc) = head
            .split_last_chunk()
            .ok_or(RepoError::Damaged("ends too early"))?;
        if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
            return Err(RepoError::Damaged("a head whose checksum does not match"));
        }
        let mut rows = [Row::default(); N];
        let mut end = head_length(N) as u64;
        for (row, bytes) in rows.iter_mut().zip(rest.as_chunks::<ROW>().0) {
            let (at, more) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
            let (length, crc) = more.split_first_chunk().unwrap_or((&[0; 8], &[]));
            *row = Row {
                at: u64::from_le_bytes(*at),
                length: u64::from_le_bytes(*length),
                crc: crc.first_chunk().map_or(0, |crc| u32::from_le_bytes(*crc)),
            };
            if row.at != end {
                return Err(RepoError::Damaged("a section out of its place"));
            }
            end = end
                .checked_add(row.length)
                .ok_or(RepoError::Damaged("a section without an end"))?;
        }
        if end != bytes.size() {
            return Err(RepoError::Damaged("another length than its head says"));
        }
        Ok(Self { bytes, rows })
    }

    /// The file's bytes.
    pub(crate) fn bytes(&self) -> &B {
        &self.bytes
    }

    /// A section, read whole and checked.
    pub(crate) fn section(&self, number: usize) -> Result<Cow<'_, [u8]>, RepoError> {
        let row = self.row(number);
        let length = usize::try_from(row.length).map_err(|_| RepoError::Damaged("a length"))?;
        let bytes = self.bytes.read_at(row.at, length)?;
        match crc32fast::hash(&bytes) == row.crc {
            true => Ok(bytes),
            false => Err(RepoError::Damaged("a checksum that does not match")),
        }
    }

    /// A part of a section, as it lies there: not checked.
    pub(crate) fn part(&self, number: usize, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        let row = self.row(number);
        let end = u64::try_from(len).ok().and_then(|len| at.checked_add(len));
        match (end, row.at.checked_add(at)) {
            (Some(end), Some(from)) if end <= row.length => self.bytes.read_at(from, len),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    /// A section's length.
    pub(crate) fn length(&self, number: usize) -> u64 {
        self.row(number).length
    }

    fn row(&self, number: usize) -> Row {
        self.rows.get(number).copied().unwrap_or_default()
    }
}

/// The numbers of a record, read one after another: each is there, or the record is damaged.
pub(crate) struct Input<'b>(pub(crate) &'b [u8]);

impl<'b> Input<'b> {
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], RepoError> {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .ok_or(RepoError::Damaged("a record that ends too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, RepoError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, RepoError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, RepoError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Result<i64, RepoError> {
        self.array().map(i64::from_le_bytes)
    }

    /// A text behind its length.
    pub(crate) fn text(&mut self) -> Result<&'b str, RepoError> {
        let length = self.u32()? as usize;
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(RepoError::Damaged("a text that ends too early"))?;
        self.0 = rest;
        std::str::from_utf8(taken).map_err(|_| RepoError::Damaged("a text that is not UTF-8"))
    }
}

/// Writes a text behind its length.
pub(crate) fn put_text(text: &str, into: &mut Vec<u8>) -> Result<(), RepoError> {
    let length = u32::try_from(text.len()).map_err(|_| RepoError::TooLarge("a text"))?;
    into.extend_from_slice(&length.to_le_bytes());
    into.extend_from_slice(text.as_bytes());
    Ok(())
}
