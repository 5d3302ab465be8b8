//! The fields of the lines as which OpenCode's rows are told.

use crate::input::Input;
use crate::json::{Flag, Number, Text, object};

object! {
    /// Any line.
    Line<'a> {
        row: Text<'a> = "row",
        id: Text<'a> = "id",
        parent: Text<'a> = "parent",
        directory: Text<'a> = "directory",
        title: Text<'a> = "title",
        role: Text<'a> = "role",
        summary: Flag = "summary",
        synthetic: Flag = "synthetic",
        created: Number = "created",
        time: Number = "time",
        text: Text<'a> = "text",
        call: Text<'a> = "call",
        tool: Text<'a> = "tool",
        input: Input<'a> = "input",
        failed: Flag = "failed",
        exit: Number = "exit",
        output: Text<'a> = "output",
        finish: Text<'a> = "finish",
        error: Text<'a> = "error",
        why: Text<'a> = "why",
    }
}
