//! A settings file on the disk: read once, shown, and put in place whole, or not at all if it changed meanwhile. A link that a
//! person put there, to a folder of dotfiles say, stays a link: what it names is replaced. In a project's folder no link may
//! lead out.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use memfold_disk::{DiskError, Links, Mode, PublishError, Published, Snapshot, publish};

use crate::error::{FileError, Refused};
use crate::places::Place;

/// Claude Code keeps more than settings in its file; none is as long as this.
const LARGEST: u64 = 64 << 20;

/// A settings file as it was read.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    /// What the path leads to.
    real: PathBuf,
    within: Option<PathBuf>,
    text: Option<String>,
}

impl SettingsFile {
    /// Reads a file, which need not be there.
    ///
    /// # Errors
    /// If it cannot be read, or is none that a host could have written.
    pub fn read(place: &Place) -> Result<SettingsFile, FileError> {
        let path = place.path.clone();
        let real = real(&path, place.within.as_deref())?;
        let text = text_at(&path, &real)?;
        Ok(SettingsFile {
            path,
            real,
            within: place.within.clone(),
            text,
        })
    }

    /// The file, as a person knows it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is replaced, where the path is a link or leads through one.
    pub fn leads_to(&self) -> Option<&Path> {
        let is_link = fs::symlink_metadata(&self.path).is_ok_and(|there| there.is_symlink());
        is_link.then_some(self.real.as_path())
    }

    /// Its text; none where it is not there.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// That its text was refused, with its name.
    pub fn refused(&self, source: Refused) -> FileError {
        FileError::Refused {
            path: self.path.clone(),
            source,
        }
    }

    /// Puts a new text in place; a text without anything in it takes the file away, unless a link leads there.
    ///
    /// # Errors
    /// If the file is not what was read any more, or the disk refuses. It is then as it was.
    pub fn write(&self, text: &str) -> Result<(), FileError> {
        let now = real(&self.path, self.within.as_deref())?;
        if now != self.real || text_at(&self.path, &self.real)? != self.text {
            return Err(FileError::Changed(self.path.clone()));
        }
        if is_nothing(text) && self.leads_to().is_none() {
            return memfold_disk::remove(&self.real).map_err(FileError::from);
        }
        self.make_folder()?;
        let written = publish(
            &self.real,
            Mode::AsBefore,
            |out| out.write_all(text.as_bytes()),
            |bytes| match bytes == text.as_bytes() {
                true => Ok(()),
                false => Err(io::Error::from(ErrorKind::InvalidData)),
            },
        );
        match written {
            Ok(Published { .. }) => Ok(()),
            Err(PublishError::Disk(error)) => Err(error.into()),
            Err(PublishError::Write(_) | PublishError::Verify(_)) => Err(FileError::Odd {
                path: self.path.clone(),
                what: "it did not come back from the disk as it was written",
            }),
        }
    }

    fn make_folder(&self) -> Result<(), DiskError> {
        match self.real.parent() {
            Some(folder) if !folder.is_dir() => memfold_disk::private_dir(folder),
            _ => Ok(()),
        }
    }
}

/// Whether a host reads nothing out of a text.
fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    let inner = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    inner.unwrap_or(text).trim().is_empty()
}

/// What a path leads to. Its last name need not be there yet.
fn real(path: &Path, within: Option<&Path>) -> Result<PathBuf, FileError> {
    let real = match fs::symlink_metadata(path) {
        // A link that leads nowhere is an error: what it was meant for is not known.
        Ok(_) => memfold_disk::resolve(path)?,
        Err(_) => memfold_disk::resolve_lost(path)?,
    };
    let Some(project) = within else {
        return Ok(real);
    };
    let project = memfold_disk::resolve(project)?;
    match memfold_disk::is_below(&real, &project) {
        true => Ok(real),
        false => Err(FileError::Odd {
            path: path.to_owned(),
            what: "a link leads out of the project there",
        }),
    }
}

