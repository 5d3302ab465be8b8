//! The section `terms`: the segment's counts and one row for each dictionary block. Read whole and
//! checked when a segment is opened; every other byte is vouched for from here.

use crate::bytes::Bytes;
use crate::encode::{BLOCK, HEADER, ROW};
use crate::error::Error;
use crate::pieces::Place;
use crate::source::Section;

/// The counts of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) documents: u32,
    pub(crate) terms: u32,
    pub(crate) total_length: u64,
    pub(crate) blocks_len: u64,
    pub(crate) postings_len: u64,
    pub(crate) lengths_crc: u32,
    /// How many dictionary blocks, and so rows, there are.
    pub(crate) blocks: usize,
}

/// A header and the bytes it was read from.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) header: Header,
    rows: &'a [[u8; ROW]],
    keys: &'a [u8],
}

/// Where a dictionary block lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) at: u64,
    pub(crate) len: usize,
    pub(crate) crc: u32,
    /// How many terms the block holds.
    pub(crate) terms: usize,
}

impl Row {
    /// The block's bytes.
    pub(crate) fn place(self) -> Place {
        Place {
            section: Section::Blocks,
            at: self.at,
            len: self.len as u64,
            crc: self.crc,
        }
    }
}

fn damaged(at: usize, what: &'static str) -> Error {
    Error::Damaged {
        section: Section::Terms,
        at: at as u64,
        what,
    }
}

impl<'a> Table<'a> {
    /// Checks all that can be checked without reading another section.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        let Some((content, crc)) = bytes.split_last_chunk() else {
            return Err(damaged(0, "ends too early"));
        };
        if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
            return Err(damaged(content.len(), "its checksum does not match"));
        }
        let table = Self::of(content)?;
        let (mut at, mut key) = (0, 0);
        for (index, row) in table.rows.iter().enumerate() {
            let (next_at, next_key, _) = fields(row);
            let follows = match index {
                0 => next_at == 0 && next_key == 0,
                _ => next_at > at && next_key > key,
            };
            if !follows {
                return Err(damaged(
                    HEADER + index * ROW,
                    "a block that does not follow the one before it",
                ));
            }
            (at, key) = (next_at, next_key);
        }
        if table.keys.len() != key as usize {
            return Err(damaged(HEADER, "keys that do not end with the last one"));
        }
        match (table.header.blocks, table.header.blocks_len) {
            (0, 0) => Ok(table),
            (0, _) => Err(damaged(16, "bytes that no block holds")),
            (_, len) if len <= u64::from(at) => Err(damaged(16, "a last block without bytes")),
            _ => Ok(table),
        }
    }

    /// Takes the parts of a table without its checksum.
    pub(crate) fn of(content: &'a [u8]) -> Result<Self, Error> {
        let mut input = Bytes::new(Section::Terms, 0, content);
        let mut header = Header {
            documents: input.u32()?,
            terms: input.u32()?,
            total_length: input.u64()?,
            blocks_len: input.u64()?,
            postings_len: input.u64()?,
            lengths_crc: input.u32()?,
            blocks: 0,
        };
        header.blocks = (header.terms as usize).div_ceil(BLOCK);
        let rows = header
            .blocks
            .checked_mul(ROW)
            .ok_or_else(|| input.damaged("too many terms"))?;
        let (rows, _) = input.take(rows)?.as_chunks();
        let keys = input.rest();
        Ok(Self { header, rows, keys })
    }

    /// The last block whose key is not after `term`: the only one that can hold it.
    pub(crate) fn find(&self, term: &[u8]) -> Option<usize> {
        let mut size = self.header.blocks;
        // The first block's key is empty, so after no term. Not `partition_point`, which would want the keys in a slice; and
        // which way each step goes is as good as random, so that no branch hangs on it.
        let mut found = 0;
        while size > 1 {
            let middle = found + size / 2;
            found = if self.key(middle) <= term {
                middle
            } else {
                found
            };
            size -= size / 2;
        }
        (size == 1).then_some(found)
    }

    /// The key of a block: nothing for the first.
    pub(crate) fn key(&self, block: usize) -> &'a [u8] {
        let end = |block: usize| self.rows.get(block).map_or(0, |row| fields(row).1 as usize);
        let start = block.checked_sub(1).map_or(0, end);
        let end = end(block);
        self.keys.get(start..end).unwrap_or_default()
    }

    pub(crate) fn row(&self, block: usize) -> Result<Row, Error> {
        let place = HEADER + block * ROW;
        let row = self
            .rows
            .get(block)
            .ok_or_else(|| damaged(place, "no such block"))?;
        let (at, _, crc) = fields(row);
        let at = u64::from(at);
        let end = self
            .rows
            .get(block + 1)
            .map_or(self.header.blocks_len, |next| u64::from(fields(next).0));
        let len = end
            .checked_sub(at)
            .and_then(|len| usize::try_from(len).ok());
        let len = len.ok_or_else(|| damaged(place, "a block without bytes"))?;
        let terms = (self.header.terms as usize)
            .saturating_sub(block * BLOCK)
            .min(BLOCK);
        Ok(Row {
            at,
            len,
            crc,
            terms,
        })
    }
}

/// Where the block begins, where its key ends, and its checksum.
fn fields(row: &[u8; ROW]) -> (u32, u32, u32) {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *row;
    (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
        u32::from_le_bytes([i, j, k, l]),
    )
}
