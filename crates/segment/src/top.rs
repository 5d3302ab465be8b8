//! The best k of many scores. They are taken as they come, in their order, as long as they may be among the best: counts of
//! those taken so far, by their size, tell what is not. So the cost hardly depends on k.

use crate::DocId;
use crate::gather::Select;
use crate::rank::Scored;

/// So many scores are looked at together: most have none among the best.
const AT_ONCE: usize = 16;
/// As many as two registers hold, at least: what is done for each of them is done for all at once.
const LANES: usize = 4;

/// A score's size is its exponent and so many bits after it: sizes are 1/64 apart.
const SIZE_BITS: u32 = 6;
/// So many sizes are told apart, from the greatest score that can be down to 1/65,536 of it.
const SIZES: usize = 16 << SIZE_BITS;

/// The size of a score above 0; they are in the order of scores.
fn size(score: f64) -> u64 {
    score.to_bits() >> (f64::MANTISSA_DIGITS - 1 - SIZE_BITS)
}

/// The least score of a size.
fn least_of(size: u64) -> f64 {
    f64::from_bits(size << (f64::MANTISSA_DIGITS - 1 - SIZE_BITS))
}

/// The greatest of some scores.
#[inline]
fn greatest(scores: &[f64; AT_ONCE]) -> f64 {
    let (lanes, _) = scores.as_chunks::<LANES>();
    let mut greatest = [0.0; LANES];
    for lane in lanes {
        for (greatest, score) in greatest.iter_mut().zip(lane) {
            *greatest = if *score > *greatest {
                *score
            } else {
                *greatest
            };
        }
    }
    greatest.into_iter().fold(0.0, f64::max)
}

/// The best k so far.
pub(crate) struct Top<'a> {
    k: usize,
    /// No score below it is among the best.
    floor: f64,
    /// In the order in which they were offered.
    hits: Vec<Scored>,
    /// How many were taken of each size, the greatest first.
    counts: Vec<usize>,
    greatest: u64,
    /// The last place in `counts` that the best k may reach down to, and how many are counted to it.
    last: usize,
    held: usize,
    /// So many hits are kept; those below the floor leave then.
    room: usize,
    matched: u64,
    filter: &'a dyn Select,
}

impl<'a> Top<'a> {
    /// `most` is about what no score exceeds: it only tells which sizes are worth telling apart.
    pub(crate) fn of(k: usize, filter: &'a dyn Select, most: f64) -> Self {
        Top {
            k,
            floor: 0.0,
            hits: Vec::new(),
            counts: vec![0; SIZES],
            greatest: size(most.max(0.0)),
            last: SIZES - 1,
            held: 0,
            room: k.saturating_mul(4).max(1024),
            matched: 0,
            filter,
        }
    }

    /// No score below it needs to be offered, where all that match were [counted](Self::matched).
    #[inline]
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// Whether all documents of a segment pass the filter.
    pub(crate) fn passes_all(&self, segment: usize) -> bool {
        self.filter.all(segment)
    }

    /// Counts documents that match and pass.
    pub(crate) fn count(&mut self, matched: u64) {
        self.matched = self.matched.saturating_add(matched);
    }

    /// Takes a document that was counted.
    #[inline]
    pub(crate) fn take(&mut self, segment: usize, doc: DocId, score: f64) {
        if score < self.floor {
            return;
        }
        self.hits.push(Scored {
            segment,
            doc,
            score,
        });
        let below = self.greatest.saturating_sub(size(score));
        let below = usize::try_from(below).unwrap_or(usize::MAX);
        if let Some(count) = self.counts.get_mut(below.min(SIZES - 1)) {
            *count += 1;
            self.held += 1;
        }
        self.raise();
        if self.hits.len() >= self.room {
            let floor = self.floor;
            self.hits.retain(|hit| hit.score >= floor);
            // Where many have the last one's score, it is long until they are looked at again.
            self.room = self.hits.len().saturating_mul(2).max(self.room);
        }
    }

    /// Leaves out the last size as long as k are held without it.
    #[inline]
    fn raise(&mut self) {
        while let Some(count) = self.counts.get(self.last)
            && let Some(held) = self.held.checked_sub(*count)
            && held >= self.k
            && let Some(last) = self.last.checked_sub(1)
        {
            (self.held, self.last) = (held, last);
            self.floor = least_of(self.greatest.saturating_sub(last as u64));
        }
    }

