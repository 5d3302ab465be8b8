//! One dictionary block: up to 32 terms, each what it has in common with the one before it, the rest,
//! and its postings or where they lie.

use std::ops::Range;

use crate::Posting;
use crate::bytes::Bytes;
use crate::encode::{LONG_LIST, ONE, ONE_OFTEN, SHORT_LIST};
use crate::error::Error;
use crate::lead::common;
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

/// A term as it is written: how many bytes it shares with the one before it, and its other bytes.
pub(crate) struct Name<'a> {
    pub(crate) shared: usize,
    pub(crate) rest: &'a [u8],
}

impl<'a> Name<'a> {
    #[inline]
    pub(crate) fn read(input: &mut Bytes<'a>) -> Result<Self, Error> {
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
        Ok(Self { shared, rest })
    }
}

impl List {
    /// Reads what follows a name.
    pub(crate) fn read(input: &mut Bytes<'_>, documents: u32) -> Result<Self, Error> {
        let code = input.varint()?;
        let value = code >> 2;
        match code & 3 {
            ONE => {
                let doc = document(input, value, documents)?;
                Ok(List::One(Posting { doc, frequency: 1 }))
            }
            ONE_OFTEN => {
                let doc = document(input, value, documents)?;
                let frequency = read_frequency(input)?;
                Ok(List::One(Posting { doc, frequency }))
            }
            SHORT_LIST => {
                let at = input.at();
                input.take(usize::try_from(value).unwrap_or(usize::MAX))?;
                Ok(List::Short(at..input.at()))
            }
            LONG_LIST.. => {
                let count = u32::try_from(value).ok();
                let Some(count) = count.filter(|&n| n as usize >= LONG && n <= documents) else {
                    return Err(input.damaged("a long list of too few or too many postings"));
                };
                let (at, len, crc) = (input.varint()?, input.varint()?, input.u32()?);
                Ok(List::Long {
                    count,
                    at,
                    len,
                    crc,
                })
            }
        }
    }

    /// Passes over what follows a name.
    #[inline]
    fn skip(input: &mut Bytes<'_>) -> Result<(), Error> {
        let code = input.varint()?;
        match code & 3 {
            ONE => {}
            ONE_OFTEN => drop(input.varint()?),
            SHORT_LIST => drop(input.take(usize::try_from(code >> 2).unwrap_or(usize::MAX))?),
            LONG_LIST.. => drop((input.varint()?, input.varint()?, input.u32()?)),
        }
        Ok(())
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
        let name = Name::read(&mut input)?;
        if name.shared < matched {
            return Ok(None);
        }
        if name.shared == matched {
            let wanted = term.get(matched..).unwrap_or_default();
            let more = common(name.rest, wanted);
            match (name.rest.get(more), wanted.get(more)) {
                (None, None) => return List::read(&mut input, documents).map(Some),
                (Some(_), None) => return Ok(None),
                (Some(here), Some(there)) if here > there => return Ok(None),
                _ => matched += more,
            }
        }
        List::skip(&mut input)?;
    }
    Ok(None)
}
