//! OpenCode's tables, and how a row is told. What changes long after a message was whole (its tokens, its diffs, the snapshots)
//! is left out, so that what was told stays.

use memfold_log::Timestamp;

use crate::json::{Flag, Number, Raw, Text, object};
use crate::object_writer::ObjectWriter;
use crate::tables::{Children, Column, Parts, Row, SessionState, Table, Tables, Telling};

pub(super) static TABLES: Tables = Tables {
    sessions: Table {
        name: "session",
        columns: &[
            Column::required("id"),
            Column::required("directory"),
            Column::optional("parent_id"),
            Column::optional("title"),
            Column::optional("time_created"),
            Column::optional("time_updated"),
            Column::optional("time_archived"),
        ],
    },
    messages: Children {
        table: Table {
            name: "message",
            columns: &[Column::required("id"), Column::long("data")],
        },
        session: "session_id",
        id: "id",
        order: &["time_created", "id"],
    },
    parts: Some(Parts {
        rows: Children {
            table: Table {
                name: "part",
                columns: &[Column::required("id"), Column::long("data")],
            },
            session: "session_id",
            id: "id",
            order: &["id"],
        },
        message: "message_id",
    }),
    tell,
    state,
};

object! {
    /// What a message says of itself. Its `summary` is `true` where the message is a compaction's note.
    Message<'a> {
        role: Text<'a> = "role",
        time: Time<'a> = "time",
        summary: Flag = "summary",
        finish: Text<'a> = "finish",
        error: Fault<'a> = "error",
    }
}

object! {
    /// When something began and ended.
    Time<'a> {
        created: Number = "created",
        completed: Number = "completed",
        start: Number = "start",
        end: Number = "end",
    }
}

object! {
    /// Why a message broke off.
    Fault<'a> {
        name: Text<'a> = "name",
        data: FaultData<'a> = "data",
    }
}

object! {
    /// In words.
    FaultData<'a> {
        message: Raw<'a> = "message",
    }
}

object! {
    /// A part of a message.
    Part<'a> {
        kind: Text<'a> = "type",
        text: Raw<'a> = "text",
        synthetic: Flag = "synthetic",
        ignored: Flag = "ignored",
        time: Time<'a> = "time",
        call: Text<'a> = "callID",
        tool: Text<'a> = "tool",
        state: State<'a> = "state",
    }
}

object! {
    /// How far a call is.
    State<'a> {
        status: Text<'a> = "status",
        input: Raw<'a> = "input",
        output: Raw<'a> = "output",
        error: Raw<'a> = "error",
        metadata: Metadata<'a> = "metadata",
        time: Time<'a> = "time",
    }
}

object! {
    /// What a tool says beside its output.
    Metadata<'a> {
        exit: Number = "exit",
    }
}

fn state(session: &Row<'_>) -> SessionState {
    SessionState {
        updated: session.integer("time_updated").map(Timestamp::from_epoch),
        archived: session.integer("time_archived").is_some(),
    }
}

fn tell(row: &Telling<'_>, text: &mut Vec<u8>) {
    match row {
        Telling::Session(session) => {
            let mut line = ObjectWriter::begin(text, "session");
            line.text("agent", Some("opencode"));
            line.text("id", session.text("id"));
            line.text("parent", session.text("parent_id"));
            line.text("directory", session.text("directory"));
            line.number("time", session.integer("time_created"));
            line.end();
        }
        Telling::Part { message, part } => {
            if let (Some(said), Some(data)) = (read::<Message<'_>>(message), read(part)) {
                tell_part(message, said, part, data, text);
            }
        }
        Telling::Message(message) => {
            let Some(said) = read::<Message<'_>>(message) else {
                return;
            };
            let failed = said.error.name.0.is_some();
            // Until then it is being written.
            if said.role.as_str() != "assistant" || !(said.time.completed.0.is_some() || failed) {
                return;
            }
            let mut line = ObjectWriter::begin(text, "message");
            line.text("id", message.text("id"));
            line.number("time", said.time.completed.0.or(said.time.created.0));
            line.text("finish", said.finish.0.as_deref());
            line.text("error", said.error.name.0.as_deref());
            line.raw("why", said.error.data.message.0);
            line.end();
        }
        Telling::Now(session) => {
            let mut line = ObjectWriter::begin(text, "now");
            line.text("title", session.text("title"));
            line.number("time", session.integer("time_updated"));
            line.end();
        }
    }
}

fn read<'r, T: serde::Deserialize<'r>>(row: &Row<'r>) -> Option<T> {
    serde_json::from_str(row.text("data")?).ok()
}

fn tell_part(
    message: &Row<'_>,
    said: Message<'_>,
    part: &Row<'_>,
    data: Part<'_>,
    text: &mut Vec<u8>,
) {
    match data.kind.as_str() {
        "text" => {
            let mut line = ObjectWriter::begin(text, "text");
            line.text("id", part.text("id"));
            line.text("message", message.text("id"));
            line.text("role", said.role.0.as_deref());
            if said.summary.on() {
                line.yes("summary");
            }
            if data.synthetic.on() || data.ignored.on() {
                line.yes("synthetic");
            }
            line.number("created", said.time.created.0);
            line.number("time", data.time.start.0.or(said.time.created.0));
            line.raw("text", data.text.0);
            line.end();
        }
        "tool" => {
            let status = data.state.status.as_str();
            if !matches!(status, "running" | "completed" | "error") {
                return;
            }
            let mut line = ObjectWriter::begin(text, "call");
            line.text("id", part.text("id"));
            line.text("message", message.text("id"));
            line.text("call", data.call.0.as_deref());
            line.text("tool", data.tool.0.as_deref());
            line.number("time", data.state.time.start.0.or(said.time.created.0));
            line.raw("input", data.state.input.0);
            line.end();
            if status == "running" {
                return;
            }
            let mut line = ObjectWriter::begin(text, "result");
            line.text("id", part.text("id"));
            line.text("message", message.text("id"));
            line.text("call", data.call.0.as_deref());
            line.text("tool", data.tool.0.as_deref());
            line.number("time", data.state.time.end.0.or(said.time.created.0));
            if status == "error" {
                line.yes("failed");
            }
            line.number("exit", data.state.metadata.exit.0);
            line.raw("output", data.state.output.0.or(data.state.error.0));
            line.end();
        }
        // Thinking is never ranked; steps, snapshots and patches are the host's.
        _ => {}
    }
}
