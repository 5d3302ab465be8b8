//! The postings that a search keeps from when they are read to when they are scored, four bytes each: a search of frequent
//! words keeps millions, and each page of fresh memory costs as much as decoding a thousand.
//!
//! A posting's document takes as many bits as the segment's documents need, its frequency the others. One that does not fit
//! stands in a list beside, by the posting's place.

use std::ops::Range;

use crate::{DocId, Posting};

/// Postings of many segments, one list after another.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    codes: Vec<u32>,
    /// The place and the frequency of each posting whose code has no room for it, ascending.
    often: Vec<(usize, u32)>,
}

/// How a segment's postings are told by their codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Width {
    /// The bits of a document's number: 32 leave none for the frequency.
    bits: u32,
}

impl Width {
    /// For a segment of so many documents.
    pub(crate) fn of(documents: u32) -> Width {
        Width {
            bits: u32::BITS - documents.saturating_sub(1).leading_zeros(),
        }
    }

    /// The frequency that stands for all that have no room.
    fn most(self) -> u32 {
        self.above(u32::MAX)
    }

    #[inline]
    fn above(self, code: u32) -> u32 {
        (u64::from(code) >> self.bits) as u32
    }

    /// The bits of a document's number.
    fn mask(self) -> u32 {
        ((1u64 << self.bits) - 1) as u32
    }
}

impl Kept {
    pub(crate) const fn new() -> Kept {
        Kept {
            codes: Vec::new(),
            often: Vec::new(),
        }
    }

    /// Forgets all lists, and keeps their room.
    pub(crate) fn clear(&mut self) {
        self.codes.clear();
        self.often.clear();
    }

    /// Appends a list; the documents are below the number that `width` is for. Returns where it is.
    pub(crate) fn push(&mut self, width: Width, postings: &[Posting]) -> Range<usize> {
        let (start, most) = (self.codes.len(), width.most());
        let mut greatest = 0;
        self.codes.extend(postings.iter().map(|posting| {
            greatest = posting.frequency.max(greatest);
            let frequency = u64::from(posting.frequency.min(most));
            posting.doc.0 | (frequency << width.bits) as u32
        }));
        if greatest >= most {
            let often = postings.iter().enumerate();
            self.often.extend(
                often
                    .filter(|(_, posting)| posting.frequency >= most)
                    .map(|(place, posting)| (start + place, posting.frequency)),
            );
        }
        start..self.codes.len()
    }

    /// A list that was kept.
    pub(crate) fn list(&self, width: Width, range: &Range<usize>) -> KeptList<'_> {
        KeptList {
            codes: self.codes.get(range.clone()).unwrap_or_default(),
            start: range.start,
            often: &self.often,
            width,
            mask: width.mask(),
            most: width.most(),
        }
    }
}

/// A list of postings, in the order of documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptList<'k> {
    codes: &'k [u32],
    start: usize,
    often: &'k [(usize, u32)],
    width: Width,
    /// What `width` says, computed once.
    mask: u32,
    most: u32,
}

impl<'k> KeptList<'k> {
    /// The list in pieces of so many postings.
    pub(crate) fn chunks(self, size: usize) -> impl Iterator<Item = KeptList<'k>> {
        let starts = (self.start..).step_by(size);
        self.codes
            .chunks(size)
            .zip(starts)
            .map(move |(codes, start)| KeptList {
                codes,
                start,
                ..self
            })
    }

    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn document(&self, place: usize) -> Option<DocId> {
        self.codes.get(place).map(|code| DocId(code & self.mask))
    }

    pub(crate) fn get(&self, place: usize) -> Option<Posting> {
        self.codes.get(place).map(|code| self.posting(place, *code))
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Posting> + 'k {
        let codes = self.codes.iter().enumerate();
        codes.map(move |(place, code)| self.posting(place, *code))
    }

    #[inline]
    fn posting(&self, place: usize, code: u32) -> Posting {
        let frequency = self.width.above(code);
        Posting {
            doc: DocId(code & self.mask),
            frequency: match frequency < self.most {
                true => frequency,
                false => self.often(place),
            },
        }
    }

    #[cold]
    fn often(&self, place: usize) -> u32 {
        let place = self.start + place;
        let found = self.often.binary_search_by_key(&place, |(at, _)| *at);
        found
            .ok()
            .and_then(|at| self.often.get(at))
            .map_or(0, |(_, frequency)| *frequency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_QUANTITY;
    use proptest::prelude::*;

    fn posting(doc: u32, frequency: u32) -> Posting {
        Posting {
            doc: DocId(doc),
            frequency,
        }
    }

    #[test]
    fn lists_of_segments_of_every_size_are_kept() {
        let mut kept = Kept::default();
        let mut lists = Vec::new();
        for documents in [1, 2, 3, 1 << 16, 1 << 30, (1 << 31) - 1, 1 << 31, u32::MAX] {
            let width = Width::of(documents);
            let most = width.most();
            let frequencies = [1, 2, most.saturating_sub(1), most, most.saturating_add(1)];
            for frequency in frequencies.into_iter().chain([MAX_QUANTITY]) {
                let frequency = frequency.clamp(1, MAX_QUANTITY);
                let list = [posting(0, frequency), posting(documents - 1, frequency)];
                lists.push((width, kept.push(width, &list), list.to_vec()));
            }
        }
        for (width, range, list) in &lists {
            let read = kept.list(*width, range);
            assert_eq!(read.iter().collect::<Vec<_>>(), *list, "{width:?}");
            assert_eq!(read.get(1), list.get(1).copied());
            assert_eq!(read.document(1), list.get(1).map(|posting| posting.doc));
            assert_eq!((read.len(), read.get(2)), (2, None));
        }
    }

    proptest! {
        #[test]
        fn what_was_kept_is_read(
            documents in 1..=u32::MAX,
            lists in proptest::collection::vec(
                proptest::collection::vec((any::<u32>(), 1..=MAX_QUANTITY, 0..32u32), 0..9), 0..5),
        ) {
            let width = Width::of(documents);
            let mut kept = Kept::default();
            let lists: Vec<(Range<usize>, Vec<Posting>)> = lists
                .into_iter()
                .map(|list| {
                    let list: Vec<Posting> = list
                        .into_iter()
                        .map(|(doc, frequency, less)| posting(doc % documents, (frequency >> less).max(1)))
                        .collect();
                    (kept.push(width, &list), list)
                })
                .collect();
            for (range, list) in &lists {
                prop_assert_eq!(&kept.list(width, range).iter().collect::<Vec<_>>(), list);
            }
        }
    }
}
