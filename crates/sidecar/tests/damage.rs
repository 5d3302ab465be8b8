//! No bit of a sidecar can change and be believed: neither by the full check nor by a read of the part that holds it.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

mod made;

use memfold_segment::Reader;
use memfold_sidecar::{Bytes, Sidecar, SidecarError, Tag, verify_bytes};
use proptest::prelude::*;

/// Enough lines that documents, links and cards have two groups each and a word has a long list.
const LINES: u64 = 150;

/// Reads a section in the way that a search or a fold does: never whole where a part will do.
fn read_part<B: Bytes>(sidecar: &Sidecar<B>, tag: Tag) -> Result<(), SidecarError> {
    match tag {
        Tag::BLKH => sidecar.binding().map(drop),
        Tag::CARD => (0..sidecar.header().cards).try_for_each(|n| sidecar.card(n).map(drop)),
        Tag::CKPT => sidecar.checkpoint().map(drop),
        Tag::DOCS => (0..sidecar.header().documents)
            .step_by(8)
            .try_for_each(|n| sidecar.document(n).map(drop)),
        Tag::KEYS => sidecar.keys().map(drop),
        Tag::LINK => sidecar.links_of_call(1).map(drop),
        Tag::PAST => sidecar.waypoints().map(drop),
        _ => {
            let words = Reader::open(sidecar.words()?)?;
            words.lengths()?;
            words.prefix(b"", usize::MAX, |_, _| {})?;
            Ok(())
        }
    }
}

fn read_all<B: Bytes>(sidecar: &Sidecar<B>) -> Result<(), SidecarError> {
    sidecar
        .sections()
        .map(|(tag, _)| tag)
        .collect::<Vec<_>>()
        .into_iter()
        .try_for_each(|tag| read_part(sidecar, tag))
}

#[test]
fn every_bit() {
    every_bit_of(made::sidecar(LINES));
}

#[test]
fn every_bit_of_one_whose_task_went_back() {
    every_bit_of(made::sidecar_with_past(40));
}

fn every_bit_of(sound: Vec<u8>) {
    verify_bytes(&sound).unwrap();
    let sections = made::sections(&sound);
    let mut bytes = sound.clone();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            assert!(verify_bytes(&bytes).is_err(), "bit {bit} of byte {at}");
            if let Ok(sidecar) = Sidecar::open(&bytes) {
                let (tag, _, range) = sections
                    .iter()
                    .rfind(|(_, _, range)| range.start <= at)
                    .unwrap();
                let tag = Tag(*tag);
                let error = if range.contains(&at) {
                    read_part(&sidecar, tag)
                } else {
                    sidecar.section(tag).map(drop)
                };
                match error {
                    Err(SidecarError::Damaged { section, .. }) => {
                        assert_eq!(section, tag, "bit {bit} of byte {at}")
                    }
                    other => panic!("bit {bit} of byte {at}: {other:?}"),
                }
            }
            bytes[at] ^= 1 << bit;
        }
    }
    assert_eq!(bytes, sound);
}

#[test]
fn every_length() {
    let sound = made::sidecar(LINES);
    for length in 0..sound.len() {
        let cut = &sound[..length];
        assert!(
            matches!(
                Sidecar::open(cut),
                Err(SidecarError::Damaged { .. } | SidecarError::NotASidecar)
            ),
            "{length}"
        );
        assert!(verify_bytes(cut).is_err());
    }
    let longer = [&sound[..], &[0; 8]].concat();
    assert!(matches!(
        Sidecar::open(&longer),
        Err(SidecarError::Damaged { .. })
    ));
}

#[test]
fn a_section_of_another_sidecar() {
    let one = made::sidecar(LINES);
    let mut sealed = made::sealed(LINES);
    sealed.checkpoint.first_line = [8; 32];
    sealed.keys.reverse();
    for document in &mut sealed.documents {
        document.time = document.time.map(|time| time + 1);
    }
    sealed.links.iter_mut().for_each(|link| link.call += 1);
    sealed.cards.iter_mut().for_each(|card| card.calls += 1);
    let form = memfold_log::Form::Lines;
    let other = memfold_sidecar::encode(&sealed, made::FOLD, &made::binding(LINES), form).unwrap();
    let mut exchanged = 0;
    for (tag, _, range) in made::sections(&other) {
        let bytes = made::spliced(&one, tag, &other[range]);
        if bytes == one {
            continue;
        }
        // Every checksum holds, and every record can be read.
        read_all(&Sidecar::open(&bytes).unwrap()).unwrap();
        match verify_bytes(&bytes) {
            Err(SidecarError::Damaged {
                section: Tag::HEAD,
                what,
            }) => assert!(what.contains("content root"), "{what}"),
            other => panic!("{}: {other:?}", tag.escape_ascii()),
        }
        exchanged += 1;
    }
    assert_eq!(
        exchanged, 5,
        "cards, checkpoint, documents, keys and links are others"
    );
}

