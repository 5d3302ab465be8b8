//! SQLite's FTS5 as a peer: a contentless table, its default tokenizer, ranked by its own BM25. `detail` stays at its
//! default: with less, FTS5 keeps no frequencies and cannot rank. One transaction, no journal and no sync: it pays for no
//! safety here. It has one thread.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::Result;
use super::documents::{DocumentId, Reading};

/// Makes an index of the documents that `read` gives one by one.
pub(crate) fn build(file: &Path, read: &mut Reading<'_>) -> Result<()> {
    let database = Connection::open(file)?;
    database.execute_batch(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;
         PRAGMA cache_size=-65536;
         CREATE VIRTUAL TABLE event USING fts5(text, content='');
         BEGIN;",
    )?;
    let mut insert = database.prepare("INSERT INTO event(rowid, text) VALUES (?1, ?2)")?;
    read(&mut |number, words| {
        insert.execute(params![i64::try_from(number.number())?, words])?;
        Ok(())
    })?;
    drop(insert);
    database.execute_batch("COMMIT;")?;
    Ok(())
}

/// An opened index.
pub(crate) struct Fts5 {
    database: Connection,
}

impl Fts5 {
    pub(crate) fn open(file: &Path) -> Result<Fts5> {
        let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        database.execute_batch("PRAGMA mmap_size=8000000000; PRAGMA cache_size=-65536;")?;
        Ok(Fts5 { database })
    }

    /// The documents that hold any of the words, best first.
    pub(crate) fn search(&self, words: &[String], limit: usize) -> Result<Vec<DocumentId>> {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let mut select = self.database.prepare_cached(
            "SELECT rowid FROM event WHERE event MATCH ?1 ORDER BY rank LIMIT ?2",
        )?;
        let rows = select
            .query_map(params![quoted.join(" OR "), i64::try_from(limit)?], |row| {
                row.get::<_, i64>(0)
            })?;
        rows.map(|row| Ok(DocumentId::of(u64::try_from(row?)?)))
            .collect()
    }
}
