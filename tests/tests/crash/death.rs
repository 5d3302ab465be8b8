//! A process of its own is killed at a step, whichever it is, of each call.

use std::path::Path;
use std::process::{Command, Stdio};

use memfold_disk::fail::{self, Fault, Kind, Plan};

use crate::rounds::{AGE, rounds, turn};
use crate::scenarios::SCENARIOS;
use crate::site::{Site, engine_at};

/// The home of a child process, and the number of its scenario.
const ROOT: &str = "MEMFOLD_TESTS_CRASH_ROOT";
const SCENARIO: &str = "MEMFOLD_TESTS_CRASH_SCENARIO";
const KILLED: i32 = 9;

#[test]
#[ignore = "run by every_step_may_be_the_last, once for each step"]
fn one_that_dies() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    let scenario: usize = std::env::var(SCENARIO).unwrap().parse().unwrap();
    fail::without_syncs();
    fail::age(AGE);
    let engine = engine_at(Path::new(&root), 1);
    SCENARIOS[scenario].call.make(&engine).unwrap();
}

/// Whether the process came to its end, rather than to the plan's.
fn survives(site: &Site, scenario: usize, plan: Plan) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "death::one_that_dies", "--ignored", "--quiet"])
        .env(ROOT, site.root())
        .env(SCENARIO, scenario.to_string())
        .env("MEMFOLD_FAIL_AT", plan.text())
        // In one thread the steps come in the same order each time.
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(
        status.success() || status.signal() == Some(KILLED),
        "{status}"
    );
    status.success()
}

#[test]
fn every_step_may_be_the_last() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        for (number, scenario) in SCENARIOS.iter().enumerate() {
            for at in random.steps(3) {
                let fault = [Fault::Die, Fault::DieHalfway][random.below(2)];
                let plan = Plan {
                    kind: Kind::Change,
                    at,
                    fault,
                };
                scenario.prepare(&site);
                let survived = survives(&site, number, plan);
                scenario.check(&site, &format!("{}, {}", scenario.name, plan.text()));
                if survived {
                    assert!(at > 4, "{}: nothing was done", scenario.name);
                    break;
                }
            }
        }
    }
}
