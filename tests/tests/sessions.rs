//! Sessions of a database from end to end: found below a home, named, folded, searched, read back and forgotten, with not a
//! byte of the database changed.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::PathBuf;

use memfold::{Logs, Quiet, Recall, Viewer};
use memfold_tests::home::{Home, row, search};
use rusqlite::Connection;

/// An agent's database in a home.
struct Agent {
    name: &'static str,
    /// Where its database lies, below the home.
    database: &'static str,
    sql: &'static str,
    /// A session of the project `/work/api`, a word of it, and the address of an event that has it.
    session: &'static str,
    word: &'static str,
    title: &'static str,
    helper: &'static str,
    /// Adds a turn to the session that says "the gate held".
    more: &'static str,
}

const AGENTS: &[Agent] = &[
    Agent {
        name: "opencode",
        database: "home/.local/share/opencode/opencode.db",
        sql: include_str!("../../corpus/opencode/sessions.sql"),
        session: "ses_7d01main",
        word: "denylist symlink",
        title: "Symlinks and the denylist",
        helper: "ses_7d01main/ses_7d02child",
        more: "INSERT INTO message VALUES ('msg_0x', 'ses_7d01main', 1782446000000, 0, \
           '{\"role\":\"user\",\"time\":{\"created\":1782446000000}}'); \
           INSERT INTO part VALUES ('prt_0x', 'msg_0x', 'ses_7d01main', 0, 0, '{\"type\":\"text\",\"text\":\"the gate held\"}'); \
           INSERT INTO message VALUES ('msg_0y', 'ses_7d01main', 1782446000001, 0, \
           '{\"role\":\"assistant\",\"finish\":\"stop\",\"time\":{\"created\":1782446000001,\"completed\":1782446000002}}'); \
           INSERT INTO part VALUES ('prt_0y', 'msg_0y', 'ses_7d01main', 0, 0, '{\"type\":\"text\",\"text\":\"So it did.\"}');",
    },
    Agent {
        name: "goose",
        database: "home/.local/share/goose/sessions/sessions.db",
        sql: include_str!("../../corpus/goose/sessions.sql"),
        session: "20260302_1",
        word: "denylist symlink",
        title: "Symlinks and the denylist",
        helper: "20260302_1/20260302_2",
        more: r#"INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES
            ('20260302_1', 'user', '[{"type":"text","text":"the gate held"}]', 1782446000),
            ('20260302_1', 'assistant', '[{"type":"text","text":"So it did."}]', 1782446001);"#,
    },
];

impl Agent {
    fn home(&self) -> (Home, Connection) {
        let home = Home::new();
        let path = home.at(self.database);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let writer = Connection::open(&path).unwrap();
        writer
            .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            .unwrap();
        let project = home.at("project").display().to_string();
        writer
            .execute_batch(&self.sql.replace("/work/api", &project))
            .unwrap();
        (home, writer)
    }

    fn address(&self, home: &Home) -> PathBuf {
        home.at(self.database).join(self.session)
    }
}

fn found(home: &Home, query: &str, logs: Logs) -> Vec<(String, u64)> {
    let answer = home.engine().search(&search(query, logs), &Quiet).unwrap();
    assert!(answer.complete, "{:?}", answer.notes);
    let hits = answer.results.iter();
    hits.map(|hit| (hit.task.clone(), hit.seq)).collect()
}

#[test]
fn found_named_searched_and_read_back() {
    for agent in AGENTS {
        let (home, _writer) = agent.home();
        let files = ["", "-wal"].map(|ending| home.at(format!("{}{ending}", agent.database)));
        let before = files.each_ref().map(|file| fs::read(file).unwrap());
        let listed = home.engine().logs(&Logs::Project).unwrap();
        let tasks: Vec<&str> = listed.logs.iter().map(|log| &*log.task).collect();
        assert!(
            tasks.contains(&agent.session) && tasks.contains(&agent.helper),
            "{tasks:?}"
        );
        let main = listed
            .logs
            .iter()
            .find(|log| log.task == agent.session)
            .unwrap();
        assert_eq!((main.agent, &*main.title), (agent.name, agent.title));
        assert_eq!(main.path, agent.address(&home));
        let all = home.engine().logs(&Logs::Everywhere).unwrap();
        assert_eq!(all.logs.len(), listed.logs.len() + 1, "another project's");

        let first = found(&home, agent.word, Logs::Project);
        assert!(
            first.iter().any(|(task, _)| task == agent.session),
            "{first:?}"
        );
        assert_eq!(
            found(&home, agent.word, Logs::Project),
            first,
            "again, from its sidecar"
        );
        assert_eq!(
            found(&home, agent.word, Logs::File(agent.address(&home))).len(),
            {
                let own = first.iter().filter(|(task, _)| task == agent.session);
                own.count()
            }
        );
        for (task, seq) in &first {
            let recall = Recall {
                address: format!("{task}:{seq}"),
                logs: Logs::Project,
                start: 1,
                count: 80,
            };
            let recalled = home.engine().recall(&recall, &Quiet).unwrap();
            assert_eq!(recalled.seq, *seq);
            assert!(!recalled.lines.is_empty());
        }
        let resume = home.engine().resume(agent.session).unwrap();
        assert!(
            resume.command.contains(&agent.session.to_owned()),
            "{resume:?}"
        );
        let cards = home
            .engine()
            .cards(Some(agent.session), &Logs::Project)
            .unwrap();
        assert!(cards.cards.len() > 1);
        let below = Logs::Below(vec![home.at("home")]);
        assert!(!found(&home, agent.word, below).is_empty());

        home.engine().fold(&[], &Quiet).unwrap();
        assert_eq!(home.engine().verify(&[], &Quiet).unwrap().wrong, 0);
        let after = files.each_ref().map(|file| fs::read(file).unwrap());
        assert!(before == after, "a database was written");
        let beside = fs::read_dir(home.at(agent.database).parent().unwrap()).unwrap();
        assert_eq!(beside.count(), 3, "a file was made beside a database");
        // Two: each session of the project has its own.
        let forgotten = home.engine().forget_sessions().unwrap();
        assert_eq!(forgotten.sidecars, listed.logs.len());
    }
}

