//! Counts over logs of Claude Code that were written for them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use memfold_log::Seq;
use memfold_measure::{Kind, Measured, Seen, Task};
use serde_json::{Value, json};

/// A log in the making.
#[derive(Default)]
struct Log {
    lines: Vec<Value>,
    calls: usize,
}

impl Log {
    fn line(&mut self, kind: &str, more: Value) -> &mut Log {
        let number = self.lines.len() + 1;
        let mut line = json!({
            "type": kind, "uuid": format!("u{number}"), "sessionId": "3f9a1c02-5d1e-4c7a-9b60-0a1b2c3d4e5f", "cwd": "/p",
            "timestamp": format!("2026-10-02T09:{:02}:{:02}.000Z", number / 60, number % 60),
        });
        for (key, value) in more.as_object().unwrap() {
            line[key] = value.clone();
        }
        self.lines.push(line);
        self
    }

    fn person(&mut self, text: &str) -> &mut Log {
        self.line(
            "user",
            json!({ "message": { "role": "user", "content": text } }),
        )
    }

    /// A call and its result.
    fn did(&mut self, tool: &str, input: Value, result: &str) -> &mut Log {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        self.line("assistant", json!({ "requestId": format!("r{id}"), "message": { "id": format!("m{id}"), "role": "assistant",
            "content": [{ "type": "tool_use", "id": id, "name": tool, "input": input }] } }));
        self.line(
            "user",
            json!({ "message": { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": result }] } }),
        )
    }

    fn bash(&mut self, command: &str, result: &str) -> &mut Log {
        self.did("Bash", json!({ "command": command }), result)
    }

    fn read(&mut self, path: &str, offset: usize) -> &mut Log {
        self.did(
            "Read",
            json!({ "file_path": path, "offset": offset }),
            "text",
        )
    }

    fn compaction(&mut self) -> &mut Log {
        self.line("user", json!({ "isCompactSummary": true, "message": { "role": "user", "content": "It went on." } }))
    }

    /// The results of the last so many calls are cleared.
    fn cleared(&mut self, calls: &[usize]) -> &mut Log {
        let calls: Vec<String> = calls.iter().map(|call| format!("c{call}")).collect();
        self.line(
            "system",
            json!({ "subtype": "microcompact_boundary", "content": "Context microcompacted",
            "microcompactMetadata": { "trigger": "auto", "compactedToolIds": calls } }),
        )
    }

    fn measured_after(&self, seen: &mut Seen) -> Measured {
        let agent = memfold_agents::by_name("claude-code").unwrap();
        let mut task = Task::new(seen);
        let mut seq = Seq::FIRST;
        for line in &self.lines {
            task.line(seq, &agent.read(line.to_string().as_bytes()).unwrap());
            seq = seq.next();
        }
        task.finish()
    }

    fn measured(&self) -> Measured {
        self.measured_after(&mut Seen::default())
    }
}

#[test]
fn searches_by_kind_with_their_bytes() {
    let mut log = Log::default();
    log.person("where is it?")
        .bash("grep -rn 'one\\|two\\|three' src", "src/a.rs:1:one")
        .did("Grep", json!({ "pattern": "one" }), "")
        .did("Glob", json!({ "pattern": "*.rs" }), "a.rs\nb.rs")
        .bash("cargo test | grep FAILED", "12345")
        .did(
            "mcp__memfold__index-search",
            json!({ "query": "denylist", "scope": "earlier" }),
            "x",
        );
    let tally = log.measured().tally;
    assert_eq!((tally.calls, tally.results), (5, 5));
    let counted: Vec<_> = tally
        .searches
        .iter()
        .map(|(kind, found)| (*kind, found.calls, found.bytes))
        .collect();
    assert_eq!(
        counted,
        [
            (Kind::ShellGrep, 1, 14),
            (Kind::ToolGrep, 1, 0),
            (Kind::ToolNames, 1, 9),
            (Kind::Earlier, 1, 1)
        ]
    );
    assert_eq!(
        (tally.expressions.searches, tally.expressions.alternations),
        (2, 1)
    );
    assert_eq!(tally.all_searches().bytes, 24);
    assert_eq!(tally.memory_searches(), 1);
    assert_eq!(tally.result_bytes, 29);
}

#[test]
fn a_run_is_three_searches_with_nothing_between() {
    let mut log = Log::default();
    let search = |log: &mut Log, times: usize| {
        for number in 0..times {
            log.bash(&format!("rg word{number}"), "/p/a.rs:1:x");
        }
    };
    search(log.person("a"), 2);
    search(log.person("b"), 1);
    log.bash("ls", "");
    search(&mut log, 4);
    log.read("/p/a.rs", 1);
    search(&mut log, 3);
    let measured = log.measured();
    let runs = measured.tally.runs;
    assert_eq!((runs.runs, runs.searches, runs.longest), (2, 7, 4));
    assert_eq!(measured.chains.len(), 1);
    assert_eq!(
        (&*measured.chains[0].first, &*measured.chains[0].file),
        ("word0", "/p/a.rs")
    );
    assert_eq!(measured.chains[0].all, "word0 word1 word2 word3");
}

#[test]
fn calls_made_again_after_their_result_left() {
    let mut log = Log::default();
    log.person("go")
        .bash("git status", "clean") // 1
        .read("/p/a.rs", 1) // 2
        .read("/p/b.rs", 1) // 3
        .bash("git status", "clean") // in the window
        .compaction()
        .bash("git status", "clean") // repeated
        .read("/p/a.rs", 1) // repeated, a read
        .did(
            "Edit",
            json!({ "file_path": "/p/b.rs", "old_string": "a", "new_string": "b" }),
            "ok",
        )
        .read("/p/b.rs", 1) // edited since
        .read("/p/a.rs", 2) // other lines
        .bash("git status", "clean"); // in the window again
    let tally = log.measured().tally;
    assert_eq!((tally.repeated.calls, tally.repeated.reads), (2, 1));
    assert_eq!(
        (
            tally.window.compactions,
            tally.window.results,
            tally.window.logs
        ),
        (1, 4, 1)
    );
    let reads = tally.reads;
    assert_eq!((reads.reads, reads.again), (5, 3));
    assert_eq!(
        (reads.edited, reads.elided, reads.same, reads.other),
        (1, 1, 0, 1)
    );
}

#[test]
fn a_compaction_that_leaves_no_note() {
    let agent = memfold_agents::by_name("codex").unwrap();
    let call = |id: &str| {
        json!({ "timestamp": "2026-10-02T09:00:00.000Z", "type": "response_item", "payload": { "type": "function_call",
            "name": "exec_command", "call_id": id, "arguments": "{\"cmd\":\"cat a.rs\"}" } })
    };
    let output = json!({ "timestamp": "2026-10-02T09:00:01.000Z", "type": "response_item", "payload": {
        "type": "function_call_output", "call_id": "c1", "output": "text" } });
    let compacted = json!({ "timestamp": "2026-10-02T09:00:02.000Z", "type": "compacted", "payload": { "message": "",
        "replacement_history": [{ "type": "message" }] } });
    let mut seen = Seen::default();
    let mut task = Task::new(&mut seen);
    let mut seq = Seq::FIRST;
    for line in [call("c1"), output, compacted, call("c2")] {
        task.line(seq, &agent.read(line.to_string().as_bytes()).unwrap());
        seq = seq.next();
    }
    let tally = task.finish().tally;
    assert_eq!((tally.window.compactions, tally.window.results), (1, 1));
    assert_eq!((tally.repeated.calls, tally.repeated.reads), (1, 1));
}

#[test]
fn a_host_that_clears_single_results() {
    let mut log = Log::default();
    log.person("go")
        .read("/p/a.rs", 1) // 1, result on line 3
        .read("/p/b.rs", 1) // 2, result on line 5
        .cleared(&[1])
        .did("recall", json!({ "seq": 3 }), "text")
        .did("recall", json!({ "seq": 5 }), "text")
        .did("recall", json!({ "seq": 5, "task": "77aa0011" }), "text")
        .read("/p/a.rs", 1)
        .read("/p/b.rs", 1);
    let tally = log.measured().tally;
    assert_eq!(
        (
            tally.window.clearings,
            tally.window.compactions,
            tally.window.results
        ),
        (1, 0, 1)
    );
    let recalls = tally.recalls;
    assert_eq!(
        (
            recalls.calls,
            recalls.elided,
            recalls.in_window,
            recalls.earlier
        ),
        (3, 1, 1, 1)
    );
    assert_eq!(
        (tally.repeated.calls, tally.reads.elided, tally.reads.same),
        (1, 1, 1)
    );
}

#[test]
fn the_file_that_was_read_of_those_found() {
    let mut log = Log::default();
    log.person("go")
        .did(
            "Grep",
            json!({ "pattern": "denied|refused|forbidden", "path": "src" }),
            "src/a.rs:1:x\nsrc/b.rs:2:y",
        )
        .bash("cd tests && grep -n symlink c.rs", "12:symlink")
        .read("/p/other.rs", 1)
        .bash("sed -n 1,20p src/b.rs", "…")
        .read("/p/src/a.rs", 1)
        .read("/p/tests/c.rs", 1)
        .did("Grep", json!({ "pattern": "late" }), "src/a.rs")
        .person("something else")
        .read("/p/src/a.rs", 1);
    let asked = log.measured().asked;
    let told: Vec<_> = asked
        .iter()
        .map(|asked| (&*asked.words, &*asked.file, asked.alternatives, asked.found))
        .collect();
    assert_eq!(
        told,
        [
            ("denied refused forbidden", "/p/src/b.rs", 3, 2),
            ("symlink", "/p/tests/c.rs", 1, 1)
        ]
    );
}

#[test]
fn a_copy_is_counted_once_and_remembered() {
    let mut log = Log::default();
    log.person("go").bash("rg a", "x").read("/p/a.rs", 1);
    let mut seen = Seen::default();
    let first = log.measured_after(&mut seen).tally;
    // A fork goes on with the same file, whose reading it copied.
    log.read("/p/a.rs", 1);
    let fork = log.measured_after(&mut seen).tally;
    assert_eq!((first.calls, fork.calls), (2, 1));
    assert_eq!((fork.reads.reads, fork.reads.same), (1, 1));
    assert!(fork.searches.is_empty());
    // Lines that a compaction copied within a log.
    let mut doubled = log;
    let again = doubled.lines.clone();
    doubled.lines.extend(again);
    assert_eq!(doubled.measured().tally.calls, 3);
}

#[test]
fn counts_add_up() {
    let mut log = Log::default();
    log.person("go")
        .bash("rg one|two|six", "x")
        .compaction()
        .bash("rg one|two|six", "x");
    let one = log.measured().tally;
    let mut two = one.clone();
    two.add(&one);
    assert_eq!(two.logs, 2);
    assert_eq!(
        two.of(Kind::ShellGrep).calls,
        one.of(Kind::ShellGrep).calls * 2
    );
    assert_eq!(two.window.results, one.window.results * 2);
}
