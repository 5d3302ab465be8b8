//! The cache folder as it is found: which of our files lie in it, what stands in the way of one, and what is nobody's.
//! Relies on names and places alone; what a file is worth, its own reader says.

use std::collections::HashMap;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use memfold_sidecar::parted_from;

use crate::answer::KeptKind;
use crate::leftovers::DATABASES;

/// The folders of the cache that hold files of ours, with what each holds.
const FOLDERS: [&str; 3] = ["rollup", "sidecars", "tails"];

/// A name in the cache folder.
#[derive(Clone, Debug)]
pub(crate) struct Lying {
    pub(crate) path: PathBuf,
    pub(crate) kind: KeptKind,
    /// What stands there instead of a file or a folder of ours.
    pub(crate) instead: Option<&'static str>,
}

/// Everything that lies in the cache folder, in order of its path. None is there before something was kept.
///
/// # Errors
/// If the folder cannot be listed.
pub(crate) fn lying(cache: &Path) -> io::Result<Vec<Lying>> {
    let mut found = Vec::new();
    for (name, path, file_type) in entries(cache)? {
        if FOLDERS.contains(&name.as_str()) {
            // A link to a folder does as well: a person may have put it there.
            if fs::metadata(&path).is_ok_and(|stat| stat.is_dir()) {
                for (below, path, file_type) in entries(&path)? {
                    found.push(file(kind_in(&name, &below), path, file_type));
                }
            } else {
                found.push(Lying {
                    path,
                    kind: KeptKind::Folder,
                    instead: Some(told(file_type)),
                });
            }
            continue;
        }
        if name == DATABASES && file_type.is_dir() {
            // Copies of databases, each removed by the call that made it.
            for (below, path, file_type) in entries(&path)? {
                if below.starts_with("database-") && file_type.is_dir() {
                    found.push(Lying {
                        path,
                        kind: KeptKind::Temporary,
                        instead: None,
                    });
                } else {
                    found.push(file(KeptKind::Other, path, file_type));
                }
            }
            continue;
        }
        let kind = match name.as_str() {
            "receipts" => KeptKind::Receipts,
            "listings" => KeptKind::Listings,
            "receipts.damaged" => KeptKind::SetAside,
            _ if FOLDERS
                .iter()
                .any(|folder| name == format!("{folder}.damaged")) =>
            {
                KeptKind::SetAside
            }
            _ => temporary(&name).unwrap_or(KeptKind::Other),
        };
        found.push(file(kind, path, file_type));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The sidecars in the cache that are kept apart from a later program's, by what they are kept apart from: of this program and
/// of others, earlier and later.
pub(crate) fn kept_apart(cache: &Path) -> HashMap<PathBuf, Vec<PathBuf>> {
    let mut apart: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for (_, path, _) in entries(&cache.join("sidecars")).unwrap_or_default() {
        if let Some(plain) = parted_from(&path) {
            apart.entry(plain).or_default().push(path);
        }
    }
    apart
}

fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf, FileType)>> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    listed
        .map(|entry| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok((name, entry.path(), entry.file_type()?))
        })
        .collect()
}

fn file(kind: KeptKind, path: PathBuf, file_type: FileType) -> Lying {
    Lying {
        path,
        kind,
        instead: (!file_type.is_file()).then(|| told(file_type)),
    }
}

fn told(file_type: FileType) -> &'static str {
    if file_type.is_dir() {
        "a folder stands in its place"
    } else if file_type.is_symlink() {
        "a link stands in its place"
    } else if file_type.is_file() {
        "a file stands in its place"
    } else {
        "something that is no file stands in its place"
    }
}

fn kind_in(folder: &str, name: &str) -> KeptKind {
    let (plain, is_aside) = match name.strip_suffix(".damaged") {
        Some(plain) => (plain, true),
        None => (name, false),
    };
    let kind = match (folder, plain) {
        ("rollup", "catalogue") => KeptKind::Catalogue,
        ("rollup", name) if hashed(name, ".shard") => KeptKind::Shard,
        ("sidecars", name) if hashed(name, ".mem") => KeptKind::Sidecar,
        ("sidecars", name) if is_apart(name) => KeptKind::Sidecar,
        ("tails", name) if hashed(name, "") => KeptKind::Tail,
        _ => return temporary(name).unwrap_or(KeptKind::Other),
    };
    if is_aside { KeptKind::SetAside } else { kind }
}

