//! Every verdict, reached through the engine. Whatever became of a sidecar or its log: a search answers as if there had
//! never been a sidecar, `fold` says the verdict in its own words and mends, `verify` is clean after it, the mended sidecar
//! is byte for byte what a first fold gives, and no log is touched.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use memfold_fold::Parameters;
use memfold_sidecar::{Bytes, Sidecar, Tag};
use memfold_tests::home::{Home, half_a_turn, line, padded_turns, row, turns};
use memfold_tests::shown::{LOG, MEM, expect, expect_left, forgery, mended, of_format, rewritten};
use memfold_tests::{Shape, Step, write};

/// Every section of a sidecar with its place in the file.
fn sections(bytes: &[u8]) -> Vec<(Tag, u64, u64)> {
    let sidecar = Sidecar::open(bytes).unwrap();
    let mut at = u64::from(u32::from_le_bytes(bytes[12..16].try_into().unwrap()));
    let placed = sidecar.sections().map(|(tag, length)| {
        let start = at;
        at += length.next_multiple_of(8);
        (tag, start, length)
    });
    let placed = placed.collect();
    assert_eq!(at, bytes.length());
    placed
}

#[test]
fn current() {
    let (home, done) = expect(&turns(0..6), |_| {}, "a.jsonl", "current", "up to date");
    assert_eq!(done, "nothing");
    assert_eq!(home.files("logs").len(), 2, "a sidecar lies beside its log");
}

#[test]
fn missing() {
    let remove = |home: &Home| fs::remove_file(home.at(MEM)).unwrap();
    let (_, done) = expect(&turns(0..6), remove, "a.jsonl", "missing", "no sidecar yet");
    assert_eq!(done, "folded");
}

#[test]
fn appended() {
    let more = turns(6..8);
    let cut = more.len() - 40;
    for (what, more) in [
        ("whole turns", more.clone()),
        ("a turn and a half", [more.clone(), half_a_turn(8)].concat()),
        ("half a turn", half_a_turn(6)),
        ("half a line", more[..60].to_vec()),
        ("turns and half a line", more[..cut].to_vec()),
    ] {
        let words = format!("the log grew by {} bytes", more.len());
        let grow = |home: &Home| home.append(LOG, &more);
        let (_, done) = expect(&turns(0..6), grow, "a.jsonl", "appended", &words);
        assert_eq!(done, "extended", "{what}");
    }
    // The rest of the line and of the turn comes.
    let (half, rest) = more.split_at(60);
    let home = Home::folded(&[turns(0..6), half.to_vec()].concat());
    home.append(LOG, rest);
    assert_eq!(row(&home.fold(), "a.jsonl").verdict, "appended");
    mended(&home, "appended");
}

#[test]
fn log_truncated() {
    let log = turns(0..6);
    let covered = Sidecar::open(Home::folded(&log).read(MEM))
        .unwrap()
        .header()
        .covered
        .end
        .0;
    let line_end = log[..log.len() / 2]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    let first = log.iter().position(|byte| *byte == b'\n').unwrap();
    for length in [log.len() - 300, line_end, first + 1] {
        let words = format!("the log was cut to {length} bytes; the sidecar covers {covered}");
        let cut = |home: &Home| drop(home.write(LOG, &log[..length]));
        let (_, done) = expect(&log, cut, "a.jsonl", "log-truncated", &words);
        assert_eq!(done, "folded", "{length}");
    }
    // Cut behind what is covered: the sidecar holds still.
    let with_tail = [log.clone(), half_a_turn(6)].concat();
    let length = log.len() + 50;
    let words = format!(
        "the log was cut to {length} bytes; the sidecar covers {}",
        log.len()
    );
    let cut = |home: &Home| drop(home.write(LOG, &with_tail[..length]));
    expect(&with_tail, cut, "a.jsonl", "log-truncated", &words);
    // No whole line is left, nor anything that tells whose log it is: only what is remembered does.
    for length in [first / 2, 0] {
        for search_first in [false, true] {
            let home = Home::folded(&log);
            home.write(LOG, &log[..length]);
            if search_first {
                assert_eq!(home.search("denylist").ranked.events, 0);
            }
            let report = home.fold();
            let said = row(&report, "a.jsonl");
            let expected = if search_first {
                "current"
            } else {
                "log-truncated"
            };
            assert_eq!(said.verdict, expected, "{length}: {said:?}");
            assert_eq!(home.verify().wrong, 0);
            assert_eq!(home.search("denylist").matched, 0);
            assert_eq!(home.read(LOG), log[..length]);
            home.write(LOG, &log);
            assert_eq!(row(&home.fold(), "a.jsonl").verdict, "appended");
            mended(&home, "appended");
        }
    }
}

