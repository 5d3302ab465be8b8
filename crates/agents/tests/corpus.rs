//! Every made-up log in `corpus/<agent>/` against its expected readings beside it (`.readings`).
//! `UPDATE_READINGS=1 cargo test -p memfold-agents --test corpus` writes them; read the difference before committing it.

#![allow(clippy::unwrap_used)] // A test may stop where it stands.

use std::fs;
use std::path::{Path, PathBuf};

mod render;

use memfold_log::Form;

const WIDTH: usize = 160;

fn logs(agent: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus")
        .join(agent);
    let mut logs: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    logs.retain(|path| Form::of(path).is_some());
    logs.sort();
    assert!(!logs.is_empty(), "an agent needs a log in corpus/{agent}");
    logs
}

#[test]
fn every_log_reads_as_expected() {
    let mut wrong = Vec::new();
    for agent in memfold_agents::all() {
        for path in logs(agent.name()) {
            let readings = {
                let form = Form::of(&path).unwrap();
                render::log(*agent, form, &fs::read(&path).unwrap(), WIDTH)
            };
            let expected = path.with_extension("readings");
            if std::env::var_os("UPDATE_READINGS").is_some() {
                fs::write(&expected, &readings).unwrap();
            }
            let expected = fs::read_to_string(&expected).unwrap_or_default();
            for (line, pair) in readings.lines().zip(expected.lines()).enumerate() {
                if pair.0 != pair.1 {
                    wrong.push(format!(
                        "{}:{}\n  read     {}\n  expected {}",
                        path.display(),
                        line + 1,
                        pair.0,
                        pair.1
                    ));
                    break;
                }
            }
            if readings.lines().count() != expected.lines().count() {
                wrong.push(format!(
                    "{}: {} lines read, {} expected",
                    path.display(),
                    readings.lines().count(),
                    expected.lines().count()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_log_is_told_by_its_lines() {
    for agent in memfold_agents::all() {
        for path in logs(agent.name()) {
            let log = fs::read(&path).unwrap();
            let lines: Vec<_> = match Form::of(&path) {
                Some(Form::Document) => vec![&log[..]],
                _ => log.split(|byte| *byte == b'\n').collect(),
            };
            let claimed: Vec<_> = memfold_agents::all()
                .iter()
                .filter(|agent| agent.claims(&lines))
                .map(|agent| agent.name())
                .collect();
            assert_eq!(claimed, [agent.name()], "{}", path.display());
        }
    }
}

#[test]
fn other_agents_logs_are_not_taken() {
    for line in [
        r#"{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":"hello"}}"#,
        r#"{"type":"user","text":"hello"}"#,
        r#"{"name":"a","version":"1.0.0","scripts":{"test":"x"}}"#,
        r#"{"jsonrpc":"2.0","method":"event","params":{"type":"x","payload":{}}}"#,
        r#"{"id":1,"content":"hello","role":"user"}"#,
        "",
        "not json",
    ] {
        assert!(
            memfold_agents::detect(Path::new("copy.jsonl"), &[line.as_bytes()]).is_none(),
            "{line}"
        );
    }
}

#[test]
fn a_path_tells_where_lines_do_not() {
    let told = |path: &str| memfold_agents::detect(Path::new(path), &[]).map(|agent| agent.name());
    assert_eq!(told("/h/.claude/projects/-p/a.jsonl"), Some("claude-code"));
    assert_eq!(
        told("/x/rollout-2026-01-20T09-38-57-a.jsonl"),
        Some("codex")
    );
    assert_eq!(told("/x/a.jsonl"), None);
}
