//! The search against a scorer that reads like the formula, bit for bit; and what becomes of a search
//! when a segment fails.

// A test fails by a panic.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use memfold_segment::{
    Bm25, Builder, Collection, Concept, DocId, Encoded, Everything, Matches, Ranked, Reader, Room,
    Section, Select, Source, Term, rank,
};
use proptest::prelude::*;

type Document = BTreeMap<String, u32>;

fn encode(documents: &[Document]) -> Encoded {
    let mut builder = Builder::new();
    for document in documents {
        document
            .iter()
            .for_each(|(word, count)| builder.add(word.as_bytes(), *count));
        builder.finish_document().unwrap();
    }
    builder.encode(0..u32::MAX, &|_| {}).unwrap()
}

fn holds(document: &Document, concept: &Concept) -> u32 {
    let named = |word: &str, term: &Term| match term {
        Term::Exact(term) => word.as_bytes() == term,
        Term::Prefix(prefix) => word.as_bytes().starts_with(prefix),
    };
    document
        .iter()
        .filter(|(word, _)| concept.terms.iter().any(|term| named(word, term)))
        .map(|(_, count)| count)
        .sum()
}

fn length(document: &Document) -> u32 {
    document.values().sum()
}

/// (segment, document, score), best first, all of them.
fn naive(
    segments: &[Vec<Document>],
    concepts: &[Concept],
    bm25: &Bm25,
    live: &dyn Select,
    filter: &dyn Select,
) -> Vec<(usize, u32, f64)> {
    let all: Vec<(usize, u32, &Document)> = segments
        .iter()
        .enumerate()
        .flat_map(|(s, docs)| {
            docs.iter()
                .enumerate()
                .map(move |(d, document)| (s, d as u32, document))
        })
        .filter(|(s, d, _)| live.holds(*s, DocId(*d)))
        .collect();
    let n = all.len() as f64;
    let avgdl = all
        .iter()
        .map(|(_, _, document)| u64::from(length(document)))
        .sum::<u64>() as f64
        / n;
    let mut hits = Vec::new();
    for (s, d, document) in &all {
        let mut score = 0.0;
        for concept in concepts {
            let df = all
                .iter()
                .filter(|(_, _, document)| holds(document, concept) > 0)
                .count() as f64;
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            let tf = f64::from(holds(document, concept));
            let dl = f64::from(length(document));
            if tf > 0.0 {
                score += concept.weight * idf * (tf * (bm25.k1 + 1.0))
                    / (tf + bm25.k1 * (1.0 - bm25.b + bm25.b * dl / avgdl));
            }
        }
        if score > 0.0 && filter.holds(*s, DocId(*d)) {
            hits.push((*s, *d, score));
        }
    }
    hits.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    hits
}

fn flat(ranked: &Ranked) -> Vec<(usize, u32, f64)> {
    ranked
        .hits
        .iter()
        .map(|hit| (hit.segment, hit.doc.0, hit.score))
        .collect()
}

fn document() -> impl Strategy<Value = Document> {
    proptest::collection::btree_map(
        "[a-c]{1,3}",
        prop_oneof![5 => 1u32..4, 1 => 1u32..100_000],
        0..8,
    )
}

fn concept() -> impl Strategy<Value = Concept> {
    let term = prop_oneof![
        3 => "[a-c]{1,3}".prop_map(|t| Term::Exact(t.into_bytes())),
        1 => "[a-c]{1,2}".prop_map(|t| Term::Prefix(t.into_bytes())),
    ];
    (
        prop_oneof![3 => Just(1.0), 1 => Just(2.0), 1 => Just(0.0), 2 => 0.1f64..3.0],
        proptest::collection::vec(term, 0..4),
    )
        .prop_map(|(weight, terms)| Concept { weight, terms })
}

/// Leaves documents out by an arbitrary rule, and all of none.
struct Some3(u64);

impl Select for Some3 {
    fn holds(&self, segment: usize, doc: DocId) -> bool {
        self.0 == 0 || !(segment as u64 * 31 + u64::from(doc.0) + self.0).is_multiple_of(3)
    }

