//! The lengths of the documents: one column of 1, 2 or 4 bytes a document. Every document has a byte at
//! least, so the number of documents is bounded by the bytes that hold them.

use std::borrow::Cow;

use crate::encode::length_width;
use crate::error::Error;
use crate::source::Section;
use crate::table::Header;
use crate::{DocId, MAX_QUANTITY};

/// The checked lengths of a segment's documents.
#[derive(Debug, Clone)]
pub struct Lengths<'a> {
    bytes: Cow<'a, [u8]>,
    width: usize,
}

fn damaged(at: u64, what: &'static str) -> Error {
    Error::Damaged {
        section: Section::Lengths,
        at,
        what,
    }
}

impl<'a> Lengths<'a> {
    /// The bytes of each length, if `len` bytes can be the lengths of so many documents.
    pub(crate) fn width(documents: u32, len: u64) -> Result<usize, Error> {
        [1, 2, 4]
            .into_iter()
            .find(|&width| u64::from(documents) * width as u64 == len)
            .ok_or_else(|| damaged(len, "not 1, 2 or 4 bytes a document"))
    }

    pub(crate) fn open(bytes: Cow<'a, [u8]>, header: &Header) -> Result<Self, Error> {
        let width = Self::width(header.documents, bytes.len() as u64)?;
        if crc32fast::hash(&bytes) != header.lengths_crc {
            return Err(damaged(0, "its checksum does not match"));
        }
        Ok(Self { bytes, width })
    }

    /// Bytes whose checksum was compared before.
    pub(crate) fn checked(bytes: &'a [u8], header: &Header) -> Result<Self, Error> {
        let width = Self::width(header.documents, bytes.len() as u64)?;
        let bytes = Cow::Borrowed(bytes);
        Ok(Self { bytes, width })
    }

    pub(crate) fn into_bytes(self) -> Cow<'a, [u8]> {
        self.bytes
    }

    /// The length of a document; 0 if there is no such document.
    #[inline]
    pub fn get(&self, doc: DocId) -> u32 {
        let at = doc.0 as usize * self.width;
        self.bytes.get(at..at + self.width).map_or(0, number)
    }

    /// All lengths, in the order of documents.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.bytes.chunks_exact(self.width).map(number)
    }

    /// What only a full check looks at: the least width, the greatest length, the sum.
    pub(crate) fn verify(&self, total: u64) -> Result<(), Error> {
        let longest = self.iter().max().unwrap_or(0);
        if length_width(longest) != self.width {
            return Err(damaged(0, "a width that is not the least"));
        }
        if longest > MAX_QUANTITY {
            return Err(damaged(0, "a length above 2^31-1"));
        }
        if self.iter().map(u64::from).sum::<u64>() != total {
            return Err(damaged(0, "lengths with another sum than the table says"));
        }
        Ok(())
    }
}

#[inline]
fn number(bytes: &[u8]) -> u32 {
    match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}
