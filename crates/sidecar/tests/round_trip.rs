//! What is written is what is read, by whichever way it is asked for.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

mod made;

use std::borrow::Cow;
use std::cell::Cell;
use std::io;

use memfold_fold::past::{Way, Waypoint};
use memfold_log::Form;
use memfold_segment::{Builder, Reader};
use memfold_sidecar::binding::Proof;
use memfold_sidecar::{Bytes, FORMAT, Sidecar, SidecarError, Tag, encode, verify_bytes};
use proptest::prelude::*;

/// Bytes whose reads are counted.
struct Counted {
    bytes: Vec<u8>,
    reads: Cell<usize>,
}

impl Bytes for Counted {
    fn length(&self) -> u64 {
        self.bytes.length()
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        self.reads.set(self.reads.get() + 1);
        self.bytes
            .read_at(at, length)
            .map(|bytes| Cow::Owned(bytes.into_owned()))
    }
}

#[test]
fn everything_comes_back() {
    for lines in [0, 1, 2, 9, 150, 700] {
        let bytes = made::sidecar(lines);
        verify_bytes(&bytes).unwrap();
        let sidecar = Sidecar::open(bytes).unwrap();
        let (sealed, read) = (made::sealed(lines), sidecar.decode_sealed().unwrap());
        assert_eq!(read.covered, sealed.covered);
        assert_eq!(read.checkpoint, sealed.checkpoint);
        assert_eq!(read.documents, sealed.documents);
        assert_eq!(read.keys, sealed.keys);
        assert_eq!(read.links, sealed.links);
        assert_eq!(read.cards, sealed.cards);
        assert_eq!(read.segment, sealed.segment);
        let binding = sidecar.binding().unwrap();
        assert_eq!(binding, made::binding(lines));
        assert_eq!(
            binding.full(&made::log(lines + 1)[..]).unwrap(),
            Proof::Same
        );
        let again = encode(
            &read,
            sidecar.header().fold,
            &binding,
            sidecar.header().form,
        )
        .unwrap();
        assert_eq!(again, made::sidecar(lines));
    }
}

#[test]
fn the_past_comes_back_and_is_left_out_where_there_is_none() {
    for lines in [1, 90, 700] {
        let bytes = made::sidecar_with_past(lines);
        verify_bytes(&bytes).unwrap();
        let sidecar = Sidecar::open(bytes).unwrap();
        let sealed = made::sealed_with_past(lines);
        assert_eq!(sidecar.waypoints().unwrap(), sealed.waypoints);
        assert_eq!(sidecar.decode_sealed().unwrap().waypoints, sealed.waypoints);
    }
    let without = Sidecar::open(made::sidecar(90)).unwrap();
    assert_eq!(without.waypoints().unwrap(), []);
    assert!(without.sections().all(|(tag, _)| tag != Tag::PAST));
}

#[test]
fn a_past_that_cannot_be_is_refused() {
    let refused = |change: &dyn Fn(&mut Vec<Waypoint>)| {
        let mut sealed = made::sealed_with_past(20);
        change(&mut sealed.waypoints);
        let bytes = encode(&sealed, made::FOLD, &made::binding(20), Form::Lines);
        bytes.is_err() || verify_bytes(&bytes.unwrap()).is_err()
    };
    assert!(!refused(&|_| ()));
    assert!(refused(&|past| past[4].way = Way::Back(5)));
    assert!(refused(&|past| past[4].way = Way::Instead(900)));
    assert!(refused(&|past| past[4].document = Some(18)));
    assert!(refused(&|past| past[19].seq = 21));
    assert!(refused(&|past| past.swap(3, 9)));
}

#[test]
fn one_record_is_one_read() {
    let counted = Counted {
        bytes: made::sidecar(700),
        reads: Cell::new(0),
    };
    let sidecar = Sidecar::open(counted).unwrap();
    let reads = |sidecar: &Sidecar<Counted>| sidecar.bytes().reads.replace(0);
    assert_eq!(reads(&sidecar), 1, "the head");
    sidecar.document(5).unwrap();
    assert_eq!(reads(&sidecar), 2, "an index and a group");
    sidecar.document(600).unwrap();
    assert_eq!(reads(&sidecar), 1, "a group");
    sidecar.card(50).unwrap();
    assert_eq!(reads(&sidecar), 2);
    sidecar.checkpoint().unwrap();
    assert_eq!(reads(&sidecar), 2);
    let words = Reader::open(sidecar.words().unwrap()).unwrap();
    assert_eq!(words.postings(b"fold", &mut Vec::new()).unwrap(), 630);
    assert_eq!(reads(&sidecar), 3, "the table, a block and a long list");
}

#[test]
fn words_are_gone_on_with() {
    let sidecar = Sidecar::open(made::sidecar(150)).unwrap();
    let builder = Builder::resume(&Reader::open(sidecar.words().unwrap()).unwrap()).unwrap();
    let encoded = builder.encode(0..builder.documents(), &|_| {}).unwrap();
    assert_eq!(encoded, made::sealed(150).segment);
}

#[test]
fn contradictions_are_not_written() {
    let refused = |change: &dyn Fn(&mut memfold_fold::checkpoint::Sealed)| {
        let mut sealed = made::sealed(20);
        change(&mut sealed);
        matches!(
            encode(&sealed, made::FOLD, &made::binding(20), Form::Lines),
            Err(SidecarError::Unwritable(_))
        )
    };
    assert!(!refused(&|_| {}));
    assert!(refused(&|sealed| sealed.covered.end.0 += 1));
    assert!(refused(&|sealed| _ = sealed.keys.pop()));
    assert!(refused(
        &|sealed| sealed.segment = memfold_segment::Encoded::default()
    ));
    assert!(refused(&|sealed| sealed.documents.reverse()));
    assert!(refused(&|sealed| sealed.links.reverse()));
}

