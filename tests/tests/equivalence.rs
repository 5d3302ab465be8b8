//! The engine's search is the reference's: the same events in the same order with the same bits of score, whichever way
//! the words are got: folded now, from sidecars, from sidecars with a tail, extended, from the cache.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use memfold_tests::made::{Made, logs, query};
use memfold_tests::{House, Shape, Step, write};
use proptest::prelude::*;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");

fn hold(house: &House, queries: &[String]) -> Result<usize, String> {
    let reference = house.reference();
    let mut found = 0;
    for query in queries {
        found += house.compare(&reference, query)?;
    }
    Ok(found)
}

/// Writes each log as far as a share of its bytes, cut wherever that is.
fn write_to(house: &House, logs: &[Made], share: usize) {
    for log in logs {
        let length = log.bytes.len() * share / 100;
        house.write(&log.name, &log.bytes[..length]);
    }
}

/// Cold, warm, with tails in memory, extended, and to the end.
fn every_way(
    house: &House,
    logs: &[Made],
    shares: [usize; 2],
    queries: &[String],
) -> Result<usize, String> {
    let at =
        |when: &str, found: Result<usize, String>| found.map_err(|why| format!("{when}: {why}"));
    write_to(house, logs, shares[0]);
    at("cold", hold(house, queries))?;
    at("warm", hold(house, queries))?;
    write_to(house, logs, shares[1]);
    at("with tails", hold(house, queries))?;
    house.fold();
    at("extended", hold(house, queries))?;
    write_to(house, logs, 100);
    house.fold();
    at("whole", hold(house, queries))
}

/// From the roll-up of all, and where some of the logs grew, were cut or are gone since; then rolled up again.
fn rolled_ways(
    house: &House,
    logs: &[Made],
    shares: [usize; 2],
    queries: &[String],
    gone: usize,
) -> Result<usize, String> {
    let at =
        |when: &str, found: Result<usize, String>| found.map_err(|why| format!("{when}: {why}"));
    write_to(house, logs, shares[1]);
    house.roll();
    at("rolled up", hold(house, queries))?;
    if !house.is_rolled() && !house.reference().logs().is_empty() {
        return Err("nothing was rolled up".to_owned());
    }
    for (step, log) in logs.iter().enumerate() {
        let share = [shares[0], 100, shares[1]][step % 3];
        write_to(house, std::slice::from_ref(log), share);
    }
    at("changed since", hold(house, queries))?;
    house.roll();
    at("rolled up again", hold(house, queries))?;
    fs::remove_file(house.logs().join(&logs[gone].name)).unwrap();
    at("one gone", hold(house, queries))?;
    write_to(house, &logs[gone..=gone], 100);
    at("and back", hold(house, queries))?;
    house.roll();
    at("rolled up at last", hold(house, queries))
}

fn shares() -> impl Strategy<Value = [usize; 2]> {
    (0usize..=100, 0usize..=100).prop_map(|(a, b)| [a.min(b), a.max(b)])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_the_reference_finds(
        logs in logs(1..5, 0..25), shares in shares(), queries in proptest::collection::vec(query(), 1..6),
    ) {
        let house = House::new();
        let held = every_way(&house, &logs, shares, &queries);
        prop_assert!(held.is_ok(), "{}", held.unwrap_err());
    }

    #[test]
    fn from_the_cache_too(
        logs in logs(1..4, 0..15), shares in shares(), queries in proptest::collection::vec(query(), 1..4),
    ) {
        let house = House::in_work_tree();
        let held = every_way(&house, &logs, shares, &queries);
        prop_assert!(held.is_ok(), "{}", held.unwrap_err());
        prop_assert_eq!(house.files(".mem"), Vec::<PathBuf>::new());
        let cached = fs::read_dir(house.cache().join("sidecars")).map_or(0, Iterator::count);
        prop_assert_eq!(cached, house.reference().logs().len());
    }

    #[test]
    fn from_the_roll_up_too(
        logs in logs(1..6, 0..20), shares in shares(), queries in proptest::collection::vec(query(), 1..4), gone in any::<proptest::sample::Index>(),
    ) {
        let house = House::rolling();
        let held = rolled_ways(&house, &logs, shares, &queries, gone.index(logs.len()));
        prop_assert!(held.is_ok(), "{}", held.unwrap_err());
    }

    #[test]
    fn from_an_engine_that_stays_too(
        logs in logs(1..6, 0..20), shares in shares(), queries in proptest::collection::vec(query(), 1..4), gone in any::<proptest::sample::Index>(),
    ) {
        let house = House::rolling_with_one_engine();
        let held = rolled_ways(&house, &logs, shares, &queries, gone.index(logs.len()));
        prop_assert!(held.is_ok(), "{}", held.unwrap_err());
    }

    // A sidecar can only help.
    #[test]
    fn where_nothing_can_be_kept_too(
        logs in logs(1..4, 0..15), shares in shares(), queries in proptest::collection::vec(query(), 1..4),
    ) {
        let house = House::keeping_nothing();
        let held = every_way(&house, &logs, shares, &queries);
        prop_assert!(held.is_ok(), "{}", held.unwrap_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    // The pool of the best 200 is full, and what is past it counts for nothing.
    #[test]
    fn in_long_logs_too(logs in logs(1..3, 250..400), queries in proptest::collection::vec(query(), 1..4)) {
        let house = House::new();
        write_to(&house, &logs, 100);
        let held = hold(&house, &queries);
        prop_assert!(held.is_ok(), "{}", held.unwrap_err());
    }

    #[test]
    fn in_compressed_logs_too(logs in logs(1..4, 0..20), queries in proptest::collection::vec(query(), 1..4)) {
        let house = House::new();
        for log in &logs {
            let compressed = zstd::encode_all(&log.bytes[..], 3).unwrap();
            house.write(&format!("{}.zst", log.name), &compressed);
        }
        for when in ["cold", "warm"] {
            let held = hold(&house, &queries);
            prop_assert!(held.is_ok(), "{when}: {}", held.unwrap_err());
        }
    }
}

#[test]
fn nuls_at_the_end_of_a_compressed_log_are_not_covered() {
    let house = House::new();
    let steps = [
        Step::Person("token".into()),
        Step::Reply("Done.".into(), vec![]),
    ];
    let mut log = write(Shape::Claude, 1, 0, &[], &steps).join(&b'\n');
    log.extend_from_slice(b"\n\0\0\0\0");
    house.write("0.jsonl.zst", &zstd::encode_all(&log[..], 3).unwrap());
    for when in ["cold", "warm"] {
        let held = hold(&house, &["token".to_owned()]);
        assert_eq!(held, Ok(2), "{when}");
    }
}

fn fixtures(folder: &Path, into: &House, below: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            fixtures(&path, into, &format!("{name}/"));
        } else if name.ends_with(".jsonl") || name.ends_with(".json") {
            into.write(&name, &fs::read(&path).unwrap());
        }
    }
}

