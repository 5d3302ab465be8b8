//! Each agent end to end: its made-up log lies in its own store below a made-up home, is found there, named, folded,
//! searched, told turn by turn, read back, and gone on with.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

use md5::Digest;
use memfold::{Logs, Memfold, Quiet, Recall};
use memfold_tests::home::{Home, search};
use sha2::Sha256;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");

/// A made-up log, and what is known of it.
struct Found {
    agent: &'static str,
    /// In `corpus/`.
    log: &'static str,
    /// Below the home.
    at: &'static str,
    task: &'static str,
    title: &'static str,
    /// Words of one event, and its seq.
    query: &'static str,
    seq: u64,
    /// The command that continues the task, if the agent has one.
    resume: &'static [&'static str],
}

const ALL: &[Found] = &[
    Found {
        agent: "gemini",
        log: "gemini/turn.jsonl",
        at: ".gemini/tmp/api/chats/session-2026-05-04T10-00-6f2d1b80.jsonl",
        task: "6f2d1b80-4c3e-4a5f-9b7d-000000000001",
        title: "Resolve symlinks in the denylist.",
        query: "cargo test guard FAILED",
        seq: 6,
        resume: &["gemini", "--resume", "6f2d1b80-4c3e-4a5f-9b7d-000000000001"],
    },
    Found {
        agent: "gemini",
        log: "gemini/whole-file.json",
        at: ".gemini/tmp/api/chats/session-2026-05-04T10-00-6f2d1b80.json",
        task: "6f2d1b80-4c3e-4a5f-9b7d-000000000006",
        title: "Names without sharp s.",
        query: "src/names.rs created wrote",
        seq: 2,
        resume: &["gemini", "--resume", "6f2d1b80-4c3e-4a5f-9b7d-000000000006"],
    },
    Found {
        agent: "gemini",
        log: "gemini/sub-agent.jsonl",
        at: ".gemini/tmp/api/chats/6f2d1b80-4c3e-4a5f-9b7d-000000000001/k2j4x7.jsonl",
        task: "6f2d1b80-4c3e-4a5f-9b7d-000000000001/k2j4x7",
        title: "",
        query: "links resolved",
        seq: 5,
        resume: &[],
    },
    Found {
        agent: "pi",
        log: "pi/turn.jsonl",
        at: ".pi/agent/sessions/--work-api--/2026-05-05T11-00-00-000Z_7a3c5e10-2b4d-4f6a-8c9e-000000000001.jsonl",
        task: "7a3c5e10-2b4d-4f6a-8c9e-000000000001",
        title: "The last page",
        query: "cargo test pager FAILED last_page",
        seq: 6,
        resume: &["pi", "--session", "7a3c5e10-2b4d-4f6a-8c9e-000000000001"],
    },
    Found {
        agent: "pi",
        log: "pi/first-form.jsonl",
        at: ".omp/agent/sessions/--work-api--/2026-05-05T11-00-00-000Z_7a3c5e10-2b4d-4f6a-8c9e-000000000004.jsonl",
        task: "7a3c5e10-2b4d-4f6a-8c9e-000000000004",
        title: "",
        query: "there are twelve",
        seq: 5,
        resume: &["pi", "--session", "7a3c5e10-2b4d-4f6a-8c9e-000000000004"],
    },
    Found {
        agent: "qwen",
        log: "qwen/turn.jsonl",
        at: ".qwen/projects/-work-api/chats/1f2e3d4c-5b6a-4978-8a9b-000000000001.jsonl",
        task: "1f2e3d4c-5b6a-4978-8a9b-000000000001",
        title: "Twice built",
        query: "call built again gone",
        seq: 8,
        resume: &["qwen", "--resume", "1f2e3d4c-5b6a-4978-8a9b-000000000001"],
    },
    Found {
        agent: "copilot",
        log: "copilot/turn.jsonl",
        at: ".copilot/session-state/9b8a7c6d-5e4f-4a3b-8c2d-000000000001/events.jsonl",
        task: "9b8a7c6d-5e4f-4a3b-8c2d-000000000001",
        title: "The slow queue",
        query: "bench queue push 4.1",
        seq: 7,
        resume: &[
            "copilot",
            "--resume",
            "9b8a7c6d-5e4f-4a3b-8c2d-000000000001",
        ],
    },
    Found {
        agent: "copilot",
        log: "copilot/sub-agent.jsonl",
        at: ".copilot/session-state/9b8a7c6d-5e4f-4a3b-8c2d-000000000002.jsonl",
        task: "9b8a7c6d-5e4f-4a3b-8c2d-000000000002",
        title: "Where is the router?",
        query: "compaction router found",
        seq: 10,
        resume: &[
            "copilot",
            "--resume",
            "9b8a7c6d-5e4f-4a3b-8c2d-000000000002",
        ],
    },
    Found {
        agent: "droid",
        log: "droid/turn.jsonl",
        at: ".factory/sessions/-work-api/4d3c2b1a-0f9e-4d8c-9b7a-000000000001.jsonl",
        task: "4d3c2b1a-0f9e-4d8c-9b7a-000000000001",
        title: "A faster parser",
        query: "flamegraph perf not there",
        seq: 4,
        resume: &["droid", "--resume", "4d3c2b1a-0f9e-4d8c-9b7a-000000000001"],
    },
    Found {
        agent: "droid",
        log: "droid/sub-agent.jsonl",
        at: ".factory/sessions/4d3c2b1a-0f9e-4d8c-9b7a-000000000002.jsonl",
        task: "4d3c2b1a-0f9e-4d8c-9b7a-000000000001/4d3c2b1a-0f9e-4d8c-9b7a-000000000002",
        title: "",
        query: "there is one lexer",
        seq: 5,
        resume: &[],
    },
    Found {
        agent: "cursor",
        log: "cursor/turn.jsonl",
        at: ".cursor/projects/work-web/agent-transcripts/5e0c1a2b-3d4e-4f50-8a6b-000000000001/5e0c1a2b-3d4e-4f50-8a6b-000000000001.jsonl",
        task: "5e0c1a2b-3d4e-4f50-8a6b-000000000001",
        title: "Why does the form lose its focus?",
        query: "key changed each letter",
        seq: 5,
        resume: &[
            "cursor-agent",
            "--resume",
            "5e0c1a2b-3d4e-4f50-8a6b-000000000001",
        ],
    },
    Found {
        agent: "kimi",
        log: "kimi/wire.jsonl",
        at: ".kimi/sessions/e02ef1f35c06100f23b3faa4300003f5/2a1b0c9d-8e7f-4a6b-9c5d-000000000001/wire.jsonl",
        task: "2a1b0c9d-8e7f-4a6b-9c5d-000000000001",
        title: "Why is the cache cold?",
        query: "redis could not connect",
        seq: 7,
        resume: &["kimi", "--session", "2a1b0c9d-8e7f-4a6b-9c5d-000000000001"],
    },
    Found {
        agent: "kimi",
        log: "kimi/without-wire.jsonl",
        at: ".kimi/sessions/e02ef1f35c06100f23b3faa4300003f5/2a1b0c9d-8e7f-4a6b-9c5d-000000000002.jsonl",
        task: "2a1b0c9d-8e7f-4a6b-9c5d-000000000002",
        title: "Why is the cache cold?",
        query: "key held time",
        seq: 8,
        resume: &["kimi", "--session", "2a1b0c9d-8e7f-4a6b-9c5d-000000000002"],
    },
    Found {
        agent: "dsh",
        log: "dsh/session.jsonl",
        at: ".dsh/sessions/work-api/session-01hx/session.v4.jsonl",
        task: "session-01hx",
        title: "Why does the sort lose ties?",
        query: "cargo test sort ties FAILED",
        seq: 8,
        resume: &[],
    },
    Found {
        agent: "deepcode",
        log: "deepcode/turn.jsonl",
        at: ".deepcode/sessions/20260607080000-a1b2c3.v1.jsonl",
        task: "20260607080000-a1b2c3",
        title: "Retry the upload",
        query: "cargo test upload retry FAILED",
        seq: 4,
        resume: &[],
    },
    Found {
        agent: "deepcode",
        log: "deepcode/bare.jsonl",
        at: ".deepcode/sessions/20260101080000-z9y8x7.jsonl",
        task: "20260101080000-z9y8x7",
        title: "How often is it retried?",
        query: "three times",
        seq: 2,
        resume: &[],
    },
    Found {
        agent: "cline",
        log: "cline/tags.json",
        at: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1772445600000/api_conversation_history.json",
        task: "1772445600000",
        title: "fix the denylist test, the symlink check fails",
        query: "cargo test guard denylist FAILED",
        seq: 3,
        resume: &[],
    },
    Found {
        agent: "cline",
        log: "cline/blocks.json",
        at: ".cline/data/tasks/1772445600001/api_conversation_history.json",
        task: "1772445600001",
        title: "Which port does the preview use?",
        query: "port 4173 vite",
        seq: 3,
        resume: &[],
    },
    Found {
        agent: "roo",
        log: "roo/task.json",
        at: ".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/0199-aaaa-bbbb/api_conversation_history.json",
        task: "0199-aaaa-bbbb",
        title: "fix the denylist test, the symlink check fails",
        query: "cargo test guard denylist FAILED",
        seq: 5,
        resume: &[],
    },
    Found {
        agent: "amp",
        log: "amp/thread.json",
        at: ".local/share/amp/threads/T-019b9d03-62e3-772f-9780-3e637f90eaec.json",
        task: "T-019b9d03-62e3-772f-9780-3e637f90eaec",
        title: "Symlinks and the denylist",
        query: "cargo test guard denylist FAILED",
        seq: 3,
        resume: &[
            "amp",
            "threads",
            "continue",
            "T-019b9d03-62e3-772f-9780-3e637f90eaec",
        ],
    },
];

