//! Who reads what, and what is written where: the switch for agents, the boundary of a project, planted sidecars, private
//! files in known places, and credentials, which are in no file of ours and in no answer.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use memfold::{Error, Logs, Memfold, Quiet, Recall, Viewer};
use memfold_log::Form;
use memfold_segment::Reader;
use memfold_sidecar::{LogFile, Sidecar, dump, encode};
use memfold_tests::home::{Home, row, search, turns};
use memfold_tests::{Shape, Step, Tool, write};

const STORE: &str = "home/.claude/projects";

/// A task's id, told by a number.
fn id(number: usize) -> String {
    format!("3f9a1c02-5d1e-4c7a-9b60-{number:012}")
}

/// A task of Claude Code's that worked in `cwd`.
fn task(number: usize, cwd: &str) -> Vec<u8> {
    let log = String::from_utf8(turns(number * 10..number * 10 + 3)).unwrap();
    let cwd = serde_json::to_string(cwd).unwrap();
    log.replace("\"cwd\":\"/project\"", &format!("\"cwd\":{cwd}"))
        .replace(&id(0)[..34], &id(number)[..34])
        .replace("0000000000aa", &format!("{number:012}"))
        .into_bytes()
}

/// Puts a task into Claude Code's store.
fn store(home: &Home, number: usize, cwd: &Path) -> PathBuf {
    let path = format!("{STORE}/-some-folder/{}.jsonl", id(number));
    home.write(path, &task(number, cwd.to_str().unwrap()))
}

fn found(engine: &Memfold, logs: Logs) -> Result<BTreeSet<PathBuf>, &'static str> {
    match engine.search(&search("denylist symlink", logs), &Quiet) {
        Ok(answer) => Ok(answer.results.into_iter().map(|hit| hit.log).collect()),
        Err(error) => Err(error.kind()),
    }
}

fn recall(engine: &Memfold, address: &str, logs: Logs) -> Result<u64, &'static str> {
    let asked = Recall {
        address: address.to_owned(),
        logs,
        start: 1,
        count: 80,
    };
    engine
        .recall(&asked)
        .map(|recalled| recalled.seq)
        .map_err(|error| error.kind())
}

fn kind<T>(result: Result<T, Error>) -> Result<(), &'static str> {
    result.map(|_| ()).map_err(|error| error.kind())
}

