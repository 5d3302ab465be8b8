//! The fields of the lines as which Goose's rows are told.

use crate::input::Input;
use crate::json::{Content, Flag, Number, Text, object};

object! {
    /// Any line.
    Line<'a> {
        row: Text<'a> = "row",
        id: Text<'a> = "id",
        kind: Text<'a> = "kind",
        parent: Text<'a> = "parent",
        directory: Text<'a> = "directory",
        created: Text<'a> = "created",
        title: Text<'a> = "title",
        named: Flag = "named",
        by: Text<'a> = "by",
        time: Number = "time",
        hidden: Flag = "hidden",
        content: Content<'a, Block<'a>> = "content",
    }
}

object! {
    /// A piece of a message.
    Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        call: Outcome<'a> = "toolCall",
        result: Outcome<'a> = "toolResult",
        notice: Text<'a> = "msg",
    }
}

object! {
    /// A call or a result, or why there is none.
    Outcome<'a> {
        status: Text<'a> = "status",
        value: Content<'a, Value<'a>> = "value",
        error: Text<'a> = "error",
    }
}

object! {
    /// A call; a result; or an item of a result, where that is a list.
    Value<'a> {
        name: Text<'a> = "name",
        arguments: Input<'a> = "arguments",
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        resource: Resource<'a> = "resource",
        annotations: Annotations<'a> = "annotations",
        items: Content<'a, Item<'a>> = "content",
        failed: Flag = "isError",
    }
}

object! {
    /// An item of a result.
    Item<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        resource: Resource<'a> = "resource",
        annotations: Annotations<'a> = "annotations",
    }
}

object! {
    /// A document that a result holds.
    Resource<'a> {
        uri: Text<'a> = "uri",
        text: Text<'a> = "text",
    }
}

object! {
    /// For whom an item is.
    Annotations<'a> {
        audience: Content<'a, Text<'a>> = "audience",
    }
}
