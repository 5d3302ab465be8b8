//! Whatever happens to the bytes of a sidecar, of the receipts, of a kept tail or of a log: no panic, and an answer as good
//! as the log's lines allow. A derived file that is damaged costs time, never an event.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use memfold::{Filter, Logs, Quiet, Recall, Search};
use memfold_tests::home::{Home, half_a_turn, line, search, turns};
use serde_json::json;

const LOG: &str = "logs/a.jsonl";
const MEM: &str = "logs/a.mem";

/// What reaches every section: names, a phrase, a word of the tail, and a word that is nowhere.
const ASKED: &[&str] = &["denylist turn1 \"the gate held\"", "half-a-turn cargo_test"];

/// Every way that a file of these bytes is damaged here: each bit of its first bytes, each byte after them in three ways,
/// and each length that it can be cut to. `step` leaves most places out, a different set at every call with another `from`.
fn damages(
    bytes: &[u8],
    head: usize,
    from: usize,
    step: usize,
) -> impl Iterator<Item = (String, Vec<u8>)> {
    let bits = (0..head.min(bytes.len())).flat_map(|at| (0..8).map(move |bit| (at, 1u8 << bit)));
    let rest = (head..bytes.len()).flat_map(|at| [0x01, 0x80, 0xFF].map(|mask| (at, mask)));
    let flipped = bits.chain(rest).skip(from).step_by(step).map(|(at, mask)| {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= mask;
        (format!("byte {at} ^ {mask:#x}"), damaged)
    });
    let cut = (0..bytes.len())
        .skip(from)
        .step_by(step)
        .map(|length| (format!("cut to {length}"), bytes[..length].to_vec()));
    flipped.chain(cut)
}

/// A small log with everything that a sidecar has a section for, and a tail.
fn small() -> Vec<u8> {
    [turns(0..3), half_a_turn(3)].concat()
}

/// A sidecar that was damaged where stat shows it, as all damage does but the disk's own.
#[test]
fn a_damaged_sidecar_is_mended_by_the_search_that_finds_it() {
    shown(61);
}

fn shown(step: usize) {
    let home = Home::folded(&small());
    let (whole, truth) = (home.read(MEM), home.answers(ASKED));
    for (what, damaged) in damages(&whole, 200, 0, step) {
        home.write(MEM, &damaged);
        assert_eq!(home.answers(ASKED), truth, "{what}");
        assert!(home.read(MEM) == whole, "{what}: not rebuilt");
    }
}

/// A sidecar that was damaged and no stat shows it: the receipt matches. The checksums must find it, during the search,
/// and only what the search reads can be found.
#[test]
fn a_damage_that_stat_does_not_show_is_found_by_the_checksums() {
    hidden(23);
}

fn hidden(step: usize) {
    let home = Home::folded(&small());
    let (whole, truth) = (home.read(MEM), home.answers(ASKED));
    let mut found = 0;
    for (what, damaged) in damages(&whole, 0, step / 3, step) {
        home.write(MEM, &damaged);
        home.believe();
        assert_eq!(home.answers(ASKED), truth, "{what}");
        let mended = home.read(MEM);
        assert!(
            mended == whole || mended == damaged,
            "{what}: something else"
        );
        found += usize::from(mended == whole);
        home.write(MEM, &whole);
    }
    assert!(found > 50, "{found} of the damages were met");
}

/// A sidecar of many terms, with long lists, cut in the middle of what a search reads.
#[test]
fn a_damage_among_many_logs_costs_no_other_log_anything() {
    let home = Home::new();
    for (name, from) in [("a", 0), ("b", 100), ("c", 200)] {
        home.write(format!("logs/{name}.jsonl"), &turns(from..from + 40));
    }
    home.fold();
    let (whole, truth) = (home.read(MEM), home.answers(ASKED));
    for (what, damaged) in damages(&whole, 0, 3, 2003) {
        home.write(MEM, &damaged);
        home.believe();
        assert_eq!(home.answers(ASKED), truth, "{what}");
        home.write(MEM, &whole);
    }
}