#[test]
fn an_agent_reads_earlier_tasks_once_a_person_allowed_it() {
    let home = Home::new();
    let (project, other) = (home.at("project"), home.at("other"));
    fs::create_dir(&other).unwrap();
    let (ours, others) = (store(&home, 1, &project), store(&home, 2, &other));
    let copy = home.write("logs/copy.jsonl", &fs::read(&ours).unwrap());
    let link = home.at("logs/link.jsonl");
    symlink(&ours, &link).unwrap();
    symlink(home.at(STORE), home.at("logs-by-link")).unwrap();
    let (person, agent) = (home.engine(), home.engine_of(Viewer::Agent, &project));
    let task = id(1);
    let address = format!("{task}:1");

    // What an agent may ever see of a log in a store.
    let ways = [
        Logs::File(ours.clone()),
        Logs::File(link),
        Logs::File(
            home.at("project/../home/.claude/projects/-some-folder")
                .join(ours.file_name().unwrap()),
        ),
        Logs::Below(vec![ours.parent().unwrap().to_owned()]),
        Logs::Below(vec![ours.clone()]),
        Logs::Below(vec![home.at("logs-by-link")]),
        Logs::Below(vec![home.at("home")]),
        Logs::Below(vec![home.at("logs"), home.at(STORE)]),
    ];
    let refused = |agent: &Memfold, when: &str| {
        let no = Err("not-allowed");
        assert_eq!(
            found(agent, Logs::Project),
            no.clone().map(|()| BTreeSet::new()),
            "{when}"
        );
        assert_eq!(kind(agent.logs(&Logs::Project)), no, "{when}");
        assert_eq!(kind(agent.cards(Some(&task), &Logs::Project)), no, "{when}");
        assert_eq!(kind(agent.resume(&task)), no, "{when}");
        assert_eq!(
            recall(agent, &address, Logs::Project).map(|_| ()),
            no,
            "{when}"
        );
        for way in &ways {
            assert_eq!(found(agent, way.clone()).map(|_| ()), no, "{when}: {way:?}");
            assert_eq!(kind(agent.logs(way)), no, "{when}: {way:?}");
            assert_eq!(kind(agent.cards(Some(&task), way)), no, "{when}: {way:?}");
            assert_eq!(
                recall(agent, &address, way.clone()).map(|_| ()),
                no,
                "{when}: {way:?}"
            );
        }
        let file = Logs::File(ours.clone());
        assert_eq!(recall(agent, "1", file.clone()).map(|_| ()), no, "{when}");
        assert_eq!(kind(agent.cards(None, &file)), no, "{when}");
        for all in [Logs::Everywhere, Logs::File(others.clone())] {
            assert_eq!(found(agent, all).map(|_| ()), no, "{when}");
        }
        // A copy elsewhere is a file like any other.
        assert_eq!(
            found(agent, Logs::File(copy.clone())),
            Ok([copy.clone()].into()),
            "{when}"
        );
        assert_eq!(
            recall(agent, "1", Logs::File(copy.clone())),
            Ok(1),
            "{when}"
        );
    };
    refused(&agent, "at first");
    assert_eq!(kind(agent.set_earlier(true)), Err("not-allowed"));
    refused(&agent, "after it tried itself");
    home.engine_of(Viewer::Person, &other)
        .set_earlier(true)
        .unwrap();
    refused(&agent, "allowed for another project");
    assert_eq!(found(&person, Logs::Project), Ok([ours.clone()].into()));
    refused(&agent, "with sidecars and receipts there");

    person.set_earlier(true).unwrap();
    assert_eq!(found(&agent, Logs::Project), Ok([ours.clone()].into()));
    assert_eq!(
        found(&agent, Logs::File(ours.clone())),
        Ok([ours.clone()].into())
    );
    assert_eq!(recall(&agent, &address, Logs::Project), Ok(1));
    assert_eq!(kind(agent.cards(Some(&task), &Logs::Project)), Ok(()));
    assert_eq!(kind(agent.logs(&Logs::Project)), Ok(()));
    // Other projects' tasks it never reads, whoever allowed what.
    assert_eq!(found(&agent, Logs::Everywhere), Err("not-allowed"));
    assert_eq!(
        found(&agent, Logs::File(others.clone())),
        Err("not-allowed")
    );
    assert_eq!(
        found(&agent, Logs::Below(vec![home.at(STORE)])),
        Err("not-allowed")
    );
    assert_eq!(
        recall(&agent, "1", Logs::File(others.clone())),
        Err("not-allowed")
    );
    assert_eq!(
        recall(&agent, &format!("{}:1", id(2)), Logs::Project),
        Err("not-found")
    );
    assert_eq!(
        kind(agent.cards(None, &Logs::File(others.clone()))),
        Err("not-allowed")
    );

    person.set_earlier(false).unwrap();
    refused(&agent, "turned off again");

    // A switch that cannot be read is off, and said.
    person.set_earlier(true).unwrap();
    fs::write(person.earlier().unwrap().file, "[workspaces").unwrap();
    assert_eq!(found(&agent, Logs::Project), Err("file"));
    assert_eq!(found(&agent, Logs::File(ours)), Err("file"));
}

