//! A sidecar: any bytes, and any records under right checksums, roots and packing. What passes the full check is read in
//! every way, is written again as it was, and can be gone on from.

use memfold_fold::Fold;
use memfold_fold::past::Past;
use memfold_log::{Lines, Offset, Position};
use memfold_segment::{Builder, Encoded, Reader};
use memfold_sidecar::binding::Binding;
use memfold_sidecar::{MAGIC, Sidecar, SidecarError, Tag, dump, encode, verify_bytes};
use sha2::{Digest, Sha256};

use crate::parts::{self, array};
use crate::segment;

/// A whole file, told by its magic; or parts: the head, then sections as their letter and their content, a section of records
/// as its counts and then a part for each group, unpacked.
pub fn run(bytes: &[u8]) {
    if bytes.starts_with(&MAGIC) {
        holds(bytes);
    } else {
        holds(&assembled(bytes));
    }
}

/// How a section is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    /// As it is.
    Plain,
    /// In groups, with the first record's key: so many bytes of a group at a place, or 0.
    Grouped { at: usize, bytes: usize },
}

/// The sections in the table's order, each with its letter.
const SECTIONS: [(u8, Tag, Stored); 11] = [
    (b'B', Tag::BLKH, Stored::Plain),
    (b'C', Tag::CARD, Stored::Grouped { at: 8, bytes: 4 }),
    (b'K', Tag::CKPT, Stored::Grouped { at: 0, bytes: 0 }),
    (b'N', Tag::DLEN, Stored::Plain),
    (b'D', Tag::DOCS, Stored::Grouped { at: 8, bytes: 8 }),
    (b'E', Tag::KEYS, Stored::Plain),
    (b'L', Tag::LINK, Stored::Grouped { at: 36, bytes: 8 }),
    (b'P', Tag::PAST, Stored::Grouped { at: 8, bytes: 8 }),
    (b'W', Tag::POST, Stored::Plain),
    (b'M', Tag::TBLK, Stored::Plain),
    (b'T', Tag::TERM, Stored::Plain),
];

/// The letter of the part that holds the head's own fields: fold version, parameters, covered length, next line, form.
const HEAD: u8 = b'H';

/// The parts of a sidecar that is sound.
pub fn parts_of(file: &[u8]) -> Vec<Vec<u8>> {
    let sidecar = Sidecar::open(file).unwrap();
    let mut head = vec![HEAD];
    head.extend_from_slice(&file[28..80]);
    head.push(file[104]);
    let mut parts = vec![head];
    for (letter, tag, stored) in SECTIONS {
        let Ok(section) = sidecar.section(tag) else {
            continue;
        };
        if stored == Stored::Plain {
            parts.push([&[letter], &*section].concat());
            continue;
        }
        parts.push([&[letter], &section[..12]].concat());
        let groups = u32::from_le_bytes(array(&section, 12)) as usize;
        let mut at = 16 + 20 * groups + 4;
        for row in (0..groups).map(|group| 16 + 20 * group) {
            let [stored, length] =
                [8, 12].map(|field| u32::from_le_bytes(array(&section, row + field)) as usize);
            let packed = &section[at..at + stored];
            let raw = if stored == length {
                packed.to_vec()
            } else {
                zstd::bulk::decompress(packed, length).unwrap()
            };
            parts.push([&[letter], &*raw].concat());
            at += stored;
        }
    }
    parts
}

/// The file of these parts. All that only repeats what they say is put right.
pub fn assembled(bytes: &[u8]) -> Vec<u8> {
    let parts = parts::split(bytes);
    let of = |letter: u8| -> Vec<&[u8]> {
        let own = parts.iter().filter(|part| part.first() == Some(&letter));
        own.map(|part| &part[1..]).collect()
    };
    let joined = |letter: u8| of(letter).concat();
    let segment = segment::mended(Encoded {
        terms: joined(b'T'),
        blocks: joined(b'M'),
        postings: joined(b'W'),
        lengths: joined(b'N'),
        ..Encoded::default()
    });
    let fields = joined(HEAD);
    let records = |letter: u8| array::<8>(&joined(letter), 0);

    let mut sections = Vec::new();
    for (letter, tag, stored) in SECTIONS {
        let content = match (tag, stored) {
            (Tag::PAST, _) if of(letter).is_empty() => continue,
            (Tag::TERM, _) => plain(segment.terms.clone()),
            (Tag::TBLK, _) => plain(segment.blocks.clone()),
            (Tag::POST, _) => plain(segment.postings.clone()),
            (Tag::DLEN, _) => plain(segment.lengths.clone()),
            (_, Stored::Plain) => plain(joined(letter)),
            (_, Stored::Grouped { at, bytes }) => grouped(&of(letter), at, bytes),
        };
        sections.push((tag, content));
    }

    let covered = array::<8>(&fields, 36);
    let mut root = Sha256::new();
    root.update(b"memfold log root 1\n");
    root.update(covered);
    root.update(joined(b'B'));

    // From the fold's version to the log's root, as the page of the format has it.
    let mut identity = Vec::new();
    identity.extend(array::<36>(&fields, 0));
    identity.extend(covered);
    identity.extend(array::<8>(&fields, 44));
    identity.extend(records(b'D'));
    identity.extend(records(b'C'));
    identity.extend(array::<8>(&segment.terms, 8));
    identity.extend([fields.get(52).copied().unwrap_or(0), 0, 0, 0]);
    identity.extend([0; 4]);
    identity.extend(root.finalize());

    let mut root = Sha256::new();
    root.update(b"memfold sidecar content 1\n");
    root.update(&identity);
    for (tag, content) in &sections {
        root.update(tag.0);
        root.update((content.unpacked.len() as u64).to_le_bytes());
        root.update(Sha256::digest(&content.unpacked));
    }
    file(&identity, &root.finalize(), &sections)
}