/// The answer says that a sidecar was wrong, and where.
#[test]
fn what_a_damage_cost_is_said() {
    let home = Home::folded(&turns(0..80));
    let whole = home.read(MEM);
    let truth = home.answers(&["denylist"]);
    let sidecar = memfold_sidecar::Sidecar::open(&whole[..]).unwrap();
    let head = u64::from(u32::from_le_bytes(whole[12..16].try_into().unwrap()));
    let mut at = head;
    for (tag, length) in sidecar
        .sections()
        .map(|(tag, length)| (tag.to_string(), length))
    {
        let start = usize::try_from(at).unwrap();
        at += length.next_multiple_of(8);
        if !["DOCS", "CARD", "POST", "TERM"].contains(&tag.as_str()) {
            continue;
        }
        // The whole section: what the search reads of it is hit.
        let mut damaged = whole.clone();
        damaged[start..start + usize::try_from(length).unwrap()]
            .iter_mut()
            .for_each(|byte| *byte ^= 0x55);
        home.write(MEM, &damaged);
        home.believe();
        let answer = home.search("denylist");
        let said = answer.notes.iter().find(|note| note.contains("a.jsonl"));
        let said = said.unwrap_or_else(|| panic!("{tag}: {:?}", answer.notes));
        assert!(
            said.contains(&format!("damaged in {tag}")) && said.contains("set aside"),
            "{said}"
        );
        assert!(answer.complete, "{tag}");
        assert_eq!(home.answers(&["denylist"]), truth, "{tag}");
        assert!(home.read("logs/a.mem.damaged") == damaged, "{tag}");
    }
}

/// What needs more of a sidecar than its words: filters, recall, cards.
#[test]
fn filters_recall_and_cards_survive_a_damage_too() {
    let log = turns(0..40);
    let home = Home::folded(&log);
    let whole = home.read(MEM);
    let file = Logs::File(home.at(LOG));
    let filtered = || {
        let filter = Filter {
            kinds: vec![memfold::DocumentKind::Result],
            path: None,
            ..Filter::default()
        };
        let asked = Search {
            filter,
            ..search("denylist", home.logs())
        };
        let answer = home.engine().search(&asked, &Quiet).unwrap();
        answer.results.iter().map(|hit| hit.seq).collect::<Vec<_>>()
    };
    let recalled = |seq: u64| {
        let asked = Recall {
            address: seq.to_string(),
            logs: file.clone(),
            start: 1,
            count: 80,
        };
        let mut recalled = home.engine().recall(&asked, &Quiet).unwrap();
        recalled.notes.clear();
        serde_json::to_string(&recalled).unwrap()
    };
    let cards = || serde_json::to_string(&home.engine().cards(None, &file).unwrap().cards).unwrap();
    let truth = (filtered(), recalled(1), recalled(2), recalled(3), cards());
    assert_eq!(truth.0.len(), 40);
    for (what, damaged) in damages(&whole, 0, 5, 997) {
        let again = |look: &dyn Fn()| {
            home.write(MEM, &damaged);
            home.believe();
            look();
            home.write(MEM, &whole);
        };
        again(&|| assert_eq!(filtered(), truth.0, "{what}"));
        again(&|| assert_eq!(recalled(1), truth.1, "{what}"));
        again(&|| assert_eq!(recalled(2), truth.2, "{what}"));
        again(&|| assert_eq!(recalled(3), truth.3, "{what}"));
        again(&|| assert_eq!(cards(), truth.4, "{what}"));
    }
}

/// A sidecar whose every checksum holds and whose receipt is there, but whose log says something else where it points to.
#[test]
fn a_sidecar_that_contradicts_its_log_does_not_answer() {
    let log = turns(0..6);
    let home = Home::folded(&log);
    let other = turns(0..6).repeat(1);
    let other = String::from_utf8(other)
        .unwrap()
        .replace("turn4", "turn four")
        .into_bytes();
    assert_ne!(log.len(), other.len());
    home.write(LOG, &other);
    home.believe();
    let truth = home.without_sidecars().answers(&["denylist"]);
    assert_eq!(home.answers(&["denylist"]), truth);
}

#[test]
fn damaged_receipts_cost_a_proof() {
    receipts(17);
}

fn receipts(step: usize) {
    let home = Home::folded(&small());
    let receipts = home.dirs().cache.join("receipts");
    let (whole, truth) = (fs::read(&receipts).unwrap(), home.answers(ASKED));
    for (what, damaged) in damages(&whole, 12, 0, step) {
        fs::write(&receipts, &damaged).unwrap();
        assert_eq!(home.answers(ASKED), truth, "{what}");
        assert_eq!(
            home.receipts().all().count(),
            1,
            "{what}: not written again"
        );
    }
    fs::remove_file(&receipts).unwrap();
    fs::create_dir(&receipts).unwrap();
    assert_eq!(home.answers(ASKED), truth);
    let notes = home.search("denylist").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("receipts are not kept")),
        "{notes:?}"
    );
}

