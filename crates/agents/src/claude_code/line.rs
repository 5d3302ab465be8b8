//! The fields of Claude Code's lines that are read. Which of them a line has depends on its type and on the version that
//! wrote it; all are optional here.

use crate::input::Input;
use crate::json::{Content, Flag, Number, Seen, Text, object};

object! {
    /// Any line.
    Line<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        uuid: Text<'a> = "uuid",
        session: Text<'a> = "sessionId",
        timestamp: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "gitBranch",
        request: Text<'a> = "requestId",
        agent: Text<'a> = "agentId",
        side_chain: Flag = "isSidechain",
        meta: Flag = "isMeta",
        compact_summary: Flag = "isCompactSummary",
        transcript_only: Flag = "isVisibleInTranscriptOnly",
        api_error: Flag = "isApiErrorMessage",
        message: Message<'a> = "message",
        result: ToolUseResult<'a> = "toolUseResult",
        attachment: Attachment<'a> = "attachment",
        plan: Text<'a> = "planContent",
        content: Text<'a> = "content",
        summary: Text<'a> = "summary",
        ai_title: Text<'a> = "aiTitle",
        custom_title: Text<'a> = "customTitle",
        cleared: Cleared<'a> = "microcompactMetadata",
    }
}

object! {
    /// Which results were cleared from the window, as a `microcompact_boundary` says.
    Cleared<'a> {
        calls: Content<'a, Text<'a>> = "compactedToolIds",
    }
}

object! {
    /// What was said.
    Message<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        stop_reason: Text<'a> = "stop_reason",
        content: Content<'a, Block<'a>> = "content",
    }
}

object! {
    /// A block of a message. Thinking is skipped unread.
    Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Input<'a> = "input",
        answers: Text<'a> = "tool_use_id",
        content: Content<'a, Item<'a>> = "content",
        error: Flag = "is_error",
    }
}

object! {
    /// A block inside a result. Pictures are skipped unread.
    Item<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        tool: Text<'a> = "tool_name",
        title: Text<'a> = "title",
        url: Text<'a> = "url",
    }
}

object! {
    /// The host's own account of a result, where it is an object. Its texts repeat the message's.
    ToolUseResult<'a> {
        stdout: Seen = "stdout",
        exit: Number = "exitCode",
        interrupted: Flag = "interrupted",
        background: Seen = "backgroundTaskId",
        code_meaning: Seen = "returnCodeInterpretation",
        task: ResultTask<'a> = "task",
        persisted: Text<'a> = "persistedOutputPath",
    }
}

object! {
    /// The background task that a result tells of.
    ResultTask<'a> {
        exit: Number = "exitCode",
    }
}

object! {
    /// What the host attached to the conversation.
    Attachment<'a> {
        kind: Text<'a> = "type",
        prompt: Content<'a, Item<'a>> = "prompt",
        mode: Text<'a> = "commandMode",
        file_name: Text<'a> = "filename",
        path: Text<'a> = "path",
        content: Content<'a, Attached<'a>> = "content",
        snippet: Text<'a> = "snippet",
        plan: Text<'a> = "planContent",
    }
}

object! {
    /// What an attached file's object holds.
    Attached<'a> {
        text: Text<'a> = "text",
        content: Text<'a> = "content",
        file: AttachedFile<'a> = "file",
    }
}

object! {
    /// An attached file.
    AttachedFile<'a> {
        path: Text<'a> = "filePath",
        content: Text<'a> = "content",
    }
}
