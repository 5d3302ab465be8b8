//! Locks between processes: one lock file per key, below our own data folder, never in an agent's.
//! Relies on `flock`, which the system lifts when a process dies. Whoever only reads takes none.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::error::DiskError;
use crate::stat::Links;
use crate::sys;

/// The folder that holds the lock files.
///
/// ```
/// use memfold_disk::Locks;
///
/// # let data = tempfile::tempdir()?;
/// let locks = Locks::new(data.path().join("locks"));
/// let held = locks.try_lock("/logs/x.jsonl")?;
/// assert!(held.is_some());
/// assert!(locks.try_lock("/logs/x.jsonl")?.is_none());
/// assert!(locks.try_lock("/logs/y.jsonl")?.is_some());
/// drop(held);
/// assert!(locks.try_lock("/logs/x.jsonl")?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Locks {
    folder: PathBuf,
}

/// A lock held, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Locks {
    /// How often a lock file may vanish under us before we give up.
    const VANISHED: usize = 8;
    /// The first and the longest pause between two tries.
    const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(16));

    /// Locks in that folder, which is made (0700) when the first one is taken.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Takes the lock of a key, or `None` if anyone holds it: another process, or this one.
    ///
    /// A key is any text or path. One file reached by two paths is two keys: resolve it first.
    pub fn try_lock(&self, key: impl AsRef<OsStr>) -> Result<Option<Lock>, DiskError> {
        let path = self.path(key.as_ref());
        for _ in 0..Self::VANISHED {
            let file = self.open(&path)?;
            if !take(&file).map_err(DiskError::io("lock", &path))? {
                return Ok(None);
            }
            let lock = Lock { file };
            if lock.is_still(&path)? {
                return Ok(Some(lock));
            }
        }
        Ok(None)
    }

    /// Takes the lock of a key, waiting for it no longer than `patience`; then
    /// [`DiskError::Busy`]. Who holds it already and asks again waits for itself.
    pub fn lock(&self, key: impl AsRef<OsStr>, patience: Duration) -> Result<Lock, DiskError> {
        let key = key.as_ref();
        let start = Instant::now();
        // flock knows no deadline, and a signal to end it would be a process-wide affair: hence
        // tries with pauses.
        let (mut pause, longest) = Self::PAUSE;
        loop {
            if let Some(lock) = self.try_lock(key)? {
                return Ok(lock);
            }
            let left = patience.saturating_sub(start.elapsed());
            if left.is_zero() {
                let (key, path) = (PathBuf::from(key), self.path(key));
                return Err(DiskError::Busy {
                    key,
                    path,
                    waited: patience,
                });
            }
            thread::sleep(pause.min(left));
            pause = pause.saturating_mul(2).min(longest);
        }
    }

    /// The lock file of a key. Its name is a hash: a key may be longer than a name may be, and hold
    /// whatever a name may not.
    fn path(&self, key: &OsStr) -> PathBuf {
        let hash = Sha256::digest(key.as_encoded_bytes());
        let mut name = String::with_capacity(37);
        for byte in hash.iter().take(16) {
            // Writing to a String cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        name.push_str(".lock");
        self.folder.join(name)
    }

    fn open(&self, path: &Path) -> Result<File, DiskError> {
        let file = match sys::open_lock(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                crate::private_dir(&self.folder)?;
                sys::open_lock(path)
            }
            other => other,
        }
        .map_err(DiskError::io("open the lock file", path))?;
        sys::stat(&file)
            .map_err(DiskError::io("look at", path))?
            .regular(path)?;
        Ok(file)
    }
}

