//! A task as a script of steps, written down as each agent writes it. Invented text only.

use serde_json::{Value, json};

/// A character that is written as half of a surrogate pair.
pub(crate) const LONE: &str = "\u{E000}";

/// Whose form a log has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Claude Code's.
    Claude,
    /// A log of one of Claude Code's sub-agents.
    ClaudeHelper,
    /// Codex's.
    Codex,
    /// A log of one of Codex's sub-agents.
    CodexHelper,
    /// Gemini CLI's.
    Gemini,
    /// pi's.
    Pi,
    /// memfold's own.
    Own,
}

/// One thing that happens in a task.
#[derive(Clone, Debug)]
pub enum Step {
    /// The person says something.
    Person(String),
    /// The model thinks.
    Thinking(String),
    /// The agent replies and makes calls: tool and argument. Without calls it is the turn's last word.
    Reply(String, Vec<(Tool, String)>),
    /// The oldest open calls are answered, on one line where the form has that.
    Results(Vec<String>),
    /// A result of a call that nobody made.
    Stray(String),
    /// The log's own mark of a turn's end, where its form has one.
    End,
    /// A file is attached.
    File(String),
    /// A plan is made.
    Plan(String),
    /// A summary is written.
    Summary(String),
    /// What came before is left out, for a note.
    Compaction(String),
    /// A helper speaks among the main lines; with an id or, as older ones, without.
    Helper(String, bool),
    /// The task gets a title.
    Title(String),
    /// An earlier line comes again, byte for byte.
    Again(usize),
    /// An earlier line comes again under a new id.
    Renamed(usize),
    /// A line that is none.
    Broken(&'static [u8]),
    /// Minutes pass.
    Pause(u16),
    /// The task goes back behind an earlier message and on from there.
    Back(usize),
}

/// A tool.
#[derive(Clone, Copy, Debug)]
pub enum Tool {
    /// Runs a command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes a file.
    Edit,
    /// Searches earlier events.
    Recall,
    /// Not known.
    Other,
}

impl Tool {
    fn name(self, shape: Shape) -> &'static str {
        let codex = matches!(shape, Shape::Codex | Shape::CodexHelper);
        match self {
            Tool::Shell if codex => "exec_command",
            Tool::Shell if shape == Shape::Pi => "bash",
            Tool::Shell if shape == Shape::Gemini => "run_shell_command",
            Tool::Shell => "Bash",
            Tool::Read => "Read",
            Tool::Edit => "Edit",
            Tool::Recall => "index-search",
            Tool::Other => "WeatherReport",
        }
    }

    fn input(self, argument: &str) -> Value {
        match self {
            Tool::Shell => json!({ "command": argument, "cmd": argument }),
            Tool::Read => json!({ "file_path": argument }),
            Tool::Edit => {
                json!({ "file_path": argument, "old_string": "a", "new_string": argument })
            }
            Tool::Recall => json!({ "query": argument }),
            Tool::Other => json!({ "place": argument, "days": 3 }),
        }
    }
}

/// The lines of a log, without line ends. `number` keeps its ids apart from those of other logs; `before` are lines that it
/// copied from the log it is a fork of; `start` is when it begins, in minutes, and 0 for a log that tells no times, where
/// its form allows that.
pub fn write(
    shape: Shape,
    number: usize,
    start: u32,
    before: &[Vec<u8>],
    steps: &[Step],
) -> Vec<Vec<u8>> {
    let mut writer = Writer {
        shape,
        number,
        start,
        now: u64::from(start) * 60,
        ids: 0,
        open: Vec::new(),
        said: Vec::new(),
        leaf: json!(null),
        lines: before.to_vec(),
    };
    writer.head();
    for step in steps {
        writer.step(step);
    }
    writer.lines
}

struct Writer {
    shape: Shape,
    number: usize,
    start: u32,
    /// Seconds since the day began.
    now: u64,
    ids: usize,
    open: Vec<String>,
    /// Messages that may be said again, or gone back behind.
    said: Vec<Value>,
    /// From which entry the next goes on.
    leaf: Value,
    lines: Vec<Vec<u8>>,
}

impl Writer {
    fn id(&mut self) -> String {
        self.ids += 1;
        format!("e{}-{}", self.number, self.ids)
    }

