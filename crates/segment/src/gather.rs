//! The reading half of a search: every posting of the query's concepts, over all segments as one
//! collection. What follows it (`rank`) only computes.

use std::ops::Range;
use std::sync::Arc;

use crate::bm25::Bm25;
use crate::builder::quantity;
use crate::encode::merge;
use crate::error::Error;
use crate::kept::{Kept, KeptList, Width};
use crate::lengths::Lengths;
use crate::norms::{Against, Needed, Norms};
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

static NOTHING: Kept = Kept::new();

/// The postings of a query, read and counted.
#[derive(Debug)]
pub struct Matches<'r> {
    pub(crate) collection: Collection,
    pub(crate) params: Bm25,
    /// The weight and document frequency of each concept.
    pub(crate) concepts: Vec<(f64, u64)>,
    pub(crate) segments: Vec<Held<'r>>,
    /// The postings of all segments.
    kept: &'r Kept,
    /// Room for the scores of a segment's documents.
    pub(crate) scores: &'r mut Vec<f64>,
    pub(crate) failures: Vec<(usize, Error)>,
}

/// One segment's part, if it holds any of the query.
#[derive(Debug)]
pub(crate) struct Held<'r> {
    pub(crate) index: usize,
    pub(crate) documents: u32,
    lengths: Lengths<'r>,
    /// What the reader keeps of them, and what of it this search uses.
    kept_norms: &'r Norms,
    norms: Option<Arc<[f64]>>,
    width: Width,
    /// For each concept held, in their order, where its postings are kept.
    lists: Vec<(usize, Range<usize>)>,
}

impl Held<'_> {
    /// The length norm of a document.
    #[inline]
    pub(crate) fn norm(&self, against: &Against, doc: DocId) -> f64 {
        match self.norms.as_deref() {
            Some(norms) => norm_in(norms, doc),
            None => against.params.norm(self.lengths.get(doc), against.average),
        }
    }

    /// The length norms of all its documents, if they are at hand.
    pub(crate) fn norms(&self) -> Option<&[f64]> {
        self.norms.as_deref()
    }

    fn prepare(&mut self, against: Against) {
        let postings: usize = self.lists.iter().map(|(_, range)| range.len()).sum();
        let needed = match postings > self.documents as usize / 2 {
            true => Needed::Many,
            false => Needed::Few,
        };
        self.norms = self.kept_norms.against(against, &self.lengths, needed);
    }
}

