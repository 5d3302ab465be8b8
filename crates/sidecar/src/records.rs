//! Flat records in groups of a fixed size: each group is packed by itself and has a row in an index, so that one record
//! costs one positional read and one small unpacking. Relies on `fold::codec` for a record's bytes.

use std::borrow::Cow;
use std::ops::Range;

use bincode::{Decode, Encode};
use memfold_fold::card::Card;
use memfold_fold::checkpoint::Checkpoint;
use memfold_fold::codec;
use memfold_fold::document::{Document, Link};
use memfold_fold::past::Waypoint;
use sha2::{Digest, Sha256};

use crate::error::SidecarError;
use crate::fields;
use crate::frame;
use crate::header::{Content, Tag};

/// Records' count, records of a group, groups' count.
const HEAD: usize = 16;
/// First key, stored length, length, checksum.
const ROW: usize = 20;
/// The index's own checksum.
const CLOSING: usize = 4;
/// The largest group that is read.
const LARGEST_GROUP: u32 = 4096;

/// A record that is stored in groups, and by which number a group is found.
pub(crate) trait Record: Encode + Decode<()> {
    /// Their section.
    const TAG: Tag;
    /// How many a group holds when it is written. A reader takes what the section says.
    ///
    /// On 86 real logs, groups of 128 documents are 25% smaller than of 16 and 2% larger than of 512; but a search asks for a
    /// document here and there, and unpacks a group for each: 32 are the middle. 16 cards, each a few lines long, are 5%
    /// larger than 128.
    const GROUP: u32;

    /// What they are sorted by. It does not fall from one record to the next.
    fn key(&self) -> u64;
}

impl Record for Document {
    const TAG: Tag = Tag::DOCS;
    const GROUP: u32 = 32;

    fn key(&self) -> u64 {
        self.seq
    }
}

impl Record for Link {
    const TAG: Tag = Tag::LINK;
    const GROUP: u32 = 128;

    fn key(&self) -> u64 {
        self.result_seq
    }
}

impl Record for Card {
    const TAG: Tag = Tag::CARD;
    const GROUP: u32 = 16;

    fn key(&self) -> u64 {
        u64::from(self.turn)
    }
}

impl Record for Checkpoint {
    const TAG: Tag = Tag::CKPT;
    const GROUP: u32 = 1;

    fn key(&self) -> u64 {
        0
    }
}

impl Record for Waypoint {
    const TAG: Tag = Tag::PAST;
    const GROUP: u32 = 512;

    fn key(&self) -> u64 {
        self.seq
    }
}

/// A section of records, and its content.
pub(crate) fn write<T: Record>(records: &[T]) -> Result<(Vec<u8>, Content), SidecarError> {
    let unwritable = |what: &str| SidecarError::Unwritable(format!("{}: {what}", T::TAG));
    let size = usize::try_from(T::GROUP).unwrap_or(1).max(1);
    let groups = records.len().div_ceil(size);
    let mut index = Vec::with_capacity(index_length(groups));
    index.extend(
        u64::try_from(records.len())
            .unwrap_or(u64::MAX)
            .to_le_bytes(),
    );
    index.extend(T::GROUP.to_le_bytes());
    index.extend(
        u32::try_from(groups)
            .map_err(|_| unwritable("too many records"))?
            .to_le_bytes(),
    );
    let mut content = Hashed::default();
    content.add(&index);
    let mut packed = Vec::new();
    let mut last = 0;
    for group in records.chunks(size) {
        for record in group {
            if record.key() < last {
                return Err(unwritable("records out of order"));
            }
            last = record.key();
        }
        let raw = codec::encode(&group).map_err(|error| unwritable(&error.to_string()))?;
        let stored = frame::pack(&raw)?;
        let length =
            |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| unwritable("a group too large"));
        index.extend(group.first().map_or(0, T::key).to_le_bytes());
        index.extend(length(&stored)?.to_le_bytes());
        index.extend(length(&raw)?.to_le_bytes());
        index.extend(crc32fast::hash(&stored).to_le_bytes());
        content.add(&raw);
        packed.extend_from_slice(&stored);
    }
    index.extend(crc32fast::hash(&index).to_le_bytes());
    index.extend(packed);
    Ok((index, content.finish()))
}

