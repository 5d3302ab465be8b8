//! A walk over the dictionary, block by block, that holds every rule of order on the way. What `verify`,
//! a resumed builder and a prefix rest on.

use std::borrow::Cow;

use crate::Posting;
use crate::block::{List, Name};
use crate::bytes::Bytes;
use crate::encode::separator;
use crate::error::Error;
use crate::lead::common;
use crate::reader::Reader;
use crate::source::{Section, Source};
use crate::table::Row;

const SHARES_ANOTHER_NUMBER: &str = "a term that shares another number of bytes than it says";
const OUT_OF_ORDER: &str = "a term that is not after the one before it";

/// A cursor; it stands on a term once [`advance`](Self::advance) returned it.
pub(crate) struct Entries<'r, S> {
    reader: &'r Reader<S>,
    table: Cow<'r, [u8]>,
    /// The next block, and the one in hand.
    next_block: usize,
    row: Row,
    bytes: Cow<'r, [u8]>,
    /// Where in `bytes` the next entry begins, and how many follow.
    at: usize,
    left: usize,
    term: Vec<u8>,
    /// The term before a block's first one, and whether it is known: not at a start in the middle.
    before: Vec<u8>,
    follows: bool,
    list: List,
    /// Where the next long list must begin, if a list before it was seen.
    long_at: Option<u64>,
    long_lists: u32,
}

impl<'r, S: Source> Entries<'r, S> {
    /// A walk that begins with the given block.
    pub(crate) fn from(reader: &'r Reader<S>, block: usize) -> Result<Self, Error> {
        Ok(Self {
            reader,
            table: reader.table()?,
            next_block: block,
            row: Row {
                at: 0,
                len: 0,
                crc: 0,
                terms: 0,
            },
            bytes: Cow::Borrowed(&[]),
            at: 0,
            left: 0,
            term: Vec::new(),
            before: Vec::new(),
            follows: block == 0,
            list: List::Short(0..0),
            long_at: (block == 0).then_some(0),
            long_lists: 0,
        })
    }

    fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged {
            section: Section::Blocks,
            at: self.row.at + self.at as u64,
            what,
        }
    }

    /// The next term and, in place of what it held, its postings in `out`.
    pub(crate) fn next(&mut self, out: &mut Vec<Posting>) -> Result<Option<&[u8]>, Error> {
        out.clear();
        if self.advance()?.is_none() {
            return Ok(None);
        }
        self.postings(out)?;
        Ok(Some(&self.term))
    }

    /// The next term.
    pub(crate) fn advance(&mut self) -> Result<Option<&[u8]>, Error> {
        let new_block = self.left == 0;
        if new_block {
            if self.at != self.bytes.len() {
                return Err(self.damaged("bytes after the last term of a block"));
            }
            if self.next_block == self.reader.header().blocks {
                self.end()?;
                return Ok(None);
            }
            self.open_block()?;
        }
        let bytes = self.bytes.get(self.at..).unwrap_or_default();
        let mut input = Bytes::new(Section::Blocks, self.row.at + self.at as u64, bytes);
        let name = Name::read(&mut input)?;
        let list = List::read(&mut input, self.reader.header().documents)?;
        let end = (input.at() - self.row.at) as usize;
        if new_block {
            std::mem::swap(&mut self.before, &mut self.term);
            self.term.clear();
            self.term.extend_from_slice(name.rest);
            self.list = list;
            self.check_first(name.shared)?;
        } else {
            // What the term shares with the one before it stays where it is.
            match (self.term.get(name.shared), name.rest.first()) {
                (Some(before), Some(first)) if before > first => {
                    return Err(self.damaged(OUT_OF_ORDER));
                }
                (Some(before), Some(first)) if before < first => {}
                (None, Some(_)) if name.shared == self.term.len() => {}
                _ => return Err(self.damaged(SHARES_ANOTHER_NUMBER)),
            }
            self.term.truncate(name.shared);
            self.term.extend_from_slice(name.rest);
            self.list = list;
        }
        if let List::Long { at, len, .. } = self.list {
            if self.long_at.is_some_and(|expected| expected != at) {
                return Err(self.damaged("a long list that does not follow the one before it"));
            }
            self.long_at = at.checked_add(len);
            self.long_lists += 1;
        }
        (self.at, self.left) = (end, self.left - 1);
        Ok(Some(&self.term))
    }

    fn open_block(&mut self) -> Result<(), Error> {
        self.row = self.reader.parts(&self.table)?.row(self.next_block)?;
        self.bytes = self.reader.checked(self.row.place())?;
        (self.at, self.left) = (0, self.row.terms);
        self.next_block += 1;
        Ok(())
    }

    /// Whether a block's first term follows the one before it as a writer lets it.
    fn check_first(&mut self, shared: usize) -> Result<(), Error> {
        if shared != 0 {
            return Err(self.damaged(SHARES_ANOTHER_NUMBER));
        }
        if self.follows {
            if self.before >= self.term {
                return Err(self.damaged(OUT_OF_ORDER));
            }
            let block = self.next_block - 1;
            let alike = common(&self.before, &self.term);
            if self.reader.parts(&self.table)?.key(block)
                != separator(alike, block as u32, &self.term)
            {
                return Err(self.damaged("a block with another key than its terms make"));
            }
        }
        self.follows = true;
        Ok(())
    }

    fn end(&self) -> Result<(), Error> {
        if self
            .long_at
            .is_some_and(|end| end != self.reader.header().postings_len)
        {
            let at = self.long_at.unwrap_or(0);
            return Err(Error::Damaged {
                section: Section::Postings,
                at,
                what: "bytes after the last list",
            });
        }
        Ok(())
    }

    /// The term that the cursor stands on.
    pub(crate) fn term(&self) -> &[u8] {
        &self.term
    }

    /// How many long lists were passed.
    pub(crate) fn long_lists(&self) -> u32 {
        self.long_lists
    }

    /// Appends the postings of the term that the cursor stands on.
    pub(crate) fn postings(&self, out: &mut Vec<Posting>) -> Result<(), Error> {
        // Whoever walks a dictionary reads what is there now, nothing that was kept.
        let read = |place| self.reader.checked(place);
        self.reader
            .decode(&self.list, self.row.at, &self.bytes, read, out)
            .map(drop)
    }
}
