//! The ranking of events (R2 of the measurements that the project started from), stage by stage, over what the segments
//! gave. Parameters stand in one place, each with its source; the tests' reference computes the same without an index.
//!
//! 1. Base: BM25 over all segments as one collection, `k1` 0.9 and `b` 0.4; whole names weigh 4. The best [`POOL`] go on,
//!    with their neighbours: the events before and after in the same sitting.
//!    Beside the query's words, the names that adjacent ones may be parts of ([`Query::joined`]) weigh 1.
//! 2. Coverage: `s = base · (½ + ½ · share)`, the share of the query's idf that the event holds. A joined name counts only
//!    if some event holds it: nobody asked for it.
//! 3. Context, from the plain words only (from `s` where the query has no others): a quarter of each neighbour's is added,
//!    then, both scaled to their best, a quarter of the sitting's: the sum of the [`GROUP_BEST`] best of it.
//!
//! A sitting is a run of events of a log without an hour's pause. On LoCoMo (1,536 questions) recall at 10 is .713 with
//! sittings and .666 with turns as groups; over every event of the group, not of the pool alone, it would be .720. Word
//! pairs (R2.6) gained nothing there (.720 either way) and cost a second reading of every candidate. What they gain is
//! names asked by their parts, and joined names gain more (MRR of 187 known names: 73 without either, 83 with pairs, 91).
//!
//! Each stage is a function of the one before, in `f64`, in the order written.

use memfold_segment::{Bm25, Concept, DocId, Matches, Scored, Select, Term};
use memfold_text::{Query, QueryTerm, WordKind};

/// BM25 for events: long results are held against little, repetition counts soon no more (R2.2).
pub const BM25: Bm25 = Bm25 { k1: 0.9, b: 0.4 };
/// How many events of the base ranking are looked at further.
pub const POOL: usize = 200;
/// How many where a quoted phrase must be found in the events themselves, since no index holds it.
pub const PHRASE_POOL: usize = 2000;
/// How much of a score does not depend on coverage.
pub const UNCOVERED: f64 = 0.5;
/// What a neighbour lends.
pub const NEIGHBOUR: f64 = 0.25;
/// What the group lends.
pub const GROUP: f64 = 0.25;
/// How many of a group's events speak for it.
pub const GROUP_BEST: usize = 3;

/// An event, by its log and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// The log's place among the logs ranked, newest task first.
    pub log: usize,
    /// The document's number in the log, tail included.
    pub number: u32,
}

/// A ranked event.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedEvent {
    /// Which.
    pub event: EventId,
    /// Its score.
    pub score: f64,
    /// For each concept of the query, whether the event holds it.
    pub held: Vec<bool>,
}

/// Where documents stand in their logs: what ranking asks of the logs beside their words.
///
/// The documents of a log stand together and in its order, those of a tail in the segment after that of the sealed part.
pub trait Places {
    /// The event of a segment's document.
    fn event(&self, segment: usize, document: DocId) -> EventId;
    /// The same, with its sitting and what is beside it there.
    fn standing(&self, segment: usize, document: DocId) -> Standing;
}

/// Where a document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its event.
    pub event: EventId,
    /// Its sitting, if that can be told: another number than any other's of the log.
    pub group: Option<u32>,
    /// The segment and document of the event before it, if that counts and is of the same sitting.
    pub before: Option<(usize, DocId)>,
    /// Likewise of the one after it.
    pub after: Option<(usize, DocId)>,
}

struct Candidate {
    event: EventId,
    covered: f64,
    context: f64,
    group: Option<u32>,
}

