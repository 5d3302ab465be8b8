//! The fold is a function of the log's bytes: split anywhere, extended in any steps, on any number of threads, it gives
//! the same sidecar byte for byte. And it folds what real logs hold: torn ends, huge lines, huge turns, base64.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use memfold_segment::{DocId, Reader};
use memfold_sidecar::{Folded, Sidecar};
use memfold_tests::made::{Made, log, logs};
use memfold_tests::{Growing, House, Shape, Step, write};
use proptest::prelude::*;

/// A turn that is whole, in Claude Code's form.
fn turn(number: usize, words: &str) -> Vec<u8> {
    let steps = [
        Step::Person(words.into()),
        Step::Reply("Done.".into(), vec![]),
    ];
    let mut bytes = write(Shape::Claude, number, 0, &[], &steps).join(&b'\n');
    bytes.push(b'\n');
    bytes
}

fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let ends = (1..=bytes.len()).filter(|end| bytes[end - 1] == b'\n');
    ends.chain([bytes.len()]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn folded_in_two_parts_is_folded_whole(log in log(0..30), cut in any::<usize>()) {
        let growing = Growing::new(log.shape);
        growing.set(&log.bytes[..cut % (log.bytes.len() + 1)]);
        let part = growing.sidecar();
        growing.set(&log.bytes);
        prop_assert!(growing.extended(&part) == growing.sidecar());
    }

    #[test]
    fn folded_line_by_line_is_folded_whole(log in log(0..20)) {
        let growing = Growing::new(log.shape);
        let mut line_by_line = growing.sidecar();
        let mut turn_by_turn = line_by_line.clone();
        for end in line_ends(&log.bytes) {
            growing.set(&log.bytes[..end]);
            let whole = growing.sidecar();
            line_by_line = growing.extended(&line_by_line);
            prop_assert!(line_by_line == whole, "extended by the line that ends at byte {end}");
            // A turn is whole where the sidecar grows.
            if whole != turn_by_turn {
                turn_by_turn = growing.extended(&turn_by_turn);
                prop_assert!(turn_by_turn == whole, "extended by the turn that ends at byte {end}");
            }
        }
    }

    // Cards, too, never change by what comes later.
    #[test]
    fn what_is_sealed_stays(log in log(0..30), cut in any::<usize>()) {
        let growing = Growing::new(log.shape);
        growing.set(&log.bytes[..cut % (log.bytes.len() + 1)]);
        let part = growing.fold().sealed;
        growing.set(&log.bytes);
        let whole = growing.fold().sealed;
        prop_assert_eq!(&part.cards[..], &whole.cards[..part.cards.len()]);
        prop_assert_eq!(&part.documents[..], &whole.documents[..part.documents.len()]);
        prop_assert_eq!(&part.keys[..], &whole.keys[..part.keys.len()]);
        prop_assert_eq!(&part.links[..], &whole.links[..part.links.len()]);
    }

    #[test]
    fn a_tail_in_memory_is_what_a_fold_gives(log in log(0..30), cut in any::<usize>()) {
        let growing = Growing::new(log.shape);
        growing.set(&log.bytes[..cut % (log.bytes.len() + 1)]);
        let part = growing.fold();
        let sidecar = growing.encoded(&part);
        growing.set(&log.bytes);
        let tail = growing.tail(&sidecar);
        let Folded { sealed, tail: rest, .. } = growing.fold();
        let after = part.sealed.documents.len();
        let documents: Vec<_> = sealed.documents.into_iter().chain(rest.documents).collect();
        let cards: Vec<_> = sealed.cards.into_iter().chain(rest.cards).collect();
        let links: Vec<_> = sealed.links.into_iter().chain(rest.links).collect();
        prop_assert_eq!(&tail.documents[..], &documents[after..]);
        prop_assert_eq!(&tail.cards[..], &cards[part.sealed.cards.len()..]);
        prop_assert_eq!(&tail.links[..], &links[part.sealed.links.len()..]);
        prop_assert_eq!(tail.first_card as usize, part.sealed.cards.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_threads_folds_the_same(logs in logs(4..9, 0..20)) {
        prop_assert!(folded_by(1, &logs) == folded_by(4, &logs));
    }
}

/// The sidecars that a pool of so many threads makes.
fn folded_by(threads: usize, logs: &[Made]) -> Vec<(PathBuf, Vec<u8>)> {
    let house = House::new();
    for log in logs {
        house.write(&log.name, &log.bytes);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(|| house.fold());
    let name = |path: &Path| PathBuf::from(path.file_name().unwrap());
    let sidecars = house.files(".mem").into_iter();
    sidecars
        .map(|path| (name(&path), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn a_torn_end_is_not_yet_a_line() {
    let growing = Growing::new(Shape::Claude);
    let (first, second) = (turn(1, "denylist"), turn(2, "symlink"));
    growing.set(&first);
    let whole = growing.sidecar();
    for end in [
        &second[..second.len() / 3],
        b"{",
        b"\0",
        &[0; 5000],
        b"\xff",
        b"\r",
    ] {
        growing.set(&[&first[..], end].concat());
        assert!(
            growing.sidecar() == whole,
            "{:?}",
            &end[..end.len().min(20)]
        );
        assert_eq!(growing.fold().tail.documents, []);
    }
    // A whole line without its newline is found, and covered by nothing yet.
    let answered = second.trim_ascii_end();
    growing.set(&[&first[..], answered].concat());
    let folded = growing.fold();
    assert_eq!(folded.tail.documents.len(), 2);
    assert_eq!(folded.sealed.documents.len(), 2);
}

#[test]
fn what_a_crash_left_is_counted_and_left() {
    let growing = Growing::new(Shape::Claude);
    let (first, second) = (turn(1, "denylist"), turn(2, "symlink"));
    growing.set(&first);
    let before = growing.sidecar();
    let bytes = [
        &first[..],
        &[0; 4096],
        b"\n",
        &first[..40],
        b"\n\n",
        &second[..],
    ]
    .concat();
    growing.set(&bytes);
    let sealed = growing.fold().sealed;
    assert_eq!(sealed.documents.len(), 4);
    assert_eq!(sealed.documents[2].seq, 6);
    assert_eq!(
        (
            sealed.checkpoint.tally.lines,
            sealed.checkpoint.tally.broken
        ),
        (7, 2)
    );
    assert!(growing.extended(&before) == growing.sidecar());
}

#[test]
fn line_ends_and_marks_change_places_only() {
    let growing = Growing::new(Shape::Claude);
    let plain = [turn(1, "denylist"), turn(2, "symlink")].concat();
    let carriage: Vec<u8> = plain
        .split_inclusive(|byte| *byte == b'\n')
        .flat_map(|line| [line.trim_ascii_end(), b"\r\n"].concat())
        .collect();
    let mark = [b"\xEF\xBB\xBF", &plain[..]].concat();
    growing.set(&plain);
    let expected = growing.fold().sealed;
    for (bytes, shift) in [(carriage, [0, 1, 2, 3]), (mark, [0, 3, 3, 3])] {
        growing.set(&bytes);
        let sealed = growing.fold().sealed;
        assert_eq!(sealed.segment, expected.segment);
        assert_eq!(sealed.keys, expected.keys);
        let starts = |sealed: &[memfold_fold::document::Document]| {
            sealed.iter().map(|d| d.start).collect::<Vec<_>>()
        };
        let shifted: Vec<u64> = starts(&expected.documents)
            .iter()
            .zip(shift)
            .map(|(start, by)| start + by)
            .collect();
        assert_eq!(starts(&sealed.documents), shifted);
        assert_eq!(sealed.checkpoint.first_line, expected.checkpoint.first_line);
        let part = growing.sidecar();
        growing.set(&[&bytes[..], &turn(3, "more")].concat());
        assert!(growing.extended(&part) == growing.sidecar());
    }
}

#[test]
fn a_turn_of_forty_thousand_words() {
    let growing = Growing::new(Shape::Claude);
    let words: Vec<String> = (0..40_000).map(|n| format!("w{n}")).collect();
    growing.set(&turn(1, &words.join(" ")));
    let bytes = growing.sidecar();
    let sidecar = Sidecar::open(bytes).unwrap();
    let reader = Reader::open(sidecar.words().unwrap()).unwrap();
    // With the speaker and the date.
    assert_eq!(reader.lengths().unwrap().get(DocId(0)), 40_004);
    for word in ["sw0", "sw39999"] {
        assert_eq!(
            reader.postings(word.as_bytes(), &mut Vec::new()).unwrap(),
            1,
            "{word}"
        );
    }
}

/// Letters of an alphabet in an order that repeats late.
fn noise(alphabet: &[u8], length: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let letters = std::iter::from_fn(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(char::from(
            alphabet[(state >> 33) as usize % alphabet.len()],
        ))
    });
    letters.take(length).collect()
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[test]
fn a_megabyte_of_base64_indexes_to_almost_nothing() {
    let growing = Growing::new(Shape::Claude);
    growing.set(&turn(1, "a picture"));
    let without = growing.sidecar().len();
    for alphabet in [BASE64, BASE64_URL, b"0123456789abcdef"] {
        // On a line of its own, or the card's title would show its start.
        growing.set(&turn(
            1,
            &format!("a picture\n{}", noise(alphabet, 1 << 20)),
        ));
        let with = growing.sidecar().len();
        assert!(
            with < without + 64,
            "{without} bytes without it, {with} with it"
        );
    }
}

#[test]
fn a_line_of_fifty_megabytes() {
    let growing = Growing::new(Shape::Claude);
    let line = String::from_utf8(turn(1, "START")).unwrap();
    let (head, rest) = line.split_once("START").unwrap();
    let mut file = BufWriter::new(fs::File::create(growing.path()).unwrap());
    file.write_all(head.as_bytes()).unwrap();
    file.write_all(b"denylist ").unwrap();
    for _ in 0..50 * 1024 {
        file.write_all(&[b"symlink ".as_slice(); 128].concat())
            .unwrap();
    }
    file.write_all(b"lastword").unwrap();
    file.write_all(rest.as_bytes()).unwrap();
    file.write_all(&turn(2, "afterwards")).unwrap();
    file.into_inner().unwrap();
    let sealed = growing.fold().sealed;
    assert_eq!(sealed.documents.len(), 4);
    assert_eq!(sealed.checkpoint.tally.clipped, 1);
    assert!(sealed.documents[0].length > 50 << 20);
    assert_eq!(sealed.documents[2].seq, 3);
    let sidecar = Sidecar::open(growing.sidecar()).unwrap();
    let reader = Reader::open(sidecar.words().unwrap()).unwrap();
    let holding = |word: &[u8]| reader.postings(word, &mut Vec::new()).unwrap();
    assert_eq!(
        (
            holding(b"sdenylist"),
            holding(b"slastword"),
            holding(b"safterward")
        ),
        (1, 0, 1)
    );
}
