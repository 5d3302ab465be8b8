//! A shard gives back what was written, and refuses whatever was not.

use super::content::{bits, changes};
use super::*;
use memfold_disk::Links;
use memfold_fold::document::DocumentKind;
use memfold_segment::{Builder, Encoded};

fn encode(words: Encoded, columns: Columns) -> Vec<u8> {
    let content = ShardContent::new(words, columns).unwrap();
    let bytes = content.pieces().collect::<Vec<_>>().concat();
    assert_eq!(content.size(), bytes.len() as u64);
    bytes
}

fn words() -> Encoded {
    let mut builder = Builder::new();
    for words in [["fold", "log"], ["log", "log"], ["tail", "card"]] {
        words
            .iter()
            .for_each(|word| builder.add(word.as_bytes(), 1));
        builder.finish_document().unwrap();
    }
    builder.encode(0..3, &|_| {}).unwrap()
}

fn made() -> (Vec<u8>, Columns) {
    let columns = Columns {
        sittings: vec![0, 0, 1],
        kinds: vec![
            DocumentKind::Person,
            DocumentKind::Compaction,
            DocumentKind::Reply,
        ],
        times: vec![Some(5), None, Some(-5)],
        dead: vec![1],
        keys: vec![(3, 0), (9, 1), (u64::MAX, 2)],
    };
    (encode(words(), columns.clone()), columns)
}

fn shard(dir: &std::path::Path, bytes: &[u8]) -> Result<Arc<Shard>, RollupError> {
    let path = dir.join("shard");
    std::fs::write(&path, bytes).unwrap();
    Shard::open(Snapshot::open(&path, Links::Refuse).unwrap(), &row(bytes)).map(Arc::new)
}

/// The row that a catalogue has for the shard of these bytes.
fn row(bytes: &[u8]) -> ShardRow {
    let documents = bytes.get(8..).and_then(|rest| rest.first_chunk());
    ShardRow {
        name: Name::of(bytes),
        documents: documents.map_or(0, |documents| u32::from_le_bytes(*documents)),
        bytes: bytes.len() as u64,
    }
}

/// A term, and how many documents hold it.
type Term = (Vec<u8>, u32);

/// Everything that a shard answers.
fn told(shard: &Arc<Shard>) -> Result<(Columns, Vec<Term>), RollupError> {
    let sittings = shard.sittings()?;
    let columns = Columns {
        sittings: (0..shard.documents())
            .map(|document| sittings.between(0, document))
            .collect(),
        kinds: shard.kinds()?,
        times: shard.times()?,
        dead: shard.dead()?,
        keys: shard.keys()?,
    };
    let filter = shard.filter()?;
    assert!(columns.keys.iter().all(|(key, _)| filter.may_hold(*key)));
    let keys = columns.keys.iter().map(|(key, _)| *key);
    assert_eq!(shard.with_keys(keys.chain([4, 10]))?, columns.keys);
    let words = shard.words()?;
    words.verify()?;
    let terms = words.terms()?.collect::<Result<_, _>>()?;
    Ok((columns, terms))
}

#[test]
fn what_was_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, columns) = made();
    verify_bytes(&bytes).unwrap();
    let (read, terms) = told(&shard(dir.path(), &bytes).unwrap()).unwrap();
    assert_eq!(read, columns);
    assert_eq!(terms.len(), 4);
}

#[test]
fn sittings_are_counted_from_any_document() {
    let numbers: Vec<u32> = (0..100u32).map(|n| n / 3 * 5 + n % 7 / 6).collect();
    let sittings = Sittings::of(&bits(&changes(&numbers)));
    for first in 0..100 {
        for document in first..100 {
            let ended = (first..document)
                .filter(|n| numbers[*n as usize] != numbers[*n as usize + 1])
                .count();
            assert_eq!(sittings.between(first, document) as usize, ended);
        }
    }
    assert_eq!(sittings.between(90, 2000), sittings.between(90, 99));
}

#[test]
fn keys_are_found_across_groups() {
    let dir = tempfile::tempdir().unwrap();
    let words = Builder::new().encode(0..0, &|_| {}).unwrap();
    let keys: Vec<(u64, u32)> = (0..1500u32)
        .map(|n| (u64::from(n / 500 + 1) << 40, n))
        .collect();
    let columns = Columns {
        keys: keys.clone(),
        ..Columns::default()
    };
    let shard = shard(dir.path(), &encode(words, columns)).unwrap();
    for (number, part) in (1u64..).zip(keys.chunks(500)) {
        assert_eq!(
            shard.with_keys([number << 40, 5].into_iter()).unwrap(),
            part
        );
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, _) = made();
    let whole = told(&shard(dir.path(), &bytes).unwrap()).unwrap();
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        assert!(verify_bytes(&bytes).is_err(), "byte {place}");
        if let Ok(told) = shard(dir.path(), &bytes).and_then(|shard| told(&shard)) {
            assert_eq!(told, whole, "byte {place}");
        }
        assert!(verify_bytes(&bytes[..place]).is_err(), "{place} bytes");
        assert!(shard(dir.path(), &bytes[..place]).is_err(), "{place} bytes");
    }
}

#[test]
fn a_shard_under_anothers_name_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, mut other) = made();
    other.times[0] = Some(6);
    let other = encode(words(), other);
    assert_eq!(bytes.len(), other.len());
    let path = dir.path().join("shard");
    std::fs::write(&path, &other).unwrap();
    let opened = |row: &ShardRow| Shard::open(Snapshot::open(&path, Links::Refuse).unwrap(), row);
    assert!(opened(&row(&other)).is_ok());
    assert!(matches!(opened(&row(&bytes)), Err(RollupError::Damaged(_))));
}