    fn all(&self, _: usize) -> bool {
        self.0 == 0
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn scores_are_the_formula_bit_for_bit(
        segments in proptest::collection::vec(proptest::collection::vec(document(), 0..20), 0..5),
        concepts in proptest::collection::vec(concept(), 0..6),
        (k1, b) in prop_oneof![Just((1.2, 0.75)), Just((0.9, 0.4)), (0.1f64..3.0, 0.0f64..=1.0)],
        (live, filter) in (0u64..4, 0u64..4),
        k in 0usize..30,
    ) {
        let encoded: Vec<Encoded> = segments.iter().map(|documents| encode(documents)).collect();
        let readers: Vec<Reader<&Encoded>> = encoded.iter().map(|e| Reader::open(e).unwrap()).collect();
        let readers: Vec<&Reader<&Encoded>> = readers.iter().collect();
        let (bm25, live, filter) = (Bm25 { k1, b }, Some3(live), Some3(filter));
        let ranked = rank(&readers, &concepts, &bm25, &live, &filter, k);
        let wanted = naive(&segments, &concepts, &bm25, &live, &filter);
        prop_assert!(ranked.failures.is_empty());
        prop_assert_eq!(ranked.matched as usize, wanted.len());
        prop_assert_eq!(flat(&ranked), &wanted[..wanted.len().min(k)]);
        let mut room = Room::default();
        let matches = Matches::gather(&readers, &concepts, &live, bm25, &mut room);
        // In the order of hits, so that a list is walked back and forth.
        let asked: Vec<(usize, DocId)> = ranked.hits.iter().map(|hit| (hit.segment, hit.doc)).collect();
        let rows = matches.contributions(&asked);
        for (place, hit) in ranked.hits.iter().enumerate() {
            let document = &segments[hit.segment][hit.doc.0 as usize];
            let parts = &rows[place * concepts.len()..(place + 1) * concepts.len()];
            for (concept, part) in concepts.iter().zip(parts) {
                prop_assert!(holds(document, concept) > 0 || *part == 0.0);
            }
            prop_assert_eq!(parts.iter().fold(0.0, |sum, part| sum + part), hit.score);
        }
    }
}

fn words(text: &str) -> Document {
    let mut document = Document::new();
    text.split(' ')
        .for_each(|word| *document.entry(word.to_string()).or_default() += 1);
    document
}

fn one(word: &str) -> Concept {
    Concept {
        weight: 1.0,
        terms: vec![Term::Exact(word.into())],
    }
}

#[test]
fn a_collection_by_hand() {
    // N = 3, lengths 2, 1, 3: avgdl 2. "log": df 2, idf = ln(1 + 1.5/2.5) = ln 1.6.
    let newer = encode(&[words("fold log"), words("card")]);
    let older = encode(&[words("log log turn")]);
    let readers = [Reader::open(&newer).unwrap(), Reader::open(&older).unwrap()];
    let ranked = rank(
        &[&readers[0], &readers[1]],
        &[one("log")],
        &Bm25::default(),
        &Everything,
        &Everything,
        10,
    );
    assert_eq!(
        ranked.collection,
        Collection {
            documents: 3,
            total_length: 6
        }
    );
    let idf = 1.6f64.ln();
    assert_eq!(ranked.concepts, [(2, idf)]);
    assert_eq!(ranked.matched, 2);
    // tf 2, dl 3: norm 1.2 (0.25 + 0.75 · 1.5) = 1.65, factor 4.4/3.65. tf 1, dl 2: norm 1.2, factor 1.
    let hits = flat(&ranked);
    assert_eq!((hits[0].0, hits[0].1, hits[1].0, hits[1].1), (1, 0, 0, 0));
    assert!((hits[0].2 - idf * 4.4 / 3.65).abs() < 1e-12);
    assert!((hits[1].2 - idf).abs() < 1e-12);
}

#[test]
fn equal_scores_keep_the_order_given() {
    let encoded = encode(&[words("log"), words("log"), words("log")]);
    let readers = [
        Reader::open(&encoded).unwrap(),
        Reader::open(&encoded).unwrap(),
    ];
    let ranked = rank(
        &[&readers[0], &readers[1]],
        &[one("log")],
        &Bm25::default(),
        &Everything,
        &Everything,
        4,
    );
    assert_eq!(
        ranked
            .hits
            .iter()
            .map(|hit| (hit.segment, hit.doc.0))
            .collect::<Vec<_>>(),
        [(0, 0), (0, 1), (0, 2), (1, 0)]
    );
    assert_eq!(ranked.matched, 6);
}

#[test]
fn a_filter_changes_no_score_and_a_dead_document_is_not_there() {
    let encoded = encode(&[words("log"), words("log log"), words("turn")]);
    let reader = Reader::open(&encoded).unwrap();
    let search = |live: &dyn Select, filter: &dyn Select| {
        rank(&[&reader], &[one("log")], &Bm25::default(), live, filter, 9)
    };
    let all = search(&Everything, &Everything);
    let without_first = |_: usize, doc: DocId| doc.0 != 0;
    let filtered = search(&Everything, &without_first);
    assert_eq!((filtered.hits.len(), filtered.matched), (1, 1));
    assert_eq!(
        filtered.hits[0],
        *all.hits.iter().find(|hit| hit.doc == DocId(1)).unwrap()
    );
    let live = search(&without_first, &Everything);
    assert_eq!(
        live.collection,
        Collection {
            documents: 2,
            total_length: 3
        }
    );
    assert_eq!(live.concepts[0].0, 1);
    assert_eq!(live.hits.len(), 1);
}

/// A source that fails where it is told to.
struct Broken<'a> {
    encoded: &'a Encoded,
    broken: Option<Section>,
}

impl Source for Broken<'_> {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        if self.broken == Some(section) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.encoded
            .read(section, at, len)
            .map(|bytes| Cow::Owned(bytes.into_owned()))
    }

    fn len(&self, section: Section) -> u64 {
        self.encoded.len(section)
    }
}

#[test]
fn a_segment_that_fails_is_named_and_the_others_are_ranked_as_if_it_were_not_there() {
    let (good, bad) = (
        encode(&[words("log turn"), words("card")]),
        encode(&[words("log"), words("log fold")]),
    );
    for section in [Section::Blocks, Section::Lengths] {
        let sources = [(&bad, Some(section)), (&good, None)]
            .map(|(encoded, broken)| Broken { encoded, broken });
        let readers: Vec<_> = sources
            .iter()
            .map(|source| Reader::open(source).unwrap())
            .collect();
        let ranked = rank(
            &readers.iter().collect::<Vec<_>>(),
            &[one("log")],
            &Bm25::default(),
            &Everything,
            &Everything,
            9,
        );
        assert_eq!(
            ranked
                .failures
                .iter()
                .map(|(index, _)| *index)
                .collect::<Vec<_>>(),
            [0]
        );
        let alone = Reader::open(&good).unwrap();
        let alone = rank(
            &[&alone],
            &[one("log")],
            &Bm25::default(),
            &Everything,
            &Everything,
            9,
        );
        assert_eq!(ranked.collection, alone.collection);
        assert_eq!(ranked.concepts, alone.concepts);
        assert_eq!(ranked.hits[0].score, alone.hits[0].score);
        assert_eq!((ranked.hits[0].segment, ranked.hits.len()), (1, 1));
    }
}
