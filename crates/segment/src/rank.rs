//! The computing half of a search: scores in dense accumulators, one segment at a time, and the best k
//! of them.

use crate::bm25::Bm25;
use crate::error::Error;
use crate::gather::{Collection, Concept, Held, Matches, Room, Select, norm_in};
use crate::kept::KeptList;
use crate::reader::Reader;
use crate::source::Source;
use crate::top::Top;
use crate::{DocId, Posting};

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
    let mut room = Room::default();
    let mut matches = Matches::gather(segments, concepts, live, *params, &mut room);
    let failures = std::mem::take(&mut matches.failures);
    Ranked {
        failures,
        ..matches.rank(filter, k, &|segment, doc| (segment, doc.0))
    }
}

impl Matches<'_> {
    /// The best `k` of the documents that `filter` selects; of equal scores, those come first whose place in `order` is
    /// less. `failures` is left empty here: they are [those of the reading](Matches::failures).
    pub fn rank<P: Ord + Copy>(
        &mut self,
        filter: &dyn Select,
        k: usize,
        order: &dyn Fn(usize, DocId) -> P,
    ) -> Ranked {
        let mut ranked = self.best(filter, k, order);
        let mut hits: Vec<(P, Scored)> = ranked
            .hits
            .into_iter()
            .map(|hit| (order(hit.segment, hit.doc), hit))
            .collect();
        hits.sort_by(|(order, a), (other, b)| {
            b.score.total_cmp(&a.score).then_with(|| order.cmp(other))
        });
        ranked.hits = hits.into_iter().map(|(_, hit)| hit).collect();
        ranked
    }

    /// The same hits, in the order of segments, then of documents.
    pub fn best<P: Ord>(
        &mut self,
        filter: &dyn Select,
        k: usize,
        order: &dyn Fn(usize, DocId) -> P,
    ) -> Ranked {
        let weights = self.weights();
        let most = |weight: &f64| self.params.most(*weight);
        // Where each score is above 0, and no sum or quotient of them is lost in rounding, whatever is in a list matches. A
        // segment that nobody checked may say of itself that its documents have no length: then no norm is a number.
        let against = self.against();
        let longest = against.params.norm(u32::MAX, against.average);
        let each_matches = (0.0..1e100).contains(&longest)
            && weights
                .iter()
                .all(|weight| (1e-100..1e100).contains(&most(weight)));
        let mut top = Top::of(k, filter, weights.iter().map(most).sum());
        let mut scores = std::mem::take(self.scores);
        for held in &self.segments {
            let counted = each_matches && top.passes_all(held.index);
            let mut lists = self.lists(held);
            match (lists.next(), lists.len()) {
                // One concept: its postings are the documents, in order.
                (Some((concept, list)), 0) => {
                    let weight = weights.get(concept).copied().unwrap_or(0.0);
                    self.offer_one(held, weight, list, counted, &mut top);
                }
                _ => {
                    let matched = self.accumulate(held, &weights, &mut scores);
                    if counted {
                        top.count(matched);
                        top.take_all(held.index, &scores);
                    } else {
                        let scores = scores.iter().copied();
                        top.offer(held.index, (0..).map(DocId).zip(scores));
                    }
                }
            }
        }
        *self.scores = scores;
        let (hits, matched) = top.best(order);
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
    pub fn contributions(&self, documents: &[(usize, DocId)]) -> Vec<f64> {
        let weights = self.weights();
        let against = self.against();
        let width = self.concepts.len();
        let mut rows = vec![0.0; documents.len().saturating_mul(width)];
        let mut asked = Asked::default();
        let mut frequencies = Frequencies::default();
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
                .map(|(_, doc)| held.norm(&against, *doc))
                .collect();
            let ascending = run.is_sorted_by(|(_, doc), (_, next)| doc < next);
            asked.set(run, held.documents);
            for (concept, list) in self.lists(held) {
                let weight = weights.get(concept).copied().unwrap_or(0.0);
                let mut add = |at: usize, tf: u32| {
                    let row = at.checked_mul(width);
                    let place = row.and_then(|row| rows.get_mut(row + concept));
                    if let (Some(place), Some(norm)) = (place, norms.get(at)) {
                        let (over, under) = self.params.fraction(weight, tf, *norm);
                        // Without the word the upper number is 0; the lower one is not, for the quotient's sake.
                        *place = over / under.max(f64::MIN_POSITIVE);
                    }
                };
                if !ascending || list.len() / FAR > run.len() {
                    let mut walk = Walk::over(list);
                    for (at, (_, doc)) in run.iter().enumerate() {
                        if let Some(tf) = walk.frequency(*doc) {
                            add(at, tf);
                        }
                    }
                } else if list.len() / NEAR > run.len() {
                    let mut places = (0..).zip(run);
                    for posting in list.iter().filter(|posting| asked.holds(posting.doc)) {
                        if let Some((at, _)) = places.find(|(_, (_, doc))| *doc == posting.doc) {
                            add(at, posting.frequency);
                        }
                    }
                } else {
                    frequencies.of(list, held.documents, |frequencies| {
                        for (at, (_, doc)) in run.iter().enumerate() {
                            add(at, frequencies.get(*doc));
                        }
                    });
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

    /// Offers the documents of a segment's only list.
    fn offer_one(
        &self,
        held: &Held<'_>,
        weight: f64,
        list: KeptList<'_>,
        counted: bool,
        top: &mut Top<'_>,
    ) {
        if counted {
            top.count(list.len() as u64);
            match held.norms() {
                Some(norms) => self.take_one(held, weight, list, |doc| norm_in(norms, doc), top),
                None => {
                    let against = self.against();
                    self.take_one(held, weight, list, |doc| held.norm(&against, doc), top);
                }
            }
        } else {
            self.scores(held, weight, list, |docs, scores| {
                let scored = docs.iter().copied().zip(scores.iter().copied());
                top.offer(held.index, scored);
            });
        }
    }

    fn take_one(
        &self,
        held: &Held<'_>,
        weight: f64,
        list: KeptList<'_>,
        norm: impl Fn(DocId) -> f64,
        top: &mut Top<'_>,
    ) {
        for part in list.chunks(BATCH) {
            let reach = self.params.reach(weight, top.floor());
            // Which can reach the floor is as good as random: all are written down, and no branch hangs on it.
            let mut good = [Posting::default(); BATCH];
            let mut count = 0;
            for posting in part.iter() {
                if let Some(place) = good.get_mut(count % BATCH) {
                    *place = posting;
                }
                count += usize::from(norm(posting.doc) <= reach * f64::from(posting.frequency));
            }
            for posting in good.iter().take(count) {
                let norm = norm(posting.doc);
                let score = self.params.score(weight, posting.frequency, norm);
                top.take(held.index, posting.doc, score);
            }
        }
    }

    /// Sums up the scores of a segment's documents, concept by concept. Returns how many got one.
    fn accumulate(&self, held: &Held<'_>, weights: &[f64], sums: &mut Vec<f64>) -> u64 {
        let mut got = 0;
        sums.clear();
        sums.resize(held.documents as usize, 0.0);
        for (concept, list) in self.lists(held) {
            let weight = weights.get(concept).copied().unwrap_or(0.0);
            self.scores(held, weight, list, |docs, scores| {
                for (doc, score) in docs.iter().zip(scores) {
                    if let Some(sum) = sums.get_mut(doc.0 as usize) {
                        got += u64::from(*sum == 0.0);
                        *sum += *score;
                    }
                }
            });
        }
        got
    }

    /// The scores of a list, [`BATCH`] at a time.
    fn scores(
        &self,
        held: &Held<'_>,
        weight: f64,
        list: KeptList<'_>,
        each: impl FnMut(&[DocId], &[f64]),
    ) {
        let params = self.params;
        match held.norms() {
            Some(norms) => scores(params, weight, list, |doc| norm_in(norms, doc), each),
            None => {
                let against = self.against();
                scores(params, weight, list, |doc| held.norm(&against, doc), each);
            }
        }
    }
}

/// So many postings are looked at together.
const BATCH: usize = 64;

#[inline]
fn scores(
    params: Bm25,
    weight: f64,
    list: KeptList<'_>,
    norm: impl Fn(DocId) -> f64,
    mut each: impl FnMut(&[DocId], &[f64]),
) {
    let mut docs = [DocId(0); BATCH];
    let (mut over, mut under) = ([0.0; BATCH], [1.0; BATCH]);
    for part in list.chunks(BATCH) {
        let places = docs.iter_mut().zip(&mut over).zip(&mut under);
        for (((doc, over), under), posting) in places.zip(part.iter()) {
            *doc = posting.doc;
            (*over, *under) = params.fraction(weight, posting.frequency, norm(posting.doc));
        }
        // By themselves, several are divided at once.
        let scores = over.get_mut(..part.len()).unwrap_or_default();
        for (score, under) in scores.iter_mut().zip(&under) {
            *score /= *under;
        }
        each(docs.get(..part.len()).unwrap_or_default(), scores);
    }
}

/// A list that has so many times more postings than documents are asked for is stepped through, not read.
const FAR: usize = 32;
/// One that has more than so many times as many is read for the documents that are asked for. Of a shorter one these are so
/// large a part that no branch can foretell them, and a table is made of it.
const NEAR: usize = 4;

/// How often each document of a segment has a term, as a table: 0 for most.
#[derive(Default)]
struct Frequencies {
    table: Vec<u8>,
}

/// The table, filled with a list.
struct Filled<'f> {
    table: &'f [u8],
    list: KeptList<'f>,
}

impl Frequencies {
    fn of(&mut self, list: KeptList<'_>, documents: u32, ask: impl FnOnce(&Filled<'_>)) {
        if self.table.len() < documents as usize {
            self.table.resize(documents as usize, 0);
        }
        for posting in list.iter() {
            if let Some(place) = self.table.get_mut(posting.doc.0 as usize) {
                *place = posting.frequency.min(u32::from(u8::MAX)) as u8;
            }
        }
        ask(&Filled {
            table: &self.table,
            list,
        });
        for posting in list.iter() {
            if let Some(place) = self.table.get_mut(posting.doc.0 as usize) {
                *place = 0;
            }
        }
    }
}

impl Filled<'_> {
    #[inline]
    fn get(&self, doc: DocId) -> u32 {
        match self.table.get(doc.0 as usize) {
            Some(&u8::MAX) => Walk::over(self.list).frequency(doc).unwrap_or(0),
            Some(frequency) => u32::from(*frequency),
            None => 0,
        }
    }
}

/// Which of a segment's documents are asked for: a bit for each.
#[derive(Default)]
struct Asked {
    words: Vec<u64>,
}

impl Asked {
    fn set(&mut self, run: &[(usize, DocId)], documents: u32) {
        self.words.clear();
        self.words.resize(documents.div_ceil(u64::BITS) as usize, 0);
        for (_, doc) in run {
            if let Some(word) = self.words.get_mut((doc.0 / u64::BITS) as usize) {
                *word |= 1 << (doc.0 % u64::BITS);
            }
        }
    }

    #[inline]
    fn holds(&self, doc: DocId) -> bool {
        let word = self.words.get((doc.0 / u64::BITS) as usize);
        word.is_some_and(|word| word >> (doc.0 % u64::BITS) & 1 == 1)
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