/// A log that was last touched before this test began, with a tail: one of those that the project holds for its readers.
/// None where the project is no work tree: a sidecar would be written beside it.
fn old_log() -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let log = project.join("corpus/claude-code/results.jsonl");
    project.join(".git").exists().then_some(log)
}

#[test]
fn a_damaged_tail_is_folded_again() {
    tail(131);
}

/// All of the four, every bit of a head, every byte in three ways, every length.
#[test]
#[ignore = "takes minutes: cargo test -p memfold-tests --test corruption -- --ignored"]
fn every_damage_there_is() {
    shown(1);
    hidden(1);
    receipts(1);
    tail(1);
}

fn tail(step: usize) {
    let home = Home::new();
    let Some(log) = old_log().map(Logs::File) else {
        return;
    };
    let words = ["the result exit file", "error output tests"];
    let answers = || {
        words.map(|words| {
            let mut answer = home
                .engine()
                .search(&search(words, log.clone()), &Quiet)
                .unwrap();
            answer.micros = 0;
            serde_json::to_string(&answer).unwrap()
        })
    };
    let truth = answers();
    assert!(truth[0].contains("\"seq\""), "{}", truth[0]);
    let tails = home.dirs().cache.join("tails");
    let kept = || {
        fs::read_dir(&tails)
            .into_iter()
            .flatten()
            .map(|tail| tail.unwrap().path())
            .collect::<Vec<_>>()
    };
    answers();
    let [tail] = &kept()[..] else {
        panic!("{:?}", kept())
    };
    let whole = fs::read(tail).unwrap();
    for (what, damaged) in damages(&whole, 12, 0, step) {
        fs::write(tail, &damaged).unwrap();
        assert_eq!(answers(), truth, "{what}");
        assert!(fs::read(tail).unwrap() == whole, "{what}: not kept again");
    }
}