fn recall(engine: &Memfold, address: &str) -> memfold::Recalled {
    let recall = Recall {
        address: address.to_owned(),
        logs: Logs::Everywhere,
        start: 1,
        count: 100,
    };
    engine.recall(&recall, &Quiet).unwrap()
}

#[test]
fn every_agents_log_is_found_searched_and_read_back() {
    for found in ALL {
        let home = Home::new();
        let log = fs::read(Path::new(CORPUS).join(found.log)).unwrap();
        home.write(Path::new("home").join(found.at), &log);
        let engine = home.engine();

        // Without a sidecar, and with one; the second search reads what the first wrote.
        for when in ["cold", "warm"] {
            let rows = engine.logs(&Logs::Everywhere).unwrap().logs;
            let [row] = rows.as_slice() else {
                panic!("{}: {rows:#?}", found.at)
            };
            assert_eq!((row.agent, &*row.task), (found.agent, found.task), "{when}");
            let answer = engine
                .search(&search(found.query, Logs::Everywhere), &Quiet)
                .unwrap();
            assert_eq!(answer.notes, Vec::<String>::new(), "{}", found.at);
            assert!(answer.complete);
            let best = answer
                .results
                .first()
                .unwrap_or_else(|| panic!("{}: nothing found", found.at));
            assert_eq!(
                (best.seq, best.agent),
                (found.seq, found.agent),
                "{} {when}",
                found.log
            );
            let event = recall(&engine, &best.address);
            assert_eq!(event.seq, found.seq);
            for line in &best.lines {
                assert!(
                    event.lines.contains(line) || line.text.contains('…'),
                    "{line:?} in {event:#?}"
                );
            }
        }
        let row = engine.logs(&Logs::Everywhere).unwrap().logs.remove(0);
        assert_eq!(row.sidecar, "current");
        if !found.title.is_empty() {
            assert_eq!(row.title, found.title, "{}", found.at);
        }
        let cards = engine.cards(Some(found.task), &Logs::Everywhere).unwrap();
        assert!(!cards.cards.is_empty());
        let resumed = engine.resume(found.task);
        let command = resumed.as_ref().map(|resumed| resumed.command.as_slice());
        assert_eq!(command.unwrap_or_default(), found.resume, "{}", found.at);
        let verified = engine.verify(&[home.at("home")], &Quiet).unwrap();
        assert_eq!(verified.wrong, 0, "{verified:#?}");
    }
}

