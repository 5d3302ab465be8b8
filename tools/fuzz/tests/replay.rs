//! Every file of `corpus/fuzz` through its target: seeds that reach far, and what once broke something, by the fault's name.

// clippy.toml lets tests unwrap and print, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use memfold_fuzz::{TARGETS, Target};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/fuzz")
}

/// The target holds for every file; there are some.
fn replay(name: &str, target: Target) {
    let mut files: Vec<PathBuf> = fs::read_dir(corpus().join(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        // Named by the failed test's output: a target panics in its own words.
        println!("{}", file.display());
        target(&fs::read(&file).unwrap());
    }
}

macro_rules! replayed {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name), memfold_fuzz::$name::run);
        })*

        #[test]
        fn each_target_is_replayed_and_has_its_program() {
            let names = TARGETS.map(|(name, _)| name);
            assert_eq!(names, [$(stringify!($name)),*]);
            let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/targets");
            for name in names {
                assert!(programs.join(name).with_extension("rs").exists(), "{name}");
            }
            assert_eq!(fs::read_dir(programs).unwrap().count(), names.len());
            assert_eq!(fs::read_dir(corpus()).unwrap().count(), names.len());
        }
    };
}

replayed!(
    segment,
    sidecar,
    rollup,
    kept,
    pack,
    manifest,
    journal,
    guard,
    git_index,
    log,
    agents,
    redact,
    text,
    arguments,
    fold_and_search,
);
