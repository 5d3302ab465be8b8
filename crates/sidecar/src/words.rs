//! A sidecar's segment, read by position. Relies on the segment to check what it reads: its sections hold their own checksums.

use std::borrow::Cow;
use std::io::{self, ErrorKind};

use memfold_segment::{Error, Section, Source};

use crate::bytes::Bytes;
use crate::error::SidecarError;
use crate::header::{Row, Tag};

/// The four sections of a sidecar's segment.
#[derive(Clone, Copy, Debug)]
pub struct Words<B> {
    bytes: B,
    terms: Row,
    blocks: Row,
    postings: Row,
    lengths: Row,
}

/// Which section of a sidecar holds a section of its segment.
pub(crate) fn tag(section: Section) -> Tag {
    match section {
        Section::Terms => Tag::TERM,
        Section::Blocks => Tag::TBLK,
        Section::Postings => Tag::POST,
        Section::Lengths => Tag::DLEN,
    }
}

impl<B: Bytes> Words<B> {
    /// The sections that `row` places in `bytes`.
    pub(crate) fn new(
        bytes: B,
        row: impl Fn(Tag) -> Result<Row, SidecarError>,
    ) -> Result<Words<B>, SidecarError> {
        let of = |section| row(tag(section));
        Ok(Words {
            terms: of(Section::Terms)?,
            blocks: of(Section::Blocks)?,
            postings: of(Section::Postings)?,
            lengths: of(Section::Lengths)?,
            bytes,
        })
    }

    fn row(&self, section: Section) -> &Row {
        match section {
            Section::Terms => &self.terms,
            Section::Blocks => &self.blocks,
            Section::Postings => &self.postings,
            Section::Lengths => &self.lengths,
        }
    }
}

impl<B: Bytes> Source for Words<B> {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        let row = self.row(section);
        let end = u64::try_from(len).ok().and_then(|len| at.checked_add(len));
        match (end, row.offset.checked_add(at)) {
            (Some(end), Some(from)) if end <= row.length => self.bytes.read_at(from, len),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    fn len(&self, section: Section) -> u64 {
        self.row(section).length
    }
}

impl From<Error> for SidecarError {
    fn from(error: Error) -> SidecarError {
        match error {
            Error::Read { source, .. } => SidecarError::Io(source),
            Error::Damaged { section, .. } => {
                SidecarError::damaged(tag(section), error.to_string())
            }
            other => SidecarError::damaged(Tag::TERM, other.to_string()),
        }
    }
}
