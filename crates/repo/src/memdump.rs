//! `tools/memdump`, a reader in another language that was written from the format's page, reads manifests, packs and
//! collections as this one does, and refuses what this one refuses.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use memfold_disk::Identity;
use memfold_guard::{Refusal, RulesVersion, TreePath};
use memfold_segment::{Reader, Source};

use crate::collection::Unnamed;
use crate::content::ContentHash;
use crate::journal::{Folded, LogId};
use crate::manifest::Manifest;
use crate::moment::Moment;
use crate::pack::{self, Pack, PackBuilder};
use crate::tree::{FileState, Found, Skip, Tree};

const MEMDUMP: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tools/memdump/memdump.py"
);

fn memdump(folder: &Path, bytes: &[u8]) -> Output {
    let file = folder.join("file");
    std::fs::write(&file, bytes).unwrap();
    Command::new("python3")
        .arg("-B")
        .arg(MEMDUMP)
        .arg(&file)
        .output()
        .unwrap_or_else(|error| panic!("this test needs Python 3.11 as `python3`: {error}"))
}

/// It says the same of the file, and refuses it with any bit of it changed that we refuse.
#[track_caller]
fn reads_the_same(bytes: &[u8], ours: &str, is_refused: impl Fn(&[u8]) -> bool) {
    let folder = tempfile::tempdir().unwrap();
    let output = memdump(folder.path(), bytes);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let theirs = String::from_utf8(output.stdout).unwrap();
    for (number, (ours, theirs)) in ours.lines().zip(theirs.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {}", number + 1);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
    for at in (0..bytes.len()).step_by(bytes.len() / 12 + 1) {
        let mut damaged = bytes.to_vec();
        damaged[at] ^= 1 << (at % 8);
        assert!(is_refused(&damaged), "byte {at}");
        let output = memdump(folder.path(), &damaged);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "byte {at}: {said}");
        assert!(said.lines().count() == 1, "{said}");
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn terms<S: Source>(words: &Reader<S>, page: &mut String) {
    for term in words.terms().unwrap() {
        let (term, _) = term.unwrap();
        writeln!(page, "term {}", quoted(&String::from_utf8_lossy(&term))).unwrap();
        let mut postings = Vec::new();
        words.postings(&term, &mut postings).unwrap();
        for posting in postings {
            writeln!(page, "  {} {}", posting.doc.0, posting.frequency).unwrap();
        }
    }
}

fn identity(n: u64) -> Identity {
    Identity {
        dev: 1,
        inode: n,
        size: 30,
        mtime_ns: -4,
        ctime_ns: 5,
    }
}

fn path(text: &str) -> TreePath {
    TreePath::new(text).unwrap()
}

#[test]
fn a_manifest() {
    let found = [
        Found::Indexed {
            content: ContentHash::of("fn a() {}"),
            chunks: 1,
            words: 9,
        },
        Found::Skipped(Skip::Binary),
        Found::Skipped(Skip::NotUtf8),
        Found::Refused(Refusal::LeadsOut),
    ];
    let mut tree = Tree::new("/home/\u{201c}ada\u{201d}/api\n");
    tree.rules = Some(RulesVersion::known("1.abc"));
    tree.whole = [path("out"), path("src/gen")].into();
    for n in 0..12u32 {
        let state = FileState {
            identity: identity(u64::from(n)),
            read_at: Moment(i64::from(n) - 3),
            found: found[n as usize % 4].clone(),
        };
        tree.files
            .insert(path(&format!("src/ScrubEnv{n}-é.rs")), state);
    }
    let folded = Folded {
        log: LogId([1, 2, 3, 4, 5, 6, 7, 255]),
        end: 812,
    };
    let bytes = Manifest::of(tree, folded).unwrap().encode().unwrap();
    let manifest = Manifest::open(&bytes).unwrap();
    let mut page = String::from("manifest 1\n");
    writeln!(page, "tree {}", quoted(&manifest.tree.root)).unwrap();
    writeln!(page, "log 01020304050607ff to byte 812").unwrap();
    writeln!(page, "rules \"1.abc\"").unwrap();
    for folder in &manifest.tree.whole {
        writeln!(page, "whole {}", quoted(folder.as_str())).unwrap();
    }
    for (path, state) in &manifest.tree.files {
        let Identity {
            dev,
            inode,
            size,
            mtime_ns,
            ctime_ns,
        } = state.identity;
        writeln!(page, "file {}", quoted(path.as_str())).unwrap();
        writeln!(
            page,
            "  device {dev} inode {inode} size {size} changed {mtime_ns} {ctime_ns}"
        )
        .unwrap();
        writeln!(page, "  read {}", state.read_at.0).unwrap();
        match &state.found {
            Found::Indexed {
                content,
                chunks,
                words,
            } => writeln!(page, "  content {content} chunks {chunks} words {words}"),
            Found::Skipped(skip) => writeln!(page, "  {skip}"),
            Found::Refused(why) => {
                let why = serde_json::to_string(why).unwrap();
                writeln!(page, "  refused {}", quoted(&why))
            }
        }
        .unwrap();
    }
    let words = Reader::open(&manifest.paths).unwrap();
    let lengths = words.lengths().unwrap();
    for ((path, ..), length) in manifest.tree.indexed().zip(lengths.iter()) {
        writeln!(page, "path {} words {length}", quoted(path.as_str())).unwrap();
    }
    terms(&words, &mut page);
    reads_the_same(&bytes, &page, |bytes| {
        crate::manifest::verify_bytes(bytes).is_err()
    });
}

#[test]
fn a_pack() {
    let mut builder = PackBuilder::default();
    for n in 0..30 {
        let text: String = (0..n * 20)
            .map(|line| format!("fn scrub_{line}() {{ max_result_tokens(\"d\u{e9}j\u{e0}\") }}\n"))
            .collect();
        builder.add(ContentHash::of(&text), &text).unwrap();
    }
    let bytes = builder.finish().unwrap();
    let pack = Pack::open(bytes.as_slice()).unwrap();
    let mut page = String::from("pack 1\n");
    let name = pack::name_of(&bytes);
    writeln!(page, "name {}", name.strip_suffix(".pack").unwrap()).unwrap();
    for place in pack.contents() {
        let end = place.first + place.chunks;
        writeln!(
            page,
            "content {} documents {} to {end}",
            place.content, place.first
        )
        .unwrap();
    }
    let lengths = pack.words.lengths().unwrap();
    for (number, (lines, length)) in pack.lines().unwrap().iter().zip(lengths.iter()).enumerate() {
        writeln!(
            page,
            "document {number} lines {} to {} words {length}",
            lines.start, lines.end
        )
        .unwrap();
    }
    terms(&pack.words, &mut page);
    reads_the_same(&bytes, &page, |bytes| pack::verify_bytes(bytes).is_err());
}

#[test]
fn a_collection() {
    let unnamed = Unnamed {
        looked: Moment(-7),
        since: (0..9)
            .map(|n| (ContentHash([n; 32]), Moment(i64::from(n))))
            .collect(),
    };
    let bytes = unnamed.encode();
    assert_eq!(Unnamed::open(&bytes).unwrap(), unnamed);
    let mut page = String::from("collection 1\nlooked -7\n");
    for (content, since) in &unnamed.since {
        writeln!(page, "unnamed {content} since {}", since.0).unwrap();
    }
    reads_the_same(&bytes, &page, |bytes| Unnamed::open(bytes).is_err());
}

#[test]
fn another_file() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [&b"memtree2"[..], b"mempack", b"memcoll1"] {
        let output = memdump(folder.path(), bytes);
        assert_eq!(output.status.code(), Some(1));
    }
}
