//! A roll-up: a catalogue of any rows under a right checksum, and a shard of any columns. What can be read is read in every
//! way, and written again it is the same.

use std::borrow::Cow;
use std::sync::Arc;

use memfold_disk::{Links, Mark, Snapshot};
use memfold_rollup::{
    Catalogue, Columns, Name, Program, Shard, ShardContent, ShardRow, verify_bytes,
};
use memfold_segment::{Encoded, Source};

use crate::parts::{self, array};
use crate::{scratch, segment};

/// A catalogue's name, of whatever version: it is read as one of this program's.
const CATALOGUE: &[u8] = b"memroll";
const SHARD: &[u8] = b"memshrd1";
/// A shard's sections, and the last of them that are a segment's: terms, blocks, postings, lengths.
const SECTIONS: usize = 11;
const WORDS: usize = 7;
/// The bytes of a key with its document, and how many of them a fence is for.
const KEY: usize = 12;
const GROUP: usize = 256;

/// A catalogue, told by its magic; a whole shard, likewise; or a shard in parts: the number of documents, then its sections.
pub fn run(bytes: &[u8]) {
    if bytes.starts_with(CATALOGUE) {
        catalogue(bytes.to_vec());
        catalogue(mended(bytes.to_vec()));
    } else if bytes.starts_with(SHARD) {
        shard(bytes);
    } else {
        shard(&assembled(bytes));
    }
}

/// A catalogue with the mark of this program's and a right checksum.
pub(crate) fn mended(mut bytes: Vec<u8>) -> Vec<u8> {
    let empty = Catalogue::encode(&Program::default(), &[], &[]).unwrap_or_default();
    if let Some(rest) = bytes.get(Mark::BYTES + 4..) {
        let crc = crc32fast::hash(rest).to_le_bytes();
        bytes[..Mark::BYTES].copy_from_slice(&empty[..Mark::BYTES]);
        bytes[Mark::BYTES..][..4].copy_from_slice(&crc);
    }
    bytes
}

fn catalogue(bytes: Vec<u8>) {
    let program: Program = array(&bytes, Mark::BYTES + 4);
    let Ok(catalogue) = Catalogue::open(bytes, &program) else {
        return;
    };
    let mut rows = Vec::new();
    for id in catalogue.rows() {
        let row = catalogue.log(id).unwrap();
        catalogue.find(&row.path, &row.identity);
        rows.push(row);
    }
    let again = Catalogue::encode(&program, catalogue.shards(), &rows).unwrap();
    let again = Catalogue::open(again, &program).unwrap();
    assert_eq!(again.shards(), catalogue.shards());
    let mut kept: Vec<_> = again.rows().map(|id| again.log(id).unwrap()).collect();
    let of = |row: &memfold_rollup::LogRow| format!("{row:?}");
    rows.sort_by_cached_key(of);
    kept.sort_by_cached_key(of);
    assert_eq!(kept, rows);
    for row in &rows {
        // Rows that are alike in file and path are for the reader's own tests.
        let found = again.find(&row.path, &row.identity).unwrap();
        assert_eq!(again.path(found), row.path);
    }
}

/// The parts of a shard that is sound.
pub fn parts_of(file: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = vec![file[8..12].to_vec()];
    for section in 0..SECTIONS {
        let row = 12 + 20 * section;
        let [at, length] =
            [0, 8].map(|field| u64::from_le_bytes(array(file, row + field)) as usize);
        parts.push(file[at..at + length].to_vec());
    }
    parts
}

/// The shard of these parts, its checksums put right. Where no fences are given, they are those of the keys.
pub fn assembled(bytes: &[u8]) -> Vec<u8> {
    let parts = parts::split(bytes);
    let mut sections: Vec<Vec<u8>> = (1..=SECTIONS)
        .map(|number| parts::section(&parts, number))
        .collect();
    let mut words = sections.split_off(WORDS).into_iter();
    let mut next = || words.next().unwrap_or_default();
    let words = segment::mended(Encoded {
        terms: next(),
        blocks: next(),
        postings: next(),
        lengths: next(),
        ..Encoded::default()
    });
    if sections[5].is_empty() {
        for group in sections[4].clone().chunks(KEY * GROUP) {
            sections[5].extend(array::<8>(group, 0));
            sections[5].extend(crc32fast::hash(group).to_le_bytes());
        }
    }
    sections.extend([words.terms, words.blocks, words.postings, words.lengths]);
    let mut head = SHARD.to_vec();
    head.extend(array::<4>(parts[0], 0));
    let mut at = 12 + 20 * SECTIONS + 4;
    for section in &sections {
        head.extend((at as u64).to_le_bytes());
        head.extend((section.len() as u64).to_le_bytes());
        head.extend(crc32fast::hash(section).to_le_bytes());
        at += section.len();
    }
    head.extend(crc32fast::hash(&head).to_le_bytes());
    head.extend(sections.concat());
    head
}

