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
pub trait Places {
    /// The event of a segment's document.
    fn event(&self, segment: usize, document: DocId) -> EventId;
    /// The segment and document of an event; nothing past the log's ends.
    fn document(&self, event: EventId) -> Option<(usize, DocId)>;
    /// The sitting of an event, by its number in the log.
    fn group(&self, event: EventId) -> Option<u32>;
}

struct Candidate {
    event: EventId,
    covered: f64,
    context: f64,
    group: Option<u32>,
}

/// Ranks events. `filter` says which may be answered with; `live` is the one that `matches` was gathered with.
/// Returns the `limit` best, best first (ties to the newer task, then in the log's order), and how many matched.
pub fn rank(
    query: &Query,
    matches: &Matches<'_>,
    places: &dyn Places,
    live: &dyn Select,
    filter: &dyn Select,
    limit: usize,
) -> (Vec<RankedEvent>, u64) {
    let pool = if query.phrases.is_empty() {
        POOL
    } else {
        PHRASE_POOL
    };
    let base = matches.rank(&BM25, filter, pool, &|segment, document| {
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

    let chosen = with_neighbours(&base.hits, places, &|segment, document| {
        live.holds(segment, document) && filter.holds(segment, document)
    });
    let scores = contributions(matches, &chosen);
    let candidate = |chosen: &Chosen, scores: &[f64]| {
        let base: f64 = scores.iter().sum();
        let held_idf: f64 = idf
            .iter()
            .zip(scores)
            .filter(|(_, score)| **score > 0.0)
            .map(|(idf, _)| *idf)
            .sum();
        let share = if all_idf > 0.0 {
            held_idf / all_idf
        } else {
            0.0
        };
        let covered = base * (UNCOVERED + (1.0 - UNCOVERED) * share);
        let context = if names {
            scores
                .iter()
                .zip(&plain)
                .filter(|(_, plain)| **plain)
                .map(|(score, _)| *score)
                .sum()
        } else {
            covered
        };
        Candidate {
            event: chosen.event,
            covered,
            context,
            group: chosen.group,
        }
    };
    let pool: Vec<Candidate> = chosen
        .iter()
        .enumerate()
        .map(|(place, chosen)| candidate(chosen, scores.of(place)))
        .collect();

    let lent: Vec<f64> = pool
        .iter()
        .enumerate()
        .map(|(place, candidate)| {
            let lent: f64 = neighbours(candidate.event)
                .filter_map(|near| beside(&pool, place, near))
                .filter(|near| near.group.is_some() && near.group == candidate.group)
                .map(|near| NEIGHBOUR * near.context)
                .sum();
            candidate.covered + lent
        })
        .collect();
    let groups = group_scores(&pool);
    let best = lent.iter().copied().fold(0.0, f64::max);
    let best_group = groups.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let mut ranked: Vec<(f64, usize)> = pool
        .iter()
        .zip(&lent)
        .enumerate()
        .filter(|(_, (_, lent))| **lent > 0.0)
        .map(|(place, (candidate, lent))| {
            let group = candidate
                .group
                .and_then(|group| {
                    let key = (candidate.event.log, group);
                    let at = groups.binary_search_by_key(&key, |(key, _)| *key).ok()?;
                    groups.get(at)
                })
                .map_or(0.0, |(_, score)| *score);
            let group = if best_group > 0.0 {
                GROUP * group / best_group
            } else {
                0.0
            };
            (lent / best + group, place)
        })
        .collect();
    // The pool is in the order of ties.
    let best_first = |(score, place): &(f64, usize), (other, that): &(f64, usize)| {
        other.total_cmp(score).then(place.cmp(that))
    };
    if limit < ranked.len() {
        ranked.select_nth_unstable_by(limit, best_first);
        ranked.truncate(limit);
    }
    ranked.sort_unstable_by(best_first);
    let ranked = ranked.into_iter().filter_map(|(score, place)| {
        Some(RankedEvent {
            event: pool.get(place)?.event,
            score,
            held: scores
                .of(place)
                .iter()
                .take(asked)
                .map(|score| *score > 0.0)
                .collect(),
        })
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

/// The hits and the events beside them in the same sitting that count, in the order of events.
fn with_neighbours(
    hits: &[Scored],
    places: &dyn Places,
    counts: &dyn Fn(usize, DocId) -> bool,
) -> Vec<Chosen> {
    let mut chosen: Vec<Chosen> = hits
        .iter()
        .map(|hit| {
            let event = places.event(hit.segment, hit.doc);
            Chosen {
                event,
                segment: hit.segment,
                document: hit.doc,
                group: places.group(event),
            }
        })
        .collect();
    chosen.sort_unstable_by_key(|chosen| chosen.event);
    let mut near: Vec<Chosen> = Vec::with_capacity(chosen.len());
    for (place, hit) in chosen.iter().enumerate() {
        for event in neighbours(hit.event) {
            let is_hit = [place.checked_sub(1), place.checked_add(1)]
                .into_iter()
                .flatten()
                .filter_map(|place| chosen.get(place))
                .any(|hit| hit.event == event);
            let is_known = near.last().is_some_and(|last| last.event == event);
            if is_hit || is_known || hit.group.is_none() || places.group(event) != hit.group {
                continue;
            }
            if let Some((segment, document)) = places.document(event)
                && counts(segment, document)
            {
                near.push(Chosen {
                    event,
                    segment,
                    document,
                    group: hit.group,
                });
            }
        }
    }
    chosen.append(&mut near);
    chosen.sort_by_key(|chosen| chosen.event);
    chosen
}

/// What each concept adds to the scores of events.
struct Contributions {
    scores: Vec<f64>,
    width: usize,
    /// Where each event's are.
    rows: Vec<usize>,
}

impl Contributions {
    /// Those of an event, by its place.
    fn of(&self, place: usize) -> &[f64] {
        let row = self.rows.get(place).copied().unwrap_or(usize::MAX);
        let from = row.saturating_mul(self.width);
        self.scores
            .get(from..from.saturating_add(self.width))
            .unwrap_or_default()
    }
}

/// Asked in the order of segments, as is cheapest, whatever order the events are in: those of a log are in order as they
/// are.
fn contributions(matches: &Matches<'_>, chosen: &[Chosen]) -> Contributions {
    let mut first = 0;
    let mut runs: Vec<(usize, DocId, usize, usize)> = chosen
        .chunk_by(|one, next| one.segment == next.segment && one.event.log == next.event.log)
        .filter_map(|run| {
            let from = first;
            first += run.len();
            let head = run.first()?;
            Some((head.segment, head.document, from, run.len()))
        })
        .collect();
    runs.sort_unstable();
    let mut documents = Vec::with_capacity(chosen.len());
    let mut rows = vec![0; chosen.len()];
    for (_, _, from, length) in runs {
        let run = chosen.iter().zip(&mut rows).skip(from).take(length);
        for (chosen, row) in run {
            *row = documents.len();
            documents.push((chosen.segment, chosen.document));
        }
    }
    let scores = matches.contributions(&BM25, &documents);
    Contributions {
        width: scores.len().checked_div(chosen.len()).unwrap_or(0),
        scores,
        rows,
    }
}

/// An event of the pool that stands beside the one at `place`, if it is in the pool.
fn beside(pool: &[Candidate], place: usize, near: EventId) -> Option<&Candidate> {
    [place.checked_sub(1), place.checked_add(1)]
        .into_iter()
        .flatten()
        .filter_map(|place| pool.get(place))
        .find(|candidate| candidate.event == near)
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

/// The events before and after.
fn neighbours(event: EventId) -> impl Iterator<Item = EventId> {
    [event.number.checked_sub(1), event.number.checked_add(1)]
        .into_iter()
        .flatten()
        .map(move |number| EventId { number, ..event })
}

/// A group of events: a log's place, and the sitting's number there.
type Group = (usize, u32);

/// Each group's score, in their order: the sum of the best that its events of the pool could lend. The pool is in the order
/// of events, so those of a group stand together.
fn group_scores(pool: &[Candidate]) -> Vec<(Group, f64)> {
    let group = |candidate: &Candidate| Some((candidate.event.log, candidate.group?));
    pool.chunk_by(|one, next| group(one) == group(next))
        .filter_map(|of_group| Some((group(of_group.first()?)?, best_of(of_group))))
        .collect()
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
    use memfold_segment::{Builder, Encoded, Everything, Reader};

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
        fn document(&self, event: EventId) -> Option<(usize, DocId)> {
            self.sittings
                .get(event.number as usize)
                .map(|_| (0, DocId(event.number)))
        }
        fn group(&self, event: EventId) -> Option<u32> {
            self.sittings.get(event.number as usize).copied()
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
        let matches = Matches::gather(&[&reader], &concepts(&query), &Everything);
        let places = OneLog {
            sittings: sittings.to_vec(),
        };
        let (ranked, _) = rank(&query, &matches, &places, &Everything, &Everything, POOL);
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
