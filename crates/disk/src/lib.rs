//! What memfold does to the disk, and nothing above it: [`Snapshot`] reads a file at the length it
//! had when opened, [`publish`] replaces a file whole or not at all, [`Locks`] keep two writers
//! apart, [`walk`] finds files, [`Pinned`] is a folder out of which no path leads, [`Identity`] is
//! what stat says of a file, [`Dirs`] are our folders.
//!
//! Logs are only ever read, by position, into private memory: a map of a file that another process
//! changes in place is a wrong answer or a SIGBUS. The one map is of a temporary file that
//! `publish` has just written (`mapped.rs`, the only module with `unsafe`).
//!
//! ```
//! use memfold_disk::{Links, Mode, Snapshot, publish};
//!
//! # let folder = tempfile::tempdir()?;
//! let target = folder.path().join("x.mem");
//! publish(
//!     &target,
//!     Mode::Private,
//!     |out| out.write_all(b"folded"),
//!     |bytes| (bytes == b"folded").then_some(()).ok_or(std::io::ErrorKind::InvalidData.into()),
//! )?;
//!
//! let file = Snapshot::open(&target, Links::Refuse)?;
//! assert_eq!(file.read_at(0, 4)?, b"fold");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod crash;
mod dirs;
mod error;
#[cfg(not(any(test, feature = "fail-points")))]
mod fail;
#[cfg(any(test, feature = "fail-points"))]
pub mod fail;
mod listings;
mod lock;
mod mapped;
mod mark;
mod open_files;
mod pinned;
mod place;
mod publish;
mod sink;
mod snapshot;
mod stat;
mod sweep;
mod sys;
mod temporary;
#[cfg(test)]
mod testing;
mod walk;

pub use dirs::Dirs;
pub use error::DiskError;
pub use listings::Listings;
pub use lock::{Lock, Locks};
pub use mark::{Mark, Marked};
pub use open_files::allow_open_files;
pub use pinned::{Pinned, PinnedFile, PinnedFolder};
pub use place::{
    append_to_own_log, can_write, in_order, is_below, open_own_log, open_own_record, private_dir,
    remove, resolve, resolve_lost, set_aside, sync_names, sync_own_log,
};
pub use publish::{Mode, PublishError, Published, publish};
pub use snapshot::{Reader, Snapshot};
pub use stat::{FileKind, Identity, Links, Stat};
pub use sweep::{Swept, sweep};
pub use temporary::is_ours as is_temporary;
pub use walk::{Found, Limits, Walk, walk};
