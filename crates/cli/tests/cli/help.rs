//! Help is text that people read: each page is compared with the one in `tests/help`.
//! `SNAPSHOTS=overwrite cargo test -p memfold-cli --test cli` writes them anew.

use crate::house::House;
use snapbox::{Data, assert_data_eq};

const COMMANDS: [&str; 18] = [
    "search",
    "recall",
    "cards",
    "logs",
    "resume",
    "fold",
    "verify",
    "rebuild",
    "update",
    "status",
    "forget",
    "earlier",
    "measure",
    "mcp",
    "hook",
    "setup",
    "doctor",
    "completions",
];

fn compare(arguments: &[&str], page: &str) {
    let help = House::new().agent(arguments);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/help")
        .join(page);
    assert_data_eq!(help.out, Data::read_from(&file, None).raw());
}

#[test]
fn the_short_page_of_the_command() {
    compare(&["-h"], "memfold.txt");
}

#[test]
fn the_long_page_of_the_command() {
    compare(&["--help"], "memfold-long.txt");
}

#[test]
fn the_long_page_of_search() {
    compare(&["search", "--help"], "search-long.txt");
}

#[test]
fn the_short_page_of_each_command() {
    for command in COMMANDS {
        compare(&[command, "-h"], &format!("{command}.txt"));
    }
}

#[test]
fn no_page_is_wider_than_a_hundred_columns() {
    let house = House::new();
    for command in COMMANDS {
        for line in house.agent(&[command, "--help"]).out.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
