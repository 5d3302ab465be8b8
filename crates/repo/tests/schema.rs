//! Holds the lines that are written against `formats/repository.schema.json`, and against the schema of all events; and each
//! against what its page forbids.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../../log/tests/schema/mod.rs"]
mod schema;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use memfold_disk::{Dirs, Locks};
use memfold_guard::{Guard, Rules, TreePath};
use memfold_repo::{Due, Index, Moment, Refresh};
use schema::valid;
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../formats/repository.md");
const SCHEMA: &str = include_str!("../../../formats/repository.schema.json");
const EVENTS: &str = include_str!("../../../formats/events.schema.json");

fn check(line: &Value) -> bool {
    [SCHEMA, EVENTS].iter().all(|schema| {
        let schema: Value = serde_json::from_str(schema).unwrap();
        valid(&schema, &schema, line)
    })
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The lines of an index's log in whose trees there is a file of every kind, before it was begun anew and after.
fn lines() -> Vec<Value> {
    let place = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(place.path()).unwrap();
    let tree = root.join("tree");
    for (path, bytes) in [
        ("tree/a.rs", &b"fn alpha() {}\n"[..]),
        ("tree/empty.txt", b""),
        ("tree/new\nline\"\t", b"alpha\n"),
        ("tree/binary", b"a\0b"),
        ("tree/latin1.txt", b"caf\xe9"),
        ("tree/id_rsa", b"alpha\n"),
        ("tree/a.csv", b"alpha\n"),
        ("tree/b.csv", b"alpha\n"),
        ("tree/c.csv", b"alpha\n"),
        ("tree/.out/d", b"alpha\n"),
        ("other/e.rs", b"fn beta() {}\n"),
    ] {
        write(&root.join(path), bytes);
    }
    assert!(
        Command::new("git")
            .args(["init", "-q", "."])
            .current_dir(&tree)
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("/etc/hostname", tree.join("out")).unwrap();
    let rules = "[[checker]]\nname = \"no\"\npaths = [\"a.csv\"]\nthen = \"refuse\"\n\
        [[checker]]\nname = \"ask\"\npaths = [\"b.csv\"]\nthen = \"ask\"\n\
        [[checker]]\nname = \"fails\"\npaths = [\"c.csv\"]\ncommand = [\"/nonexistent/checker\"]\n";
    let dirs = Dirs::from_env(|_| Some(root.join("data").into())).unwrap();
    let guard = |tree: &str| {
        let rules = Rules::parse(rules).unwrap();
        Guard::new(root.join(tree), rules, &dirs).unwrap()
    };
    let index = Index::new(root.join("data/index"), Locks::new(root.join("data/locks")));
    let log = root.join("data/index/events.jsonl");
    let now = Moment::now().after(Duration::from_secs(3600));
    let whole = TreePath::new(".out").unwrap();
    let refresh = Refresh {
        whole: Some(&whole),
        session: Some("3f9a1c02"),
        call: Some("c1"),
        ..Refresh::at(now)
    };
    index.refresh(&guard("tree"), refresh).unwrap();
    index.refresh(&guard("other"), Refresh::at(now)).unwrap();
    fs::remove_dir_all(root.join("other")).unwrap();
    fs::remove_file(tree.join("binary")).unwrap();
    index.refresh(&guard("tree"), Refresh::at(now)).unwrap();
    index.collect(now, Due::Now, None).unwrap().unwrap();
    let mut text = fs::read_to_string(&log).unwrap();
    write(&tree.join("a.rs"), b"fn gamma() {}\n");
    let index = index.with_log_of(1);
    index.refresh(&guard("tree"), Refresh::at(now)).unwrap();
    let anew = fs::read_to_string(&log).unwrap();
    assert!(!anew.starts_with(&text), "the log was begun anew");
    text += &anew;
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_line_of_a_log_satisfies_the_schema() {
    let lines = lines();
    for line in &lines {
        assert!(check(line), "{line}");
    }
    let has = |pointer: &str, value: &Value| {
        let mut lines = lines.iter();
        assert!(
            lines.any(|line| line.pointer(pointer) == Some(value)),
            "no {pointer} is {value}"
        );
    };
    for kind in ["log.open", "guard.decision", "index.update", "index.forget"] {
        has("/kind", &json!(kind));
        assert!(kind == "log.open" || PAGE.contains(kind) || kind == "guard.decision");
    }
    has("/data/snapshot", &json!(true));
    has("/data/session", &json!("3f9a1c02"));
    has("/data/whole/0", &json!(".out"));
    has("/data/gone/0", &json!("binary"));
    has("/data/files/binary/skipped", &json!("binary"));
    has("/data/files/latin1.txt/skipped", &json!("not-utf8"));
    has("/data/files/a.rs/indexed/chunks", &json!(1));
    for (file, reason) in [
        ("id_rsa", "denylist"),
        ("a.csv", "checker"),
        ("b.csv", "not-asked"),
        ("c.csv", "checker-failed"),
    ] {
        has(
            &format!("/data/files/{file}/refused/reason"),
            &json!(reason),
        );
        has("/data/reason", &json!(reason));
    }
}

#[test]
fn the_schema_refuses_what_the_page_forbids() {
    let lines = lines();
    let of = |kind: &str| {
        let line = lines.iter().filter(|line| line["kind"] == kind);
        line.max_by_key(|line| line.to_string().len())
            .unwrap()
            .clone()
    };
    let changed = |kind: &str, pointer: &str, value: Option<Value>| {
        let mut line = of(kind);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = line.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Some(value) => parent.insert(name.to_owned(), value),
            None => parent.remove(name),
        };
        check(&line)
    };
    for (kind, pointer, value) in [
        ("index.update", "/time", None),
        ("index.update", "/data", None),
        ("index.update", "/data/tree", None),
        ("index.update", "/data/counts/read", Some(json!(-1))),
        ("index.update", "/data/files/a.rs", Some(json!({}))),
        (
            "index.update",
            "/data/files/a.rs/identity",
            Some(json!([1, 2, 3, 4])),
        ),
        (
            "index.update",
            "/data/files/a.rs/indexed/content",
            Some(json!("abc")),
        ),
        (
            "index.update",
            "/data/files/a.rs/skipped",
            Some(json!("binary")),
        ),
        ("index.update", "/data/files/", Some(json!({}))),
        ("index.update", "/data/gone", Some(json!([1]))),
        ("guard.decision", "/data/decision", Some(json!("perhaps"))),
        ("guard.decision", "/data/action", Some(json!("write"))),
        ("guard.decision", "/data/path", None),
        ("index.forget", "/data/tree", None),
        ("log.open", "/cwd", None),
    ] {
        assert!(
            !changed(kind, pointer, value.clone()),
            "{kind} {pointer} {value:?}"
        );
    }
    assert!(
        changed("index.update", "/data/mood", Some(json!(7))),
        "a field of another time"
    );
}
