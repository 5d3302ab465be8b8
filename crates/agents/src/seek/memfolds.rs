//! Calls that read earlier events: memfold's own tools and command, and other agents' tools of the same kind.

use memfold_log::event::Call;

use super::{By, Dialect, Recall, Search, Sought};
use crate::call::base_name;
use crate::shell::simple_commands;

/// What such a call looks for.
pub(super) fn sought(call: &Call<'_>) -> Option<Sought> {
    let given = &call.given;
    let query = || {
        given
            .text(&["query", "q"])
            .unwrap_or(&call.subject)
            .to_owned()
    };
    match base_name(&call.tool).replace('_', "-").as_str() {
        "index-search" => Some(search(
            match given.text(&["scope"]) {
                Some("repo") => By::Repository,
                Some("earlier") => By::Earlier,
                _ => By::Conversation,
            },
            query(),
        )),
        "SessionSearch"
        | "conversation-search"
        | "recent-chats"
        | "chatrecall"
        | "memory-search" => Some(search(By::Earlier, query())),
        "recall" => Some(Sought::Recall(Recall {
            seq: number(call, "seq"),
            task: given.text(&["task"]).map(str::to_owned),
        })),
        "SessionRead" | "memory-read" => Some(Sought::Recall(Recall {
            seq: number(call, "offset"),
            task: given.text(&["id", "session_id", "task"]).map(str::to_owned),
        })),
        _ => by_command(call),
    }
}

fn number(call: &Call<'_>, name: &str) -> Option<u64> {
    let given = &call.given;
    let number = given
        .number(name)
        .and_then(|number| u64::try_from(number).ok());
    number.or_else(|| given.text(&[name])?.parse().ok())
}

fn search(by: By, what: String) -> Sought {
    Sought::Search(Search {
        by,
        what,
        dialect: Dialect::Words,
        places: Vec::new(),
        from: None,
    })
}

/// `memfold search …` and `memfold recall …` in a shell.
fn by_command(call: &Call<'_>) -> Option<Sought> {
    let given = call.given.text(&["command", "cmd", "script"]);
    // A command that was given as a list of words is joined in the subject.
    let script = given
        .filter(|script| script.contains("memfold "))
        .unwrap_or(&call.subject);
    simple_commands(script).iter().find_map(|simple| {
        let program = simple
            .program()
            .filter(|program| program.name == "memfold")?;
        of_words(program.arguments)
    })
}

/// Options of `memfold` whose value is a word of its own.
const VALUES: &[&str] = &[
    "-s",
    "--scope",
    "-n",
    "--number",
    "--path",
    "--log",
    "--logs",
    "--agent",
    "--kind",
    "--since",
    "--until",
    "--start",
    "--count",
    "--project",
    "--data-dir",
    "--config-dir",
    "--cache-dir",
    "--color",
];

fn of_words(arguments: &[String]) -> Option<Sought> {
    let (mut free, mut scope, mut log) = (Vec::new(), None, false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        if name == "--" {
            free.extend(words.by_ref().cloned());
        } else if VALUES.contains(&name) {
            let value = value.or_else(|| words.next().cloned());
            match name {
                "-s" | "--scope" => scope = value,
                "--log" => log = true,
                _ => {}
            }
        } else if let Some(attached) = name.strip_prefix("-s").filter(|scope| !scope.is_empty()) {
            scope = Some(attached.to_owned());
        } else if !name.starts_with('-') {
            free.push(word.clone());
        }
    }
    let (command, words) = free.split_first()?;
    match command.as_str() {
        "search" => {
            let by = match scope.as_deref() {
                Some("repo") => By::Repository,
                Some("conversation") => By::Conversation,
                None if log => By::Conversation,
                _ => By::Earlier,
            };
            Some(search(by, words.join(" ")))
        }
        "recall" => {
            let address = words.first()?;
            let (task, seq) = match address.rsplit_once(':') {
                Some((task, seq)) => (Some(task.to_owned()), seq),
                None => (None, address.as_str()),
            };
            Some(Sought::Recall(Recall {
                seq: seq.parse().ok(),
                task,
            }))
        }
        _ => None,
    }
}
