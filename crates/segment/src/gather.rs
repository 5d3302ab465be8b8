//! The reading half of a search: every posting of the query's concepts, over all segments as one
//! collection. What follows it (`rank`) only computes.

use std::ops::Range;

use crate::encode::merge;
use crate::error::Error;
use crate::lengths::Lengths;
use crate::reader::Reader;
use crate::source::Source;
use crate::{DocId, Posting};

/// What is scored against: the documents that count, over all segments that could be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collection {
    /// How many documents there are.
    pub documents: u64,
    /// The sum of their lengths.
    pub total_length: u64,
}

impl Collection {
    /// The average length.
    pub fn average_length(&self) -> f64 {
        self.total_length as f64 / self.documents as f64
    }
}

/// One thing that a query asks for, under any of several names.
///
/// A document holds the concept as often as it holds the alternatives together; a dictionary term that
/// several alternatives name counts once. The document frequency is that of the union.
#[derive(Debug, Clone, PartialEq)]
pub struct Concept {
    /// A factor of its scores. A document whose score is not above 0 is no hit.
    pub weight: f64,
    /// The alternatives.
    pub terms: Vec<Term>,
}

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// This term of the dictionary.
    Exact(Vec<u8>),
    /// Every term of the dictionary that begins so.
    Prefix(Vec<u8>),
}

/// Some of the documents of the segments.
pub trait Select {
    /// Whether a document is among them.
    fn holds(&self, segment: usize, doc: DocId) -> bool;

    /// Whether all of a segment's documents are; `false` if that is not known.
    fn all(&self, _segment: usize) -> bool {
        false
    }

    /// How many of a segment's documents are, and how long, where that is known without asking for each.
    fn counted(&self, _segment: usize) -> Option<Collection> {
        None
    }
}

/// All documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Everything;

impl Select for Everything {
    fn holds(&self, _segment: usize, _doc: DocId) -> bool {
        true
    }

    fn all(&self, _segment: usize) -> bool {
        true
    }
}

impl<F: Fn(usize, DocId) -> bool> Select for F {
    fn holds(&self, segment: usize, doc: DocId) -> bool {
        self(segment, doc)
    }
}

/// The postings of a query, read and counted.
#[derive(Debug)]
pub struct Matches<'r> {
    pub(crate) collection: Collection,
    /// The weight and document frequency of each concept.
    pub(crate) concepts: Vec<(f64, u64)>,
    pub(crate) segments: Vec<Held<'r>>,
    pub(crate) failures: Vec<(usize, Error)>,
}

/// One segment's part, if it holds any of the query.
#[derive(Debug)]
pub(crate) struct Held<'r> {
    pub(crate) index: usize,
    pub(crate) documents: u32,
    pub(crate) lengths: Lengths<'r>,
    pub(crate) postings: Vec<Posting>,
    /// For each concept held, in their order, its part of `postings`.
    pub(crate) lists: Vec<(usize, Range<usize>)>,
}

impl Held<'_> {
    pub(crate) fn list(&self, range: &Range<usize>) -> &[Posting] {
        self.postings.get(range.clone()).unwrap_or_default()
    }
}

