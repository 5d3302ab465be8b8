//! What the index knows of a tree: the fold of its `index.update` events. Pure: events in, state out, the same for the same
//! events whoever folds them.

use std::collections::{BTreeMap, BTreeSet};

use memfold_disk::Identity;
use memfold_guard::{NotText, Refusal, RulesVersion, TreePath};
use serde::{Deserialize, Serialize};

use crate::content::ContentHash;
use crate::moment::Moment;

/// The state of one file, as it was when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// What stat said of it: device, inode, size, times in nanoseconds since 1970.
    #[serde(with = "numbers")]
    pub identity: Identity,
    /// When it was read.
    pub read_at: Moment,
    /// What it came to.
    #[serde(flatten)]
    pub found: Found,
}

/// What a file came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// It is indexed.
    Indexed {
        /// Its content.
        content: ContentHash,
        /// How many chunks it has.
        chunks: u32,
        /// How many words those have, each as often as it counts.
        words: u64,
    },
    /// It is no text to index.
    Skipped(Skip),
    /// The guard refused it.
    Refused(Refusal),
}

/// Why a file is no text to index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skip {
    /// There is a NUL near its beginning.
    Binary,
    /// It is not UTF-8.
    NotUtf8,
}

impl From<NotText> for Skip {
    fn from(why: NotText) -> Skip {
        match why {
            NotText::Binary => Skip::Binary,
            NotText::NotUtf8 => Skip::NotUtf8,
        }
    }
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Skip::Binary => "binary",
            Skip::NotUtf8 => "not UTF-8",
        })
    }
}

impl FileState {
    /// Whether the file, as stat tells it now, is the one that was read: it had been left alone before.
    pub(crate) fn holds_for(&self, now: &Identity) -> bool {
        self.identity == *now && self.is_settled()
    }

    /// Whether it had been left alone for so long when it was read that a later change shows.
    pub(crate) fn is_settled(&self) -> bool {
        self.identity.settled_before(self.read_at.0)
    }

    /// Whether it says the same of the same file as another, whenever they were read.
    pub(crate) fn says_as(&self, other: &FileState) -> bool {
        self.identity == other.identity && self.found == other.found
    }
}

/// What an update of a tree's index changed: the `data` of an `index.update` event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Update {
    /// The tree's root.
    pub tree: String,
    /// Whether it is all that is known, and what was known before is no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub snapshot: bool,
    /// The rules by which its files were read.
    pub rules: Option<RulesVersion>,
    /// The files that were read, or refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<TreePath, FileState>,
    /// The files that are no longer listed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub gone: BTreeSet<TreePath>,
    /// Folders that are indexed whole from now on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub whole: BTreeSet<TreePath>,
    /// How many files were read, skipped and refused.
    pub counts: Counts,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// The session in which it was, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The call that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

/// How many files of an update came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Read and indexed.
    pub read: u64,
    /// Read, and no text.
    pub skipped: u64,
    /// Refused by the guard.
    pub refused: u64,
}

impl Counts {
    /// The counts of some states.
    pub(crate) fn of<'s>(states: impl Iterator<Item = &'s FileState>) -> Counts {
        let mut counts = Counts::default();
        for state in states {
            match state.found {
                Found::Indexed { .. } => counts.read += 1,
                Found::Skipped(_) => counts.skipped += 1,
                Found::Refused(_) => counts.refused += 1,
            }
        }
        counts
    }
}

/// What is known of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Its root.
    pub root: String,
    /// The rules by which all of it was last checked.
    pub rules: Option<RulesVersion>,
    /// Folders that are indexed whole.
    pub whole: BTreeSet<TreePath>,
    /// Its files.
    pub files: BTreeMap<TreePath, FileState>,
}

impl Tree {
    /// A tree of which nothing is known.
    pub fn new(root: &str) -> Tree {
        Tree {
            root: root.to_owned(),
            ..Tree::default()
        }
    }

    /// Takes an update in.
    pub fn apply(&mut self, update: Update) {
        if update.snapshot {
            *self = Tree::new(&update.tree);
        }
        for path in &update.gone {
            self.files.remove(path);
        }
        match self.files.is_empty() {
            true => self.files = update.files,
            false => self.files.extend(update.files),
        }
        self.whole.extend(update.whole);
        let rules = update.rules.filter(|rules| !rules.as_str().is_empty());
        self.rules = rules.or(self.rules.take());
    }

    /// The files that are indexed, in the order of their paths.
    pub fn indexed(&self) -> impl Iterator<Item = (&TreePath, ContentHash, u32, u64)> {
        self.files
            .iter()
            .filter_map(|(path, state)| match state.found {
                Found::Indexed {
                    content,
                    chunks,
                    words,
                } => Some((path, content, chunks, words)),
                _ => None,
            })
    }
}

/// An identity as five numbers.
mod numbers {
    use memfold_disk::Identity;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(id: &Identity, to: S) -> Result<S::Ok, S::Error> {
        (id.dev, id.inode, id.size, id.mtime_ns, id.ctime_ns).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Identity, D::Error> {
        let (dev, inode, size, mtime_ns, ctime_ns) = Deserialize::deserialize(from)?;
        Ok(Identity {
            dev,
            inode,
            size,
            mtime_ns,
            ctime_ns,
        })
    }
}