/// Ranks events. `filter` says which may be answered with.
/// Returns the `limit` best, best first (ties to the newer task, then in the log's order), and how many matched.
pub fn rank(
    query: &Query,
    matches: &mut Matches<'_>,
    places: &impl Places,
    filter: &dyn Select,
    limit: usize,
) -> (Vec<RankedEvent>, u64) {
    let pool = if query.phrases.is_empty() {
        POOL
    } else {
        PHRASE_POOL
    };
    let base = matches.best(filter, pool, &|segment, document| {
        places.event(segment, document)
    });
    let asked = query.concepts.len();
    let counts = |place: usize, holding: u64| place < asked || holding > 0;
    let idf: Vec<f64> = base
        .concepts
        .iter()
        .enumerate()
        .map(|(place, (holding, idf))| if counts(place, *holding) { *idf } else { 0.0 })
        .collect();
    let all_idf: f64 = idf.iter().sum();
    let plain: Vec<bool> = query
        .concepts
        .iter()
        .map(|concept| concept.kind == WordKind::Plain)
        .collect();
    let joined = base
        .concepts
        .iter()
        .skip(asked)
        .any(|(holding, _)| *holding > 0);
    let names = joined || plain.iter().any(|plain| !plain);
    let joined_names = query.joined.iter().map(|_| false);
    let is_plain: Vec<bool> = plain.into_iter().chain(joined_names).collect();

    let chosen = with_neighbours(&base.hits, places, |segment, document| {
        filter.all(segment) || filter.holds(segment, document)
    });
    let scores = Contributions::of(matches, &chosen);
    let candidate = |(place, chosen): (usize, &Chosen)| {
        let (mut base, mut held_idf, mut plain_words) = (0.0, 0.0, 0.0);
        // All in one pass: the sums wait for nothing but themselves.
        for ((score, idf), plain) in scores.at(place).iter().zip(&idf).zip(&is_plain) {
            base += *score;
            held_idf += if *score > 0.0 { *idf } else { 0.0 };
            plain_words += if *plain { *score } else { 0.0 };
        }
        let share = if all_idf > 0.0 {
            held_idf / all_idf
        } else {
            0.0
        };
        let covered = base * (UNCOVERED + (1.0 - UNCOVERED) * share);
        Candidate {
            event: chosen.event,
            covered,
            context: if names { plain_words } else { covered },
            group: chosen.group,
        }
    };
    let pool: Vec<Candidate> = chosen.iter().enumerate().map(candidate).collect();
    let lent = lent(&pool);
    let groups = group_scores(&pool);
    let best = lent.iter().copied().fold(0.0, f64::max);
    let best_group = groups.iter().copied().fold(0.0, f64::max);
    let mut ranked: Vec<(f64, EventId, usize)> = pool
        .iter()
        .zip(&lent)
        .zip(&groups)
        .enumerate()
        .filter(|(_, ((_, lent), _))| **lent > 0.0)
        .map(|(place, ((candidate, lent), group))| {
            let group = if best_group > 0.0 {
                GROUP * group / best_group
            } else {
                0.0
            };
            (lent / best + group, candidate.event, place)
        })
        .collect();
    let best_first = |(score, event, _): &(f64, EventId, usize),
                      (other, that, _): &(f64, EventId, usize)| {
        other.total_cmp(score).then(event.cmp(that))
    };
    if limit < ranked.len() {
        ranked.select_nth_unstable_by(limit, best_first);
        ranked.truncate(limit);
    }
    ranked.sort_unstable_by(best_first);
    let ranked = ranked.into_iter().map(|(score, event, place)| RankedEvent {
        event,
        score,
        held: scores
            .at(place)
            .iter()
            .take(asked)
            .map(|score| *score > 0.0)
            .collect(),
    });
    (ranked.collect(), base.matched)
}

/// An event that is looked at further.
#[derive(Clone, Copy)]
struct Chosen {
    event: EventId,
    segment: usize,
    document: DocId,
    group: Option<u32>,
}

/// The hits, which are in the order of segments, and the events beside them in the same sitting, in that order too: so those
/// of a log stand together, in its order.
fn with_neighbours(
    hits: &[Scored],
    places: &impl Places,
    passes: impl Fn(usize, DocId) -> bool,
) -> Vec<Chosen> {
    let mut chosen: Vec<Chosen> = Vec::with_capacity(hits.len().saturating_mul(2));
    let mut hits = hits.iter().peekable();
    while let Some(hit) = hits.next() {
        let Standing {
            event,
            group,
            before,
            after,
        } = places.standing(hit.segment, hit.doc);
        let of = |number, (segment, document)| Chosen {
            event: EventId { number, ..event },
            segment,
            document,
            group,
        };
        let is_last = |place| {
            let last = chosen.last();
            last.is_some_and(|last| (last.segment, last.document) == place)
        };
        if let Some(before) = before
            && !is_last(before)
            && passes(before.0, before.1)
        {
            chosen.push(of(event.number.saturating_sub(1), before));
        }
        chosen.push(of(event.number, (hit.segment, hit.doc)));
        let next = hits.peek();
        let is_next = |place| next.is_some_and(|next| (next.segment, next.doc) == place);
        if let Some(after) = after
            && !is_next(after)
            && passes(after.0, after.1)
        {
            chosen.push(of(event.number.saturating_add(1), after));
        }
    }
    chosen
}

/// What each concept adds to the scores of events.
struct Contributions {
    scores: Vec<f64>,
    width: usize,
}

impl Contributions {
    fn of(matches: &Matches<'_>, chosen: &[Chosen]) -> Contributions {
        let documents: Vec<(usize, DocId)> = chosen
            .iter()
            .map(|chosen| (chosen.segment, chosen.document))
            .collect();
        let scores = matches.contributions(&documents);
        Contributions {
            width: scores.len().checked_div(chosen.len()).unwrap_or(0),
            scores,
        }
    }

