//! A call that is to stop: what was folded by then is kept, the next call goes on from there, and in the end all is as if nobody
//! had ever stopped.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use memfold::{Error, Logs, Quiet, Recall};
use memfold_tests::StopsAfter;
use memfold_tests::home::{Home, search, turns};

const LOG: &str = "logs/a.jsonl";

/// A log of some megabytes: many times what is read between two questions.
fn home() -> Home {
    let home = Home::new();
    let log = turns(0..2400);
    assert!(log.len() > 2 << 20, "{}", log.len());
    home.write(LOG, &log);
    home
}

#[test]
fn a_long_log_is_folded_over_several_calls_to_the_same_bytes() {
    let home = home();
    let ask = |times: usize| {
        let engine = home.engine();
        let asked = search("turn3 denylist", home.logs());
        engine.search(&asked, &StopsAfter::asked(times)).unwrap()
    };
    let mut covered = Vec::new();
    let mut calls = 0;
    let answer = loop {
        calls += 1;
        let answer = ask(2 + calls * 2);
        if answer.complete {
            break answer;
        }
        assert!(
            answer.notes[0].contains("1 log was not read in time"),
            "{:?}",
            answer.notes
        );
        assert_eq!(answer.ranked.events, 0);
        if home.at(home.sidecar(LOG)).exists() {
            covered.push(home.read(home.sidecar(LOG)).len());
        }
        assert!(calls < 50, "it never ends");
    };
    assert!(covered.len() > 2, "folded in one go: {covered:?}");
    assert!(covered.is_sorted(), "{covered:?}");
    assert!(answer.ranked.events > 0);
    home.fold();
    let truth = home.without_sidecars();
    truth.fold();
    assert!(
        home.read(home.sidecar(LOG)) == truth.read(truth.sidecar(LOG)),
        "another sidecar than a first fold gives"
    );
    assert_eq!(
        home.answers(&["turn3 denylist"]),
        truth.answers(&["turn3 denylist"])
    );
}

#[test]
fn a_recall_of_a_long_log_stops_and_says_so() {
    let home = home();
    let engine = home.engine();
    let recall = Recall {
        address: "6".to_owned(),
        logs: Logs::File(home.at(LOG)),
        start: 1,
        count: 5,
    };
    let stopped = engine.recall(&recall, &StopsAfter::asked(3));
    let Err(Error::File { what, hint, .. }) = stopped else {
        panic!("{stopped:?}")
    };
    assert!(
        what.contains("not read to its end in time") && hint.contains("ask again"),
        "{what}"
    );
    assert_eq!(engine.recall(&recall, &Quiet).unwrap().seq, 6);
}
