//! Every step by which memfold changes a disk, and every look at one, passes here. In the command that is all: the calls
//! are gone once it is compiled. With the feature `fail-points`, which only tests turn on, a step may be counted, recorded,
//! refused, or be the last thing that the process does.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

use crate::sys::Folder;

#[cfg(any(test, feature = "fail-points"))]
mod points;
#[cfg(any(test, feature = "fail-points"))]
pub use points::{
    Change, Fault, Kind, Plan, age, count, plan, pretend, record, recorded, without_syncs,
};
#[cfg(any(test, feature = "fail-points"))]
pub(crate) use points::{look, seen, skips_syncs, step, write};

/// A step that changes the disk. A write is one more, with a function of its own.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(any(test, feature = "fail-points")),
    allow(dead_code, reason = "only crash tests ask what a step is about")
)]
pub(crate) enum Step<'s> {
    /// A file is made.
    Make(&'s Folder, &'s OsStr),
    /// A folder is made.
    MakeFolder(&'s Path),
    /// A lock file is opened, and made if it is not there. It stays empty: no recording has it.
    OpenLock,
    /// The mode of a file is set.
    Mode,
    /// The bytes of a file are made durable.
    Sync(&'s File),
    /// The names in a folder are made durable.
    SyncFolder(&'s Folder),
    /// A file gets another name in its folder.
    Rename(&'s Folder, &'s OsStr, &'s OsStr),
    /// A name is removed.
    Remove(&'s Folder, &'s OsStr),
}

#[cfg(not(any(test, feature = "fail-points")))]
mod nothing {
    use std::fs::File;
    use std::io;

    use super::Step;
    use crate::stat::Identity;

    /// Takes the step.
    #[inline(always)]
    pub(crate) fn step<T>(_: Step<'_>, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        act()
    }

    /// Writes the bytes.
    #[inline(always)]
    pub(crate) fn write(
        _: &File,
        bytes: &[u8],
        mut act: impl FnMut(&[u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        act(bytes)
    }

    /// Looks.
    #[inline(always)]
    pub(crate) fn look<T>(act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        act()
    }

    /// Whether syncs are left out.
    #[inline(always)]
    pub(crate) fn skips_syncs() -> bool {
        false
    }

    /// The identity as stat gave it.
    #[inline(always)]
    pub(crate) fn seen(identity: Identity) -> Identity {
        identity
    }
}
#[cfg(not(any(test, feature = "fail-points")))]
pub(crate) use nothing::{look, seen, skips_syncs, step, write};
