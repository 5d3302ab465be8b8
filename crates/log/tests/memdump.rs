//! `tools/memdump`, a reader in another language that was written from `formats/events.md`, reads event lines as this one does.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is meant to panic"
)]

use std::path::PathBuf;
use std::process::Command;

use memfold_log::own::{Body, By, Record};
use serde_json::Value;

const MEMDUMP: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tools/memdump/memdump.py"
);
const CORPUS: [&str; 2] = [
    include_str!("../../../corpus/memfold/turn.jsonl"),
    include_str!("../../../corpus/memfold/helper.jsonl"),
];

/// Lines of every kind, and of none.
const ODD: &str = concat!(
    r#"{"v":1,"kind":"log.open","task":"7c1e","cwd":"/project","host":"console","parent":null,"forked_from":"66bb"}
{"v":1,"kind":"log.title","title":"x","by":"somebody"}
{"v":1,"kind":"log.title","by":"summary"}

  
not json
[1]
17
null
{"kind":"person","text":"no version"}
{"v":1,"text":"no kind"}
{"v":-1,"kind":"person"}
{"v":1.0,"kind":"person"}
{"v":0,"kind":"person","text":3}
{"v":2,"kind":"person","text":3}
{"v":1,"kind":"weather","text":3}
{"v":1,"kind":"person","text":3}
{"v":1,"kind":"person","path":3,"text":"a field of another kind"}
{"v":1,"kind":"person","time":"yesterday","id":"e1","agent":"explorer","text":"gl\u00fcck\n\u2192","more":[1]}
{"v":1,"kind":"person","time":"2026-10-02T09:14:03.123Z"}
{"v":1,"kind":"person","time":"2026-10-02T09:14:03Z","text":null}
{"v":1,"kind":"reply","calls":[{"id":"c1","tool":"shell","input":{"b":[1,2],"a":"x"}},{"tool":"t"}]}
{"v":1,"kind":"reply","text":"t","calls":[3]}
{"v":1,"kind":"result","results":[{"call":"c1","text":"FAILED","exit":-101,"failed":true,"persisted":"r/1.txt"}]}
{"v":1,"kind":"result","results":[{"tool":"shell"},{"call":"c","exit":0,"failed":false}]}
{"v":1,"kind":"result","results":[{"call":"c","exit":2147483648}]}
{"v":1,"kind":"result","results":{}}
{"v":1,"kind":"file","path":"a.md","text":"b"}
{"v":1,"kind":"plan","text":"p"}
{"v":1,"kind":"summary"}
{"v":1,"kind":"compaction","text":"c"}
{"v":1,"kind":"turn.end","reason":"done"}
{"v":1,"kind":"turn.end"}
{"v":1,"kind":"egress","text":"w","data":{"z":null,"y":true}}
{"v":1,"kind":"note"}
"#,
    r#"{"v":1,"kind":"person","text":"not en"#
);

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn json(text: Option<&str>) -> String {
    text.map_or_else(
        || "-".to_owned(),
        |text| match serde_json::from_str::<Value>(text).unwrap() {
            Value::Null => "-".to_owned(),
            value => value.to_string(),
        },
    )
}

/// The log as our own reader has it.
fn ours(log: &str) -> Vec<String> {
    let mut page = Vec::new();
    let lines: Vec<&str> = log.split('\n').collect();
    for (number, line) in (1..).zip(&lines) {
        if number == lines.len() {
            if !line.is_empty() {
                page.push(format!("{number} not ended"));
            }
            break;
        }
        if line.trim().is_empty() {
            page.push(format!("{number} blank"));
            continue;
        }
        match Record::parse(line) {
            Ok(record) => event(&mut page, number, line, &record),
            Err(_) => page.push(format!("{number} broken")),
        }
    }
    page
}

fn event(page: &mut Vec<String>, number: usize, line: &str, record: &Record<'_>) {
    if let Body::Unknown { version, kind } = &record.body {
        page.push(format!(
            "{number} unknown {} of version {version}",
            quoted(kind)
        ));
        return;
    }
    let kind = serde_json::from_str::<Value>(line).unwrap()["kind"].clone();
    let time = record
        .time
        .map_or_else(|| "-".to_owned(), |time| time.0.to_string());
    page.push(format!("{number} {} time {time}", kind.as_str().unwrap()));
    text(page, "id", record.id.as_deref());
    text(page, "agent", record.agent.as_deref());
    match &record.body {
        Body::Open(open) => {
            text(page, "task", open.task.as_deref());
            text(page, "cwd", open.cwd.as_deref());
            text(page, "host", open.host.as_deref());
            text(page, "parent", open.parent.as_deref());
            text(page, "forked_from", open.forked_from.as_deref());
            text(page, "branch", open.branch.as_deref());
        }
        Body::Title { title, by } => {
            text(page, "title", Some(title));
            page.push(match by {
                By::Person => "  by person".to_owned(),
                By::Summary => "  by summary".to_owned(),
                By::Model => "  by model".to_owned(),
            });
        }
        Body::Person { text: words }
        | Body::Plan { text: words }
        | Body::Summary { text: words }
        | Body::Compaction { text: words } => text(page, "text", Some(words)),
        Body::Reply { text: words, calls } => {
            text(page, "text", Some(words));
            page.extend(calls.iter().map(|call| {
                let input = json(call.input.as_ref().map(|input| input.get()));
                format!("  call {} {} {input}", quoted(&call.id), quoted(&call.tool))
            }));
        }
        Body::Result { results } => page.extend(results.iter().map(|result| {
            let tool = result
                .tool
                .as_ref()
                .map_or_else(|| "-".to_owned(), |tool| quoted(tool));
            let exit = result
                .exit
                .map_or_else(|| "-".to_owned(), |exit| exit.to_string());
            let failed = if result.failed { " failed" } else { "" };
            let persisted = result.persisted.as_ref();
            let persisted = persisted.map_or_else(String::new, |path| format!(" {}", quoted(path)));
            format!(
                "  result {} {tool} {} exit {exit}{failed}{persisted}",
                quoted(&result.call),
                quoted(&result.text)
            )
        })),
        Body::File { path, text: words } => {
            text(page, "path", Some(path));
            text(page, "text", Some(words));
        }
        Body::TurnEnd { reason } => text(page, "reason", reason.as_deref()),
        Body::Unranked {
            text: words, data, ..
        } => {
            text(page, "text", words.as_deref());
            let data = json(data.as_ref().map(|data| data.get()));
            page.push(format!("  data {data}"));
        }
        _ => panic!("a kind that the page does not have"),
    }
}

fn text(page: &mut Vec<String>, name: &str, text: Option<&str>) {
    page.extend(text.map(|text| format!("  {name} {}", quoted(text))));
}

#[test]
fn both_readers_say_the_same() {
    for (number, log) in CORPUS.into_iter().chain([ODD, ""]).enumerate() {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("same-{number}.jsonl"));
        std::fs::write(&file, log).unwrap();
        let output = Command::new("python3")
            .arg("-B")
            .arg(MEMDUMP)
            .arg(&file)
            .output()
            .unwrap_or_else(|error| panic!("this test needs Python 3.11 as `python3`: {error}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let theirs = String::from_utf8(output.stdout).unwrap();
        let theirs: Vec<&str> = theirs.lines().collect();
        assert_eq!(ours(log), theirs, "log {number}");
    }
}
