//! Named points at which a crash test stops the process, or makes the disk full. `MEMFOLD_FAIL_AT`
//! says where: `publish.synced` aborts there, `publish.synced:enospc` fails there. Without the
//! feature `fail-points` a point is nothing at all.

use std::io;

/// Passes, unless a test asked otherwise.
#[cfg(any(test, feature = "fail-points"))]
pub(crate) fn point(name: &str) -> io::Result<()> {
    use std::sync::LazyLock;
    static ASKED: LazyLock<Option<String>> =
        LazyLock::new(|| std::env::var("MEMFOLD_FAIL_AT").ok());

    match ASKED.as_deref().and_then(|asked| asked.strip_prefix(name)) {
        Some("") => std::process::abort(),
        Some(":enospc") => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    }
}

/// Passes.
#[cfg(not(any(test, feature = "fail-points")))]
#[inline(always)]
pub(crate) fn point(_name: &str) -> io::Result<()> {
    Ok(())
}
