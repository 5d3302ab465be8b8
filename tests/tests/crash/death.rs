//! A process of its own is killed at a step, whichever it is, of each call.

use memfold_disk::fail::Kind;

use crate::rounds::{rounds, turn};
use crate::scenarios::SCENARIOS;
use crate::site::{Site, engine_at};
use crate::steps::{DEATH, dies, dying, each};

#[test]
#[ignore = "run by every_step_may_be_the_last, once for each step"]
fn one_that_dies() {
    if let Some((root, scenario)) = dying() {
        let engine = engine_at(&root, 1);
        SCENARIOS[scenario].call.make(&engine).unwrap();
    }
}

#[test]
fn every_step_may_be_the_last() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        for (number, scenario) in SCENARIOS.iter().enumerate() {
            let (name, steps) = (scenario.name, random.steps(3));
            let beyond = each(
                name,
                Kind::Change,
                &DEATH,
                steps,
                &mut random,
                |plan, when| {
                    scenario.prepare(&site);
                    let step = dies("death::one_that_dies", site.root(), number, plan);
                    scenario.check(&site, when);
                    step
                },
            );
            assert!(beyond > 4, "{name}: nothing was done");
        }
    }
}
