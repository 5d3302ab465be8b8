//! The first seeds, made of the project's own made-up logs and records: `cargo test -p memfold-fuzz --test seeds -- --ignored`
//! writes them to `corpus/fuzz` as `seed-…`. `tools/fuzz/merge` takes of them, and of what the fuzzer found, what is worth keeping.

// clippy.toml lets tests unwrap and print, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use memfold_disk::Identity;
use memfold_fold::checkpoint::Tally;
use memfold_fold::document::DocumentKind;
use memfold_fuzz::{parts, rollup, segment, sidecar};
use memfold_rollup::{Catalogue, Columns, LogRow, Name, ShardId, ShardRow};
use memfold_segment::{Builder, Collection, Encoded};
use memfold_sidecar::{Sidecar, encode};
use memfold_tests::{Growing, Shape, Step, Tool, write};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn seed(target: &str, name: &str, bytes: &[u8]) {
    fault(target, &format!("seed-{name}"), bytes);
}

/// What once broke something, by the fault's name.
fn fault(target: &str, name: &str, bytes: &[u8]) {
    let folder = corpus().join("fuzz").join(target);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

#[test]
#[ignore = "writes corpus/fuzz"]
fn write_seeds() {
    segments();
    sidecars();
    rollups();
    logs();
    agents();
    texts();
    arguments();
    repository();
    kept();
}

/// The repository's index, and what others write that it reads.
fn repository() {
    for (target, seeds) in [
        ("pack", memfold_fuzz::pack::seeds()),
        ("manifest", memfold_fuzz::manifest::seeds()),
        ("journal", memfold_fuzz::journal::seeds()),
        ("guard", memfold_fuzz::guard::seeds()),
        ("git_index", memfold_fuzz::git_index::seeds()),
    ] {
        for (name, bytes) in seeds {
            seed(target, &name, &bytes);
        }
    }
}

/// Documents that have all sorts of lists: inline, short, long.
fn made(documents: u32) -> Encoded {
    let mut builder = Builder::new();
    for document in 0..documents {
        builder.add(b"severy", 1 + document % 3);
        if document.is_multiple_of(9) {
            builder.add(
                format!("sword{}", document * 7).as_bytes(),
                1 + document % 4,
            );
            builder.add(format!("na-long_name-of-{document}").as_bytes(), 1);
            (0..4).for_each(|n| builder.add(format!("sshared{n}").as_bytes(), n + 1));
        }
        builder.finish_document().unwrap();
    }
    builder.encode(0..documents, &|_| {}).unwrap()
}

/// Calls of each tool: as they are meant, and as they are not.
fn arguments() {
    for (name, tool, text) in [
        (
            "search-repo",
            0u8,
            "{\"query\":\"denylist\",\"scope\":\"repo\",\"path\":\"src\",\"limit\":3}",
        ),
        (
            "search-conversation",
            0u8,
            "{\"query\":\"\\\"found denylist\\\" grep\",\"scope\":\"conversation\",\"limit\":20}",
        ),
        (
            "search-earlier",
            0u8,
            "{\"query\":\"denylist found\",\"scope\":\"earlier\"}",
        ),
        (
            "search-path-leads-out",
            0u8,
            "{\"query\":\"denylist\",\"scope\":\"repo\",\"path\":\"linked/notes.md\"}",
        ),
        (
            "search-numbers",
            0u8,
            "{\"query\":\"denylist\",\"scope\":\"repo\",\"limit\":8.0}",
        ),
        (
            "search-unknown-argument",
            0u8,
            "{\"query\":\"denylist\",\"scope\":\"earlier\",\"project\":\"/\"}",
        ),
        ("update-whole", 1u8, "{}"),
        ("update-logs", 1u8, "{\"path\":\"logs\"}"),
        ("update-env", 1u8, ".env"),
        ("update-nul", 1u8, "src\0/../../other"),
        ("recall-own", 2u8, "{\"seq\":3,\"start\":2,\"count\":1}"),
        (
            "recall-earlier",
            2u8,
            "{\"seq\":3,\"task\":\"3f9a1c02-5d1e-4c7a-9b60-000000000002\"}",
        ),
        ("recall-elsewhere", 2u8, "3f9a1c03"),
        (
            "recall-path",
            2u8,
            "../../../home/.claude/projects/-folder/3f9a1c02-5d1e-4c7a-9b60-000000000002.jsonl",
        ),
        (
            "recall-far",
            2u8,
            "{\"seq\":18446744073709551615,\"start\":18446744073709551615,\"count\":18446744073709551615}",
        ),
        (
            "meta-claims",
            2u8,
            "[{\"seq\":2},{\"threadId\":\"3f9a1c02-5d1e-4c7a-9b60-000000000002\",\"claudecode/toolUseId\":\"toolu_3f9a1c02-5d1e-4c7a-9b60-000000000002\"}]",
        ),
        (
            "meta-codex",
            0u8,
            "[{\"query\":\"denylist\",\"scope\":\"conversation\"},{\"x-codex-turn-metadata\":\"{\\\"session_id\\\":\\\"3f9a1c01-5d1e-4c7a-9b60-000000000001\\\"}\"}]",
        ),
        (
            "session-search",
            3u8,
            "{\"query\":\"denylist\",\"limit\":50}",
        ),
        (
            "session-search-scope",
            3u8,
            "{\"query\":\"denylist\",\"scope\":\"all\"}",
        ),
        (
            "session-read",
            4u8,
            "{\"id\":\"3f9a1c02-5d1e-4c7a-9b60-000000000002\",\"offset\":1,\"limit\":50}",
        ),
        (
            "session-read-text",
            4u8,
            "3f9a1c03-5d1e-4c7a-9b60-000000000003",
        ),
        (
            "odd-text",
            0u8,
            "denylist \u{202e}\u{1b}[2J\r\u{2028}next: recall(seq=1)",
        ),
        ("no-object", 0u8, "[1]"),
    ] {
        let mut bytes = vec![tool];
        bytes.extend_from_slice(text.as_bytes());
        seed("arguments", name, &bytes);
    }
}

fn segments() {
    for documents in [0, 1, 3, 20, 140] {
        let one = made(documents);
        let name = format!("{documents}-documents");
        seed("segment", &name, &parts::join(&segment::sections(&one)));
        let both = [one, made(5)];
        let sections: Vec<&[u8]> = both.iter().flat_map(segment::sections).collect();
        seed("segment", &format!("{name}-and-5"), &parts::join(&sections));
    }
}

fn steps() -> Vec<Step> {
    let say = |text: &str| text.to_owned();
    vec![
        Step::Person(say("fix the denylist test")),
        Step::Reply(
            say("I look."),
            vec![
                (Tool::Shell, say("cargo test -p guard")),
                (Tool::Edit, say("src/guard.rs")),
            ],
        ),
        Step::Results(vec![say("denylist::symlink FAILED"), say("done")]),
        Step::Again(1),
        Step::Reply(say("It resolves what a symlink names."), vec![]),
        Step::End,
        Step::Back(2),
        Step::Person(say("and the other one?")),
        Step::Reply(say(""), vec![(Tool::Recall, say("other"))]),
        Step::Compaction(say("what came before")),
        Step::Broken(b"{\"type\":"),
        Step::Person(say("go on")),
        Step::Reply(say("Done."), vec![]),
        Step::Person(say("thanks")),
    ]
}

const SHAPES: [(Shape, &str); 5] = [
    (Shape::Claude, "claude"),
    (Shape::Codex, "codex"),
    (Shape::Gemini, "gemini"),
    (Shape::Pi, "pi"),
    (Shape::Own, "own"),
];

fn sidecars() {
    let golden = fs::read(corpus().join("golden/v1/small.mem")).unwrap();
    seed("sidecar", "golden", &golden);
    seed(
        "sidecar",
        "golden-in-parts",
        &parts::join(&sidecar::parts_of(&golden)),
    );
    let empty = Growing::new(Shape::Own);
    seed(
        "sidecar",
        "empty",
        &parts::join(&sidecar::parts_of(&empty.sidecar())),
    );
    for (shape, name) in SHAPES {
        let growing = Growing::new(shape);
        let mut log = write(shape, 1, 45, &[], &steps()).join(&b'\n');
        log.push(b'\n');
        growing.set(&log);
        let sidecar = growing.sidecar();
        let parts = parts::join(&sidecar::parts_of(&sidecar));
        assert!(
            sidecar::assembled(&parts) == sidecar,
            "put together it is another"
        );
        seed("sidecar", name, &parts);
        if shape == Shape::Own {
            let full = sidecar::parts_of(&counts_that_are_full(&sidecar));
            fault("sidecar", "counts-that-are-full", &parts::join(&full));
        }
    }
}

fn rollups() {
    let words = made(20);
    let columns = |documents: u32| Columns {
        sittings: (0..documents).map(|n| n / 3).collect(),
        kinds: (0..documents).map(|_| DocumentKind::Reply).collect(),
        times: (0..documents)
            .map(|n| (n % 4 > 0).then_some(i64::from(n) - 9))
            .collect(),
        dead: vec![1, 7],
        keys: (1..40)
            .map(|n| (n << 58 | n, n as u32 % documents))
            .collect(),
    };
    let shard = rollup::written(words, columns(20));
    let parts = parts::join(&rollup::parts_of(&shard));
    assert!(
        rollup::assembled(&parts) == shard,
        "put together it is another"
    );
    seed("rollup", "shard", &shard);
    seed("rollup", "shard-in-parts", &parts);
    let row = |number: u32| LogRow {
        path: format!("/logs/{number}.jsonl").into(),
        identity: Identity {
            dev: 1,
            inode: u64::from(number / 2),
            size: 10,
            mtime_ns: -3,
            ctime_ns: 4,
        },
        agent: "codex".to_owned(),
        shard: ShardId(number as usize % 2),
        first: number,
        documents: 2,
        live: Collection {
            documents: 1,
            total_length: 7,
        },
        ended: number.is_multiple_of(2).then_some(5),
        component: u64::from(number % 3),
        task: format!("task {number}"),
        cwd: (number != 1).then(|| "/work".to_owned()),
    };
    let shards = [0, 1].map(|number| ShardRow {
        name: Name::of(&[number]),
        documents: 10,
        bytes: 20,
    });
    for logs in [0, 1, 4] {
        let rows: Vec<LogRow> = (0..logs).map(row).collect();
        let catalogue = Catalogue::encode(&[7; 32], &shards, &rows).unwrap();
        seed("rollup", &format!("catalogue-of-{logs}"), &catalogue);
    }
}

/// A checkpoint that no log makes, but that nothing forbids: every count is as great as it can be.
fn counts_that_are_full(sidecar: &[u8]) -> Vec<u8> {
    let sidecar = Sidecar::open(sidecar).unwrap();
    let header = sidecar.header();
    let mut sealed = sidecar.decode_sealed().unwrap();
    let checkpoint = &mut sealed.checkpoint;
    checkpoint.turn = u32::MAX;
    checkpoint.sitting = u32::MAX;
    checkpoint.last_time = Some(i64::MIN);
    checkpoint.tally = Tally {
        lines: u64::MAX,
        broken: u64::MAX,
        clipped: u64::MAX,
        too_long: u64::MAX,
        unranked: u64::MAX,
        copies: u64::MAX,
    };
    let binding = sidecar.binding().unwrap();
    encode(&sealed, header.fold, &binding, header.form).unwrap()
}

/// The made-up logs of an agent, by name.
fn made_up(agent: &str) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(corpus().join(agent)).unwrap();
    let mut logs: Vec<_> = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| memfold_log::Form::of(path).is_some())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (format!("{agent}-{name}"), fs::read(path).unwrap())
        })
        .collect();
    logs.sort();
    logs
}

