//! A database that holds an agent's sessions: which tables and columns it has, and what its rows say as lines of a log's
//! text. Pure: who reads the rows is `memfold-database`.
//!
//! A session's text is a line about the session, then the lines of each message and its parts in order. What changes as a
//! session goes on, its title, is told beside the text, so that what was told stays as it was while rows are added.

use memfold_log::Timestamp;

/// The tables of an agent's database.
#[derive(Debug)]
pub struct Tables {
    /// A row for each session, named by its column `id`.
    pub sessions: Table,
    /// A row for each message.
    pub messages: Children,
    /// A row for each part of a message, where messages have parts of their own.
    pub parts: Option<Parts>,
    /// Tells a row as lines of JSON: none, one, or several. Depends on the row alone.
    pub tell: fn(&Telling<'_>, &mut Vec<u8>),
    /// When a session was last written, and whether its person put it away.
    pub state: fn(&Row<'_>) -> SessionState,
}

/// A table and the columns of it that are read.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
}

/// A table of rows that belong to sessions.
#[derive(Debug)]
pub struct Children {
    /// The table.
    pub table: Table,
    /// The column that names the session.
    pub session: &'static str,
    /// The column that names the row.
    pub id: &'static str,
    /// The columns by which a session's rows are in order.
    pub order: &'static [&'static str],
}

/// A table of rows that belong to messages.
#[derive(Debug)]
pub struct Parts {
    /// The rows, by session.
    pub rows: Children,
    /// The column that names the message.
    pub message: &'static str,
}

/// A column that is read.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Whether a table without it is another agent's, or of a version that is not known.
    pub need: Need,
    /// How much of it may be read.
    pub size: Size,
}

/// Whether a column must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Without it the rows say nothing.
    Required,
    /// Some versions have it.
    Optional,
}

/// How much a column may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// An id, a time, a title, a path.
    Short,
    /// What was said.
    Long,
}

impl Column {
    pub(crate) const fn required(name: &'static str) -> Column {
        Column {
            name,
            need: Need::Required,
            size: Size::Short,
        }
    }

    pub(crate) const fn optional(name: &'static str) -> Column {
        Column {
            name,
            need: Need::Optional,
            size: Size::Short,
        }
    }

    /// One that holds what was said.
    pub(crate) const fn long(name: &'static str) -> Column {
        Column {
            name,
            need: Need::Required,
            size: Size::Long,
        }
    }
}

/// What stands in a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing, or nothing that is read.
    Nothing,
    /// A whole number.
    Integer(i64),
    /// A text; bytes that are no UTF-8 stand replaced.
    Text(String),
    /// More than is read: so many bytes.
    LeftOut(u64),
}

/// A row, as far as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    columns: &'static [Column],
    cells: &'r [Cell],
}

impl<'r> Row<'r> {
    /// A row of these columns.
    pub fn new(columns: &'static [Column], cells: &'r [Cell]) -> Row<'r> {
        Row { columns, cells }
    }

    fn cell(&self, name: &str) -> Option<&'r Cell> {
        self.columns
            .iter()
            .zip(self.cells)
            .find(|(column, _)| column.name == name)
            .map(|(_, cell)| cell)
    }

    /// The text in a column.
    pub fn text(&self, name: &str) -> Option<&'r str> {
        match self.cell(name)? {
            Cell::Text(text) => Some(text),
            Cell::Nothing | Cell::Integer(_) | Cell::LeftOut(_) => None,
        }
    }

    /// The whole number in a column.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.cell(name)? {
            Cell::Integer(number) => Some(*number),
            Cell::Nothing | Cell::Text(_) | Cell::LeftOut(_) => None,
        }
    }
}

/// A row, with the rows that it belongs to, to be told in this order.
#[derive(Debug)]
pub enum Telling<'r> {
    /// The session, before its messages. Nothing that changes is told here.
    Session(Row<'r>),
    /// A part, before the message itself is told.
    Part {
        /// The message that it is a part of.
        message: Row<'r>,
        /// The part.
        part: Row<'r>,
    },
    /// A message, after its parts.
    Message(Row<'r>),
    /// The session as it is now, beside its text: its title, when it was last written.
    Now(Row<'r>),
}

/// What is told of a session beside its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    /// When it was last written.
    pub updated: Option<Timestamp>,
    /// A person put it away.
    pub archived: bool,
}
