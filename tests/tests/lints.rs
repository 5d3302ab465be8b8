//! Every crate obeys the workspace's lints and says what it is, and `unsafe` has one home.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Files of the project's Rust code and manifests, below the folders that hold them.
fn files(named: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = ["crates", "tests", "tools"]
        .map(|folder| Path::new(ROOT).join(folder))
        .into();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if named(&path) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_package_obeys_the_lints_and_says_what_it_is() {
    let manifests = files(|path| path.ends_with("Cargo.toml"));
    assert!(manifests.len() > 10);
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "{} does not take the workspace's lints",
            manifest.display()
        );
        let description = text.lines().find(|line| line.starts_with("description"));
        assert!(
            description.is_some_and(|line| line.len() > 40),
            "{} does not say what it is",
            manifest.display()
        );
    }
}

#[test]
fn only_disk_may_be_unsafe() {
    // In two, or this file would name it.
    let lint = concat!("unsafe", "_code");
    let sources = files(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(sources.len() > 50);
    for source in sources {
        let inside = source.starts_with(Path::new(ROOT).join("crates/disk"));
        let text = fs::read_to_string(&source).unwrap();
        assert!(
            inside || !text.contains(lint),
            "{} is not in memfold-disk but speaks of the lint",
            source.display()
        );
    }
}

/// The command that is given on has no fail point in it: a dependency for tests alone turns them on.
#[test]
fn only_tests_know_fail_points() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = std::process::Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &serde_json::Value| value.as_array().unwrap().clone();
    let (mut tests, mut others) = (0, Vec::new());
    for package in list(&metadata["packages"]) {
        for dependency in list(&package["dependencies"]) {
            let turns_on = list(&dependency["features"]).contains(&"fail-points".into());
            match (package["name"].as_str(), dependency["kind"].as_str()) {
                _ if !turns_on => {}
                (Some("memfold-tests"), Some("dev")) => tests += 1,
                (name, kind) => others.push(format!("{name:?} {kind:?}")),
            }
        }
        for (_, features) in package["features"].as_object().unwrap() {
            let turned_on = list(features);
            assert!(
                !turned_on
                    .iter()
                    .any(|on| on.as_str().unwrap().contains("fail-points"))
            );
        }
    }
    assert_eq!((tests, others), (1, Vec::new()));
}
