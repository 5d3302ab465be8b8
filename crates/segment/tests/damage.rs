//! Bytes that no writer wrote: every flipped bit, every truncation, sections of one segment in another,
//! anything at all. Rejected, or without effect on the answer; never a panic.

// A test fails by a panic.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod forged;

use std::collections::BTreeMap;

use forged::forge;
use memfold_segment::{Builder, Encoded, Posting, Reader, Section};
use proptest::prelude::*;

/// Some 100 terms over 150 documents: several blocks, inline postings, short and long lists.
fn small(salt: u32) -> Encoded {
    let mut builder = Builder::new();
    for doc in 0..150u32 {
        builder.add(b"every", 1 + (doc + salt) % 3);
        if doc.is_multiple_of(10) {
            builder.add(format!("word{}", doc * 7 + salt).as_bytes(), 1 + doc % 4);
            builder.add(format!("a-longer-name-of-{}", doc).as_bytes(), 1);
            (0..6).for_each(|n| builder.add(format!("shared{n}").as_bytes(), n + 1));
        }
        builder.finish_document().unwrap();
    }
    builder.encode(0..150, &|_| {}).unwrap()
}

fn section(encoded: &mut Encoded, section: Section) -> &mut Vec<u8> {
    match section {
        Section::Terms => &mut encoded.terms,
        Section::Blocks => &mut encoded.blocks,
        Section::Postings => &mut encoded.postings,
        Section::Lengths => &mut encoded.lengths,
    }
}

type Truth = (BTreeMap<Vec<u8>, Vec<Posting>>, Vec<u32>);

fn truth(encoded: &Encoded) -> Truth {
    let reader = Reader::open(encoded).unwrap();
    let mut terms = BTreeMap::new();
    for item in reader.terms().unwrap() {
        let (term, _) = item.unwrap();
        let mut postings = Vec::new();
        reader.postings(&term, &mut postings).unwrap();
        terms.insert(term, postings);
    }
    (terms, reader.lengths().unwrap().iter().collect())
}

/// Whatever is answered is true. Returns whether everything was.
fn answers_truly(encoded: &Encoded, (terms, lengths): &Truth) -> bool {
    let Ok(reader) = Reader::open(encoded) else {
        return false;
    };
    let mut whole = true;
    for (term, wanted) in terms {
        let mut out = Vec::new();
        match reader.postings(term, &mut out) {
            Ok(_) => assert_eq!(&out, wanted, "{}", String::from_utf8_lossy(term)),
            Err(_) => {
                assert!(out.is_empty());
                whole = false;
            }
        }
    }
    assert!(!matches!(
        reader.postings(b"absent", &mut Vec::new()),
        Ok(1..)
    ));
    let mut found = BTreeMap::new();
    match reader.prefix(b"word", usize::MAX, |term, postings| {
        drop(found.insert(term.to_vec(), postings.to_vec()))
    }) {
        Ok(_) => assert!(
            found
                .iter()
                .eq(terms.iter().filter(|(term, _)| term.starts_with(b"word")))
        ),
        Err(_) => whole = false,
    }
    match reader.lengths() {
        Ok(read) => assert!(read.iter().eq(lengths.iter().copied())),
        Err(_) => whole = false,
    }
    whole
}

#[test]
fn every_bit_of_every_section() {
    let sound = small(0);
    let truth = truth(&sound);
    assert!(answers_truly(&sound, &truth));
    assert_eq!(
        Reader::open(&sound).unwrap().verify().unwrap().long_lists,
        1
    );
    let mut silent = 0;
    for name in Section::ALL {
        for at in 0..sound.section(name).len() {
            for bit in 0..8 {
                let mut flipped = sound.clone();
                section(&mut flipped, name)[at] ^= 1 << bit;
                silent += usize::from(answers_truly(&flipped, &truth));
                let rejected = Reader::open(&flipped)
                    .and_then(|reader| reader.verify())
                    .is_err();
                assert!(rejected, "{name} byte {at} bit {bit}");
                assert!(
                    Reader::open(&flipped)
                        .and_then(|reader| Builder::resume(&reader))
                        .is_err()
                );
            }
        }
    }
    assert_eq!(
        silent, 0,
        "asked for everything, some answer is refused whatever was flipped"
    );
}

