//! Tails kept in the cache: what a search folded after a log's last whole turn, for the next search of the unchanged log. With
//! it, what the log says of itself to its end: a call that was killed may have kept the tail and not the receipt.
//! Disposable, and believed only as far as a receipt is: for the very file that stat names, beside the very sidecar.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use bincode::{Decode, Encode};
use memfold_disk::{Identity, Mark, Mode, publish};
use memfold_fold::Tail;
use memfold_fold::card::Card;
use memfold_fold::codec;
use memfold_fold::document::{Document, Keys, Link};
use memfold_fold::facts::LogFacts;
use memfold_fold::past::Waypoint;
use memfold_segment::Encoded;

use crate::worth::Worth;

/// What the file begins with.
static MARK: LazyLock<Mark> = LazyLock::new(|| Mark::new(b"memtail4"));
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
    let kept = read(path).ok()?;
    (kept.origin == *origin).then_some((kept.tail, kept.facts))
}

/// A kept tail, with what it was folded from.
pub(crate) struct KeptTail {
    pub(crate) origin: Origin,
    pub(crate) tail: Tail,
    pub(crate) facts: LogFacts,
}

/// The tail that a file keeps, whatever it was folded from.
pub(crate) fn read(path: &Path) -> Result<KeptTail, Worth> {
    let file = Worth::open(path, *MARK)?;
    let damaged = |what: &str| Worth::Damaged(what.to_owned());
    let length = usize::try_from(file.len()).map_err(|_| damaged("its length"))?;
    let bytes = file
        .read_at(0, length)
        .map_err(|error| Worth::of_error(&error))?;
    let record = parse(&bytes).ok_or_else(|| damaged("its checksum does not match"))?;
    Ok(KeptTail {
        origin: record.origin,
        facts: record.facts,
        tail: Tail {
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
        },
    })
}

/// Whether a kept tail says what a fold gave.
pub(crate) fn says(kept: &KeptTail, tail: &Tail, facts: &LogFacts) -> bool {
    let kept_body = body(&kept.origin, &kept.tail, &kept.facts);
    match (kept_body, body(&kept.origin, tail, facts)) {
        (Ok(kept), Ok(folded)) => kept == folded,
        _ => false,
    }
}

/// Keeps a tail. That it could not be kept costs time at the next search, and nothing else. A later program's file is left.
pub(crate) fn save(path: &Path, origin: &Origin, tail: &Tail, facts: &LogFacts) -> io::Result<()> {
    let body = body(origin, tail, facts)?;
    let crc = crc32fast::hash(&body).to_le_bytes();
    if let Some(folder) = path.parent() {
        memfold_disk::private_dir(folder).map_err(io::Error::other)?;
    }
    if matches!(Worth::open(path, *MARK), Err(Worth::Newer)) {
        return Err(io::Error::other(Worth::Newer.to_string()));
    }
    let whole = |bytes: &[u8]| {
        MARK.strip(bytes)?
            .strip_prefix(&crc)?
            .strip_prefix(&*body)
            .filter(|rest| rest.is_empty())
            .map(|_| ())
    };
    publish(
        path,
        Mode::Disposable,
        |out| {
            out.write_all(MARK.bytes())
                .and_then(|()| out.write_all(&crc))
                .and_then(|()| out.write_all(&body))
        },
        |bytes| whole(bytes).ok_or_else(|| ErrorKind::InvalidData.into()),
    )
    .map(|_| ())
    .map_err(io::Error::other)
}

fn body(origin: &Origin, tail: &Tail, facts: &LogFacts) -> io::Result<Vec<u8>> {
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
    codec::encode(&record).map_err(io::Error::other)
}

fn parse(bytes: &[u8]) -> Option<Record> {
    let (crc, body) = MARK.strip(bytes)?.split_first_chunk::<4>()?;
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
    use memfold_fold::past::Way;

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

    /// `tools/memdump`, written from `formats/tail.md`, reads a kept tail as this does.
    #[test]
    fn both_readers_say_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("a.jsonl");
        let text = concat!(
            r#"{"v":1,"kind":"person","id":"e1","text":"fix the denylist test","time":"2026-10-02T09:14:03Z"}"#,
            "\n",
            r#"{"v":1,"kind":"reply","text":"I run it.","calls":[{"id":"c1","tool":"Bash","input":{"command":"cargo test"}}]}"#,
            "\n",
            r#"{"v":1,"kind":"result","results":[{"call":"c1","text":"FAILED","exit":101}]}"#,
            "\n",
        );
        std::fs::write(&log, text).unwrap();
        let log = crate::LogFile::open(&log, memfold_log::Form::Lines).unwrap();
        let agent = memfold_agents::by_name("memfold").unwrap();
        let folded = crate::fold_whole(&log, agent).unwrap();
        let (mut tail, facts) = (folded.tail, folded.facts);
        let counts = (tail.documents.len(), tail.links.len(), tail.cards.len());
        assert_eq!(counts, (3, 1, 1));
        tail.waypoints = [(2, Way::Back(1)), (3, Way::Instead(1))]
            .map(|(seq, way)| Waypoint {
                seq,
                name: 7,
                document: Some(2),
                way,
            })
            .into();
        let origin = Origin {
            log: log.identity().to_bytes(),
            content_root: [2; 32],
        };
        let file = path(dir.path(), "x");
        save(&file, &origin, &tail, &facts).unwrap();
        let memdump = |file: &Path| {
            std::process::Command::new("python3")
                .arg("-B")
                .arg(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/../../tools/memdump/memdump.py"
                ))
                .arg(file)
                .output()
                .unwrap()
        };
        let output = memdump(&file);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let ours = crate::dump::tail(&file).unwrap();
        assert_eq!(ours, String::from_utf8(output.stdout).unwrap());
        let sound = std::fs::read(&file).unwrap();
        for at in [7, 9, 13]
            .into_iter()
            .chain((16..sound.len()).step_by(sound.len() / 4))
        {
            let mut bytes = sound.clone();
            bytes[at] ^= 4;
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(memdump(&file).status.code(), Some(1), "byte {at}");
            assert!(read(&file).is_err(), "byte {at}");
        }
    }
}
