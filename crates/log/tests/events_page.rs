//! Holds `formats/events.md`, its schema and the code together.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod schema;

use memfold_log::Timestamp;
use memfold_log::own::{Body, By, Call, CallResult, Record, Unranked};
use schema::valid;
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../formats/events.md");
const SCHEMA: &str = include_str!("../../../formats/events.schema.json");

fn check(line: &str) -> bool {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    valid(&schema, &schema, &serde_json::from_str(line).unwrap())
}

/// A record of each kind, with every field.
fn records() -> Vec<Record<'static>> {
    let raw = |value: &Value| serde_json::value::to_raw_value(value).unwrap();
    let input = raw(&json!({ "command": "cargo test" }));
    let mut open = Body::open("3f9a1c02", "/project");
    if let Body::Open(open) = &mut open {
        open.host = Some("console".into());
        open.parent = Some("77aa".into());
        open.forked_from = Some("66bb".into());
        open.branch = Some("main".into());
    }
    let call = Call {
        id: "c1".into(),
        tool: "shell".into(),
        input: Some(std::borrow::Cow::Owned(input.clone())),
    };
    let result = CallResult {
        call: "c1".into(),
        tool: Some("shell".into()),
        text: "FAILED".into(),
        exit: Some(-1),
        failed: true,
        persisted: Some("r/1.txt".into()),
    };
    let mut bodies = vec![
        open,
        Body::Title {
            title: "fix it".into(),
            by: By::Person,
        },
        Body::Title {
            title: "fix it".into(),
            by: By::Summary,
        },
        Body::Person {
            text: "fix it".into(),
        },
        Body::Reply {
            text: "".into(),
            calls: vec![call],
        },
        Body::Reply {
            text: "done".into(),
            calls: vec![],
        },
        Body::Result {
            results: vec![result, CallResult::default()],
        },
        Body::File {
            path: "a.md".into(),
            text: "".into(),
        },
        Body::Plan { text: "1".into() },
        Body::Summary { text: "2".into() },
        Body::Compaction { text: "3".into() },
        Body::TurnEnd {
            reason: Some("done".into()),
        },
        Body::TurnEnd { reason: None },
    ];
    bodies.extend(Unranked::ALL.map(|kind| Body::Unranked {
        kind,
        text: Some("t".into()),
        data: Some(std::borrow::Cow::Owned(match kind {
            Unranked::AskedSearch => raw(
                &json!({ "scope": "repo", "query": "q", "words": 1, "matched": 0, "results": 0,
                "weak": true, "shown": [] }),
            ),
            Unranked::AskedRecall => {
                raw(&json!({ "task": "t", "seq": 1, "address": "t:1", "lines": 0 }))
            }
            Unranked::AskedUpdate => raw(&json!({ "files": 0, "read": 0, "complete": true })),
            _ => input.clone(),
        })),
    }));
    let full = |body| Record {
        time: Some(Timestamp(1)),
        id: Some("e1".into()),
        agent: Some("explorer".into()),
        body,
    };
    bodies
        .into_iter()
        .flat_map(|body| [Record::new(body.clone()), full(body)])
        .collect()
}

fn line(record: &Record<'_>) -> String {
    let mut line = Vec::new();
    record.write_json(&mut line).unwrap();
    String::from_utf8(line).unwrap()
}

#[test]
fn what_is_written_satisfies_the_schema_and_is_read() {
    for record in records() {
        let line = line(&record);
        assert!(check(&line), "{line}");
        let read = Record::parse(&line).unwrap();
        assert_eq!(read.body.kind(), record.body.kind());
        assert!(!matches!(read.body, Body::Unknown { .. }), "{line}");
    }
}

#[test]
fn the_schema_refuses_what_the_page_forbids() {
    for line in [
        r#"[]"#,
        r#"{"kind":"person","text":"a"}"#,
        r#"{"v":2,"kind":"person","text":"a"}"#,
        r#"{"v":1,"text":"a"}"#,
        r#"{"v":1,"kind":"person"}"#,
        r#"{"v":1,"kind":"person","text":7}"#,
        r#"{"v":1,"kind":"person","text":"a","time":7}"#,
        r#"{"v":1,"kind":"log.open","task":"t"}"#,
        r#"{"v":1,"kind":"log.title","title":"t","by":"robot"}"#,
        r#"{"v":1,"kind":"reply","calls":[{"tool":"shell"}]}"#,
        r#"{"v":1,"kind":"result"}"#,
        r#"{"v":1,"kind":"result","results":[{"text":"a"}]}"#,
        r#"{"v":1,"kind":"result","results":[{"call":"c","text":"a","exit":2147483648}]}"#,
        r#"{"v":1,"kind":"file","text":"a"}"#,
        r#"{"v":1,"kind":"asked.search","data":{"scope":"repo"}}"#,
        r#"{"v":1,"kind":"asked.recall","data":{"task":"t","seq":0,"address":"t:0","lines":0}}"#,
        r#"{"v":1,"kind":"asked.update"}"#,
    ] {
        assert!(!check(line), "{line}");
    }
    assert!(
        check(r#"{"v":1,"kind":"dream","text":7}"#),
        "a kind of another time"
    );
    assert!(
        check(r#"{"v":1,"kind":"person","text":"a","mood":[]}"#),
        "a field of another time"
    );
}

#[test]
fn the_page_names_every_kind_and_its_example_is_valid() {
    for record in records() {
        let kind = format!("`{}`", record.body.kind());
        assert!(PAGE.contains(&kind), "{kind}");
    }
    let asked = include_str!("../../../formats/asked.md");
    let examples: Vec<_> = PAGE
        .lines()
        .chain(asked.lines())
        .filter(|line| line.starts_with("{\"v\""))
        .collect();
    assert!(!examples.is_empty());
    for example in examples {
        assert!(check(example), "{example}");
        let record = Record::parse(example).unwrap();
        assert_eq!(line(&record), example);
    }
}