/// A section as it is stored, and as its content is hashed.
struct Content {
    stored: Vec<u8>,
    unpacked: Vec<u8>,
}

fn plain(bytes: Vec<u8>) -> Content {
    Content {
        stored: bytes.clone(),
        unpacked: bytes,
    }
}

/// Records: their counts, then the groups.
fn grouped(parts: &[&[u8]], at: usize, bytes: usize) -> Content {
    let counts = parts.first().copied().unwrap_or_default();
    let groups = parts.get(1..).unwrap_or_default();
    let mut index: Vec<u8> = array::<12>(counts, 0).to_vec();
    index.extend((groups.len() as u32).to_le_bytes());
    let mut unpacked = index.clone();
    let mut packed = Vec::new();
    for raw in groups {
        let frame = zstd::bulk::compress(raw, 3).unwrap();
        let stored = if frame.len() < raw.len() && raw.len() <= 256 * frame.len() + 4096 {
            &frame[..]
        } else {
            raw
        };
        let mut key = array::<8>(raw, at);
        key[bytes..].fill(0);
        index.extend(key);
        index.extend((stored.len() as u32).to_le_bytes());
        index.extend((raw.len() as u32).to_le_bytes());
        index.extend(crc32fast::hash(stored).to_le_bytes());
        packed.extend_from_slice(stored);
        unpacked.extend_from_slice(raw);
    }
    index.extend(crc32fast::hash(&index).to_le_bytes());
    index.extend(packed);
    Content {
        stored: index,
        unpacked,
    }
}

fn file(identity: &[u8], root: &[u8], sections: &[(Tag, Content)]) -> Vec<u8> {
    let head = 176 + 32 * sections.len() + 8;
    let mut rows = Vec::new();
    let mut body = Vec::new();
    for (tag, content) in sections {
        rows.extend(tag.0);
        rows.extend(1u32.to_le_bytes());
        rows.extend(((head + body.len()) as u64).to_le_bytes());
        rows.extend((content.stored.len() as u64).to_le_bytes());
        rows.extend(crc32fast::hash(&content.stored).to_le_bytes());
        rows.extend([0; 4]);
        body.extend_from_slice(&content.stored);
        body.resize(body.len().next_multiple_of(8), 0);
    }
    let mut file = MAGIC.to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend((head as u32).to_le_bytes());
    file.extend(((head + body.len()) as u64).to_le_bytes());
    file.extend((sections.len() as u32).to_le_bytes());
    file.extend_from_slice(identity);
    file.extend_from_slice(root);
    file.extend(rows);
    file.extend([0; 4]);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file.extend(body);
    file
}

fn holds(file: &[u8]) {
    let sound = verify_bytes(file).is_ok();
    let Ok(sidecar) = Sidecar::open(file) else {
        assert!(!sound);
        return;
    };
    let read = sidecar
        .sections()
        .map(|(tag, _)| tag)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|tag| read_part(&sidecar, tag))
        .fold(Ok(()), Result::and);
    let text = dump::text(&sidecar);
    let records = sidecar.decode_records();
    let sealed = sidecar.decode_sealed();
    let past = sidecar.waypoints().map(|waypoints| Past::of(&waypoints));
    if let Ok(past) = past {
        let next = sidecar.header().covered.next.get();
        for seq in [0, 1, 2, next / 2, next] {
            assert!(!(past.is_live(seq) && past.is_abandoned(seq)));
        }
    }
    if !sound {
        return;
    }
    read.unwrap();
    let binding = sidecar.binding().unwrap();
    let sealed = sealed.unwrap();
    let header = sidecar.header();
    let again = encode(&sealed, header.fold, &binding, header.form).unwrap();
    verify_bytes(&again).unwrap();
    // The root knows how many records a group holds.
    let all_but_root = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("content root"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let told = dump::text(&Sidecar::open(&again).unwrap()).unwrap();
    assert_eq!(all_but_root(&told), all_but_root(&text.unwrap()));
    if groups_are_ours(&sidecar) {
        assert!(again == file, "written again it is another file");
    }
    goes_on(&sidecar, records.unwrap(), &binding);
}

