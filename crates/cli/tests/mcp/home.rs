//! A home with a project and an agent's logs, and the command in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    /// A home with two projects, `api` and `other`.
    pub(crate) fn new() -> Home {
        let home = Home {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["home", "api/.git", "other/.git"] {
            fs::create_dir_all(home.at(folder)).unwrap();
        }
        home
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(path)
    }

    /// The command as a host starts it in `api`: nothing of this machine's environment is seen.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memfold"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.at("home"))
            .current_dir(self.at("api"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command with an input, to its end.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self.command(arguments).spawn().unwrap();
        // A command that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Turns the switch of `api` on or off, as `memfold earlier` does for a person.
    pub(crate) fn earlier(&self, on: bool) {
        let config = self.at("home/.config/memfold");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("workspaces.toml"), self.switch(on)).unwrap();
    }

    pub(crate) fn switch(&self, on: bool) -> String {
        format!(
            "[workspaces.{:?}]\nearlier_tasks = {on}\n",
            self.at("api").display().to_string()
        )
    }

    /// Writes a log into Claude Code's store.
    pub(crate) fn store(&self, log: &Log) -> PathBuf {
        let below = match &log.helper {
            None => format!("{}.jsonl", log.id),
            Some(helper) => format!("{}/subagents/agent-{helper}.jsonl", log.id),
        };
        let path = self.at("home/.claude/projects/-folder").join(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &log.text).unwrap();
        path
    }
}

/// A task's id, told by a number.
pub(crate) fn id(number: u32) -> String {
    format!("3f9a1c{number:02}-5d1e-4c7a-9b60-{number:012}")
}

/// A log of Claude Code's, line by line.
pub(crate) struct Log {
    pub(crate) id: String,
    helper: Option<String>,
    cwd: String,
    text: String,
    lines: u32,
    day: u32,
}

impl Log {
    pub(crate) fn new(number: u32, cwd: &Path) -> Log {
        Log {
            id: id(number),
            helper: None,
            cwd: cwd.display().to_string(),
            text: String::new(),
            lines: 0,
            day: (number - 1) % 28 + 1,
        }
    }

    /// The log of a sub-agent of that task.
    pub(crate) fn helper(number: u32, cwd: &Path, label: &str) -> Log {
        Log {
            helper: Some(label.to_owned()),
            ..Log::new(number, cwd)
        }
    }

    /// A task of one turn: a request, a call, its result and a reply, all about `words`.
    pub(crate) fn turn(number: u32, cwd: &Path, words: &str) -> Log {
        Log::new(number, cwd)
            .person(&format!("look at {words}"))
            .call(
                &format!("toolu_{number}a"),
                "Bash",
                json!({ "command": format!("grep {words}") }),
            )
            .result(
                &format!("toolu_{number}a"),
                &format!("first line\nfound {words} here\nlast line"),
            )
            .reply(&format!("That was {words}."))
    }

    fn line(mut self, kind: &str, message: Value, more: Value) -> Log {
        self.lines += 1;
        let mut line = json!({
            "parentUuid": null, "isSidechain": self.helper.is_some(), "userType": "external", "cwd": self.cwd,
            "sessionId": self.id, "version": "2.1.100", "type": kind,
            "uuid": format!("{}-{}-{}", self.id, self.helper.as_deref().unwrap_or("main"), self.lines),
            "timestamp": format!("2026-10-{:02}T09:{:02}:00.000Z", self.day, self.lines), "message": message,
        });
        if let Some(helper) = &self.helper {
            line["agentId"] = json!(helper);
        }
        for (name, value) in more.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.text.push_str(&line.to_string());
        self.text.push('\n');
        self
    }

    pub(crate) fn person(self, text: &str) -> Log {
        self.line(
            "user",
            json!({ "role": "user", "content": text }),
            json!({}),
        )
    }

    pub(crate) fn call(self, call: &str, tool: &str, input: Value) -> Log {
        let message = json!({ "id": format!("msg_{call}"), "role": "assistant", "stop_reason": "tool_use",
            "content": [{ "type": "tool_use", "id": call, "name": tool, "input": input }] });
        self.line(
            "assistant",
            message,
            json!({ "requestId": format!("req_{call}") }),
        )
    }

    pub(crate) fn result(self, call: &str, text: &str) -> Log {
        let message = json!({ "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": call, "content": text }] });
        self.line("user", message, json!({}))
    }

    pub(crate) fn reply(self, text: &str) -> Log {
        let number = self.lines;
        let message = json!({ "id": format!("msg_{}_{number}", self.id), "role": "assistant", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": text }] });
        let request = format!("req_{}_{number}", self.id);
        self.line("assistant", message, json!({ "requestId": request }))
    }

    /// The call of ours that is being made.
    pub(crate) fn asking(self, call: &str) -> Log {
        self.call(
            call,
            "mcp__memfold__index-search",
            json!({ "query": "x", "scope": "conversation" }),
        )
    }
}
