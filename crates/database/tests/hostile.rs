//! Databases that are none, are damaged, or were made to be read by nobody: each is refused with a reason, and nothing hangs.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // A test may stop where it stands.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use memfold_agents::tables::Tables;
use memfold_database::{Database, DatabaseError};
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

const SQL: &str = include_str!("../../../corpus/opencode/sessions.sql");
const SESSION: &str = "ses_7d01main";

fn tables() -> &'static Tables {
    memfold_agents::by_name("opencode")
        .unwrap()
        .tables()
        .unwrap()
}

fn made(sql: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
    (folder, path)
}

fn open(path: &Path) -> Result<Arc<Database>, DatabaseError> {
    Database::open(path, tables(), &path.with_file_name("scratch"))
}

fn refused(sql: &str) -> String {
    let (_folder, path) = made(sql);
    match open(&path) {
        Err(error @ DatabaseError::Foreign { .. }) => error.to_string(),
        other => panic!("{sql}: {other:?}"),
    }
}

fn text(database: &Arc<Database>, session: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut read = database.text(session).map_err(|error| error.to_string())?;
    read.read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    Ok(text)
}

#[test]
fn what_is_no_plain_table_is_not_read() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    for (session, what) in [
        ("", "it has no table `session`"),
        (
            "CREATE TABLE session (id text, title text);",
            "its table `session` has no plain column `directory`",
        ),
        (
            &format!("CREATE VIEW session AS {endless} SELECT i AS id, 'a' AS directory FROM n;"),
            "not a plain table: `session`",
        ),
        (
            "CREATE VIRTUAL TABLE session USING fts5(id, directory);",
            "not a plain table: `session`",
        ),
        (
            "CREATE TABLE session (id text, directory text AS (hex(zeroblob(100000000))));",
            "its table `session` has no plain column `directory`",
        ),
        (
            "CREATE TABLE session (id text, directory text, rowid text);",
            "a column takes the place of the rows' numbers in `session`",
        ),
        (
            "CREATE TABLE SESSION (id text, directory text);",
            "it has no table `part`",
        ),
    ] {
        let said = refused(&format!("CREATE TABLE other (x); {session}"));
        assert!(said.ends_with(what), "{session}: {said}");
    }
}

#[test]
fn files_that_are_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    for bytes in [
        &b""[..],
        b"{\"json\": true}\n",
        &[0; 4096],
        b"SQLite format 3\0",
    ] {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(open(&path), Err(DatabaseError::NotADatabase)));
    }
    let gone = open(&folder.path().join("none.db")).unwrap_err();
    assert!(matches!(gone, DatabaseError::Disk(error) if error.is_not_found()));
}

#[test]
fn ids_that_are_no_names_are_counted() {
    let (_folder, path) = made(&format!(
        "{SQL} INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) \
         VALUES ('../../etc', 'p1', '', '/', '', '', 0, 0), ('', 'p1', '', '/', '', '', 0, 0), \
         (NULL, 'p1', '', '/', '', '', 0, 0), (printf('%.300c', 'a'), 'p1', '', '/', '', '', 0, 0);"
    ));
    let listing = open(&path).unwrap().sessions().unwrap();
    assert_eq!((listing.sessions.len(), listing.nameless), (3, 4));
}

#[test]
fn what_is_too_large_is_stepped_over() {
    let (_folder, path) = made(&format!(
        "{SQL} INSERT INTO part VALUES ('prt_0005a', 'msg_01', '{SESSION}', 0, 0, \
         '{{\"type\":\"text\",\"text\":\"' || hex(zeroblob(20000000)) || '\"}}'); \
         UPDATE part SET data = 'no JSON {{\"' WHERE id = 'prt_0007'; \
         UPDATE message SET data = NULL WHERE id = 'msg_06' AND false; \
         UPDATE session SET title = hex(zeroblob(1000000)) WHERE id = '{SESSION}';"
    ));
    let database = open(&path).unwrap();
    let text = text(&database, SESSION).unwrap();
    assert!(text.len() < 10_000);
    assert!(text.contains("prt_0008") && !text.contains("prt_0007"));
    let listing = database.sessions().unwrap();
    assert!(
        listing
            .sessions
            .iter()
            .all(|session| session.about.len() < 1000)
    );
}

#[test]
fn without_its_indexes_a_session_is_read_all_the_same() {
    let (_folder, path) = made(&format!(
        "{SQL} DROP INDEX part_session_idx; DROP INDEX part_message_id_id_idx; DROP INDEX message_session_time_created_id_idx;"
    ));
    let (_other, whole) = made(SQL);
    assert_eq!(
        text(&open(&path).unwrap(), SESSION),
        text(&open(&whole).unwrap(), SESSION)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Whatever bytes are changed or cut: an answer or a reason, and no panic.
    #[test]
    fn damage_is_told(
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
    ) {
        static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
        let whole = WHOLE.get_or_init(|| {
            let (_folder, path) = made(SQL);
            fs::read(path).unwrap()
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.db");
        let mut bytes = whole.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&path, &bytes).unwrap();
        if let Ok(database) = open(&path)
            && let Ok(listing) = database.sessions()
        {
            for session in listing.sessions {
                // Not to be believed, but to end.
                let _ = text(&database, &session.id);
            }
        }
        prop_assert!(fs::read(&path).unwrap() == bytes, "a database was written");
    }
}
