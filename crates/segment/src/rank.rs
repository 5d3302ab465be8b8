//! The computing half of a search: scores in dense accumulators, one segment at a time, and the best k
//! of them.

use crate::DocId;
use crate::bm25::Bm25;
use crate::error::Error;
use crate::gather::{Collection, Concept, Held, Matches, Select};
use crate::kept::KeptList;
use crate::reader::Reader;
use crate::source::Source;

/// A hit.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The index of its segment.
    pub segment: usize,
    /// Its number there.
    pub doc: DocId,
    /// Its score, above 0.
    pub score: f64,
}

/// The answer to a query.
#[derive(Debug)]
pub struct Ranked {
    /// The best, by score, then in the order of segments, then of documents.
    pub hits: Vec<Scored>,
    /// How many candidates have a score above 0, shown or not.
    pub matched: u64,
    /// What was scored against.
    pub collection: Collection,
    /// For each concept, how many documents hold it, and its idf.
    pub concepts: Vec<(u64, f64)>,
    /// The segments, by index, that were left out, and why.
    pub failures: Vec<(usize, Error)>,
}

/// Scores the documents of all segments as one collection, and returns the best `k`.
///
/// `live` says which documents there are, `filter` which of them may be hits: the filter changes no
/// frequency and no score. Equal scores keep the order of `segments`, then that of their documents. A
/// segment that fails is left out whole and named; the others are ranked.
///
/// ```
/// use memfold_segment::{Bm25, Builder, Concept, Everything, Reader, Term, rank};
///
/// let mut builder = Builder::new();
/// for words in [["fold", "log"], ["log", "log"]] {
///     words.iter().for_each(|word| builder.add(word.as_bytes(), 1));
///     builder.finish_document()?;
/// }
/// let encoded = builder.encode(0..2, &|_| {})?;
/// let reader = Reader::open(&encoded)?;
///
/// let concept = Concept { weight: 1.0, terms: vec![Term::Exact(b"log".to_vec())] };
/// let ranked = rank(&[&reader], &[concept], &Bm25::default(), &Everything, &Everything, 10);
/// let docs: Vec<u32> = ranked.hits.iter().map(|hit| hit.doc.0).collect();
/// assert_eq!(docs, [1, 0]);
/// # Ok::<(), memfold_segment::Error>(())
/// ```
pub fn rank<S: Source>(
    segments: &[&Reader<S>],
    concepts: &[Concept],
    params: &Bm25,
    live: &dyn Select,
    filter: &dyn Select,
    k: usize,
) -> Ranked {
    let mut matches = Matches::gather(segments, concepts, live);
    let failures = std::mem::take(&mut matches.failures);
    Ranked {
        failures,
        ..matches.rank(params, filter, k, &|segment, doc| (segment, doc.0))
    }
}