/// The length of an index over so many groups.
pub(crate) fn index_length(groups: usize) -> usize {
    groups.saturating_mul(ROW).saturating_add(HEAD + CLOSING)
}

/// A section's content as it comes, piece by piece.
#[derive(Default)]
pub(crate) struct Hashed {
    length: u64,
    hash: Sha256,
}

impl Hashed {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.length = self
            .length
            .saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.hash.update(bytes);
    }

    pub(crate) fn finish(self) -> Content {
        Content {
            length: self.length,
            hash: self.hash.finalize().into(),
        }
    }
}

/// The index of a section of records.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Index {
    tag: Tag,
    /// How many records there are.
    pub(crate) records: u64,
    /// The first bytes of the section, which belong to its content.
    pub(crate) head: [u8; HEAD],
    size: u64,
    groups: Vec<Group>,
}

/// Where a group is.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    /// The key of its first record.
    first: u64,
    /// Where its stored bytes start in the section.
    at: u64,
    stored: usize,
    length: usize,
    crc: u32,
}

impl Index {
    /// How long the index is, by the section's first bytes.
    pub(crate) fn measure(tag: Tag, first: &[u8], section: u64) -> Result<usize, SidecarError> {
        let (_, _, groups) =
            head(first).ok_or_else(|| SidecarError::damaged(tag, "too short for its index"))?;
        let length = usize::try_from(groups).map_or(usize::MAX, index_length);
        match u64::try_from(length) {
            Ok(long) if long <= section => Ok(length),
            _ => Err(SidecarError::damaged(
                tag,
                format!("an index of {groups} groups in {section} bytes"),
            )),
        }
    }

