//! Where each host keeps its settings, by the environment and the home directory, and whether a host is there at all.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::FileError;
use crate::host::{Host, Part};
use crate::program::first_on;

/// Where hosts' files are looked for.
pub struct Places<'a> {
    variable: &'a dyn Fn(&str) -> Option<OsString>,
    project: PathBuf,
}

/// A settings file's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The project's folder, where the file is one of a project's: what lies there may have come with a clone, so no link of
    /// it may lead out.
    pub within: Option<PathBuf>,
}

impl<'a> Places<'a> {
    /// By an environment, and for a project.
    pub fn new(variable: &'a dyn Fn(&str) -> Option<OsString>, project: &Path) -> Places<'a> {
        Places {
            variable,
            project: project.to_owned(),
        }
    }

    /// The file that holds a part of the registration with a host.
    ///
    /// # Errors
    /// If no home is known.
    pub fn file(&self, host: Host, part: Part) -> Result<Place, FileError> {
        let own = |path: PathBuf| Place { path, within: None };
        let of_project = |path: &str| Place {
            path: self.project.join(path),
            within: Some(self.project.clone()),
        };
        Ok(match (host, part) {
            (Host::Claude, Part::Server) => own(self.claude_servers()?),
            (Host::Claude, Part::Allow | Part::Hook) => own(self.claude()?.join("settings.json")),
            (Host::Codex, _) => own(self.codex()?.join("config.toml")),
            (Host::Gemini, _) => own(self.gemini()?.join("settings.json")),
            (Host::OpenCode, _) => own(self.opencode_settings()?),
            (Host::VsCode, _) => of_project(".vscode/mcp.json"),
            (Host::Cursor, _) => of_project(".cursor/mcp.json"),
            (Host::Zed, _) => of_project(".zed/settings.json"),
        })
    }

    /// Other files in which a host can know the server: the project's own, or for a host that is registered with project by
    /// project, the person's.
    pub fn elsewhere(&self, host: Host) -> Vec<Place> {
        let own =
            |path: Result<PathBuf, FileError>| path.ok().map(|path| Place { path, within: None });
        let of_project = |path: &str| {
            Some(Place {
                path: self.project.join(path),
                within: Some(self.project.clone()),
            })
        };
        let place = match host {
            Host::Claude => of_project(".mcp.json"),
            Host::Codex => of_project(".codex/config.toml"),
            Host::Gemini => of_project(".gemini/settings.json"),
            Host::OpenCode => of_project("opencode.json"),
            Host::VsCode => own(self.config("Code/User/mcp.json", host)),
            Host::Cursor => own(self.home(".cursor/mcp.json", host)),
            Host::Zed => own(self.config("zed/settings.json", host)),
        };
        place.into_iter().collect()
    }

    /// The file in which a host says which plugins are in force; nothing where memfold has none for it.
    ///
    /// # Errors
    /// If no home is known.
    pub fn plugins(&self, host: Host) -> Result<Option<Place>, FileError> {
        match host {
            Host::Claude => self.file(host, Part::Hook).map(Some),
            Host::Codex => self.file(host, Part::Server).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether the host was ever used here, or can be started: its folder is there, or its command.
    pub fn is_found(&self, host: Host) -> bool {
        let folder = match host {
            Host::Claude => self.claude(),
            Host::Codex => self.codex(),
            Host::Gemini => self.gemini(),
            Host::OpenCode => self.opencode(),
            Host::VsCode => self.home(".vscode", host),
            Host::Cursor => self.home(".cursor", host),
            Host::Zed => self.config("zed", host),
        };
        let path = (self.variable)("PATH");
        folder.is_ok_and(|folder| folder.is_dir())
            || host
                .commands()
                .iter()
                .any(|command| first_on(path.as_deref(), command).is_some())
    }

    fn set(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }

    fn home(&self, below: &str, host: Host) -> Result<PathBuf, FileError> {
        self.set("HOME")
            .map(|home| home.join(below))
            .ok_or(FileError::NoHome(host.title()))
    }

    fn config(&self, below: &str, host: Host) -> Result<PathBuf, FileError> {
        match self.set("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute()) {
            Some(config) => Ok(config.join(below)),
            None => self.home(".config", host).map(|config| config.join(below)),
        }
    }

    fn claude(&self) -> Result<PathBuf, FileError> {
        match self.set("CLAUDE_CONFIG_DIR") {
            Some(folder) => Ok(folder),
            None => self.home(".claude", Host::Claude),
        }
    }

    /// Beside its folder, unless a variable names that: then in it. An older name in the folder goes before both.
    fn claude_servers(&self) -> Result<PathBuf, FileError> {
        let folder = self.claude()?;
        let older = folder.join(".config.json");
        if older.is_file() {
            return Ok(older);
        }
        match self.set("CLAUDE_CONFIG_DIR") {
            Some(folder) => Ok(folder.join(".claude.json")),
            None => self.home(".claude.json", Host::Claude),
        }
    }

    fn codex(&self) -> Result<PathBuf, FileError> {
        match self.set("CODEX_HOME") {
            Some(folder) => Ok(folder),
            None => self.home(".codex", Host::Codex),
        }
    }

    fn gemini(&self) -> Result<PathBuf, FileError> {
        match self.set("GEMINI_CLI_HOME") {
            Some(home) => Ok(home.join(".gemini")),
            None => self.home(".gemini", Host::Gemini),
        }
    }

    fn opencode(&self) -> Result<PathBuf, FileError> {
        self.config("opencode", Host::OpenCode)
    }

    /// It reads all of these one after the other; a person has one of them.
    fn opencode_settings(&self) -> Result<PathBuf, FileError> {
        let folder = self.opencode()?;
        let there = ["opencode.jsonc", "opencode.json"]
            .map(|name| folder.join(name))
            .into_iter()
            .find(|file| file.is_file());
        Ok(there.unwrap_or_else(|| folder.join("opencode.json")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn file(variables: &[(&str, &str)], host: Host, part: Part) -> String {
        let variable = |name: &str| {
            let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(value))
        };
        let places = Places::new(&variable, Path::new("/p"));
        let place = places.file(host, part).unwrap();
        assert_eq!(place.within.is_some(), host.is_by_project());
        place.path.display().to_string()
    }

    #[test]
    fn each_host_has_its_file_by_home_and_by_its_own_variable() {
        let home = ("HOME", "/h");
        let server = |variables: &[_], host| file(variables, host, Part::Server);
        assert_eq!(server(&[home], Host::Claude), "/h/.claude.json");
        assert_eq!(
            file(&[home], Host::Claude, Part::Hook),
            "/h/.claude/settings.json"
        );
        let own = [home, ("CLAUDE_CONFIG_DIR", "/c")];
        assert_eq!(server(&own, Host::Claude), "/c/.claude.json");
        assert_eq!(file(&own, Host::Claude, Part::Allow), "/c/settings.json");
        assert_eq!(server(&[home], Host::Codex), "/h/.codex/config.toml");
        assert_eq!(
            server(&[("CODEX_HOME", "/x")], Host::Codex),
            "/x/config.toml"
        );
        assert_eq!(
            server(&[("GEMINI_CLI_HOME", "/g")], Host::Gemini),
            "/g/.gemini/settings.json"
        );
        assert_eq!(
            server(&[home, ("XDG_CONFIG_HOME", "/x")], Host::OpenCode),
            "/x/opencode/opencode.json"
        );
        assert_eq!(server(&[], Host::VsCode), "/p/.vscode/mcp.json");
        assert_eq!(server(&[], Host::Cursor), "/p/.cursor/mcp.json");
        assert_eq!(server(&[], Host::Zed), "/p/.zed/settings.json");
    }

    #[test]
    fn a_file_that_is_there_goes_before_the_one_that_would_be_made() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("opencode")).unwrap();
        fs::write(root.join("opencode/opencode.jsonc"), "{}").unwrap();
        fs::write(root.join(".config.json"), "{}").unwrap();
        let named = root.to_str().unwrap();
        let variables = [("XDG_CONFIG_HOME", named), ("CLAUDE_CONFIG_DIR", named)];
        assert!(file(&variables, Host::OpenCode, Part::Server).ends_with("opencode.jsonc"));
        assert!(file(&variables, Host::Claude, Part::Server).ends_with("/.config.json"));
    }

    #[test]
    fn a_host_is_found_by_its_folder_or_its_command_and_not_without_a_home() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".codex")).unwrap();
        fs::write(dir.path().join("claude"), "").unwrap();
        let home = dir.path().as_os_str().to_owned();
        let variable = |name: &str| ["HOME", "PATH"].contains(&name).then(|| home.clone());
        let places = Places::new(&variable, Path::new("/p"));
        let found: Vec<Host> = Host::ALL
            .into_iter()
            .filter(|host| places.is_found(*host))
            .collect();
        assert_eq!(found, [Host::Claude, Host::Codex]);
        let none = |_: &str| None;
        let places = Places::new(&none, Path::new("/p"));
        assert!(!Host::ALL.into_iter().any(|host| places.is_found(host)));
        assert!(matches!(
            places.file(Host::Claude, Part::Server),
            Err(FileError::NoHome("Claude Code"))
        ));
    }
}
