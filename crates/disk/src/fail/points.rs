//! Fail points: what a test may make of the steps. One plan for the whole process, set by a call or, for a command that is
//! run, by `MEMFOLD_FAIL_AT`; `MEMFOLD_FAIL_AGE` makes every file look so many seconds older than it is, as if it had been
//! left alone. Relies on every change of the disk going through [`step`] or [`write`].

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::Step;
use crate::stat::{Identity, Links};
use crate::sys;

/// What is counted: steps that change the disk, or looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Making, writing, syncing, renaming, removing, setting a mode, opening a lock file.
    Change,
    /// Opening, reading, listing.
    Look,
}

/// What becomes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed by SIGKILL before it.
    Die,
    /// Of a write, half the bytes are written before that.
    DieHalfway,
    /// It is refused, with this number of the system's; those after it are not.
    Once(i32),
    /// It is refused, and so is each that follows.
    FromHere(i32),
    /// The same, and of a write half the bytes are written before that.
    FromHalfway(i32),
}

/// Which step, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What is counted.
    pub kind: Kind,
    /// The number of the step, from 1.
    pub at: usize,
    /// What becomes of it.
    pub fault: Fault,
}

/// A change that was made, in order, as a model of a disk needs to know it. Files and folders go by their inode's number,
/// which a system gives anew once a file is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A file or folder was made.
    Made {
        /// In which folder.
        folder: u64,
        /// Under which name.
        name: OsString,
        /// The new one.
        inode: u64,
        /// Which of the two it is.
        is_folder: bool,
    },
    /// Bytes were written.
    Wrote {
        /// To which file.
        inode: u64,
        /// From where on.
        at: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// All that was written to a file, or all names in a folder, became durable.
    Synced {
        /// The file or folder.
        inode: u64,
    },
    /// A file got another name in its folder.
    Renamed {
        /// The folder.
        folder: u64,
        /// Its name before.
        from: OsString,
        /// Its name from now on.
        to: OsString,
        /// What stat says of it since.
        identity: Identity,
    },
    /// A name was removed.
    Removed {
        /// From which folder.
        folder: u64,
        /// The name.
        name: OsString,
    },
}

#[derive(Default)]
struct Points {
    plan: Option<Plan>,
    changes: usize,
    looks: usize,
    age_ns: i64,
    pretended: HashMap<Identity, Identity>,
    recorded: Option<Vec<Change>>,
    skips_syncs: bool,
}

static POINTS: LazyLock<Mutex<Points>> = LazyLock::new(|| {
    let variable = |name| std::env::var(name).ok();
    Mutex::new(Points {
        plan: variable("MEMFOLD_FAIL_AT").and_then(|text| parse(&text)),
        age_ns: variable("MEMFOLD_FAIL_AGE")
            .and_then(|text| text.parse::<i64>().ok())
            .map_or(0, nanoseconds),
        ..Points::default()
    })
});

/// Held while a step is taken and noted, so that a recording has the order in which things happened.
static ORDER: Mutex<()> = Mutex::new(());

fn points() -> MutexGuard<'static, Points> {
    POINTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn nanoseconds(seconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000)
}

/// Sets the plan, or takes it back, and counts from 1 again.
pub fn plan(plan: Option<Plan>) {
    let mut points = points();
    (points.plan, points.changes, points.looks) = (plan, 0, 0);
}

/// How many steps there were since the plan was set.
pub fn count(kind: Kind) -> usize {
    match kind {
        Kind::Change => points().changes,
        Kind::Look => points().looks,
    }
}

/// Makes every file look so much older.
pub fn age(seconds: i64) {
    points().age_ns = nanoseconds(seconds);
}

/// Makes files that have one of these identities be seen with the other.
pub fn pretend(identities: HashMap<Identity, Identity>) {
    points().pretended = identities;
}

/// Begins a recording.
pub fn record() {
    points().recorded = Some(Vec::new());
}

/// Ends the recording and gives it.
pub fn recorded() -> Vec<Change> {
    points().recorded.take().unwrap_or_default()
}

/// From now on a sync is counted and recorded and takes no time: of a disk that is never really cut off from power.
pub fn without_syncs() {
    points().skips_syncs = true;
}

impl Plan {
    /// The plan as `MEMFOLD_FAIL_AT` has it.
    pub fn text(&self) -> String {
        let kind = match self.kind {
            Kind::Change => "change",
            Kind::Look => "look",
        };
        let fault = match self.fault {
            Fault::Die => "die".to_owned(),
            Fault::DieHalfway => "die-halfway".to_owned(),
            Fault::Once(number) => format!("once {number}"),
            Fault::FromHere(number) => format!("from-here {number}"),
            Fault::FromHalfway(number) => format!("from-halfway {number}"),
        };
        format!("{kind} {} {fault}", self.at)
    }
}

fn parse(text: &str) -> Option<Plan> {
    let mut words = text.split(' ');
    let kind = match words.next()? {
        "change" => Kind::Change,
        "look" => Kind::Look,
        _ => return None,
    };
    let at = words.next()?.parse().ok()?;
    let fault = words.next()?;
    let mut number = || words.next()?.parse().ok();
    let fault = match fault {
        "die" => Fault::Die,
        "die-halfway" => Fault::DieHalfway,
        "once" => Fault::Once(number()?),
        "from-here" => Fault::FromHere(number()?),
        "from-halfway" => Fault::FromHalfway(number()?),
        _ => return None,
    };
    Some(Plan { kind, at, fault })
}

