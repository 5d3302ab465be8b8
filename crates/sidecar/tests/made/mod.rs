//! Made sidecars: invented records over an invented log. A test binary takes of it what it needs.
#![allow(dead_code)] // Each test binary is compiled with the whole module.

use std::sync::Arc;

use memfold_fold::Parameters;
use memfold_fold::card::{Card, Command, End, Listing, Note};
use memfold_fold::checkpoint::{Checkpoint, Covered, OpenCall, Sealed, Tally};
use memfold_fold::document::{Context, Document, DocumentKind, Keys, Link};
use memfold_fold::past::{Way, Waypoint};
use memfold_log::{Form, Offset, Seq};
use memfold_segment::Builder;
use memfold_sidecar::binding::{Binder, Binding};
use memfold_sidecar::encode;

pub(crate) const FOLD: Parameters = Parameters {
    version: 1,
    hash: [7; 32],
};

/// A log of so many lines.
pub(crate) fn log(lines: u64) -> Vec<u8> {
    (1..=lines)
        .map(|line| format!("{{\"line\":{line},\"text\":\"the quick fold of line {line}\"}}\n"))
        .collect::<String>()
        .into()
}

/// Where each line of a log starts, and its length.
fn places(log: &[u8]) -> Vec<(u64, u64)> {
    let mut start = 0;
    log.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let place = (start, line.len() as u64);
            start += place.1;
            place
        })
        .collect()
}

const KINDS: [DocumentKind; 7] = [
    DocumentKind::Person,
    DocumentKind::Reply,
    DocumentKind::Result,
    DocumentKind::File,
    DocumentKind::Plan,
    DocumentKind::Summary,
    DocumentKind::Compaction,
];

/// What a fold of [`log`] might have made: a document a line but for every tenth, a turn every seven lines, and a
/// continuation of each third turn.
pub(crate) fn sealed(lines: u64) -> Sealed {
    let log = log(lines);
    let places = places(&log);
    let mut sealed = Sealed {
        covered: Covered {
            end: Offset(log.len() as u64),
            next: Seq::new(lines + 1).unwrap(),
        },
        checkpoint: checkpoint(lines, &places),
        documents: Vec::new(),
        keys: Vec::new(),
        links: Vec::new(),
        cards: Vec::new(),
        waypoints: Vec::new(),
        segment: memfold_segment::Encoded::default(),
    };
    let mut words = Builder::new();
    for (n, &(start, length)) in (0u64..).zip(&places) {
        let seq = n + 1;
        if n % 7 == 0 {
            sealed
                .cards
                .push(card(n, seq, (start, length), seq + 6.min(lines - seq)));
        }
        if seq % 10 == 0 {
            continue;
        }
        sealed.documents.push(Document {
            seq,
            start,
            length,
            card: sealed.cards.len() as u32 - 1,
            sitting: n as u32 / 20,
            kind: KINDS[n as usize % KINDS.len()],
            time: (n % 5 != 0).then_some(1_700_000_000_000 + n as i64 * 1000),
            helper: if n % 11 == 0 {
                Context::Helper
            } else {
                Context::Main
            },
        });
        sealed.keys.push(Keys {
            id: seq.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            origin: if n % 3 == 0 { 0 } else { seq << 40 },
        });
        if n % 4 == 1 {
            let (call_start, call_length) = places[n as usize - 1];
            for part in 0..1 + (n as u32 & 1) {
                sealed.links.push(Link {
                    call_seq: n,
                    call: part,
                    call_start,
                    call_length,
                    result_seq: seq,
                    part,
                });
            }
        }
        words.add(b"fold", 1 + n as u32 % 3);
        words.add(format!("word{}", n % 13).as_bytes(), 1);
        words.add("größe".as_bytes(), u32::from(n % 17 == 0) * 300);
        words.finish_document().unwrap();
    }
    sealed.checkpoint.cards = sealed.cards.len() as u32;
    sealed.checkpoint.card_turn = sealed.cards.last().map(|card| card.turn);
    sealed.segment = words.encode(0..words.documents(), &|_| {}).unwrap();
    sealed
}

fn card(n: u64, seq: u64, (start, start_length): (u64, u64), last_seq: u64) -> Card {
    // Turn numbers 1, 2, 3, 3, 4, 5, 6, 6, …
    let turn = n as u32 / 7;
    Card {
        turn: turn - turn / 4 + u32::from(turn % 4 != 3),
        continued: turn % 4 == 3,
        title: format!("Make “part {turn}” whole"),
        first_seq: seq,
        last_seq,
        start,
        start_length,
        started: turn.is_multiple_of(2).then_some(1_700_000_000_000),
        ended: Some(-5),
        read: Listing {
            named: vec!["src/lib.rs".to_owned(), format!("src/part{turn}.rs")],
            more: turn,
        },
        edited: Listing {
            named: vec!["README.md".to_owned()],
            more: 0,
        },
        commands: vec![
            Command {
                line: "cargo test".to_owned(),
                end: End::Exit(101),
            },
            Command {
                line: "sleep 9".to_owned(),
                end: End::Failed,
            },
            Command {
                line: format!("echo \"{turn}\"\t\u{7f}"),
                end: End::Unknown,
            },
        ],
        more_commands: 2,
        calls: 5,
        errors: 2,
        closing: "All of it\u{1}\\ stands.".to_owned(),
        notes: vec![Note {
            seq,
            text: "What came before".to_owned(),
        }],
    }
}

