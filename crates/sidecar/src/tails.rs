//! Tails kept in the cache: what a search folded after a log's last whole turn, for the next search of the unchanged log. With
//! it, what the log says of itself to its end: a call that was killed may have kept the tail and not the receipt.
//! Disposable, and believed only as far as a receipt is: for the very file that stat names, beside the very sidecar.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use bincode::{Decode, Encode};
use memfold_disk::{Identity, Links, Mode, Snapshot, publish};
use memfold_fold::Tail;
use memfold_fold::card::Card;
use memfold_fold::codec;
use memfold_fold::document::{Document, Keys, Link};
use memfold_fold::facts::LogFacts;
use memfold_fold::past::Waypoint;
use memfold_segment::Encoded;

/// What the file begins with: a name and its version.
const MAGIC: &[u8; 8] = b"memtail3";
/// A tail of fewer bytes of log than these is folded again as fast as it is read.
pub(crate) const WORTH: u64 = 512;

/// What a tail was folded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct Origin {
    /// The log, as stat told it.
    pub(crate) log: [u8; Identity::BYTES],
    /// The content of the sidecar that the tail follows.
    pub(crate) content_root: [u8; 32],
}

#[derive(Encode, Decode)]
struct Record {
    origin: Origin,
    documents: Vec<Document>,
    keys: Vec<(u64, u64)>,
    links: Vec<Link>,
    cards: Vec<Card>,
    first_card: u32,
    waypoints: Vec<Waypoint>,
    terms: Vec<u8>,
    blocks: Vec<u8>,
    postings: Vec<u8>,
    lengths: Vec<u8>,
    segment_documents: u32,
    total_length: u64,
    facts: LogFacts,
}

/// The tail of `origin` with the facts to its end, if it is kept.
pub(crate) fn load(path: &Path, origin: &Origin) -> Option<(Tail, LogFacts)> {
    let file = Snapshot::open(path, Links::Refuse).ok()?;
    let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
    let record = parse(&bytes)?;
    if record.origin != *origin {
        return None;
    }
    let tail = Tail {
        documents: record.documents,
        keys: record
            .keys
            .into_iter()
            .map(|(id, origin)| Keys { id, origin })
            .collect(),
        links: record.links,
        cards: record.cards,
        first_card: record.first_card,
        waypoints: record.waypoints,
        segment: Encoded {
            terms: record.terms,
            blocks: record.blocks,
            postings: record.postings,
            lengths: record.lengths,
            documents: record.segment_documents,
            total_length: record.total_length,
        },
    };
    Some((tail, record.facts))
}

/// Keeps a tail. That it could not be kept costs time at the next search, and nothing else.
pub(crate) fn save(path: &Path, origin: &Origin, tail: &Tail, facts: &LogFacts) -> io::Result<()> {
    let record = Record {
        origin: *origin,
        documents: tail.documents.clone(),
        keys: tail
            .keys
            .iter()
            .map(|keys| (keys.id, keys.origin))
            .collect(),
        links: tail.links.clone(),
        cards: tail.cards.clone(),
        first_card: tail.first_card,
        waypoints: tail.waypoints.clone(),
        terms: tail.segment.terms.clone(),
        blocks: tail.segment.blocks.clone(),
        postings: tail.segment.postings.clone(),
        lengths: tail.segment.lengths.clone(),
        segment_documents: tail.segment.documents,
        total_length: tail.segment.total_length,
        facts: facts.clone(),
    };
    let body = codec::encode(&record).map_err(io::Error::other)?;
    let crc = crc32fast::hash(&body).to_le_bytes();
    if let Some(folder) = path.parent() {
        memfold_disk::private_dir(folder).map_err(io::Error::other)?;
    }
    let whole = |bytes: &[u8]| {
        bytes
            .strip_prefix(MAGIC)?
            .strip_prefix(&crc)?
            .strip_prefix(&*body)
            .filter(|rest| rest.is_empty())
            .map(|_| ())
    };
    publish(
        path,
        Mode::Private,
        |out| {
            out.write_all(MAGIC)
                .and_then(|()| out.write_all(&crc))
                .and_then(|()| out.write_all(&body))
        },
        |bytes| whole(bytes).ok_or_else(|| ErrorKind::InvalidData.into()),
    )
    .map(|_| ())
    .map_err(io::Error::other)
}

fn parse(bytes: &[u8]) -> Option<Record> {
    let (crc, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return None;
    }
    codec::decode(body).ok()
}

/// Where the tail of a log is kept.
pub(crate) fn path(cache: &Path, name: &str) -> PathBuf {
    cache.join("tails").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_kept_for_its_origin_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = path(dir.path(), "x");
        let origin = Origin {
            log: [1; Identity::BYTES],
            content_root: [2; 32],
        };
        let tail = Tail {
            documents: Vec::new(),
            keys: vec![Keys { id: 1, origin: 2 }],
            links: Vec::new(),
            cards: vec![Card {
                title: "a title".to_owned(),
                ..Card::default()
            }],
            first_card: 7,
            waypoints: Vec::new(),
            segment: Encoded {
                terms: vec![3],
                documents: 1,
                ..Encoded::default()
            },
        };
        assert!(load(&file, &origin).is_none());
        let mut facts = LogFacts::default();
        facts.ended.replace(8);
        save(&file, &origin, &tail, &facts).unwrap();
        let (kept, known) = load(&file, &origin).unwrap();
        assert_eq!(known, facts);
        assert_eq!(
            (kept.keys, kept.cards, kept.first_card),
            (tail.keys, tail.cards, 7)
        );
        assert!(
            load(
                &file,
                &Origin {
                    content_root: [3; 32],
                    ..origin
                }
            )
            .is_none()
        );
        let mut bytes = std::fs::read(&file).unwrap();
        for place in 0..bytes.len() {
            bytes[place] ^= 1;
            assert!(parse(&bytes).is_none(), "byte {place}");
            bytes[place] ^= 1;
        }
    }
}