    /// The index that `bytes`, as many as [`Index::measure`] says, hold for a section of `section` bytes.
    pub(crate) fn parse(tag: Tag, bytes: &[u8], section: u64) -> Result<Index, SidecarError> {
        let damaged = |what: String| SidecarError::damaged(tag, what);
        let (summed, crc) = bytes
            .split_last_chunk()
            .ok_or_else(|| damaged("too short for its index".to_owned()))?;
        if crc32fast::hash(summed) != u32::from_le_bytes(*crc) {
            return Err(damaged("the checksum of its index".to_owned()));
        }
        let (head_bytes, table) = summed
            .split_first_chunk()
            .ok_or_else(|| damaged("too short for its index".to_owned()))?;
        let (records, size, groups) = head(head_bytes).unwrap_or((0, 0, 0));
        if size == 0
            || size > LARGEST_GROUP
            || u64::from(groups) != records.div_ceil(u64::from(size))
        {
            return Err(damaged(format!(
                "{records} records in {groups} groups of {size}"
            )));
        }
        let mut rows: Vec<Group> = Vec::with_capacity(table.len() / ROW);
        let mut at = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        for mut row in table.chunks(ROW) {
            let group =
                group(&mut row, at).ok_or_else(|| damaged("too short for its index".to_owned()))?;
            if rows.last().is_some_and(|before| before.first > group.first) {
                return Err(damaged("groups out of order".to_owned()));
            }
            at = at.saturating_add(u64::try_from(group.stored).unwrap_or(u64::MAX));
            rows.push(group);
        }
        if at != section {
            return Err(damaged(format!(
                "groups that end at {at} in {section} bytes"
            )));
        }
        Ok(Index {
            tag,
            records,
            head: *head_bytes,
            size: u64::from(size),
            groups: rows,
        })
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Which group holds a record, and its place there.
    pub(crate) fn place(&self, record: u64) -> (usize, usize) {
        let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        (
            place(record / self.size.max(1)),
            place(record % self.size.max(1)),
        )
    }

    /// The number of a group's first record.
    pub(crate) fn first_record(&self, group: usize) -> u64 {
        u64::try_from(group)
            .unwrap_or(u64::MAX)
            .saturating_mul(self.size)
    }

    /// The groups that may hold a record whose key is in `keys`.
    pub(crate) fn groups_of(&self, keys: Range<u64>) -> Range<usize> {
        // Equal keys may begin in the group before the first that starts with them.
        let start = self
            .groups
            .partition_point(|group| group.first < keys.start)
            .saturating_sub(1);
        let end = self.groups.partition_point(|group| group.first < keys.end);
        start..end.max(start)
    }

    /// The bytes of a group, unpacked. `read` gives bytes of the section by place and length.
    pub(crate) fn raw<'a>(
        &self,
        number: usize,
        read: impl FnOnce(u64, usize) -> Result<Cow<'a, [u8]>, SidecarError>,
    ) -> Result<Cow<'a, [u8]>, SidecarError> {
        let damaged =
            |what: String| SidecarError::damaged(self.tag, format!("group {number}: {what}"));
        let group = self
            .groups
            .get(number)
            .ok_or_else(|| damaged("there is none".to_owned()))?;
        let stored = read(group.at, group.stored)?;
        if crc32fast::hash(&stored) != group.crc {
            return Err(damaged("its checksum".to_owned()));
        }
        frame::unpack(stored, group.length).map_err(damaged)
    }

    /// The records of a group's bytes.
    pub(crate) fn records<T: Record>(
        &self,
        number: usize,
        raw: &[u8],
    ) -> Result<Vec<T>, SidecarError> {
        let damaged =
            |what: String| SidecarError::damaged(self.tag, format!("group {number}: {what}"));
        let records: Vec<T> = codec::decode(raw).map_err(|error| damaged(error.to_string()))?;
        let expected = self.held(number);
        if u64::try_from(records.len()) != Ok(expected) {
            return Err(damaged(format!(
                "{} records where {expected} should be",
                records.len()
            )));
        }
        let (mut last, next) = self.keys(number);
        if records.first().is_some_and(|record| record.key() != last) {
            return Err(damaged(
                "another first record than the index says".to_owned(),
            ));
        }
        for key in records.iter().map(T::key).chain([next]) {
            if key < last {
                return Err(damaged("records out of order".to_owned()));
            }
            last = key;
        }
        Ok(records)
    }

    /// A record of a group's bytes, by its place there. Those after it are not looked at.
    pub(crate) fn one<T: Record>(
        &self,
        number: usize,
        raw: &[u8],
        place: usize,
    ) -> Result<T, SidecarError> {
        let damaged =
            |what: String| SidecarError::damaged(self.tag, format!("group {number}: {what}"));
        let record: T = codec::decode_one(raw, self.held(number), place)
            .map_err(|error| damaged(error.to_string()))?;
        let (first, next) = self.keys(number);
        match record.key() {
            key if key < first || key > next => Err(damaged("records out of order".to_owned())),
            _ => Ok(record),
        }
    }

    /// How many records a group holds.
    fn held(&self, group: usize) -> u64 {
        self.records
            .saturating_sub(self.first_record(group))
            .min(self.size)
    }

    /// The first key of a group, and that of the next.
    fn keys(&self, group: usize) -> (u64, u64) {
        let first = |group: usize| self.groups.get(group).map(|group| group.first);
        let next = group.checked_add(1).and_then(first);
        (first(group).unwrap_or(0), next.unwrap_or(u64::MAX))
    }
}

/// Records' count, records of a group, groups' count.
fn head(mut bytes: &[u8]) -> Option<(u64, u32, u32)> {
    Some((
        fields::u64(&mut bytes)?,
        fields::u32(&mut bytes)?,
        fields::u32(&mut bytes)?,
    ))
}

fn group(row: &mut &[u8], at: u64) -> Option<Group> {
    Some(Group {
        first: fields::u64(row)?,
        at,
        stored: usize::try_from(fields::u32(row)?).ok()?,
        length: usize::try_from(fields::u32(row)?).ok()?,
        crc: fields::u32(row)?,
    })
}
