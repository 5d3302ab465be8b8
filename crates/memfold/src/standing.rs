//! How the files below a folder stand to the agents' stores: whether each is an agent's own log, and archived. Asked of
//! thousands of files in a row, so what the folder alone tells is told once.

use std::path::{Path, is_separator};

use memfold_agents::{Agent, Store};

/// The stores, as they lie to one folder.
pub(crate) struct Standing<'s> {
    /// The folder lies below a store, and below one of archived logs.
    in_store: bool,
    archived: bool,
    /// Stores that lie below the folder.
    below: Vec<&'s Store>,
    /// The names of logs that agents keep in projects' folders.
    names: Vec<&'static str>,
}

impl<'s> Standing<'s> {
    pub(crate) fn of(folder: &Path, stores: &'s [(&'static dyn Agent, Store)]) -> Standing<'s> {
        let stores = || stores.iter().map(|(_, store)| store);
        let above = |store: &&Store| memfold_disk::is_below(folder, &store.dir);
        Standing {
            in_store: stores().any(|store| above(&store)),
            archived: stores().any(|store| store.archived && above(&store)),
            below: stores()
                .filter(|store| memfold_disk::is_below(&store.dir, folder))
                .collect(),
            names: memfold_agents::all()
                .iter()
                .flat_map(|agent| agent.in_projects())
                .copied()
                .collect(),
        }
    }

    /// Whether a file below the folder is an agent's own, by its place: below a store, or in a project's folder under a
    /// log's name.
    pub(crate) fn is_stored(&self, file: &Path) -> bool {
        self.in_store
            || self.stores_of(file).next().is_some()
            || self.names.iter().any(|name| is_named(file, name))
    }

    pub(crate) fn is_archived(&self, file: &Path) -> bool {
        self.archived || self.stores_of(file).any(|store| store.archived)
    }

    fn stores_of<'f>(&'f self, file: &'f Path) -> impl Iterator<Item = &'s Store> + 'f {
        let stores = self.below.iter().copied();
        stores.filter(move |store| memfold_disk::is_below(file, &store.dir))
    }
}

/// Whether a path ends in a name, without taking the path apart.
fn is_named(file: &Path, name: &str) -> bool {
    let before = file
        .as_os_str()
        .as_encoded_bytes()
        .strip_suffix(name.as_bytes());
    before.is_some_and(|before| {
        before
            .last()
            .is_none_or(|last| is_separator(char::from(*last)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(dir: &str, archived: bool) -> (&'static dyn Agent, Store) {
        let store = Store {
            dir: dir.into(),
            depth: 2,
            archived,
        };
        (memfold_agents::all()[0], store)
    }

    #[test]
    fn files_stand_as_they_lie() {
        let stores = [
            store("/h/.claude/projects", false),
            store("/h/.codex/archived_sessions", true),
        ];
        let told = |folder: &str, file: &str| {
            let standing = Standing::of(Path::new(folder), &stores);
            let file = Path::new(file);
            (standing.is_stored(file), standing.is_archived(file))
        };
        for folder in [
            "/h",
            "/h/.claude",
            "/h/.claude/projects",
            "/h/.claude/projects/p",
        ] {
            assert_eq!(
                told(folder, "/h/.claude/projects/p/a.jsonl"),
                (true, false),
                "{folder}"
            );
        }
        for folder in ["/h", "/h/.codex/archived_sessions"] {
            assert_eq!(
                told(folder, "/h/.codex/archived_sessions/a.jsonl"),
                (true, true)
            );
        }
        assert_eq!(told("/h", "/h/copies/a.jsonl"), (false, false));
        assert_eq!(
            told("/h", "/h/.claude/projects-too/a.jsonl"),
            (false, false)
        );
        assert_eq!(told("/h", "/h/code/.aider.chat.history.md"), (true, false));
        assert_eq!(
            told("/h", "/h/code/x.aider.chat.history.md"),
            (false, false)
        );
    }
}