#[test]
fn the_content_root_is_over_header_and_sections() {
    let root = |bytes: Vec<u8>| Sidecar::open(bytes).unwrap().header().content_root;
    let sealed = made::sealed(20);
    let of = |fold, form| root(encode(&sealed, fold, &made::binding(20), form).unwrap());
    let first = of(made::FOLD, Form::Lines);
    assert_eq!(first, root(made::sidecar(20)));
    assert_ne!(first, of(made::FOLD, Form::CompressedLines));
    assert_ne!(
        first,
        of(
            memfold_fold::Parameters {
                version: 2,
                ..made::FOLD
            },
            Form::Lines
        )
    );
    assert_ne!(first, root(made::sidecar(21)));
}

#[test]
fn a_format_is_told_from_damage() {
    let mut bytes = made::sidecar(9);
    for version in [0, FORMAT + 1, u32::MAX] {
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        assert!(
            matches!(Sidecar::open(&bytes), Err(SidecarError::Damaged { .. })),
            "its checksum is not right"
        );
        made::seal(&mut bytes);
        match Sidecar::open(&bytes) {
            Err(SidecarError::OlderFormat { version: 0 }) => assert_eq!(version, 0),
            Err(SidecarError::NewerFormat { what }) => {
                assert_eq!(what, format!("format {version}"))
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A sidecar with one more section, after all others.
fn with_section(tag: [u8; 4], flags: u32) -> Vec<u8> {
    let old = made::sidecar(9);
    let (at, extra) = (176 + 32 * made::sections(&old).len(), *b"sections");
    let mut bytes = [&old[..at], &[0; 32], &old[at..], &extra].concat();
    let length = bytes.len() as u64;
    bytes[12..16].copy_from_slice(&(at as u32 + 32 + 8).to_le_bytes());
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    for row in (176..at).step_by(32) {
        let offset = u64::from_le_bytes(bytes[row + 8..row + 16].try_into().unwrap()) + 32;
        bytes[row + 8..row + 16].copy_from_slice(&offset.to_le_bytes());
    }
    bytes[at..at + 4].copy_from_slice(&tag);
    bytes[at + 4..at + 8].copy_from_slice(&flags.to_le_bytes());
    bytes[at + 8..at + 16].copy_from_slice(&(length - 8).to_le_bytes());
    bytes[at + 16..at + 24].copy_from_slice(&8u64.to_le_bytes());
    bytes[24] += 1;
    made::seal(&mut bytes);
    bytes
}

#[test]
fn an_optional_section_is_passed_over_and_a_required_one_is_not() {
    let sidecar = Sidecar::open(with_section(*b"ZZZZ", 0)).unwrap();
    assert_eq!(
        sidecar.decode_sealed().unwrap().documents,
        made::sealed(9).documents
    );
    assert!(matches!(
        Sidecar::open(with_section(*b"ZZZZ", 1)),
        Err(SidecarError::NewerFormat { .. })
    ));
    assert!(matches!(
        Sidecar::open(with_section(*b"ZZZZ", 2)),
        Err(SidecarError::NewerFormat { .. })
    ));
    assert!(
        matches!(
            Sidecar::open(with_section(*b"AAAA", 0)),
            Err(SidecarError::Damaged { .. })
        ),
        "out of order"
    );
    assert!(
        matches!(
            Sidecar::open(with_section(*b"TERM", 1)),
            Err(SidecarError::Damaged { .. })
        ),
        "twice"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn each_way_of_asking_gives_the_same(lines in 1u64..600, a in 0u32..600, b in 0u32..600, seq in 1u64..600) {
        let sealed = made::sealed(lines);
        let sidecar = Sidecar::open(made::sidecar(lines)).unwrap();
        let documents = &sealed.documents;
        let of = |range: std::ops::Range<u32>| {
            let end = (range.end as usize).min(documents.len());
            documents.get(range.start as usize..end).unwrap_or_default().to_vec()
        };
        prop_assert_eq!(sidecar.documents(a..b).unwrap(), of(a..b));
        prop_assert_eq!(sidecar.document(a).ok(), documents.get(a as usize).cloned());
        let found = documents.iter().position(|document| document.seq == seq);
        let expected = found.map(|n| (n as u32, documents[n].clone()));
        prop_assert_eq!(sidecar.document_of(seq).unwrap(), expected);
        let links = |keep: &dyn Fn(&memfold_fold::document::Link) -> bool| -> Vec<_> {
            sealed.links.iter().filter(|link| keep(link)).cloned().collect()
        };
        prop_assert_eq!(sidecar.links_of_result(seq).unwrap(), links(&|link| link.result_seq == seq));
        prop_assert_eq!(sidecar.links_of_call(seq).unwrap(), links(&|link| link.call_seq == seq));
        prop_assert_eq!(sidecar.card(a).ok(), sealed.cards.get(a as usize).cloned());
        let turn = seq as u32 / 7;
        let cards: Vec<_> = sealed.cards.iter().filter(|card| card.turn == turn).cloned().collect();
        let (first, read) = sidecar.cards_of(turn).unwrap();
        prop_assert_eq!(&read, &cards);
        if let Some(card) = cards.first() {
            prop_assert_eq!(sealed.cards.get(first as usize), Some(card));
        }
    }
}
