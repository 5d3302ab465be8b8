//! A builder's output against a plain map, and the promise that the bytes depend on the documents alone.

// A test fails by a panic.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use memfold_segment::{Builder, DocId, Encoded, Error, MAX_QUANTITY, Posting, Reader};
use proptest::prelude::*;

type Document = Vec<(Vec<u8>, u32)>;
type Rename<'a> = &'a dyn Fn(&mut Vec<u8>);
/// Terms, the documents that hold each, and how often.
type Frequencies = BTreeMap<Vec<u8>, BTreeMap<u32, u64>>;

fn same(_: &mut Vec<u8>) {}

/// Cuts off a final `s`. Not idempotent, as no stemmer is: `ss` becomes `s`.
fn stem(term: &mut Vec<u8>) {
    match term.as_mut_slice() {
        [_, .., b's'] => drop(term.pop()),
        [first @ b'u', ..] => *first = b'v',
        _ => {}
    }
}

fn renamed(term: &[u8], rename: Rename<'_>) -> Vec<u8> {
    let mut term = term.to_vec();
    rename(&mut term);
    term
}

fn fill(builder: &mut Builder, documents: &[Document]) {
    for document in documents {
        for (term, count) in document {
            builder.add(term, *count);
        }
        builder.finish_document().unwrap();
    }
}

fn encode(documents: &[Document], rename: Rename<'_>) -> Encoded {
    let mut builder = Builder::new();
    fill(&mut builder, documents);
    builder.encode(0..builder.documents(), rename).unwrap()
}

/// What a segment of these documents must say.
fn plain(documents: &[Document], rename: Rename<'_>) -> (Frequencies, Vec<u32>) {
    let mut terms = Frequencies::new();
    let mut lengths = Vec::new();
    for (doc, document) in documents.iter().enumerate() {
        let mut length = 0u64;
        for (term, count) in document.iter().filter(|(_, count)| *count > 0) {
            *terms
                .entry(renamed(term, rename))
                .or_default()
                .entry(doc as u32)
                .or_default() += u64::from(*count);
            length += u64::from(*count);
        }
        lengths.push(length.min(u64::from(MAX_QUANTITY)) as u32);
    }
    (terms, lengths)
}

fn check(encoded: &Encoded, documents: &[Document], rename: Rename<'_>) {
    let (terms, lengths) = plain(documents, rename);
    let reader = Reader::open(encoded).unwrap();
    let stats = reader.verify().unwrap();
    assert_eq!(stats.terms as usize, terms.len());
    assert_eq!(
        stats.postings as usize,
        terms.values().map(BTreeMap::len).sum::<usize>()
    );
    assert_eq!(
        reader.lengths().unwrap().iter().collect::<Vec<_>>(),
        lengths
    );
    assert_eq!(
        reader.total_length(),
        lengths.iter().map(|&l| u64::from(l)).sum::<u64>()
    );
    let walked: Vec<(Vec<u8>, u32)> = reader.terms().unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(
        walked,
        terms
            .iter()
            .map(|(term, docs)| (term.clone(), docs.len() as u32))
            .collect::<Vec<_>>()
    );
    for (term, docs) in &terms {
        let mut out = Vec::new();
        assert_eq!(
            reader.postings(term, &mut out).unwrap() as usize,
            docs.len()
        );
        let wanted: Vec<Posting> = docs
            .iter()
            .map(|(doc, count)| Posting {
                doc: DocId(*doc),
                frequency: (*count).min(u64::from(MAX_QUANTITY)) as u32,
            })
            .collect();
        assert_eq!(out, wanted);
        for other in [
            &term[..term.len() - 1],
            &[&term[..], b"a"].concat(),
            &[&term[..], &[0]].concat(),
        ] {
            assert_eq!(
                reader.postings(other, &mut Vec::new()).unwrap() > 0,
                terms.contains_key(other)
            );
        }
        let mut found = Vec::new();
        let prefix = &term[..term.len().div_ceil(2)];
        let more = reader
            .prefix(prefix, 3, |term, postings| {
                found.push((term.to_vec(), postings.len()))
            })
            .unwrap();
        let wanted: Vec<_> = terms
            .iter()
            .filter(|(t, _)| t.starts_with(prefix))
            .map(|(t, d)| (t.clone(), d.len()))
            .collect();
        assert_eq!(found, wanted[..wanted.len().min(3)]);
        assert_eq!(more, wanted.len() > 3);
    }
}

fn term() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => "[a-cs-u]{1,4}".prop_map(String::into_bytes),
        2 => "[ab]{14,20}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 1..40),
        1 => (250usize..=255).prop_map(|len| vec![b'x'; len]),
    ]
}