impl Matches<'_> {
    /// The best `k` of the documents that `filter` selects; of equal scores, those come first whose place in `order` is
    /// less. `failures` is left empty here: they are [those of the reading](Matches::failures).
    pub fn rank<P: Ord + Copy>(
        &self,
        params: &Bm25,
        filter: &dyn Select,
        k: usize,
        order: &dyn Fn(usize, DocId) -> P,
    ) -> Ranked {
        let weights = self.weights();
        let average = self.collection.average_length();
        let mut top = Top::of(k, filter);
        let mut scores = Vec::new();
        for (place, held) in self.segments.iter().enumerate() {
            top.all = filter.all(held.index);
            let mut lists = self.lists(held);
            match (lists.next(), lists.len()) {
                // One concept: its postings are the documents, in order.
                (Some((concept, list)), 0) => {
                    let weight = weights.get(concept).copied().unwrap_or(0.0);
                    scores.clear();
                    scores.extend(list.iter().map(|posting| {
                        let norm = params.norm(held.lengths.get(posting.doc), average);
                        params.score(weight, posting.frequency, norm)
                    }));
                    top.offer(place, held.index, &scores, |at| list.document(at));
                }
                _ => {
                    self.accumulate(held, &weights, params, average, &mut scores);
                    let doc = |at| u32::try_from(at).ok().map(DocId);
                    top.offer(place, held.index, &scores, doc);
                }
            }
        }
        let matched = top.matched;
        let order = |place: usize, doc| {
            let segment = self
                .segments
                .get(place)
                .map_or(usize::MAX, |held| held.index);
            order(segment, doc)
        };
        let hits = top
            .best(&order)
            .into_iter()
            .filter_map(|hit| self.scored(hit.place, hit.doc, hit.score))
            .collect();
        let concepts = self
            .concepts
            .iter()
            .map(|&(_, df)| (df, Bm25::idf(self.collection.documents, df)))
            .collect();
        Ranked {
            hits,
            matched,
            collection: self.collection,
            concepts,
            failures: Vec::new(),
        }
    }

    /// What each concept adds to the scores of some documents: a row of as many numbers as there are concepts for each, in
    /// the order of `documents`. All 0 for one that is not there. A row added up from the left is its document's score.
    ///
    /// `documents` are cheapest in the order of segments, then of documents: each list is then walked once.
    pub fn contributions(&self, params: &Bm25, documents: &[(usize, DocId)]) -> Vec<f64> {
        let weights = self.weights();
        let average = self.collection.average_length();
        let width = self.concepts.len();
        let mut rows = vec![0.0; documents.len().saturating_mul(width)];
        let mut asked = Asked::default();
        let mut done = 0;
        for run in documents.chunk_by(|(one, _), (next, _)| one == next) {
            let from = done;
            done += run.len();
            let segment = run.first().map_or(usize::MAX, |(segment, _)| *segment);
            let held = self
                .segments
                .binary_search_by_key(&segment, |held| held.index);
            let (Some(held), Some(rows)) = (
                held.ok().and_then(|place| self.segments.get(place)),
                rows.get_mut(from * width..done * width),
            ) else {
                continue;
            };
            let norms: Vec<f64> = run
                .iter()
                .map(|(_, doc)| params.norm(held.lengths.get(*doc), average))
                .collect();
            let ascending = run.is_sorted_by(|(_, doc), (_, next)| doc < next);
            asked.set(run, held.documents);
            for (concept, list) in self.lists(held) {
                let weight = weights.get(concept).copied().unwrap_or(0.0);
                let mut add = |at: usize, tf: u32| {
                    let row = at.checked_mul(width);
                    let place = row.and_then(|row| rows.get_mut(row + concept));
                    if let (Some(place), Some(norm)) = (place, norms.get(at)) {
                        *place = params.score(weight, tf, *norm);
                    }
                };
                if !ascending || list.len() / FAR > run.len() {
                    let mut walk = Walk::over(list);
                    for (at, (_, doc)) in run.iter().enumerate() {
                        if let Some(tf) = walk.frequency(*doc) {
                            add(at, tf);
                        }
                    }
                } else {
                    for posting in list.iter() {
                        if let Some(at) = asked.place(posting.doc) {
                            add(at, posting.frequency);
                        }
                    }
                }
            }
        }
        rows
    }

    /// `w · idf` of each concept.
    fn weights(&self) -> Vec<f64> {
        self.concepts
            .iter()
            .map(|&(weight, df)| weight * Bm25::idf(self.collection.documents, df))
            .collect()
    }

    /// Sums up the scores of a segment's documents, concept by concept.
    fn accumulate(
        &self,
        held: &Held<'_>,
        weights: &[f64],
        params: &Bm25,
        average: f64,
        scores: &mut Vec<f64>,
    ) {
        scores.clear();
        scores.resize(held.documents as usize, 0.0);
        let postings: usize = self.lists(held).map(|(_, list)| list.len()).sum();
        // Where many concepts meet in a document its norm is computed once; the bits are the same.
        let norms: Vec<f64> = if postings > held.documents as usize / 2 {
            held.lengths
                .iter()
                .map(|length| params.norm(length, average))
                .collect()
        } else {
            Vec::new()
        };
        for (concept, list) in self.lists(held) {
            let weight = weights.get(concept).copied().unwrap_or(0.0);
            for posting in list.iter() {
                let doc = posting.doc.0 as usize;
                let norm = match norms.get(doc) {
                    Some(norm) => *norm,
                    None => params.norm(held.lengths.get(posting.doc), average),
                };
                if let Some(score) = scores.get_mut(doc) {
                    *score += params.score(weight, posting.frequency, norm);
                }
            }
        }
    }

    fn scored(&self, place: usize, doc: DocId, score: f64) -> Option<Scored> {
        let segment = self.segments.get(place)?.index;
        Some(Scored {
            segment,
            doc,
            score,
        })
    }
}

/// A list that has so many times more postings than documents are asked for is stepped through, not read.
const FAR: usize = 32;

/// Which of a segment's documents are asked for, by their numbers.
#[derive(Default)]
struct Asked {
    places: Vec<u32>,
}

impl Asked {
    /// Stands for a document that is not asked for.
    const NOT: u32 = u32::MAX;

    fn set(&mut self, run: &[(usize, DocId)], documents: u32) {
        self.places.clear();
        self.places.resize(documents as usize, Asked::NOT);
        for (at, (_, doc)) in (0..).zip(run) {
            if let Some(place) = self.places.get_mut(doc.0 as usize) {
                *place = at;
            }
        }
    }

    #[inline]
    fn place(&self, doc: DocId) -> Option<usize> {
        let place = self.places.get(doc.0 as usize).copied()?;
        (place != Asked::NOT).then_some(place as usize)
    }
}

