//! Every verdict, reached through the engine. Whatever became of a sidecar or its log: a search answers as if there had
//! never been a sidecar, `fold` says the verdict in its own words and mends, `verify` is clean after it, the mended sidecar
//! is byte for byte what a first fold gives, and no log is touched.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use memfold::{Logs, Quiet};
use memfold_fold::Parameters;
use memfold_sidecar::{Bytes, Sidecar, Tag, encode};
use memfold_tests::home::{Home, QUERIES, half_a_turn, line, padded_turns, row, search, turns};
use memfold_tests::{Shape, Step, write};

const LOG: &str = "logs/a.jsonl";
const MEM: &str = "logs/a.mem";

/// Changes a folded home, and looks at it twice: once a search comes first, once a fold, which must say `word` and `words`
/// of the file that ends in `ending`. Gives what the fold did.
fn expect(
    bytes: &[u8],
    change: impl Fn(&Home),
    ending: &str,
    word: &str,
    words: &str,
) -> (Home, String) {
    let home = Home::folded(bytes);
    change(&home);
    let logs = logs_of(&home);
    let truth = home.without_sidecars();
    assert_eq!(
        home.answers(QUERIES),
        truth.answers(QUERIES),
        "{word}: a search comes first"
    );
    mended(&home, word);
    assert!(logs == logs_of(&home), "{word}: a log was changed");

    let home = Home::folded(bytes);
    change(&home);
    let report = home.fold();
    let said = row(&report, ending);
    assert_eq!(
        (said.verdict, said.found.as_str()),
        (word, words),
        "{report:#?}"
    );
    let done = said.done.clone();
    mended(&home, word);
    assert!(logs == logs_of(&home), "{word}: a log was changed");
    (home, done)
}

/// Whether all is as in a home where nothing ever happened. A file that is left alone is said at every fold.
fn mended(home: &Home, word: &str) {
    home.fold();
    let report = home.verify();
    assert_eq!(report.wrong, 0, "{word}: {report:#?}");
    let left = ["newer-fold", "newer-format", "other-form", "unreadable"].contains(&word);
    for row in &report.logs {
        assert_eq!(row.verdict, "current", "{word}: verified after a fold");
    }
    for row in &home.fold().logs {
        let expected = if left { word } else { "current" };
        assert_eq!(
            (row.verdict, row.done.as_str()),
            (expected, "nothing"),
            "folded again"
        );
    }
    let truth = home.without_sidecars();
    truth.fold();
    for log in logs_of(home).iter().map(|(path, _)| path.to_str().unwrap()) {
        assert!(
            home.read(home.sidecar(log)) == truth.read(truth.sidecar(log)),
            "{word}: {log} has another sidecar than a first fold gives"
        );
    }
    assert_eq!(
        home.answers(QUERIES),
        truth.answers(QUERIES),
        "{word}: mended"
    );
}

