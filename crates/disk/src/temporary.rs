//! A temporary file beside the one it will become: under a name nobody else has, gone again unless
//! it is given its real name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;

use crate::stat::Stat;
use crate::sys::{self, Folder};

const PREFIX: &str = ".memfold-";
const SUFFIX: &str = ".tmp";
/// Hexadecimal digits between the two.
const DIGITS: usize = 16;

/// A file that this process alone has open.
#[derive(Debug)]
pub(crate) struct Temporary<'a> {
    folder: &'a Folder,
    name: OsString,
    file: File,
    named: bool,
}

impl<'a> Temporary<'a> {
    /// Makes one, mode 0600, under a name that was free.
    pub(crate) fn create(folder: &'a Folder) -> io::Result<Self> {
        // Two names meet about once in 2^32 files of one folder. Twice in a row is no chance.
        let mut tries = 0;
        loop {
            let name = random_name();
            match folder.create_new(&name) {
                Ok(file) => {
                    return Ok(Self {
                        folder,
                        name,
                        file,
                        named: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < 8 => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn stat(&self) -> io::Result<Stat> {
        sys::stat(&self.file)
    }

    /// Gives it its real name, in place of what had it; from then on it stays.
    pub(crate) fn rename(&mut self, to: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, to)?;
        self.named = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.named {
            // If this fails too, the sweep of a later publish removes it.
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// The seeds of `RandomState` come from the system. Secrecy is not needed: `create_new` takes no
/// name that exists, whoever made it.
fn random_name() -> OsString {
    let number = RandomState::new().hash_one(std::process::id());
    format!("{PREFIX}{number:0DIGITS$x}{SUFFIX}").into()
}

/// Whether a name is one of ours. Nobody else's temporary files look like this, and only those that
/// do are ever removed: the folder is often an agent's.
pub fn is_ours(name: &OsStr) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX))
        .is_some_and(|digits| {
            digits.len() == DIGITS
                && digits
                    .bytes()
                    .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{folder, names};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn names_are_ours_and_differ() {
        let (one, two) = (random_name(), random_name());
        assert!(is_ours(&one) && is_ours(&two));
        assert_ne!(one, two);
        for other in [
            ".memfold-.tmp",
            ".memfold-0123456789abcde.tmp",
            ".memfold-0123456789ABCDEF.tmp",
            "memfold-0123456789abcdef.tmp",
            ".memfold-0123456789abcdef.tmp~",
            ".x.mem.swp",
        ] {
            assert!(!is_ours(other.as_ref()), "{other}");
        }
    }

    #[test]
    fn gone_unless_named() {
        let place = folder();
        let folder = Folder::open(place.path()).unwrap();
        let mut kept = Temporary::create(&folder).unwrap();
        let lost = Temporary::create(&folder).unwrap();
        assert_eq!(
            kept.file().metadata().unwrap().permissions().mode() & 0o7777,
            0o600
        );
        kept.rename("kept".as_ref()).unwrap();
        drop((kept, lost));
        assert_eq!(names(place.path()), ["kept"]);
    }
}
