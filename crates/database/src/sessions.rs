//! The sessions of a database, and what each says of itself without its messages being read.

use std::path::PathBuf;

use memfold_agents::tables::{Cell, Row, SessionState, Telling};
use memfold_disk::Identity;

use crate::{Database, DatabaseError, read};

/// The most sessions that are listed.
const MOST: usize = 100_000;
/// The most bytes of a session's id.
const LONGEST_ID: usize = 200;

/// A session, as it is listed.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Its address as a path: see [`Database::address`].
    pub path: PathBuf,
    /// When it was written and whether it was put away.
    pub state: SessionState,
    /// What its rows say of it: lines that its agent reads.
    pub about: Vec<u8>,
    /// The database's identity, written when the session was. It changes with any write to the database: which session a
    /// write was to, no stat tells.
    pub identity: Identity,
}

/// The sessions of a database.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// By id.
    pub sessions: Vec<Session>,
    /// So many rows are no sessions: their ids are no names.
    pub nameless: usize,
}

impl Database {
    /// Lists its sessions.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn sessions(&self) -> Result<Listing, DatabaseError> {
        let reader = self.reader()?;
        let mut listing = Listing::default();
        let columns = self.tables.sessions.columns;
        {
            reader.fuel.refill();
            let mut statement = reader.connection.prepare(&self.selects.sessions)?;
            let mut rows =
                statement.query([i64::try_from(MOST).unwrap_or(i64::MAX).saturating_add(1)])?;
            while let Some(cells) = read::next(&mut rows, columns)? {
                if listing.sessions.len() >= MOST {
                    return Err(DatabaseError::TooMany {
                        what: "sessions",
                        most: MOST,
                    });
                }
                match self.session(&cells) {
                    Some(session) => listing.sessions.push(session),
                    None => listing.nameless = listing.nameless.saturating_add(1),
                }
            }
        }
        self.give_back(reader);
        self.still_stands()?;
        Ok(listing)
    }

    fn session(&self, cells: &[Cell]) -> Option<Session> {
        let row = Row::new(self.tables.sessions.columns, cells);
        let id = row.text("id").filter(|id| is_name(id))?.to_owned();
        let state = (self.tables.state)(&row);
        let mut about = Vec::new();
        (self.tables.tell)(&Telling::Session(row), &mut about);
        (self.tables.tell)(&Telling::Now(row), &mut about);
        let whole = self.stood.identity();
        let written = state.updated.map(|time| time.0.saturating_mul(1_000_000));
        Some(Session {
            path: self.address(&id),
            identity: Identity {
                mtime_ns: written.unwrap_or(whole.mtime_ns),
                ..whole
            },
            id,
            state,
            about,
        })
    }
}

/// Whether an id can stand as the last name of a path.
fn is_name(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !id.is_empty() && id.len() <= LONGEST_ID && !id.starts_with('.') && id.bytes().all(plain)
}