    fn time(&mut self) -> String {
        self.now += 1;
        let (days, rest) = (self.now / 86_400, self.now % 86_400);
        format!(
            "2026-03-{:02}T{:02}:{:02}:{:02}.500Z",
            1 + days,
            rest / 3600,
            rest / 60 % 60,
            rest % 60
        )
    }

    fn session(&self) -> String {
        format!("3f9a1c02-5d1e-4c7a-9b60-{:012}", self.number)
    }

    fn put(&mut self, line: &Value) {
        let line = line.to_string().replace(LONE, "\\ud800");
        self.lines.push(line.into_bytes());
    }

    fn head(&mut self) {
        match self.shape {
            Shape::Claude | Shape::ClaudeHelper => {}
            Shape::Codex => self.codex_meta(json!("cli")),
            Shape::CodexHelper => self.codex_meta(json!({ "subagent": { "thread_spawn": {
                "parent_thread_id": "019a7206-0000-7000-8000-000000000001", "depth": 1, "agent_nickname": "Explorer",
                "agent_role": "explorer" } } })),
            Shape::Gemini => {
                let line = json!({ "sessionId": self.session(), "projectHash": "b".repeat(64), "startTime": self.time(), "kind": "main" });
                self.put(&line);
            }
            Shape::Pi => {
                let line = json!({ "type": "session", "version": 3, "id": self.session(), "timestamp": self.time(), "cwd": "/project" });
                self.put(&line);
            }
            Shape::Own => {
                let mut line = json!({ "v": 1, "kind": "log.open", "task": self.session(), "cwd": "/project" });
                if self.start > 0 {
                    line["time"] = json!(self.time());
                }
                self.put(&line);
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Again(place) => {
                if let Some(line) = nth(&self.lines, *place) {
                    self.lines.push(line);
                }
            }
            Step::Renamed(place) => {
                let (line, id) = (nth(&self.lines, *place), self.id());
                let Some(mut line) =
                    line.and_then(|line| serde_json::from_slice::<Value>(&line).ok())
                else {
                    return;
                };
                for name in ["uuid", "id"] {
                    if line.get(name).is_some() {
                        line[name] = json!(id);
                    }
                }
                self.put(&line);
            }
            Step::Broken(bytes) => self.lines.push(bytes.to_vec()),
            Step::Pause(minutes) => self.now += u64::from(*minutes) * 60,
            step => match self.shape {
                Shape::Claude | Shape::ClaudeHelper => self.claude(step),
                Shape::Codex | Shape::CodexHelper => self.codex(step),
                Shape::Gemini => self.gemini(step),
                Shape::Pi => self.pi(step),
                Shape::Own => self.own(step),
            },
        }
    }

    /// Opens a call.
    fn call(&mut self) -> String {
        let id = format!("call-{}", self.id());
        self.open.push(id.clone());
        id
    }

    /// The oldest open calls with a text each.
    fn answers<'t>(&mut self, texts: &'t [String]) -> Vec<(String, &'t String)> {
        let count = texts.len().min(self.open.len());
        self.open.drain(..count).zip(texts).collect()
    }

