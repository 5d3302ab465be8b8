//! The roll-up can only help: whatever is wrong with it, a search answers as without one. And what is gone is gone from it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use memfold::{Answer, Logs, Quiet};
use memfold_tests::home::{half_a_turn, turns};
use memfold_tests::{House, StopsAfter};

const QUERIES: &[&str] = &["gate", "the turn", "\"the gate held\"", "half-a-turn"];

fn rolled() -> House {
    let house = House::rolling();
    for number in 0..4 {
        let mut log = turns(number * 3..number * 3 + 3);
        if number % 2 == 0 {
            log.extend(half_a_turn(number * 3 + 3));
        }
        house.write(&format!("{number}.jsonl"), &log);
    }
    house.roll();
    assert!(house.is_rolled());
    house
}

#[track_caller]
fn answers_as_the_reference(house: &House, when: &str) -> usize {
    let reference = house.reference();
    let found = QUERIES.iter().map(|query| house.compare(&reference, query));
    found
        .map(|found| found.unwrap_or_else(|why| panic!("{when}: {why}")))
        .sum()
}

fn files(house: &House) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(house.cache().join("rollup"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn a_damaged_one_answers_nothing() {
    let house = rolled();
    assert!(answers_as_the_reference(&house, "whole") > 0);
    let whole: Vec<(PathBuf, Vec<u8>)> = files(&house)
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    for (path, bytes) in &whole {
        for place in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
            for (path, bytes) in &whole {
                fs::write(path, bytes).unwrap();
            }
            let mut bytes = bytes.clone();
            bytes[place] ^= 1 << (place % 8);
            fs::write(path, &bytes).unwrap();
            answers_as_the_reference(&house, &format!("byte {place} of {}", path.display()));
        }
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        answers_as_the_reference(&house, "half of it");
        for (path, bytes) in &whole {
            fs::write(path, bytes).unwrap();
        }
        fs::remove_file(path).unwrap();
        answers_as_the_reference(&house, "one file of it");
    }
    house.roll();
    assert!(house.is_rolled());
    answers_as_the_reference(&house, "made anew");
}

#[test]
fn logs_opened_once_stay_as_they_were() {
    let house = rolled();
    let logs = Logs::Below(vec![house.logs()]);
    let found = |answer: Answer| -> Vec<(String, f64)> {
        let results = answer.results.into_iter();
        results.map(|hit| (hit.address, hit.score)).collect()
    };
    let engine = house.engine();
    let asked = engine.with_opened(&logs, &Quiet, |opened| {
        let before = found(house.search("gate").unwrap());
        assert!(before.len() > 4);
        let ask = || found(opened.search("gate", memfold::LIMIT).unwrap());
        assert_eq!(ask(), before);
        let ranked = opened.rank("gate", memfold::LIMIT).unwrap();
        let scores: Vec<f64> = ranked.iter().map(|event| event.score).collect();
        assert_eq!(scores, before.iter().map(|hit| hit.1).collect::<Vec<_>>());
        house.write("4.jsonl", &turns(20..23));
        fs::remove_file(house.logs().join("0.jsonl")).unwrap();
        assert_ne!(found(house.search("gate").unwrap()), before);
        assert_eq!(opened.rank("gate", memfold::LIMIT).unwrap(), ranked);
        assert!(opened.search("", 8).is_err() && opened.rank("gate", 0).is_err());
    });
    asked.unwrap();
}

#[test]
fn one_that_was_stopped_half_made_is_finished_later() {
    let house = rolled();
    let logs = house.logs();
    let whole = house.search("gate").unwrap().ranked;
    for looks in 0..20 {
        memfold_disk::remove(house.cache().join("rollup/catalogue")).unwrap();
        let stopped = house
            .engine()
            .fold(std::slice::from_ref(&logs), &StopsAfter::asked(looks));
        stopped.unwrap();
        answers_as_the_reference(&house, &format!("stopped after {looks} looks"));
        house.roll();
        assert!(house.is_rolled());
        assert_eq!(house.search("gate").unwrap().ranked, whole);
    }
}

/// Whether some file below a folder holds a word.
fn is_said(folder: &Path, word: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_said(&path, word);
        }
        fs::read(path)
            .unwrap()
            .windows(word.len())
            .any(|window| window == word.as_bytes())
    })
}

#[test]
fn the_words_of_a_log_that_is_gone_are_gone() {
    for by_search in [true, false] {
        let house = House::rolling();
        let said = String::from_utf8(turns(0..3)).unwrap();
        house.write("a.jsonl", said.replace("gate", "zyzzogeton").as_bytes());
        house.write("b.jsonl", &turns(3..6));
        house.roll();
        assert!(is_said(&house.cache().join("rollup"), "zyzzogeton"));
        fs::remove_file(house.logs().join("a.jsonl")).unwrap();
        if by_search {
            house.search("turn").unwrap();
            assert!(!is_said(&house.cache().join("rollup"), "zyzzogeton"));
        }
        house.fold();
        assert!(!is_said(&house.cache(), "zyzzogeton"));
        assert!(!is_said(&house.logs(), "zyzzogeton"));
        answers_as_the_reference(&house, "after it went");
    }
}

#[test]
fn forgetting_removes_it() {
    let house = rolled();
    house.engine().forget_sessions().unwrap();
    assert_eq!(files(&house), Vec::<PathBuf>::new());
    answers_as_the_reference(&house, "forgotten");
}
