//! Whoever else has a database open, reading it writes none of its files and makes none beside it.

#![allow(clippy::unwrap_used, clippy::panic)] // A test may stop where it stands.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memfold_agents::tables::Tables;
use memfold_database::{Database, DatabaseError};
use rusqlite::Connection;

const SQL: &str = include_str!("../../../corpus/opencode/sessions.sql");
const SESSION: &str = "ses_7d03other";
const MORE: &str = "INSERT INTO part VALUES ('prt_0027', 'msg_0e', 'ses_7d03other', 1, 1, \
    '{\"type\":\"text\",\"text\":\"written a moment ago\"}')";

fn tables() -> &'static Tables {
    memfold_agents::by_name("opencode")
        .unwrap()
        .tables()
        .unwrap()
}

/// What lies in a folder. The index of the log of writes is shared memory, in which readers have a place of their own.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let is_index = path.to_string_lossy().ends_with("-shm");
            let bytes = if is_index {
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };
            (path, bytes)
        })
        .collect()
}

fn read(path: &Path, scratch: &Path) -> Result<String, DatabaseError> {
    let database: Arc<Database> = Database::open(path, tables(), scratch)?;
    assert_eq!(database.sessions()?.sessions.len(), 3);
    let mut text = String::new();
    database.text(SESSION)?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn in_every_state_that_a_writer_leaves() {
    for journal in ["DELETE", "WAL"] {
        let folder = tempfile::tempdir().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.db");
        let writer = Connection::open(&path).unwrap();
        writer
            .query_row(&format!("PRAGMA journal_mode = {journal}"), [], |_| Ok(()))
            .unwrap();
        writer.execute_batch(SQL).unwrap();
        let check = |expected: &str| {
            let before = files(folder.path());
            let text = read(&path, scratch.path()).unwrap();
            assert!(text.contains(expected), "{journal}: {text}");
            assert_eq!(files(folder.path()), before, "{journal}");
            text
        };
        // While it is open, and while a write is under way that is not committed yet.
        check("4173");
        writer.execute_batch(MORE).unwrap();
        let text = check("written a moment ago");
        writer
            .execute_batch("BEGIN; UPDATE session SET title = 'not yet'")
            .unwrap();
        assert_eq!(check("4173"), text);
        writer.execute_batch("COMMIT").unwrap();
        check("4173");

        // A writer that was killed leaves its files as they are.
        let killed = tempfile::tempdir().unwrap();
        for ending in ["", "-wal", "-shm"] {
            let from = format!("{}{ending}", path.display());
            if Path::new(&from).exists() {
                fs::copy(from, killed.path().join(format!("made.db{ending}"))).unwrap();
            }
        }
        let path = killed.path().join("made.db");
        let before = files(killed.path());
        assert_eq!(
            read(&path, scratch.path()).unwrap(),
            text,
            "{journal}, killed"
        );
        assert_eq!(files(killed.path()), before, "{journal}, killed");
        // The index lost with the machine: a copy is read.
        let _ = fs::remove_file(killed.path().join("made.db-shm"));
        let before = files(killed.path());
        assert_eq!(
            read(&path, scratch.path()).unwrap(),
            text,
            "{journal}, without an index"
        );
        assert_eq!(files(killed.path()), before, "{journal}, without an index");
        assert_eq!(
            fs::read_dir(scratch.path()).unwrap().count(),
            0,
            "a copy was left"
        );

        // Closed in order.
        drop(writer);
        assert_eq!(files(folder.path()).len(), 1);
        assert_eq!(check("4173"), text);
    }
}

#[test]
fn what_changes_while_nobody_was_thought_to_write_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.db");
    let writer = Connection::open(&path).unwrap();
    writer
        .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    writer.execute_batch(SQL).unwrap();
    writer.close().unwrap();
    let database = Database::open(&path, tables(), folder.path()).unwrap();
    let mut text = database.text(SESSION).unwrap();
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch(MORE).unwrap();
    let error = text.read_to_string(&mut String::new()).unwrap_err();
    assert_eq!(error.to_string(), DatabaseError::Changed.to_string());
}

#[test]
fn a_write_that_was_cut_short_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch(SQL).unwrap();
    // A page is spilled into the file before the transaction is over.
    writer.execute_batch("PRAGMA cache_size = 1; BEGIN; UPDATE part SET data = data || ' '; UPDATE message SET data = data || ' '").unwrap();
    let killed = tempfile::tempdir().unwrap();
    for ending in ["", "-journal"] {
        fs::copy(
            format!("{}{ending}", path.display()),
            killed.path().join(format!("made.db{ending}")),
        )
        .unwrap();
    }
    let before = files(killed.path());
    let error = read(&killed.path().join("made.db"), killed.path()).unwrap_err();
    assert!(matches!(error, DatabaseError::CutShort), "{error:?}");
    assert_eq!(files(killed.path()), before);
}