fn checkpoint(lines: u64, places: &[(u64, u64)]) -> Checkpoint {
    let mut checkpoint = Checkpoint {
        turn: 1 + lines as u32 / 7,
        turn_title: "The last of them".to_owned(),
        sitting: 7,
        last_time: Some(1_700_000_000_123),
        tally: Tally {
            lines,
            broken: 1,
            clipped: 2,
            too_long: 3,
            unranked: 4,
            copies: 5,
        },
        first_line: [9; 32],
        ..Checkpoint::default()
    };
    checkpoint.facts.task = Some("0000-task".to_owned());
    checkpoint.facts.cwd = Some("/home/someone/project".to_owned());
    checkpoint.facts.title = Some("Fold the “log”\nwell".to_owned());
    checkpoint.facts.started = Some(1_700_000_000_000);
    if let Some(&(start, length)) = places.first() {
        let call = OpenCall {
            id: "call-1".to_owned(),
            seq: 1,
            start,
            length,
            call: 0,
            words: "Bash\ncargo test".to_owned(),
            command: Some((0, 1)),
            retrieves: false,
        };
        checkpoint.open_calls.push(Arc::new(OpenCall {
            id: "call-2".to_owned(),
            command: None,
            retrieves: true,
            ..call.clone()
        }));
        checkpoint.open_calls.push(Arc::new(call));
    }
    checkpoint
}

/// What binds the records of [`sealed`] to [`log`].
pub(crate) fn binding(lines: u64) -> Binding {
    let mut binder = Binder::new();
    binder.feed(&log(lines));
    binder.mark_here();
    binder.binding()
}

/// The sidecar of [`log`].
pub(crate) fn sidecar(lines: u64) -> Vec<u8> {
    encode(&sealed(lines), FOLD, &binding(lines), Form::Lines).unwrap()
}

/// What a fold of a log might have made whose task went back: each line can be named, every fifth goes back, and every
/// seventh says the one before it again.
pub(crate) fn sealed_with_past(lines: u64) -> Sealed {
    let mut sealed = sealed(lines);
    sealed.waypoints = (1..=lines)
        .map(|seq| {
            let number = |line: u64| {
                let is = |document: &Document| document.seq == line;
                sealed.documents.iter().position(is).map(|n| n as u32)
            };
            Waypoint {
                seq,
                name: if seq % 4 == 0 { 0 } else { seq << 50 },
                document: number(seq),
                way: match number(seq - 1) {
                    _ if seq % 5 == 0 => Way::Back(seq / 2),
                    Some(before) if seq % 7 == 0 => Way::Instead(before),
                    _ => Way::On,
                },
            }
        })
        .collect();
    sealed
}

/// The sidecar of [`log`], whose task went back.
pub(crate) fn sidecar_with_past(lines: u64) -> Vec<u8> {
    encode(&sealed_with_past(lines), FOLD, &binding(lines), Form::Lines).unwrap()
}

/// The sections of a sidecar: tag, place of its row in the file, place and length of its stored bytes.
pub(crate) fn sections(bytes: &[u8]) -> Vec<([u8; 4], usize, std::ops::Range<usize>)> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let count = number(24) as u32 as usize;
    (0..count)
        .map(|n| 176 + 32 * n)
        .map(|row| {
            (
                bytes[row..row + 4].try_into().unwrap(),
                row,
                number(row + 8)..number(row + 8) + number(row + 16),
            )
        })
        .collect()
}

/// Puts right the checksums of the sections and the head.
pub(crate) fn seal(bytes: &mut [u8]) {
    for (_, row, range) in sections(bytes) {
        let crc = crc32fast::hash(&bytes[range]);
        bytes[row + 24..row + 28].copy_from_slice(&crc.to_le_bytes());
    }
    let head = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let crc = crc32fast::hash(&bytes[..head - 4]);
    bytes[head - 4..head].copy_from_slice(&crc.to_le_bytes());
}

/// A sidecar with another section in place of its own, and every place, length and checksum put right.
pub(crate) fn spliced(bytes: &[u8], tag: [u8; 4], section: &[u8]) -> Vec<u8> {
    let sections = sections(bytes);
    let mut file = bytes[..sections[0].2.start].to_vec();
    for (own, row, range) in sections {
        let stored = if own == tag { section } else { &bytes[range] };
        let offset = file.len() as u64;
        file[row + 8..row + 16].copy_from_slice(&offset.to_le_bytes());
        file[row + 16..row + 24].copy_from_slice(&(stored.len() as u64).to_le_bytes());
        file.extend_from_slice(stored);
        file.resize(file.len().next_multiple_of(8), 0);
    }
    let length = file.len() as u64;
    file[16..24].copy_from_slice(&length.to_le_bytes());
    seal(&mut file);
    file
}
