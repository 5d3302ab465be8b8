//! The power is cut after any of the steps of each call: whatever of it the disk shows afterwards (`disk`), no log is lost,
//! a search answers as the reference does, and a fold makes everything whole.

use std::fs;

use memfold_reference::Reference;

use crate::rounds::{rounds, turn};
use crate::scenarios::{Call, SCENARIOS};
use crate::site::{QUERIES, Site, events_of};
use crate::steps::{Cut, cuts};

#[test]
fn whatever_the_disk_shows_after_a_cut() {
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        for scenario in &SCENARIOS {
            scenario.prepare(&site);
            let engine = site.engine();
            let call = || scenario.call.make(&engine).unwrap();
            let steps = cuts(
                scenario.name,
                site.root(),
                &mut random,
                call,
                |cut, when| {
                    if cut == Cut::Behind {
                        acknowledged(&site, scenario.call, when);
                    }
                    scenario.check(&site, when);
                },
            );
            assert!(steps > 2, "{}: nothing was done", scenario.name);
        }
    }
}

/// What a call that came to its end has promised: what was forgotten stays away, what was turned off stays off.
fn acknowledged(site: &Site, call: Call, when: &str) {
    match call {
        Call::Forget => site.is_forgotten(when),
        Call::Turn(to) => assert!(site.is_turned(to), "{when}"),
        Call::Fold | Call::Search | Call::Rebuild => {}
    }
}

/// The agent synced nothing: its logs are shorter than what memfold folded of them, or their ends are zeros. What memfold
/// synced is of the longer ones: sidecars, kept tails, receipts, roll-up.
#[test]
fn logs_that_lost_their_ends() {
    const CUTS: usize = 24;
    let _turn = turn();
    let site = Site::new();
    for mut random in rounds() {
        for _ in 0..CUTS {
            site.begin();
            site.fold();
            site.answers("before the cut");
            let paths: Vec<_> = site.logs().map(ToOwned::to_owned).collect();
            for (number, path) in paths.iter().enumerate() {
                let mut log = fs::read(path).unwrap();
                let (length, lost) = (log.len(), random.below(log.len()));
                match random.below(4) {
                    0 => continue,
                    1 => log.truncate(length - lost),
                    2 => log.truncate(length - lost / 8),
                    _ => log[length - lost / 8..].fill(0),
                }
                site.write(number, &log);
            }
            let reference = Reference::read(&paths);
            for when in ["cut", "cut and folded"] {
                for query in QUERIES {
                    let answer = site.search(query).unwrap();
                    assert!(answer.complete, "{when}: {:?}", answer.notes);
                    let expected = reference.search(query, memfold::LIMIT);
                    assert_eq!(events_of(&answer), expected, "{when}: {query:?}");
                }
                site.fold();
            }
        }
    }
}
