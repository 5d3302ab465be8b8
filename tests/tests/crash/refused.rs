//! The system refuses a step: the disk is full, fails, is read-only, or no file can be opened any more. A search answers all
//! the same, and once the cause is gone everything is whole again. Steps that are refused from one on are also what a disk
//! looks like when the process was killed there.

use std::fs;
use std::iter::StepBy;
use std::ops::RangeFrom;

use memfold_disk::fail::{self, Fault, Kind, Plan};

use crate::rounds::{Random, rounds, turn};
use crate::scenarios::{Call, SCENARIOS, Scenario};
use crate::site::{QUERIES, Site};
use crate::steps::{CHANGE_REFUSED, EIO, ENOSPC, EROFS, LOOK_REFUSED, Step, each};

/// Makes the scenario's call under the plan; of a search, holds its answer against the truth.
fn suffer(site: &Site, scenario: &Scenario, plan: Plan, when: &str) -> (usize, Vec<String>) {
    let engine = site.engine();
    fail::plan(Some(plan));
    let notes = match scenario.call {
        Call::Search => {
            let answer = site.search(QUERIES[0]);
            let answer = answer.unwrap_or_else(|error| panic!("{when}: {error}"));
            let wrong = site.differs(0, &answer);
            // What cannot be written costs time, never an answer; a log that cannot be read is said.
            let is_said = plan.kind == Kind::Look && !answer.complete && !answer.notes.is_empty();
            assert!(wrong.is_none() || is_said, "{when}: {wrong:?}");
            answer.notes
        }
        call => {
            if let Err(error) = call.make(&engine) {
                assert!(
                    matches!(call, Call::Turn(_)) || plan.kind == Kind::Look,
                    "{when}: {error}"
                );
            }
            Vec::new()
        }
    };
    let count = fail::count(plan.kind);
    fail::plan(None);
    for note in &notes {
        assert!(!note.contains('\n'), "{when}: {note:?} is more than a line");
    }
    (count, notes)
}

#[test]
fn a_step_that_is_refused_costs_no_answer() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        is_refused(
            &site,
            Kind::Change,
            &CHANGE_REFUSED,
            |_| (1..).step_by(1),
            &mut random,
        );
    }
}

#[test]
fn a_look_that_is_refused_is_said_and_harms_nothing() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        is_refused(
            &site,
            Kind::Look,
            &LOOK_REFUSED,
            |random| random.steps(8),
            &mut random,
        );
    }
}

/// Steps of each scenario are refused, and harm nothing.
fn is_refused(
    site: &Site,
    kind: Kind,
    faults: &[Fault],
    steps: fn(&mut Random) -> StepBy<RangeFrom<usize>>,
    random: &mut Random,
) {
    for scenario in &SCENARIOS {
        let steps = steps(random);
        each(scenario.name, kind, faults, steps, random, |plan, when| {
            scenario.prepare(site);
            let (count, _) = suffer(site, scenario, plan, when);
            scenario.check(site, when);
            Step::of(plan, count)
        });
    }
}

/// Nothing at all can be written: each search folds in memory, and says in a line what that costs.
#[test]
fn a_disk_that_takes_nothing_is_said_in_a_line() {
    let _turn = turn();
    let site = Site::new();
    for number in [ENOSPC, EROFS, EIO] {
        site.begin();
        let before = site.files();
        let plan = Plan {
            kind: Kind::Change,
            at: 1,
            fault: Fault::FromHere(number),
        };
        let scenario = &SCENARIOS[1];
        assert_eq!(scenario.call, Call::Search);
        for _ in 0..2 {
            let (_, notes) = suffer(&site, scenario, plan, "a disk that takes nothing");
            let of_sidecars = notes.iter().filter(|note| note.contains("sidecar"));
            assert_eq!(of_sidecars.count(), 1, "{notes:?}");
            assert!(notes.len() <= 2, "{notes:?}");
        }
        assert_eq!(site.files(), before);
        site.is_whole("a disk that takes something again");
    }
}

/// What the receipts say of other logs is not lost when they cannot be read for a moment.
#[test]
fn receipts_that_cannot_be_read_for_a_moment_are_kept() {
    let _turn = turn();
    let site = Site::new();
    let receipts = || fs::read(site.dirs().cache.join("receipts")).unwrap().len();
    for at in 1.. {
        site.begin();
        site.shrink();
        site.fold();
        let before = receipts();
        let path = site.logs().next().unwrap().to_owned();
        let mut log = fs::read(&path).unwrap();
        log.extend(memfold_tests::home::turns(50..51));
        fs::write(&path, &log).unwrap();
        fail::plan(Some(Plan {
            kind: Kind::Look,
            at,
            fault: Fault::Once(EIO),
        }));
        let _ = site.engine().fold(&[path], &memfold::Quiet);
        let count = fail::count(Kind::Look);
        fail::plan(None);
        assert!(
            receipts() + 60 > before,
            "look {at}: {} bytes of {before}",
            receipts()
        );
        if count < at {
            break;
        }
    }
}
