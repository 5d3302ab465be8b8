//! The numbers that name a place in a log. Each is its own type, so that none can stand where another is meant.

use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// The number of an event's line in its log, from 1, blank and broken lines counted (`sed -n 812p LOG` shows event 812).
///
/// For a whole-file JSON log it is the message's index from 1; for a `.zst` log, the decompressed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq(NonZeroU64);

impl Seq {
    /// The first line of a log.
    pub const FIRST: Seq = Seq(NonZeroU64::MIN);

    /// The `n`th line, or nothing for 0.
    pub fn new(n: u64) -> Option<Seq> {
        NonZeroU64::new(n).map(Seq)
    }

    /// The number itself, never 0.
    pub fn get(self) -> u64 {
        self.0.get()
    }

    /// The line after this one. Stays at the last number there is, which no log reaches.
    pub fn next(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of a turn in its log, from 1; 0 stands for what precedes the person's first message.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Turn(pub u32);

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A distance in bytes from the start of a log (of its decompressed text for a `.zst` log).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Offset(pub u64);

/// A place in a log: where a line begins, and that line's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Where the line's first byte is.
    pub offset: Offset,
    /// The line's number.
    pub seq: Seq,
}

impl Position {
    /// The start of a log.
    pub const START: Position = Position {
        offset: Offset(0),
        seq: Seq::FIRST,
    };
}

/// A moment, in milliseconds since 1970-01-01T00:00:00Z, as a log recorded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(pub i64);
