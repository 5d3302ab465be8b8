//! A shard: some logs' words, each term once, and beside them, a column each, what ranking and filters ask of a document.
//! Opened by its head alone; a column is read whole and checked when it is asked for, the words as the segment reads them.

use std::borrow::Cow;
use std::io::{self, ErrorKind};

use memfold_disk::Snapshot;
use memfold_fold::document::DocumentKind;
use memfold_segment::{Encoded, Reader, Section, Source};

use crate::bytes::{Input, length};
use crate::error::RollupError;
use crate::keys::KeyFilter;

/// What a shard begins with: a name and its version.
const MAGIC: &[u8; 8] = b"memshrd1";

/// The sections, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Documents that do not count, since another log has the same event: ascending u32.
    Dead,
    /// A bit for each document, lowest first: whether it is of another sitting than the one before it.
    Sittings,
    /// A kind for each document: a byte.
    Kinds,
    /// A time for each document: i64, the least for none.
    Times,
    /// The keys of the logs' events, ascending, each with a document that has it: u64 and u32.
    Keys,
    /// For each [`GROUP`] keys, the first and the checksum of all: u64 and u32.
    Fences,
    /// A [`KeyFilter`] of the keys.
    Filter,
    Terms,
    Blocks,
    Postings,
    Lengths,
}

const PARTS: [Part; 11] = [
    Part::Dead,
    Part::Sittings,
    Part::Kinds,
    Part::Times,
    Part::Keys,
    Part::Fences,
    Part::Filter,
    Part::Terms,
    Part::Blocks,
    Part::Postings,
    Part::Lengths,
];

/// The bytes of a section's row, and of the head.
const ROW: usize = 20;
const HEAD: usize = MAGIC.len() + 4 + PARTS.len() * ROW + 4;
/// The bytes of a key and its document, and of a fence.
const KEY: usize = 12;
/// So many keys have a checksum of their own: one is looked up by one read.
const GROUP: usize = 256;

/// What a shard holds of its documents beside their words, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The sitting of each; of two documents of a log it says whether they are of the same.
    pub sittings: Vec<u32>,
    /// The kind of each.
    pub kinds: Vec<DocumentKind>,
    /// When each happened, in milliseconds since 1970.
    pub times: Vec<Option<i64>>,
    /// The documents that do not count, ascending.
    pub dead: Vec<u32>,
    /// Keys of events, each with a document that has it; 0 is none.
    pub keys: Vec<(u64, u32)>,
}

/// The bytes of a shard.
///
/// # Errors
/// If it would be too large for the format.
pub fn encode(words: &Encoded, mut columns: Columns) -> Result<Vec<u8>, RollupError> {
    let documents = words.documents;
    let rows = usize::try_from(documents).unwrap_or(usize::MAX);
    if [
        columns.sittings.len(),
        columns.kinds.len(),
        columns.times.len(),
    ] != [rows; 3]
    {
        return Err(RollupError::TooLarge("a column of another length"));
    }
    columns.keys.retain(|(key, _)| *key != 0);
    columns.keys.sort_unstable();
    columns.keys.dedup();
    let mut filter = KeyFilter::for_documents(columns.keys.len().div_ceil(2));
    columns.keys.iter().for_each(|(key, _)| filter.add(*key));

    let mut head = MAGIC.to_vec();
    head.extend_from_slice(&documents.to_le_bytes());
    let mut body = Vec::new();
    for part in PARTS {
        let section: Cow<'_, [u8]> = match part {
            Part::Dead => columns.dead.iter().flat_map(|n| n.to_le_bytes()).collect(),
            Part::Sittings => bits(&changes(&columns.sittings)).into(),
            Part::Kinds => columns.kinds.iter().map(|kind| byte_of(*kind)).collect(),
            Part::Times => columns
                .times
                .iter()
                .flat_map(|time| time.unwrap_or(i64::MIN).to_le_bytes())
                .collect(),
            Part::Keys => pairs(&columns.keys).into(),
            Part::Fences => columns
                .keys
                .chunks(GROUP)
                .flat_map(|group| {
                    let first = group.first().map_or(0, |(key, _)| *key);
                    pairs(&[(first, crc32fast::hash(&pairs(group)))])
                })
                .collect(),
            Part::Filter => filter.to_bytes().into(),
            Part::Terms => Cow::Borrowed(&words.terms),
            Part::Blocks => Cow::Borrowed(&words.blocks),
            Part::Postings => Cow::Borrowed(&words.postings),
            Part::Lengths => Cow::Borrowed(&words.lengths),
        };
        let at = HEAD as u64 + body.len() as u64;
        head.extend_from_slice(&at.to_le_bytes());
        head.extend_from_slice(&u64::from(length(&section)?).to_le_bytes());
        head.extend_from_slice(&crc32fast::hash(&section).to_le_bytes());
        body.extend_from_slice(&section);
    }
    head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
    head.append(&mut body);
    Ok(head)
}

