//! Several segments as one: their dictionaries walked side by side, each term written once with the postings of all.
//! What it holds in memory is a block of each segment and the bytes that it writes.

use crate::encode::Writer;
use crate::entries::Entries;
use crate::error::Error;
use crate::lead::lead;
use crate::reader::Reader;
use crate::source::{Encoded, Source};
use crate::tournament::Tournament;
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
///
/// let segment = |words: &[&str]| {
///     let mut builder = Builder::new();
///     words.iter().for_each(|word| builder.add(word.as_bytes(), 1));
///     builder.finish_document()?;
///     builder.encode(0..1, &|_| {})
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
    let mut cursors = Vec::with_capacity(parts.len());
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
        let mut cursor = Cursor {
            lead: 0,
            ended: false,
            first,
            live: part.live,
            entries: part.segment.entries()?,
        };
        cursor.advance()?;
        cursors.push(cursor);
    }
    let mut writer = Writer::default();
    let mut postings = Vec::new();
    let (mut term, mut term_lead) = (Vec::new(), 0);
    let mut tournament = Tournament::new(cursors.len(), |a, b| beats(&cursors, a, b));
    while let Some(lowest) = cursors.get_mut(tournament.winner())
        && !lowest.ended
    {
        if lowest.lead != term_lead || lowest.entries.term() != term {
            if !postings.is_empty() {
                writer.put_term(&term, term_lead, &postings)?;
                postings.clear();
            }
            term.clear();
            term.extend_from_slice(lowest.entries.term());
            term_lead = lowest.lead;
        }
        lowest.postings(&mut postings)?;
        lowest.advance()?;
        tournament.replay(|a, b| beats(&cursors, a, b));
    }
    if !postings.is_empty() {
        writer.put_term(&term, term_lead, &postings)?;
    }
    writer.finish(&lengths)
}

/// A segment's walk, standing on a term.
struct Cursor<'a, S> {
    lead: u64,
    /// Whether it is past its last term.
    ended: bool,
    /// The number of its first document in the whole.
    first: u32,
    live: Option<&'a [bool]>,
    entries: Entries<'a, S>,
}

impl<S: Source> Cursor<'_, S> {
    /// Appends the postings of its term that count.
    fn postings(&self, all: &mut Vec<Posting>) -> Result<(), Error> {
        let from = all.len();
        self.entries.postings(all)?;
        if self.live.is_some() {
            let mut kept = from;
            for at in from..all.len() {
                if let Some(&posting) = all.get(at)
                    && counts(self.live, posting.doc.0)
                    && let Some(place) = all.get_mut(kept)
                {
                    *place = posting;
                    kept += 1;
                }
            }
            all.truncate(kept);
        }
        for posting in all.iter_mut().skip(from) {
            // Every document of the part has a number in the whole: that was looked at.
            posting.doc = DocId(self.first.saturating_add(posting.doc.0));
        }
        Ok(())
    }

    /// Goes on to the next term, if there is one.
    fn advance(&mut self) -> Result<(), Error> {
        match self.entries.advance()? {
            Some(term) => self.lead = lead(term),
            None => self.ended = true,
        }
        Ok(())
    }
}

/// Whether a cursor comes before another one: by term, then in the order of parts, so that the postings of a term come in the
/// order of documents. One that has ended comes last.
#[inline]
fn beats<S: Source>(cursors: &[Cursor<'_, S>], a: usize, b: usize) -> bool {
    let (Some(one), Some(other)) = (cursors.get(a), cursors.get(b)) else {
        return false;
    };
    let leads = (one.ended, one.lead).cmp(&(other.ended, other.lead));
    let terms = leads.then_with(|| one.entries.term().cmp(other.entries.term()));
    terms.then(a.cmp(&b)).is_lt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use proptest::prelude::*;

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
        builder.encode(0..count, &|_| {}).unwrap()
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
