//! The fields of Codex's lines that are read. New logs wrap an item in an envelope (`payload`), old ones are bare items;
//! both are one shape here. What only repeats (a compaction's `replacement_history`, an event's output) is skipped unread.

use crate::input::Input;
use crate::json::{Content, Flag, Number, Text, object};

object! {
    /// A line, an envelope's payload, or an old log's bare line.
    Item<'a> {
        kind: Text<'a> = "type",
        timestamp: Text<'a> = "timestamp",
        payload: Option<Box<Item<'a>>> = "payload",
        // What a log is.
        id: Text<'a> = "id",
        cwd: Text<'a> = "cwd",
        git: Git<'a> = "git",
        forked_from: Text<'a> = "forked_from_id",
        parent: Text<'a> = "parent_thread_id",
        source: Content<'a, Source<'a>> = "source",
        started_by: Text<'a> = "thread_source",
        nickname: Text<'a> = "agent_nickname",
        part: Text<'a> = "agent_role",
        thread_name: Text<'a> = "thread_name",
        // What was said.
        role: Text<'a> = "role",
        phase: Text<'a> = "phase",
        content: Content<'a, Block<'a>> = "content",
        message: Text<'a> = "message",
        // What was called, and returned.
        name: Text<'a> = "name",
        namespace: Text<'a> = "namespace",
        call_id: Text<'a> = "call_id",
        arguments: Arguments<'a> = "arguments",
        input: Text<'a> = "input",
        action: Input<'a> = "action",
        output: Content<'a, Block<'a>> = "output",
    }
}

object! {
    /// The repository.
    Git<'a> {
        branch: Text<'a> = "branch",
    }
}

object! {
    /// Where a session comes from, if it is an object.
    Source<'a> {
        subagent: Content<'a, SubAgent<'a>> = "subagent",
    }
}

object! {
    /// What a helper is.
    SubAgent<'a> {
        spawn: Spawn<'a> = "thread_spawn",
        other: Text<'a> = "other",
    }
}

object! {
    /// Who started a helper, as what.
    Spawn<'a> {
        parent: Text<'a> = "parent_thread_id",
        nickname: Text<'a> = "agent_nickname",
        part: Text<'a> = "agent_role",
    }
}

object! {
    /// A block of what was said or returned. Pictures are skipped unread.
    Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        content: Text<'a> = "content",
        success: Flag = "success",
    }
}

object! {
    /// A shell's result, as JSON inside the string.
    ShellResult<'a> {
        output: Text<'a> = "output",
        metadata: Metadata<'a> = "metadata",
    }
}

object! {
    /// How a process ended.
    Metadata<'a> {
        exit: Number = "exit_code",
    }
}

/// Arguments: JSON in a string, or an object.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a>(pub(crate) Input<'a>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Arguments<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let input = Input::deserialize(deserializer)?;
        Ok(Arguments(match input.only_unnamed() {
            Some(json) => Input::from_json(json),
            None => input,
        }))
    }
}
