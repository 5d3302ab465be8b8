//! Several segments as one: their dictionaries walked side by side, each term written once with the postings of all.
//! What it holds in memory is a block of each segment and the bytes that it writes.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::encode::Writer;
use crate::entries::Entries;
use crate::error::Error;
use crate::reader::Reader;
use crate::source::{Encoded, Source};
use crate::{DocId, Posting};

/// A segment to be merged, and which of its documents count.
#[derive(Debug)]
pub struct Part<'a, S> {
    /// Its reader.
    pub segment: &'a Reader<S>,
    /// For each document, whether it counts; nothing if all do.
    pub live: Option<&'a [bool]>,
}

fn counts(live: Option<&[bool]>, document: u32) -> bool {
    match live {
        Some(live) => live.get(document as usize).copied().unwrap_or(false),
        None => true,
    }
}

/// Merges segments. Their documents are numbered on, segment after segment. One that does not count keeps its number, and
/// holds no word: its length is 0.
///
/// ```
/// use memfold_segment::{Builder, DocId, Part, Posting, Reader, merge};
/// use std::borrow::Cow;
///
/// let segment = |words: &[&str]| {
///     let mut builder = Builder::new();
///     words.iter().for_each(|word| builder.add(word.as_bytes(), 1));
///     builder.finish_document()?;
///     builder.encode(0..1, &|term| Cow::Borrowed(term))
/// };
/// let (one, other) = (segment(&["fold", "log"])?, segment(&["log"])?);
/// let (one, other) = (Reader::open(&one)?, Reader::open(&other)?);
///
/// let merged = merge(&[&one, &other].map(|segment| Part { segment, live: None }))?;
/// let mut postings = Vec::new();
/// Reader::open(&merged)?.postings(b"log", &mut postings)?;
/// assert_eq!(postings, [0, 1].map(|doc| Posting { doc: DocId(doc), frequency: 1 }));
/// # Ok::<(), memfold_segment::Error>(())
/// ```
///
/// # Errors
/// If a segment cannot be read or is damaged, or the whole would be too large for the format.
pub fn merge<S: Source>(parts: &[Part<'_, S>]) -> Result<Encoded, Error> {
    let mut lengths = Vec::new();
    let mut next = BinaryHeap::with_capacity(parts.len());
    for part in parts {
        let first = u32::try_from(lengths.len())
            .ok()
            .filter(|first| first.checked_add(part.segment.documents()).is_some())
            .ok_or(Error::Full("2^32-1 documents"))?;
        let own = part.segment.lengths()?;
        lengths.extend((0..).zip(own.iter()).map(|(document, length)| {
            if counts(part.live, document) {
                length
            } else {
                0
            }
        }));
        let mut entries = part.segment.entries()?;
        if let Some(term) = entries.advance()? {
            let term = Key::of(term);
            // Boxed: a heap moves what it holds at every step.
            next.push(Reverse(Box::new(Cursor {
                term,
                first,
                live: part.live,
                entries,
            })));
        }
    }
    let mut writer = Writer::default();
    let (mut postings, mut own) = (Vec::new(), Vec::new());
    let mut term = Vec::new();
    while let Some(mut top) = next.peek_mut() {
        if top.0.term.bytes != term {
            if !postings.is_empty() {
                writer.put_term(&term, &postings)?;
                postings.clear();
            }
            term.clone_from(&top.0.term.bytes);
        }
        top.0.postings(&mut own, &mut postings)?;
        if !top.0.advance()? {
            PeekMut::pop(top);
        }
    }
    if !postings.is_empty() {
        writer.put_term(&term, &postings)?;
    }
    writer.finish(&lengths)
}

/// A term, with its first bytes as a number that sorts as they do: most comparisons end there.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    first: u64,
    bytes: Vec<u8>,
}

impl Key {
    fn of(term: &[u8]) -> Key {
        let mut key = Key {
            first: 0,
            bytes: Vec::new(),
        };
        key.set(term);
        key
    }