impl Lock {
    /// We never unlink a lock file, since the next to come would lock a new one while the old one
    /// is held. A person may, with the whole data folder: then what we hold no longer counts.
    fn is_still(&self, path: &Path) -> Result<bool, DiskError> {
        let ours = sys::stat(&self.file)
            .map_err(DiskError::io("look at", path))?
            .identity;
        match sys::stat_path(path, Links::Refuse) {
            Ok(stat) => Ok((stat.identity.dev, stat.identity.inode) == (ours.dev, ours.inode)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(DiskError::io("look at", path)(source)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that is between fork and exec has the file open too.
        let _ = fs2::FileExt::unlock(&self.file);
    }
}

/// Whether the lock was free. Called by its full name: std has a `try_lock` of its own.
fn take(file: &File) -> io::Result<bool> {
    loop {
        match fs2::FileExt::try_lock_exclusive(file) {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == fs2::lock_contended_error().kind() => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{child, folder, names, say_and_wait};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn one_holder_at_a_time_in_one_process() {
        let folder = folder();
        let locks = Locks::new(folder.path());
        let held = locks.try_lock("a").unwrap().unwrap();
        assert!(locks.try_lock("a").unwrap().is_none());
        let error = locks.lock("a", Duration::ZERO).unwrap_err();
        assert!(error.is_busy());
        assert!(
            error
                .to_string()
                .starts_with("a is locked by another process")
        );
        let other = locks.lock("b", Duration::ZERO).unwrap();
        drop(held);
        assert!(locks.try_lock("a").unwrap().is_some());
        drop(other);
        // Never unlinked.
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn between_processes() {
        let folder = folder();
        let locks = Locks::new(folder.path().join("locks"));
        let holder = say_and_wait(child("lock", &locks.folder), "held");
        assert!(locks.try_lock("key").unwrap().is_none());
        assert!(locks.lock("key", Duration::ZERO).unwrap_err().is_busy());
        assert!(locks.try_lock("other key").unwrap().is_some());
        // The child ends while this process is waiting.
        let ending = thread::spawn(move || holder.let_go());
        locks.lock("key", LONG).unwrap();
        ending.join().unwrap();
    }

    #[test]
    fn a_holder_that_is_killed_holds_nothing() {
        let folder = folder();
        let locks = Locks::new(folder.path());
        let holder = say_and_wait(child("lock", &locks.folder), "held");
        assert!(locks.try_lock("key").unwrap().is_none());
        holder.kill();
        assert!(locks.try_lock("key").unwrap().is_some());
    }

    #[test]
    fn dropped_is_free_even_while_a_child_has_the_file_open() {
        let folder = folder();
        let locks = Locks::new(folder.path());
        let held = locks.try_lock("key").unwrap().unwrap();
        let inherited = held.file.try_clone().unwrap();
        drop(held);
        assert!(locks.try_lock("key").unwrap().is_some());
        drop(inherited);
    }

    #[test]
    fn threads_count_without_losing_one() {
        let folder = folder();
        let (locks, number) = (Locks::new(folder.path()), folder.path().join("number"));
        fs::write(&number, b"0").unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let _held = locks.lock("number", LONG).unwrap();
                        let old: u32 = fs::read_to_string(&number).unwrap().parse().unwrap();
                        fs::write(&number, (old + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&number).unwrap(), "100");
    }

    #[test]
    fn any_key_is_a_safe_name() {
        let folder = folder();
        let locks = Locks::new(folder.path().join("locks"));
        let long = "x/".repeat(5000);
        let keys = [
            "",
            "/",
            "..",
            "../../x",
            "a\nb",
            "/a/project",
            "/a/project-two",
            &long,
        ];
        let held: Vec<_> = keys
            .iter()
            .map(|key| locks.try_lock(key).unwrap().unwrap())
            .collect();
        assert_eq!(held.len(), keys.len());
        assert_eq!(names(folder.path()), ["locks"]);
        for name in names(&locks.folder) {
            let hash = name.strip_suffix(".lock").unwrap();
            assert!(hash.len() == 32 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let mode = fs::metadata(locks.folder.join(&name))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o7777, 0o600);
        }
        let mode = fs::metadata(&locks.folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
    }

    #[test]
    fn a_lock_whose_file_was_removed_does_not_count() {
        let folder = folder();
        let locks = Locks::new(folder.path().join("locks"));
        let path = locks.path("key".as_ref());
        let held = locks.try_lock("key").unwrap().unwrap();
        assert!(held.is_still(&path).unwrap());
        fs::remove_dir_all(&locks.folder).unwrap();
        assert!(!held.is_still(&path).unwrap());
        let again = locks.try_lock("key").unwrap().unwrap();
        assert!(again.is_still(&path).unwrap() && !held.is_still(&path).unwrap());
    }

    #[test]
    fn no_link_is_followed_and_no_folder_taken() {
        let folder = folder();
        let locks = Locks::new(folder.path().join("locks"));
        fs::create_dir(&locks.folder).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        symlink(&elsewhere, locks.path("link".as_ref())).unwrap();
        fs::create_dir(locks.path("folder".as_ref())).unwrap();
        assert!(locks.try_lock("link").is_err());
        assert!(locks.try_lock("folder").is_err());
        assert!(!elsewhere.exists());

        fs::write(&elsewhere, b"").unwrap();
        let nowhere = Locks::new(elsewhere.join("locks"));
        assert!(nowhere.try_lock("key").is_err());
    }
}
