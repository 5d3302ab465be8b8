//! What the guard answers, as it is told to a person and as it stands in the index's log (`formats/events.md`,
//! `guard.decision`). A decision names the rule and the version of the rules it rests on, so that it may be kept for as long
//! as both the file's state and the rules are the same.

use std::fmt;

use memfold_disk::FileKind;
use serde::{Deserialize, Serialize};

use crate::path::TreePath;
use crate::rules::{RuleName, RulesVersion};

/// One decision about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The file.
    pub path: TreePath,
    /// What was to be done with it.
    pub action: Action,
    /// The answer.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The rules by which it was given.
    pub rules: RulesVersion,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Action {
    /// Reading a file's bytes.
    Read,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Verdict {
    /// It was done.
    Allow,
    /// It was not.
    Refuse(Refusal),
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// Its name is on the denylist.
    Denylist {
        /// The rule there.
        rule: RuleName,
    },
    /// A checker of the person's refused it.
    Checker {
        /// The checker.
        rule: RuleName,
    },
    /// A checker of the person's would have asked, and nobody was: the answer is no.
    NotAsked {
        /// The checker.
        rule: RuleName,
    },
    /// A checker of the person's failed or took too long, which is no leave.
    CheckerFailed {
        /// The checker.
        rule: RuleName,
        /// How.
        how: String,
    },
    /// It leads out of the tree.
    LeadsOut,
    /// It is no regular file.
    NotRegular {
        /// What it is.
        is: Special,
    },
    /// It has more bytes than one file may have.
    TooLarge {
        /// How many it may have.
        limit: u64,
    },
    /// The call has read as much, or for as long, as it may.
    Budget {
        /// What is spent.
        of: Spent,
    },
    /// Nothing has that name any more.
    Gone,
    /// The system does not give it.
    Unreadable {
        /// The system's reason.
        how: String,
    },
}

/// What is no regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Special {
    /// A folder.
    Folder,
    /// A symbolic link where none is followed.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Something else.
    Other,
}

/// What a budget holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spent {
    /// Bytes of all files together.
    Bytes,
    /// Time.
    Time,
}

impl Decision {
    /// The refusal, if it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.verdict {
            Verdict::Allow => None,
            Verdict::Refuse(refusal) => Some(refusal),
        }
    }
}

impl Refusal {
    /// Whether the same file in the same state is refused by the same rules at any other time too, so that the refusal may
    /// be kept with the file's state.
    pub fn holds_for_the_state(&self) -> bool {
        match self {
            Self::Denylist { .. }
            | Self::Checker { .. }
            | Self::NotAsked { .. }
            | Self::LeadsOut
            | Self::NotRegular { .. }
            | Self::TooLarge { .. } => true,
            Self::CheckerFailed { .. }
            | Self::Budget { .. }
            | Self::Gone
            | Self::Unreadable { .. } => false,
        }
    }
}

/// In words, for a person who reads the log.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Allow => write!(f, "{}: read", self.path),
            Verdict::Refuse(refusal) => write!(f, "{}: {refusal}", self.path),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denylist { rule } => write!(f, "on the denylist ({rule})"),
            Self::Checker { rule } => write!(f, "refused by your checker {rule}"),
            Self::NotAsked { rule } => {
                write!(f, "your checker {rule} would ask, and nobody was asked")
            }
            Self::CheckerFailed { rule, how } => write!(f, "your checker {rule} {how}"),
            Self::LeadsOut => f.write_str("leads out of the tree"),
            Self::NotRegular { is } => write!(f, "is {is}, not a regular file"),
            Self::TooLarge { limit } => write!(f, "larger than {limit} bytes"),
            Self::Budget { of: Spent::Bytes } => f.write_str("no bytes were left to read"),
            Self::Budget { of: Spent::Time } => f.write_str("no time was left to read"),
            Self::Gone => f.write_str("gone"),
            Self::Unreadable { how } => write!(f, "cannot be read: {how}"),
        }
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "something else",
        })
    }
}

impl From<FileKind> for Special {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::Folder => Self::Folder,
            FileKind::Link => Self::Link,
            FileKind::Fifo => Self::Pipe,
            FileKind::Socket => Self::Socket,
            FileKind::Device => Self::Device,
            FileKind::Regular | FileKind::Unknown => Self::Other,
        }
    }
}
