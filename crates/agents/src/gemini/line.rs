//! The fields of Gemini CLI's lines that are read: of the first line (or of a whole-file log), of a message, of a change.

use crate::input::Input;
use crate::json::{Content, Flag, Text, object};

object! {
    /// Any line, or what a whole-file log says around its messages.
    Line<'a> {
        session: Text<'a> = "sessionId",
        start: Text<'a> = "startTime",
        scope: Text<'a> = "kind",
        directories: Content<'a, Text<'a>> = "directories",
        summary: Text<'a> = "summary",
        set: Set<'a> = "$set",
        rewind: Text<'a> = "$rewindTo",
        id: Text<'a> = "id",
        timestamp: Text<'a> = "timestamp",
        kind: Text<'a> = "type",
        content: Content<'a, Piece<'a>> = "content",
        shown: Content<'a, Piece<'a>> = "displayContent",
        calls: Content<'a, ToolCall<'a>> = "toolCalls",
        thoughts: Content<'a, Thought<'a>> = "thoughts",
    }
}

object! {
    /// What a change sets. Its messages take the place of all before them.
    Set<'a> {
        messages: Content<'a, Kept<'a>> = "messages",
        directories: Content<'a, Text<'a>> = "directories",
        summary: Text<'a> = "summary",
        updated: Text<'a> = "lastUpdated",
    }
}

object! {
    /// A message as a change repeats it.
    Kept<'a> {
        id: Text<'a> = "id",
        content: Content<'a, Piece<'a>> = "content",
    }
}

object! {
    /// A part of a message, or of what a call returned.
    Piece<'a> {
        text: Text<'a> = "text",
        thought: Flag = "thought",
        call: FunctionCall<'a> = "functionCall",
        response: FunctionResponse<'a> = "functionResponse",
        picture: Picture<'a> = "inlineData",
    }
}

object! {
    /// A call. Gemini CLI itself has them elsewhere.
    FunctionCall<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        arguments: Input<'a> = "args",
    }
}

object! {
    /// What a call returned.
    FunctionResponse<'a> {
        id: Text<'a> = "id",
        response: Response<'a> = "response",
    }
}

object! {
    /// It says one of these; a server's own tool may say anything.
    Response<'a> {
        output: Input<'a> = "output",
        error: Input<'a> = "error",
        content: Content<'a, Said<'a>> = "content",
    }
}

object! {
    /// A block of what a server's tool says.
    Said<'a> {
        text: Text<'a> = "text",
    }
}

object! {
    /// Data that is skipped unread.
    Picture<'a> {
        kind: Text<'a> = "mimeType",
    }
}

object! {
    /// A call, and what it returned once it has.
    ToolCall<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        arguments: Input<'a> = "args",
        status: Text<'a> = "status",
        result: Content<'a, Piece<'a>> = "result",
    }
}

object! {
    /// What the model thought. Skipped.
    Thought<'a> {
        subject: Text<'a> = "subject",
    }
}