/// Records that contradict one another, under a content root of their own.
#[test]
fn contradictions() {
    type Change = fn(&mut memfold_fold::checkpoint::Sealed);
    let changes: [(Tag, Change); 19] = [
        (Tag::DOCS, |sealed| {
            sealed.documents[3].card = sealed.cards.len() as u32
        }),
        (Tag::DOCS, |sealed| sealed.documents[3].start -= 1),
        (Tag::DOCS, |sealed| sealed.documents[3].length = u64::MAX),
        (Tag::DOCS, |sealed| {
            sealed.documents[3].seq = sealed.documents[2].seq
        }),
        (Tag::DOCS, |sealed| {
            sealed.documents.last_mut().unwrap().seq = sealed.covered.next.get()
        }),
        (Tag::DOCS, |sealed| sealed.documents[0].seq = 0),
        (Tag::LINK, |sealed| {
            sealed.links[1] = sealed.links[0].clone()
        }),
        (Tag::LINK, |sealed| {
            sealed.links[1].call_seq = sealed.links[1].result_seq
        }),
        (Tag::LINK, |sealed| sealed.links[1].call_start = u64::MAX),
        (Tag::CARD, |sealed| {
            sealed.cards[1].last_seq = sealed.cards[1].first_seq - 1
        }),
        (Tag::CARD, |sealed| {
            sealed.cards[1].start = sealed.covered.end.0
        }),
        (Tag::CKPT, |sealed| sealed.checkpoint.turn = 0),
        (Tag::CKPT, |sealed| sealed.checkpoint.cards += 1),
        (Tag::CKPT, |sealed| sealed.checkpoint.card_turn = None),
        (Tag::CKPT, |sealed| sealed.cards[0].commands.truncate(1)),
        (Tag::CKPT, |sealed| {
            sealed.checkpoint.open_calls = vec![sealed.checkpoint.open_calls[0].clone(); 1025]
        }),
        (Tag::CKPT, |sealed| {
            std::sync::Arc::make_mut(&mut sealed.checkpoint.open_calls[0]).seq = 0
        }),
        (Tag::LINK, |sealed| {
            sealed.links.last_mut().unwrap().result_seq = u64::MAX
        }),
        (Tag::TERM, |sealed| sealed.segment.total_length += 1),
    ];
    for (number, (tag, change)) in changes.into_iter().enumerate() {
        let mut sealed = made::sealed(LINES);
        change(&mut sealed);
        let bytes = memfold_sidecar::encode(
            &sealed,
            made::FOLD,
            &made::binding(LINES),
            memfold_log::Form::Lines,
        )
        .unwrap();
        match verify_bytes(&bytes) {
            Err(SidecarError::Damaged { section, .. }) => {
                assert_eq!(section, tag, "change {number}")
            }
            other => panic!("change {number}: {other:?}"),
        }
    }
}

#[test]
fn what_is_no_sidecar() {
    for bytes in [
        &b""[..],
        b"{\"type\":\"user\"}\n",
        b"\x89PNG\r\n\x1a\n",
        &[0; 5000],
    ] {
        assert!(matches!(
            Sidecar::open(bytes),
            Err(SidecarError::NotASidecar)
        ));
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(verify_bytes(&bytes).is_err());
        let headed = [b"\x89MEM\r\n\x1a\n\x01\0\0\0".as_slice(), &bytes].concat();
        prop_assert!(verify_bytes(&headed).is_err());
    }

    /// Whatever is put in a sidecar's place, under right checksums: an error or records, never a panic, and nothing that
    /// the bytes do not justify is allocated.
    #[test]
    fn any_bytes_under_right_checksums(at in 0usize..6000, bytes in proptest::collection::vec(any::<u8>(), 1..40)) {
        let mut file = made::sidecar(30);
        let sections = made::sections(&file);
        let at = at % (file.len() - bytes.len());
        file[at..at + bytes.len()].copy_from_slice(&bytes);
        // Leave the head's own places and lengths, so that what follows is reached.
        let sound = made::sidecar(30);
        file[8..28].copy_from_slice(&sound[8..28]);
        file[176..sections[0].2.start].copy_from_slice(&sound[176..sections[0].2.start]);
        fix_indexes(&mut file, &sections);
        made::seal(&mut file);
        if let Ok(sidecar) = Sidecar::open(&file) {
            let _ = read_all(&sidecar);
            let _ = sidecar.decode_sealed();
            let _ = verify_bytes(&file);
        }
    }
}

/// Puts right the checksums of indexes and groups.
fn fix_indexes(file: &mut [u8], sections: &[([u8; 4], usize, std::ops::Range<usize>)]) {
    for (tag, _, range) in sections {
        if ![*b"CARD", *b"CKPT", *b"DOCS", *b"LINK"].contains(tag) {
            continue;
        }
        let number = |file: &[u8], at: usize| {
            u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize
        };
        let groups = number(file, range.start + 12);
        let index = 16 + groups.saturating_mul(20);
        if index + 4 > range.len() {
            continue;
        }
        let mut at = range.start + index + 4;
        for row in (range.start + 16..range.start + index).step_by(20) {
            let stored = at..at.saturating_add(number(file, row + 8)).min(range.end);
            let crc = crc32fast::hash(&file[stored.clone()]);
            file[row + 16..row + 20].copy_from_slice(&crc.to_le_bytes());
            at = stored.end;
        }
        let crc = crc32fast::hash(&file[range.start..range.start + index]);
        file[range.start + index..range.start + index + 4].copy_from_slice(&crc.to_le_bytes());
    }
}
