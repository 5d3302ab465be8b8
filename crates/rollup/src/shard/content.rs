//! A shard as it is written: its sections in pieces, since a file's worth of them in one would stand in memory twice.

use memfold_fold::document::DocumentKind;
use memfold_segment::Encoded;

use super::layout::{COLUMNS, GROUP, HEAD, KINDS, MAGIC};
use crate::bytes::length;
use crate::catalogue::Name;
use crate::error::RollupError;
use crate::keys::KeyFilter;

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

/// A shard that is to be written: what stands in its sections.
#[derive(Debug)]
pub struct ShardContent {
    words: Encoded,
    columns: [Vec<u8>; COLUMNS],
    head: Vec<u8>,
}

impl ShardContent {
    /// A shard of these words and columns.
    ///
    /// # Errors
    /// If it would be too large for the format.
    pub fn new(words: Encoded, mut columns: Columns) -> Result<ShardContent, RollupError> {
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
        let mut content = ShardContent {
            words,
            columns: encoded(columns),
            head: Vec::with_capacity(HEAD),
        };
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&documents.to_le_bytes());
        let mut at = HEAD as u64;
        for section in content.sections() {
            let length = u64::from(length(section)?);
            head.extend_from_slice(&at.to_le_bytes());
            head.extend_from_slice(&length.to_le_bytes());
            head.extend_from_slice(&crc32fast::hash(section).to_le_bytes());
            at = at.saturating_add(length);
        }
        head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
        content.head = head;
        Ok(content)
    }

    fn sections(&self) -> impl Iterator<Item = &[u8]> {
        let words = [
            &self.words.terms,
            &self.words.blocks,
            &self.words.postings,
            &self.words.lengths,
        ];
        self.columns.iter().chain(words).map(Vec::as_slice)
    }

    /// The shard's bytes, in pieces: together they would stand in memory twice.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.head.as_slice()).chain(self.sections())
    }

    /// The name that its file has.
    pub fn name(&self) -> Name {
        Name::of_head(&self.head)
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.pieces().map(|piece| piece.len() as u64).sum()
    }
}

/// The columns as sections, in the order of [`PARTS`]: `keys` ascending and without 0.
fn encoded(columns: Columns) -> [Vec<u8>; COLUMNS] {
    let Columns {
        sittings,
        kinds,
        times,
        dead,
        keys,
    } = columns;
    let mut filter = KeyFilter::for_documents(keys.len().div_ceil(2));
    keys.iter().for_each(|(key, _)| filter.add(*key));
    let fence = |group: &[(u64, u32)]| {
        let first = group.first().map_or(0, |(key, _)| *key);
        pairs(&[(first, crc32fast::hash(&pairs(group)))])
    };
    [
        dead.iter().flat_map(|n| n.to_le_bytes()).collect(),
        bits(&changes(&sittings)),
        kinds.iter().map(|kind| byte_of(*kind)).collect(),
        times
            .iter()
            .flat_map(|time| time.unwrap_or(i64::MIN).to_le_bytes())
            .collect(),
        pairs(&keys),
        keys.chunks(GROUP).flat_map(fence).collect(),
        filter.to_bytes(),
    ]
}

/// For each number, whether it is another than the one before it.
pub(super) fn changes(numbers: &[u32]) -> Vec<bool> {
    let before = std::iter::once(None).chain(numbers.iter().map(Some));
    numbers
        .iter()
        .zip(before)
        .map(|(number, before)| before.is_some_and(|before| before != number))
        .collect()
}

pub(super) fn bits(flags: &[bool]) -> Vec<u8> {
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

fn byte_of(kind: DocumentKind) -> u8 {
    let place = KINDS.iter().position(|other| *other == kind);
    place
        .and_then(|place| u8::try_from(place).ok())
        .unwrap_or(u8::MAX)
}