/// Counts a step. What is to become of it, and whether it is the very one.
fn met(kind: Kind) -> Option<(Fault, bool)> {
    let mut points = points();
    let count = match kind {
        Kind::Change => &mut points.changes,
        Kind::Look => &mut points.looks,
    };
    *count += 1;
    let count = *count;
    let plan = points.plan.filter(|plan| plan.kind == kind)?;
    let lasts = matches!(plan.fault, Fault::FromHere(_) | Fault::FromHalfway(_));
    (count == plan.at || (lasts && count > plan.at)).then_some((plan.fault, count == plan.at))
}

/// Ends the process, or gives the error.
fn suffer(fault: Fault) -> io::Error {
    match fault {
        Fault::Die | Fault::DieHalfway => {
            let _ = sys::kill_this_process();
            // Not reached unless the system refuses: then it is at least no success.
            std::process::abort()
        }
        Fault::Once(number) | Fault::FromHere(number) | Fault::FromHalfway(number) => {
            io::Error::from_raw_os_error(number)
        }
    }
}

/// Takes a step, unless the plan has something else in mind, and notes it.
pub(crate) fn step<T>(step: Step<'_>, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    if let Some((fault, _)) = met(Kind::Change) {
        return Err(suffer(fault));
    }
    let _order = in_order();
    let done = act()?;
    if is_recording()
        && let Some(change) = change_of(step)
    {
        note(change);
    }
    Ok(done)
}

/// Writes, unless the plan has something else in mind, and notes what was written.
pub(crate) fn write(
    mut file: &File,
    bytes: &[u8],
    mut act: impl FnMut(&[u8]) -> io::Result<usize>,
) -> io::Result<usize> {
    if let Some((fault, here)) = met(Kind::Change) {
        let halfway = matches!(fault, Fault::DieHalfway | Fault::FromHalfway(_));
        if halfway && here {
            let (half, _) = bytes.split_at(bytes.len() / 2);
            act(half)?;
        }
        return Err(suffer(fault));
    }
    let _order = in_order();
    if !is_recording() {
        return act(bytes);
    }
    let at = file.stream_position()?;
    let written = act(bytes)?;
    note(Change::Wrote {
        inode: sys::stat(file)?.identity.inode,
        at,
        bytes: bytes.get(..written).unwrap_or_default().to_vec(),
    });
    Ok(written)
}

/// Looks, unless the plan has something else in mind.
pub(crate) fn look<T>(act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    match met(Kind::Look) {
        Some((fault, _)) => Err(suffer(fault)),
        None => act(),
    }
}

/// The identity that a test wants to be seen.
pub(crate) fn seen(identity: Identity) -> Identity {
    let points = points();
    let aged = Identity {
        mtime_ns: identity.mtime_ns.saturating_sub(points.age_ns),
        ctime_ns: identity.ctime_ns.saturating_sub(points.age_ns),
        ..identity
    };
    points.pretended.get(&aged).copied().unwrap_or(aged)
}

/// Whether syncs are left out.
pub(crate) fn skips_syncs() -> bool {
    points().skips_syncs
}

fn is_recording() -> bool {
    points().recorded.is_some()
}

fn in_order() -> Option<MutexGuard<'static, ()>> {
    is_recording().then(|| ORDER.lock().unwrap_or_else(PoisonError::into_inner))
}

fn note(change: Change) {
    if let Some(recorded) = &mut points().recorded {
        recorded.push(change);
    }
}

/// The change that a step made, looked at after it.
fn change_of(step: Step<'_>) -> Option<Change> {
    let inode_at = |path: &Path| Some(sys::stat_path(path, Links::Follow).ok()?.identity.inode);
    let inode_of = |folder: &sys::Folder| Some(folder.stat().ok()?.identity.inode);
    Some(match step {
        Step::OpenLock | Step::Mode => return None,
        Step::Make(folder, name) => Change::Made {
            folder: inode_of(folder)?,
            name: name.to_owned(),
            inode: folder.stat_child(name).ok()?.identity.inode,
            is_folder: false,
        },
        Step::MakeFolder(path) => Change::Made {
            folder: inode_at(path.parent()?)?,
            name: path.file_name()?.to_owned(),
            inode: inode_at(path)?,
            is_folder: true,
        },
        Step::Sync(file) => Change::Synced {
            inode: sys::stat(file).ok()?.identity.inode,
        },
        Step::SyncFolder(folder) => Change::Synced {
            inode: inode_of(folder)?,
        },
        Step::Rename(folder, from, to) => Change::Renamed {
            folder: inode_of(folder)?,
            from: from.to_owned(),
            to: to.to_owned(),
            identity: folder.stat_child(to).ok()?.identity,
        },
        Step::Remove(folder, name) => Change::Removed {
            folder: inode_of(folder)?,
            name: name.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        for kind in [Kind::Change, Kind::Look] {
            for fault in [
                Fault::Die,
                Fault::DieHalfway,
                Fault::Once(28),
                Fault::FromHere(5),
                Fault::FromHalfway(30),
            ] {
                let plan = Plan {
                    kind,
                    at: 17,
                    fault,
                };
                assert_eq!(parse(&plan.text()), Some(plan));
            }
        }
        for odd in ["", "change", "change x die", "look 3 once", "look 3 rest"] {
            assert_eq!(parse(odd), None, "{odd}");
        }
    }
}
