//! How many files a process may have open: a search holds a sidecar for each log, and the soft limit is often 1,024.

use crate::sys;

/// So many files a process opens beside those that a caller counts.
const BESIDE: usize = 128;

/// Raises the process's soft limit, so that `files` may be open at once, as far as its hard limit allows. Best effort: what
/// cannot be opened all the same is told where it is opened.
pub fn allow_open_files(files: usize) {
    if let Ok(wanted) = u64::try_from(files.saturating_add(BESIDE)) {
        sys::allow_open_files(wanted);
    }
}