/// For each number, whether it is another than the one before it.
fn changes(numbers: &[u32]) -> Vec<bool> {
    let before = std::iter::once(None).chain(numbers.iter().map(Some));
    numbers
        .iter()
        .zip(before)
        .map(|(number, before)| before.is_some_and(|before| before != number))
        .collect()
}

fn bits(flags: &[bool]) -> Vec<u8> {
    let byte = |flags: &[bool]| {
        (0..)
            .zip(flags)
            .fold(0, |byte, (place, flag)| byte | u8::from(*flag) << place)
    };
    flags.chunks(8).map(byte).collect()
}

fn pairs(pairs: &[(u64, u32)]) -> Vec<u8> {
    pairs
        .iter()
        .flat_map(|(key, of)| key.to_le_bytes().into_iter().chain(of.to_le_bytes()))
        .collect()
}

fn pairs_of(bytes: &[u8]) -> Vec<(u64, u32)> {
    let (pairs, _) = bytes.as_chunks::<KEY>();
    pairs
        .iter()
        .filter_map(|pair| {
            let (key, rest) = pair.split_first_chunk()?;
            Some((
                u64::from_le_bytes(*key),
                u32::from_le_bytes(*rest.first_chunk()?),
            ))
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

fn byte_of(kind: DocumentKind) -> u8 {
    let place = KINDS.iter().position(|other| *other == kind);
    place
        .and_then(|place| u8::try_from(place).ok())
        .unwrap_or(u8::MAX)
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    at: u64,
    length: u64,
    crc: u32,
}

/// An open shard.
#[derive(Debug)]
pub struct Shard {
    file: Snapshot,
    documents: u32,
    rows: [Row; PARTS.len()],
}

impl Shard {
    /// Opens a shard by its head.
    ///
    /// # Errors
    /// If it cannot be read, is another version's, or its head is damaged.
    pub fn open(file: Snapshot) -> Result<Shard, RollupError> {
        let head = file.read_at(0, HEAD).map_err(io::Error::other)?;
        let (documents, rows) = head_of(&head, file.len())?;
        Ok(Shard {
            file,
            documents,
            rows,
        })
    }

    /// How many documents it holds, those that do not count included.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Its words.
    ///
    /// # Errors
    /// If they cannot be read or are damaged.
    pub fn words(&self) -> Result<Reader<ShardWords<'_>>, RollupError> {
        let reader = Reader::open(ShardWords { shard: self })?;
        if reader.documents() == self.documents {
            Ok(reader)
        } else {
            Err(RollupError::Damaged("words of other documents"))
        }
    }

    /// The documents that do not count, ascending.
    ///
    /// # Errors
    /// If the column cannot be read or is damaged. So with those below.
    pub fn dead(&self) -> Result<Vec<u32>, RollupError> {
        self.numbers(Part::Dead)
    }

    /// Where sittings end.
    ///
    /// # Errors
    /// As [`Shard::dead`].
    pub fn sittings(&self) -> Result<Sittings, RollupError> {
        self.section(Part::Sittings).map(Sittings)
    }

    /// The kind of each document.
    ///
    /// # Errors
    /// As [`Shard::dead`].
    pub fn kinds(&self) -> Result<Vec<DocumentKind>, RollupError> {
        let kind = |byte: &u8| KINDS.get(usize::from(*byte)).copied();
        self.section(Part::Kinds)?
            .iter()
            .map(kind)
            .collect::<Option<_>>()
            .ok_or(RollupError::Damaged("a kind that there is not"))
    }

    /// When each document happened.
    ///
    /// # Errors
    /// As [`Shard::dead`].
    pub fn times(&self) -> Result<Vec<Option<i64>>, RollupError> {
        let bytes = self.section(Part::Times)?;
        let (times, _) = bytes.as_chunks();
        let time =
            |bytes: &[u8; 8]| Some(i64::from_le_bytes(*bytes)).filter(|time| *time != i64::MIN);
        Ok(times.iter().map(time).collect())
    }

    /// A set that holds all keys of its events.
    ///
    /// # Errors
    /// As [`Shard::dead`].
    pub fn filter(&self) -> Result<KeyFilter, RollupError> {
        KeyFilter::from_bytes(&self.section(Part::Filter)?).ok_or(RollupError::Damaged(
            "a filter of a size that no filter has",
        ))
    }

    /// Of some keys, those of its events, each with the documents that have it. The others cost nothing, nearly always.
    ///
    /// # Errors
    /// As [`Shard::dead`].
    pub fn with_keys(
        &self,
        keys: impl Iterator<Item = u64>,
    ) -> Result<Vec<(u64, u32)>, RollupError> {
        let filter = self.filter()?;
        let mut maybe: Vec<u64> = keys.filter(|key| filter.may_hold(*key)).collect();
        maybe.sort_unstable();
        maybe.dedup();
        let mut found = Vec::new();
        if maybe.is_empty() {
            return Ok(found);
        }
        let fences = pairs_of(&self.section(Part::Fences)?);
        let row = self.row(Part::Keys);
        let mut read: Option<(usize, Vec<(u64, u32)>)> = None;
        for key in maybe {
            // A key's documents may go on in the groups that follow.
            let mut group = fences
                .partition_point(|(first, _)| *first < key)
                .saturating_sub(1);
            while let Some((_, crc)) = fences.get(group).filter(|(first, _)| *first <= key) {
                if read.as_ref().is_none_or(|(known, _)| *known != group) {
                    read = Some((group, self.group(row, group, *crc)?));
                }
                let pairs = read.as_ref().map_or(&[][..], |(_, pairs)| pairs);
                let from = pairs.partition_point(|(other, _)| *other < key);
                found.extend(
                    pairs
                        .iter()
                        .skip(from)
                        .take_while(|(other, _)| *other == key),
                );
                group += 1;
            }
        }
        Ok(found)
    }

    fn group(&self, row: Row, group: usize, crc: u32) -> Result<Vec<(u64, u32)>, RollupError> {
        let at = (group as u64).saturating_mul((GROUP * KEY) as u64);
        let length = row.length.saturating_sub(at).min((GROUP * KEY) as u64);
        let bytes = self
            .file
            .read_at(row.at.saturating_add(at), length as usize)
            .map_err(io::Error::other)?;
        if crc32fast::hash(&bytes) == crc {
            Ok(pairs_of(&bytes))
        } else {
            Err(RollupError::Damaged("a checksum that does not match"))
        }
    }

    /// The keys of its events, ascending, each with a document that has it.
    ///
    /// # Errors
    /// As [`Shard::dead`].
    pub fn keys(&self) -> Result<Vec<(u64, u32)>, RollupError> {
        self.section(Part::Keys).map(|bytes| pairs_of(&bytes))
    }

    fn numbers(&self, part: Part) -> Result<Vec<u32>, RollupError> {
        let bytes = self.section(part)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().map(|n| u32::from_le_bytes(*n)).collect())
    }

    fn section(&self, part: Part) -> Result<Vec<u8>, RollupError> {
        let row = self.row(part);
        let length = usize::try_from(row.length).map_err(|_| RollupError::Damaged("a length"))?;
        let bytes = self
            .file
            .read_at(row.at, length)
            .map_err(io::Error::other)?;
        if crc32fast::hash(&bytes) == row.crc {
            Ok(bytes)
        } else {
            Err(RollupError::Damaged("a checksum that does not match"))
        }
    }

    fn row(&self, part: Part) -> Row {
        self.rows.get(part as usize).copied().unwrap_or_default()
    }
}

/// The sections' rows: one after another to the file's end, each column of the length that the documents give it.
fn head_of(head: &[u8], file: u64) -> Result<(u32, [Row; PARTS.len()]), RollupError> {
    let Some(rest) = head.strip_prefix(MAGIC) else {
        return Err(if head.starts_with(b"memshrd") {
            RollupError::OtherVersion
        } else {
            RollupError::Damaged("not a shard")
        });
    };
    let (content, crc) = head
        .split_last_chunk()
        .ok_or(RollupError::Damaged("ends too early"))?;
    if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
        return Err(RollupError::Damaged("a head whose checksum does not match"));
    }
    let mut input = Input(rest);
    let documents = input.u32()?;
    let mut rows = [Row::default(); PARTS.len()];
    let mut end = HEAD as u64;
    for (row, part) in rows.iter_mut().zip(PARTS) {
        *row = Row {
            at: input.u64()?,
            length: input.u64()?,
            crc: input.u32()?,
        };
        let each = |width: u64| row.length == u64::from(documents) * width;
        let fits = match part {
            Part::Dead => row.length.is_multiple_of(4) && row.length <= u64::from(documents) * 4,
            Part::Sittings => row.length == u64::from(documents).div_ceil(8),
            Part::Kinds => each(1),
            Part::Times => each(8),
            Part::Keys | Part::Fences => row.length.is_multiple_of(KEY as u64),
            _ => true,
        };
        if row.at != end || !fits {
            return Err(RollupError::Damaged("a section out of its place"));
        }
        end = end
            .checked_add(row.length)
            .ok_or(RollupError::Damaged("a section without an end"))?;
    }
    if end != file {
        return Err(RollupError::Damaged("another length than its head says"));
    }
    Ok((documents, rows))
}

