//! What one call kept and another did not know of.

use std::fs;

use memfold_tests::home::{half_a_turn, turns};

use crate::rounds::turn;
use crate::site::{QUERIES, Site};

/// A search kept the tail of a log that grew, and died before it saved the receipt, which knows when the log ended: the next
/// one took the tail as it was kept and the end as it had been before, for good.
#[test]
fn a_tail_is_kept_and_its_receipt_is_not() {
    let _turn = turn();
    let site = Site::new();
    let cache = site.dirs().cache;
    let receipts = cache.join("receipts");
    site.shrink();
    site.fold();
    let before = fs::read(&receipts).unwrap();
    site.grow();
    site.answers("grown");
    fs::write(&receipts, before).unwrap();
    // Nor was there time for a roll-up.
    fs::remove_dir_all(cache.join("rollup")).unwrap();
    for _ in 0..2 {
        site.answers("with the receipts as they were");
    }
}

/// A log's tail gives way to another of the same length, and what its receipt said of its end was of the first.
#[test]
fn a_tail_gives_way_to_another() {
    let _turn = turn();
    let site = Site::new();
    let [late, early] = [80, 60].map(|turn| [turns(40..42), half_a_turn(turn)].concat());
    assert_eq!(early.len(), late.len());
    for changed_by in ["a search", "a fold"] {
        site.begin();
        site.write(0, &late);
        site.fold();
        site.search(QUERIES[0]).unwrap();
        site.write(0, &early);
        // Between the two: events that score the same, and whose order is that of the logs' ends.
        site.write(1, &turns(70..72));
        if changed_by == "a fold" {
            site.fold();
        }
        let paths: Vec<_> = site.logs().map(ToOwned::to_owned).collect();
        let reference = memfold_reference::Reference::read(&paths);
        for query in QUERIES {
            let answer = site.search(query).unwrap();
            let expected = reference.search(query, memfold::LIMIT);
            assert_eq!(
                crate::site::events_of(&answer),
                expected,
                "{changed_by}: {query:?}"
            );
        }
    }
}