    fn claude(&mut self, step: &Step) {
        match step {
            Step::Person(text) => self.claude_line("user", json!({ "message": { "role": "user", "content": text } })),
            Step::Thinking(text) => self.claude_block(json!({ "type": "thinking", "thinking": text }), json!(null)),
            Step::Reply(text, calls) => {
                let stop = if calls.is_empty() { json!("end_turn") } else { json!(null) };
                if !text.is_empty() {
                    self.claude_block(json!({ "type": "text", "text": text }), stop);
                }
                for (tool, argument) in calls {
                    let block = json!({ "type": "tool_use", "id": self.call(), "name": tool.name(self.shape), "input": tool.input(argument) });
                    self.claude_block(block, json!("tool_use"));
                }
            }
            Step::Results(texts) => {
                let blocks: Vec<Value> = self
                    .answers(texts)
                    .into_iter()
                    .map(|(call, text)| json!({ "type": "tool_result", "tool_use_id": call, "content": text, "is_error": text.len() % 3 == 0 }))
                    .collect();
                if !blocks.is_empty() {
                    self.claude_line("user", json!({ "message": { "role": "user", "content": blocks } }));
                }
            }
            Step::Stray(text) => {
                let block = json!({ "type": "tool_result", "tool_use_id": "nobody", "content": text });
                self.claude_line("user", json!({ "message": { "role": "user", "content": [block] } }));
            }
            Step::File(text) => self.claude_line("attachment", json!({ "attachment": { "type": "file", "filename": "/project/a.py",
                "content": { "type": "text", "file": { "filePath": "/project/a.py", "content": text, "numLines": 1 } } } })),
            Step::Plan(text) => self.claude_line("attachment",
                json!({ "attachment": { "type": "plan_file_reference", "planFilePath": "/p.md", "planContent": text } })),
            Step::Summary(text) => self.claude_line("system", json!({ "subtype": "away_summary", "content": text })),
            Step::Compaction(text) => self.claude_line("user", json!({ "message": { "role": "user", "content": text },
                "isCompactSummary": true, "isVisibleInTranscriptOnly": true })),
            Step::Helper(text, has_id) => {
                let mut line = json!({ "isSidechain": true, "message": { "id": format!("msg_{}", self.id()), "role": "assistant",
                    "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn" } });
                if *has_id {
                    line["agentId"] = json!("a1b2c3d");
                }
                self.claude_line("assistant", line);
            }
            Step::Title(text) => {
                let line = json!({ "type": "custom-title", "customTitle": text, "sessionId": self.session() });
                self.put(&line);
            }
            Step::End
            | Step::Again(_)
            | Step::Renamed(_)
            | Step::Broken(_)
            | Step::Pause(_)
            | Step::Back(_) => {}
        }
    }

    fn claude_block(&mut self, block: Value, stop: Value) {
        let message = format!("msg_{}", self.id());
        self.claude_line("assistant", json!({ "requestId": format!("req_{message}"), "message": { "id": message, "role": "assistant",
            "content": [block], "stop_reason": stop } }));
    }

    fn claude_line(&mut self, kind: &str, more: Value) {
        let mut line = json!({ "parentUuid": null, "isSidechain": false, "cwd": "/project", "sessionId": self.session(),
            "version": "2.1.100", "gitBranch": "main", "type": kind, "uuid": self.id(), "timestamp": self.time() });
        if self.shape == Shape::ClaudeHelper {
            line["isSidechain"] = json!(true);
            line["agentId"] = json!("a1b2c3d");
        }
        for (name, value) in more.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.put(&line);
    }

