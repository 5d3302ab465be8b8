//! Git's index, as far as a listing needs it: which paths are tracked, and as what. Reads versions 2 to 4, of SHA-1 and
//! SHA-256 repositories (git's `gitformat-index`), out of bytes that a stranger may have made: no count is believed, and what
//! is kept is bounded by what was read.

use std::borrow::Cow;
use std::ops::Range;

use memfold_guard::TreePath;
use thiserror::Error;

use super::entry::{Entry, Left, Standing};
use super::ignore::Case;
use super::repository::is_git_name;

/// Why an index was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// It is no index, or is cut short or damaged.
    #[error("git's index is damaged")]
    Damaged,
    /// It is of a version that is not known here.
    #[error("git's index has version {0}, which is not known here")]
    Version(u32),
    /// It is split in two files.
    #[error("git's index is split in two files")]
    Split,
    /// It needs something that is not known here.
    #[error("git's index has a part that is not known here and must be")]
    Required,
    /// It is larger than any that is read here.
    #[error("git's index is too large")]
    TooLarge,
    /// The system does not give it, or it is no regular file.
    #[error("git's index cannot be read")]
    Unreadable,
}

impl IndexError {
    /// Whether git may make something of it.
    pub(super) fn may_be_read_by_git(self) -> bool {
        matches!(self, Self::Version(_) | Self::Split | Self::Required)
    }
}

/// What a tracked path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A file or a link.
    File,
    /// Another repository.
    Repository,
}

/// A path of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tracked<'a> {
    pub(super) path: &'a TreePath,
    pub(super) mode: Mode,
}

/// The tracked paths below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Below(Range<usize>);

impl Below {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The tracked paths, to be looked up.
#[derive(Debug)]
pub(super) struct Index {
    /// In the order of keys, each once.
    entries: Vec<Item>,
    case: Case,
}

#[derive(Debug, PartialEq, Eq)]
struct Item {
    path: TreePath,
    /// As it is compared, where that is another text.
    folded: Option<Box<str>>,
    mode: Mode,
}

impl Item {
    fn key(&self) -> &str {
        self.folded.as_deref().unwrap_or(self.path.as_str())
    }
}

/// The longest path that any system opens; git's own bound, too.
const LONGEST: usize = 4096;

impl Index {
    /// No path at all.
    pub(super) fn empty(case: Case) -> Self {
        Self {
            entries: Vec::new(),
            case,
        }
    }

    /// Reads an index. Paths that name no file of the tree are left out, and said.
    pub(super) fn read(bytes: &[u8], case: Case, left: &mut Left) -> Result<Self, IndexError> {
        // Which hash it is stands in the configuration, which is not read: the other length fits no whole index.
        let paths = parse(bytes, 20).or_else(|error| match error {
            IndexError::Damaged => parse(bytes, 32),
            error => Err(error),
        })?;
        let mut entries = Vec::with_capacity(paths.len());
        for (path, mode) in paths {
            match TreePath::from_bytes(&path) {
                Ok(path) if has_git_name(path.as_str()) => {
                    left.bad(path.as_str().as_bytes(), memfold_guard::BadPath::NotNames);
                }
                Ok(path) => {
                    let folded = case.fold(path.as_str());
                    let folded = (folded != path.as_str()).then(|| folded.into());
                    entries.push(Item { path, folded, mode });
                }
                Err(error) => left.bad(&path, error),
            }
        }
        // Git's is in this order already, but for a stranger's, and where case is folded. The stages of a conflict are one.
        if !entries.is_sorted_by(|one, other| one.key() < other.key()) {
            entries.sort_by(|one, other| one.key().cmp(other.key()));
            entries.dedup_by(|later, earlier| later.key() == earlier.key());
        }
        Ok(Self { entries, case })
    }

    /// How its paths are compared.
    pub(super) fn case(&self) -> Case {
        self.case
    }

