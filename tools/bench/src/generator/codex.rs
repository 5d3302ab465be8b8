//! A session as Codex writes it: items in envelopes, messages repeated as events, every tool but the patch a shell's command.

use serde_json::{Value, json};

use super::ids::Ids;
use super::session::{Call, Step, Tool};

/// How long the instructions are that stand before every turn.
const INSTRUCTIONS: usize = 2000;

/// A log that is being written.
pub(crate) struct CodexLog {
    pub(crate) text: Vec<u8>,
    pub(crate) ids: Ids,
    cwd: String,
}

impl CodexLog {
    pub(crate) fn new(mut ids: Ids, task: &str, cwd: String) -> serde_json::Result<CodexLog> {
        let timestamp = ids.moment();
        let mut log = CodexLog {
            text: Vec::new(),
            ids,
            cwd,
        };
        let head = json!({
            "id": task, "timestamp": timestamp, "cwd": log.cwd, "originator": "codex-tui",
            "cli_version": "0.139.0", "source": "cli", "git": {"branch": "main"},
        });
        log.line("session_meta", head)?;
        Ok(log)
    }

    pub(crate) fn add(&mut self, step: &Step) -> serde_json::Result<()> {
        match step {
            Step::Asks(words) => {
                let instructions = self.ids.letters(INSTRUCTIONS);
                let context = json!({"cwd": self.cwd, "model": "made-up-model", "user_instructions": instructions});
                self.line("turn_context", context)?;
                self.message("user", words, "")?;
                self.line(
                    "event_msg",
                    json!({"type": "user_message", "message": words}),
                )
            }
            Step::Thinks(_) => self.think(),
            Step::Remarks(text) => self.message("assistant", text, "commentary"),
            Step::Replies(text) => {
                self.message("assistant", text, "final_answer")?;
                self.line(
                    "event_msg",
                    json!({"type": "agent_message", "message": text}),
                )?;
                self.line(
                    "event_msg",
                    json!({"type": "task_complete", "last_agent_message": text}),
                )
            }
            Step::Calls(call) => self.call(call),
        }
    }

    fn think(&mut self) -> serde_json::Result<()> {
        let length = 1000 + self.ids.number(3600);
        let thought = self.ids.letters(length);
        self.line(
            "response_item",
            json!({"type": "reasoning", "summary": [], "content": null, "encrypted_content": thought}),
        )
    }

    fn message(&mut self, role: &str, text: &str, phase: &str) -> serde_json::Result<()> {
        let kind = if role == "user" {
            "input_text"
        } else {
            "output_text"
        };
        let mut item =
            json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
        if !phase.is_empty() {
            item["phase"] = phase.into();
        }
        self.line("response_item", item)
    }

    fn call(&mut self, call: &Call) -> serde_json::Result<()> {
        if self.ids.number(2) == 0 {
            self.think()?;
        }
        let id = self.ids.named("call_");
        if let Tool::Edit { path, old, new, .. } = &call.tool {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {path}\n@@\n{}\n{}\n*** End Patch",
                prefixed('-', old),
                prefixed('+', new)
            );
            self.line(
                "response_item",
                json!({"type": "custom_tool_call", "status": "completed", "call_id": id, "name": "apply_patch", "input": patch}),
            )?;
            return self.line(
                "response_item",
                json!({"type": "custom_tool_call_output", "call_id": id, "output": format!("Success. Updated the following files:\nM {path}")}),
            );
        }
        let (command, exit) = match &call.tool {
            Tool::Read {
                path, from, count, ..
            } => (format!("sed -n '{},{}p' {path}", from + 1, from + count), 0),
            Tool::Run { command, exit, .. } => (command.clone(), *exit),
            Tool::Grep { pattern } => (format!("rg -n {pattern}"), 0),
            Tool::Edit { path, .. } => (format!("touch {path}"), 0),
        };
        let arguments = json!({"cmd": command, "workdir": self.cwd}).to_string();
        self.line(
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id}),
        )?;
        let seconds = self.ids.number(90);
        let output = format!(
            "Chunk ID: {seconds:06x}\nWall time: {seconds}.0 seconds\nProcess exited with code {exit}\nOutput:\n{}",
            call.result
        );
        self.line(
            "response_item",
            json!({"type": "function_call_output", "call_id": id, "output": output}),
        )?;
        if self.ids.number(2) == 0 {
            let end = json!({"type": "exec_command_end", "call_id": id, "aggregated_output": call.result, "exit_code": exit});
            self.line("event_msg", end)?;
        }
        let tokens = self.ids.number(100_000);
        self.line(
            "event_msg",
            json!({"type": "token_count", "info": {"total_token_usage": usage(tokens), "last_token_usage": usage(tokens / 9), "model_context_window": 272_000},
                   "rate_limits": {"primary": {"used_percent": tokens % 100, "window_minutes": 300}, "secondary": {"used_percent": 7, "window_minutes": 10_080}}}),
        )
    }

    fn line(&mut self, kind: &str, payload: Value) -> serde_json::Result<()> {
        let time = self.ids.moment();
        // By hand, so that the keys stand in Codex's order.
        self.text
            .extend(format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":").bytes());
        serde_json::to_writer(&mut self.text, &payload)?;
        self.text.extend(b"}\n");
        Ok(())
    }
}

fn usage(tokens: usize) -> Value {
    json!({"input_tokens": tokens, "cached_input_tokens": tokens / 2, "output_tokens": tokens / 50, "reasoning_output_tokens": tokens / 80, "total_tokens": tokens})
}

fn prefixed(mark: char, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
    lines.join("\n")
}