impl<'r> Matches<'r> {
    /// Reads the postings of `concepts` from all segments, to be scored with `params`. What they take is put in `room`.
    ///
    /// Documents outside `live` are as if they were not there: not in the number of documents, the
    /// average length or a document frequency. So is a whole segment that cannot be read, which
    /// [`failures`](Self::failures) names.
    pub fn gather<S: Source>(
        segments: &[&'r Reader<S>],
        concepts: &[Concept],
        live: &dyn Select,
        params: Bm25,
        room: &'r mut Room,
    ) -> Self {
        let Room {
            lists,
            kept,
            scores,
        } = room;
        kept.clear();
        let queries: Vec<Alternatives> = concepts
            .iter()
            .map(|concept| Alternatives::of(&concept.terms))
            .collect();
        let mut matches = Self {
            collection: Collection::default(),
            params,
            concepts: concepts.iter().map(|concept| (concept.weight, 0)).collect(),
            segments: Vec::new(),
            kept: &NOTHING,
            scores,
            failures: Vec::new(),
        };
        for (index, reader) in segments.iter().enumerate() {
            match gather_segment(reader, index, &queries, live, kept, lists) {
                Ok((collection, held)) => matches.count(collection, held),
                Err(error) => matches.failures.push((index, error)),
            }
        }
        matches.kept = kept;
        let against = matches.against();
        for held in &mut matches.segments {
            held.prepare(against);
        }
        matches
    }

    pub(crate) fn against(&self) -> Against {
        Against {
            params: self.params,
            average: self.collection.average_length(),
        }
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

    /// The concepts that a segment holds, each with its postings.
    pub(crate) fn lists(
        &self,
        held: &Held<'_>,
    ) -> impl ExactSizeIterator<Item = (usize, KeptList<'_>)> {
        let lists = held.lists.iter();
        lists.map(|(concept, range)| (*concept, self.kept.list(held.width, range)))
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

/// The norm of a document among those of its segment, which has it.
#[inline]
pub(crate) fn norm_in(norms: &[f64], doc: DocId) -> f64 {
    norms.get(doc.0 as usize).copied().unwrap_or(f64::NAN)
}

fn gather_segment<'r, S: Source>(
    reader: &'r Reader<S>,
    index: usize,
    queries: &[Alternatives],
    live: &dyn Select,
    kept: &mut Kept,
    room: &mut Lists,
) -> Result<(Collection, Option<Held<'r>>), Error> {
    let mut lists = Vec::new();
    let all = live.all(index);
    let documents = reader.documents();
    let width = Width::of(documents);
    for (concept, query) in queries.iter().enumerate() {
        let postings = query.read(reader, room)?;
        if !all {
            postings.retain(|posting| live.holds(index, posting.doc));
        }
        if !postings.is_empty() {
            lists.push((concept, kept.push(width, postings)));
        }
    }
    let counted = live.counted(index).or_else(|| {
        all.then(|| Collection {
            documents: u64::from(documents),
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
    let held = (!lists.is_empty()).then_some(Held {
        index,
        documents,
        lengths,
        kept_norms: reader.norms(),
        norms: None,
        width,
        lists,
    });
    Ok((collection, held))
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

    /// The union of the alternatives' postings.
    fn read<'o, S: Source>(
        &self,
        reader: &Reader<S>,
        room: &'o mut Lists,
    ) -> Result<&'o mut Vec<Posting>, Error> {
        let Lists { read, union } = room;
        read.clear();
        let (mut terms, mut second) = (0, 0);
        let mut begins_at = |place: usize| {
            terms += 1;
            if terms == 2 {
                second = place;
            }
        };
        for term in &self.exact {
            let before = read.len();
            if reader.postings(term, read)? > 0 {
                begins_at(before);
            }
        }
        for prefix in &self.prefixes {
            reader.prefix(prefix, usize::MAX, |_, postings| {
                begins_at(read.len());
                read.extend_from_slice(postings);
            })?;
        }
        match terms {
            0 | 1 => Ok(read),
            2 => {
                union_of_two(read, second, union);
                Ok(union)
            }
            _ => {
                merge(read);
                Ok(read)
            }
        }
    }
}

/// Memory that one search after another uses: what is given back and asked for again at each costs more than a short one.
#[derive(Debug, Default)]
pub struct Room {
    lists: Lists,
    kept: Kept,
    scores: Vec<f64>,
}

/// Room for the postings of one concept after another.
#[derive(Debug, Default)]
struct Lists {
    read: Vec<Posting>,
    union: Vec<Posting>,
}

/// What [`merge`] makes of two lists that stand one after the other, without sorting.
fn union_of_two(lists: &[Posting], second: usize, union: &mut Vec<Posting>) {
    union.clear();
    let (one, other) = lists.split_at_checked(second).unwrap_or((lists, &[]));
    let (mut one, mut other) = (one.iter().copied(), other.iter().copied());
    let (mut left, mut right) = (one.next(), other.next());
    loop {
        match (left, right) {
            (Some(a), Some(b)) if a.doc == b.doc => {
                union.push(Posting {
                    frequency: quantity(a.frequency, b.frequency),
                    ..a
                });
                (left, right) = (one.next(), other.next());
            }
            (Some(a), Some(b)) if a.doc < b.doc => {
                union.push(a);
                left = one.next();
            }
            (_, Some(b)) => {
                union.push(b);
                right = other.next();
            }
            (Some(a), None) => {
                union.push(a);
                left = one.next();
            }
            (None, None) => return,
        }
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

    #[test]
    fn a_union_of_two_is_what_sorting_makes() {
        let list = |docs: &[(u32, u32)]| -> Vec<Posting> {
            let posting = |&(doc, frequency): &(u32, u32)| Posting {
                doc: crate::DocId(doc),
                frequency,
            };
            docs.iter().map(posting).collect()
        };
        let lists = [
            list(&[]),
            list(&[(0, 1)]),
            list(&[(0, u32::MAX >> 1), (3, 2), (7, 1)]),
            list(&[(3, 1), (5, 4), (9, 1), (10, 2)]),
        ];
        let mut union = Vec::new();
        for one in &lists {
            for other in &lists {
                let mut both = [one.as_slice(), other].concat();
                union_of_two(&both, one.len(), &mut union);
                merge(&mut both);
                assert_eq!(union, both);
            }
        }
    }
}
