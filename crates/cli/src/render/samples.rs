//! Answers made by hand, for the tests of what renders them.

use memfold::{
    AgentTally, Answer, AskedTally, CardCommand, Found, Hit, LogRow, MeasureReport, NumberedLine,
    NumberedNote, Ranked, Ranks, ReplayReport, ScopeTally, SearchKind, Tally, TurnCard,
};

use super::Look;
use crate::clock::Clock;

/// Plain text for a program, on the last day of November 2026 in Greenwich.
pub(super) fn look() -> Look {
    let clock = Clock::new(
        jiff::tz::TimeZone::UTC,
        "2026-11-30T10:00:00Z".parse().unwrap(),
    );
    Look {
        paint: false,
        width: None,
        clock,
        home: Some("/home/ada".into()),
        verbose: false,
        quiet: false,
    }
}

/// A terminal without colours.
pub(super) fn terminal(width: usize) -> Look {
    Look {
        width: Some(width),
        ..look()
    }
}

pub(super) fn hit() -> Hit {
    Hit {
        rank: 1,
        score: 12.31,
        task: "3f9a1c02-5d1e-4c7f-9b1a-000000000001".into(),
        address: "3f9a1c02:812".into(),
        agent: "claude-code",
        log: "/home/ada/.claude/projects/-api/3f9a1c02-5d1e-4c7f-9b1a-000000000001.jsonl".into(),
        seq: 812,
        turn: 14,
        kind: "result",
        time: Some("2026-10-02T09:14:03Z".into()),
        title: "Bash cargo test -p guard".into(),
        exit: Some(101),
        failed: true,
        card: "turn 14 · fix the denylist test".into(),
        turn_title: "fix the denylist test".into(),
        helper: None,
        lines: vec![NumberedLine {
            line: 31,
            text: "denylist::symlink … FAILED".into(),
        }],
        total_lines: 412,
        missing: Vec::new(),
        read: ["memfold", "recall", "3f9a1c02:812"]
            .map(str::to_owned)
            .to_vec(),
        provenance: "external:log",
        archived: false,
        abandoned: false,
    }
}

pub(super) fn answer(results: Vec<Hit>) -> Answer {
    Answer {
        schema: 1,
        scope: "earlier",
        project: "api".into(),
        query: "denylist symlink check".into(),
        words: ["denylist", "symlink", "check"].map(str::to_owned).to_vec(),
        ranked: Ranked {
            logs: 78,
            events: 17_663,
        },
        matched: results.len() as u64,
        weak: false,
        best_words: 3,
        complete: true,
        notes: Vec::new(),
        outdated: 0,
        results,
        micros: 12_345,
    }
}

pub(super) fn card() -> TurnCard {
    TurnCard {
        turn: 14,
        continued: false,
        open: false,
        abandoned: false,
        title: "fix the denylist test".into(),
        first_seq: 790,
        last_seq: 880,
        started: Some("2026-10-02T09:10:00Z".into()),
        ended: Some("2026-10-02T09:31:00Z".into()),
        read: vec!["src/guard.rs".into()],
        edited: vec!["src/denylist.rs".into(), "tests/denylist.rs".into()],
        commands: vec![
            CardCommand {
                line: "cargo test -p guard".into(),
                exit: Some(101),
                failed: true,
            },
            CardCommand {
                line: "cargo fmt".into(),
                exit: None,
                failed: false,
            },
        ],
        more: 2,
        calls: 42,
        errors: 3,
        closing: "The denylist now resolves links first.".into(),
        notes: vec![NumberedNote {
            seq: 850,
            text: "The person asked for".into(),
        }],
    }
}

pub(super) fn row() -> LogRow {
    LogRow {
        task: "3f9a1c02-5d1e-4c7f-9b1a-000000000001".into(),
        short: "3f9a1c02".into(),
        agent: "claude-code",
        path: "/home/ada/.claude/projects/-api/3f9a1c02-5d1e-4c7f-9b1a-000000000001.jsonl".into(),
        bytes: 2_149_000,
        time: Some("2026-10-02T09:31:00Z".into()),
        turns: Some(14),
        events: Some(812),
        sidecar: "current".into(),
        title: "fix the denylist test".into(),
        cwd: Some("/home/ada/api".into()),
        helper: None,
        archived: false,
        deleted_in_days: None,
    }
}

/// What was counted in the logs of two agents, with a replay.
pub(super) fn measured() -> MeasureReport {
    let mut claude = Tally {
        logs: 2,
        calls: 400,
        results: 398,
        result_bytes: 2_000_000,
        ..Tally::default()
    };
    for (kind, calls, bytes) in [
        (SearchKind::ShellGrep, 60, 300_000),
        (SearchKind::ToolNames, 20, 4_000),
        (SearchKind::Earlier, 1, 900),
    ] {
        claude.searches.insert(kind, Found { calls, bytes });
    }
    claude.expressions.searches = 60;
    claude.expressions.alternations = 34;
    claude.runs.runs = 9;
    claude.runs.searches = 41;
    claude.runs.longest = 8;
    claude.window.compactions = 2;
    claude.window.logs = 1;
    claude.window.results = 70;
    claude.repeated.calls = 6;
    claude.repeated.reads = 5;
    claude.reads.reads = 90;
    claude.reads.again = 40;
    claude.reads.edited = 10;
    claude.reads.elided = 6;
    claude.reads.same = 4;
    claude.reads.other = 20;
    let codex = Tally {
        logs: 1,
        calls: 3,
        ..Tally::default()
    };
    let mut total = claude.clone();
    total.add(&codex);
    let mut asked = AskedTally {
        recalls: 3,
        recalls_of_shown: 2,
        ..AskedTally::default()
    };
    let scope = ScopeTally {
        searches: 7,
        words: 21,
        weak: 1,
        empty: 2,
    };
    asked.searches.insert("earlier".into(), scope);
    let ranks = Ranks {
        followed: 30,
        replayed: 20,
        first: 10,
        five: 16,
        found_median: 4,
        found_most: 17,
    };
    MeasureReport {
        schema: 1,
        project: "api".into(),
        complete: true,
        notes: Vec::new(),
        total,
        agents: vec![
            AgentTally {
                agent: "claude-code",
                counted: claude,
            },
            AgentTally {
                agent: "codex",
                counted: codex,
            },
        ],
        asked: Some(asked),
        replay: Some(ReplayReport {
            root: "/home/ada/api".into(),
            files: 712,
            complete: true,
            expressions: ranks,
            alternations: ranks,
            ..ReplayReport::default()
        }),
    }
}