    fn set(&mut self, term: &[u8]) {
        let mut first = [0; 8];
        first
            .iter_mut()
            .zip(term)
            .for_each(|(first, byte)| *first = *byte);
        self.first = u64::from_be_bytes(first);
        self.bytes.clear();
        self.bytes.extend_from_slice(term);
    }
}

/// A segment's walk, standing on a term.
struct Cursor<'a, S> {
    term: Key,
    /// The number of its first document in the whole.
    first: u32,
    live: Option<&'a [bool]>,
    entries: Entries<'a, S>,
}

impl<S: Source> Cursor<'_, S> {
    /// Appends the postings of its term that count. `own` is room.
    fn postings(&self, own: &mut Vec<Posting>, all: &mut Vec<Posting>) -> Result<(), Error> {
        own.clear();
        self.entries.postings(own)?;
        all.extend(
            own.iter()
                .filter(|posting| counts(self.live, posting.doc.0))
                .map(|posting| Posting {
                    // Every document of the part has a number in the whole: that was looked at.
                    doc: DocId(self.first.saturating_add(posting.doc.0)),
                    frequency: posting.frequency,
                }),
        );
        Ok(())
    }

    /// Goes on to the next term; whether there is one.
    fn advance(&mut self) -> Result<bool, Error> {
        match self.entries.advance()? {
            Some(term) => {
                self.term.set(term);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

// By term, then in the order of parts: so the postings of a term come in the order of documents.
impl<S> Ord for Cursor<'_, S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.term
            .cmp(&other.term)
            .then(self.first.cmp(&other.first))
    }
}

impl<S> PartialOrd for Cursor<'_, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> PartialEq for Cursor<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<S> Eq for Cursor<'_, S> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use proptest::prelude::*;
    use std::borrow::Cow;

    type Document = Vec<(String, u32)>;

    fn segment<'d>(documents: impl IntoIterator<Item = &'d Document>) -> Encoded {
        let mut builder = Builder::new();
        let mut count = 0;
        for document in documents {
            document
                .iter()
                .for_each(|(word, times)| builder.add(word.as_bytes(), *times));
            builder.finish_document().unwrap();
            count += 1;
        }
        builder
            .encode(0..count, &|term| Cow::Borrowed(term))
            .unwrap()
    }

    fn document() -> impl Strategy<Value = Document> {
        proptest::collection::vec(("[a-c]{1,10}", 1u32..4), 0..12)
    }

    proptest! {
        /// Merged segments are, byte for byte, the segment of all their documents; those that do not count are empty.
        #[test]
        fn merging_is_building_from_all(
            segments in proptest::collection::vec(proptest::collection::vec((document(), prop::bool::weighted(0.8)), 0..8), 0..6),
        ) {
            let encoded: Vec<Encoded> = segments.iter().map(|documents| segment(documents.iter().map(|(document, _)| document))).collect();
            let readers: Vec<_> = encoded.iter().map(|encoded| Reader::open(encoded).unwrap()).collect();
            let live: Vec<Vec<bool>> = segments.iter().map(|documents| documents.iter().map(|(_, live)| *live).collect()).collect();
            let parts: Vec<_> = readers.iter().zip(&live).map(|(segment, live)| Part {
                segment,
                live: live.contains(&false).then_some(live.as_slice()),
            }).collect();
            let nothing = Vec::new();
            let whole = segment(segments.iter().flatten().map(|(document, live)| if *live { document } else { &nothing }));
            prop_assert_eq!(merge(&parts).unwrap(), whole);
        }
    }

    #[test]
    fn long_lists_are_merged() {
        let documents: Vec<Document> = (0..300)
            .map(|n| vec![("all".to_owned(), 1), (format!("n{}", n % 7), n % 3 + 1)])
            .collect();
        let (one, other) = documents.split_at(140);
        let (a, b) = (segment(one), segment(other));
        let (a, b) = (Reader::open(&a).unwrap(), Reader::open(&b).unwrap());
        let merged = merge(&[&a, &b].map(|segment| Part {
            segment,
            live: None,
        }))
        .unwrap();
        assert_eq!(merged, segment(&documents));
        Reader::open(&merged).unwrap().verify().unwrap();
    }
}
