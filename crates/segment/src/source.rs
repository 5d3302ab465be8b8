//! Where a segment's bytes come from. The reader asks for sections by position; the memory source
//! lives here, the one over a file in the crate that knows the file's layout.

use std::borrow::Cow;
use std::fmt;
use std::io;

/// The parts of a segment, each a byte string. The container that holds them says where each begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// The counts, and one row for each dictionary block: read whole, once.
    Terms,
    /// The dictionary, with the short lists in it: read a block at a time.
    Blocks,
    /// The long lists: read a list at a time.
    Postings,
    /// The length of each document: read whole.
    Lengths,
}

impl Section {
    /// All sections, in the order in which a container lays them out.
    pub const ALL: [Section; 4] = [
        Section::Terms,
        Section::Lengths,
        Section::Blocks,
        Section::Postings,
    ];
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Terms => "terms",
            Section::Blocks => "blocks",
            Section::Postings => "postings",
            Section::Lengths => "lengths",
        })
    }
}

/// Positional reads over the sections of one segment.
///
/// A source whose bytes are at hand (memory, a map) lends them; one over a file reads them. The reader
/// keeps a borrowed table where it is and an owned one in itself.
pub trait Source {
    /// Exactly `len` bytes of `section` from `at`, or an error.
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>>;

    /// The bytes that `section` has.
    fn len(&self, section: Section) -> u64;
}

impl<S: Source + ?Sized> Source for &S {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        (**self).read(section, at, len)
    }

    fn len(&self, section: Section) -> u64 {
        (**self).len(section)
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        (**self).read(section, at, len)
    }

    fn len(&self, section: Section) -> u64 {
        (**self).len(section)
    }
}

/// An encoded segment: its sections as a container stores them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoded {
    /// [`Section::Terms`].
    pub terms: Vec<u8>,
    /// [`Section::Blocks`].
    pub blocks: Vec<u8>,
    /// [`Section::Postings`].
    pub postings: Vec<u8>,
    /// [`Section::Lengths`].
    pub lengths: Vec<u8>,
    /// How many documents there are; also in `terms`.
    pub documents: u32,
    /// The sum of their lengths; also in `terms`.
    pub total_length: u64,
}

impl Encoded {
    /// The bytes of one section.
    pub fn section(&self, section: Section) -> &[u8] {
        match section {
            Section::Terms => &self.terms,
            Section::Blocks => &self.blocks,
            Section::Postings => &self.postings,
            Section::Lengths => &self.lengths,
        }
    }
}

impl Source for Encoded {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        usize::try_from(at)
            .ok()
            .and_then(|at| self.section(section).get(at..at.checked_add(len)?))
            .map(Cow::Borrowed)
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn len(&self, section: Section) -> u64 {
        self.section(section).len() as u64
    }
}
