//! `tools/memdump`, a reader in another language that was written from the format's page, reads catalogues and shards as this
//! one does, and refuses what this one refuses.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use memfold_disk::{Identity, Links, Mark, Snapshot};
use memfold_fold::document::DocumentKind;
use memfold_rollup::{
    Catalogue, Columns, LogRow, Name, Program, Shard, ShardContent, ShardId, ShardRow, verify_bytes,
};
use memfold_segment::{Builder, Collection, DocId};

const MEMDUMP: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tools/memdump/memdump.py"
);
const PROGRAM: Program = [7; 32];

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, bytes).unwrap();
    file
}

fn memdump(file: &Path) -> Output {
    Command::new("python3")
        .arg("-B")
        .arg(MEMDUMP)
        .arg(file)
        .output()
        .unwrap_or_else(|error| panic!("this test needs Python 3.11 as `python3`: {error}"))
}

#[track_caller]
fn reads_the_same(name: &str, bytes: &[u8], ours: &str) {
    let output = memdump(&file(name, bytes));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let theirs = String::from_utf8(output.stdout).unwrap();
    for (number, (ours, theirs)) in ours.lines().zip(theirs.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {}", number + 1);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}

#[track_caller]
fn refuses(name: &str, bytes: &[u8]) {
    let output = memdump(&file(name, bytes));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("memdump: ") && said.lines().count() == 1,
        "{said}"
    );
}

fn catalogue() -> Vec<u8> {
    let shards: Vec<ShardRow> = (0..2)
        .map(|number| ShardRow {
            name: Name::of(&[number]),
            documents: 100,
            bytes: 2000,
        })
        .collect();
    let row = |number: u32| LogRow {
        path: format!("/logs/{number} \u{201c}x\u{201d}.jsonl").into(),
        identity: Identity {
            dev: 1,
            inode: u64::from(20 - number),
            size: 3,
            mtime_ns: -4,
            ctime_ns: 5,
        },
        agent: "codex".to_owned(),
        shard: ShardId(number as usize % 2),
        first: number,
        documents: number % 3,
        live: Collection {
            documents: 1,
            total_length: 7,
        },
        ended: (!number.is_multiple_of(4)).then_some(i64::from(number) - 5),
        component: u64::from(number % 5),
        task: format!("task {number}\n"),
        cwd: (!number.is_multiple_of(3)).then(|| "/work".to_owned()),
    };
    Catalogue::encode(&PROGRAM, &shards, &(0..9).map(row).collect::<Vec<_>>()).unwrap()
}

fn time(time: Option<i64>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_catalogue(bytes: &[u8]) -> String {
    let catalogue = Catalogue::open(bytes.to_vec(), &PROGRAM).unwrap();
    let mut page = String::from("catalogue 2\n");
    let program = Catalogue::program(bytes).unwrap();
    writeln!(page, "program {}", hex(program)).unwrap();
    for (number, row) in catalogue.shards().iter().enumerate() {
        let (name, documents, bytes) = (row.name.file(), row.documents, row.bytes);
        let name = name.strip_suffix(".shard").unwrap();
        writeln!(
            page,
            "shard {number} {name} {documents} documents {bytes} bytes"
        )
        .unwrap();
    }
    let mut places: Vec<(u64, u64, usize)> = Vec::new();
    for row in catalogue.rows() {
        let log = catalogue.log(row).unwrap();
        let Identity {
            dev,
            inode,
            size,
            mtime_ns,
            ctime_ns,
        } = log.identity;
        places.push((dev, inode, row.0));
        writeln!(
            page,
            "log {} device {dev} inode {inode} size {size} changed {mtime_ns} {ctime_ns} shard {} first {} documents {} \
             counting {} of {} words ended {} component {}",
            row.0,
            log.shard.0,
            log.first,
            log.documents,
            log.live.documents,
            log.live.total_length,
            time(log.ended),
            log.component
        )
        .unwrap();
        writeln!(page, "  path {}", quoted(log.path.to_str().unwrap())).unwrap();
        writeln!(page, "  task {}", quoted(&log.task)).unwrap();
        if let Some(cwd) = &log.cwd {
            writeln!(page, "  cwd {}", quoted(cwd)).unwrap();
        }
        writeln!(page, "  agent {}", quoted(&log.agent)).unwrap();
    }
    places.sort_unstable();
    for (number, (.., row)) in places.into_iter().enumerate() {
        writeln!(page, "place {number} log {row}").unwrap();
    }
    page
}

/// A shard of so many documents, some of which do not count.
fn shard(documents: u32) -> Vec<u8> {
    let mut builder = Builder::new();
    let dead: Vec<u32> = (0..documents)
        .filter(|document| document % 7 == 3)
        .collect();
    for document in 0..documents {
        if dead.binary_search(&document).is_err() {
            builder.add(b"fold", 1 + document % 3);
            builder.add(format!("word{}", document % 50).as_bytes(), 1);
            builder.add("gefaltet\u{df}".as_bytes(), 2);
        }
        builder.finish_document().unwrap();
    }
    let words = builder.encode(0..documents, &|_| {}).unwrap();
    let kinds = [
        DocumentKind::Person,
        DocumentKind::Reply,
        DocumentKind::Result,
        DocumentKind::File,
        DocumentKind::Plan,
        DocumentKind::Summary,
        DocumentKind::Compaction,
    ];
    let of = |document: u32| u64::from(document).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let columns = Columns {
        sittings: (0..documents).map(|document| document / 5).collect(),
        kinds: (0..documents)
            .map(|document| kinds[document as usize % 7])
            .collect(),
        times: (0..documents)
            .map(|document| (document % 3 > 0).then_some(i64::from(document) - 20))
            .collect(),
        dead,
        keys: (0..documents)
            .flat_map(|document| [(of(document), document), (of(document) >> 1, document)])
            .collect(),
    };
    let content = ShardContent::new(words, columns).unwrap();
    content.pieces().collect::<Vec<_>>().concat()
}

fn of_shard(bytes: &[u8]) -> String {
    let path = file("opened.shard", bytes);
    let documents = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
    let name = Name::of(bytes);
    let row = ShardRow {
        name,
        documents,
        bytes: bytes.len() as u64,
    };
    let file = Snapshot::open(&path, Links::Refuse).unwrap();
    let shard = Arc::new(Shard::open(file, &row).unwrap());
    let mut page = format!("shard 1 of {documents} documents\n");
    writeln!(page, "name {}", name.file().strip_suffix(".shard").unwrap()).unwrap();
    for dead in shard.dead().unwrap() {
        writeln!(page, "dead {dead}").unwrap();
    }
    let (kinds, times, sittings) = (
        shard.kinds().unwrap(),
        shard.times().unwrap(),
        shard.sittings().unwrap(),
    );
    let words = shard.words().unwrap();
    let lengths = words.lengths().unwrap();
    for document in 0..documents {
        let place = document as usize;
        let new = match document.checked_sub(1) {
            Some(before) if sittings.between(before, document) > 0 => " of another sitting",
            _ => "",
        };
        writeln!(
            page,
            "document {document} {} time {} words {}{new}",
            format!("{:?}", kinds[place]).to_lowercase(),
            time(times[place]),
            lengths.get(DocId(document))
        )
        .unwrap();
    }
    for (key, document) in shard.keys().unwrap() {
        writeln!(page, "key {key:016x} document {document}").unwrap();
    }
    // What only leads to the keys is read as it lies.
    let section = |number: usize| {
        let row = &bytes[12 + number * 20..];
        let at = u64::from_le_bytes(row[..8].try_into().unwrap()) as usize;
        let length = u64::from_le_bytes(row[8..16].try_into().unwrap()) as usize;
        &bytes[at..at + length]
    };
    for fence in section(5).chunks(12) {
        let first = u64::from_le_bytes(fence[..8].try_into().unwrap());
        let crc = u32::from_le_bytes(fence[8..].try_into().unwrap());
        writeln!(page, "fence {first:016x} {crc:08x}").unwrap();
    }
    for (number, word) in section(6).chunks(8).enumerate() {
        let word = u64::from_le_bytes(word.try_into().unwrap());
        writeln!(page, "filter {number} {word:016x}").unwrap();
    }
    words
        .prefix(b"", usize::MAX, |term, postings| {
            writeln!(page, "term {}", quoted(&String::from_utf8_lossy(term))).unwrap();
            for posting in postings {
                writeln!(page, "  {} {}", posting.doc.0, posting.frequency).unwrap();
            }
        })
        .unwrap();
    page
}

#[test]
fn both_readers_say_the_same() {
    let bytes = catalogue();
    reads_the_same("same.catalogue", &bytes, &of_catalogue(&bytes));
    let empty = Catalogue::encode(&PROGRAM, &[], &[]).unwrap();
    reads_the_same("empty.catalogue", &empty, &of_catalogue(&empty));
    for documents in [0, 3, 400] {
        let bytes = shard(documents);
        reads_the_same(&format!("{documents}.shard"), &bytes, &of_shard(&bytes));
    }
}

#[test]
fn both_readers_refuse_the_same() {
    // One in so many bytes: each refusal takes the start of a Python.
    let sound = catalogue();
    for at in [0, 7, 9, 13]
        .into_iter()
        .chain((16..sound.len()).step_by(sound.len() / 6))
    {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        refuses("damaged.catalogue", &bytes);
        assert!(Catalogue::open(bytes, &PROGRAM).is_err(), "byte {at}");
    }
    let newer = [Mark::new(b"memroll3").bytes(), &sound[12..]].concat();
    refuses("newer.catalogue", &newer);
    let opened = Catalogue::open(newer, &PROGRAM);
    assert!(matches!(
        opened,
        Err(memfold_rollup::RollupError::NewerVersion)
    ));
    let sound = shard(40);
    for at in (0..sound.len()).step_by(sound.len() / 8) {
        let mut bytes = sound.clone();
        bytes[at] ^= 4;
        refuses("damaged.shard", &bytes);
        assert!(verify_bytes(&bytes).is_err(), "byte {at}");
    }
    refuses("cut.shard", &sound[..sound.len() - 1]);
}