    /// The paths as they are compared, and what they are.
    #[cfg(any(test, feature = "forged"))]
    pub(super) fn keys(&self) -> Vec<(String, super::Kind)> {
        let kind = |item: &Item| match item.mode {
            Mode::File => super::Kind::File,
            Mode::Repository => super::Kind::Repository,
        };
        let items = self.entries.iter();
        items
            .map(|item| (item.key().to_owned(), kind(item)))
            .collect()
    }

    /// All of them.
    pub(super) fn all(&self) -> Below {
        Below(0..self.entries.len())
    }

    /// How many there are of the first, to the end of the second, which lies in it.
    pub(super) fn behind(above: &Below, within: &Below) -> usize {
        within.0.end.saturating_sub(above.0.start)
    }

    /// Those below a folder, out of those below one above it.
    pub(super) fn below(&self, above: &Below, folder: &str) -> Below {
        let Some(items) = self
            .entries
            .get(above.0.clone())
            .filter(|it| !it.is_empty())
        else {
            return Below::default();
        };
        let mut prefix = self.case.fold(folder).into_owned();
        prefix.push('/');
        let from = items.partition_point(|item| item.key() < prefix.as_str());
        let until = items.partition_point(|item| {
            item.key() < prefix.as_str() || item.key().starts_with(&prefix)
        });
        let start = above.0.start;
        Below(start.saturating_add(from)..start.saturating_add(until))
    }

    /// The tracked path that a path on the disk is, among those below its folder or one above. `next` is where it is looked
    /// for first, and then stands behind it: whoever asks in the order of paths finds it there.
    pub(super) fn find(&self, above: &Below, path: &str, next: &mut usize) -> Option<Tracked<'_>> {
        let items = self.entries.get(above.0.clone())?;
        if items.is_empty() {
            return None;
        }
        let key = self.case.fold(path);
        let is_next = items.get(*next).is_some_and(|item| item.key() == key);
        if !is_next {
            match items.binary_search_by(|item| item.key().cmp(&key)) {
                Ok(at) => *next = at,
                Err(at) => {
                    *next = at;
                    return None;
                }
            }
        }
        let item = items.get(*next)?;
        *next += 1;
        Some(Tracked {
            path: &item.path,
            mode: item.mode,
        })
    }

    /// The tracked paths that are not among the entries, which are in the order of paths.
    pub(super) fn paths_not_in(&self, entries: &[Entry]) -> Vec<(&[u8], Standing)> {
        let mut rest = entries;
        let mut missing = |item: &&Item| {
            // Folded paths are in another order than the entries.
            if self.case == Case::Folded {
                return entries
                    .binary_search_by(|entry| entry.path.cmp(&item.path))
                    .is_err();
            }
            while let [first, others @ ..] = rest
                && first.path != item.path
                && first.path < item.path
            {
                rest = others;
            }
            rest.first().is_none_or(|first| first.path != item.path)
        };
        self.entries
            .iter()
            .filter(|item| missing(item))
            .map(|item| (item.path.as_str().as_bytes(), Standing::Tracked))
            .collect()
    }
}

/// A path as an index spells it, and what it is.
type Spelled<'b> = (Cow<'b, [u8]>, Mode);

