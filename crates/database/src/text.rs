//! A session as a text: its rows in order, told as lines. First the numbers of all rows are read, then one row after another,
//! so that no more than a row is held, however many there are. All within one transaction: one state of the database.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;
use std::vec;

use memfold_agents::tables::{Cell, Row, Telling};
use rusqlite::params;

use crate::open::Reader;
use crate::{Database, DatabaseError, read};

/// The most messages, and the most parts, of a session.
const MOST: usize = 1 << 22;
/// So many bytes of lines are made at a time.
const FILL: usize = 256 << 10;

/// The text of a session, to be read from its start.
pub struct SessionText {
    database: Arc<Database>,
    reader: Option<Reader>,
    messages: vec::IntoIter<Message>,
    current: Option<Current>,
    lines: Vec<u8>,
    given: usize,
    over: bool,
}

/// A message, by its row's number, with those of its parts.
struct Message {
    number: i64,
    parts: Vec<i64>,
}

/// The number of a row, and the id that it has or belongs to.
type Key = (i64, Option<Vec<u8>>);

/// The message that is being told.
struct Current {
    cells: Vec<Cell>,
    parts: vec::IntoIter<i64>,
}

impl Database {
    /// The text of a session.
    ///
    /// # Errors
    /// If the database cannot be read, or holds no such session.
    pub fn text(self: &Arc<Database>, session: &str) -> Result<SessionText, DatabaseError> {
        let reader = self.reader()?;
        reader.fuel.refill();
        reader.connection.execute_batch("BEGIN")?;
        let mut text = SessionText {
            database: Arc::clone(self),
            reader: Some(reader),
            messages: Vec::new().into_iter(),
            current: None,
            lines: Vec::new(),
            given: 0,
            over: false,
        };
        text.begin(session)?;
        Ok(text)
    }
}

impl SessionText {
    fn begin(&mut self, session: &str) -> Result<(), DatabaseError> {
        let Some(reader) = &self.reader else {
            return Ok(());
        };
        let (tables, selects) = (self.database.tables, &self.database.selects);
        let connection = &reader.connection;
        let columns = tables.sessions.columns;
        let cells = {
            let mut statement = connection.prepare(&selects.session)?;
            let mut rows = statement.query([session])?;
            read::next(&mut rows, columns)?
        };
        let cells = cells.ok_or_else(|| DatabaseError::NoSession {
            id: session.to_owned(),
        })?;
        (tables.tell)(
            &Telling::Session(Row::new(columns, &cells)),
            &mut self.lines,
        );

        let keys = |select: &str, what| -> Result<Vec<Key>, DatabaseError> {
            reader.fuel.refill();
            let mut statement = connection.prepare(select)?;
            let most = i64::try_from(MOST.saturating_add(1)).unwrap_or(i64::MAX);
            let keys = statement
                .query_map(params![session, most], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<Vec<_>, _>>()?;
            if keys.len() > MOST {
                return Err(DatabaseError::TooMany { what, most: MOST });
            }
            Ok(keys)
        };
        let mut parts: HashMap<Vec<u8>, Vec<i64>> = HashMap::new();
        if let Some((select, _)) = &selects.parts {
            for (number, message) in keys(select, "parts of a session")? {
                parts
                    .entry(message.unwrap_or_default())
                    .or_default()
                    .push(number);
            }
        }
        let messages: Vec<Message> = keys(&selects.message_keys, "messages of a session")?
            .into_iter()
            .map(|(number, id)| Message {
                number,
                parts: id.and_then(|id| parts.remove(&id)).unwrap_or_default(),
            })
            .collect();
        self.messages = messages.into_iter();
        Ok(())
    }

    /// Makes the next lines.
    fn fill(&mut self) -> Result<(), DatabaseError> {
        let Some(reader) = &self.reader else {
            return Ok(());
        };
        self.lines.clear();
        self.given = 0;
        let (tables, selects) = (self.database.tables, &self.database.selects);
        reader.fuel.refill();
        let mut messages = reader.connection.prepare(&selects.message)?;
        let mut parts = match (&selects.parts, &tables.parts) {
            (Some((_, select)), Some(parts)) => {
                Some((reader.connection.prepare(select)?, parts.rows.table.columns))
            }
            _ => None,
        };
        let columns = tables.messages.table.columns;
        while self.lines.len() < FILL {
            let Some(current) = &mut self.current else {
                let Some(message) = self.messages.next() else {
                    self.over = true;
                    break;
                };
                let mut rows = messages.query([message.number])?;
                self.current = read::next(&mut rows, columns)?.map(|cells| Current {
                    cells,
                    parts: message.parts.into_iter(),
                });
                continue;
            };
            let message = Row::new(columns, &current.cells);
            let part = parts.as_mut().zip(current.parts.next());
            let Some(((statement, part_columns), number)) = part else {
                (tables.tell)(&Telling::Message(message), &mut self.lines);
                self.current = None;
                continue;
            };
            let mut rows = statement.query([number])?;
            if let Some(cells) = read::next(&mut rows, part_columns)? {
                let part = Row::new(part_columns, &cells);
                (tables.tell)(&Telling::Part { message, part }, &mut self.lines);
            }
        }
        Ok(())
    }

    /// Ends the transaction. Whoever reads on gets nothing more.
    fn end(&mut self) {
        if let Some(reader) = self.reader.take() {
            // It only read. Where even that fails the connection is not used again.
            if reader.connection.execute_batch("ROLLBACK").is_ok() {
                self.database.give_back(reader);
            }
        }
    }
}

impl Read for SessionText {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given >= self.lines.len() {
            if self.over {
                self.end();
                return self
                    .database
                    .still_stands()
                    .map(|()| 0)
                    .map_err(io::Error::other);
            }
            if let Err(error) = self.fill() {
                self.lines.clear();
                self.over = true;
                return Err(io::Error::other(error));
            }
        }
        let left = self.lines.get(self.given..).unwrap_or_default();
        let count = left.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), left.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given = self.given.saturating_add(count);
        Ok(count)
    }
}

impl Drop for SessionText {
    fn drop(&mut self) {
        self.end();
    }
}
