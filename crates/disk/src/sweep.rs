//! Removes what publishes that were killed have left behind. Relies on the pattern of our temporary
//! names, and on no publish taking an hour.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
pub(crate) fn now_and_then(folder: &Folder) {
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
    sweep_now(folder);
}

/// Removes the temporary files that publishes which were killed left in a folder more than an hour
/// ago. A publish does so as well in its own folder; this is for folders in which none may follow.
///
/// No failure is told.
pub fn sweep(folder: impl AsRef<Path>) {
    if let Ok(folder) = Folder::open(folder.as_ref()) {
        sweep_now(&folder);
    }
}

fn sweep_now(folder: &Folder) {
    if let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) {
        sweep_at(folder, i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
    }
}

fn sweep_at(folder: &Folder, now_ns: i64) {
    let age_ns = i64::try_from(AGE.as_nanos()).unwrap_or(i64::MAX);
    let newest = now_ns.saturating_sub(age_ns);
    let mut left = Vec::new();
    let _ = folder.list(|entry| {
        if is_ours(&entry.name) {
            left.push(entry.name);
        }
        ControlFlow::Continue(())
    });
    for name in left {
        let old = folder
            .stat_child(&name)
            .is_ok_and(|stat| stat.kind == FileKind::Regular && stat.identity.mtime_ns < newest);
        if old {
            let _ = folder.remove(&name);
        }
    }
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

        sweep_at(&Folder::open(place.path()).unwrap(), now);
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