#[test]
fn a_session_that_grows_is_folded_on() {
    for agent in AGENTS {
        let (home, writer) = agent.home();
        home.engine().fold(&[], &Quiet).unwrap();
        assert!(found(&home, "\"the gate held\"", Logs::Project).is_empty());
        writer.execute_batch(agent.more).unwrap();
        let hits = found(&home, "\"the gate held\"", Logs::Project);
        assert_eq!(hits.len(), 1, "{hits:?}");
        let report = home.engine().fold(&[], &Quiet).unwrap();
        let folded = row(&report, agent.session);
        assert_eq!((folded.verdict, &*folded.done), ("appended", "extended"));
        assert_eq!(found(&home, "\"the gate held\"", Logs::Project), hits);
        assert_eq!(home.engine().verify(&[], &Quiet).unwrap().wrong, 0);
        let again = home.engine().fold(&[], &Quiet).unwrap();
        assert_eq!(row(&again, agent.session).done, "nothing");
        // Made anew it is the same.
        let sidecar = home.sidecar(&format!("{}/{}", agent.database, agent.session));
        let extended = home.read(&sidecar);
        home.engine().rebuild(&[], &Quiet).unwrap();
        assert!(
            home.read(&sidecar) == extended,
            "extended is not folded whole"
        );
    }
}

#[test]
fn a_session_that_is_rewritten_or_gone() {
    let agent = &AGENTS[0];
    let (home, writer) = agent.home();
    home.engine().fold(&[], &Quiet).unwrap();
    writer
        .execute_batch("UPDATE part SET data = replace(data, 'symlink', 'hardlink') WHERE session_id = 'ses_7d01main'")
        .unwrap();
    assert!(!found(&home, "hardlink", Logs::Project).is_empty());
    writer
        .execute_batch("UPDATE session SET title = 'A better title' WHERE id = 'ses_7d01main'")
        .unwrap();
    let listed = home.engine().logs(&Logs::Project).unwrap();
    assert!(listed.logs.iter().any(|log| log.title == "A better title"));
    writer
        .execute_batch("DELETE FROM session WHERE id = 'ses_7d01main'")
        .unwrap();
    assert!(found(&home, "hardlink", Logs::Project).is_empty());
    let sidecar = home.sidecar(&format!("{}/{}", agent.database, agent.session));
    assert!(sidecar.exists());
    let report = home.engine().fold(&[], &Quiet).unwrap();
    assert!(
        report.logs.iter().any(|row| row.verdict == "orphan"),
        "{report:#?}"
    );
    assert!(!sidecar.exists());
}

#[test]
fn a_database_that_cannot_be_read_is_a_note() {
    let agent = &AGENTS[0];
    let home = Home::new();
    home.write(agent.database, b"no database");
    let answer = home
        .engine()
        .search(&search("denylist", Logs::Everywhere), &Quiet)
        .unwrap();
    let note = format!(
        "{}: not an SQLite database",
        home.at(agent.database).display()
    );
    assert!(answer.notes.contains(&note), "{:?}", answer.notes);
}

#[test]
fn a_database_is_no_log_but_holds_some() {
    let agent = &AGENTS[0];
    let (home, _writer) = agent.home();
    let database = home.at(agent.database);
    let refused = |log: PathBuf| {
        let search = search("denylist", Logs::File(log));
        home.engine().search(&search, &Quiet).unwrap_err()
    };
    let whole = refused(database.clone());
    assert!(
        matches!(&whole, memfold::Error::File { hint, .. } if hint.contains("/SESSION")),
        "{whole:?}"
    );
    let none = refused(database.join("ses_none"));
    assert!(none.to_string().contains("no such session"), "{none}");
    assert!(!found(&home, "denylist", Logs::Below(vec![database])).is_empty());
}

#[test]
fn an_agent_reads_no_other_projects_session() {
    let agent = &AGENTS[0];
    let (home, _writer) = agent.home();
    let engine = home.engine_of(Viewer::Agent, &home.at("project"));
    let of_another = home.at(agent.database).join("ses_7d03other");
    for logs in [
        Logs::Project,
        Logs::File(of_another.clone()),
        Logs::Below(vec![of_another]),
        Logs::Below(vec![home.at("home")]),
        Logs::Below(vec![home.at(agent.database)]),
    ] {
        let refused = engine.search(&search("port", logs.clone()), &Quiet);
        assert!(
            matches!(refused, Err(memfold::Error::NotAllowed { .. })),
            "{logs:?}: {refused:?}"
        );
    }
}