#[test]
fn every_agent_that_has_a_store_is_among_them() {
    let home = Path::new("/home/nobody");
    for agent in memfold_agents::all() {
        if !agent.stores(&|_| None, Some(home)).is_empty() {
            let has = |name: &str| ALL.iter().any(|found| found.agent == name);
            // The first two have suites of their own, and so have sessions of databases.
            assert!(
                matches!(agent.name(), "claude-code" | "codex")
                    || agent.tables().is_some()
                    || has(agent.name()),
                "{}",
                agent.name()
            );
        }
    }
}

/// The tasks of the project's logs.
fn of_project(home: &Home) -> Vec<String> {
    let logs = home.engine().logs(&Logs::Project).unwrap().logs;
    logs.into_iter().map(|row| row.task).collect()
}

// Gemini CLI names a project by the hash of its path or by a short name, which files beside the logs explain.
#[test]
fn geminis_projects_are_told_by_hash_mark_and_registry() {
    let log = fs::read(Path::new(CORPUS).join("gemini/turn.jsonl")).unwrap();
    let of = |home: &Home, folder: &str| {
        home.write(
            format!("home/.gemini/tmp/{folder}/chats/session-2026-05-04T10-00-6f2d1b80.jsonl"),
            &log,
        );
    };
    let home = Home::new();
    let project = home.at("project").display().to_string();
    let hash: String = Sha256::digest(project.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    of(&home, "other");
    assert_eq!(of_project(&home), Vec::<String>::new());
    of(&home, &hash);
    assert_eq!(of_project(&home).len(), 1);

    let home = Home::new();
    of(&home, "project");
    let project = home.at("project").display().to_string();
    home.write("home/.gemini/tmp/project/.project_root", project.as_bytes());
    assert_eq!(of_project(&home).len(), 1);
    let command = home
        .engine()
        .resume("6f2d1b80-4c3e-4a5f-9b7d-000000000001")
        .unwrap();
    assert_eq!(command.directory, Some(project));

    let home = Home::new();
    of(&home, "short");
    of(&home, "other");
    let registry = serde_json::json!({ "projects": { home.at("project/deeper").display().to_string(): "short", "/x": "other" } });
    home.write(
        "home/.gemini/projects.json",
        registry.to_string().as_bytes(),
    );
    assert_eq!(of_project(&home).len(), 1);
}

// Kimi CLI names it by another hash; Cursor by the directory's letters and digits alone.
#[test]
fn other_hosts_projects_are_told_by_their_folders() {
    let home = Home::new();
    let project = home.at("project").display().to_string();
    let wire = fs::read(Path::new(CORPUS).join("kimi/wire.jsonl")).unwrap();
    let hash: String = md5::Md5::digest(project.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    home.write(format!("home/.kimi/sessions/{hash}/k1/wire.jsonl"), &wire);
    home.write("home/.kimi/sessions/0123/k2/wire.jsonl", &wire);
    let transcript = fs::read(Path::new(CORPUS).join("cursor/turn.jsonl")).unwrap();
    let folder = project
        .trim_start_matches('/')
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    for folder in [folder.as_str(), "elsewhere"] {
        home.write(
            format!("home/.cursor/projects/{folder}/agent-transcripts/c1/c1.jsonl"),
            &transcript,
        );
    }
    let mut tasks = of_project(&home);
    tasks.sort();
    assert_eq!(tasks, ["c1", "k1"]);
}

// Of a log that is told twice, the fuller telling counts.
#[test]
fn a_task_that_is_told_twice_counts_once() {
    let home = Home::new();
    let copy = |log: &str, at: &str| {
        home.write(
            Path::new("home").join(at),
            &fs::read(Path::new(CORPUS).join(log)).unwrap(),
        );
    };
    copy(
        "kimi/without-wire.jsonl",
        ".kimi/sessions/ab/k1/context.jsonl",
    );
    copy("deepcode/bare.jsonl", ".deepcode/sessions/d1.jsonl");
    let agents = || {
        let rows = home.engine().logs(&Logs::Everywhere).unwrap().logs;
        let mut names: Vec<_> = rows
            .into_iter()
            .map(|row| row.path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(agents(), ["context.jsonl", "d1.jsonl"]);
    copy("kimi/wire.jsonl", ".kimi/sessions/ab/k1/wire.jsonl");
    copy("deepcode/turn.jsonl", ".deepcode/sessions/d1.v1.jsonl");
    assert_eq!(agents(), ["d1.v1.jsonl", "wire.jsonl"]);
}

#[test]
fn compressed_sessions_of_frames_are_read() {
    let home = Home::new();
    let log = fs::read(Path::new(CORPUS).join("dsh/session.jsonl")).unwrap();
    // The host writes a frame for each batch.
    let frames: Vec<u8> = log
        .split_inclusive(|byte| *byte == b'\n')
        .flat_map(|line| zstd::encode_all(line, 3).unwrap())
        .collect();
    home.write(
        "home/.dsh/sessions/p/session-01hx/session.jsonl.zstd",
        &frames,
    );
    let answer = home
        .engine()
        .search(&search("ties FAILED", Logs::Everywhere), &Quiet)
        .unwrap();
    assert_eq!((answer.results[0].seq, answer.results[0].agent), (8, "dsh"));
}

// A host that goes on with a whole-file log as lines leaves the file behind.
#[test]
fn a_log_that_goes_on_as_lines_counts_once() {
    let home = Home::new();
    let whole = fs::read(Path::new(CORPUS).join("gemini/whole-file.json")).unwrap();
    let path = home.write("home/.gemini/tmp/api/chats/session-a.json", &whole);
    let before = home
        .engine()
        .search(&search("sharp names", Logs::Everywhere), &Quiet)
        .unwrap();
    let lines = fs::read(Path::new(CORPUS).join("gemini/turn.jsonl")).unwrap();
    fs::write(path.with_extension("jsonl"), lines).unwrap();
    let after = home
        .engine()
        .search(&search("sharp names", Logs::Everywhere), &Quiet)
        .unwrap();
    assert_eq!((before.ranked.logs, after.ranked.logs), (1, 1));
    assert_eq!(after.results.len(), 0);
    let tasks: Vec<_> = home.engine().logs(&Logs::Everywhere).unwrap().logs;
    assert_eq!(tasks.len(), 1);
    assert!(tasks[0].path.ends_with("session-a.jsonl"));
}

#[test]
fn a_whole_file_that_is_rewritten_or_cut_is_folded_again() {
    let home = Home::new();
    let whole = fs::read(Path::new(CORPUS).join("gemini/whole-file.json")).unwrap();
    let at = "home/.gemini/tmp/api/chats/session-a.json";
    // How many events there are, what holds the word, and what is said.
    let asked = |word: &str| {
        let query = search(word, Logs::Everywhere);
        let answer = home.engine().search(&query, &Quiet).unwrap();
        let holds = |hit: &memfold::Hit| hit.missing.is_empty();
        let seqs: Vec<_> = answer
            .results
            .iter()
            .filter(|hit| holds(hit))
            .map(|hit| hit.seq)
            .collect();
        (answer.ranked.events, seqs, answer.notes)
    };
    home.write(at, &whole);
    assert_eq!(asked("translate"), (3, vec![1], vec![]));
    let mut more: serde_json::Value = serde_json::from_slice(&whole).unwrap();
    more["lastUpdated"] = "2026-05-04T10:31:00.000Z".into();
    more["messages"]
        .as_array_mut()
        .unwrap()
        .push(serde_json::json!({ "id": "m9", "type": "user",
        "timestamp": "2026-05-04T10:30:00.000Z", "content": "Undo the zebra." }));
    let more = serde_json::to_vec_pretty(&more).unwrap();
    home.write(at, &more);
    assert_eq!(asked("zebra"), (4, vec![4], vec![]));
    // The host is at it: what is whole is found, and what is wrong is said.
    home.write(at, &more[..more.len() / 2]);
    let (events, _, notes) = asked("translate");
    assert!((1..4).contains(&events), "{events} {notes:?}");
    assert!(notes.iter().any(|note| note.contains("cut")), "{notes:?}");
    home.write(at, &whole);
    assert_eq!(asked("translate"), (3, vec![1], vec![]));
}

#[test]
fn what_a_task_went_back_behind_is_ranked_and_marked() {
    let home = Home::new();
    let log = fs::read(Path::new(CORPUS).join("gemini/rewind.jsonl")).unwrap();
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let marked = |lines: &[&[u8]], fold: bool| {
        home.write(
            "home/.gemini/tmp/api/chats/session-a.jsonl",
            &lines.concat(),
        );
        if fold {
            home.engine().fold(&[home.at("home")], &Quiet).unwrap();
        }
        let answer = home
            .engine()
            .search(&search("reader pages ring cache", Logs::Everywhere), &Quiet)
            .unwrap();
        let mut marked: Vec<_> = answer
            .results
            .iter()
            .map(|hit| (hit.seq, hit.abandoned))
            .collect();
        marked.sort_unstable();
        let cards = engine_cards(&home);
        (marked, cards)
    };
    for fold in [false, true] {
        assert_eq!(
            marked(&lines[..9], fold).0,
            [(2, false), (4, false), (6, false), (8, false)]
        );
        // The rewind alone, without a word after it.
        let (events, cards) = marked(&lines[..10], fold);
        assert_eq!(events, [(2, false), (4, false), (6, true), (8, true)]);
        assert_eq!(cards, [(1, false), (2, true)]);
        let (events, cards) = marked(&lines[..14], fold);
        assert_eq!(
            events,
            [
                (2, false),
                (4, false),
                (6, true),
                (8, true),
                (11, false),
                (13, false)
            ]
        );
        assert_eq!(cards, [(1, false), (2, true), (3, false)]);
        // Behind a message that is not there: from the beginning.
        let (_, cards) = marked(&lines, fold);
        assert_eq!(cards, [(1, true), (2, true), (3, true), (4, false)]);
    }
    let event = recall(&home.engine(), "6f2d1b80-4c3e-4a5f-9b7d-000000000002:6");
    assert!(event.abandoned && event.card.unwrap().abandoned);
}

/// Each turn's number, and whether it is abandoned.
fn engine_cards(home: &Home) -> Vec<(u32, bool)> {
    let cards = home.engine().cards(None, &Logs::Everywhere).unwrap().cards;
    cards
        .iter()
        .map(|card| (card.turn, card.abandoned))
        .collect()
}