/// A list that is asked for one document after another: a later one is looked for from where the last was, in steps that
/// double.
struct Walk<'p> {
    list: KeptList<'p>,
    /// Postings before it are of documents before the last that was asked for.
    at: usize,
}

impl<'p> Walk<'p> {
    fn over(list: KeptList<'p>) -> Walk<'p> {
        Walk { list, at: 0 }
    }

    fn frequency(&mut self, doc: DocId) -> Option<u32> {
        let list = self.list;
        let before = |place: usize| list.document(place).is_some_and(|other| other < doc);
        if self.at.checked_sub(1).is_some_and(|last| !before(last)) {
            self.at = 0;
        }
        let mut step = 1;
        while before(self.at + step) {
            self.at += step;
            step *= 2;
        }
        let (mut low, mut high) = (self.at, list.len().min(self.at + step + 1));
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.at = low;
        let found = list.get(low)?;
        (found.doc == doc).then_some(found.frequency)
    }
}

/// So many scores are looked at together, a bit for each: whether one is good is as good as random, and no branch hangs on it.
const AT_ONCE: usize = 32;

/// The set of the scores, [`AT_ONCE`] at most, that are so.
#[inline]
fn those(scores: &[f64], are: impl Fn(f64) -> bool) -> u32 {
    (0..)
        .zip(scores)
        .fold(0, |set, (at, score)| set | u32::from(are(*score)) << at)
}

/// The places in a set, in order.
fn places(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}

/// A candidate.
#[derive(Debug, Clone, Copy)]
struct Hit {
    score: f64,
    place: usize,
    doc: DocId,
}

/// The best k so far. Candidates are taken as they come and thinned out now and then, at a cost that does not depend on k;
/// those with the score of the last are all kept, since their order is asked for at the end alone.
struct Top<'a> {
    k: usize,
    /// No score below it is among the best.
    floor: f64,
    hits: Vec<Hit>,
    /// So many are let in before they are thinned out.
    room: usize,
    matched: u64,
    filter: &'a dyn Select,
    /// Whether the filter lets all documents of the segment pass.
    all: bool,
}

impl<'a> Top<'a> {
    fn of(k: usize, filter: &'a dyn Select) -> Self {
        Top {
            k,
            floor: 0.0,
            hits: Vec::new(),
            room: k.saturating_mul(2).max(256),
            matched: 0,
            filter,
            all: false,
        }
    }

    /// Offers documents of a segment by their scores; `doc` says which is at a place. Most are not among the best, and that is
    /// told of [`AT_ONCE`] together.
    fn offer(
        &mut self,
        place: usize,
        segment: usize,
        scores: &[f64],
        doc: impl Fn(usize) -> Option<DocId>,
    ) {
        let mut first = 0;
        for scores in scores.chunks(AT_ONCE) {
            let from = first;
            first += scores.len();
            let matching = those(scores, |score| score > 0.0);
            let mut good = those(scores, |score| score > 0.0 && score >= self.floor);
            if self.all {
                self.matched += u64::from(matching.count_ones());
            } else {
                let passes =
                    |at: usize| doc(from + at).is_some_and(|doc| self.filter.holds(segment, doc));
                let passing = places(matching)
                    .filter(|at| passes(*at))
                    .fold(0u32, |set, at| set | 1 << at);
                self.matched += u64::from(passing.count_ones());
                good &= passing;
            }
            for at in places(good) {
                if let (Some(doc), Some(&score)) = (doc(from + at), scores.get(at)) {
                    self.hits.push(Hit { score, place, doc });
                }
            }
            if self.hits.len() >= self.room {
                self.thin_out();
            }
        }
    }

    fn thin_out(&mut self) {
        let Some(last) = self.k.checked_sub(1) else {
            self.hits.clear();
            return;
        };
        if last < self.hits.len() {
            let best_first = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score);
            let (_, last, _) = self.hits.select_nth_unstable_by(last, best_first);
            let floor = last.score;
            self.floor = floor;
            self.hits.retain(|hit| hit.score >= floor);
        }
        // Where many have the last one's score, it is long until they are looked at again.
        self.room = self.hits.len().saturating_mul(2).max(self.room);
    }

    /// The best k, best first, in order where they are equal.
    fn best<P: Ord>(mut self, order: &dyn Fn(usize, DocId) -> P) -> Vec<Hit> {
        self.thin_out();
        let mut hits: Vec<(P, Hit)> = self
            .hits
            .into_iter()
            .map(|hit| (order(hit.place, hit.doc), hit))
            .collect();
        hits.sort_unstable_by(|(order, a), (other, b)| {
            b.score.total_cmp(&a.score).then_with(|| order.cmp(other))
        });
        hits.truncate(self.k);
        hits.into_iter().map(|(_, hit)| hit).collect()
    }
}
