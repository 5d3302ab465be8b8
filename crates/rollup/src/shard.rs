//! A shard: some logs' words, each term once, and beside them, a column each, what ranking and filters ask of a document.
//! Opened by its head alone; a column is read whole and checked when it is asked for, the words as the segment reads them.

use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use memfold_disk::Snapshot;
use memfold_fold::document::DocumentKind;
use memfold_segment::{Reader, Section, Source};

use self::layout::{GROUP, KEY, KINDS, MAGIC, PARTS, Part};
use crate::bytes::Input;
use crate::catalogue::{Name, ShardRow};
use crate::error::RollupError;
use crate::keys::KeyFilter;

mod content;
mod layout;

pub use self::content::{Columns, ShardContent};
pub(crate) use self::layout::HEAD;

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

impl Shard {
    /// Opens the shard that a catalogue names, by its head. A file that came under the name is found out by it.
    ///
    /// # Errors
    /// If it cannot be read, is another shard, another version's, or its head is damaged.
    pub fn open(file: Snapshot, row: &ShardRow) -> Result<Shard, RollupError> {
        let head = file.read_at(0, HEAD).map_err(io::Error::other)?;
        let (documents, rows) = head_of(&head, file.len())?;
        if Name::of_head(&head) != row.name || documents != row.documents {
            return Err(RollupError::Damaged("another shard than the name says"));
        }
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
    pub fn words(self: &Arc<Self>) -> Result<Reader<ShardWords>, RollupError> {
        let reader = Reader::open(ShardWords {
            shard: Arc::clone(self),
        })?;
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
        self.section(Part::Sittings)
            .map(|bytes| Sittings::of(&bytes))
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
pub struct Sittings {
    /// A bit for each document.
    words: Vec<u64>,
    /// For each word, and for the end, how many bits before it are set.
    before: Vec<u32>,
}

impl Sittings {
    fn of(bytes: &[u8]) -> Sittings {
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word.iter_mut()
                .zip(bytes)
                .for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(word)
        };
        let words: Vec<u64> = bytes.chunks(8).map(word).collect();
        let mut set = 0;
        let mut before = Vec::with_capacity(words.len());
        for word in &words {
            before.push(set);
            set += word.count_ones();
        }
        before.push(set);
        Sittings { words, before }
    }

    /// How many sittings end between two documents of a log.
    pub fn between(&self, first: u32, document: u32) -> u32 {
        self.up_to(document).saturating_sub(self.up_to(first))
    }

    /// Whether a document begins another sitting than the one before it, of the same log, stands in.
    pub fn begins_at(&self, document: u32) -> bool {
        let word = self.words.get(document as usize / 64);
        word.is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// How many end up to a document: a number of its sitting among those of its log.
    pub fn up_to(&self, document: u32) -> u32 {
        let place = document as usize / 64;
        match (self.words.get(place), self.before.get(place)) {
            (Some(word), Some(before)) => {
                before + (word & u64::MAX >> (63 - document % 64)).count_ones()
            }
            _ => self.before.last().copied().unwrap_or(0),
        }
    }
}

/// The words of a shard, as a segment reads them.
#[derive(Clone, Debug)]
pub struct ShardWords {
    shard: Arc<Shard>,
}

impl Source for ShardWords {
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

/// The sections of a shard that is in memory.
struct InMemory<'b>([&'b [u8]; PARTS.len()]);

impl InMemory<'_> {
    fn section(&self, section: Section) -> &[u8] {
        let place = part_of(section) as usize;
        self.0.get(place).copied().unwrap_or_default()
    }
}

impl Source for InMemory<'_> {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        usize::try_from(at)
            .ok()
            .and_then(|at| self.section(section).get(at..at.checked_add(len)?))
            .map(Cow::Borrowed)
            .ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    fn len(&self, section: Section) -> u64 {
        self.section(section).len() as u64
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
    let mut sections = [&[][..]; PARTS.len()];
    for (row, found) in rows.iter().zip(&mut sections) {
        let from = usize::try_from(row.at).unwrap_or(usize::MAX);
        let section = usize::try_from(row.length)
            .ok()
            .and_then(|length| bytes.get(from..from.checked_add(length)?))
            .ok_or(RollupError::Damaged("a section out of its place"))?;
        if crc32fast::hash(section) != row.crc {
            return Err(RollupError::Damaged("a checksum that does not match"));
        }
        *found = section;
    }
    let stats = Reader::open(InMemory(sections))?.verify()?;
    if stats.documents == documents {
        Ok(())
    } else {
        Err(RollupError::Damaged("words of other documents"))
    }
}

#[cfg(test)]
mod tests;