/// The paths of an index whose hashes have that many bytes.
fn parse(bytes: &[u8], hash: usize) -> Result<Vec<Spelled<'_>>, IndexError> {
    let mut rest = Rest(bytes);
    if rest.take(4)? != b"DIRC" {
        return Err(IndexError::Damaged);
    }
    let version = rest.u32()?;
    let count = rest.u32()?;
    if !(2..=4).contains(&version) {
        return Err(IndexError::Version(version));
    }
    let mut paths = Vec::new();
    // The last path of version 4, of which the next one may have the beginning.
    let mut spelled = Vec::new();
    // In version 4 a path costs a few bytes however long it is; no real index is so much larger when spelled out.
    let mut room = bytes.len().saturating_mul(16).saturating_add(1 << 20);
    for _ in 0..count {
        let before = rest.0.len();
        let stat = rest.take(40)?;
        let mode = stat.get(24..28).map_or(0, be32);
        rest.take(hash)?;
        let flags = rest.u16()?;
        if flags & 0x4000 != 0 {
            if version < 3 {
                return Err(IndexError::Damaged);
            }
            rest.take(2)?;
        }
        let path = if version == 4 {
            let kept = spelled
                .len()
                .checked_sub(rest.varint()?)
                .ok_or(IndexError::Damaged)?;
            spelled.truncate(kept);
            spelled.extend_from_slice(rest.until_nul()?);
            Cow::Owned(spelled.clone())
        } else {
            let path = match usize::from(flags & 0xfff) {
                0xfff => rest.until_nul()?,
                len => {
                    let path = rest.take(len)?;
                    rest.nul()?;
                    path
                }
            };
            // Entries begin at multiples of eight from the first; one NUL of the padding is taken already.
            let len = before - rest.0.len();
            rest.nuls(len.next_multiple_of(8) - len)?;
            Cow::Borrowed(path)
        };
        if path.len() > LONGEST {
            return Err(IndexError::Damaged);
        }
        room = room.checked_sub(path.len()).ok_or(IndexError::TooLarge)?;
        match mode >> 12 {
            0o10 | 0o12 => paths.push((path, Mode::File)),
            0o16 => paths.push((path, Mode::Repository)),
            // A folder of which nothing is checked out (a sparse index).
            0o04 => {}
            _ => return Err(IndexError::Damaged),
        }
    }
    extensions(rest, hash)?;
    Ok(paths)
}

/// Whether one of a path's names is git's own.
fn has_git_name(path: &str) -> bool {
    let dots = memchr::memchr_iter(b'.', path.as_bytes());
    let mut names = dots.filter_map(|dot| {
        let before = path.get(..dot)?;
        let name = path.get(dot..)?.split('/').next()?;
        (before.is_empty() || before.ends_with('/')).then_some(name)
    });
    names.any(is_git_name)
}

/// What follows the paths: parts with a name and a length, of which those in lower case must be known, then the hash.
fn extensions(mut rest: Rest<'_>, hash: usize) -> Result<(), IndexError> {
    while rest.0.len() > hash {
        let name = rest.take(4)?;
        let len = rest.u32()?;
        let len = usize::try_from(len).map_err(|_| IndexError::Damaged)?;
        rest.take(len)?;
        match name {
            b"sdir" => {}
            b"link" => return Err(IndexError::Split),
            [first, ..] if first.is_ascii_uppercase() => {}
            [first, ..] if first.is_ascii_lowercase() => return Err(IndexError::Required),
            _ => return Err(IndexError::Damaged),
        }
    }
    match rest.0.len() == hash {
        true => Ok(()),
        false => Err(IndexError::Damaged),
    }
}

fn be32(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], IndexError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(IndexError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, IndexError> {
        self.take(4).map(be32)
    }

    fn u16(&mut self) -> Result<u16, IndexError> {
        let [high, low] = self.take(2)? else {
            return Err(IndexError::Damaged);
        };
        Ok(u16::from_be_bytes([*high, *low]))
    }

    fn until_nul(&mut self) -> Result<&'a [u8], IndexError> {
        let end = self.0.iter().position(|byte| *byte == 0);
        let taken = self.take(end.ok_or(IndexError::Damaged)?)?;
        self.nul()?;
        Ok(taken)
    }

    fn nul(&mut self) -> Result<(), IndexError> {
        self.nuls(1)
    }

    fn nuls(&mut self, len: usize) -> Result<(), IndexError> {
        match self.take(len)?.iter().all(|byte| *byte == 0) {
            true => Ok(()),
            false => Err(IndexError::Damaged),
        }
    }

    /// Seven bits a byte, the high ones first; each byte but the last adds one, so that no number has two spellings.
    fn varint(&mut self) -> Result<usize, IndexError> {
        let mut value = 0usize;
        loop {
            let [byte] = self.take(1)? else {
                return Err(IndexError::Damaged);
            };
            value = value
                .checked_shl(7)
                .filter(|shifted| shifted >> 7 == value)
                .ok_or(IndexError::Damaged)?
                | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value = value.checked_add(1).ok_or(IndexError::Damaged)?;
        }
    }
}

#[cfg(test)]
mod tests;
