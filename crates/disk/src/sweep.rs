//! Removes what publishes that were killed have left behind. Relies on the pattern of our temporary
//! names, and on no publish taking an hour.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::error::DiskError;
use crate::stat::FileKind;
use crate::sys::Folder;
use crate::temporary::is_ours;

/// A younger one may be in use.
const AGE: Duration = Duration::from_secs(3600);

/// When this process last swept a folder, by device and inode. An agent keeps thousands of logs in
/// one folder: to list it at every publish would make a first fold quadratic.
static SWEPT: LazyLock<Mutex<HashMap<(u64, u64), Instant>>> = LazyLock::new(Mutex::default);

/// More folders than this are forgotten, and swept anew when they are met again.
const REMEMBERED: usize = 4096;

/// Sweeps the folder unless this process did so within the hour.
///
/// No failure is told: a file that is left costs space, nothing else, and a later sweep meets it.
pub(crate) fn now_and_then(folder: &mut Folder) {
    let Ok(stat) = folder.stat() else { return };
    let now = Instant::now();
    {
        let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (stat.identity.dev, stat.identity.inode);
        if swept
            .get(&place)
            .is_some_and(|last| now.duration_since(*last) < AGE)
        {
            return;
        }
        if swept.len() >= REMEMBERED {
            swept.clear();
        }
        swept.insert(place, now);
    }
    let _ = older_than(folder, now_ns(), AGE);
}

/// How many temporary files there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// These are gone.
    pub removed: usize,
    /// These are too young to be nobody's, or cannot be removed.
    pub left: usize,
}

/// Removes the temporary files that publishes which were killed have left in a folder more than `age` ago.
///
/// # Errors
/// If the folder cannot be opened or listed. A file that cannot be removed is counted.
pub fn sweep(folder: impl AsRef<Path>, age: Duration) -> Result<Swept, DiskError> {
    let path = folder.as_ref();
    let mut folder = Folder::open(path).map_err(DiskError::io("open the folder", path))?;
    older_than(&mut folder, now_ns(), age).map_err(DiskError::io("list", path))
}

/// Now, in nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|now| i64::try_from(now.as_nanos()).ok())
        // Without a clock nothing is old.
        .unwrap_or(i64::MIN)
}

fn older_than(folder: &mut Folder, now_ns: i64, age: Duration) -> io::Result<Swept> {
    let age_ns = i64::try_from(age.as_nanos()).unwrap_or(i64::MAX);
    let newest = now_ns.saturating_sub(age_ns);
    let mut found = Vec::new();
    let listed = folder.list(|name, _| {
        if is_ours(name) {
            found.push(name.to_owned());
        }
        ControlFlow::Continue(())
    });
    let mut swept = Swept::default();
    for name in found {
        let stat = match folder.stat_child(&name) {
            Ok(stat) if stat.kind == FileKind::Regular => stat,
            // A folder or a link of such a name is nobody's temporary file.
            _ => continue,
        };
        if stat.identity.mtime_ns < newest && folder.remove(&name).is_ok() {
            swept.removed += 1;
        } else {
            swept.left += 1;
        }
    }
    listed.map(|_| swept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{folder, names};
    use std::fs::File;
    use std::os::unix::fs::symlink;

    const HOUR_NS: i64 = 3600 * 1_000_000_000;

    fn left_at(path: &Path, ns: i64) {
        let when = UNIX_EPOCH + Duration::from_nanos(ns as u64);
        File::create(path).unwrap().set_modified(when).unwrap();
    }

    #[test]
    fn only_ours_and_only_old_ones() {
        let place = folder();
        let at = |name: &str| place.path().join(name);
        let now = 1_800_000_000_000_000_000;
        left_at(&at(".memfold-00000000000000a1.tmp"), now - HOUR_NS - 1);
        left_at(&at(".memfold-00000000000000a2.tmp"), now - HOUR_NS);
        left_at(&at(".memfold-00000000000000a3.tmp"), now + HOUR_NS);
        left_at(&at(".memfold-x.tmp"), 0);
        left_at(&at(".other-00000000000000a4.tmp"), 0);
        left_at(&at("x.mem"), 0);
        std::fs::create_dir(at(".memfold-00000000000000a5.tmp")).unwrap();
        symlink("x.mem", at(".memfold-00000000000000a6.tmp")).unwrap();

        let swept = older_than(&mut Folder::open(place.path()).unwrap(), now, AGE).unwrap();
        assert_eq!((swept.removed, swept.left), (1, 2));
        assert_eq!(
            names(place.path()),
            [
                ".memfold-00000000000000a2.tmp",
                ".memfold-00000000000000a3.tmp",
                ".memfold-00000000000000a5.tmp",
                ".memfold-00000000000000a6.tmp",
                ".memfold-x.tmp",
                ".other-00000000000000a4.tmp",
                "x.mem",
            ]
        );
    }
}