#[test]
fn every_truncation_and_a_byte_more() {
    let sound = small(0);
    for name in Section::ALL {
        for len in 0..sound.section(name).len() {
            let mut cut = sound.clone();
            section(&mut cut, name).truncate(len);
            assert!(Reader::open(&cut).is_err(), "{name} cut to {len}");
        }
        let mut longer = sound.clone();
        section(&mut longer, name).push(0);
        assert!(Reader::open(&longer).is_err(), "{name}");
    }
}

#[test]
fn sections_of_another_segment_are_rejected() {
    let (sound, other) = (small(0), small(1));
    let truth = truth(&sound);
    for name in Section::ALL {
        let mut spliced = sound.clone();
        *section(&mut spliced, name) = other.section(name).to_vec();
        assert!(
            Reader::open(&spliced)
                .and_then(|reader| reader.verify())
                .is_err(),
            "{name}"
        );
        if name != Section::Terms {
            assert!(!answers_truly(&spliced, &truth), "{name}");
        }
    }
}

#[test]
fn a_flipped_bit_under_right_checksums_is_another_segment_or_none() {
    let sound = small(0);
    let mut passed = 0;
    for name in [Section::Terms, Section::Blocks, Section::Lengths] {
        for at in 0..sound.section(name).len() {
            for bit in 0..8 {
                let mut forged = sound.clone();
                section(&mut forged, name)[at] ^= 1 << bit;
                forge(&mut forged);
                // Nothing to compare with: but what passes the full check must be canonical.
                let Ok(reader) = Reader::open(&forged) else {
                    continue;
                };
                for term in [&b"every"[..], b"shared3", b"word70", b"zzz", b"a"] {
                    let _ = reader.postings(term, &mut Vec::new());
                }
                let _ = reader.prefix(b"s", 100, |_, _| ());
                if reader.verify().is_ok() {
                    let again = Builder::resume(&reader)
                        .unwrap()
                        .encode(0..u32::MAX, &|_| {})
                        .unwrap();
                    assert_eq!(again, forged, "{name} byte {at} bit {bit}");
                    passed += 1;
                }
            }
        }
    }
    assert!(passed > 0, "a changed letter makes a sound segment");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_behind_right_checksums(
        edits in proptest::collection::vec((0usize..4, any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..6)
    ) {
        let mut forged = small(0);
        for (which, at, byte, how) in edits {
            let bytes = section(&mut forged, Section::ALL[which]);
            if bytes.is_empty() { continue }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        let blocks = forged.blocks.len() as u64;
        let postings = forged.postings.len() as u64;
        if forged.terms.len()   >= 40 {
            forged.terms[16..24].copy_from_slice(&blocks.to_le_bytes());
            forged.terms[24..32].copy_from_slice(&postings.to_le_bytes());
        }
        forge(&mut forged);
        if let Ok(reader) = Reader::open(&forged) {
            for term in [&b"every"[..], b"shared3", b"word70", b"zzz", b"a"] {
                let _ = reader.postings(term, &mut Vec::new());
            }
            let _ = reader.lengths().map(|lengths| lengths.iter().count());
            if reader.verify().is_ok() {
                let again = Builder::resume(&reader).unwrap().encode(0..u32::MAX, &|_| {}).unwrap();
                prop_assert_eq!(again, forged);
            }
        }
    }

    #[test]
    fn any_bytes_at_all(terms in proptest::collection::vec(any::<u8>(), 0..120), rest in proptest::collection::vec(any::<u8>(), 0..60), counts in (0u32..100, 0u32..40)) {
        let mut forged = Encoded { terms, blocks: rest.clone(), postings: rest.clone(), lengths: rest, ..Encoded::default() };
        if forged.terms.len()   >= 40 {
            forged.terms[0..4].copy_from_slice(&counts.0.to_le_bytes());
            forged.terms[4..8].copy_from_slice(&counts.1.to_le_bytes());
            let len = (forged.blocks.len() as u64).to_le_bytes();
            forged.terms[16..24].copy_from_slice(&len);
            forged.terms[24..32].copy_from_slice(&len);
        }
        forge(&mut forged);
        if let Ok(reader) = Reader::open(&forged) {
            let _ = reader.postings(b"a", &mut Vec::new());
            let _ = reader.verify();
        }
    }
}
