//! What a statement may cost. SQLite counts the steps of its machine; past what the file's size explains it is interrupted, so
//! that no schema and no damage can make a read go on for ever. Steps, not time: the same file is read or refused anywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::Connection;

/// SQLite asks once in so many steps.
const STRIDE: i32 = 1 << 14;
/// So many steps are never too many.
const FREE: u64 = 5_000_000;

/// The steps that a connection's statement may still make.
#[derive(Debug)]
pub(crate) struct Fuel {
    left: Arc<AtomicI64>,
    full: i64,
}

impl Fuel {
    /// For a database of this size. A row takes some twenty steps and has at least a few bytes; a scan reads it once.
    pub(crate) fn of(connection: &mut Connection, bytes: u64) -> rusqlite::Result<Fuel> {
        Fuel::with(connection, FREE.saturating_add(bytes.saturating_mul(16)))
    }

    fn with(connection: &mut Connection, steps: u64) -> rusqlite::Result<Fuel> {
        let full = i64::try_from(steps).unwrap_or(i64::MAX);
        let left = Arc::new(AtomicI64::new(full));
        let burnt = Arc::clone(&left);
        connection.progress_handler(
            STRIDE,
            Some(move || burnt.fetch_sub(i64::from(STRIDE), Ordering::Relaxed) <= 0),
        )?;
        Ok(Fuel { left, full })
    }

    /// Before each statement.
    pub(crate) fn refill(&self) {
        self.left.store(self.full, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatabaseError;

    #[test]
    fn a_statement_without_end_ends() {
        let mut connection = Connection::open_in_memory().unwrap();
        let fuel = Fuel::with(&mut connection, 1_000_000).unwrap();
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        for _ in 0..2 {
            let error = connection
                .query_row(endless, [], |row| row.get::<_, i64>(0))
                .unwrap_err();
            assert!(matches!(DatabaseError::from(error), DatabaseError::TooMuch));
            fuel.refill();
        }
        let short: i64 = connection
            .query_row("SELECT 1", [], |row| row.get(0))
            .unwrap();
        assert_eq!(short, 1);
    }
}
