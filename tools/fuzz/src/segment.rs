//! A segment: any four sections, raw and with right checksums. What passes the full check has one encoding, is found term by
//! term, ranked by the formula, and merged.

#[path = "../../../crates/segment/tests/forged/mod.rs"]
mod forged;

use memfold_segment::{
    Bm25, Builder, Concept, Encoded, Everything, Part, Posting, Reader, Term, merge, rank,
};

use crate::parts;

/// Terms, blocks, postings and lengths, and those of a second segment.
pub fn run(bytes: &[u8]) {
    let parts = parts::split(bytes);
    let mut sections = parts.chunks(4).map(|sections| {
        let section = |number| parts::section(sections, number);
        encoded([0, 1, 2, 3].map(section))
    });
    let raw = sections.next().unwrap();
    holds(&raw);
    let one = mended(raw);
    let sound = holds(&one);
    if let Some(other) = sections.next().map(mended) {
        let both = [&one, &other].map(|segment| Reader::open(segment).ok());
        if let [Some(one), Some(other)] = &both {
            merges(one, other, sound && holds(other.source()));
        }
    }
}

/// The sections of a segment, in the order in which [`run`] takes them.
pub fn sections(encoded: &Encoded) -> [&[u8]; 4] {
    [
        &encoded.terms,
        &encoded.blocks,
        &encoded.postings,
        &encoded.lengths,
    ]
}

pub(crate) fn encoded([terms, blocks, postings, lengths]: [Vec<u8>; 4]) -> Encoded {
    Encoded {
        documents: u32::from_le_bytes(parts::array(&terms, 0)),
        total_length: u64::from_le_bytes(parts::array(&terms, 8)),
        terms,
        blocks,
        postings,
        lengths,
    }
}

/// The words of the four parts from `first` on, under right checksums.
pub(crate) fn words(parts: &[&[u8]], first: usize) -> Encoded {
    let section = |number| parts::section(parts, first + number);
    mended(encoded([0, 1, 2, 3].map(section)))
}

/// The segment with right checksums, and the lengths of its sections in `terms`.
pub(crate) fn mended(mut segment: Encoded) -> Encoded {
    if segment.terms.len() >= 40 {
        let blocks = (segment.blocks.len() as u64).to_le_bytes();
        let postings = (segment.postings.len() as u64).to_le_bytes();
        segment.terms[16..24].copy_from_slice(&blocks);
        segment.terms[24..32].copy_from_slice(&postings);
    }
    forged::forge(&mut segment);
    segment
}

/// Reads all of a segment in every way. Whether it is sound.
pub(crate) fn holds(segment: &Encoded) -> bool {
    let Ok(reader) = Reader::open(segment) else {
        return false;
    };
    let sound = reader.verify().is_ok();
    let lengths = reader.lengths();
    assert!(lengths.is_ok() || !sound);
    let _ = lengths.map(|lengths| lengths.iter().map(u64::from).sum::<u64>());
    let mut listed: Vec<(Vec<u8>, u32)> = Vec::new();
    let mut whole = true;
    for term in reader.terms().into_iter().flatten() {
        match term {
            Ok(term) => listed.push(term),
            Err(_) => whole = false,
        }
    }
    assert!(whole || !sound);
    let mut found = Vec::new();
    for (term, holding) in &listed {
        let mut postings = Vec::new();
        match reader.postings(term, &mut postings) {
            Ok(count) => {
                assert_eq!(count as usize, postings.len());
                assert!(
                    !sound || count == *holding,
                    "a sound segment lists another number"
                );
            }
            Err(_) => assert!(!sound && postings.is_empty()),
        }
        found.push(postings);
    }
    let mut prefixed = 0;
    let start = listed
        .first()
        .map_or(&b"s"[..], |(term, _)| &term[..term.len().min(2)]);
    let read = reader.prefix(start, usize::MAX, |term, _| {
        assert!(term.starts_with(start));
        prefixed += 1;
    });
    let expected = listed
        .iter()
        .filter(|(term, _)| term.starts_with(start))
        .count();
    assert!(!sound || read.is_ok() && prefixed == expected);
    assert!(!matches!(
        reader.postings(b"\xFF absent", &mut Vec::new()),
        Ok(1..)
    ));
    ranks(&reader, &listed);
    if sound {
        has_one_encoding(&reader, segment);
        scores(&reader, &listed, &found);
    }
    sound
}