/// Where a shard's sittings end. Those of a log are numbered by its own documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sittings(Vec<u8>);

impl Sittings {
    /// How many sittings end between two documents of a log.
    pub fn between(&self, first: u32, document: u32) -> u32 {
        let to = (document as usize + 1).min(self.0.len() * 8);
        let mut ended = 0;
        let mut at = first as usize + 1;
        while at < to {
            let byte = self.0.get(at / 8).copied().unwrap_or(0) >> (at % 8);
            let next = (at / 8 * 8 + 8).min(to);
            let kept = u8::MAX >> (8 - (next - at));
            ended += (byte & kept).count_ones();
            at = next;
        }
        ended
    }
}

/// The words of a shard, as a segment reads them.
#[derive(Clone, Copy, Debug)]
pub struct ShardWords<'s> {
    shard: &'s Shard,
}

impl Source for ShardWords<'_> {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        let row = self.shard.row(part_of(section));
        let end = u64::try_from(len).ok().and_then(|len| at.checked_add(len));
        match (end, row.at.checked_add(at)) {
            (Some(end), Some(from)) if end <= row.length => self
                .shard
                .file
                .read_at(from, len)
                .map(Cow::Owned)
                .map_err(io::Error::other),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    fn len(&self, section: Section) -> u64 {
        self.shard.row(part_of(section)).length
    }
}

