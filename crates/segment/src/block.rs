//! One dictionary block: up to 32 terms, each what it has in common with the one before it, the rest,
//! and its postings or where they lie.

use std::ops::Range;

use crate::Posting;
use crate::bytes::Bytes;
use crate::encode::{LONG_LIST, ONE, ONE_OFTEN, SHORT_LIST};
use crate::error::Error;
use crate::list::{LONG, document, read_frequency};
use crate::source::Section;
use crate::table::Row;

/// The greatest length of a term.
pub(crate) const LONGEST: usize = 255;

/// Where a term's postings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum List {
    /// Here.
    One(Posting),
    /// In these bytes of the section `blocks`.
    Short(Range<u64>),
    /// In the section `postings`.
    Long {
        count: u32,
        at: u64,
        len: u64,
        crc: u32,
    },
}

/// A term as it is written.
pub(crate) struct Entry<'a> {
    pub(crate) shared: usize,
    pub(crate) rest: &'a [u8],
    pub(crate) list: List,
}

impl<'a> Entry<'a> {
    pub(crate) fn read(input: &mut Bytes<'a>, documents: u32) -> Result<Self, Error> {
        let lengths = input.u8()?;
        let mut shared = usize::from(lengths >> 4);
        if shared == 15 {
            shared += usize::from(input.u8()?);
        }
        let mut rest = usize::from(lengths & 15) + 1;
        if rest == 16 {
            rest += usize::from(input.u8()?);
        }
        if shared + rest > LONGEST {
            return Err(input.damaged("a term of more than 255 bytes"));
        }
        let rest = input.take(rest)?;
        let code = input.varint()?;
        let value = code >> 2;
        let list = match code & 3 {
            ONE => List::One(Posting {
                doc: document(input, value, documents)?,
                frequency: 1,
            }),
            ONE_OFTEN => {
                let doc = document(input, value, documents)?;
                List::One(Posting {
                    doc,
                    frequency: read_frequency(input)?,
                })
            }
            SHORT_LIST => {
                let len = usize::try_from(value).map_err(|_| input.damaged("ends too early"))?;
                let at = input.at();
                input.take(len)?;
                List::Short(at..input.at())
            }
            // The last of the four.
            _ => {
                debug_assert_eq!(code & 3, LONG_LIST);
                let count = u32::try_from(value)
                    .ok()
                    .filter(|&count| count as usize >= LONG && count <= documents);
                let count = count
                    .ok_or_else(|| input.damaged("a long list of too few or too many postings"))?;
                List::Long {
                    count,
                    at: input.varint()?,
                    len: input.varint()?,
                    crc: input.u32()?,
                }
            }
        };
        Ok(Self { shared, rest, list })
    }
}

/// A row's block, if its checksum is right.
pub(crate) fn check(row: Row, bytes: &[u8]) -> Result<(), Error> {
    if crc32fast::hash(bytes) == row.crc {
        Ok(())
    } else {
        Err(Error::Damaged {
            section: Section::Blocks,
            at: row.at,
            what: "its checksum does not match",
        })
    }
}

/// Looks a term up in a checked block.
///
/// Terms go up, so it is enough to keep how many bytes of `term` the last entry had: one that shares
/// more with its predecessor than that is as far before `term` as the predecessor was, one that shares
/// less is after it. Nothing is copied.
pub(crate) fn find(
    row: Row,
    bytes: &[u8],
    documents: u32,
    term: &[u8],
) -> Result<Option<List>, Error> {
    let mut input = Bytes::new(Section::Blocks, row.at, bytes);
    let mut matched = 0;
    for _ in 0..row.terms {
        let entry = Entry::read(&mut input, documents)?;
        if entry.shared > matched {
            continue;
        }
        if entry.shared < matched {
            return Ok(None);
        }
        let wanted = term.get(matched..).unwrap_or_default();
        let more = crate::encode::common(entry.rest, wanted);
        matched += more;
        match (entry.rest.get(more), wanted.get(more)) {
            (None, None) => return Ok(Some(entry.list)),
            (Some(here), Some(there)) if here > there => return Ok(None),
            (Some(_), None) => return Ok(None),
            _ => {}
        }
    }
    Ok(None)
}
