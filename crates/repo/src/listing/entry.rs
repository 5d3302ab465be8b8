//! What a listing is made of.

use std::fmt;

use memfold_disk::Identity;
use memfold_guard::{BadPath, Special, TreePath};

use super::index::IndexError;

/// One file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: TreePath,
    /// What it is.
    pub kind: Kind,
    /// Why it is listed.
    pub standing: Standing,
    /// What stat said of it; of a link, what it said of the link itself and not of what that leads to.
    pub identity: Identity,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link, to wherever.
    Link,
    /// The folder of another repository: a submodule, a clone in a clone, a work tree. Its files are not this tree's.
    Repository,
}

/// Why an entry is listed. The first is the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is in git's index.
    Tracked,
    /// It is not, and no rule ignores it.
    Untracked,
    /// It lies in a folder that was asked for as a whole.
    Whole,
}

/// How it was told what belongs to the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// By git's index and ignore rules, as git does.
    Git,
    /// By the git command, since the index is of a form that is not read here.
    Command(IndexError),
    /// By git's ignore rules alone, since the index cannot be read: tracked files that a rule ignores are missing.
    Rules(IndexError),
    /// By a walk that leaves out what is hidden, linked or ignored.
    Walk(NoGit),
}

/// Why a tree is not taken as a git work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoGit {
    /// There is no `.git`.
    None,
    /// `.git` is not git's folder, nor a file that names one.
    NotGit,
    /// `.git` is a link, which may lead anywhere.
    Link,
    /// `.git` names a folder that does not name this tree in turn.
    NotLinkedBack,
}

/// What cut a listing short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The time: so many folders that were met were not looked into, or not to their end.
    Time {
        /// How many, at least.
        unreached: usize,
    },
    /// The tree has more entries than are ever listed.
    Entries,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path, as far as it can be said: what is not UTF-8 is replaced.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// Why something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// A name that is not UTF-8.
    NotUtf8,
    /// A path in git's index that is not one below the root, or leads into git's own folder.
    BadPath,
    /// Neither a file nor a link.
    Special(Special),
    /// An agent's own state.
    AgentState,
    /// The system does not show it.
    Unreadable {
        /// The system's reason.
        how: String,
    },
    /// An ignore file of which only the beginning counted.
    LongIgnoreFile,
    /// An ignore file that is a link or no file, and did not count.
    OddIgnoreFile,
    /// Rules of an ignore file that were too costly to try.
    CostlyRules {
        /// How many.
        rules: usize,
    },
}

/// What was left out: the first ones by name, and how many in all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// The first ones, in the order in which they were met.
    pub named: Vec<LeftOut>,
    /// How many there were.
    pub count: usize,
}

impl Left {
    /// Of how many the names are kept.
    pub const NAMED: usize = 1000;

    pub(super) fn add(&mut self, path: impl Into<String>, why: Why) {
        self.count = self.count.saturating_add(1);
        if self.named.len() < Self::NAMED {
            let path = path.into();
            self.named.push(LeftOut { path, why });
        }
    }

    /// What names no file of the tree.
    pub(super) fn bad(&mut self, path: &[u8], error: BadPath) {
        let why = match error {
            BadPath::NotUtf8 => Why::NotUtf8,
            _ => Why::BadPath,
        };
        self.add(String::from_utf8_lossy(path), why);
    }

    pub(super) fn append(&mut self, more: Self) {
        self.count = self.count.saturating_add(more.count);
        let room = Self::NAMED.saturating_sub(self.named.len());
        self.named.extend(more.named.into_iter().take(room));
    }
}

/// What a part of the work found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    pub(super) left: Left,
    /// Folders that were not reached in time.
    pub(super) unreached: usize,
    /// Whether there was more than is ever listed.
    pub(super) too_many: bool,
}

impl Found {
    pub(super) fn add(&mut self, more: Self) {
        self.entries.extend(more.entries);
        self.left.append(more.left);
        self.unreached += more.unreached;
        self.too_many |= more.too_many;
    }
}

/// In the order of paths, each once, with its strongest standing.
pub(super) fn in_order(entries: &mut Vec<Entry>) {
    // Stable, because that merges what is in order already: each level of a walk is.
    entries.sort_by(|one, other| {
        one.path
            .cmp(&other.path)
            .then(one.standing.cmp(&other.standing))
    });
    entries.dedup_by(|later, earlier| later.path == earlier.path);
}

impl fmt::Display for NoGit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "there is no repository at its root",
            Self::NotGit => "its .git is not git's",
            Self::Link => "its .git is a link, which is not followed",
            Self::NotLinkedBack => "its .git names a repository that does not name it in turn",
        })
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("its name is not UTF-8"),
            Self::BadPath => {
                f.write_str("the repository's index has it, but it names no file of the tree")
            }
            Self::Special(is) => write!(f, "it is {is}"),
            Self::AgentState => f.write_str("it is an agent's own state"),
            Self::Unreadable { how } => write!(f, "it cannot be read: {how}"),
            Self::LongIgnoreFile => {
                f.write_str("only its beginning counted: it is too long an ignore file")
            }
            Self::OddIgnoreFile => {
                f.write_str("it did not count: an ignore file must be a regular file")
            }
            Self::CostlyRules { rules } => write!(f, "{rules} of its rules are too costly to try"),
        }
    }
}