/// Several MiB of turns.
fn large() -> Vec<u8> {
    let padding: String = (0..9000)
        .map(|n| format!("the gate {n} held, and line {} too\n", n % 97))
        .collect();
    padded_turns(0..12, &padding)
}

#[test]
fn log_truncated_by_blocks() {
    let log = large();
    let covered = Sidecar::open(Home::folded(&log).read(MEM))
        .unwrap()
        .header()
        .covered
        .end
        .0;
    let length = 1 << 20;
    let words = format!("the log was cut to {length} bytes; the sidecar covers {covered}");
    let cut = |home: &Home| drop(home.write(LOG, &log[..length]));
    expect(&log, cut, "a.jsonl", "log-truncated", &words);
}

#[test]
fn log_rewritten() {
    let log = large();
    assert!(log.len() > 3 << 20, "{}", log.len());
    let places: Vec<usize> = log
        .windows(6)
        .enumerate()
        .filter(|(_, window)| window == b"FAILED")
        .map(|(at, _)| at)
        .collect();
    let last = places.last().unwrap() >> 20;
    for block in [0, 1, last] {
        let at = *places.iter().find(|at| **at >> 20 == block).unwrap();
        let rewrite = |home: &Home| {
            let mut log = log.clone();
            log[at..at + 6].copy_from_slice(b"PASSED");
            home.write(LOG, &log);
        };
        let words = format!("the log was rewritten from MiB {block} on");
        let (home, _) = expect(&log, rewrite, "a.jsonl", "log-rewritten", &words);
        assert_eq!(home.search("passed").matched, 1, "block {block}");
    }
}

#[test]
fn log_replaced() {
    let words = "another log stands under this name";
    let longer = |home: &Home| drop(home.write(LOG, &turns(20..40)));
    expect(&turns(0..6), longer, "a.jsonl", "log-replaced", words);
    let shorter = |home: &Home| drop(home.write(LOG, &turns(20..22)));
    expect(&turns(0..6), shorter, "a.jsonl", "log-replaced", words);
}

#[test]
fn log_replaced_by_another_agents() {
    let steps = [
        Step::Person("the denylist of turn3".to_owned()),
        Step::Reply("The gate held.".to_owned(), Vec::new()),
    ];
    let mut codex = write(Shape::Codex, 1, 5, &[], &steps).join(&b'\n');
    codex.push(b'\n');
    let replace = |home: &Home| drop(home.write(LOG, &codex));
    let words = "another log stands under this name";
    let (home, _) = expect(&turns(0..6), replace, "a.jsonl", "log-replaced", words);
    assert_eq!(home.search("denylist").results[0].agent, "codex");
}

#[test]
fn moved() {
    let move_both = |home: &Home| {
        fs::create_dir(home.at("logs/elsewhere")).unwrap();
        fs::rename(home.at(LOG), home.at("logs/elsewhere/b.jsonl")).unwrap();
        fs::rename(home.at(MEM), home.at("logs/elsewhere/b.mem")).unwrap();
    };
    let words = "moved here together with its log";
    let log = [turns(0..6), half_a_turn(6)].concat();
    let (home, done) = expect(&log, move_both, "b.jsonl", "moved", words);
    assert_eq!(done, "nothing");
    assert_eq!(
        home.receipts().all().count(),
        1,
        "the old place is forgotten"
    );
}

#[test]
fn orphan() {
    let home = Home::folded(&turns(0..6));
    // One that was set aside goes with it.
    home.write("logs/a.mem.damaged", &home.read(MEM));
    fs::remove_file(home.at(LOG)).unwrap();
    assert_eq!(
        home.search("denylist").results.len(),
        0,
        "an orphan answered"
    );
    assert!(home.at(MEM).exists());
    let report = home.verify();
    let said = row(&report, "a.mem");
    assert_eq!(
        (said.verdict, said.found.as_str(), said.wrong),
        ("orphan", "its log is gone", false)
    );
    assert!(home.at(MEM).exists(), "verify changes nothing");
    let report = home.fold();
    let said = row(&report, "a.mem");
    assert_eq!((said.verdict, said.done.as_str()), ("orphan", "removed"));
    assert_eq!(home.files("logs").len(), 0);
    assert_eq!(home.receipts().all().count(), 0);
    // What only has its name is nobody's to remove.
    home.write("logs/notes.mem", b"not a sidecar");
    home.fold();
    assert_eq!(home.read("logs/notes.mem"), b"not a sidecar");
}

#[test]
fn unproven() {
    let forget = |home: &Home| fs::remove_file(home.dirs().cache.join("receipts")).unwrap();
    let words = "not known to be made on this machine";
    let (_, done) = expect(&turns(0..6), forget, "a.jsonl", "unproven", words);
    assert_eq!(done, "folded again, the same bytes");
}

