//! What a keeper has made of a log: its sidecar, wherever its bytes are, the tail behind it, and what was done for that.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::PathBuf;

use memfold_disk::Snapshot;
use memfold_fold::Tail;
use memfold_fold::facts::LogFacts;

use crate::Sidecar;
use crate::bytes::Bytes;
use crate::receipts::Receipt;
use crate::verdict::Verdict;

/// The bytes of a sidecar: of a file, or of one that could not be written.
#[derive(Debug)]
pub enum Store {
    /// A published file.
    File(Snapshot),
    /// Held in memory for this call.
    Memory(Vec<u8>),
}

impl Bytes for Store {
    fn length(&self) -> u64 {
        match self {
            Store::File(file) => file.length(),
            Store::Memory(bytes) => bytes.length(),
        }
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Store::File(file) => Bytes::read_at(file, at, length),
            Store::Memory(bytes) => bytes.read_at(at, length),
        }
    }
}

/// A sidecar that may be read.
pub type Kept = Sidecar<Store>;

/// A log with what is known of it, ready to be searched.
pub struct Keeping {
    /// What was found.
    pub verdict: Verdict,
    /// What was done about it.
    pub done: Done,
    /// The sidecar, current for every whole turn it covers.
    pub sidecar: Kept,
    /// What follows it, for a search; nothing where nothing does.
    pub tail: Option<Tail>,
    /// Where the sidecar is, unless it could not be written.
    pub path: Option<PathBuf>,
    /// What this machine may remember.
    pub receipt: Option<Receipt>,
    /// What the log says of itself to its end, where it was folded and no receipt can be kept.
    pub facts: Option<LogFacts>,
    /// A rebuild: its tail is kept for the next search.
    pub tail_kept: bool,
    /// The call had its time: the sidecar covers a beginning of the log, from which the next call goes on.
    pub stopped: bool,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// What was done about a sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Nothing had to be.
    Nothing,
    /// What was appended was folded and added.
    Extended,
    /// The log was folded whole.
    Folded,
    /// The log was folded whole, which gave the bytes that were there.
    Confirmed,
    /// The damaged file was set aside, and the log folded whole.
    SetAside,
    /// The log was folded in memory: the sidecar could not be written, and why.
    InMemory(String),
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Done::Nothing => f.write_str("nothing"),
            Done::Extended => f.write_str("extended"),
            Done::Folded => f.write_str("folded"),
            Done::Confirmed => f.write_str("folded again, the same bytes"),
            Done::SetAside => f.write_str("set aside, folded again"),
            Done::InMemory(why) => write!(f, "folded in memory: {why}"),
        }
    }
}
