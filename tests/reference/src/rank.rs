//! The ranking (`memfold::ranking`, `memfold_segment::Bm25`), computed by looking at every document for every concept.
//! The operations stand in the order that those pages give, so that the bits of a score are the same.

use crate::Reference;
use crate::log::Document;
use crate::query::{Concept, concepts, joined, phrases, row};

const K1: f64 = 0.9;
const B: f64 = 0.4;
/// So many of the base ranking go on.
const POOL: usize = 200;
/// The same where the query has a quoted phrase.
const PHRASE_POOL: usize = 2000;
/// So many events speak for a sitting.
const GROUP_BEST: usize = 3;

/// A document by the place of its log, newest first, and its own place there.
pub(crate) type Place = (usize, usize);

/// What each concept adds to a document's score.
type Scores = Vec<f64>;

struct Candidate {
    place: Place,
    covered: f64,
    /// What it lends to its neighbours and its sitting.
    context: f64,
}

/// The best documents with their scores, best first.
pub(crate) fn rank(reference: &Reference, query: &str) -> Vec<(Place, f64)> {
    let mut concepts = concepts(query);
    // A joined name that no event holds is as if it were not there.
    let documents = reference.documents();
    let is_held = |name: &Concept| {
        documents
            .iter()
            .any(|document| frequency(document, name) > 0)
    };
    let names = joined(query, &concepts);
    concepts.extend(names.into_iter().filter(is_held));
    let collection = Collection::of(reference, &concepts);

    let mut base: Vec<(Place, f64)> = reference
        .places()
        .filter(|(_, document)| !document.is_copy)
        .map(|(place, document)| (place, collection.scores(document).iter().sum()))
        .filter(|(_, score)| *score > 0.0)
        .collect();
    // A stable sort: of equal scores the newer log's, then the earlier event's, is first.
    base.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    base.truncate(if phrases(query).is_empty() {
        POOL
    } else {
        PHRASE_POOL
    });

    let mut pool: Vec<Place> = base.into_iter().map(|(place, _)| place).collect();
    for (log, number) in pool.clone() {
        for near in neighbours(reference, (log, number)) {
            if !pool.contains(&near) {
                pool.push(near);
            }
        }
    }
    pool.sort();
    let candidates: Vec<Candidate> = pool
        .iter()
        .map(|place| collection.candidate(*place, reference.document(*place)))
        .collect();

    let lent: Scores = candidates
        .iter()
        .map(|candidate| {
            let near: f64 = neighbours(reference, candidate.place)
                .iter()
                .filter_map(|near| candidates.iter().find(|other| other.place == *near))
                .map(|near| 0.25 * near.context)
                .sum();
            candidate.covered + near
        })
        .collect();
    let groups: Scores = candidates
        .iter()
        .map(|candidate| sitting(reference, &candidates, candidate.place))
        .collect();
    let best = lent.iter().copied().fold(0.0, f64::max);
    let best_group = groups.iter().copied().fold(0.0, f64::max);

    let mut ranked: Vec<(Place, f64)> = Vec::new();
    for ((place, lent), group) in pool.into_iter().zip(lent).zip(groups) {
        let group = if best_group > 0.0 {
            0.25 * group / best_group
        } else {
            0.0
        };
        if lent > 0.0 {
            ranked.push((place, lent / best + group));
        }
    }
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));

    let phrases = phrases(query);
    ranked.retain(|(place, _)| {
        let row = row(&reference.document(*place).text);
        let holds = |phrase: &Vec<String>| row.windows(phrase.len()).any(|words| words == phrase);
        phrases.iter().all(holds)
    });
    ranked
}

/// The events before and after, in the same sitting, that count.
fn neighbours(reference: &Reference, (log, number): Place) -> Vec<Place> {
    let documents = &reference.logs[log].documents;
    let sitting = documents[number].sitting;
    [number.wrapping_sub(1), number + 1]
        .into_iter()
        .filter(|near| {
            let near = documents.get(*near);
            near.is_some_and(|near| near.sitting == sitting && !near.is_copy)
        })
        .map(|near| (log, near))
        .collect()
}

/// The sum of the best that the candidates of a document's sitting lend.
fn sitting(reference: &Reference, candidates: &[Candidate], of: Place) -> f64 {
    let sitting = |place: Place| (place.0, reference.document(place).sitting);
    let mut lent: Scores = candidates
        .iter()
        .filter(|other| sitting(other.place) == sitting(of))
        .map(|other| other.context)
        .collect();
    lent.sort_by(|a, b| b.total_cmp(a));
    lent.iter().take(GROUP_BEST).sum()
}

/// What every score depends on.
struct Collection<'q> {
    concepts: &'q [Concept],
    idf: Vec<f64>,
    average: f64,
}

impl<'q> Collection<'q> {
    fn of(reference: &Reference, concepts: &'q [Concept]) -> Collection<'q> {
        let documents = reference.documents();
        let count = documents.len() as f64;
        let length: u64 = documents.iter().map(|document| document.length).sum();
        let idf = concepts
            .iter()
            .map(|concept| {
                let holding = documents
                    .iter()
                    .filter(|document| frequency(document, concept) > 0)
                    .count() as f64;
                (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln()
            })
            .collect();
        Collection {
            concepts,
            idf,
            average: length as f64 / count,
        }
    }

    fn scores(&self, document: &Document) -> Scores {
        let norm = K1 * (1.0 - B + B * document.length as f64 / self.average);
        self.concepts
            .iter()
            .zip(&self.idf)
            .map(|(concept, idf)| match frequency(document, concept) {
                0 => 0.0,
                tf => {
                    let (weight, tf) = (concept.weight * idf, tf as f64);
                    weight * (tf * (K1 + 1.0)) / (tf + norm)
                }
            })
            .collect()
    }

    fn candidate(&self, place: Place, document: &Document) -> Candidate {
        let scores = self.scores(document);
        let base: f64 = scores.iter().sum();
        let mut held = 0.0;
        let mut plain = 0.0;
        for ((score, idf), concept) in scores.iter().zip(&self.idf).zip(self.concepts) {
            if *score > 0.0 {
                held += idf;
            }
            if concept.plain {
                plain += score;
            }
        }
        let covered = base * (0.5 + 0.5 * (held / self.idf.iter().sum::<f64>()));
        let names = self.concepts.iter().any(|concept| !concept.plain);
        Candidate {
            place,
            covered,
            context: if names { plain } else { covered },
        }
    }
}

/// How often a document holds a concept, under all its names.
fn frequency(document: &Document, concept: &Concept) -> u64 {
    document
        .terms
        .iter()
        .filter(|(term, _)| concept.is_named(term))
        .map(|(_, count)| count)
        .sum()
}
