//! The built command on logs made here: what it prints, where, and how it ends.

use std::process::Stdio;

use crate::house::{House, TASK, path};
use snapbox::{assert_data_eq, str};

#[test]
fn a_search_finds_the_turn_and_recall_reads_it_back() {
    let house = House::new();
    let copies = path(&house.copies());
    let found = house.agent(&["search", "--logs", &copies, "denylist", "symlink", "check"]);
    assert_eq!((found.code, found.err.as_str()), (0, ""));
    assert_data_eq!(
        house.plain(&found.out),
        str![[r#"
[..]: 1 log, 4 events, best 3/3 words, [..]
Oct 2[..]claude 3f9a1c02 turn 1 fix the denylist test
  3f9a1c02:3  Bash cargo test -p guard, exit 101
      3 denylist::symlink check FAILED␛[0m
...
"#]]
    );
    let event = house.agent(&[
        "recall",
        "3f9a1c02:3",
        "--logs",
        &copies,
        "--start",
        "2",
        "--count",
        "1",
    ]);
    assert_eq!((event.code, event.err.as_str()), (0, ""));
    assert_data_eq!(
        event.out,
        str![[r#"
result 3f9a1c02:3, turn 1, Oct 2[..]09:14, Bash cargo test -p guard, exit 101
running 3 tests
[lines 2-2 of 3] next: --start 3

"#]]
    );
    let log = path(&house.copy());
    let conversation = house.agent(&["search", "--log", &log, "resolved"]);
    assert_eq!(conversation.code, 0, "{}", conversation.err);
    assert!(
        conversation.out.starts_with("3f9a1c02: 1 log, 4 events"),
        "{}",
        conversation.out
    );
}

#[test]
fn json_has_the_contracts_keys() {
    let house = House::new();
    let found = house.agent(&[
        "search",
        "--json",
        "--logs",
        &path(&house.copies()),
        "symlink",
        "zzz",
    ]);
    assert_eq!((found.code, found.err.as_str()), (0, ""));
    let answer: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    for key in [
        "schema", "scope", "project", "query", "words", "ranked", "matched", "weak", "complete",
        "notes", "results",
    ] {
        assert!(answer.get(key).is_some(), "{key}");
    }
    assert_eq!(answer["schema"], 1);
    assert_eq!(answer["scope"], "earlier");
    assert_eq!(
        answer["ranked"],
        serde_json::json!({"logs": 1, "events": 4})
    );
    let best = &answer["results"][0];
    for key in ["score", "log", "lines", "card", "time"] {
        assert!(best.get(key).is_some(), "{key}");
    }
    assert_eq!(
        (&best["rank"], &best["seq"], &best["turn"], &best["exit"]),
        (&1.into(), &3.into(), &1.into(), &101.into())
    );
    assert_eq!(best["task"], TASK);
    assert_eq!(best["agent"], "claude-code");
    assert_eq!(best["kind"], "result");
    assert_eq!(best["time"], "2026-10-02T09:14:03Z");
    assert_eq!(best["title"], "Bash cargo test -p guard");
    assert_eq!(best["lines"][0]["line"], 3);
    assert_eq!(best["missing"], serde_json::json!(["zzz"]));
    assert_eq!(best["read"][0], "memfold");
    assert_eq!(best["provenance"], "external:log");
}

#[test]
fn each_end_has_its_code_and_an_error_is_one_line() {
    let house = House::new();
    let copies = path(&house.copies());
    for (arguments, code, message) in [
        (&["search", "--logs", &copies, "zzz"][..], 1, ""),
        (&["recall", "3f9a1c02:77", "--logs", &copies], 2, "77"),
        (&["recall", "812"], 2, "of which log?"),
        (&["search", "-s", "conversation", "x"], 2, "--log FILE"),
        (&["search", "-s", "repo", "zzz"], 1, ""),
        (&["search", "-s", "repo", "-A", "x"], 2, "about files"),
        (&["update", "/elsewhere"], 2, "not in"),
        (&["search", "-n", "1001", "x"], 2, "at most 1,000"),
        (&["search", " "], 2, "the query is empty"),
        (&["forget", "--sessions"], 2, "--yes"),
        (&["search", "symlink"], 3, "earlier tasks are off"),
        (&["search", "-A", "symlink"], 3, "only a person"),
        (&["earlier", "on"], 3, "only a person"),
    ] {
        // A terminal that the tests run in would be asked.
        if arguments.contains(&"forget") && std::fs::File::open("/dev/tty").is_ok() {
            continue;
        }
        let plain = house.agent(arguments);
        assert_eq!(plain.code, code, "{arguments:?}: {}", plain.err);
        let json = house.agent(&[&["--json"], arguments].concat());
        assert_eq!((json.code, json.err.as_str()), (code, ""), "{arguments:?}");
        let object: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        if code == 1 {
            assert!(
                plain.err.is_empty() && plain.out.contains("note: "),
                "{arguments:?}: {}",
                plain.out
            );
            assert_eq!(object["results"], serde_json::json!([]));
            continue;
        }
        assert!(
            plain.out.is_empty()
                && plain.err.starts_with("memfold: ")
                && plain.err.contains(message),
            "{}",
            plain.err
        );
        assert_eq!(plain.err.lines().count(), 1, "{}", plain.err);
        for key in ["kind", "message", "hint"] {
            assert!(
                object["error"][key].is_string(),
                "{arguments:?}: {}",
                json.out
            );
        }
    }
}

#[test]
fn arguments_that_cannot_be_read_are_errors_in_json_too() {
    let house = House::new();
    let plain = house.agent(&["search", "--bogus", "x"]);
    assert_eq!((plain.code, plain.out.as_str()), (2, ""));
    assert!(plain.err.contains("--bogus"));
    let json = house.agent(&["search", "--bogus", "x", "--json"]);
    assert_eq!((json.code, json.err.as_str()), (2, ""));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json.out).unwrap()["error"]["kind"],
        "usage"
    );
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let house = House::new();
    for arguments in [
        &["search", "--help"][..],
        &["completions", "bash"],
        &["search", "--logs", &path(&house.copies()), "symlink"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = house.command(env!("CARGO_BIN_EXE_memfold"));
        command
            .env("AI_AGENT", "test")
            .args(arguments)
            .stdout(writer)
            .stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(
            (
                output.status.code(),
                String::from_utf8_lossy(&output.stderr).as_ref()
            ),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_damaged_sidecar_is_wrong_until_it_is_folded_again() {
    let house = House::new();
    let copies = path(&house.copies());
    let log = std::fs::read(house.copy()).unwrap();
    let folded = house.agent(&["fold", &copies]);
    assert_eq!(
        (folded.code, folded.err.as_str()),
        (0, ""),
        "{}",
        folded.out
    );
    let sidecar = house.copy().with_extension("mem");
    let right = std::fs::read(&sidecar).unwrap();
    assert_eq!(house.agent(&["verify", &copies]).code, 0);

    let mut wrong = right.clone();
    let middle = wrong.len() / 2;
    wrong[middle] ^= 1;
    std::fs::write(&sidecar, wrong).unwrap();
    let verified = house.agent(&["verify", &copies]);
    assert_eq!((verified.code, verified.err.as_str()), (1, ""));
    assert!(
        verified.out.contains("WRONG: ") && verified.out.contains("1 wrong"),
        "{}",
        verified.out
    );

    assert_eq!(house.agent(&["fold", "-q", &copies]).code, 0);
    assert_eq!(house.agent(&["verify", &copies]).code, 0);
    assert_eq!(std::fs::read(&sidecar).unwrap(), right);
    assert_eq!(std::fs::read(house.copy()).unwrap(), log);
}

#[test]
fn completions_and_pages_are_printed_without_a_project() {
    let house = House::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = house.agent(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(
            script.out.contains("memfold") && script.out.contains("recall"),
            "{shell}"
        );
    }
    let page = house.agent(&["man"]);
    assert!(
        page.code == 0 && page.out.contains(".TH memfold 1"),
        "{}",
        page.out
    );
    let page = house.agent(&["man", "search"]);
    assert!(
        page.code == 0 && page.out.contains(".TH memfold-search 1"),
        "{}",
        page.out
    );
    assert_eq!(house.agent(&["man", "nonsense"]).code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_a_terminal_is_asked_once_and_reads_any_task() {
    let house = House::new();
    let person = |arguments: &str, typed: &str| house.person(arguments, typed);
    let (code, text) = person("search symlink", "");
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("api: 1 log, 4 events") && text.contains("continue: memfold resume 3f9a1c02"),
        "{text}"
    );
    let (code, text) = person("logs -v", "");
    assert_eq!(code, 0, "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 60),
        "{text}"
    );

    let (code, text) = person("earlier on", "n\n");
    assert!(code == 1 && text.contains("[y/N]"), "{text}");
    assert_eq!(house.agent(&["search", "symlink"]).code, 3);
    let (code, text) = person("earlier on", "y\n");
    assert!(code == 0 && text.contains("earlier tasks are on"), "{text}");
    assert_eq!(house.agent(&["search", "symlink"]).code, 0);
    let (code, text) = person("earlier off", "");
    assert!(
        code == 0 && text.contains("earlier tasks are off"),
        "{text}"
    );
    assert_eq!(house.agent(&["search", "symlink"]).code, 3);
}
