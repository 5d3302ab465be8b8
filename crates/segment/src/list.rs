//! One term's postings as bytes. Short lists are varints and lie in the dictionary beside their term;
//! long ones are bit-packed and lie in a section of their own. `formats/segment.md` draws both.

use crate::bits::{self, LANE};
use crate::bytes::Bytes;
use crate::error::Error;
use crate::source::Section;
use crate::{DocId, MAX_QUANTITY, Posting};

/// A list of this many postings or more is long. One whole packed block, so that every long list has one.
pub(crate) const LONG: usize = LANE;

/// Appends postings as varints. `next` is the lowest number that the first posting may have.
pub(crate) fn put_short(postings: &[Posting], mut next: u32, out: &mut Vec<u8>) {
    for posting in postings {
        put_posting(posting.doc.0 - next, posting.frequency, out);
        next = posting.doc.0 + 1;
    }
}

/// One posting: the gap, and in its lowest bit whether a frequency above one follows.
#[inline]
fn put_posting(gap: u32, frequency: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(Small::posting(gap, frequency).bytes());
}

/// The bytes of one posting: 33 bits and 31 bits take at most five bytes each.
#[derive(Default)]
pub(crate) struct Small {
    bytes: [u8; 10],
    len: usize,
}

impl Small {
    #[inline]
    pub(crate) fn posting(gap: u32, frequency: u32) -> Self {
        let mut small = Self::default();
        small.put(u64::from(gap) << 1 | u64::from(frequency > 1));
        if frequency > 1 {
            small.put(u64::from(frequency - 2));
        }
        small
    }

