//! What is asked of a database, once its tables are seen to be the agent's: plain tables with plain columns, whatever else
//! stands in the schema.

use memfold_agents::tables::{Children, Column, Need, Size, Table, Tables};

use crate::DatabaseError;
use crate::open::Reader;

/// The most bytes of an id, a time, a title or a path.
const SHORT: u64 = 64 << 10;
/// The most bytes of what was said. A fold leaves out the rest of a string after half as many.
const LONG: u64 = 16 << 20;

/// The statements that read a database, by what they read.
#[derive(Debug)]
pub(crate) struct Selects {
    /// All sessions, by id.
    pub(crate) sessions: String,
    /// The session of an id.
    pub(crate) session: String,
    /// Number and id of each message of a session, in order.
    pub(crate) message_keys: String,
    /// The message of a number.
    pub(crate) message: String,
    /// The same of parts: number and message of each part of a session, in order; the part of a number.
    pub(crate) parts: Option<(String, String)>,
}

impl Selects {
    /// Looks at the tables.
    pub(crate) fn of(tables: &Tables, reader: &Reader) -> Result<Selects, DatabaseError> {
        let sessions = list(&tables.sessions, &["id"], reader)?;
        let messages = &tables.messages;
        let name = tables.sessions.name;
        let parts = match &tables.parts {
            None => None,
            Some(parts) => Some((
                keys(&parts.rows, parts.message, reader)?,
                one(&parts.rows, reader)?,
            )),
        };
        Ok(Selects {
            session: format!("SELECT {sessions} FROM \"{name}\" WHERE \"id\" = ?1 LIMIT 1"),
            sessions: format!("SELECT {sessions} FROM \"{name}\" ORDER BY \"id\" LIMIT ?1"),
            message_keys: keys(messages, messages.id, reader)?,
            message: one(messages, reader)?,
            parts,
        })
    }
}

/// Number and `named` of each row of a session. Ids are compared as they are, and are no longer than ids are.
fn keys(rows: &Children, named: &str, reader: &Reader) -> Result<String, DatabaseError> {
    let needed: Vec<&str> = rows
        .order
        .iter()
        .copied()
        .chain([rows.session, named])
        .collect();
    list(&rows.table, &needed, reader)?;
    let order: String = rows
        .order
        .iter()
        .map(|column| format!("\"{column}\", "))
        .collect();
    Ok(format!(
        "SELECT rowid, CASE WHEN octet_length(\"{named}\") <= {SHORT} THEN CAST(\"{named}\" AS BLOB) END \
         FROM \"{}\" WHERE \"{}\" = ?1 ORDER BY {order}rowid LIMIT ?2",
        rows.table.name, rows.session
    ))
}

fn one(rows: &Children, reader: &Reader) -> Result<String, DatabaseError> {
    let columns = list(&rows.table, &[], reader)?;
    Ok(format!(
        "SELECT {columns} FROM \"{}\" WHERE rowid = ?1",
        rows.table.name
    ))
}

/// The most bytes of a column that are read.
fn most(column: &Column) -> u64 {
    match column.size {
        Size::Short => SHORT,
        Size::Long => LONG,
    }
}

/// What is selected of a table: for each column its value, unless it is too large, and its size, which is known without
/// loading it. `needed` are columns that must be there besides.
fn list(table: &Table, needed: &[&str], reader: &Reader) -> Result<String, DatabaseError> {
    let present = columns(table.name, reader)?;
    let lacks = |name: &str| !present.iter().any(|column| column == name);
    let required = table
        .columns
        .iter()
        .filter(|column| column.need == Need::Required)
        .map(|column| column.name);
    if let Some(missing) = required
        .chain(needed.iter().copied())
        .find(|name| lacks(name))
    {
        return Err(DatabaseError::Foreign {
            what: format!("its table `{}` has no plain column `{missing}`", table.name),
        });
    }
    let selected = table.columns.iter().map(|column| {
        let name = column.name;
        if lacks(name) {
            "NULL, NULL".to_owned()
        } else {
            let most = most(column);
            format!(
                "CASE WHEN octet_length(\"{name}\") <= {most} THEN \"{name}\" END, octet_length(\"{name}\")"
            )
        }
    });
    Ok(selected.collect::<Vec<_>>().join(", "))
}

/// The names of a plain table's plain columns.
fn columns(table: &str, reader: &Reader) -> Result<Vec<String>, DatabaseError> {
    let foreign = |what: &str| DatabaseError::Foreign {
        what: format!("{what} `{table}`"),
    };
    reader.fuel.refill();
    let connection = &reader.connection;
    // A view has no page, nor has a virtual table.
    let plain: Option<bool> = {
        let mut statement = connection.prepare(
            "SELECT type = 'table' AND rootpage > 0 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE \
             AND type IN ('table', 'view')",
        )?;
        let mut rows = statement.query([table])?;
        match rows.next()? {
            Some(row) => Some(row.get::<_, Option<bool>>(0)?.unwrap_or(false)),
            None => None,
        }
    };
    match plain {
        None => return Err(foreign("it has no table")),
        Some(false) => return Err(foreign("not a plain table:")),
        Some(true) => {}
    }
    let mut statement = connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")?;
    let mut rows = statement.query([table])?;
    let mut names = Vec::new();
    while let Some(row) = rows.next()? {
        let (name, hidden): (String, i64) = (row.get(0)?, row.get(1)?);
        if name.eq_ignore_ascii_case("rowid") {
            return Err(foreign("a column takes the place of the rows' numbers in"));
        }
        if hidden == 0 {
            names.push(name);
        }
    }
    Ok(names)
}
