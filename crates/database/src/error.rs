//! Why a database cannot be read, each in one line that says what to do where something can be done.

use memfold_disk::DiskError;
use rusqlite::ErrorCode;

/// Why a database, or a session of it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The file is no database.
    #[error("not an SQLite database")]
    NotADatabase,
    /// Its tables are not those of the agent, or of a version that is not known here.
    #[error("a database in a form that is not known here: {what}")]
    Foreign {
        /// What is missing, or is other than it should be.
        what: String,
    },
    /// A writer stopped within a write, and nobody has repaired the file.
    #[error("a write to it was cut short; start its agent once, which repairs it")]
    CutShort,
    /// Its agent holds it.
    #[error("it is locked by its agent; try again")]
    Busy,
    /// It was written while it was read.
    #[error("it changed while it was read; try again")]
    Changed,
    /// Reading it costs more than its size explains.
    #[error("reading it takes more steps than its size explains")]
    TooMuch,
    /// It holds more than is read.
    #[error("it holds more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// So many are read.
        most: usize,
    },
    /// It could be read from a copy alone, and is too large to be copied.
    #[error(
        "its log of writes is left over and it is too large to be copied; start its agent once, which puts that in order"
    )]
    TooLargeToCopy,
    /// There is no such session.
    #[error("it holds no session {id}")]
    NoSession {
        /// The session's id.
        id: String,
    },
    /// It is not as SQLite writes databases.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A file cannot be read, or a copy cannot be made.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A copy cannot be made.
    #[error("it cannot be copied: {0}")]
    Copy(#[from] std::io::Error),
    /// SQLite refuses, in its own words.
    #[error("{0}")]
    Sqlite(String),
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> DatabaseError {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => DatabaseError::NotADatabase,
            Some(ErrorCode::DatabaseCorrupt) => DatabaseError::Damaged(error.to_string()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => DatabaseError::Busy,
            Some(ErrorCode::OperationInterrupted) => DatabaseError::TooMuch,
            Some(ErrorCode::ReadOnly) => DatabaseError::CutShort,
            _ => DatabaseError::Sqlite(error.to_string()),
        }
    }
}