/// The logs below a home's folder of logs, with their bytes.
fn logs_of(home: &Home) -> Vec<(PathBuf, Vec<u8>)> {
    home.files("logs")
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(".jsonl"))
        .map(|path| {
            (
                path.strip_prefix(home.root()).unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect()
}

/// As [`expect`], and the file in the sidecar's place is never written to.
fn expect_left(bytes: &[u8], change: impl Fn(&Home), word: &str, words: &str) {
    let there = |home: &Home| fs::read(home.at(MEM)).ok();
    let before = Home::folded(bytes);
    change(&before);
    let (home, _) = expect(bytes, change, "a.jsonl", word, words);
    assert!(
        there(&before) == there(&home),
        "{word}: it was not left as it is"
    );
    assert!(!home.at("logs/a.mem.damaged").exists());
}

/// The sidecar of a folded home, taken apart and written again.
fn rewritten(
    home: &Home,
    change: impl FnOnce(&mut memfold_fold::checkpoint::Sealed, &mut Parameters),
) {
    let sidecar = Sidecar::open(home.read(MEM)).unwrap();
    let (mut sealed, mut fold) = (sidecar.decode_sealed().unwrap(), sidecar.header().fold);
    change(&mut sealed, &mut fold);
    let form = sidecar.header().form;
    home.write(
        MEM,
        &encode(&sealed, fold, &sidecar.binding().unwrap(), form).unwrap(),
    );
}

/// Gives a sidecar another format version, its checksum right.
fn of_format(home: &Home, version: u32) {
    let mut bytes = home.read(MEM);
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    let head = usize::try_from(u32::from_le_bytes(bytes[12..16].try_into().unwrap())).unwrap();
    let crc = crc32fast::hash(&bytes[..head - 4]);
    bytes[head - 4..head].copy_from_slice(&crc.to_le_bytes());
    home.write(MEM, &bytes);
}

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
    assert!(!home.at(MEM).exists());
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

/// A sidecar that holds together and is bound to this very log, and of which another fold made every word.
fn forgery(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(log.to_vec()).unwrap();
    let other = Home::folded(text.replace("denylist", "allowlis").as_bytes());
    let (ours, others) = (Home::folded(log), other.read(MEM));
    let (ours, others) = (
        Sidecar::open(ours.read(MEM)).unwrap(),
        Sidecar::open(others).unwrap(),
    );
    let sealed = others.decode_sealed().unwrap();
    encode(
        &sealed,
        others.header().fold,
        &ours.binding().unwrap(),
        ours.header().form,
    )
    .unwrap()
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

#[test]
fn fold_changed() {
    for (version, words) in [
        (1, "made with other rules of the same version"),
        (0, "made by fold 0, this is fold 1"),
    ] {
        assert_eq!(memfold_fold::VERSION, 1);
        let change = |home: &Home| {
            rewritten(home, |_, fold| {
                *fold = Parameters {
                    version,
                    hash: [7; 32],
                }
            })
        };
        let (_, done) = expect(&turns(0..6), change, "a.jsonl", "fold-changed", words);
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
        "made by the newer fold 2; left as it is",
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

/// What a newer program keeps in the cache is left alone there too; the log is then folded in memory.
#[test]
fn newer_in_the_cache() {
    let log = turns(0..6);
    for version in [1, 2] {
        let home = Home::new();
        fs::create_dir_all(home.at("logs/.git")).unwrap();
        home.write(LOG, &log);
        home.fold();
        let cached = home.sidecar(LOG);
        assert_ne!(cached, home.at(MEM));
        fs::copy(&cached, home.at(MEM)).unwrap();
        match version {
            1 => rewritten(&home, |_, fold| fold.version += 1),
            _ => of_format(&home, version),
        }
        fs::rename(home.at(MEM), &cached).unwrap();
        let newer = home.read(&cached);
        let truth = home.without_sidecars().answers(QUERIES);
        assert_eq!(home.answers(QUERIES), truth);
        let report = home.fold();
        let done = &row(&report, "a.jsonl").done;
        assert!(done.starts_with("folded in memory: "), "{done}");
        assert_eq!(home.verify().wrong, 0);
        assert!(
            home.read(&cached) == newer,
            "a newer sidecar was overwritten"
        );
    }
}

#[test]
fn other_form() {
    let log = turns(0..6);
    let home = Home::folded(&log);
    let before = home.read(MEM);
    let zst = home.write("logs/a.jsonl.zst", &zstd::encode_all(&log[..], 3).unwrap());
    let of_zst = |query: &str| {
        let answer = home
            .engine()
            .search(&search(query, Logs::File(zst.clone())), &Quiet)
            .unwrap();
        answer
            .results
            .iter()
            .map(|hit| (hit.seq, hit.score))
            .collect::<Vec<_>>()
    };
    let of_plain: Vec<_> = home
        .search("denylist")
        .results
        .iter()
        .map(|hit| (hit.seq, hit.score))
        .collect();
    assert_eq!(of_zst("denylist"), of_plain);
    let report = home
        .engine()
        .fold(std::slice::from_ref(&zst), &Quiet)
        .unwrap();
    let said = row(&report, "a.jsonl.zst");
    assert_eq!(said.verdict, "other-form");
    assert_eq!(
        said.found,
        "belongs to the same log in another form; left as it is"
    );
    assert_eq!(
        home.engine()
            .verify(std::slice::from_ref(&zst), &Quiet)
            .unwrap()
            .wrong,
        0
    );
    assert_eq!(of_zst("denylist"), of_plain);
    assert!(
        home.read(MEM) == before,
        "the plain form's sidecar was touched"
    );

    // The plain form goes, as when a host compresses its old logs: its sidecar is nobody's then.
    fs::remove_file(home.at(LOG)).unwrap();
    let report = home.fold();
    let said = row(&report, "a.jsonl.zst");
    assert_eq!(
        (said.verdict, said.found.as_str()),
        ("orphan", "its log is gone")
    );
    mended(&home, "orphan");
    assert_eq!(home.sidecar("logs/a.jsonl.zst"), home.at(MEM));
}

#[test]
fn compressed() {
    let (log, more) = (turns(0..6), turns(6..9));
    let home = Home::new();
    let write = |bytes: &[u8]| home.write("logs/a.jsonl.zst", &zstd::encode_all(bytes, 3).unwrap());
    write(&log);
    assert_eq!(row(&home.fold(), ".zst").verdict, "missing");
    mended(&home, "missing");
    write(&[log.clone(), more].concat());
    let report = home.verify();
    assert_eq!(
        (row(&report, ".zst").verdict, report.wrong),
        ("appended", 0),
        "{report:#?}"
    );
    assert_eq!(row(&home.fold(), ".zst").verdict, "appended");
    mended(&home, "appended");
    write(&log);
    assert_eq!(row(&home.fold(), ".zst").verdict, "log-truncated");
    mended(&home, "log-truncated");
    // Cut within the compressed bytes: what can be decompressed is found.
    let whole = home.read("logs/a.jsonl.zst");
    home.write("logs/a.jsonl.zst", &whole[..whole.len() - 4]);
    let report = home.fold();
    assert_eq!(row(&report, ".zst").verdict, "log-truncated", "{report:#?}");
    assert!(home.search("denylist").complete);
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

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn unreadable() {
    type Put = fn(&Home, &Path);
    let puts: [(&str, Put); 3] = [
        ("a named pipe", |_, path| fifo(path)),
        ("a folder", |_, path| fs::create_dir(path).unwrap()),
        ("a symbolic link", |home, path| {
            fs::rename(path.with_extension("true"), home.at("elsewhere.mem")).unwrap();
            symlink(home.at("elsewhere.mem"), path).unwrap();
        }),
    ];
    for (kind, put) in puts {
        let change = |home: &Home| {
            fs::rename(home.at(MEM), home.at("logs/a.true")).unwrap();
            put(home, &home.at(MEM));
            let _ = fs::remove_file(home.at("logs/a.true"));
        };
        let home = Home::folded(&turns(0..6));
        change(&home);
        let report = home.fold();
        let said = &row(&report, "a.jsonl").found;
        assert!(
            said.starts_with("cannot be read: ") && said.contains(kind),
            "{said}"
        );
        assert!(
            report.notes.iter().any(|note| note.contains(kind)),
            "{:?}",
            report.notes
        );
        let kept = |home: &Home| fs::symlink_metadata(home.at(MEM)).unwrap().file_type();
        let before = kept(&home);
        mended(&home, "unreadable");
        assert_eq!(kept(&home), before, "{kind} was replaced");

        // A search comes first, and finds the way back once the place is free.
        let home = Home::folded(&turns(0..6));
        change(&home);
        let truth = home.without_sidecars().answers(QUERIES);
        assert_eq!(home.answers(QUERIES), truth, "{kind}");
        assert!(
            home.search("denylist")
                .notes
                .iter()
                .any(|note| note.contains(kind))
        );
        fs::remove_file(home.at(MEM))
            .or_else(|_| fs::remove_dir(home.at(MEM)))
            .unwrap();
        assert_eq!(home.answers(QUERIES), truth, "{kind}");
        mended(&home, "missing");
    }
}

/// Where the folder cannot hold a sidecar, the cache does, and no search folds the log again.
#[test]
fn in_the_cache_where_it_cannot_lie_beside() {
    let home = Home::new();
    fs::create_dir_all(home.at("logs/.git")).unwrap();
    home.write(LOG, &turns(0..6));
    let truth = home.without_sidecars().answers(QUERIES);
    assert_eq!(home.answers(QUERIES), truth);
    let report = home.fold();
    assert_eq!(
        (
            row(&report, "a.jsonl").verdict,
            row(&report, "a.jsonl").done.as_str()
        ),
        ("current", "nothing")
    );
    assert_eq!(home.files("logs").len(), 1, "nothing lies in the work tree");
    mended(&home, "current");
    home.append(LOG, &turns(6..7));
    assert_eq!(row(&home.fold(), "a.jsonl").done, "extended");
    mended(&home, "appended");
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
