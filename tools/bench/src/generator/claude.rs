//! A session as Claude Code writes it: a line for each block, each result beside the host's own account of it, which says
//! much of it again.

use serde::Serialize;

use super::ids::Ids;
use super::session::{Call, Step, Tool};

/// A log that is being written.
pub(crate) struct ClaudeLog {
    pub(crate) text: Vec<u8>,
    pub(crate) ids: Ids,
    pub(crate) session: String,
    cwd: String,
    /// The helper whose log it is.
    helper: Option<String>,
    parent: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    parent_uuid: Option<&'a str>,
    is_sidechain: bool,
    user_type: &'static str,
    cwd: &'a str,
    session_id: &'a str,
    version: &'static str,
    git_branch: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'static str,
    message: Message<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    uuid: &'a str,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_result: Option<Account<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Message<'a> {
    User {
        role: &'static str,
        content: Content<'a>,
    },
    Assistant {
        model: &'static str,
        id: String,
        #[serde(rename = "type")]
        kind: &'static str,
        role: &'static str,
        content: [Block<'a>; 1],
        stop_reason: Option<&'static str>,
        stop_sequence: Option<&'static str>,
        usage: Usage,
    },
}

#[derive(Serialize)]
struct Usage {
    input_tokens: usize,
    cache_creation_input_tokens: usize,
    cache_read_input_tokens: usize,
    output_tokens: usize,
    service_tier: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Words(&'a str),
    Blocks([Block<'a>; 1]),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
    },
    Thinking {
        thinking: &'a str,
        signature: String,
    },
    ToolUse {
        id: &'a str,
        name: &'static str,
        input: Input<'a>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        is_error: bool,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    Read {
        file_path: &'a str,
        offset: usize,
        limit: usize,
    },
    Run {
        command: &'a str,
        description: &'a str,
    },
    Edit {
        file_path: &'a str,
        old_string: &'a str,
        new_string: &'a str,
        replace_all: bool,
    },
    Grep {
        pattern: &'a str,
        path: &'a str,
        output_mode: &'static str,
    },
}

/// The host's account of a result.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Account<'a> {
    Read {
        #[serde(rename = "type")]
        kind: &'static str,
        file: ReadFile<'a>,
    },
    Run {
        stdout: &'a str,
        stderr: &'static str,
        interrupted: bool,
        is_image: bool,
    },
    Failed(String),
    Edit {
        file_path: &'a str,
        old_string: &'a str,
        new_string: &'a str,
        original_file: Option<&'a str>,
        structured_patch: [Patch<'a>; 1],
        user_modified: bool,
        replace_all: bool,
    },
    Grep {
        mode: &'static str,
        num_files: usize,
        content: &'a str,
        num_lines: usize,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadFile<'a> {
    file_path: &'a str,
    content: &'a str,
    num_lines: usize,
    start_line: usize,
    total_lines: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Patch<'a> {
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
    lines: Vec<&'a str>,
}

impl ClaudeLog {
    pub(crate) fn new(ids: Ids, session: String, cwd: String, helper: Option<String>) -> ClaudeLog {
        ClaudeLog {
            text: Vec::new(),
            ids,
            session,
            cwd,
            helper,
            parent: None,
        }
    }

    pub(crate) fn add(&mut self, step: &Step) -> serde_json::Result<()> {
        match step {
            Step::Asks(words) => self.user(Content::Words(words), None),
            Step::Thinks(thinking) => {
                let length = 200 + self.ids.number(700);
                let signature = self.ids.letters(length);
                self.agent(
                    Block::Thinking {
                        thinking,
                        signature,
                    },
                    None,
                )
            }
            Step::Remarks(text) => self.agent(Block::Text { text }, None),
            Step::Replies(text) => self.agent(Block::Text { text }, Some("end_turn")),
            Step::Calls(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) -> serde_json::Result<()> {
        let id = self.ids.named("toolu_01");
        let cwd = self.cwd.clone();
        let (name, input) = input(&call.tool, &cwd);
        let call_block = Block::ToolUse {
            id: &id,
            name,
            input,
        };
        self.agent(call_block, Some("tool_use"))?;
        let failed = matches!(call.tool, Tool::Run { exit, .. } if exit != 0);
        let content = match call.tool {
            Tool::Run { exit, .. } if failed => format!("Exit code {exit}\n{}", call.result),
            _ => call.result.clone(),
        };
        let result = Block::ToolResult {
            tool_use_id: &id,
            content: &content,
            is_error: failed,
        };
        let account = if failed {
            Account::Failed(format!("Error: {content}"))
        } else {
            account(call)
        };
        self.user(Content::Blocks([result]), Some(account))
    }

    fn user(
        &mut self,
        content: Content<'_>,
        account: Option<Account<'_>>,
    ) -> serde_json::Result<()> {
        let message = Message::User {
            role: "user",
            content,
        };
        self.line("user", message, None, account)
    }

    fn agent(&mut self, block: Block<'_>, stop: Option<&'static str>) -> serde_json::Result<()> {
        let ids = &mut self.ids;
        let message = Message::Assistant {
            model: "made-up-model",
            id: ids.named("msg_01"),
            kind: "message",
            role: "assistant",
            content: [block],
            stop_reason: stop,
            stop_sequence: None,
            usage: Usage {
                input_tokens: ids.number(9),
                cache_creation_input_tokens: ids.number(9000),
                cache_read_input_tokens: ids.number(150_000),
                output_tokens: ids.number(900),
                service_tier: "standard",
            },
        };
        let request = self.ids.named("req_011");
        self.line("assistant", message, Some(request), None)
    }

    fn line(
        &mut self,
        kind: &'static str,
        message: Message<'_>,
        request_id: Option<String>,
        tool_use_result: Option<Account<'_>>,
    ) -> serde_json::Result<()> {
        let uuid = self.ids.uuid();
        let line = Line {
            parent_uuid: self.parent.as_deref(),
            is_sidechain: self.helper.is_some(),
            user_type: "external",
            cwd: &self.cwd,
            session_id: &self.session,
            version: "2.1.100",
            git_branch: "main",
            agent_id: self.helper.as_deref(),
            kind,
            message,
            request_id,
            uuid: &uuid,
            timestamp: self.ids.moment(),
            tool_use_result,
        };
        serde_json::to_writer(&mut self.text, &line)?;
        self.text.push(b'\n');
        self.parent = Some(uuid);
        Ok(())
    }
}

fn input<'a>(tool: &'a Tool, cwd: &'a str) -> (&'static str, Input<'a>) {
    match tool {
        Tool::Read {
            path, from, count, ..
        } => (
            "Read",
            Input::Read {
                file_path: path,
                offset: from + 1,
                limit: *count,
            },
        ),
        Tool::Run {
            command,
            description,
            ..
        } => (
            "Bash",
            Input::Run {
                command,
                description,
            },
        ),
        Tool::Edit { path, old, new, .. } => (
            "Edit",
            Input::Edit {
                file_path: path,
                old_string: old,
                new_string: new,
                replace_all: false,
            },
        ),
        Tool::Grep { pattern } => (
            "Grep",
            Input::Grep {
                pattern,
                path: cwd,
                output_mode: "content",
            },
        ),
    }
}

fn account(call: &Call) -> Account<'_> {
    let result = call.result.as_str();
    match &call.tool {
        Tool::Read {
            path,
            from,
            count,
            total,
            content,
        } => Account::Read {
            kind: "text",
            file: ReadFile {
                file_path: path,
                content,
                num_lines: *count,
                start_line: from + 1,
                total_lines: *total,
            },
        },
        Tool::Run { .. } => Account::Run {
            stdout: result,
            stderr: "",
            interrupted: false,
            is_image: false,
        },
        Tool::Edit {
            path,
            from,
            old,
            new,
            original,
        } => Account::Edit {
            file_path: path,
            old_string: old,
            new_string: new,
            original_file: original.as_deref(),
            structured_patch: [Patch {
                old_start: from + 1,
                old_lines: old.lines().count(),
                new_start: from + 1,
                new_lines: new.lines().count(),
                lines: old.lines().chain(new.lines()).collect(),
            }],
            user_modified: false,
            replace_all: false,
        },
        Tool::Grep { .. } => Account::Grep {
            mode: "content",
            num_files: 0,
            content: result,
            num_lines: result.lines().count(),
        },
    }
}
