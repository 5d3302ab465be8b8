//! Logs that are one document, from end to end: found in their places, named, folded, searched, read back, told by a copy,
//! and folded again when their host has written more, with not a byte of them changed by us.

// clippy.toml lets tests unwrap, but not the functions that they share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};

use memfold::{Logs, Quiet, Recall};
use memfold_tests::home::{Home, row, search};

/// An agent's log in its store.
struct Agent {
    name: &'static str,
    log: &'static str,
    text: &'static str,
    /// The folder that it names, to be replaced by the project's.
    folder: &'static str,
    /// Its task's id; empty where that follows from the folder.
    task: &'static str,
    /// A message of the person that ends the log, with what closes the array before it.
    more: (&'static str, &'static str),
}

const AGENTS: &[Agent] = &[
    Agent {
        name: "cline",
        log: "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1772445600000/api_conversation_history.json",
        text: include_str!("../../corpus/cline/tags.json"),
        folder: "/work/api",
        task: "1772445600000",
        more: (
            "]",
            r#",{"role":"user","content":"<task>the gate held</task>"}]"#,
        ),
    },
    Agent {
        name: "roo",
        log: "home/.vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/0199-aaaa-bbbb/api_conversation_history.json",
        text: include_str!("../../corpus/roo/task.json"),
        folder: "/work/api",
        task: "0199-aaaa-bbbb",
        more: (
            "]",
            r#",{"role":"user","content":"<task>the gate held</task>"}]"#,
        ),
    },
    Agent {
        name: "amp",
        log: "home/.local/share/amp/threads/T-019b9d03-62e3-772f-9780-3e637f90eaec.json",
        text: include_str!("../../corpus/amp/thread.json"),
        folder: "/work/my%20api",
        task: "T-019b9d03-62e3-772f-9780-3e637f90eaec",
        more: (
            r#"],"title""#,
            r#",{"role":"user","content":[{"type":"text","text":"the gate held"}]}],"title""#,
        ),
    },
    Agent {
        name: "aider",
        log: "project/.aider.chat.history.md",
        text: include_str!("../../corpus/aider/two.chat.history.md"),
        folder: "/work/api",
        task: "",
        more: ("resolved.", "resolved.\n\n#### the gate held  \n"),
    },
];

fn found(home: &Home, query: &str, logs: Logs) -> Vec<(String, u64)> {
    let answer = home.engine().search(&search(query, logs), &Quiet).unwrap();
    assert!(answer.complete, "{:?}", answer.notes);
    let hits = answer.results.iter();
    hits.map(|hit| (hit.task.clone(), hit.seq)).collect()
}

/// A copy of the log outside any store, told by what it says.
fn copy(home: &Home, agent: &Agent, text: &str) -> PathBuf {
    let name = match agent.log.ends_with(".md") {
        true => "copy.chat.history.md",
        false => "copy.json",
    };
    let path = Path::new("copies").join(agent.name).join(name);
    home.write(path, text.as_bytes())
}

#[test]
fn found_named_searched_and_read_back() {
    for agent in AGENTS {
        let home = Home::new();
        let project = home.at("project").display().to_string();
        let text = agent.text.replace(agent.folder, &project);
        home.write(agent.log, text.as_bytes());
        let listed = home.engine().logs(&Logs::Project).unwrap();
        let logs: Vec<_> = listed
            .logs
            .iter()
            .map(|log| (log.agent, &*log.task))
            .collect();
        let task = match agent.task {
            "" => logs[0].1.to_owned(),
            task => task.to_owned(),
        };
        assert_eq!(logs, [(agent.name, &*task)]);

        let hits = found(&home, "denylist symlink", Logs::Project);
        assert!(
            hits.len() > 1 && hits.iter().all(|hit| hit.0 == task),
            "{hits:?}"
        );
        assert_eq!(found(&home, "denylist symlink", Logs::Project), hits);
        for (task, seq) in &hits {
            let recall = Recall {
                address: format!("{task}:{seq}"),
                logs: Logs::Project,
                start: 1,
                count: 80,
            };
            let recalled = home.engine().recall(&recall, &Quiet).unwrap();
            assert_eq!((recalled.agent, recalled.seq), (agent.name, *seq));
            assert!(!recalled.lines.is_empty());
        }
        let other = copy(&home, agent, &text);
        let of_copy = home
            .engine()
            .search(&search("denylist", Logs::File(other)), &Quiet)
            .unwrap();
        assert_eq!(of_copy.results[0].agent, agent.name);

        // Its host goes on; most write the whole file anew with each step.
        let more = text.rsplit_once(agent.more.0).unwrap();
        let longer = format!("{}{}{}", more.0, agent.more.1, more.1);
        home.write(agent.log, longer.as_bytes());
        assert_eq!(found(&home, "\"the gate held\"", Logs::Project).len(), 1);
        let report = home.engine().fold(&[], &Quiet).unwrap();
        assert!(row(&report, agent.log).turns.unwrap() > 1);
        assert_eq!(home.engine().verify(&[], &Quiet).unwrap().wrong, 0);
        assert_eq!(home.read(agent.log), longer.as_bytes());
    }
}
