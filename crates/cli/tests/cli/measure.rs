//! `memfold measure` on logs in which searches were planted, and their replay on a repository that was made for it.

use std::fs;

use serde_json::{Value, json};

use crate::house::{Ended, House, path};

/// Writes a repository, and a log whose agent searched it: what it looked for, what that found, what it then read.
fn planted(house: &House) -> String {
    let project = house.project();
    for (name, text) in [
        (
            "src/denylist.rs",
            "/// Whether a path is denied, refused or forbidden.\nfn denied() {}\n",
        ),
        ("src/main.rs", "fn main() {\n    denied();\n}\n"),
        (
            "docs/design.md",
            "# Design\n\nNothing is said here of it.\n",
        ),
    ] {
        let file = project.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let file = house
        .copies()
        .join("planted/5c0d1e2f-0000-4000-8000-000000000001.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut lines =
        vec![json!({ "type": "user", "message": { "role": "user", "content": "where is it?" } })];
    for (number, (tool, input, result)) in [
        // Its words rank the file first.
        (
            "Grep",
            json!({ "pattern": "denied|refused|forbidden" }),
            "src/denylist.rs:1:x\nsrc/main.rs:2:y",
        ),
        (
            "Read",
            json!({ "file_path": project.join("src/denylist.rs") }),
            "…",
        ),
        // The file holds none of its words any more.
        (
            "Bash",
            json!({ "command": "grep -rn 'vanished\\|gone\\|missing' docs" }),
            "docs/design.md:9:vanished",
        ),
        (
            "Read",
            json!({ "file_path": project.join("docs/design.md") }),
            "…",
        ),
        // A file of elsewhere.
        (
            "Bash",
            json!({ "command": "rg -n elsewhere /other" }),
            "/other/a.rs:1:elsewhere",
        ),
        ("Read", json!({ "file_path": "/other/a.rs" }), "…"),
        // A run that leads to a file.
        ("Glob", json!({ "pattern": "*.rs" }), "src/main.rs"),
        (
            "Bash",
            json!({ "command": "rg -n forbidden" }),
            "src/denylist.rs:1:x",
        ),
        (
            "Bash",
            json!({ "command": "find . -name '*list*'" }),
            "./src/denylist.rs",
        ),
        ("Bash", json!({ "command": "cat src/denylist.rs" }), "…"),
        (
            "mcp__memfold__index-search",
            json!({ "query": "denied path", "scope": "repo" }),
            "…",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("c{number}");
        lines.push(json!({ "type": "assistant", "requestId": format!("r{number}"), "message": { "id": format!("m{number}"),
            "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": tool, "input": input }] } }));
        lines.push(
            json!({ "type": "user", "message": { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": result }] } }),
        );
    }
    let mut text = String::new();
    for (number, line) in lines.iter_mut().enumerate() {
        line["uuid"] = json!(format!("u{number}"));
        line["sessionId"] = json!("5c0d1e2f-0000-4000-8000-000000000001");
        line["cwd"] = json!(project);
        line["timestamp"] = json!(format!("2026-10-02T09:{number:02}:00.000Z"));
        text.push_str(&line.to_string());
        text.push('\n');
    }
    fs::write(&file, text).unwrap();
    path(file.parent().unwrap())
}

fn object(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{}", ended.out);
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn what_was_planted_is_counted_and_found_again() {
    let house = House::new();
    let logs = planted(&house);
    let report = object(&house.agent(&["measure", &logs, "--replay", "--json"]));
    let total = &report["total"];
    assert_eq!(total["calls"], 11);
    let calls = |kind: &str| &total["searches"][kind]["calls"];
    assert_eq!(
        [
            "tool-grep",
            "shell-grep",
            "tool-names",
            "shell-names",
            "repo"
        ]
        .map(|kind| calls(kind).as_u64()),
        [1, 3, 1, 1, 1].map(Some)
    );
    assert_eq!(
        total["expressions"],
        json!({ "searches": 4, "alternations": 2 })
    );
    assert_eq!(
        total["runs"],
        json!({ "runs": 1, "searches": 3, "longest": 3 })
    );
    assert_eq!(report["agents"][0]["agent"], "claude-code");
    let replay = &report["replay"];
    assert_eq!(replay["complete"], true);
    let expressions = &replay["expressions"];
    assert_eq!(
        ["followed", "replayed", "first", "five"].map(|name| expressions[name].as_u64()),
        [4, 3, 2, 2].map(Some)
    );
    let names = &replay["alternations"];
    assert_eq!(
        ["followed", "replayed", "first", "five", "found_median"].map(|name| names[name].as_u64()),
        [2, 2, 1, 1, 2].map(Some)
    );
    assert_eq!(replay["runs"]["replayed"], 1);
    assert_eq!(replay["runs"]["all_words"], 1);
}

#[test]
fn a_table_and_a_page() {
    let house = House::new();
    let logs = planted(&house);
    let page = house.copies().join("page.html");
    let ended = house.agent(&["measure", &logs, "--replay", "--html", &path(&page)]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert!(
        ended.out.contains("three or more guessed names"),
        "{}",
        ended.out
    );
    assert!(
        ended.out.contains("asked again as plain words"),
        "{}",
        ended.out
    );
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("<script"));
    let nowhere = house.agent(&[
        "measure",
        &logs,
        "--html",
        &path(&house.copies().join("no/page.html")),
    ]);
    assert_eq!(nowhere.code, 2, "{}", nowhere.err);
}

#[test]
fn an_agent_measures_a_projects_logs_where_a_person_allowed_it() {
    let house = House::new();
    for arguments in [&["measure"][..], &["measure", &path(&house.log())]] {
        let refused = house.agent(arguments);
        assert_eq!(refused.code, 3, "{}", refused.err);
        assert!(
            refused.err.contains("memfold earlier on"),
            "{}",
            refused.err
        );
    }
    let config = house.project().join("../../config");
    fs::create_dir_all(&config).unwrap();
    let switch = format!(
        "[workspaces.{:?}]\nearlier_tasks = true\n",
        path(&house.project())
    );
    fs::write(config.join("workspaces.toml"), switch).unwrap();
    let report = object(&house.agent(&["measure", "--json"]));
    assert_eq!(report["total"]["calls"], 1);
}
