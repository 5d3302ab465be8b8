//! The fields of Cline's and Roo's messages that are read.

use crate::input::Input;
use crate::json::{Content, Flag, Number, Text, object};

object! {
    /// A message.
    Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a, Block<'a>> = "content",
        time: Number = "ts",
        summary: Flag = "isSummary",
    }
}

object! {
    /// A block of a message. Thinking and pictures are skipped unread.
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
    /// A block inside a result.
    Item<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
    }
}