impl<'r> Matches<'r> {
    /// Reads the postings of `concepts` from all segments.
    ///
    /// Documents outside `live` are as if they were not there: not in the number of documents, the
    /// average length or a document frequency. So is a whole segment that cannot be read, which
    /// [`failures`](Self::failures) names.
    pub fn gather<S: Source>(
        segments: &[&'r Reader<S>],
        concepts: &[Concept],
        live: &dyn Select,
    ) -> Self {
        let queries: Vec<Alternatives> = concepts
            .iter()
            .map(|concept| Alternatives::of(&concept.terms))
            .collect();
        let mut matches = Self {
            collection: Collection::default(),
            concepts: concepts.iter().map(|concept| (concept.weight, 0)).collect(),
            segments: Vec::new(),
            failures: Vec::new(),
        };
        // Grown once for all segments: what each keeps is then as large as it is.
        let mut room = Vec::new();
        for (index, reader) in segments.iter().enumerate() {
            match gather_segment(reader, index, &queries, live, &mut room) {
                Ok((collection, held)) => matches.count(collection, held),
                Err(error) => matches.failures.push((index, error)),
            }
        }
        matches
    }

    fn count(&mut self, collection: Collection, held: Option<Held<'r>>) {
        // What a segment that nobody checked in full says of itself, or a caller of it, is any number.
        let whole = &mut self.collection;
        whole.documents = whole.documents.saturating_add(collection.documents);
        whole.total_length = whole.total_length.saturating_add(collection.total_length);
        let Some(held) = held else { return };
        for (concept, range) in &held.lists {
            if let Some((_, frequency)) = self.concepts.get_mut(*concept) {
                *frequency += range.len() as u64;
            }
        }
        self.segments.push(held);
    }

    /// The documents that count.
    pub fn collection(&self) -> Collection {
        self.collection
    }

    /// How many documents hold a concept; 0 for one that was not asked for.
    pub fn document_frequency(&self, concept: usize) -> u64 {
        self.concepts
            .get(concept)
            .map_or(0, |(_, frequency)| *frequency)
    }

    /// The segments, by index, that were left out, and why.
    pub fn failures(&self) -> &[(usize, Error)] {
        &self.failures
    }
}

fn gather_segment<'r, S: Source>(
    reader: &'r Reader<S>,
    index: usize,
    queries: &[Alternatives],
    live: &dyn Select,
    postings: &mut Vec<Posting>,
) -> Result<(Collection, Option<Held<'r>>), Error> {
    postings.clear();
    let mut lists = Vec::new();
    let all = live.all(index);
    for (concept, query) in queries.iter().enumerate() {
        let start = postings.len();
        query.read(reader, postings)?;
        if !all {
            retain_from(postings, start, |posting| live.holds(index, posting.doc));
        }
        if postings.len() > start {
            lists.push((concept, start..postings.len()));
        }
    }
    let counted = live.counted(index).or_else(|| {
        all.then(|| Collection {
            documents: u64::from(reader.documents()),
            total_length: reader.total_length(),
        })
    });
    if let (Some(collection), true) = (counted, lists.is_empty()) {
        return Ok((collection, None));
    }
    let lengths = reader.lengths()?;
    let collection = counted.unwrap_or_else(|| {
        let mut collection = Collection::default();
        for (doc, length) in (0..).map(DocId).zip(lengths.iter()) {
            if live.holds(index, doc) {
                collection.documents += 1;
                collection.total_length += u64::from(length);
            }
        }
        collection
    });
    let documents = reader.documents();
    let held = (!lists.is_empty()).then_some(Held {
        index,
        documents,
        lengths,
        postings: postings.clone(),
        lists,
    });
    Ok((collection, held))
}

fn retain_from(postings: &mut Vec<Posting>, start: usize, keep: impl Fn(&Posting) -> bool) {
    let mut kept = start;
    for at in start..postings.len() {
        if let Some(&posting) = postings.get(at)
            && keep(&posting)
            && let Some(place) = postings.get_mut(kept)
        {
            *place = posting;
            kept += 1;
        }
    }
    postings.truncate(kept);
}

/// A concept's terms, none of which names what another one names.
struct Alternatives {
    exact: Vec<Vec<u8>>,
    prefixes: Vec<Vec<u8>>,
}

impl Alternatives {
    fn of(terms: &[Term]) -> Self {
        let (mut exact, mut prefixes) = (Vec::new(), Vec::<Vec<u8>>::new());
        for term in terms {
            match term {
                Term::Exact(term) => exact.push(term.clone()),
                Term::Prefix(prefix) => prefixes.push(prefix.clone()),
            }
        }
        // Sorted, a prefix comes right before the prefixes that it covers.
        prefixes.sort();
        prefixes.dedup_by(|next, kept| next.starts_with(kept));
        exact.sort();
        exact.dedup();
        exact.retain(|term| !prefixes.iter().any(|prefix| term.starts_with(prefix)));
        Self { exact, prefixes }
    }

    /// Appends the union of the alternatives' postings.
    fn read<S: Source>(&self, reader: &Reader<S>, out: &mut Vec<Posting>) -> Result<(), Error> {
        let start = out.len();
        let mut terms = 0;
        for term in &self.exact {
            terms += usize::from(reader.postings(term, out)? > 0);
        }
        for prefix in &self.prefixes {
            reader.prefix(prefix, usize::MAX, |_, postings| {
                terms += 1;
                out.extend_from_slice(postings);
            })?;
        }
        if terms > 1 {
            let mut union = out.split_off(start);
            merge(&mut union);
            out.append(&mut union);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_alternative_names_what_another_does() {
        let exact = |t: &str| Term::Exact(t.into());
        let prefix = |t: &str| Term::Prefix(t.into());
        let kept = Alternatives::of(&[
            prefix("foo"),
            exact("foot"),
            exact("bar"),
            prefix("fo"),
            prefix("fz"),
            exact("bar"),
            prefix("fo"),
        ]);
        assert_eq!(kept.exact, [b"bar"]);
        assert_eq!(kept.prefixes, [b"fo", b"fz"]);
    }
}
