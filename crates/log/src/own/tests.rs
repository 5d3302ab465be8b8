use super::*;
use crate::append::Appender;

/// One of everything, as a line spells it.
fn samples() -> Vec<String> {
    let mut lines: Vec<String> = [
        r#"{"v":1,"kind":"log.open","time":"2026-10-02T09:14:00Z","task":"3f9a1c02","cwd":"/project","host":"console 2","parent":"77aa","forked_from":"66bb","branch":"main"}"#,
        r#"{"v":1,"kind":"log.title","title":"fix the denylist","by":"person"}"#,
        r#"{"v":1,"kind":"person","time":"2026-10-02T09:14:03.123Z","id":"e1","text":"fix \"it\"\nplease"}"#,
        r#"{"v":1,"kind":"reply","agent":"explorer","text":"","calls":[{"id":"c1","tool":"shell","input":{"command":"cargo test"}},{"id":"c2","tool":"list"}]}"#,
        r#"{"v":1,"kind":"reply","text":"Done."}"#,
        r#"{"v":1,"kind":"result","results":[{"call":"c1","tool":"shell","text":"FAILED","exit":101,"failed":true,"persisted":"r/1.txt"},{"call":"c2","text":""}]}"#,
        r#"{"v":1,"kind":"file","path":"notes.md","text":"notes"}"#,
        r#"{"v":1,"kind":"plan","text":"1. look"}"#,
        r#"{"v":1,"kind":"summary","text":"looked"}"#,
        r#"{"v":1,"kind":"compaction","text":"Earlier: looked."}"#,
        r#"{"v":1,"kind":"turn.end","reason":"done"}"#,
        r#"{"v":1,"kind":"turn.end","agent":"explorer"}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    for kind in Unranked::ALL {
        lines.push(format!(
            r#"{{"v":1,"kind":"{}","text":"t","data":{{"a":[1,2.50,null]}}}}"#,
            kind.name()
        ));
    }
    lines
}

fn json(record: &Record<'_>) -> String {
    let mut line = Vec::new();
    record.write_json(&mut line).unwrap();
    String::from_utf8(line).unwrap()
}

#[test]
fn what_is_read_is_written_again_byte_for_byte() {
    for line in samples() {
        let record = Record::parse(&line).unwrap();
        assert!(!matches!(record.body, Body::Unknown { .. }), "{line}");
        assert_eq!(json(&record), line);
    }
}

#[test]
fn texts_without_escapes_are_borrowed() {
    let line = r#"{"v":1,"kind":"person","id":"e1","text":"fix it"}"#;
    let record = Record::parse(line).unwrap();
    assert!(matches!(record.id, Some(Cow::Borrowed("e1"))));
    assert!(matches!(
        record.body,
        Body::Person {
            text: Cow::Borrowed("fix it")
        }
    ));
}

#[test]
fn what_is_not_known_is_passed_over() {
    let line = r#"{"v":1,"kind":"person","text":"a","mood":["b"],"time":"whenever","id":null}"#;
    let record = Record::parse(line).unwrap();
    assert!(matches!(&record.body, Body::Person { text } if text == "a"));
    assert!(record.time.is_none() && record.id.is_none());

    for line in [
        r#"{"v":1,"kind":"result","results":[{"call":null,"text":null,"exit":null,"failed":null}]}"#,
        r#"{"v":1,"kind":"reply","text":null,"calls":null}"#,
        r#"{"v":1,"kind":"log.title","title":null,"by":"robot"}"#,
        r#"{"v":1,"kind":"person"}"#,
    ] {
        assert!(Record::parse(line).is_ok(), "{line}");
    }

    let record = Record::parse(r#"{"v":1,"kind":"dream","text":7}"#).unwrap();
    assert!(matches!(&record.body, Body::Unknown { version: 1, kind } if kind == "dream"));
    let record = Record::parse(r#"{"v":2,"kind":"person","text":{"rich":"a"}}"#).unwrap();
    assert!(matches!(&record.body, Body::Unknown { version: 2, .. }));
    assert!(record.write_json(&mut Vec::new()).is_err());
}

#[test]
fn broken_lines_are_errors() {
    for line in [
        "",
        "[]",
        "7",
        r#"{"v":1}"#,
        r#"{"kind":"person"}"#,
        r#"{"v":1,"kind":"person","text":7}"#,
        r#"{"v":1,"#,
    ] {
        assert!(Record::parse(line).is_err(), "{line}");
    }
}

#[test]
fn arguments_spread_over_lines_become_one_line() {
    let input = RawValue::from_string("{\n  \"command\": \"a\\nb\"\r\n}".to_owned()).unwrap();
    let call = Call {
        id: "c".into(),
        tool: "shell".into(),
        input: Some(Cow::Owned(input)),
    };
    let line = json(&Record::new(Body::Reply {
        text: "".into(),
        calls: vec![call],
    }));
    assert!(!line.contains(['\n', '\r']), "{line}");
    let Body::Reply { calls, .. } = Record::parse(&line).unwrap().body else {
        panic!("{line}")
    };
    let input: serde_json::Value =
        serde_json::from_str(calls[0].input.as_ref().unwrap().get()).unwrap();
    assert_eq!(input["command"], "a\nb");
}

#[test]
fn the_longest_line_can_be_read_back_whole() {
    let path =
        std::env::temp_dir().join(format!("memfold-log-longest-{}.jsonl", std::process::id()));
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .open(&path)
        .unwrap();
    let mut log = Appender::new(file);
    let shell = json(&Record::new(Body::Plan { text: "".into() })).len();
    let text = "a".repeat(crate::MAX_LINE - shell);
    let written = log
        .append(&Record::new(Body::Plan {
            text: text.as_str().into(),
        }))
        .unwrap();
    let longer = text + "a";
    assert!(
        log.append(&Record::new(Body::Plan {
            text: longer.into()
        }))
        .is_err()
    );
    let file = std::fs::File::open(&path).unwrap();
    let line =
        crate::read_line_at(file, written.start, written.length, crate::Limits::DEFAULT).unwrap();
    assert!(matches!(line.content(), crate::Content::Text(text) if text.len() == crate::MAX_LINE));
    std::fs::remove_file(&path).unwrap();
}