    /// Those of an event, by its place.
    fn at(&self, place: usize) -> &[f64] {
        let from = place.saturating_mul(self.width);
        self.scores
            .get(from..from.saturating_add(self.width))
            .unwrap_or_default()
    }
}

/// For each event what it has with what those beside it lend. The pool is in the order of logs' events.
fn lent(pool: &[Candidate]) -> Vec<f64> {
    let lends = |one: Option<&Candidate>, other: Option<&Candidate>| match (one, other) {
        (Some(one), Some(other)) => {
            let beside = one.event.log == other.event.log
                && one.event.number.checked_add(1) == Some(other.event.number);
            beside && one.group.is_some() && one.group == other.group
        }
        _ => false,
    };
    let mut before: Option<&Candidate> = None;
    let mut rest = pool.iter().peekable();
    let mut all = Vec::with_capacity(pool.len());
    while let Some(candidate) = rest.next() {
        let after = rest.peek().copied();
        let mut lent = 0.0;
        for (near, lends) in [
            (before, lends(before, Some(candidate))),
            (after, lends(Some(candidate), after)),
        ] {
            lent += match near {
                Some(near) if lends => NEIGHBOUR * near.context,
                _ => 0.0,
            };
        }
        all.push(candidate.covered + lent);
        before = Some(candidate);
    }
    all
}

/// The query's concepts, then its joined names, as the segments are asked.
pub fn concepts(query: &Query) -> Vec<Concept> {
    query
        .concepts
        .iter()
        .chain(&query.joined)
        .map(|concept| Concept {
            weight: concept.weight,
            terms: concept
                .terms
                .iter()
                .map(|term| match term {
                    QueryTerm::Exact(term) => Term::Exact(term.clone()),
                    QueryTerm::Prefix(term) => Term::Prefix(term.clone()),
                })
                .collect(),
        })
        .collect()
}

/// For each event its group's score: the sum of the best that the group's events of the pool could lend. They stand
/// together there.
fn group_scores(pool: &[Candidate]) -> Vec<f64> {
    let group = |candidate: &Candidate| Some((candidate.event.log, candidate.group?));
    let mut scores = Vec::with_capacity(pool.len());
    for of_group in pool.chunk_by(|one, next| group(one) == group(next)) {
        let score = match of_group.first().and_then(group) {
            Some(_) => best_of(of_group),
            None => 0.0,
        };
        scores.resize(scores.len().saturating_add(of_group.len()), score);
    }
    scores
}

