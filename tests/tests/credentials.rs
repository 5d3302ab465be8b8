//! A credential is in no file of ours and in no answer, in whatever event of whichever agent it stood.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use memfold::{Logs, Quiet, Recall};
use memfold_log::Form;
use memfold_segment::Reader;
use memfold_sidecar::{LogFile, Sidecar, dump};
use memfold_tests::home::{Home, search};
use memfold_tests::{Shape, Step, Tool, write};

/// Secrets that are nobody's, made here from the shapes that providers document: the text, and the part that must not be seen.
fn canaries() -> Vec<(String, String)> {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut random = |alphabet: &str, length: usize| {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                letters[usize::try_from(state >> 33).unwrap() % letters.len()]
            })
            .collect::<String>()
    };
    let any = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let (upper, lower, hex) = (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "abcdefghijklmnopqrstuvwxyz0123456789",
        "0123456789abcdef",
    );
    let mut all = Vec::new();
    let mut add = |before: &str, secret: String, after: &str| {
        all.push((format!("{before}{secret}{after}"), secret))
    };
    add(&["AK", "IA"].concat(), random(upper, 16), "");
    add(&["gh", "p_"].concat(), random(any, 36), "");
    add(&["sk-", "ant-", "api03-"].concat(), random(any, 93), "AA");
    add(
        &["xo", "xb-1234567890-1234567890123-"].concat(),
        random(any, 24),
        "",
    );
    add(&["gl", "pat-"].concat(), random(any, 20), "");
    add(&["npm", "_"].concat(), random(any, 36), "");
    add(&["AI", "za"].concat(), random(any, 35), "");
    add(&["sk_", "live_"].concat(), random(any, 24), "");
    add(
        "postgres://guard:",
        random(any, 20),
        "@db.internal:5432/app",
    );
    add(
        "https://guard:",
        random(lower, 24),
        "@example.org/repository.git",
    );
    add("password=", random(any, 20), "");
    add("export API_KEY=", random(hex, 40), "");
    add("Authorization: Bearer ", random(any, 44), "");
    add("{\"client_secret\": \"", random(any, 32), "\"}");
    add(
        &["ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxIn0."].concat(),
        random(any, 43),
        "",
    );
    let key = format!(
        "{}\n{}\n{}",
        random(any, 64),
        random(any, 64),
        random(any, 40)
    );
    let (begin, end) = (
        ["-----BEGIN ", "PRIVATE KEY-----\n"].concat(),
        ["\n-----END ", "PRIVATE KEY-----"].concat(),
    );
    add(&begin, key, &end);
    all
}

macro_rules! as_json {
    ($value:expr) => {
        serde_json::to_string($value).unwrap()
    };
}

/// What of a secret must not be seen anywhere: its last letters, in whatever case.
fn traces(canaries: &[(String, String)]) -> Vec<String> {
    let lines = canaries.iter().flat_map(|(_, secret)| secret.lines());
    lines
        .map(|line| line[line.len() - 10..].to_lowercase())
        .collect()
}

#[track_caller]
fn without(traces: &[String], what: &str, text: &str) {
    let text = text.to_lowercase();
    for trace in traces {
        if let Some(at) = text.find(trace) {
            let from = (0..=at.saturating_sub(90))
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            panic!("a canary is in {what}: {:?}", &text[from..at + trace.len()]);
        }
    }
}

