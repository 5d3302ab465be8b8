//! Goose's tables, and how a row is told. Whether a message is still in the model's view changes long after it was written and
//! is left out; whether the person sees it does not.

use memfold_log::Timestamp;

use crate::json::{Flag, Raw, object};
use crate::object_writer::ObjectWriter;
use crate::tables::{Children, Column, Row, SessionState, Table, Tables, Telling};

pub(super) static TABLES: Tables = Tables {
    sessions: Table {
        name: "sessions",
        columns: &[
            Column::required("id"),
            Column::required("working_dir"),
            Column::optional("name"),
            Column::optional("description"),
            Column::optional("user_set_name"),
            Column::optional("session_type"),
            Column::optional("parent_session_id"),
            Column::optional("created_at"),
            Column::optional("updated_at"),
            Column::optional("archived_at"),
        ],
    },
    messages: Children {
        table: Table {
            name: "messages",
            columns: &[
                Column::required("id"),
                Column::required("role"),
                Column::required("created_timestamp"),
                Column::optional("message_id"),
                Column::optional("metadata_json"),
                Column::long("content_json"),
            ],
        },
        session: "session_id",
        id: "id",
        order: &["id"],
    },
    parts: None,
    tell,
    state,
};

object! {
    /// Who sees a message.
    Metadata<'a> {
        user_visible: Flag = "userVisible",
    }
}

fn state(session: &Row<'_>) -> SessionState {
    SessionState {
        updated: session.text("updated_at").and_then(Timestamp::parse),
        archived: session.text("archived_at").is_some(),
    }
}

fn tell(row: &Telling<'_>, text: &mut Vec<u8>) {
    match row {
        Telling::Session(session) => {
            let mut line = ObjectWriter::begin(text, "session");
            line.text("agent", Some("goose"));
            line.text("id", session.text("id"));
            line.text("kind", session.text("session_type"));
            line.text("parent", session.text("parent_session_id"));
            line.text("directory", session.text("working_dir"));
            line.text("created", session.text("created_at"));
            line.end();
        }
        Telling::Message(message) => {
            let content = message.text("content_json").unwrap_or("[]");
            let Ok(Raw(content)) = serde_json::from_str(content) else {
                return;
            };
            let metadata: Metadata<'_> = message
                .text("metadata_json")
                .and_then(|metadata| serde_json::from_str(metadata).ok())
                .unwrap_or_default();
            let mut line = ObjectWriter::begin(text, "message");
            // Before messages had ids of their own, their numbers are what tells them apart.
            match message.text("message_id") {
                Some(id) => line.text("id", Some(id)),
                None => line.number("number", message.integer("id")),
            }
            // Not `role`: another agent's lines are told by that.
            line.text("by", message.text("role"));
            line.number("time", message.integer("created_timestamp"));
            if metadata.user_visible.0 == Some(false) {
                line.yes("hidden");
            }
            line.raw("content", content);
            line.end();
        }
        Telling::Part { .. } => {}
        Telling::Now(session) => {
            let name = |column| session.text(column).filter(|name| !name.is_empty());
            let mut line = ObjectWriter::begin(text, "now");
            line.text("title", name("name").or_else(|| name("description")));
            if session.integer("user_set_name") == Some(1) {
                line.yes("named");
            }
            line.text("created", session.text("updated_at"));
            line.end();
        }
    }
}