/// The sum of the [`GROUP_BEST`] best of what candidates could lend, the best first.
fn best_of(candidates: &[Candidate]) -> f64 {
    let mut best = [0.0; GROUP_BEST];
    for candidate in candidates {
        let mut rest = candidate.context;
        for kept in &mut best {
            if rest > *kept {
                std::mem::swap(kept, &mut rest);
            }
        }
    }
    best.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memfold_segment::{Builder, Encoded, Everything, Reader, Room};

    /// One log with one segment; `sittings` says each event's.
    struct OneLog {
        sittings: Vec<u32>,
    }

    impl Places for OneLog {
        fn event(&self, _segment: usize, document: DocId) -> EventId {
            EventId {
                log: 0,
                number: document.0,
            }
        }
        fn standing(&self, segment: usize, document: DocId) -> Standing {
            let sitting = |number: u32| self.sittings.get(number as usize).copied();
            let group = sitting(document.0);
            let beside = |number: Option<u32>| {
                let number = number.filter(|number| sitting(*number) == group)?;
                Some((segment, DocId(number)))
            };
            Standing {
                event: self.event(segment, document),
                group,
                before: beside(document.0.checked_sub(1)),
                after: beside(document.0.checked_add(1)),
            }
        }
    }

    fn segment(documents: &[&[&str]]) -> Encoded {
        let mut builder = Builder::new();
        for words in documents {
            words
                .iter()
                .for_each(|word| builder.add(word.as_bytes(), 1));
            builder.finish_document().unwrap();
        }
        builder.encode(0..documents.len() as u32, &|_| {}).unwrap()
    }

    fn ranked(query: &str, documents: &[&[&str]], sittings: &[u32]) -> Vec<(u32, f64)> {
        let query = Query::new(query);
        let encoded = segment(documents);
        let reader = Reader::open(&encoded).unwrap();
        let mut room = Room::default();
        let mut matches =
            Matches::gather(&[&reader], &concepts(&query), &Everything, BM25, &mut room);
        let places = OneLog {
            sittings: sittings.to_vec(),
        };
        let (ranked, _) = rank(&query, &mut matches, &places, &Everything, POOL);
        ranked
            .into_iter()
            .map(|event| (event.event.number, event.score))
            .collect()
    }

    fn close(found: &[(u32, f64)], expected: &[(u32, f64)]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((event, score), (of, by_hand)) in found.iter().zip(expected) {
            assert!(
                event == of && (score - by_hand).abs() < 1e-12,
                "{found:?} and by hand {expected:?}"
            );
        }
    }

    // Four events of one word each, so that every length is the average and norm = k1 = 0.9: what a concept adds is
    // w · idf · 1.9 / 1.9 = w · idf. `fold` is in one of four: idf = ln(1 + 3.5 / 1.5) = ln(10 / 3); so is `log`.
    #[test]
    fn coverage_and_neighbours_by_hand() {
        let found = ranked(
            "fold log",
            &[&["sfold"], &["slog"], &["sother"], &["sother"]],
            &[0, 0, 1, 1],
        );
        // Each holds half of the query's idf: covered = idf · (½ + ½ · ½) = ¾ idf, and all of it is context, since the
        // query has no name. Each lends the other a quarter: ¾ idf · 1.25. Scaled to the best that is 1; their sitting is
        // the only one, so its score scaled is 1 and adds a quarter.
        close(&found, &[(0, 1.25), (1, 1.25)]);
    }

    // The event between two that match holds no word itself; it is found by what they lend.
    #[test]
    fn an_event_between_two_that_match_by_hand() {
        let found = ranked(
            "fold log",
            &[&["sfold"], &["sother"], &["slog"], &["sother"]],
            &[0, 0, 0, 1],
        );
        // covered: ¾ idf, 0, ¾ idf; lent: 0, 2 · ¼ · ¾ idf, 0. Scaled: 1, ½, 1; the sitting's adds ¼ to each.
        // The last event is next to a match, but in another sitting.
        close(&found, &[(0, 1.25), (2, 1.25), (1, 0.75)]);
    }

    // Eight events in two sittings; `fold` in 0 and 4, `log` in 4.
    #[test]
    fn sittings_by_hand() {
        let other: &[&str] = &["sother", "sother"];
        let documents: [&[&str]; 8] = [
            &["sfold", "sother"],
            other,
            other,
            other,
            &["sfold", "slog"],
            other,
            other,
            other,
        ];
        let found = ranked("fold log", &documents, &[0, 0, 0, 0, 1, 1, 1, 1]);
        let (fold, log) = ((1.0 + 6.5 / 2.5f64).ln(), (1.0 + 7.5 / 1.5f64).ln());
        // Lengths are equal: norm 0.9, tf 1, so a concept adds its idf.
        let first = fold * (0.5 + 0.5 * fold / (fold + log));
        let second = fold + log;
        let (best, quarter) = (second, 0.25);
        close(
            &found,
            &[
                (4, 1.0 + quarter),
                (5, quarter + quarter),
                (0, first / best + quarter * first / second),
                (1, quarter * first / best + quarter * first / second),
            ],
        );
    }

    // A whole name weighs 4 and lends nothing; its parts do not either.
    #[test]
    fn names_weigh_four_and_lend_nothing_by_hand() {
        let documents: [&[&str]; 3] = [
            &["sscrub", "senv", "nscrubenv"],
            &["sother", "sother", "sother"],
            &["sscrub", "sother", "sother"],
        ];
        let found = ranked("ScrubEnv", &documents, &[0, 0, 0]);
        let (scrub, one) = ((1.0 + 1.5 / 2.5f64).ln(), (1.0 + 2.5 / 1.5f64).ln());
        let all = scrub + one + one;
        let first = scrub + one + 4.0 * one;
        let third = scrub * (0.5 + 0.5 * scrub / all);
        close(&found, &[(0, 1.0), (2, third / first)]);
    }

    // `scrub env` asks for the names it may be the parts of; that nobody writes one changes nothing.
    #[test]
    fn joined_names_by_hand() {
        let plain: [&[&str]; 2] = [
            &["sscrub", "senv", "sother"],
            &["sother", "sother", "sother"],
        ];
        close(&ranked("scrub env", &plain, &[0, 1]), &[(0, 1.25)]);
        let named: [&[&str]; 2] = [
            &["sscrub", "senv", "nscrub_env"],
            &["sscrub", "senv", "sother"],
        ];
        let found = ranked("scrub env", &named, &[0, 1]);
        let (both, one) = ((1.0 + 0.5 / 2.5f64).ln(), 2.0f64.ln());
        let (all, first) = (2.0 * both + one, 2.0 * both + one);
        let second = 2.0 * both * (0.5 + 0.5 * 2.0 * both / all);
        // Context is the plain words': the same in both, each the best of its sitting.
        close(&found, &[(0, 1.25), (1, second / first + 0.25)]);
    }
}
