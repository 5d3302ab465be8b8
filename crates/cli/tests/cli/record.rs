//! What an agent asks by the command is recorded, and `measure`, `status` and `forget` know of it.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::house::{House, path};

fn root(house: &House) -> PathBuf {
    house.project().join("../..").canonicalize().unwrap()
}

/// The project's folder below the data directory.
fn folder(house: &House) -> PathBuf {
    let mut projects = fs::read_dir(root(house).join("data/projects")).unwrap();
    projects.next().unwrap().unwrap().path()
}

/// What was recorded: the kind and the data of each line after the first.
fn recorded(house: &House) -> Vec<(String, Value)> {
    let text = fs::read_to_string(folder(house).join("asked.jsonl")).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .skip(1)
        .map(|line| {
            (
                line["kind"].as_str().unwrap().to_owned(),
                line["data"].clone(),
            )
        })
        .collect()
}

/// A credential of a provider's, in pieces so that no scanner takes this file for a leak.
fn credential() -> String {
    ["gh", "p_", "9Zk2Lq7Xw4Tn8Rb3Vc6Ym1Hd5Jf0Ps2Ga4Qe"].concat()
}

#[test]
fn what_an_agent_asks_is_recorded_and_measured() {
    let house = House::new();
    fs::write(house.project().join("guard.rs"), "fn denied() {}\n").unwrap();
    let secret = credential();
    for arguments in [
        &["search", "-s", "repo", "denied"][..],
        &[
            "search",
            "--logs",
            &path(&house.copies()),
            "denylist",
            "symlink",
        ],
        &["search", "-s", "repo", "nowhere", &secret],
        &["recall", "3f9a1c02:3", "--logs", &path(&house.copies())],
        &["update"],
    ] {
        let ended = house.agent(arguments);
        assert!(ended.code < 2, "{}", ended.err);
    }
    let recorded = recorded(&house);
    let kinds: Vec<&str> = recorded.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "asked.search",
            "asked.search",
            "asked.search",
            "asked.recall",
            "asked.update"
        ]
    );
    assert_eq!(recorded[0].1["shown"][0], "guard.rs:1-1");
    assert_eq!(recorded[1].1["shown"][0], "3f9a1c02:3");
    assert_eq!(recorded[2].1["results"], 0);
    let text = fs::read_to_string(folder(&house).join("asked.jsonl")).unwrap();
    assert!(
        !text.contains(&secret) && text.contains("[redacted:"),
        "{text}"
    );

    let status = house.agent(&["status"]);
    assert!(
        status.out.contains("of what agents asked"),
        "{}",
        status.out
    );
    let config = root(&house).join("config");
    fs::create_dir_all(&config).unwrap();
    let switch = format!(
        "[workspaces.{:?}]\nearlier_tasks = true\n",
        path(&house.project())
    );
    fs::write(config.join("workspaces.toml"), switch).unwrap();
    let report = house.agent(&["measure", "--json"]);
    let report: Value = serde_json::from_str(&report.out).unwrap();
    let asked = &report["asked"];
    assert_eq!(asked["searches"]["repo"]["searches"], 2);
    assert_eq!(asked["searches"]["repo"]["empty"], 1);
    assert_eq!(
        [
            &asked["recalls"],
            &asked["recalls_of_shown"],
            &asked["updates"]
        ],
        [1, 1, 1]
    );

    let forgotten = house.agent(&["forget", "--repo", "--yes"]);
    assert!(
        forgotten
            .out
            .contains("the record of what agents asked is removed"),
        "{}",
        forgotten.out
    );
    assert!(!folder(&house).join("asked.jsonl").exists());
}

#[test]
fn a_person_turns_it_off() {
    let house = House::new();
    fs::write(house.project().join("guard.rs"), "fn other() {}\n").unwrap();
    let config = root(&house).join("config");
    fs::create_dir_all(&config).unwrap();
    for off in ["record = false\n", "record = \"no\"\n", "record = \n"] {
        fs::write(config.join("memfold.toml"), off).unwrap();
        assert_eq!(house.agent(&["search", "-s", "repo", "denied"]).code, 1);
        assert!(!folder(&house).join("asked.jsonl").exists(), "{off}");
    }
    assert!(house.agent(&["status"]).out.contains("record    off"));
    fs::write(config.join("memfold.toml"), "record = true\n").unwrap();
    house.agent(&["search", "-s", "repo", "denied"]);
    assert_eq!(recorded(&house).len(), 1);
}

#[test]
fn a_long_record_is_put_away_and_one_that_cannot_be_written_is_no_error() {
    let house = House::new();
    fs::write(house.project().join("guard.rs"), "fn other() {}\n").unwrap();
    house.agent(&["search", "-s", "repo", "denied"]);
    let file = folder(&house).join("asked.jsonl");
    let line = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .last()
        .unwrap()
        .to_owned()
        + "\n";
    fs::write(&file, line.repeat((1 << 20) / line.len() + 1)).unwrap();
    let before = fs::metadata(&file).unwrap().len();
    house.agent(&["search", "-s", "repo", "denied"]);
    assert_eq!(
        fs::metadata(file.with_file_name("asked.1.jsonl"))
            .unwrap()
            .len(),
        before
    );
    assert_eq!(recorded(&house).len(), 1);
    // A folder where the file should be.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let ended = house.agent(&["search", "-s", "repo", "denied"]);
    assert_eq!((ended.code, ended.err.as_str()), (1, ""));
}
