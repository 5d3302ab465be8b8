//! Every step of a call: refused, the last of its process, or the last one before the power is cut. Sidecars and a repository's
//! index go through the same; what must hold afterwards, each suite says itself.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memfold_disk::fail::{self, Fault, Kind, Plan};

use crate::disk::{Disk, clear};
use crate::rounds::{AGE, Random};

/// The system's numbers for what it refuses, on every Unix that we know.
pub(crate) const EIO: i32 = 5;
const EMFILE: i32 = 24;
pub(crate) const ENOSPC: i32 = 28;
pub(crate) const EROFS: i32 = 30;

/// How a change is refused.
pub(crate) const CHANGE_REFUSED: [Fault; 4] = [
    Fault::Once(ENOSPC),
    Fault::FromHalfway(ENOSPC),
    Fault::Once(EIO),
    Fault::FromHere(EROFS),
];
/// How a look is.
pub(crate) const LOOK_REFUSED: [Fault; 3] = [
    Fault::Once(EIO),
    Fault::Once(EMFILE),
    Fault::FromHere(EMFILE),
];
/// How a change is a process's last.
pub(crate) const DEATH: [Fault; 2] = [Fault::Die, Fault::DieHalfway];

/// Whether a call came to the step at which its plan has a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Reached,
    /// It has fewer.
    Beyond,
}

impl Step {
    /// Of a call that came to so many.
    pub(crate) fn of(plan: Plan, count: usize) -> Step {
        match count < plan.at {
            true => Step::Beyond,
            false => Step::Reached,
        }
    }
}

/// Has a call suffer a fault, which is drawn, at each of these steps, until it has no such step: which that is.
pub(crate) fn each(
    call: &str,
    kind: Kind,
    faults: &[Fault],
    steps: impl Iterator<Item = usize>,
    random: &mut Random,
    mut suffer: impl FnMut(Plan, &str) -> Step,
) -> usize {
    for at in steps {
        let fault = faults[random.below(faults.len())];
        let plan = Plan { kind, at, fault };
        if suffer(plan, &format!("{call}, {}", plan.text())) == Step::Beyond {
            return at;
        }
    }
    panic!("{call}: too few steps were given");
}

/// Where a child process works, and the number of its scenario.
const ROOT: &str = "MEMFOLD_TESTS_CRASH_ROOT";
const SCENARIO: &str = "MEMFOLD_TESTS_CRASH_SCENARIO";
const KILLED: i32 = 9;

/// In a process that [`dies`] began: where it works, and the number of its scenario.
pub(crate) fn dying() -> Option<(PathBuf, usize)> {
    let root = std::env::var_os(ROOT)?;
    let scenario = std::env::var(SCENARIO).unwrap().parse().unwrap();
    fail::without_syncs();
    fail::age(AGE);
    Some((root.into(), scenario))
}

/// Runs that ignored test in a process of its own, until the plan's step or to its end.
pub(crate) fn dies(test: &str, root: &Path, scenario: usize, plan: Plan) -> Step {
    use std::os::unix::process::ExitStatusExt;
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--quiet"])
        .env(ROOT, root)
        .env(SCENARIO, scenario.to_string())
        .env("MEMFOLD_FAIL_AT", plan.text())
        // In one thread the steps come in the same order each time.
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(
        status.success() || status.signal() == Some(KILLED),
        "{}: {status}",
        plan.text()
    );
    match status.success() {
        true => Step::Beyond,
        false => Step::Reached,
    }
}

/// When the power was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// During the call.
    Within,
    /// After it: then it has promised something.
    Behind,
}

/// Makes a call, then puts below the root whatever the disk may show after a cut before its first step, after each, and after
/// its last, and has `look` look at it. How many steps the call had.
pub(crate) fn cuts(
    name: &str,
    root: &Path,
    random: &mut Random,
    call: impl FnOnce(),
    mut look: impl FnMut(Cut, &str),
) -> usize {
    let mut disk = Disk::of(root);
    fail::record();
    call();
    let changes = fail::recorded();
    let mut seen = HashSet::new();
    for step in 0..=changes.len() {
        if let Some(change) = step.checked_sub(1).and_then(|done| changes.get(done)) {
            disk.make(change);
        }
        let cut = match step == changes.len() {
            true => Cut::Behind,
            false => Cut::Within,
        };
        for state in disk.states(random) {
            // What is seen behind the call is looked at again.
            if !seen.insert(disk.content(&state)) && cut == Cut::Within {
                continue;
            }
            clear(root);
            disk.restore(&state, root);
            look(cut, &format!("{name}, cut after step {step}: {state:?}"));
        }
    }
    fail::pretend(Default::default());
    println!("{name}: {} steps, {} states", changes.len(), seen.len());
    changes.len()
}