/// Every word of the logs alone, and each with the next.
fn words_of(house: &House) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for document in house.reference().documents() {
        words.extend(document.text.split_whitespace().map(str::to_owned));
    }
    words.sort();
    words.dedup();
    let pairs: Vec<String> = words.windows(2).map(|pair| pair.join(" ")).collect();
    words.extend(pairs);
    words
}

#[test]
fn the_corpus_is_searched_as_the_reference_does() {
    let house = House::new();
    fixtures(Path::new(CORPUS), &house, "");
    let mut queries = words_of(&house);
    assert!(queries.len() > 400, "{}", queries.len());
    for query in [
        "what is the denylist",
        "the",
        "\"follow links\" denylist",
        "October user 2026",
        "3f9a1c02",
    ] {
        queries.push(query.to_owned());
    }
    let found = hold(&house, &queries).unwrap();
    assert!(found > 5000, "{found}");
    let rolled = House::rolling();
    fixtures(Path::new(CORPUS), &rolled, "");
    rolled.roll();
    assert!(rolled.is_rolled());
    let some: Vec<String> = queries.into_iter().step_by(20).collect();
    assert!(hold(&rolled, &some).unwrap() > 200);
}

#[test]
fn what_is_in_no_log_is_not_found() {
    let house = House::new();
    let steps = [
        Step::Person("fix the denylist".into()),
        Step::Reply("Done.".into(), vec![]),
    ];
    house.write(
        "a.jsonl",
        &write(Shape::Claude, 1, 0, &[], &steps).join(&b'\n'),
    );
    assert_eq!(hold(&house, &["denylist".into()]), Ok(2));
    assert_eq!(
        hold(&house, &["absent".into(), "→ …".into(), String::new()]),
        Ok(0)
    );
}

/// A log of one turn about the same thing, and then more.
fn task(number: usize, start: u32, more: &[Step]) -> Vec<u8> {
    let steps = [
        Step::Person("fix the denylist".into()),
        Step::Reply("Done.".into(), vec![]),
    ];
    let mut lines = write(
        Shape::Claude,
        number,
        start,
        &[],
        &[&steps[..], more].concat(),
    );
    lines.push(Vec::new());
    lines.join(&b'\n')
}

// Of equal scores the newer task's comes first; what makes a task newer may stand in a tail, or be no event at all.
#[test]
fn a_task_that_goes_on_is_the_newest() {
    let more = [Step::Pause(600), Step::Person("now the symlink".into())];
    let only_a_mark = [Step::Pause(600), Step::Thinking("hm".into())];
    for more in [&more[..], &only_a_mark] {
        let house = House::new();
        house.write("a.jsonl", &task(1, 60, &[]));
        house.write("b.jsonl", &task(2, 30, &[]));
        assert_eq!(hold(&house, &["denylist".into()]), Ok(4));
        house.write("b.jsonl", &task(2, 30, more));
        assert!(
            hold(&house, &["denylist".into()]).is_ok(),
            "{:?}",
            hold(&house, &["denylist".into()])
        );
        let first = house.search("denylist").unwrap().results.remove(0);
        assert!(first.log.ends_with("b.jsonl"));
    }
}