#[test]
fn another_projects_task_is_never_answered() {
    for is_repository in [false, true] {
        let home = Home::new();
        let at = |path: &str| home.at(path).display().to_string();
        for folder in [
            "a/project/src",
            "a/project/vendor/lib/.git",
            "a/project-two/src",
            "a/PROJECT",
            "elsewhere",
        ] {
            fs::create_dir_all(home.at(folder)).unwrap();
        }
        if is_repository {
            fs::create_dir(home.at("a/project/.git")).unwrap();
            fs::create_dir(home.at("a/project-two/.git")).unwrap();
        }
        symlink(home.at("a/project"), home.at("a/link")).unwrap();
        symlink(home.at("a/project-two"), home.at("a/project/out")).unwrap();
        symlink("../a/project/src", home.at("elsewhere/in")).unwrap();
        let ours = [
            at("a/project"),
            at("a/project/"),
            at("a/project/src"),
            at("a/project/./src/.."),
            at("a/project/gone/deeper"),
            at("a/project-two/../project"),
            at("a/project-two/src/../../project/src"),
            at("a/link"),
            at("a/link/src"),
            at("elsewhere/in"),
        ];
        let theirs = [
            at("a/project-two"),
            at("a/project-two/src"),
            at("a/project-"),
            at("a/projec"),
            at("a/PROJECT"),
            at("a/project/../project-two"),
            at("a/project/gone/../../project-two/src"),
            at("a/project/src/../../../a/project-two"),
            at("a/link/../project-two"),
            at("a/project/out"),
            at("a/project/out/src"),
            at("a/project/vendor/lib"),
            at("a/project/.."),
            at("a"),
            "a/project".to_owned(),
            "project".to_owned(),
            ".".to_owned(),
            String::new(),
            "/".to_owned(),
            format!("file://{}", at("a/project")),
            format!(" {}", at("a/project")),
            format!("{}\n{}", at("a/project-two"), at("a/project")),
        ];
        let mut expected = BTreeSet::new();
        for (number, cwd) in ours.iter().chain(&theirs).enumerate() {
            let log = store(&home, number, Path::new(cwd));
            if number < ours.len() {
                expected.insert(log);
            }
        }
        let engine = home.engine_of(Viewer::Person, &home.at("a/project"));
        assert_eq!(
            found(&engine, Logs::Project),
            Ok(expected.clone()),
            "as the logs say"
        );
        assert_eq!(
            found(&engine, Logs::Everywhere).unwrap().len(),
            ours.len() + theirs.len()
        );
        assert_eq!(
            found(&engine, Logs::Project),
            Ok(expected.clone()),
            "as receipts say"
        );
        home.believe();
        assert_eq!(
            found(&engine, Logs::Project),
            Ok(expected.clone()),
            "as receipts say without a look"
        );
        let below = home.engine_of(Viewer::Person, &home.at("a/project/src"));
        if is_repository {
            assert_eq!(
                found(&below, Logs::Project),
                Ok(expected.clone()),
                "from a folder below"
            );
        }
        for number in 0..ours.len() + theirs.len() {
            let answer = recall(&engine, &format!("{}:1", id(number)), Logs::Project);
            let expected = if number < ours.len() {
                Ok(1)
            } else {
                Err("not-found")
            };
            assert_eq!(answer, expected, "{number}");
        }
        assert_eq!(engine.logs(&Logs::Project).unwrap().logs.len(), ours.len());

        // Another project's log comes under the name of one of ours.
        let path = expected.iter().next().unwrap();
        fs::write(path, task(77, &theirs[0])).unwrap();
        assert!(!found(&engine, Logs::Project).unwrap().contains(path));
    }
}

/// A sidecar that holds together, is bound to this very log, and holds another fold's words.
fn forgery(log: &[u8]) -> Vec<u8> {
    let other = String::from_utf8(log.to_vec())
        .unwrap()
        .replace("denylist", "allowlis");
    let (ours, others) = (Home::folded(log), Home::folded(other.as_bytes()));
    let open = |home: &Home| Sidecar::open(home.read("logs/a.mem")).unwrap();
    let (ours, others) = (open(&ours), open(&others));
    let sealed = others.decode_sealed().unwrap();
    encode(
        &sealed,
        others.header().fold,
        &ours.binding().unwrap(),
        Form::Lines,
    )
    .unwrap()
}

#[test]
fn a_sidecar_in_a_work_tree_is_neither_read_nor_touched() {
    let log = turns(0..6);
    let forged = forgery(&log);
    for git_file in [false, true] {
        let home = Home::new();
        if git_file {
            home.write("logs/.git", b"gitdir: /elsewhere\n");
        } else {
            fs::create_dir_all(home.at("logs/.git")).unwrap();
        }
        home.write("logs/deep/er/a.jsonl", &log);
        let planted = home.write("logs/deep/er/a.mem", &forged);
        let orphan = home.write("logs/deep/er/golden.mem", &forged);
        let untouched = |when: &str| {
            assert!(fs::read(&planted).unwrap() == forged, "{when}");
            assert!(fs::read(&orphan).unwrap() == forged, "{when}");
            assert_eq!(
                home.files("logs")
                    .iter()
                    .filter(|path| !path.ends_with(".git"))
                    .count(),
                3,
                "{when}"
            );
            assert_eq!(
                home.search("allowlis").matched,
                0,
                "{when}: it was believed"
            );
            assert_eq!(home.search("denylist").matched, 18, "{when}");
        };
        untouched("searched");
        assert_eq!(row(&home.fold(), "a.jsonl").verdict, "current");
        untouched("folded");
        assert_eq!(home.verify().wrong, 0);
        home.engine().rebuild(&[home.at("logs")], &Quiet).unwrap();
        untouched("rebuilt");
        let kept = home.sidecar("logs/deep/er/a.jsonl");
        assert!(kept.starts_with(home.dirs().cache), "{}", kept.display());
        fs::remove_file(home.at("logs/deep/er/a.jsonl")).unwrap();
        home.fold();
        assert!(
            planted.exists() && orphan.exists(),
            "what came with a clone is nobody's to remove"
        );
        assert!(!kept.exists());
    }

    // A folder becomes a work tree: what lay beside the log is not read any more.
    let home = Home::folded(&log);
    fs::create_dir(home.at("logs/.git")).unwrap();
    home.write("logs/a.mem", &forged);
    home.believe();
    assert_eq!(home.search("allowlis").matched, 0);
    assert_eq!(home.search("denylist").matched, 18);
    assert_eq!(home.verify().wrong, 0);
    assert!(home.read("logs/a.mem") == forged);
}