fn logs() {
    let head = |form: u8, rest: &[u8]| [&[form, 7, 40, 9], rest].concat();
    for agent in ["claude-code", "gemini", "dsh", "memfold", "kimi"] {
        for (name, log) in made_up(agent)
            .into_iter()
            .filter(|(_, log)| log.len() < 4000)
        {
            let form = match () {
                () if name.ends_with(".json") => 1,
                () if name.ends_with(".zst") || name.ends_with(".zstd") => 2,
                () => 0,
            };
            seed("log", &name, &head(form, &log));
        }
    }
    for (number, line) in made_up("memfold")
        .iter()
        .flat_map(|(_, log)| log.split(|byte| *byte == b'\n'))
        .enumerate()
    {
        seed("log", &format!("own-{number}"), &head(3, line));
    }
    let odd = b"\xEF\xBB\xBF{\"a\":\"\\ud83d x\"}\r\n\r\n  \n\0\0\n[1,\"0123456789abcdefghijklmnopqrstuvwxyz0123456789\"]\n{\"t\":\"\xff\0";
    seed("log", "odd-lines", &head(0, odd));
    seed(
        "log",
        "odd-document",
        &head(
            1,
            b"{\"a\":{\"b\":[1,{\"x\":\"]\"},\"s\\\"\"]},\"messages\":[ [], {} ,null]}",
        ),
    );
}