fn has_one_encoding(reader: &Reader<&Encoded>, segment: &Encoded) {
    let again = Builder::resume(reader)
        .unwrap()
        .encode(0..u32::MAX, &|_| {})
        .unwrap();
    assert_eq!(again, *segment, "another encoding of the same documents");
    let merged = merge(&[Part {
        segment: reader,
        live: None,
    }]);
    assert_eq!(merged.unwrap(), *segment, "merged alone it is another");
}

fn concepts(listed: &[(Vec<u8>, u32)]) -> Vec<Concept> {
    let concept = |terms: &[(Vec<u8>, u32)]| Concept {
        weight: 1.5,
        terms: terms
            .iter()
            .map(|(term, _)| Term::Exact(term.clone()))
            .collect(),
    };
    listed.chunks(2).take(3).map(concept).collect()
}

fn ranks(reader: &Reader<&Encoded>, listed: &[(Vec<u8>, u32)]) {
    let mut asked = concepts(listed);
    asked.push(Concept {
        weight: 1.0,
        terms: vec![Term::Prefix(b"s".to_vec()), Term::Exact(b"absent".to_vec())],
    });
    let params = Bm25::default();
    let ranked = rank(&[reader], &asked, &params, &Everything, &Everything, 10);
    assert!(ranked.hits.iter().all(|hit| hit.score > 0.0));
}

/// The scores are those of the formula, the best come first, none is left out.
fn scores(reader: &Reader<&Encoded>, listed: &[(Vec<u8>, u32)], found: &[Vec<Posting>]) {
    let lengths: Vec<u32> = reader.lengths().unwrap().iter().collect();
    let asked = concepts(listed);
    let params = Bm25::default();
    let ranked = rank(
        &[reader],
        &asked,
        &params,
        &Everything,
        &Everything,
        usize::MAX,
    );
    assert!(ranked.failures.is_empty());
    let average = reader.total_length() as f64 / f64::from(reader.documents());
    let mut scores = vec![0.0; lengths.len()];
    for lists in found.chunks(2).take(3) {
        let mut times = std::collections::BTreeMap::new();
        for posting in lists.iter().flatten() {
            let sum: &mut u64 = times.entry(posting.doc.0 as usize).or_default();
            *sum =
                (*sum + u64::from(posting.frequency)).min(u64::from(memfold_segment::MAX_QUANTITY));
        }
        let weight = 1.5 * Bm25::idf(u64::from(reader.documents()), times.len() as u64);
        for (document, times) in times {
            let norm = params.norm(lengths[document], average);
            scores[document] += params.score(weight, times as u32, norm);
        }
    }
    assert_eq!(
        ranked.hits.len(),
        scores.iter().filter(|score| **score > 0.0).count()
    );
    for hit in &ranked.hits {
        let expected: f64 = scores[hit.doc.0 as usize];
        assert!((hit.score - expected).abs() <= expected * 1e-12);
    }
    assert!(ranked.hits.is_sorted_by(|a, b| a.score >= b.score));
}

/// Merging is building from all documents, if both are sound; else it fails or gives something that can be read.
fn merges(one: &Reader<&Encoded>, other: &Reader<&Encoded>, sound: bool) {
    let merged = merge(&[one, other].map(|segment| Part {
        segment,
        live: None,
    }));
    if !sound {
        return;
    }
    let built = Builder::resume(one)
        .and_then(|builder| builder.append(other))
        .and_then(|builder| builder.encode(0..u32::MAX, &|_| {}));
    match (merged, built) {
        (Ok(merged), Ok(built)) => {
            assert_eq!(merged, built);
            Reader::open(&merged).unwrap().verify().unwrap();
        }
        (Err(_), Err(_)) => {}
        (merged, built) => panic!("merged: {}, built: {}", merged.is_ok(), built.is_ok()),
    }
}
