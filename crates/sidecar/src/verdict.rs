//! What a sidecar is worth against its log, each case with its own words: an upgrade is never called damage.

use std::fmt;

use crate::header::Tag;
use crate::keeper::Need;

/// What was found of a log's sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It covers the log's whole turns and is proved to be this log's.
    Current,
    /// The log has grown; what the sidecar covers is unchanged.
    Appended {
        /// How long the log's text was when it was folded.
        from: u64,
        /// How long it is now.
        to: u64,
    },
    /// There is none.
    Missing,
    /// The log is shorter than it was, and the same as far as it goes. The sidecar is wrong if it covers more.
    LogTruncated {
        /// How much the sidecar covers.
        covered: u64,
        /// The log's length.
        length: u64,
    },
    /// The log's covered part was changed from this block of 1 MiB on.
    LogRewritten {
        /// The first changed block, from 0.
        block: u64,
    },
    /// The file holds another log: its first line is another.
    LogReplaced,
    /// Sidecar and log were moved together and are proved to belong together.
    Moved,
    /// The log is gone: nothing can verify the sidecar.
    Orphan,
    /// No fold of this machine is known to have made it.
    Unproven,
    /// An earlier version of the fold made it.
    FoldChanged {
        /// That version.
        from: u32,
        /// This program's.
        to: u32,
    },
    /// A later version of the fold made it: it is left as it is.
    NewerFold {
        /// That version.
        version: u32,
    },
    /// An earlier program wrote it in a format that is no longer read.
    OlderFormat {
        /// That format.
        version: u32,
    },
    /// A later program wrote it in a format that is not known here: it is left as it is.
    NewerFormat {
        /// What is not known.
        what: String,
    },
    /// It belongs to the same log in another form (`x.jsonl` and `x.jsonl.zst` share `x.mem`): it is left as it is.
    OtherForm,
    /// It is not as it was written.
    Damaged {
        /// Where.
        section: Tag,
        /// What was found.
        what: String,
    },
    /// It cannot be read: it is left as it is.
    Unreadable {
        /// Why.
        why: String,
    },
}

impl Verdict {
    /// A stable word for the verdict.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Current => "current",
            Verdict::Appended { .. } => "appended",
            Verdict::Missing => "missing",
            Verdict::LogTruncated { .. } => "log-truncated",
            Verdict::LogRewritten { .. } => "log-rewritten",
            Verdict::LogReplaced => "log-replaced",
            Verdict::Moved => "moved",
            Verdict::Orphan => "orphan",
            Verdict::Unproven => "unproven",
            Verdict::FoldChanged { .. } => "fold-changed",
            Verdict::NewerFold { .. } => "newer-fold",
            Verdict::OlderFormat { .. } => "older-format",
            Verdict::NewerFormat { .. } => "newer-format",
            Verdict::OtherForm => "other-form",
            Verdict::Damaged { .. } => "damaged",
            Verdict::Unreadable { .. } => "unreadable",
        }
    }

    /// Whether what was appended is folded onto the sidecar, rather than the whole log anew.
    pub fn is_extended_by(&self, need: Need) -> bool {
        matches!(self, Verdict::Appended { .. }) && matches!(need, Need::Search | Need::Fold)
    }

    /// Whether a later program wrote it.
    pub fn is_later(&self) -> bool {
        matches!(
            self,
            Verdict::NewerFold { .. } | Verdict::NewerFormat { .. }
        )
    }

    /// Whether the file is another's to replace: this program writes beside it, in the cache.
    pub fn is_left_alone(&self) -> bool {
        self.is_later() || matches!(self, Verdict::OtherForm | Verdict::Unreadable { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Current => f.write_str("up to date"),
            Verdict::Appended { from, to } => {
                write!(f, "the log grew by {} bytes", to.saturating_sub(*from))
            }
            Verdict::Missing => f.write_str("no sidecar yet"),
            Verdict::LogTruncated { covered, length } => {
                write!(
                    f,
                    "the log was cut to {length} bytes; the sidecar covers {covered}"
                )
            }
            Verdict::LogRewritten { block } => {
                write!(f, "the log was rewritten from MiB {block} on")
            }
            Verdict::LogReplaced => f.write_str("another log stands under this name"),
            Verdict::Moved => f.write_str("moved here together with its log"),
            Verdict::Orphan => f.write_str("its log is gone"),
            Verdict::Unproven => f.write_str("not known to be made on this machine"),
            Verdict::FoldChanged { from, to } if from == to => {
                f.write_str("made with other rules of the same version")
            }
            Verdict::FoldChanged { from, to } => {
                write!(f, "made by fold {from}, this is fold {to}")
            }
            Verdict::NewerFold { version } => {
                write!(f, "made by the newer fold {version}; left as it is")
            }
            Verdict::OlderFormat { version } => write!(f, "written in the older format {version}"),
            Verdict::NewerFormat { what } => {
                write!(f, "written in a newer format ({what}); left as it is")
            }
            Verdict::OtherForm => {
                f.write_str("belongs to the same log in another form; left as it is")
            }
            Verdict::Damaged { section, what } => write!(f, "damaged in {section}: {what}"),
            Verdict::Unreadable { why } => write!(f, "cannot be read: {why}"),
        }
    }
}