/// Lines of a log that none of the agents' programs would write, between two that they would.
#[test]
fn around_broken_lines_everything_else_is_found() {
    let broken: &[(&str, &[u8])] = &[
        ("nothing", b""),
        ("blank lines", b"\n  \n\t\n\n"),
        ("NULs", &[0; 700]),
        ("NULs on a line", b"\0\0\0\0\n"),
        ("half a line", b"{\"type\":\"user\",\"message\":{\"content\":\"half\n"),
        ("not JSON", b"not json at all }{\n"),
        ("an array", b"[1,2,3]\n"),
        ("a number", b"17\n"),
        ("null", b"null\n"),
        ("invalid UTF-8", b"{\"type\":\"user\",\"message\":{\"content\":\"\xff\xfe\xc0\"}}\n"),
        ("no text at all", b"\xff\xfe\x00\xd8\n"),
        ("a lone surrogate", b"{\"type\":\"user\",\"message\":{\"content\":\"lone \\ud800 word\"},\"uuid\":\"q\"}\n"),
        ("lone surrogates", b"{\"type\":\"user\",\"message\":{\"content\":\"\\udc00\\ud800\\udfff\"},\"uuid\":\"q\"}\n"),
        ("deep nesting", b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n"),
        ("types that do not fit", b"{\"type\":7,\"message\":[],\"timestamp\":{},\"uuid\":null,\"sessionId\":[1]}\n"),
        ("a time out of range", b"{\"type\":\"user\",\"message\":{\"content\":\"when\"},\"timestamp\":\"+99999999-99-99T99:99:99Z\"}\n"),
    ];
    for (what, bytes) in broken {
        for crlf in [false, true] {
            let mut log = [turns(0..3), bytes.to_vec()].concat();
            if *what == "NULs" {
                log.push(b'\n');
            }
            log.extend(turns(3..6));
            if crlf {
                log = log
                    .split(|byte| *byte == b'\n')
                    .collect::<Vec<_>>()
                    .join(&b"\r\n"[..]);
            }
            let home = Home::new();
            home.write(LOG, &log);
            let found = |home: &Home| {
                (0..6)
                    .map(|turn| {
                        home.search(&format!("turn{turn} denylist"))
                            .results
                            .iter()
                            .filter(|hit| hit.missing.is_empty())
                            .count()
                    })
                    .collect::<Vec<_>>()
            };
            // A request and a result of each turn hold both words.
            assert_eq!(found(&home), [2; 6], "{what}, crlf {crlf}");
            home.fold();
            assert_eq!(home.verify().wrong, 0, "{what}");
            assert_eq!(found(&home), [2; 6], "{what}, crlf {crlf}, folded");
            // seq is the number of the line, whatever the lines before it are.
            let hit = &home.search("\"Done: the gate held in turn5.\"").results[0];
            let lines = log.split(|byte| *byte == b'\n').count() as u64 - 1;
            assert_eq!(hit.seq, lines, "{what}, crlf {crlf}");
            assert!(home.read(LOG) == log);
        }
    }
}

#[test]
fn around_a_damaged_end_everything_else_is_found() {
    let more = turns(6..7);
    let ends: &[(&str, Vec<u8>)] = &[
        ("NULs", vec![0; 4096]),
        ("a torn line", more[..100].to_vec()),
        (
            "a line torn in a character",
            "{\"type\":\"user\",\"message\":{\"content\":\"ß".as_bytes()[..38].to_vec(),
        ),
        ("a torn line, then NULs", [&more[..100], &[0; 512]].concat()),
        ("blanks", b"   ".to_vec()),
    ];
    for (what, end) in ends {
        for mark in [&b""[..], b"\xEF\xBB\xBF"] {
            let home = Home::new();
            let log = [mark, &turns(0..6), end].concat();
            home.write(LOG, &log);
            assert_eq!(home.search("denylist").matched, 18, "{what}");
            home.fold();
            assert_eq!(home.search("denylist").matched, 18, "{what}, folded");
            assert_eq!(home.verify().wrong, 0, "{what}");
            if what.starts_with("a torn line") && !what.contains("NULs") {
                // The rest of the line comes: "not yet" was right.
                home.append(LOG, &more[100..]);
                assert_eq!(home.search("denylist").matched, 21, "{what}, and the rest");
            }
        }
    }
    let unended = turns(0..6);
    let home = Home::folded(&unended[..unended.len() - 1]);
    assert_eq!(home.search("\"the gate held in turn5\"").matched, 1);
    assert_eq!(
        home.search("\"Done: the gate held in turn5.\"")
            .results
            .len(),
        1,
        "no final newline"
    );
}

#[test]
fn a_line_of_9_mib_hides_nothing() {
    let text = format!(
        "needle-before {} needle-after",
        "the gate held and held again\n".repeat(330_000)
    );
    assert!(text.len() > 9 << 20);
    let huge = line(
        900,
        "user",
        json!({ "message": { "role": "user", "content": text } }),
    );
    let home = Home::new();
    home.write(LOG, &[turns(0..3), huge, turns(3..6)].concat());
    assert_eq!(home.search("denylist").matched, 18);
    let answer = home.search("needle-before");
    assert_eq!((answer.matched, answer.results[0].seq), (1, 13));
    home.fold();
    assert_eq!(home.search("denylist").matched, 18);
    assert_eq!(home.search("turn5 denylist").results[0].missing.len(), 0);
    assert_eq!(home.verify().wrong, 0);
}

/// Files among the logs that are no logs, and logs that cannot be read: each said, none in the way.
#[test]
fn what_is_no_log_is_in_nobodys_way() {
    let home = Home::folded(&turns(0..6));
    home.write("logs/empty.jsonl", b"");
    home.write("logs/noise.jsonl", &[0xFF; 3000]);
    home.write(
        "logs/cut.jsonl.zst",
        &zstd::encode_all(&turns(9..12)[..], 3).unwrap()[..60],
    );
    home.write("logs/noise.jsonl.zst", &[0xFF; 3000]);
    let log = turns(20..200);
    let zst = zstd::encode_all(&log[..], 3).unwrap();
    home.write("logs/half.jsonl.zst", &zst[..zst.len() / 2]);
    let answer = home.search("turn3 denylist");
    assert_eq!(answer.results[0].log, home.at(LOG));
    home.fold();
    home.verify();
    let answer = home.search("turn3 denylist");
    assert_eq!(answer.results[0].log, home.at(LOG));
}