/// Reads a section in the way that a search or a fold does: never whole where a part will do.
fn read_part(sidecar: &Sidecar<&[u8]>, tag: Tag) -> Result<(), SidecarError> {
    let last = sidecar.header().covered.next.get().saturating_sub(1);
    match tag {
        Tag::BLKH => sidecar.binding().map(drop),
        Tag::CARD => {
            let cards = sidecar.header().cards;
            (0..cards.min(200)).try_for_each(|n| {
                let card = sidecar.card(n)?;
                sidecar.cards_of(card.turn).map(drop)
            })?;
            sidecar.cards(cards / 2..u32::MAX).map(drop)
        }
        Tag::CKPT => sidecar.checkpoint().map(drop),
        Tag::DOCS => {
            let documents = sidecar.header().documents;
            (0..documents.min(200)).step_by(8).try_for_each(|n| {
                let document = sidecar.document(n)?;
                sidecar.document_of(document.seq).map(drop)
            })?;
            sidecar.documents(documents / 2..u32::MAX).map(drop)
        }
        Tag::KEYS => sidecar.keys().map(drop),
        Tag::LINK => {
            sidecar.links_of_call(1)?;
            sidecar.links_of_result(last).map(drop)
        }
        Tag::PAST => sidecar.waypoints().map(drop),
        _ => {
            let words = Reader::open(sidecar.words()?)?;
            words.lengths()?;
            words.prefix(b"", usize::MAX, |_, _| {})?;
            Ok(())
        }
    }
}

/// Whether records lie in groups of the size that our writer gives them.
fn groups_are_ours(sidecar: &Sidecar<&[u8]>) -> bool {
    let ours = [
        (Tag::CARD, 16),
        (Tag::CKPT, 1),
        (Tag::DOCS, 32),
        (Tag::LINK, 128),
        (Tag::PAST, 512),
    ];
    ours.iter().all(|(tag, size)| match sidecar.section(*tag) {
        // Without records we write no section of them.
        Ok(section) if *tag == Tag::PAST && array(&section, 0) == [0; 8] => false,
        Ok(section) => u32::from_le_bytes(array(&section, 8)) == *size,
        Err(_) => true,
    })
}

/// A line of each sort that a fold keeps state for.
const LINES: &[u8] = br#"{"v":1,"kind":"result","results":[{"call":"call-1","text":"one"},{"call":"","tool":"Bash","text":"two"}]}
{"v":1,"kind":"reply","id":"e7","text":"","calls":[{"id":"c9","tool":"Bash","input":{"command":"ls"}}]}
{"v":1,"kind":"turn.end"}
{"v":1,"kind":"person","text":"and then","time":"2026-03-01T00:00:00Z"}
{"v":1,"kind":"compaction","text":"left out"}
"#;

/// The fold goes on from the records, whatever they say, for a sidecar and for a search.
fn goes_on(
    sidecar: &Sidecar<&[u8]>,
    records: memfold_fold::checkpoint::Records,
    binding: &Binding,
) {
    let agent = memfold_agents::by_name("memfold").unwrap();
    let covered = records.covered;
    let from = Position {
        offset: covered.end,
        seq: covered.next,
    };
    assert_eq!(binding.covered, covered.end.0);
    let words = Reader::open(sidecar.words().unwrap()).unwrap();
    let whole = Fold::resume(agent, records, Builder::resume(&words).unwrap());
    let keys = sidecar.keys().unwrap();
    let waypoints = sidecar.waypoints().unwrap();
    let tail = Fold::after(
        agent,
        covered,
        sidecar.checkpoint().unwrap(),
        &keys,
        &waypoints,
    );
    let _ = fed(whole, from).finish();
    let _ = fed(tail, from).into_tail();
}

fn fed(mut fold: Fold, from: Position) -> Fold {
    let end = Offset(from.offset.0.saturating_add(LINES.len() as u64));
    let mut lines = Lines::new(LINES, from, end);
    while let Ok(Some(line)) = lines.next(&mut |_| {}) {
        fold.line(&line).unwrap();
    }
    fold
}