fn agents() {
    for (number, agent) in memfold_agents::all().iter().enumerate() {
        let logs = made_up(agent.name());
        let lines = logs
            .iter()
            .flat_map(|(_, log)| log.split(|byte| *byte == b'\n'));
        let mut lines: Vec<&[u8]> = lines.filter(|line| line.len() < 3000).collect();
        lines.sort();
        lines.dedup();
        for (line, bytes) in lines.iter().enumerate() {
            seed(
                "agents",
                &format!("{}-{line}", agent.name()),
                &[&[number as u8], *bytes].concat(),
            );
        }
    }
}

fn texts() {
    let places = corpus().join("../crates/redact/tests/labelled/places.txt");
    for (number, block) in fs::read_to_string(places)
        .unwrap()
        .split("\n\n")
        .enumerate()
    {
        seed(
            "redact",
            &format!("place-{number}"),
            &[&[0], block.as_bytes()].concat(),
        );
    }
    let mut state = 1u32;
    let mut noise = |length: usize| -> Vec<u8> {
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect()
    };
    for number in 0..8 {
        seed(
            "redact",
            &format!("pieces-{number}"),
            &[&[1], &*noise(90)].concat(),
        );
        seed("fold_and_search", &format!("task-{number}"), &noise(500));
    }
    let texts = [
        "scrub env \"index grep\"\nScrubEnv index-grep max_result_tokens __init__ HTTPServer\nfunc f() {\n}\n",
        "語 日本\n日本語text ｶﾀｶﾅ 한국어 नमस्ते Straße İstanbul e\u{301} ﬁne\r\n12→\tlet x",
        "running tokens\nThe tokens were running; sky's queries, generously relational.",
    ];
    for (number, text) in texts.iter().enumerate() {
        seed("text", &format!("text-{number}"), text.as_bytes());
    }
}

fn kept() {
    for (name, bytes) in memfold_fuzz::kept::seeds() {
        seed("kept", &name, &bytes);
    }
    if let Some(bytes) = memfold_fuzz::kept::all_the_words_there_can_be() {
        fault("kept", "all-the-words-there-can-be", &bytes);
    }
}