fn part_of(section: Section) -> Part {
    match section {
        Section::Terms => Part::Terms,
        Section::Blocks => Part::Blocks,
        Section::Postings => Part::Postings,
        Section::Lengths => Part::Lengths,
    }
}

/// Checks every byte of a shard, and every rule of its words.
///
/// # Errors
/// The first fault found.
pub fn verify_bytes(bytes: &[u8]) -> Result<(), RollupError> {
    let head = bytes
        .get(..HEAD)
        .ok_or(RollupError::Damaged("ends too early"))?;
    let (documents, rows) = head_of(head, bytes.len() as u64)?;
    let mut words = Encoded {
        documents,
        ..Encoded::default()
    };
    for (row, part) in rows.iter().zip(PARTS) {
        let from = usize::try_from(row.at).unwrap_or(usize::MAX);
        let section = usize::try_from(row.length)
            .ok()
            .and_then(|length| bytes.get(from..from.checked_add(length)?))
            .ok_or(RollupError::Damaged("a section out of its place"))?;
        if crc32fast::hash(section) != row.crc {
            return Err(RollupError::Damaged("a checksum that does not match"));
        }
        match part {
            Part::Terms => words.terms = section.to_vec(),
            Part::Blocks => words.blocks = section.to_vec(),
            Part::Postings => words.postings = section.to_vec(),
            Part::Lengths => words.lengths = section.to_vec(),
            _ => {}
        }
    }
    let stats = Reader::open(&words)?.verify()?;
    if stats.documents == documents {
        Ok(())
    } else {
        Err(RollupError::Damaged("words of other documents"))
    }
}

#[cfg(test)]
mod tests;