    /// Takes documents of a segment, by their numbers, that were counted: those that match have a score well above 0.
    pub(crate) fn take_all(&mut self, segment: usize, scores: &[f64]) {
        let (parts, rest) = scores.as_chunks();
        for (first, part) in (0..).step_by(AT_ONCE).zip(parts) {
            if greatest(part) >= self.floor.max(f64::MIN_POSITIVE) {
                self.take_some(segment, first, part);
            }
        }
        let mut last = [0.0; AT_ONCE];
        let places = last.iter_mut().zip(rest);
        places.for_each(|(place, score)| *place = *score);
        self.take_some(segment, (scores.len() - rest.len()) as u32, &last);
    }

    fn take_some(&mut self, segment: usize, first: u32, scores: &[f64; AT_ONCE]) {
        let floor = self.floor.max(f64::MIN_POSITIVE);
        // Which are good is as good as random: all are written down, and no branch hangs on it.
        let mut good = [(DocId(0), 0.0); AT_ONCE];
        let mut count = 0;
        for (doc, score) in (first..).map(DocId).zip(scores) {
            if let Some(place) = good.get_mut(count % AT_ONCE) {
                *place = (doc, *score);
            }
            count += usize::from(*score >= floor);
        }
        for (doc, score) in good.iter().take(count) {
            self.take(segment, *doc, *score);
        }
    }

    /// Counts and takes documents if they match and pass the filter.
    pub(crate) fn offer(&mut self, segment: usize, scores: impl Iterator<Item = (DocId, f64)>) {
        for (doc, score) in scores {
            if score > 0.0 && self.filter.holds(segment, doc) {
                self.count(1);
                self.take(segment, doc, score);
            }
        }
    }

    /// The best k, as they were taken, and how many were counted. Of those that share the last one's score, the first in
    /// `order`.
    pub(crate) fn best<P: Ord>(mut self, order: &dyn Fn(usize, DocId) -> P) -> (Vec<Scored>, u64) {
        let (floor, k) = (self.floor, self.k);
        self.hits.retain(|hit| hit.score >= floor);
        if self.hits.len() > k {
            self.keep_best(k, order);
        }
        (self.hits, self.matched)
    }

    fn keep_best<P: Ord>(&mut self, k: usize, order: &dyn Fn(usize, DocId) -> P) {
        let Some(last) = k.checked_sub(1) else {
            self.hits.clear();
            return;
        };
        // Scores above 0 are in the order of their bits.
        let mut scores: Vec<u64> = self.hits.iter().map(|hit| !hit.score.to_bits()).collect();
        let (_, last, _) = scores.select_nth_unstable(last);
        let last = f64::from_bits(!*last);
        self.hits.retain(|hit| hit.score >= last);
        let surplus = self.hits.len().saturating_sub(k);
        if surplus == 0 {
            return;
        }
        let mut tied: Vec<(P, usize)> = self
            .hits
            .iter()
            .enumerate()
            .filter(|(_, hit)| hit.score <= last)
            .map(|(at, hit)| (order(hit.segment, hit.doc), at))
            .collect();
        tied.sort_unstable();
        let leaving = tied.iter().rev().take(surplus);
        let mut leaving: Vec<usize> = leaving.map(|(_, at)| *at).collect();
        leaving.sort_unstable();
        let (mut leaving, mut at) = (leaving.into_iter().peekable(), 0);
        self.hits.retain(|_| {
            let leaves = leaving.next_if_eq(&at).is_some();
            at += 1;
            !leaves
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::Everything;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_finds(
            segments in proptest::collection::vec(proptest::collection::vec(0u8..40, 0..400), 0..4),
            k in 0usize..300,
            turn in 0u32..1000,
            most in prop_oneof![Just(40.0), Just(2000.0), 0.0f64..100.0],
        ) {
            let order = |segment: usize, doc: DocId| (doc.0.wrapping_mul(7919) ^ turn, segment, doc);
            let mut all = Vec::new();
            let mut top = Top::of(k, &Everything, most);
            for (segment, scores) in segments.iter().enumerate() {
                let scores: Vec<f64> = scores.iter().map(|n| f64::from(*n) - 3.0).collect();
                if turn.is_multiple_of(2) {
                    top.count(scores.iter().filter(|score| **score > 0.0).count() as u64);
                    top.take_all(segment, &scores);
                } else {
                    top.offer(segment, (0..).map(DocId).zip(scores.iter().copied()));
                }
                for (doc, score) in (0..).map(DocId).zip(scores).filter(|(_, score)| *score > 0.0) {
                    all.push(Scored { segment, doc, score });
                }
            }
            let matched = all.len() as u64;
            all.sort_by(|a, b| b.score.total_cmp(&a.score).then(order(a.segment, a.doc).cmp(&order(b.segment, b.doc))));
            all.truncate(k);
            all.sort_by_key(|hit| (hit.segment, hit.doc));
            prop_assert_eq!(top.best(&order), (all, matched));
        }
    }
}
