//! Postings of one log: built, encoded, decoded; BM25 over one or many segments as one collection.
//!
//! Bytes in, bytes out: nothing here opens a file. A [`Builder`] counts the words of documents and
//! encodes them as four sections ([`Encoded`]), which a container stores; a [`Reader`] finds a term's
//! postings through a [`Source`] of positional reads, and checks whatever it uses; [`rank`] scores many
//! readers at once. The bytes are those of `formats/segment.md`, and depend on the documents alone.
//!
//! Read in this order: `builder` (with `interner`, `hash`, `chain` below it), `encode` (with `list` and
//! `bits`), `table`, `block`, `reader` (with `pieces`), `entries`, `verify`, `merge`, then `bm25`, `gather`, `kept`, `norms`
//! and `rank` (with `top`).

mod bits;
mod block;
mod bm25;
mod builder;
mod bytes;
mod chain;
mod encode;
mod entries;
mod error;
mod gather;
mod hash;
mod interner;
mod kept;
mod lead;
mod lengths;
mod list;
mod merge;
mod norms;
mod pieces;
mod rank;
mod reader;
mod source;
mod table;
mod top;
mod tournament;
mod verify;

pub use bm25::Bm25;
pub use builder::Builder;
pub use error::Error;
pub use gather::{Collection, Concept, Everything, Matches, Room, Select, Term};
pub use lengths::Lengths;
pub use merge::{Part, merge};
pub use rank::{Ranked, Scored, rank};
pub use reader::Reader;
pub use source::{Encoded, Section, Source};
pub use verify::Stats;

/// The greatest frequency of a term in a document, and the greatest length of a document: 2^31-1.
pub const MAX_QUANTITY: u32 = i32::MAX as u32;

/// A document's number in its segment: 0 for the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocId(pub u32);

/// A document that holds a term, and how often: 1 to [`MAX_QUANTITY`] times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Posting {
    /// The document.
    pub doc: DocId,
    /// How often the term is in it.
    pub frequency: u32,
}
