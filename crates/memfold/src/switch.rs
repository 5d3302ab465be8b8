//! The switch: may an agent search this project's earlier tasks? One entry a project in `workspaces.toml`, kept by whatever
//! else writes there. Off unless a person turned it on; read at every call. A line of the person's own, above all entries, lets
//! the session tools reach the tasks of all projects that are on: `session_tools = "all"`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::{Locks, Mode, publish};
use toml_edit::{DocumentMut, Item, Table, value};

use crate::error::Error;

/// The file that holds the switches.
pub(crate) struct Switch {
    file: PathBuf,
}

/// The table of projects in the file: `[workspaces."/path/of/the/project"]`.
const TABLE: &str = "workspaces";
/// The key of the switch in a project's entry.
const KEY: &str = "earlier_tasks";
/// The line that lets the session tools reach further, and what it says then.
const REACH: (&str, &str) = ("session_tools", "all");
/// How long a change waits for another.
const PATIENCE: Duration = Duration::from_secs(5);

impl Switch {
    /// The switches in a configuration directory.
    pub(crate) fn new(config: &Path) -> Switch {
        Switch {
            file: config.join("workspaces.toml"),
        }
    }

    /// Where they are.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Whether the project's is on. A file that cannot be read leaves it off, and that is an error to say.
    pub(crate) fn is_on(&self, project: &Path) -> Result<bool, Error> {
        let document = self.read()?;
        Ok(document
            .get(TABLE)
            .and_then(|table| table.get(entry(project)))
            .and_then(|entry| entry.get(KEY))
            .and_then(Item::as_bool)
            .unwrap_or(false))
    }

    /// The projects whose switch is on.
    pub(crate) fn projects_that_are_on(&self) -> Result<Vec<PathBuf>, Error> {
        let document = self.read()?;
        let projects = document.get(TABLE).and_then(Item::as_table_like);
        let is_on = |item: &Item| item.get(KEY).and_then(Item::as_bool) == Some(true);
        Ok(projects
            .iter()
            .flat_map(|projects| projects.iter())
            .filter(|(_, entry)| is_on(entry))
            .map(|(project, _)| PathBuf::from(project))
            .collect())
    }

    /// Whether the person lets the session tools reach all projects that are on.
    pub(crate) fn reaches_all(&self) -> Result<bool, Error> {
        let (key, all) = REACH;
        Ok(self.read()?.get(key).and_then(Item::as_str) == Some(all))
    }

    /// Turns the project's on or off. Everything else in the file stays as it is, comments too.
    pub(crate) fn set(&self, project: &Path, on: bool, locks: &Locks) -> Result<(), Error> {
        let _lock = locks
            .lock(&self.file, PATIENCE)
            .map_err(|error| self.error(&error.to_string()))?;
        let mut document = self.read()?;
        if !document.contains_key(TABLE) {
            let mut table = Table::new();
            table.set_implicit(true);
            document.insert(TABLE, Item::Table(table));
        }
        let projects = document
            .get_mut(TABLE)
            .and_then(Item::as_table_like_mut)
            .ok_or_else(|| self.error("`workspaces` is not a table"))?;
        let name = entry(project);
        if projects.get(&name).is_none() {
            projects.insert(&name, Item::Table(Table::new()));
        }
        let project = projects
            .get_mut(&name)
            .and_then(Item::as_table_like_mut)
            .ok_or_else(|| self.error("the project's entry is not a table"))?;
        match project.get_mut(KEY) {
            Some(item) => *item = value(on),
            None => {
                project.insert(KEY, value(on));
            }
        }
        if let Some(folder) = self.file.parent() {
            memfold_disk::private_dir(folder).map_err(|error| self.error(&error.to_string()))?;
        }
        let text = document.to_string();
        let published = publish(
            &self.file,
            Mode::Private,
            |out| out.write_all(text.as_bytes()),
            |bytes| {
                if bytes == text.as_bytes() {
                    Ok(())
                } else {
                    Err(ErrorKind::InvalidData.into())
                }
            },
        )
        .map_err(|error| self.error(&error.to_string()))?;
        if published.durable {
            return Ok(());
        }
        Err(Error::File {
            path: self.file.clone(),
            what: "it is set, but after a loss of power the setting before may be back".to_owned(),
            hint: "run the command again".to_owned(),
        })
    }

    fn read(&self) -> Result<DocumentMut, Error> {
        match fs::read_to_string(&self.file) {
            Ok(text) => text
                .parse()
                .map_err(|error: toml_edit::TomlError| self.error(error.message())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(DocumentMut::new()),
            Err(error) => Err(self.error(&error.to_string())),
        }
    }

    fn error(&self, what: &str) -> Error {
        Error::File {
            path: self.file.clone(),
            what: what.to_owned(),
            hint: "mend or remove the file; earlier tasks stay off for agents until it can be read"
                .to_owned(),
        }
    }
}

fn entry(project: &Path) -> String {
    project.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_until_turned_on_and_all_else_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let locks = Locks::new(dir.path().join("data"));
        let config = dir.path().join("config");
        fs::create_dir_all(&config).unwrap();
        let before = "# kept\n[workspaces.\"/p/other\"]\nname = \"o\" # and this\n";
        fs::write(config.join("workspaces.toml"), before).unwrap();
        let switch = Switch::new(&config);
        assert!(!switch.is_on(Path::new("/p/api")).unwrap());
        switch.set(Path::new("/p/api"), true, &locks).unwrap();
        assert!(switch.is_on(Path::new("/p/api")).unwrap());
        assert!(!switch.is_on(Path::new("/p/other")).unwrap());
        assert!(!switch.is_on(Path::new("/p/api-two")).unwrap());
        switch.set(Path::new("/p/api"), false, &locks).unwrap();
        assert!(!switch.is_on(Path::new("/p/api")).unwrap());
        assert!(
            fs::read_to_string(switch.file())
                .unwrap()
                .starts_with(before)
        );
    }

    #[test]
    fn the_session_tools_reach_further_where_the_person_wrote_so() {
        let dir = tempfile::tempdir().unwrap();
        let locks = Locks::new(dir.path().join("data"));
        let switch = Switch::new(dir.path());
        assert!(!switch.reaches_all().unwrap());
        fs::write(switch.file(), "session_tools = \"all\"\n").unwrap();
        switch.set(Path::new("/p/api"), true, &locks).unwrap();
        switch.set(Path::new("/p/web"), false, &locks).unwrap();
        assert!(switch.reaches_all().unwrap());
        assert_eq!(
            switch.projects_that_are_on().unwrap(),
            [PathBuf::from("/p/api")]
        );
        fs::write(switch.file(), "session_tools = true\n").unwrap();
        assert!(!switch.reaches_all().unwrap());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_said_and_never_on() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("workspaces.toml"), "[workspaces").unwrap();
        assert!(Switch::new(dir.path()).is_on(Path::new("/p")).is_err());
    }
}
