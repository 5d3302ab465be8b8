//! How a database is opened so that no file of it is written or made.
//!
//! | what lies there | who writes it | how it is read |
//! |---|---|---|
//! | the file, with a rollback journal's header | anyone, in place | by SQLite's locks |
//! | the file, its `-wal` and its `-shm` | its agent, now or until it was killed | by SQLite's protocol: a reader marks its place in the `-shm`, which is shared for that |
//! | the file of a WAL database alone | nobody: its last writer put it in order | as it lies (`immutable`), without a lock, since SQLite would make the other two; if it changes meanwhile, what was read does not count |
//! | the file and its `-wal`, no `-shm` | nobody: copied so, or its writer was lost with the machine | from a copy in a folder of ours, since SQLite would make the `-shm` |

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::{Identity, Links, Snapshot};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::fuel::Fuel;
use crate::{DatabaseError, Standing, beside};

/// How long a locked database is waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// A database is copied up to this size.
const MOST_COPIED: u64 = 2 << 30;
/// What an SQLite database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where its header says how it is written: 1 with a rollback journal, 2 with a log of writes.
const WRITE_VERSION: usize = 18;
/// The length of the header.
const HEADER: usize = 100;

/// How a database's file is opened.
#[derive(Debug)]
pub(crate) enum Access {
    /// With SQLite's locks.
    Locked(PathBuf),
    /// As it lies: nobody writes it.
    AsItLies(PathBuf),
    /// A copy of it, which goes with this.
    Copied(
        PathBuf,
        #[allow(dead_code, reason = "its end removes the copy")] TempDir,
    ),
}

/// A connection and the steps that it may make.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) connection: Connection,
    pub(crate) fuel: Fuel,
}

impl Access {
    /// Looks at what lies there. The header is read before SQLite opens the file: a process that closes a file loses its own
    /// locks on it.
    pub(crate) fn choose(
        path: &Path,
        stood: &Standing,
        scratch: &Path,
    ) -> Result<Access, DatabaseError> {
        let file = Snapshot::open(path, Links::Follow)?;
        let header = file
            .read_at(0, HEADER)
            .map_err(|_| DatabaseError::NotADatabase)?;
        drop(file);
        if !header.starts_with(MAGIC) {
            return Err(DatabaseError::NotADatabase);
        }
        if header.get(WRITE_VERSION) != Some(&2) {
            return Ok(Access::Locked(path.to_owned()));
        }
        let has_index = Identity::at(beside(path, "-shm"), Links::Refuse).is_ok();
        match stood.writes {
            Some(_) if has_index => Ok(Access::Locked(path.to_owned())),
            Some(writes) if writes.size > 0 => {
                if stood.identity().size > MOST_COPIED {
                    return Err(DatabaseError::TooLargeToCopy);
                }
                copied(path, scratch)
            }
            _ => Ok(Access::AsItLies(path.to_owned())),
        }
    }

    /// Whether what is read is one state of the database whatever others write.
    pub(crate) fn is_locked(&self) -> bool {
        !matches!(self, Access::AsItLies(_))
    }

    /// A connection to a database of `bytes` bytes.
    pub(crate) fn reader(&self, bytes: u64) -> Result<Reader, DatabaseError> {
        let (path, parameters) = match self {
            Access::Locked(path) => (path, "mode=ro"),
            Access::AsItLies(path) => (path, "mode=ro&immutable=1"),
            Access::Copied(path, _) => (path, "mode=rw"),
        };
        let access = match self {
            Access::Copied(..) => OpenFlags::SQLITE_OPEN_READ_WRITE,
            _ => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let flags = access
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_EXRESCODE;
        let mut connection =
            Connection::open_with_flags(format!("file:{}?{parameters}", escaped(path)), flags)?;
        harden(&connection)?;
        let fuel = Fuel::of(&mut connection, bytes)?;
        Ok(Reader { connection, fuel })
    }
}

/// What its own documentation advises for a database of unknown origin, and that nothing is written.
fn harden(connection: &Connection) -> Result<(), DatabaseError> {
    connection.busy_timeout(PATIENCE)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
        connection.set_db_config(setting, on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (Limit::SQLITE_LIMIT_COLUMN, 200),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 50),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 3),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    // No map: a file that another process cuts would be a SIGBUS. No file for what is sorted: keys alone are.
    connection.execute_batch(
        "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(())
}

/// A copy of the file and its log of writes, in a folder of its own that only this user may enter.
fn copied(path: &Path, scratch: &Path) -> Result<Access, DatabaseError> {
    memfold_disk::private_dir(scratch)?;
    let folder = tempfile::Builder::new()
        .prefix("database-")
        .tempdir_in(scratch)?;
    memfold_disk::private_dir(folder.path())?;
    let copy = folder.path().join("copy.db");
    for ending in ["", "-wal"] {
        let from = Snapshot::open(beside(path, ending), Links::Follow)?;
        let mut into = File::create(beside(&copy, ending))?;
        io::copy(&mut from.reader(0), &mut into)?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
    }
    Ok(Access::Copied(copy, folder))
}

/// A path as a part of a `file:` address.
fn escaped(path: &Path) -> String {
    let mut address = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' => address.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(*byte)),
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}
