//! No line makes a translation panic, whatever its bytes, and what it yields is bounded by them.

#![allow(clippy::unwrap_used)] // A test may stop where it stands.

mod bounded;

use std::fs;
use std::path::Path;

use memfold_agents::{all, detect};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Keys that translations look at, and some that they do not.
const KEYS: &[&str] = &[
    "type",
    "subtype",
    "uuid",
    "sessionId",
    "timestamp",
    "cwd",
    "gitBranch",
    "requestId",
    "agentId",
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "message",
    "toolUseResult",
    "attachment",
    "content",
    "role",
    "id",
    "stop_reason",
    "text",
    "name",
    "input",
    "tool_use_id",
    "is_error",
    "prompt",
    "plan",
    "payload",
    "source",
    "subagent",
    "thread_spawn",
    "call_id",
    "arguments",
    "output",
    "action",
    "command",
    "v",
    "kind",
    "calls",
    "results",
    "agent",
    "by",
    "exit",
    "stdout",
    "file_path",
    "metadata",
    "exit_code",
    "$set",
    "$rewindTo",
    "messages",
    "toolCalls",
    "args",
    "result",
    "functionResponse",
    "response",
    "error",
    "displayContent",
    "thoughts",
    "directories",
    "projectHash",
    "status",
    "parentId",
    "parentSession",
    "toolCallId",
    "toolName",
    "isError",
    "exitCode",
    "summary",
    "data",
    "toolRequests",
    "parentToolCallId",
    "upToEventId",
    "context",
    "callingSessionId",
    "summaryText",
    "created_at",
    "parts",
    "functionCall",
    "systemPayload",
    "compressedHistory",
    "user_input",
    "return_value",
    "event",
    "function",
    "tool_calls",
    "tool_call_id",
    "createdAt",
    "delegationDepth",
    "surfaceOp",
    "seq",
    "time",
    "work_dirs",
    "projects",
    "x",
];

/// Values that translations know, and some that they do not.
const WORDS: &[&str] = &[
    "user",
    "assistant",
    "system",
    "attachment",
    "tool_use",
    "tool_result",
    "text",
    "thinking",
    "image",
    "response_item",
    "event_msg",
    "session_meta",
    "compacted",
    "message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "local_shell_call",
    "queued_command",
    "file",
    "summary",
    "Bash",
    "shell",
    "apply_patch",
    "Read",
    "end_turn",
    "turn_duration",
    "person",
    "reply",
    "result",
    "<system-reminder>",
    "</system-reminder>",
    "<command-name>",
    "<persisted-output>\nx saved to: y\n\nPreview (1):\nz",
    "*** Begin Patch\n*** Add File: a",
    "{\"output\":\"a\",\"metadata\":{\"exit_code\":1}}",
    "Exit code 1",
    "session",
    "toolResult",
    "toolCall",
    "tool-call",
    "tool-result",
    "bashExecution",
    "compaction",
    "branch_summary",
    "session.start",
    "user.message",
    "assistant.message",
    "tool.execution_complete",
    "session.snapshot_rewind",
    "session_start",
    "chat_compression",
    "TurnBegin",
    "SubagentEvent",
    "ToolResult",
    "_checkpoint",
    "user/message",
    "assistant/message",
    "turn/end",
    "replace",
    "<user_query>",
    "x</user_query>",
    "Command exited with code 7",
    "Command failed with exit code: 7.",
    "gemini",
    "subagent",
    "<state_snapshot>",
    "Output: x\nExit Code: 1\nProcess Group PGID: 2",
    "Exit code: 1\nOutput:\nx",
    "memfold search `x",
    "bash -lc 'memfold",
    "\u{1F600}字",
    "",
];

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(WORDS).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(KEYS), inner), 0..9).prop_map(|fields| {
                Value::Object(
                    fields
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

/// Every line of the made-up logs.
fn lines() -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = all().iter().map(|agent| corpus.join(agent.name()));
    let files = folders
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path());
    let logs = files
        .filter(|path| memfold_log::Form::of(path).is_some())
        .map(|path| fs::read(path).unwrap());
    logs.flat_map(|log| {
        log.split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    })
    .collect()
}

fn check(line: &[u8]) {
    for agent in all() {
        bounded::holds(*agent, line);
    }
    detect(Path::new("x.jsonl"), &[line]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_json(value in json()) {
        check(value.to_string().as_bytes());
    }

    #[test]
    fn any_bytes(line in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&line);
    }

    #[test]
    fn known_lines_cut_and_changed(
        line in prop::sample::select(lines()),
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        check(line.get(..cut.index(line.len() + 1)).unwrap());
        let mut changed = line;
        for (place, byte) in changes {
            if !changed.is_empty() {
                let place = place.index(changed.len());
                changed[place] = byte;
            }
        }
        check(&changed);
    }
}
