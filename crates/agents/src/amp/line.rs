//! The fields of Amp's threads that are read.

use crate::input::Input;
use crate::json::{Content, Flag, Number, Text, object};

object! {
    /// A thread, its messages apart.
    Thread<'a> {
        id: Text<'a> = "id",
        title: Text<'a> = "title",
        created: Number = "created",
        environment: Environment<'a> = "env",
    }
}

object! {
    /// Where a thread began.
    Environment<'a> {
        initial: Initial<'a> = "initial",
    }
}

object! {
    /// Where, at first.
    Initial<'a> {
        trees: Content<'a, Tree<'a>> = "trees",
    }
}

object! {
    /// A folder that was open.
    Tree<'a> {
        uri: Text<'a> = "uri",
    }
}

object! {
    /// A message.
    Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a, Block<'a>> = "content",
        state: State<'a> = "state",
        meta: Meta<'a> = "meta",
    }
}

object! {
    /// How far a reply is.
    State<'a> {
        kind: Text<'a> = "type",
        reason: Text<'a> = "stopReason",
    }
}

object! {
    /// When a message was sent.
    Meta<'a> {
        sent: Number = "sentAt",
    }
}

object! {
    /// A block of a message. Thinking and pictures are skipped unread.
    Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        hidden: Flag = "hidden",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Input<'a> = "input",
        answers: Text<'a> = "toolUseID",
        run: Run<'a> = "run",
        summary: Summary<'a> = "summary",
    }
}

object! {
    /// What a thread was cut down to.
    Summary<'a> {
        summary: Text<'a> = "summary",
    }
}

object! {
    /// How a call went.
    Run<'a> {
        status: Text<'a> = "status",
        result: Content<'a, Returned<'a>> = "result",
        error: Fault<'a> = "error",
    }
}

object! {
    /// What a call returned, where it is an object.
    Returned<'a> {
        output: Text<'a> = "output",
        content: Text<'a> = "content",
        diff: Text<'a> = "diff",
        text: Text<'a> = "text",
        exit: Number = "exitCode",
    }
}

object! {
    /// Why a call failed.
    Fault<'a> {
        message: Text<'a> = "message",
    }
}