fn text_at(path: &Path, real: &Path) -> Result<Option<String>, FileError> {
    let odd = |what| FileError::Odd {
        path: path.to_owned(),
        what,
    };
    let file = match Snapshot::open(real, Links::Refuse) {
        Ok(file) => file,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if file.len() > LARGEST {
        return Err(odd("it is too long for settings"));
    }
    let length = usize::try_from(file.len()).map_err(|_| odd("it is too long for settings"))?;
    let bytes = file.read_at(0, length)?;
    match String::from_utf8(bytes.to_vec()) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(odd("it is not UTF-8 text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn own(path: &Path) -> Place {
        Place {
            path: path.to_owned(),
            within: None,
        }
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_new_one_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let old = dir.path().join("old.json");
        fs::write(&old, "{ }").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        let new = dir.path().join("a/b/new.json");
        for path in [&old, &new] {
            SettingsFile::read(&own(path))
                .unwrap()
                .write("{\"a\":1}\n")
                .unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), "{\"a\":1}\n");
        }
        assert_eq!((mode(&old), mode(&new)), (0o640, 0o600));
    }

    #[test]
    fn what_changed_since_it_was_read_is_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        let file = SettingsFile::read(&own(&path)).unwrap();
        fs::write(&path, "{\"theirs\":1}").unwrap();
        assert!(matches!(
            file.write("{\"a\":1}"),
            Err(FileError::Changed(_))
        ));
        let file = SettingsFile::read(&own(&path)).unwrap();
        fs::write(&path, "{\"theirs\":2}").unwrap();
        assert!(matches!(
            file.write("{\"a\":1}"),
            Err(FileError::Changed(_))
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theirs\":2}");
    }

    #[test]
    fn a_persons_link_stays_one_and_one_that_leads_nowhere_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("dotfiles")).unwrap();
        let target = dir.path().join("dotfiles/settings.json");
        fs::write(&target, "{}").unwrap();
        let link = dir.path().join("settings.json");
        symlink("dotfiles/settings.json", &link).unwrap();
        let file = SettingsFile::read(&own(&link)).unwrap();
        assert_eq!(
            file.leads_to(),
            Some(fs::canonicalize(&target).unwrap().as_path())
        );
        file.write("{\"a\":1}").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "{\"a\":1}");
        // Emptied, it is not taken from under the link.
        SettingsFile::read(&own(&link))
            .unwrap()
            .write("{}")
            .unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "{}");
        fs::remove_file(&target).unwrap();
        assert!(SettingsFile::read(&own(&link)).is_err());
    }

    #[test]
    fn in_a_project_no_link_leads_out() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for folder in ["project/in", "outside"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("outside/mcp.json"), "{}").unwrap();
        let place = |path: &str| Place {
            path: at("project").join(path),
            within: Some(at("project")),
        };
        symlink(at("outside"), at("project/.vscode")).unwrap();
        symlink(at("outside/mcp.json"), at("project/mcp.json")).unwrap();
        symlink("in", at("project/.zed")).unwrap();
        for path in [".vscode/mcp.json", ".vscode/new.json", "mcp.json"] {
            assert!(
                matches!(SettingsFile::read(&place(path)), Err(FileError::Odd { .. })),
                "{path}"
            );
        }
        SettingsFile::read(&place(".zed/settings.json"))
            .unwrap()
            .write("{\"a\":1}")
            .unwrap();
        assert!(at("project/in/settings.json").is_file());
        // A link that is put there after it was read.
        let file = SettingsFile::read(&place(".cursor/mcp.json")).unwrap();
        symlink(at("outside"), at("project/.cursor")).unwrap();
        assert!(file.write("{\"a\":1}").is_err());
        assert_eq!(fs::read_to_string(at("outside/mcp.json")).unwrap(), "{}");
    }

    #[test]
    fn a_file_that_held_nothing_else_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        for text in ["", " \n", "{}", "{\n}\n"] {
            fs::write(&path, "{\"a\":1}").unwrap();
            SettingsFile::read(&own(&path))
                .unwrap()
                .write(text)
                .unwrap();
            assert!(!path.exists(), "{text:?}");
        }
        fs::write(&path, "{}").unwrap();
        let file = SettingsFile::read(&own(&path)).unwrap();
        file.write("{\n// mine\n}").unwrap();
        assert!(path.exists());
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        fs::write(&path, b"\xff\xfe{").unwrap();
        assert!(matches!(
            SettingsFile::read(&own(&path)),
            Err(FileError::Odd { .. })
        ));
        assert!(SettingsFile::read(&own(dir.path())).is_err());
    }
}
