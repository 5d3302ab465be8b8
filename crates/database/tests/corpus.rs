//! Made-up databases (`corpus/<agent>/sessions.sql`) tell exactly the texts that stand beside them (`<session>.jsonl`), however
//! the database is laid out. `UPDATE_TEXTS=1` writes the texts; read the difference before committing it.

#![allow(clippy::unwrap_used, clippy::panic)] // A test may stop where it stands.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_database::Database;
use rusqlite::Connection;

fn corpora() -> Vec<(&'static dyn Agent, PathBuf)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    memfold_agents::all()
        .iter()
        .filter(|agent| agent.tables().is_some())
        .map(|agent| (*agent, corpus.join(agent.name())))
        .collect()
}

fn made(folder: &Path, sql: &str, before: &str) -> PathBuf {
    let path = folder.join("made.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(before).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
    path
}

#[test]
fn every_session_is_told_as_it_was() {
    for (agent, corpus) in corpora() {
        let sql = fs::read_to_string(corpus.join("sessions.sql")).unwrap();
        for before in [
            "",
            "PRAGMA journal_mode = WAL",
            "PRAGMA page_size = 512; PRAGMA encoding = 'UTF-16le'",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = made(folder.path(), &sql, before);
            let database = Database::open(&path, agent.tables().unwrap(), folder.path()).unwrap();
            let listing = database.sessions().unwrap();
            assert_eq!(listing.nameless, 0);
            assert!(listing.sessions.len() > 1);
            for session in listing.sessions {
                let mut text = String::new();
                database
                    .text(&session.id)
                    .unwrap()
                    .read_to_string(&mut text)
                    .unwrap();
                let told = corpus.join(format!("{}.jsonl", session.id));
                if std::env::var_os("UPDATE_TEXTS").is_some() {
                    fs::write(&told, &text).unwrap();
                }
                let expected = fs::read_to_string(&told).unwrap_or_default();
                for (number, pair) in text.lines().zip(expected.lines()).enumerate() {
                    assert_eq!(pair.0, pair.1, "{}:{}", told.display(), number + 1);
                }
                assert_eq!(text.len(), expected.len(), "{}", told.display());
            }
        }
    }
}
