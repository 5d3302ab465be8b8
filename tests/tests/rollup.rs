//! The roll-up can only help: whatever is wrong with it, a search answers as without one. And what is gone is gone from it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use memfold_tests::House;
use memfold_tests::home::{half_a_turn, turns};

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