/// Every path below a folder but those in `known`.
fn news(root: &Path, known: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let (mut all, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            all.insert(entry.path());
        }
    }
    all.difference(known).cloned().collect()
}

#[test]
fn what_is_written_is_private_and_in_known_places() {
    let home = Home::new();
    fs::create_dir_all(home.at("work/.git")).unwrap();
    home.write("work/b.jsonl", &turns(20..23));
    home.write("logs/a.jsonl", &turns(0..6));
    let stored = store(&home, 1, &home.at("project"));
    let known = news(home.root(), &BTreeSet::new());
    let stats = |path: &PathBuf| {
        let stat = fs::symlink_metadata(path).unwrap();
        (stat.is_file(), stat.len(), stat.mtime_nsec(), stat.mode())
    };
    let before: Vec<_> = known
        .iter()
        .filter(|path| path.is_file())
        .map(stats)
        .collect();

    let engine = home.engine();
    let all = [home.at("logs"), home.at("work"), home.at(STORE)];
    engine
        .search(&search("denylist", Logs::Below(all.to_vec())), &Quiet)
        .unwrap();
    engine.fold(&all, &Quiet).unwrap();
    engine.set_earlier(true).unwrap();
    // A sidecar that is damaged, and one whose place is taken.
    let mut damaged = home.read("logs/a.mem");
    *damaged.last_mut().unwrap() ^= 1;
    home.write("logs/a.mem", &damaged);
    let beside = stored.with_extension("mem");
    fs::remove_file(&beside).unwrap();
    fs::create_dir(&beside).unwrap();
    engine.fold(&all, &Quiet).unwrap();
    fs::remove_dir(&beside).unwrap();
    engine.rebuild(&all, &Quiet).unwrap();
    engine
        .cards(None, &Logs::File(home.at("work/b.jsonl")))
        .unwrap();
    engine.logs(&Logs::Everywhere).unwrap();
    engine.status().unwrap();

    assert_eq!(
        known
            .iter()
            .filter(|path| path.is_file())
            .map(stats)
            .collect::<Vec<_>>(),
        before,
        "a log was touched"
    );
    let dirs = home.dirs();
    let new = news(home.root(), &known);
    assert!(new.len() > 10, "{new:#?}");
    for path in &new {
        let stat = fs::symlink_metadata(path).unwrap();
        let expected = if stat.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(
            stat.permissions().mode() & 0o7777,
            expected,
            "{}",
            path.display()
        );
        let above = [&dirs.cache, &dirs.data, &dirs.config]
            .into_iter()
            .any(|dir| dir.starts_with(path));
        let is_sidecar = [
            home.at("logs/a.mem"),
            home.at("logs/a.mem.damaged"),
            beside.clone(),
        ]
        .contains(path);
        assert!(
            dirs.hold(path) || above || is_sidecar,
            "{} is out of place",
            path.display()
        );
    }

    engine.forget_sessions().unwrap();
    assert!(!beside.exists());
    for file in news(&dirs.cache, &BTreeSet::new()) {
        let rest = fs::read(&file).unwrap_or_default();
        let name = stored.file_stem().unwrap().as_encoded_bytes();
        assert!(
            !rest.windows(name.len()).any(|window| window == name),
            "{} remembers",
            file.display()
        );
    }
    assert_eq!(
        known
            .iter()
            .filter(|path| path.is_file())
            .map(stats)
            .collect::<Vec<_>>(),
        before,
        "a log was touched"
    );
}

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
            match engine.recall(&asked) {
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
        let (tail, _) =
            memfold_sidecar::fold_tail(&file, agent, sidecar.header().covered, checkpoint, &keys)
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
