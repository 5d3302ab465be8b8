//! Paths and folders: where a path really leads, what lies below what, and what we do to names. Relies on paths being compared by whole components: /a/project-two is not below
//! /a/project.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf, is_separator};

use crate::error::DiskError;
use crate::publish::{folder_and_name, replaceable};
use crate::sys::{self, Folder};

/// Makes a folder and those above it that are missing, for this user alone (0700). One that is there
/// already keeps its mode.
pub fn private_dir(path: impl AsRef<Path>) -> Result<(), DiskError> {
    let path = path.as_ref();
    make_private(path).map_err(DiskError::io("make the folder", path))
}

fn make_private(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = path
        .parent()
        .filter(|above| !above.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut made = sys::make_private_folder(path);
    if matches!(&made, Err(error) if error.kind() == io::ErrorKind::NotFound) && above != path {
        make_private(above)?;
        made = sys::make_private_folder(path);
    }
    match made {
        Ok(()) => {
            // A folder that is lost with the power takes along whatever was published in it. That
            // its name could not be made durable is no reason to go without it.
            let _ = Folder::open(above).and_then(|above| above.sync());
            Ok(())
        }
        // Another process was quicker.
        Err(_) if path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a file's name: that of a link, not what it leads to. It may be back after a loss of power
/// until [`sync_names`] was called for its folder.
pub fn remove(path: impl AsRef<Path>) -> Result<(), DiskError> {
    let path = path.as_ref();
    let (parent, name) = folder_and_name(path)?;
    Folder::open(parent)
        .and_then(|folder| folder.remove(name))
        .map_err(DiskError::io("remove", path))
}

/// Makes the names in a folder durable: those it was given, and that others are gone.
pub fn sync_names(folder: impl AsRef<Path>) -> Result<(), DiskError> {
    let folder = folder.as_ref();
    Folder::open(folder)
        .and_then(|open| open.sync())
        .map_err(DiskError::io("sync the folder", folder))
}

/// Opens a log of our own to append to and to read, and makes it (0600) if it is not there. Its name
/// is durable when this returns, so that what is synced in it later is found again.
pub fn open_own_log(path: impl AsRef<Path>) -> Result<File, DiskError> {
    let path = path.as_ref();
    let (folder, file) = open_to_append(path)?;
    let (parent, _) = folder_and_name(path)?;
    // Also of one that was there: who made it may have been killed before this.
    folder
        .sync()
        .map_err(DiskError::io("sync the folder", parent))?;
    Ok(file)
}

/// Puts bytes behind the end of a log of our own, by one write, of which it says how many went out.
pub fn append_to_own_log(log: &File, bytes: &[u8]) -> io::Result<usize> {
    sys::write(log, bytes)
}

/// Returns once what was appended to a log of our own survives a loss of power.
pub fn sync_own_log(log: &File) -> io::Result<()> {
    sys::sync(log)
}

/// As [`open_own_log`], of a log that nobody relies on: its name may be gone after a loss of power, and no disk is waited for.
pub fn open_own_record(path: impl AsRef<Path>) -> Result<File, DiskError> {
    open_to_append(path.as_ref()).map(|(_, file)| file)
}

fn open_to_append(path: &Path) -> Result<(Folder, File), DiskError> {
    let (parent, name) = folder_and_name(path)?;
    let folder = Folder::open(parent).map_err(DiskError::io("open the folder", parent))?;
    let file = folder
        .open_to_append(name)
        .map_err(DiskError::io("open", path))?;
    sys::stat(&file)
        .map_err(DiskError::io("look at", path))?
        .regular(path)?;
    Ok((folder, file))
}

/// Whether this user may make files in a folder, or, where it is not there yet, may make it. Nothing is tried: the system is
/// asked.
pub fn can_write(folder: impl AsRef<Path>) -> Result<(), DiskError> {
    let there = folder
        .as_ref()
        .ancestors()
        .find(|place| place.symlink_metadata().is_ok())
        .unwrap_or(Path::new("."));
    sys::can_write(there).map_err(DiskError::io("write to", there))
}

/// Where the path leads: absolute, through every link. It must exist.
pub fn resolve(path: impl AsRef<Path>) -> Result<PathBuf, DiskError> {
    let path = path.as_ref();
    path.canonicalize().map_err(DiskError::io("resolve", path))
}

/// Where the path leads, or led: what exists of it is resolved, what does not is appended as it is
/// written. For the working folder that a log names and that is long gone.
///
/// A folder on the way that may not be entered counts as gone. A relative path is taken from the
/// working folder of this process.
pub fn resolve_lost(path: impl AsRef<Path>) -> Result<PathBuf, DiskError> {
    let path = path.as_ref();
    let path = std::path::absolute(path).map_err(DiskError::io("resolve", path))?;
    // Most are there: looked at once, not again for each folder on the way.
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let (mut resolved, mut lost) = (PathBuf::new(), false);
    for part in path.components() {
        // From the top, so that a log's text as long as you like costs no more than what exists.
        if !lost && let Ok(found) = resolved.join(part).canonicalize() {
            resolved = found;
            continue;
        }
        lost = true;
        match part {
            Component::ParentDir => _ = resolved.pop(),
            part => resolved.push(part),
        }
    }
    Ok(resolved)
}

/// Whether `path` is `folder` or lies below it, by whole components and by the text of both alone:
/// resolve them first. A path that still has `..` in it lies below nothing.
///
/// ```
/// use memfold_disk::is_below;
///
/// assert!(is_below("/a/project/src", "/a/project"));
/// assert!(is_below("/a/project", "/a/project"));
/// assert!(!is_below("/a/project-two", "/a/project"));
/// assert!(!is_below("/a/project/../secret", "/a/project"));
/// ```
pub fn is_below(path: impl AsRef<Path>, folder: impl AsRef<Path>) -> bool {
    let (path, folder) = (path.as_ref(), folder.as_ref());
    let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    !folder.as_os_str().is_empty() && !climbs(path) && !climbs(folder) && path.starts_with(folder)
}

/// The order of two paths by their names, one after the other: that of [`Path`]s, of such as have no empty name, `.` or `..` in
/// them, found without taking them apart.
pub fn in_order(one: &Path, other: &Path) -> Ordering {
    let (one, other) = (
        one.as_os_str().as_encoded_bytes(),
        other.as_os_str().as_encoded_bytes(),
    );
    let (chunks, others) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    let alike = chunks
        .iter()
        .zip(others)
        .take_while(|(one, other)| one == other)
        .count();
    // A name ends before any letter that another goes on with.
    let weigh = |byte: &u8| match is_separator(char::from(*byte)) {
        true => 0,
        false => u16::from(*byte) + 1,
    };
    let one = one.iter().skip(alike * 8).map(weigh);
    one.cmp(other.iter().skip(alike * 8).map(weigh))
}

/// Gives a damaged file the name `<name>.damaged`, in place of an earlier one, and says where it is.
pub fn set_aside(path: impl AsRef<Path>) -> Result<PathBuf, DiskError> {
    let path = path.as_ref();
    let (parent, name) = folder_and_name(path)?;
    let folder = Folder::open(parent).map_err(DiskError::io("open the folder", parent))?;
    if replaceable(&folder, name, path)?.is_none() {
        return Err(DiskError::io("set aside", path)(
            io::ErrorKind::NotFound.into(),
        ));
    }
    let mut aside = OsString::from(name);
    aside.push(".damaged");
    let there = path.with_file_name(&aside);
    replaceable(&folder, &aside, &there)?;
    folder
        .rename(name, &aside)
        .map_err(DiskError::io("set aside", path))?;
    Ok(there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{as_ordinary_user, folder, names, set_mode as chmod};
    use proptest::prelude::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    proptest! {
        #[test]
        fn the_order_is_that_of_paths(one in "(/[a-c.\\-0 é]{1,9}x){1,4}", other in "(/[a-c.\\-0 é]{1,9}x){1,4}", below in "(/[a-c]{1,3}){0,2}") {
            let longer = format!("{one}{below}");
            for (one, other) in [(&one, &other), (&one, &longer), (&longer, &one), (&longer, &other)] {
                let (one, other) = (Path::new(one), Path::new(other));
                prop_assert_eq!(in_order(one, other), one.cmp(other));
            }
        }
    }

    #[test]
    fn whether_a_folder_may_be_written_is_told_without_trying() {
        let folder = folder();
        let missing = folder.path().join("a/b");
        assert!(can_write(folder.path()).is_ok() && can_write(&missing).is_ok());
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(can_write(&file).is_err() && can_write(file.join("below")).is_err());
        chmod(folder.path(), 0o555);
        let refused = as_ordinary_user(|| can_write(&missing));
        chmod(folder.path(), 0o755);
        if let Some(refused) = refused {
            assert!(refused.unwrap_err().is_permission());
        }
        assert!(!missing.exists());
    }

    #[test]
    fn a_private_folder_is_private_all_the_way() {
        let folder = folder();
        let deep = folder.path().join("a/b/c");
        private_dir(&deep).unwrap();
        private_dir(&deep).unwrap();
        for path in [deep.as_path(), deep.parent().unwrap()] {
            assert_eq!(
                fs::metadata(path).unwrap().permissions().mode() & 0o7777,
                0o700
            );
        }
        fs::write(folder.path().join("file"), b"").unwrap();
        let error = private_dir(folder.path().join("file/x")).unwrap_err();
        assert!(error.to_string().contains("file/x"));
        assert!(private_dir(folder.path().join("file")).is_err());
    }

    #[test]
    fn removed_is_a_name_and_nothing_behind_it() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"text").unwrap();
        symlink("file", at("link")).unwrap();
        remove(at("link")).unwrap();
        assert_eq!(names(folder.path()), ["file"]);
        assert!(remove(at("link")).unwrap_err().is_not_found());
        assert!(remove(folder.path()).is_err());
        sync_names(folder.path()).unwrap();
        assert!(sync_names(at("none")).unwrap_err().is_not_found());
    }

    #[test]
    fn a_log_of_our_own_is_private_and_only_appended_to() {
        use std::io::Write;
        let folder = folder();
        let path = folder.path().join("events.jsonl");
        for text in ["one\n", "two\n"] {
            open_own_log(&path)
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        symlink("events.jsonl", folder.path().join("link")).unwrap();
        assert!(open_own_log(folder.path().join("link")).is_err());
        assert!(open_own_log(folder.path()).is_err());
    }

    #[test]
    fn resolved_through_links() {
        let folder = folder();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/in")).unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(resolve(root.join("link/in/..")).unwrap(), root.join("real"));
        assert!(resolve(root.join("link/gone")).unwrap_err().is_not_found());
        assert!(resolve(root.join("loop")).is_err());

        let lost = |path: &str| resolve_lost(root.join(path)).unwrap();
        assert_eq!(lost("link/in"), root.join("real/in"));
        assert_eq!(lost("link/gone/deeper"), root.join("real/gone/deeper"));
        assert_eq!(lost("link/gone/../other"), root.join("real/other"));
        assert_eq!(lost("loop/x"), root.join("loop/x"));
        assert!(resolve_lost("gone").unwrap().is_absolute());
        assert!(resolve_lost("").is_err());
    }

    #[test]
    fn set_aside_once_and_again() {
        let folder = folder();
        let path = folder.path().join("x.mem");
        for text in ["first", "second"] {
            fs::write(&path, text).unwrap();
            let there = set_aside(&path).unwrap();
            assert_eq!(there, folder.path().join("x.mem.damaged"));
            assert_eq!(fs::read_to_string(there).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["x.mem.damaged"]);
        assert!(set_aside(&path).unwrap_err().is_not_found());

        symlink("x.mem.damaged", &path).unwrap();
        assert!(matches!(
            set_aside(&path),
            Err(DiskError::NotRegular { .. })
        ));
        fs::remove_file(&path).unwrap();
        fs::remove_file(folder.path().join("x.mem.damaged")).unwrap();
        fs::create_dir(folder.path().join("x.mem.damaged")).unwrap();
        fs::write(&path, "third").unwrap();
        assert!(matches!(
            set_aside(&path),
            Err(DiskError::NotRegular { .. })
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
    }

    #[test]
    fn below_is_by_component() {
        assert!(is_below("/a", "/"));
        assert!(is_below("/a/b/", "/a/b"));
        assert!(!is_below("/a", "/a/b"));
        assert!(!is_below("a/b", "/a"));
        assert!(!is_below("/a", ""));
        assert!(!is_below("/a/b", "/a/../a"));
    }

    proptest! {
        #[test]
        fn below_means_a_rest_that_stays_inside(
            folder in "(/[ab.]{1,3}){0,3}/?",
            rest in "([ab.]{1,3}/?){0,3}",
        ) {
            let joined = Path::new("/root").join(folder.trim_start_matches('/'));
            let path = joined.join(&rest);
            let climbs = path.components().any(|part| part == Component::ParentDir);
            prop_assert_eq!(is_below(&path, &joined), !climbs);
        }
    }
}