    #[inline]
    fn put(&mut self, mut value: u64) {
        for place in self.bytes.iter_mut().skip(self.len) {
            self.len += 1;
            *place = value as u8 | if value >= 0x80 { 0x80 } else { 0 };
            value >>= 7;
            if value == 0 {
                return;
            }
        }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// Reads varint postings to the end of `input`. All documents lie in `next..documents`.
pub(crate) fn read_short(
    input: &mut Bytes<'_>,
    mut next: u64,
    documents: u32,
    out: &mut Vec<Posting>,
) -> Result<(), Error> {
    loop {
        // Nearly every posting is one byte or two, and which cannot be foretold: both are looked at, and one is taken or both.
        while let Some(&[gap, frequency]) = input.rest().first_chunk() {
            let is_often = gap & 1;
            if (gap | (frequency * is_often)) >= 0x80 {
                break;
            }
            input.pass(1 + usize::from(is_often));
            let frequency = 1 + u32::from(is_often) * (u32::from(frequency) + 1);
            let doc = DocId((next + u64::from(gap >> 1)) as u32);
            out.push(Posting { doc, frequency });
            next += u64::from(gap >> 1) + 1;
        }
        // Documents only go up: if the last one is there, all are.
        if next > u64::from(documents) {
            return Err(input.damaged("a document that is not there"));
        }
        if input.is_empty() {
            return Ok(());
        }
        let code = input.varint()?;
        // The shift leaves 63 bits, and `next` is at most 2^32: the sum cannot overflow.
        let doc = next + (code >> 1);
        let frequency = if code & 1 == 0 {
            1
        } else {
            read_frequency(input)?
        };
        let doc = document(input, doc, documents)?;
        out.push(Posting { doc, frequency });
        next = u64::from(doc.0) + 1;
    }
}

/// How many of our own varint postings lie in the first `end` documents, and how many bytes they take.
pub(crate) fn short_until(bytes: &[u8], end: u32) -> Result<(usize, usize), Error> {
    let mut input = Bytes::new(Section::Postings, 0, bytes);
    let (mut count, mut len, mut next) = (0, 0, 0);
    while !input.is_empty() {
        let code = input.varint()?;
        let doc = next + (code >> 1);
        if doc >= u64::from(end) {
            break;
        }
        if code & 1 == 1 {
            input.varint()?;
        }
        next = doc + 1;
        count += 1;
        len = bytes.len() - input.rest().len();
    }
    Ok((count, len))
}

/// A frequency of two or more.
pub(crate) fn read_frequency(input: &mut Bytes<'_>) -> Result<u32, Error> {
    match input
        .varint()?
        .checked_add(2)
        .and_then(|f| u32::try_from(f).ok())
    {
        Some(frequency) if frequency <= MAX_QUANTITY => Ok(frequency),
        _ => Err(input.damaged("a frequency above 2^31-1")),
    }
}

/// A document's number, if there is such a document.
pub(crate) fn document(input: &Bytes<'_>, doc: u64, documents: u32) -> Result<DocId, Error> {
    match u32::try_from(doc) {
        Ok(doc) if doc < documents => Ok(DocId(doc)),
        _ => Err(input.damaged("a document that is not there")),
    }
}

/// Appends postings in packed blocks of [`LANE`], then the rest as varints.
pub(crate) fn put_long(postings: &[Posting], out: &mut Vec<u8>) {
    let (blocks, rest) = postings.as_chunks::<LANE>();
    let mut next = 0;
    let (mut gaps, mut extra) = ([0; LANE], [0; LANE]);
    for block in blocks {
        for ((gap, extra), posting) in gaps.iter_mut().zip(&mut extra).zip(block) {
            *gap = posting.doc.0 - next;
            *extra = posting.frequency - 1;
            next = posting.doc.0 + 1;
        }
        let (gap_bits, extra_bits) = (gap_width(&gaps), bits::width(&extra));
        out.push(gap_bits as u8);
        out.push(extra_bits as u8);
        bits::pack(&gaps, gap_bits, out);
        bits::pack(&extra, extra_bits, out);
    }
    put_short(rest, next, out);
}

/// At least one bit a posting, even where no posting has a gap before it, so that a byte never stands
/// for more than eight postings: what a reader makes room for stays bounded by the bytes it reads.
fn gap_width(gaps: &[u32; LANE]) -> u32 {
    bits::width(gaps).max(1)
}

/// Reads a whole long list of `count` postings.
pub(crate) fn read_long(
    input: &mut Bytes<'_>,
    count: u32,
    documents: u32,
    out: &mut Vec<Posting>,
) -> Result<(), Error> {
    let start = out.len();
    let mut next = 0u64;
    let (mut gaps, mut extra) = ([0; LANE], [0; LANE]);
    // A byte never stands for more than eight postings, whatever the count says.
    out.reserve((count as usize).min(input.rest().len().saturating_mul(8)));
    for _ in 0..count as usize / LANE {
        let (gap_bits, extra_bits) = (u32::from(input.u8()?), u32::from(input.u8()?));
        if gap_bits > 32 || extra_bits > 31 {
            return Err(input.damaged("a width that no number needs"));
        }
        bits::unpack(input.take(bits::packed_len(gap_bits))?, gap_bits, &mut gaps);
        bits::unpack(
            input.take(bits::packed_len(extra_bits))?,
            extra_bits,
            &mut extra,
        );
        if gap_width(&gaps) != gap_bits || bits::width(&extra) != extra_bits {
            return Err(input.damaged("a width that is not the least"));
        }
        if extra_bits == 31 && extra.iter().any(|&extra| extra >= MAX_QUANTITY) {
            return Err(input.damaged("a frequency above 2^31-1"));
        }
        out.extend(gaps.iter().zip(&extra).map(|(gap, extra)| {
            let doc = next + u64::from(*gap);
            next = doc + 1;
            Posting {
                doc: DocId(doc as u32),
                frequency: extra + 1,
            }
        }));
        // The documents of a block only go up: if the last one is there, all are. If not, what was appended is taken back.
        document(input, next - 1, documents)?;
    }
    read_short(input, next, documents, out)?;
    if out.len() - start != count as usize {
        return Err(input.damaged("a list with another count than its term says"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(pairs: &[(u32, u32)]) -> Vec<Posting> {
        pairs
            .iter()
            .map(|&(doc, frequency)| Posting {
                doc: DocId(doc),
                frequency,
            })
            .collect()
    }

    fn long(bytes: &[u8], count: u32, documents: u32) -> Result<Vec<Posting>, Error> {
        let mut out = Vec::new();
        read_long(
            &mut Bytes::new(Section::Postings, 0, bytes),
            count,
            documents,
            &mut out,
        )
        .map(|()| out)
    }

    fn short(bytes: &[u8], documents: u32) -> Result<Vec<Posting>, Error> {
        let mut out = Vec::new();
        read_short(
            &mut Bytes::new(Section::Blocks, 0, bytes),
            0,
            documents,
            &mut out,
        )
        .map(|()| out)
    }

    #[test]
    fn short_by_hand() {
        let postings = list(&[(0, 1), (3, 2), (4, MAX_QUANTITY)]);
        let mut out = Vec::new();
        put_short(&postings, 0, &mut out);
        assert_eq!(out, [0, 5, 0, 1, 0xfd, 0xff, 0xff, 0xff, 7]);
        assert_eq!(short(&out, 5).unwrap(), postings);
        assert!(short(&out, 4).is_err(), "document 4 of 4");
        assert!(
            short(&[1, 0xfe, 0xff, 0xff, 0xff, 7], 5).is_err(),
            "a frequency of 2^31"
        );
        assert!(short(&[1], 5).is_err(), "no frequency");
    }

    #[test]
    fn a_word_of_every_document_takes_a_bit_each() {
        let postings = list(&(0..256).map(|doc| (doc, 1)).collect::<Vec<_>>());
        let mut out = Vec::new();
        put_long(&postings, &mut out);
        assert_eq!(out.len(), 2 * (2 + 16));
        assert_eq!(long(&out, 256, 256).unwrap(), postings);
        assert!(long(&out, 256, 255).is_err());
        assert!(long(&out, 255, 256).is_err());
        assert!(long(&out, 257, 256).is_err());
        out[1] = 32;
        assert!(long(&out, 256, 256).is_err());
    }

    proptest! {
        #[test]
        fn lists_come_back(
            gaps in proptest::collection::vec((prop_oneof![4 => Just(0u32), 4 => 0u32..40, 1 => 0u32..5_000_000], prop_oneof![6 => Just(1u32), 3 => 1u32..50, 1 => 1..=MAX_QUANTITY]), 1..400)
        ) {
            let mut next = 0;
            let postings: Vec<Posting> = gaps.iter().map(|&(gap, frequency)| {
                let doc = next + gap;
                next = doc + 1;
                Posting { doc: DocId(doc), frequency }
            }).collect();
            let (mut packed, mut plain) = (Vec::new(), Vec::new());
            put_long(&postings, &mut packed);
            put_short(&postings, 0, &mut plain);
            prop_assert_eq!(&long(&packed, postings.len() as u32, next).unwrap(), &postings);
            prop_assert_eq!(&short(&plain, next).unwrap(), &postings);
        }

        #[test]
        fn any_bytes_that_are_read_are_what_is_written(bytes in proptest::collection::vec(any::<u8>(), 0..80), count in 0u32..300, documents in any::<u32>()) {
            if let Ok(postings) = long(&bytes, count, documents) {
                let mut out = Vec::new();
                put_long(&postings, &mut out);
                prop_assert_eq!(&out, &bytes);
            }
            if let Ok(postings) = short(&bytes, documents) {
                let mut out = Vec::new();
                put_short(&postings, 0, &mut out);
                prop_assert_eq!(&out, &bytes);
            }
        }
    }
}
