//! How a shard lies in its file: its sections in their order, and what has a code or a width.

use memfold_fold::document::DocumentKind;

/// What a shard begins with: a name and its version.
pub(super) const MAGIC: &[u8; 8] = b"memshrd1";

/// The sections, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
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

pub(super) const PARTS: [Part; 11] = [
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

/// So many sections come before those of the words.
pub(super) const COLUMNS: usize = 7;
/// The bytes of a section's row, and of the head.
pub(super) const ROW: usize = 20;
pub(crate) const HEAD: usize = MAGIC.len() + 4 + PARTS.len() * ROW + 4;
/// The bytes of a key and its document, and of a fence.
pub(super) const KEY: usize = 12;
/// So many keys have a checksum of their own: one is looked up by one read.
pub(super) const GROUP: usize = 256;

pub(super) const KINDS: [DocumentKind; 7] = [
    DocumentKind::Person,
    DocumentKind::Reply,
    DocumentKind::Result,
    DocumentKind::File,
    DocumentKind::Plan,
    DocumentKind::Summary,
    DocumentKind::Compaction,
];