fn count() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 1u32..3, 2 => 0u32..400, 1 => Just(MAX_QUANTITY), 1 => any::<u32>().prop_map(|n| n >> 1)]
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    proptest::collection::vec(proptest::collection::vec((term(), count()), 0..30), 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_segment_says_what_the_documents_say(documents in documents()) {
        check(&encode(&documents, &same), &documents, &same);
        check(&encode(&documents, &stem), &documents, &stem);
    }

    #[test]
    fn the_order_of_words_is_not_seen(documents in documents(), seed in any::<u64>()) {
        let mut builder = Builder::new();
        for document in &documents {
            let mut words: Vec<_> = document.iter().flat_map(|(term, n)| [(term, n / 2), (term, n - n / 2)]).collect();
            let by = seed as usize % words.len().max(1);
            words.rotate_left(by);
            if seed % 2 == 0 { words.reverse() }
            words.iter().for_each(|(term, count)| builder.add(term, *count));
            builder.finish_document().unwrap();
        }
        prop_assert_eq!(builder.encode(0..u32::MAX, &stem).unwrap(), encode(&documents, &stem));
    }

    #[test]
    fn resumed_and_extended_is_built_whole(documents in documents(), cut in any::<prop::sample::Index>()) {
        let (before, after) = documents.split_at(cut.index(documents.len() + 1));
        let first = encode(before, &same);
        let mut builder = Builder::resume(&Reader::open(&first).unwrap()).unwrap();
        prop_assert_eq!(&builder.encode(0..u32::MAX, &same).unwrap(), &first);
        fill(&mut builder, after);
        prop_assert_eq!(builder.encode(0..u32::MAX, &same).unwrap(), encode(&documents, &same));
    }

    #[test]
    fn stems_are_extended_by_appending(documents in documents(), cut in any::<prop::sample::Index>()) {
        let (before, after) = documents.split_at(cut.index(documents.len() + 1));
        let (first, second) = (encode(before, &stem), encode(after, &stem));
        let builder = Builder::resume(&Reader::open(&first).unwrap()).unwrap();
        let builder = builder.append(&Reader::open(&second).unwrap()).unwrap();
        prop_assert_eq!(builder.encode(0..u32::MAX, &same).unwrap(), encode(&documents, &stem));
    }

    #[test]
    fn a_range_is_those_documents(documents in documents(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let (a, b) = (a.index(documents.len() + 1), b.index(documents.len() + 1));
        let mut builder = Builder::new();
        fill(&mut builder, &documents);
        builder.add(b"open", 1);
        let part = builder.encode(a as u32..b as u32, &stem).unwrap();
        prop_assert_eq!(part, encode(documents.get(a..b).unwrap_or_default(), &stem));
    }

    #[test]
    fn a_cleared_builder_is_a_new_one(first in documents(), second in documents()) {
        let mut builder = Builder::new();
        fill(&mut builder, &first);
        builder.add(b"", 1);
        builder.clear();
        fill(&mut builder, &second);
        prop_assert_eq!(builder.encode(0..u32::MAX, &same).unwrap(), encode(&second, &same));
    }
}

/// Many documents and few words: long lists, on both sides of every border.
#[test]
fn long_lists() {
    for documents in [126, 127, 128, 129, 255, 256, 257, 1000] {
        let documents: Vec<Document> = (0..documents)
            .map(|n: u32| {
                let mut words = vec![(b"every".to_vec(), 1), (b"often".to_vec(), n + 1)];
                (2..20)
                    .filter(|k| n.is_multiple_of(*k))
                    .for_each(|k| words.push((format!("of{k}").into_bytes(), k)));
                if n == 77 {
                    words.push((b"often".to_vec(), MAX_QUANTITY - 1000));
                }
                words
            })
            .collect();
        let whole = encode(&documents, &same);
        check(&whole, &documents, &same);
        let mut builder =
            Builder::resume(&Reader::open(&encode(&documents[..100], &same)).unwrap()).unwrap();
        fill(&mut builder, &documents[100..]);
        assert_eq!(builder.encode(0..u32::MAX, &same).unwrap(), whole);
    }
}

#[test]
fn nothing_is_a_segment() {
    check(&encode(&[], &same), &[], &same);
    check(&encode(&[vec![], vec![]], &same), &[vec![], vec![]], &same);
}

#[test]
fn a_term_without_or_with_too_many_bytes_is_told() {
    for term in [&[][..], &[b'a'; 256]] {
        let mut builder = Builder::new();
        builder.add(term, 1);
        builder.add(b"fine", 1);
        assert!(
            matches!(builder.finish_document(), Err(Error::TermLength(len)) if len == term.len())
        );
        assert!(
            matches!(builder.finish_document(), Err(Error::TermLength(_))),
            "it stays"
        );
        assert!(builder.encode(0..1, &same).is_err());
    }
    let mut builder = Builder::new();
    builder.add(b"fine", 1);
    builder.finish_document().unwrap();
    assert!(matches!(
        builder.encode(0..1, &|term| term.clear()),
        Err(Error::TermLength(0))
    ));
    assert!(matches!(
        builder.encode(0..1, &|term| *term = vec![0; 300]),
        Err(Error::TermLength(300))
    ));
}