/// Whether a name is one of a sidecar that is kept apart from a later program's.
fn is_apart(name: &str) -> bool {
    parted_from(Path::new(name))
        .and_then(|plain| Some(hashed(plain.to_str()?, ".mem")))
        .unwrap_or(false)
}

/// Whether a name is half of a SHA-256, and then `ending`.
fn hashed(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).is_some_and(|digits| {
        digits.len() == 32
            && digits
                .bytes()
                .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

fn temporary(name: &str) -> Option<KeptKind> {
    memfold_disk::is_temporary(name.as_ref()).then_some(KeptKind::Temporary)
}

/// Takes out of the way what stands where a file or a folder of ours should be: a link goes, what it leads to stays; so does
/// an empty file or folder; what holds anything is given another name, `<name>.damaged`.
///
/// # Errors
/// If it cannot be moved.
pub(crate) fn clear(path: &Path) -> io::Result<()> {
    let stat = fs::symlink_metadata(path)?;
    if stat.is_dir() {
        if fs::remove_dir(path).is_ok() {
            return Ok(());
        }
    } else if !stat.is_file() || stat.len() == 0 {
        return fs::remove_file(path);
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".damaged");
    let aside = PathBuf::from(aside);
    match fs::symlink_metadata(&aside) {
        // One is enough to look at.
        Ok(before) if before.is_file() => fs::remove_file(&aside)?,
        Ok(before) if before.is_dir() && fs::remove_dir(&aside).is_err() => {
            return Err(io::Error::other(format!(
                "it holds something, and so does {}: move them away",
                aside.display()
            )));
        }
        _ => {}
    }
    fs::rename(path, aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_is_ours() {
        let name = "0123456789abcdef0123456789abcdef";
        for (folder, name, kind) in [
            ("rollup", "catalogue".to_owned(), KeptKind::Catalogue),
            ("rollup", format!("{name}.shard"), KeptKind::Shard),
            (
                "rollup",
                format!("{name}.shard.damaged"),
                KeptKind::SetAside,
            ),
            ("sidecars", format!("{name}.mem"), KeptKind::Sidecar),
            (
                "sidecars",
                format!("{name}.mem.damaged"),
                KeptKind::SetAside,
            ),
            ("sidecars", format!("{name}-1-7.mem"), KeptKind::Sidecar),
            (
                "sidecars",
                format!("{name}-1-7.mem.damaged"),
                KeptKind::SetAside,
            ),
            ("sidecars", format!("{name}-1.mem"), KeptKind::Other),
            ("sidecars", "notes-1-7.mem".to_owned(), KeptKind::Other),
            ("tails", name.to_owned(), KeptKind::Tail),
            ("tails", format!("{name}0"), KeptKind::Other),
            ("tails", name.to_uppercase(), KeptKind::Other),
            ("tails", "notes.damaged".to_owned(), KeptKind::Other),
            (
                "tails",
                ".memfold-0123456789abcdef.tmp".to_owned(),
                KeptKind::Temporary,
            ),
        ] {
            assert_eq!(kind_in(folder, &name), kind, "{folder}/{name}");
        }
    }

    #[test]
    fn what_holds_something_is_never_lost() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("tails"), b"a file").unwrap();
        clear(&at("tails")).unwrap();
        assert_eq!(fs::read(at("tails.damaged")).unwrap(), b"a file");
        fs::create_dir(at("tails")).unwrap();
        clear(&at("tails")).unwrap();
        assert!(!at("tails").exists());
        fs::create_dir(at("receipts")).unwrap();
        fs::write(at("receipts/somebody's"), b"").unwrap();
        clear(&at("receipts")).unwrap();
        assert!(at("receipts.damaged/somebody's").exists());
        fs::create_dir(at("receipts")).unwrap();
        fs::write(at("receipts/more"), b"").unwrap();
        assert!(clear(&at("receipts")).is_err());
        assert!(at("receipts/more").exists() && at("receipts.damaged/somebody's").exists());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("tails.damaged"), at("link")).unwrap();
            clear(&at("link")).unwrap();
            assert!(!at("link").exists() && at("tails.damaged").exists());
        }
    }
}