/// A catalogue's row for a shard of these bytes.
fn row(bytes: &[u8]) -> ShardRow {
    ShardRow {
        name: Name::of(bytes),
        documents: u32::from_le_bytes(array(bytes.get(8..).unwrap_or_default(), 0)),
        bytes: bytes.len() as u64,
    }
}

fn shard(bytes: &[u8]) {
    let sound = verify_bytes(bytes).is_ok();
    let path = scratch::file("shard", bytes);
    let file = Snapshot::open(&path, Links::Refuse).unwrap();
    let Ok(shard) = Shard::open(file, &row(bytes)).map(Arc::new) else {
        assert!(!sound);
        return;
    };
    let words = shard.words();
    assert!(words.is_ok() || !sound);
    let sections = words.as_ref().ok().map(|words| {
        let read = |section| {
            let source = words.source();
            source
                .read(section, 0, source.len(section) as usize)
                .unwrap_or(Cow::Borrowed(b""))
                .into_owned()
        };
        Encoded {
            terms: read(memfold_segment::Section::Terms),
            blocks: read(memfold_segment::Section::Blocks),
            postings: read(memfold_segment::Section::Postings),
            lengths: read(memfold_segment::Section::Lengths),
            documents: words.documents(),
            total_length: words.total_length(),
        }
    });
    if let Some(words) = &sections {
        segment::holds(words);
    }
    let keys = shard.keys();
    let asked = [0, 1, u64::MAX]
        .into_iter()
        .chain(keys.iter().flatten().map(|(key, _)| *key));
    let _ = shard.with_keys(asked);
    let (Ok(sittings), Ok(kinds), Ok(times), Ok(dead), Ok(keys), Ok(filter)) = (
        shard.sittings(),
        shard.kinds(),
        shard.times(),
        shard.dead(),
        keys,
        shard.filter(),
    ) else {
        return;
    };
    let last = shard.documents();
    for (first, document) in [(0, last), (last / 2, last), (last, 0), (u32::MAX, u32::MAX)] {
        assert!(sittings.between(first, document) <= last.next_multiple_of(8).max(last));
    }
    let Some(words) = sections.filter(|_| sound) else {
        return;
    };
    let _ = filter.may_hold(last.into());
    let columns = Columns {
        sittings: (0..last)
            .map(|document| sittings.between(0, document))
            .collect(),
        kinds,
        times,
        dead,
        keys,
    };
    written_again(words, columns);
}

/// The bytes of a shard.
pub fn written(words: Encoded, columns: Columns) -> Vec<u8> {
    let content = ShardContent::new(words, columns).unwrap();
    content.pieces().collect::<Vec<_>>().concat()
}

fn written_again(words: Encoded, columns: Columns) {
    let bytes = written(words, columns.clone());
    verify_bytes(&bytes).unwrap();
    let path = scratch::file("again", &bytes);
    let shard = Shard::open(Snapshot::open(&path, Links::Refuse).unwrap(), &row(&bytes)).unwrap();
    let sittings = shard.sittings().unwrap();
    let mut expected = columns.keys.clone();
    expected.retain(|(key, _)| *key != 0);
    expected.sort_unstable();
    expected.dedup();
    let read = Columns {
        sittings: (0..shard.documents())
            .map(|document| sittings.between(0, document))
            .collect(),
        kinds: shard.kinds().unwrap(),
        times: shard.times().unwrap(),
        dead: shard.dead().unwrap(),
        keys: shard.keys().unwrap(),
    };
    let keys = expected.iter().map(|(key, _)| *key).chain([7, u64::MAX]);
    let mut found = shard.with_keys(keys).unwrap();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, expected);
    assert_eq!(
        read,
        Columns {
            keys: expected,
            ..columns
        }
    );
}
