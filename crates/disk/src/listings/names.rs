//! The names of a folder, one behind the other: as a walk reads them, and as they are kept. A name is a byte for what it stands
//! for, two for its length, and its bytes.

use std::ffi::OsStr;
use std::ops::Range;
use std::sync::Arc;

use crate::stat::FileKind;
use crate::sys;

/// The names of one folder that were not come to yet.
#[derive(Debug)]
pub(crate) enum Names {
    /// They were listed now; how many bytes of them are behind us.
    Own(Arc<Vec<u8>>, usize),
    /// They are kept, there.
    Known(Range<usize>),
}

impl Names {
    /// The next name. `kept` holds those that are kept. Nothing at the end, and where what follows is no name.
    pub(crate) fn next<'n>(&'n mut self, kept: &'n [u8]) -> Option<(&'n OsStr, FileKind)> {
        let (bytes, at) = match self {
            Names::Own(bytes, at) => (bytes.get(*at..)?, at),
            Names::Known(range) => (kept.get(range.clone())?, &mut range.start),
        };
        let (name, kind) = first(bytes)?;
        *at = at.saturating_add(BEFORE).saturating_add(name.len());
        Some((sys::name_of(name), kind))
    }

    /// Whether nothing is left of names that are kept.
    pub(crate) fn is_at_its_end(&self) -> bool {
        match self {
            Names::Own(bytes, at) => *at == bytes.len(),
            Names::Known(range) => range.is_empty(),
        }
    }
}

/// What comes before a name's bytes.
const BEFORE: usize = 3;

/// The name that stands first.
fn first(bytes: &[u8]) -> Option<(&[u8], FileKind)> {
    let ([kind, low, high], rest) = bytes.split_first_chunk::<BEFORE>()?;
    let name = rest.get(..usize::from(u16::from_le_bytes([*low, *high])))?;
    let kind = match kind {
        0 => FileKind::Regular,
        1 => FileKind::Folder,
        2 => FileKind::Unknown,
        _ => return None,
    };
    let is_name =
        !matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, 0 | b'/'));
    is_name.then_some((name, kind))
}

/// Puts a name behind others. One of another kind, or so long that no system has it, is left out.
pub(crate) fn put_name(out: &mut Vec<u8>, name: &OsStr, kind: FileKind) {
    let kind = match kind {
        FileKind::Regular => 0,
        FileKind::Folder => 1,
        FileKind::Unknown => 2,
        _ => return,
    };
    let name = name.as_encoded_bytes();
    if let Ok(length) = u16::try_from(name.len()) {
        out.push(kind);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(name);
    }
}

/// The same names in their order: that of a folder is the system's, ours is the same on every machine.
pub(crate) fn sorted(names: &[u8]) -> Vec<u8> {
    let mut rest = names;
    let mut all: Vec<(&[u8], &[u8])> = Vec::new();
    while let Some((name, _)) = first(rest) {
        let Some((whole, after)) = rest.split_at_checked(BEFORE + name.len()) else {
            break;
        };
        all.push((name, whole));
        rest = after;
    }
    all.sort_unstable();
    let mut out = Vec::with_capacity(names.len());
    all.iter()
        .for_each(|(_, whole)| out.extend_from_slice(whole));
    out
}