#[test]
fn a_credential_is_in_no_file_and_in_no_answer() {
    let canaries = canaries();
    let traces = traces(&canaries);
    for (text, _) in &canaries {
        without(
            &traces,
            "what the redactor leaves",
            &memfold_redact::redact(text),
        );
    }
    for (shape, agent) in [
        (Shape::Claude, "claude-code"),
        (Shape::ClaudeHelper, "claude-code"),
        (Shape::Codex, "codex"),
        (Shape::CodexHelper, "codex"),
        (Shape::Own, "memfold"),
    ] {
        let mut steps = Vec::new();
        for (text, _) in &canaries {
            let say = |before: &str| format!("{before} {text} rotate");
            steps.push(Step::Person(say("the denylist leaks")));
            steps.push(Step::Thinking(say("hm")));
            let calls = [
                Tool::Shell,
                Tool::Read,
                Tool::Edit,
                Tool::Other,
                Tool::Recall,
            ];
            steps.push(Step::Reply(
                say("I look"),
                calls.map(|tool| (tool, say("echo"))).into(),
            ));
            steps.push(Step::Results(
                (0..calls.len())
                    .map(|n| say(&format!("result {n}")))
                    .collect(),
            ));
            steps.push(Step::Stray(say("stray")));
            steps.push(Step::File(say("file")));
            steps.push(Step::Plan(say("plan")));
            steps.push(Step::Summary(say("summary")));
            steps.push(Step::Compaction(say("compaction")));
            steps.push(Step::Helper(say("helper"), true));
            steps.push(Step::Title(say("title")));
            steps.push(Step::Reply(say("Done"), Vec::new()));
            steps.push(Step::End);
        }
        let mut log = write(shape, 1, 5, &[], &steps).join(&b'\n');
        log.push(b'\n');
        // A turn that is not whole: its words are those of a tail.
        let tail = steps.iter().take(4).cloned().collect::<Vec<_>>();
        let open = write(shape, 1, 900, &[], &tail).join(&b'\n');
        let home = Home::new();
        let whole = home.write("logs/a.jsonl", &[log, open, b"\n".to_vec()].concat());
        let engine = home.engine();
        let logs = Logs::File(whole.clone());

        // Answers. A query's own words are the asker's.
        let mut queries: Vec<String> = canaries.iter().map(|(text, _)| text.clone()).collect();
        queries.extend(canaries.iter().map(|(_, secret)| secret.clone()));
        queries.push("denylist leaks rotate echo result file plan summary title".to_owned());
        for query in &queries {
            let Ok(mut answer) = engine.search(&search(query, logs.clone()), &Quiet) else {
                continue;
            };
            answer.query.clear();
            answer.words.clear();
            answer
                .results
                .iter_mut()
                .for_each(|hit| hit.missing.clear());
            without(&traces, "an answer", &as_json!(&answer));
        }
        for (_, secret) in &canaries {
            // Of a secret longer than any word there is nothing to ask for.
            if let Ok(answer) =
                engine.search(&search(&format!("\"{secret}\""), logs.clone()), &Quiet)
            {
                assert_eq!(answer.results.len(), 0, "a guess was confirmed");
            }
        }
        let mut recalled = 0;
        for seq in 1..=u64::try_from(fs::read_to_string(&whole).unwrap().lines().count()).unwrap() {
            let asked = Recall {
                address: seq.to_string(),
                logs: logs.clone(),
                start: 1,
                count: 1000,
            };
            match engine.recall(&asked, &Quiet) {
                Ok(event) => {
                    recalled += 1;
                    without(&traces, "an event", &as_json!(&event));
                }
                Err(error) => without(&traces, "an error", &format!("{error} {}", error.hint())),
            }
        }
        assert!(recalled > canaries.len() * 3, "{shape:?}: {recalled}");
        without(
            &traces,
            "cards",
            &as_json!(&engine.cards(None, &logs).unwrap()),
        );
        without(
            &traces,
            "logs",
            &as_json!(&engine.logs(&home.logs()).unwrap()),
        );
        without(&traces, "a fold's report", &as_json!(&home.fold()));
        without(&traces, "a check's report", &as_json!(&home.verify()));
        without(&traces, "the status", &as_json!(&engine.status().unwrap()));

        // Files, as they are and unpacked.
        let mut files = home.files("home");
        files.extend(home.files("logs").into_iter().filter(|path| *path != whole));
        assert!(files.len() > 2, "{files:?}");
        for file in files {
            let bytes = fs::read(&file).unwrap();
            without(
                &traces,
                &file.display().to_string(),
                &String::from_utf8_lossy(&bytes),
            );
        }
        let sidecar = Sidecar::open(home.read("logs/a.mem")).unwrap();
        assert!(sidecar.header().documents > 30);
        without(&traces, "a sidecar", &dump::text(&sidecar).unwrap());
        without(
            &traces,
            "a sidecar's records",
            &format!("{:?}", sidecar.decode_records().unwrap()),
        );

        // The tail, as it is kept once the log has come to rest.
        let file = LogFile::open(&whole, Form::Lines).unwrap();
        let agent = memfold_agents::by_name(agent).unwrap();
        let (checkpoint, keys) = (sidecar.checkpoint().unwrap(), sidecar.keys().unwrap());
        let (tail, _) = memfold_sidecar::fold_tail(
            &file,
            agent,
            sidecar.header().covered,
            checkpoint,
            &keys,
            &[],
            &memfold_sidecar::to_the_end,
        )
        .unwrap();
        without(
            &traces,
            "a tail",
            &format!("{:?} {:?}", tail.cards, tail.documents),
        );
        for term in Reader::open(&tail.segment).unwrap().terms().unwrap() {
            without(
                &traces,
                "a tail's words",
                &String::from_utf8_lossy(&term.unwrap().0),
            );
        }
    }
}