    fn codex(&mut self, step: &Step) {
        match step {
            Step::Person(text) => self.codex_message("user", "input_text", text, json!(null)),
            Step::Thinking(text) => self.codex_item(json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": text }] })),
            Step::Reply(text, calls) => {
                let phase = if calls.is_empty() { "final_answer" } else { "commentary" };
                if !text.is_empty() {
                    self.codex_message("assistant", "output_text", text, json!(phase));
                }
                for (tool, argument) in calls {
                    let call = json!({ "type": "function_call", "name": tool.name(self.shape), "arguments": tool.input(argument).to_string(),
                        "call_id": self.call() });
                    self.codex_item(call);
                }
            }
            Step::Results(texts) => {
                for (call, text) in self.answers(texts) {
                    self.codex_item(json!({ "type": "function_call_output", "call_id": call, "output": text }));
                }
            }
            Step::Stray(text) => self.codex_item(json!({ "type": "function_call_output", "call_id": "nobody", "output": text })),
            Step::End => self.codex_line("event_msg", json!({ "type": "task_complete", "turn_id": "1" })),
            Step::Compaction(text) => self.codex_line("compacted", json!({ "message": text, "replacement_history": [] })),
            Step::Title(text) => self.codex_line("event_msg", json!({ "type": "thread_name_updated", "thread_name": text })),
            _ => {}
        }
    }

    fn codex_meta(&mut self, source: Value) {
        let id = format!("019a7206-e2ca-7fc3-be05-{:012}", self.number);
        self.codex_line(
            "session_meta",
            json!({ "id": id, "cwd": "/project", "originator": "codex-tui", "source": source }),
        );
    }

    fn codex_message(&mut self, role: &str, kind: &str, text: &str, phase: Value) {
        self.codex_item(json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }], "phase": phase }));
    }

    fn codex_item(&mut self, item: Value) {
        self.codex_line("response_item", item);
    }

    fn codex_line(&mut self, kind: &str, payload: Value) {
        let line = json!({ "timestamp": self.time(), "type": kind, "payload": payload });
        self.put(&line);
    }

    fn gemini(&mut self, step: &Step) {
        match step {
            Step::Person(text) => {
                self.gemini_message("user", json!({ "content": [{ "text": text }] }));
                let line = json!({ "$set": { "lastUpdated": self.time() } });
                self.put(&line);
            }
            Step::Thinking(text) => self.gemini_message(
                "gemini",
                json!({ "content": "", "thoughts": [{ "subject": "x", "description": text }] }),
            ),
            Step::Reply(text, calls) => {
                self.gemini_message("gemini", json!({ "content": text }));
                if calls.is_empty() {
                    return;
                }
                let calls: Vec<Value> = calls
                    .iter()
                    .map(|(tool, argument)| json!({ "id": self.call(), "name": tool.name(self.shape), "args": tool.input(argument), "status": "executing" }))
                    .collect();
                self.gemini_again(|message| message["toolCalls"] = json!(calls));
            }
            // The message that made the calls is said again, wherever that was.
            Step::Results(texts) => self.gemini_again(|message| {
                let calls = message["toolCalls"].as_array_mut().into_iter().flatten();
                for (call, text) in calls.zip(texts) {
                    let status = if text.len() % 3 == 0 { "error" } else { "success" };
                    call["status"] = json!(status);
                    call["result"] = json!([{ "functionResponse": { "id": call["id"], "response": { "output": text } } }]);
                }
            }),
            Step::Stray(text) => self.gemini_message(
                "gemini",
                json!({ "content": "", "toolCalls": [{ "id": "nobody", "name": "x", "args": {}, "status": "success",
                    "result": [{ "functionResponse": { "id": "nobody", "response": { "output": text } } }] }] }),
            ),
            Step::Compaction(text) => {
                let mut messages = vec![json!({ "id": self.id(), "type": "user",
                    "content": [{ "text": format!("<state_snapshot>{text}</state_snapshot>") }] })];
                messages.extend(self.said.iter().rev().take(3).rev().cloned());
                let line = json!({ "$set": { "messages": messages, "lastUpdated": self.time() } });
                self.put(&line);
            }
            Step::Title(text) => self.put(&json!({ "$set": { "summary": text } })),
            Step::Back(place) => {
                let to = match self.said.get(place % (self.said.len() + 1)) {
                    Some(message) => message["id"].clone(),
                    None => json!("gone"),
                };
                self.put(&json!({ "$rewindTo": to }));
            }
            Step::Summary(text) => self.gemini_message("info", json!({ "content": text })),
            _ => {}
        }
    }

    fn gemini_message(&mut self, kind: &str, more: Value) {
        let mut line = json!({ "id": self.id(), "timestamp": self.time(), "type": kind });
        for (name, value) in more.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.put(&line);
        self.said.push(line);
    }

    /// Says the last message of the model's again.
    fn gemini_again(&mut self, change: impl FnOnce(&mut Value)) {
        let last = self
            .said
            .iter_mut()
            .rev()
            .find(|message| message["type"] == "gemini");
        if let Some(message) = last {
            change(message);
            let line = message.clone();
            self.put(&line);
        }
    }

    fn pi(&mut self, step: &Step) {
        let words = |text: &str| json!([{ "type": "text", "text": text }]);
        match step {
            Step::Person(text) => self.pi_message(json!({ "role": "user", "content": words(text) })),
            Step::Thinking(text) => self.pi_message(
                json!({ "role": "assistant", "content": [{ "type": "thinking", "thinking": text }], "stopReason": "toolUse" }),
            ),
            Step::Reply(text, calls) => {
                let stop = if calls.is_empty() { "stop" } else { "toolUse" };
                let mut content = vec![json!({ "type": "text", "text": text })];
                for (tool, argument) in calls {
                    content.push(json!({ "type": "toolCall", "id": self.call(), "name": tool.name(self.shape), "arguments": tool.input(argument) }));
                }
                self.pi_message(json!({ "role": "assistant", "content": content, "stopReason": stop }));
            }
            Step::Results(texts) => {
                for (call, text) in self.answers(texts) {
                    self.pi_message(json!({ "role": "toolResult", "toolCallId": call, "toolName": "bash",
                        "content": words(&format!("{text}\n\nCommand exited with code {}", text.len() % 3)), "isError": text.len() % 3 > 0 }));
                }
            }
            Step::Stray(text) => self.pi_message(
                json!({ "role": "toolResult", "toolCallId": "nobody", "toolName": "x", "content": words(text) }),
            ),
            Step::File(text) => self.pi_message(
                json!({ "role": "bashExecution", "command": "cat notes", "output": text, "exitCode": 0 }),
            ),
            Step::Summary(text) => self.pi_entry(json!({ "type": "branch_summary", "fromId": "x", "summary": text })),
            Step::Compaction(text) => self.pi_entry(json!({ "type": "compaction", "summary": text, "tokensBefore": 9 })),
            Step::Title(text) => self.pi_entry(json!({ "type": "session_info", "name": text })),
            Step::Back(place) => {
                let entry = self.said.get(place % (self.said.len() + 1));
                self.leaf = entry.map_or(json!(null), |entry| entry["id"].clone());
            }
            _ => {}
        }
    }

    fn pi_message(&mut self, mut message: Value) {
        message["timestamp"] = json!(1);
        self.pi_entry(json!({ "type": "message", "message": message }));
    }

    fn pi_entry(&mut self, mut entry: Value) {
        entry["id"] = json!(self.id());
        entry["parentId"] = std::mem::replace(&mut self.leaf, entry["id"].clone());
        entry["timestamp"] = json!(self.time());
        self.put(&entry);
        self.said.push(entry);
    }

    fn own(&mut self, step: &Step) {
        match step {
            Step::Person(text) => self.own_line("person", json!({ "text": text })),
            Step::Thinking(text) => self.own_line("thinking", json!({ "text": text })),
            Step::Reply(text, calls) => {
                let calls: Vec<Value> = calls
                    .iter()
                    .map(|(tool, argument)| json!({ "id": self.call(), "tool": tool.name(self.shape), "input": tool.input(argument) }))
                    .collect();
                self.own_line("reply", json!({ "text": text, "calls": calls }));
            }
            Step::Results(texts) => {
                let results: Vec<Value> = self
                    .answers(texts)
                    .into_iter()
                    .map(|(call, text)| json!({ "call": call, "text": text, "exit": text.len() % 2 }))
                    .collect();
                if !results.is_empty() {
                    self.own_line("result", json!({ "results": results }));
                }
            }
            Step::Stray(text) => self.own_line(
                "result",
                json!({ "results": [{ "call": "", "tool": "Bash", "text": text }] }),
            ),
            Step::End => self.own_line("turn.end", json!({ "reason": "done" })),
            Step::File(text) => self.own_line("file", json!({ "path": "notes.md", "text": text })),
            Step::Plan(text) => self.own_line("plan", json!({ "text": text })),
            Step::Summary(text) => self.own_line("summary", json!({ "text": text })),
            Step::Compaction(text) => self.own_line("compaction", json!({ "text": text })),
            Step::Helper(text, _) => {
                self.own_line("reply", json!({ "agent": "explorer", "text": text }))
            }
            Step::Title(text) => {
                self.own_line("log.title", json!({ "title": text, "by": "person" }))
            }
            Step::Again(_)
            | Step::Renamed(_)
            | Step::Broken(_)
            | Step::Pause(_)
            | Step::Back(_) => {}
        }
    }

    fn own_line(&mut self, kind: &str, more: Value) {
        let mut line = json!({ "v": 1, "kind": kind });
        if !kind.starts_with("log.") && kind != "turn.end" {
            line["id"] = json!(self.id());
        }
        if self.start > 0 {
            line["time"] = json!(self.time());
        }
        for (name, value) in more.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.put(&line);
    }
}

fn nth(lines: &[Vec<u8>], place: usize) -> Option<Vec<u8>> {
    (!lines.is_empty()).then(|| lines[place % lines.len()].clone())
}