#[test]
fn a_planted_sidecar_is_never_believed() {
    let log = turns(0..6);
    let forged = forgery(&log);
    memfold_sidecar::verify_bytes(&forged).unwrap();
    let words = "not known to be made on this machine";
    let plant = |home: &Home| drop(home.write(MEM, &forged));
    let (home, done) = expect(&log, plant, "a.jsonl", "unproven", words);
    assert_eq!(done, "folded");
    assert_eq!(home.search("allowlis").matched, 0);

    // In a home that never saw the log.
    let home = Home::new();
    home.write(LOG, &log);
    home.write(MEM, &forged);
    let report = home.verify();
    let said = row(&report, "a.jsonl");
    assert!(said.wrong, "{said:?}");
    assert_eq!(
        said.found,
        "damaged in HEAD: folding the log again gives another content"
    );
    assert_eq!(home.search("allowlis").matched, 0);
    assert_eq!(home.search("denylist").matched, 18);
    mended(&home, "unproven");

    // Beside a log that has grown since.
    let home = Home::new();
    home.write(LOG, &[log, turns(6..7)].concat());
    home.write(MEM, &forged);
    assert_eq!(home.search("allowlis").matched, 0);
    mended(&home, "unproven");
}

/// The version of this program's fold of the logs that these tests make.
fn ours() -> u32 {
    Parameters::of(memfold_agents::by_name("claude-code").unwrap()).version
}

#[test]
fn fold_changed() {
    let ours = ours();
    for (version, words) in [
        (ours, "made with other rules of the same version".to_owned()),
        (0, format!("made by fold 0, this is fold {ours}")),
    ] {
        let change = |home: &Home| {
            rewritten(home, |_, fold| {
                *fold = Parameters {
                    version,
                    hash: [7; 32],
                }
            })
        };
        let (_, done) = expect(&turns(0..6), change, "a.jsonl", "fold-changed", &words);
        assert_eq!(done, "folded");
    }
}

#[test]
fn newer_fold() {
    let change = |home: &Home| rewritten(home, |_, fold| fold.version += 1);
    expect_left(
        &turns(0..6),
        change,
        "newer-fold",
        &format!("made by the newer fold {}; left as it is", ours() + 1),
    );
}

#[test]
fn newer_format() {
    let words = "written in a newer format (format 2); left as it is";
    expect_left(
        &turns(0..6),
        |home| of_format(home, 2),
        "newer-format",
        words,
    );
}

#[test]
fn older_format() {
    let (home, done) = expect(
        &turns(0..6),
        |home| of_format(home, 0),
        "a.jsonl",
        "older-format",
        "written in the older format 0",
    );
    assert_eq!(done, "folded");
    assert!(
        !home.at("logs/a.mem.damaged").exists(),
        "an upgrade is no damage"
    );
}

#[test]
fn damaged() {
    let log = [turns(0..50), half_a_turn(50)].concat();
    let whole = Home::folded(&log).read(MEM);
    let mut places = sections(&whole);
    assert_eq!(places.len(), 10);
    places.push((Tag::HEAD, 0, 300));
    for (tag, start, length) in places {
        assert_ne!(length, 0, "{tag} is empty");
        let at = usize::try_from(start + length / 2).unwrap();
        let change = |home: &Home| {
            let mut bytes = home.read(MEM);
            bytes[at] ^= 0x10;
            home.write(MEM, &bytes);
        };
        let words = format!("damaged in {tag}: its checksum");
        let (home, done) = expect(&log, change, "a.jsonl", "damaged", &words);
        assert_eq!(done, "set aside, folded again");
        let mut aside = home.read("logs/a.mem.damaged");
        aside[at] ^= 0x10;
        assert!(aside == whole, "what is set aside is what was found");
        assert_eq!(home.files("logs").len(), 3, "it is set aside once");
        home.engine().forget_sessions().unwrap();
    }
}

#[test]
fn damaged_beyond_recognition() {
    for bytes in [
        &b""[..],
        b"\x89MEM\r\n\x1a\n",
        b"{\"not\": \"a sidecar\"}",
        &[0; 5000],
    ] {
        let home = Home::folded(&turns(0..3));
        home.write(MEM, bytes);
        assert_eq!(row(&home.fold(), "a.jsonl").verdict, "damaged");
        assert_eq!(home.read("logs/a.mem.damaged"), bytes);
        mended(&home, "damaged");
    }
}

#[test]
fn a_log_with_no_whole_turn_yet() {
    let home = Home::folded(&line(
        0,
        "user",
        serde_json::json!({ "message": { "role": "user", "content": "is the denylist whole" } }),
    ));
    assert_eq!(home.search("denylist").matched, 1);
    mended(&home, "current");
    home.append(LOG, &turns(1..3));
    assert_eq!(row(&home.fold(), "a.jsonl").verdict, "appended");
    mended(&home, "appended");
}
