//! Aider: one chat for each folder it works in, `.aider.chat.history.md` there, to which every chat is appended. Facts from the
//! source of version 0.86. A person's lines begin with `#### `, the host's with `> `; all else is a reply. The log has no ids,
//! and no times but the start of each chat, which is in the clock of the machine and is read as UTC.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use memfold_log::event::{Boundary, Event, Facts, Identity, Kind, Part, Reading, Unranked};
use memfold_log::{Form, Timestamp};

use crate::call::call;
use crate::input::Input;
use crate::store::{Days, PathFacts, Resume, Store};
use crate::{Agent, NotALine};

/// Aider's chats.
pub(crate) struct Aider;

const LOG: &str = ".aider.chat.history.md";
const CHAT: &str = "# aider chat started at ";
const PERSON: &str = "####";
const HOST: &str = ">";
/// How the host says that it wrote a file.
const EDITED: &str = "Applied edit to ";

impl Agent for Aider {
    fn name(&self) -> &'static str {
        "aider"
    }

    fn version(&self) -> u32 {
        1
    }

    fn stores(&self, _: &dyn Fn(&str) -> Option<OsString>, _: Option<&Path>) -> Vec<Store> {
        Vec::new()
    }

    fn in_projects(&self) -> &'static [&'static str] {
        &[LOG]
    }

    fn names(&self, path_below_store: &Path) -> Option<Form> {
        (path_below_store == Path::new(LOG)).then_some(Form::Markdown)
    }

    fn claims(&self, first_lines: &[&[u8]]) -> bool {
        first_lines
            .iter()
            .any(|line| line.starts_with(CHAT.as_bytes()))
    }

    fn claims_path(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == LOG)
    }

    fn facts_from_path(&self, path: &Path) -> PathFacts {
        let folder = path.parent().filter(|_| self.claims_path(path));
        PathFacts {
            task: folder.map(task_of),
            cwd: folder.and_then(|folder| folder.to_str()).map(str::to_owned),
            ..PathFacts::default()
        }
    }

    fn read<'a>(&self, section: &'a [u8]) -> Result<Reading<'a>, NotALine> {
        let text = String::from_utf8_lossy(section);
        Ok(match text.trim_start() {
            chat if chat.starts_with(CHAT) => Reading {
                facts: Facts {
                    time: chat.strip_prefix(CHAT).and_then(Timestamp::parse),
                    ..Facts::default()
                },
                ..Reading::default()
            },
            said if said.starts_with(PERSON) => person(said),
            told if told.starts_with(HOST) => host(told),
            _ => reply(text),
        })
    }

    fn resume(&self, _: &str, cwd: Option<&str>) -> Option<Resume> {
        Some(Resume {
            program: "aider",
            arguments: vec!["--restore-chat-history".to_owned()],
            directory: cwd.map(str::to_owned),
        })
    }

    fn retention(&self, _: Option<&str>) -> Option<Days> {
        None
    }
}

/// A chat has no id but the folder that it lies in: 64 bits of it, by FNV-1a.
fn task_of(folder: &Path) -> String {
    let bytes = folder.as_os_str().as_encoded_bytes();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn event(kind: Kind, parts: Vec<Part<'_>>, boundary: Boundary) -> Reading<'_> {
    Reading {
        event: Some(Event {
            kind,
            helper: None,
            time: None,
            // A person may say the same thing twice, and a log without ids has no copies that could be told.
            identity: Identity::default(),
            parts,
        }),
        boundary,
        ..Reading::default()
    }
}

/// The lines of a section without the mark that each begins with.
fn without<'t>(text: &'t str, mark: &str) -> Vec<&'t str> {
    text.lines()
        .map(|line| line.strip_prefix(mark).unwrap_or(line).trim())
        .filter(|line| !line.is_empty())
        .collect()
}

fn person(text: &str) -> Reading<'static> {
    let words = without(text, PERSON).join("\n");
    if words.is_empty() || words == "<blank>" {
        return Reading::default();
    }
    event(
        Kind::Person,
        vec![Part::Text(Cow::Owned(words))],
        Boundary::Begins,
    )
}

/// The host's lines are notes; but the files that it wrote are the agent's doing.
fn host(text: &str) -> Reading<'static> {
    let lines = without(text, HOST);
    let edits: Vec<Part<'static>> = lines
        .iter()
        .filter_map(|line| line.strip_prefix(EDITED))
        .map(|path| {
            let path = Input::of("path", Cow::Owned(path.to_owned()));
            Part::Call(call(Cow::Borrowed(""), Cow::Borrowed("edit"), path))
        })
        .collect();
    if edits.is_empty() {
        let words = vec![Part::Text(Cow::Owned(lines.join("\n")))];
        return event(Kind::Unranked(Unranked::Note), words, Boundary::Within);
    }
    event(Kind::Reply, edits, Boundary::Within)
}

fn reply(text: Cow<'_, str>) -> Reading<'_> {
    if text.trim().is_empty() {
        return Reading::default();
    }
    let words = crate::wrapped::narrow(text, |text| text.trim());
    event(Kind::Reply, vec![Part::Text(words)], Boundary::Within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_chat() {
        let facts = Aider.facts_from_path(Path::new("/src/api/.aider.chat.history.md"));
        assert_eq!(facts.cwd.as_deref(), Some("/src/api"));
        assert_eq!(facts.task.as_deref().map(str::len), Some(16));
        let other = Aider.facts_from_path(Path::new("/src/web/.aider.chat.history.md"));
        assert_ne!(facts.task, other.task);
        assert_eq!(
            Aider.facts_from_path(Path::new("/src/copy.chat.history.md")),
            PathFacts::default()
        );
    }
}
