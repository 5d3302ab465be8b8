//! Agents' databases, read and never written: the sessions in them, each as a text of lines that is framed, hashed and folded
//! like any log. SQLite is known here alone; what the tables are called and what their rows say is the agents'.
//!
//! A database is somebody else's, in use, and perhaps hostile. So:
//!
//! - No file of it is written or made, and none beside it. One that is in use is read by SQLite's own protocol; one whose
//!   writer is gone is read as it lies; one that cannot be read without repairing it is copied first (`open`).
//! - A row is read from a plain table alone: no view, no virtual table and no computed column is, and no trigger runs
//!   (`schema`). What a statement may cost is bounded by the size of the file (`fuel`), what it may hold by that of a row.
//! - A text is read within one transaction. It depends on the rows alone: read again, it is the same bytes (`text`).

mod error;
mod fuel;
mod open;
mod read;
mod schema;
mod sessions;
mod text;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use memfold_agents::tables::Tables;
use memfold_disk::{Identity, Links};

pub use error::DatabaseError;
use open::{Access, Reader};
use schema::Selects;
pub use sessions::{Listing, Session};
pub use text::SessionText;

/// A database of sessions, opened.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    tables: &'static Tables,
    stood: Standing,
    access: Access,
    selects: Selects,
    idle: Mutex<Vec<Reader>>,
}

/// What stat says of a database: of its file, and of the log of writes beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    file: Identity,
    writes: Option<Identity>,
}

impl Standing {
    /// As it is now.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn of(path: &Path) -> Result<Standing, DatabaseError> {
        let file = Identity::at(path, Links::Follow)?;
        let writes = Identity::at(beside(path, "-wal"), Links::Refuse).ok();
        Ok(Standing { file, writes })
    }

    /// Both as one identity: it changes with either, or if the second comes or goes.
    pub fn identity(&self) -> Identity {
        let Standing { file, writes } = *self;
        let Some(writes) = writes else { return file };
        Identity {
            inode: file.inode ^ writes.inode.rotate_left(32),
            size: file.size.saturating_add(writes.size),
            mtime_ns: file.mtime_ns.max(writes.mtime_ns),
            ctime_ns: file.ctime_ns.max(writes.ctime_ns),
            ..file
        }
    }
}

impl Database {
    /// Opens a database of an agent's. `scratch` is a folder of ours, made if a copy has to be read.
    ///
    /// # Errors
    /// If it cannot be read, or its tables are not those of the agent.
    pub fn open(
        path: &Path,
        tables: &'static Tables,
        scratch: &Path,
    ) -> Result<Arc<Database>, DatabaseError> {
        let stood = Standing::of(path)?;
        let access = Access::choose(path, &stood, scratch)?;
        let reader = access.reader(stood.identity().size)?;
        let selects = Selects::of(tables, &reader)?;
        Ok(Arc::new(Database {
            path: path.to_owned(),
            tables,
            stood,
            access,
            selects,
            idle: Mutex::new(vec![reader]),
        }))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What stat said of it before anything of it was read.
    pub fn stood(&self) -> Standing {
        self.stood
    }

    /// Where a session of it is, as a path: the database's, with the session's id below it. No file can have that path.
    pub fn address(&self, session: &str) -> PathBuf {
        self.path.join(session)
    }

    fn reader(&self) -> Result<Reader, DatabaseError> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        match idle {
            Some(reader) => Ok(reader),
            None => self.access.reader(self.stood.identity().size),
        }
    }

    fn give_back(&self, reader: Reader) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(reader);
        }
    }

    /// What was read of a file that nobody was writing counts only if nobody began to.
    fn still_stands(&self) -> Result<(), DatabaseError> {
        if self.access.is_locked() || Standing::of(&self.path)? == self.stood {
            Ok(())
        } else {
            Err(DatabaseError::Changed)
        }
    }
}

/// A file that SQLite keeps beside a database.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
