//! Finds the regular files below a folder. Relies on folders saying what their entries are, so that
//! only files that are wanted cost a stat; follows no link below the root, and goes on after every
//! error.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::DiskError;
use crate::listings::{Listings, Names, put_name, sorted};
use crate::stat::{FileKind, Identity, Stat};
use crate::sweep::now_ns;
use crate::sys::{self, Folder};

/// How far a walk may go; what it leaves out for that it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many folders deep: 0 is the root's own files. Each level holds one open folder.
    pub depth: usize,
    /// How many entries in all, of every kind.
    pub entries: usize,
}

impl Default for Limits {
    /// Far beyond what agents' stores hold, and within the usual limit on open files.
    fn default() -> Self {
        Self {
            depth: 32,
            entries: 2_000_000,
        }
    }
}

/// A regular file that a walk came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The root as it was given, and the names below it.
    pub path: PathBuf,
    /// What stat said.
    pub identity: Identity,
}

/// Walks over the regular files below `root`, folder by folder, by name within each.
///
/// The root itself may be a link; no other is followed. A folder that cannot be read is one error
/// among the results, and the walk goes on.
///
/// ```
/// use memfold_disk::{Limits, walk};
///
/// # let store = tempfile::tempdir()?;
/// # std::fs::create_dir_all(store.path().join("project"))?;
/// # std::fs::create_dir_all(store.path().join("cache"))?;
/// # for name in ["project/a.jsonl", "project/a.mem", "cache/b.jsonl"] {
/// #     std::fs::write(store.path().join(name), "")?;
/// # }
/// let logs = walk(store.path(), Limits::default())
///     .folders(|path| !path.ends_with("cache"))
///     .files(|name| name.to_string_lossy().ends_with(".jsonl"));
/// for log in logs {
///     match log {
///         Ok(log) => assert!(log.path.ends_with("project/a.jsonl")),
///         Err(left_out) => panic!("{left_out}: {}", left_out.hint()),
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn walk<'a>(root: impl Into<PathBuf>, limits: Limits) -> Walk<'a> {
    Walk {
        root: Some(root.into()),
        levels: Vec::new(),
        limits,
        left: limits.entries,
        cut: false,
        enter: Box::new(|_| true),
        keep: Box::new(|_| true),
        listings: None,
        began_ns: now_ns(),
        keeps_times: None,
    }
}

/// What [`walk`] gives: the files, and an error for each folder or file that had to be left out.
pub struct Walk<'a> {
    /// Until the first step.
    root: Option<PathBuf>,
    /// The folders on the way down to where we are.
    levels: Vec<Level>,
    limits: Limits,
    /// Entries we may still look at.
    left: usize,
    /// Whether there were more.
    cut: bool,
    enter: Box<dyn FnMut(&Path) -> bool + 'a>,
    keep: Box<dyn FnMut(&OsStr) -> bool + 'a>,
    /// What folders held before, and what they are found to hold.
    listings: Option<&'a mut Listings>,
    began_ns: i64,
    /// The device that was asked last whether a folder's times tell that its names changed, and what it said.
    keeps_times: Option<(u64, bool)>,
}

/// One folder and what is left of it to look at.
struct Level {
    /// `None` where it need not be listed: it is reached by way of the nearest one above that is open. Its names are looked up
    /// through folders that stat found to be such a moment ago.
    folder: Option<Folder>,
    path: PathBuf,
    names: Names,
}

impl<'a> Walk<'a> {
    /// Enters only the folders, below the root, whose path passes.
    pub fn folders(mut self, enter: impl FnMut(&Path) -> bool + 'a) -> Self {
        self.enter = Box::new(enter);
        self
    }

    /// Gives only the files whose name passes; no other is looked at.
    pub fn files(mut self, keep: impl FnMut(&OsStr) -> bool + 'a) -> Self {
        self.keep = Box::new(keep);
        self
    }

    /// Lists no folder that `listings` know in its present state, and notes there what it lists. What it finds is the same, but
    /// for sidecars: those are never found.
    pub fn knowing(mut self, listings: &'a mut Listings) -> Self {
        self.listings = Some(listings);
        self
    }

    #[cfg(test)]
    pub(crate) fn taking_all_as_settled(mut self) -> Self {
        self.began_ns = i64::MAX;
        self
    }

    /// Lists a folder and goes on in it. What could be listed counts, also when there is an error.
    fn descend(&mut self, mut folder: Folder, path: PathBuf) -> Option<DiskError> {
        // Before it is listed: what comes or goes meanwhile leaves it in another state.
        let state = self.listings.as_ref().and_then(|_| folder.stat().ok());
        let mut names = Vec::new();
        let (left, cut, keep) = (&mut self.left, &mut self.cut, &mut self.keep);
        let before = *left;
        // Listings are for walks after other names, too.
        let is_noted = state.is_some();
        let mut is_told = true;
        let listed = folder.list(|name, kind| match left.checked_sub(1) {
            Some(fewer) => {
                *left = fewer;
                is_told &= kind != FileKind::Unknown;
                let is_wanted = match kind {
                    FileKind::Regular if is_noted => !Listings::leave_out(name),
                    FileKind::Regular => keep(name),
                    _ => true,
                };
                if is_wanted {
                    put_name(&mut names, name, kind);
                }
                ControlFlow::Continue(())
            }
            None => {
                *cut = true;
                ControlFlow::Break(())
            }
        });
        let entries = before.saturating_sub(*left);
        let names = Arc::new(sorted(&names));
        let error = match listed {
            Err(source) => Some(DiskError::io("list the folder", &path)(source)),
            Ok(()) if self.cut => Some(DiskError::TooMany {
                path: path.clone(),
                limit: self.limits.entries,
            }),
            Ok(()) => None,
        };
        if let Some(state) = state
            && error.is_none()
            && is_told
            && state.identity.settled_before(self.began_ns)
            && self.keeps_times(&folder, state.identity.dev)
            && let Some(listings) = &mut self.listings
        {
            listings.note(&state.identity, entries, &names);
        }
        self.levels.push(Level {
            folder: Some(folder),
            path,
            names: Names::Own(names, 0),
        });
        error
    }

    fn keeps_times(&mut self, folder: &Folder, dev: u64) -> bool {
        match self.keeps_times {
            Some((known, keeps)) if known == dev => keeps,
            _ => {
                let keeps = sys::names_change_times(folder);
                self.keeps_times = Some((dev, keeps));
                keeps
            }
        }
    }

    /// Goes on in a folder that is in the state in which it was listed before, without listing it again.
    fn go_on_in(
        &mut self,
        state: &Stat,
        folder: Option<Folder>,
        path: PathBuf,
    ) -> Result<(), (Option<Folder>, PathBuf)> {
        let known = match &mut self.listings {
            Some(listings) if state.kind == FileKind::Folder => listings.known(&state.identity),
            _ => None,
        };
        match known.and_then(|(names, entries)| Some((names, self.left.checked_sub(entries)?))) {
            Some((names, left)) => {
                self.left = left;
                self.levels.push(Level {
                    folder,
                    path,
                    names,
                });
                Ok(())
            }
            None => Err((folder, path)),
        }
    }

    fn start(&mut self, root: PathBuf) -> Option<DiskError> {
        let folder = match Folder::open(&root) {
            Ok(folder) => folder,
            Err(source) => return Some(DiskError::io("open the folder", &root)(source)),
        };
        let state = self.listings.as_ref().and_then(|_| folder.stat().ok());
        let left = match state {
            Some(state) => self.go_on_in(&state, Some(folder), root),
            None => Err((Some(folder), root)),
        };
        match left {
            Err((Some(folder), root)) => self.descend(folder, root),
            _ => None,
        }
    }

    /// The nearest folder that is open, and how a path below the last level is called in it.
    fn nearest<'p>(&self, path: &'p Path) -> Option<(&Folder, &'p OsStr)> {
        let levels = self.levels.iter().rev();
        let (folder, above) = levels
            .filter_map(|level| Some((level.folder.as_ref()?, &level.path)))
            .next()?;
        let path = path.as_os_str().as_encoded_bytes();
        let below = path.strip_prefix(above.as_os_str().as_encoded_bytes())?;
        Some((
            folder,
            sys::name_of(below.strip_prefix(b"/").unwrap_or(below)),
        ))
    }

    fn enter(&mut self, path: PathBuf) -> Option<DiskError> {
        // That there was too much is said once.
        if self.cut || !(self.enter)(&path) {
            return None;
        }
        if self.levels.len() > self.limits.depth {
            return Some(DiskError::TooDeep {
                path,
                limit: self.limits.depth,
            });
        }
        let path = match self.listings.is_some().then(|| self.stat(&path)) {
            Some(Some(Ok(state))) => match self.go_on_in(&state, None, path) {
                Ok(()) => return None,
                Err((_, path)) => path,
            },
            _ => path,
        };
        let (folder, below) = self.nearest(&path)?;
        let opened = match below.as_encoded_bytes().contains(&b'/') {
            true => folder.folder_below(Path::new(below)),
            false => folder.open_child(below),
        };
        match opened {
            Ok(folder) => self.descend(folder, path),
            Err(source) => Some(DiskError::io("open the folder", &path)(source)),
        }
    }

    /// What is at a path below the last level; a link is not followed.
    fn stat(&self, path: &Path) -> Option<io::Result<Stat>> {
        let (folder, below) = self.nearest(path)?;
        Some(folder.stat_child(below))
    }

    /// A file whose name has passed.
    fn look(&mut self, path: PathBuf) -> Option<Result<Found, DiskError>> {
        match self.stat(&path)? {
            Ok(stat) if stat.kind == FileKind::Regular => Some(Ok(Found {
                path,
                identity: stat.identity,
            })),
            Ok(_) => None,
            Err(source) => Some(Err(DiskError::io("look at", &path)(source))),
        }
    }

    /// The kind of an entry whose folder did not say it: a few file systems leave that to stat.
    fn ask(&self, path: &Path) -> FileKind {
        // What cannot be asked is met again, and told, as a file.
        self.stat(path)
            .and_then(Result::ok)
            .map_or(FileKind::Regular, |stat| stat.kind)
    }

    /// The next name of the last level that may be wanted, as a path.
    fn name(&mut self) -> Option<(PathBuf, FileKind)> {
        let level = self.levels.last_mut()?;
        let kept = self
            .listings
            .as_ref()
            .map_or(&[][..], |listings| listings.bytes());
        while let Some((name, kind)) = level.names.next(kept) {
            if kind != FileKind::Regular || (self.keep)(name) {
                return Some((below(&level.path, name), kind));
            }
        }
        None
    }
}

/// A path below a folder, in room that is right for it: thousands are made in a row.
fn below(folder: &Path, name: &OsStr) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + name.len());
    path.push(folder);
    path.push(name);
    path
}

impl Iterator for Walk<'_> {
    type Item = Result<Found, DiskError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(root) = self.root.take()
            && let Some(error) = self.start(root)
        {
            return Some(Err(error));
        }
        while !self.levels.is_empty() {
            let Some((path, kind)) = self.name() else {
                self.levels.pop();
                continue;
            };
            let step = match kind {
                FileKind::Folder => self.enter(path).map(Err),
                FileKind::Regular => self.look(path),
                FileKind::Unknown => match self.ask(&path) {
                    FileKind::Folder => self.enter(path).map(Err),
                    FileKind::Regular if path.file_name().is_some_and(&mut self.keep) => {
                        self.look(path)
                    }
                    _ => None,
                },
                _ => None,
            };
            if step.is_some() {
                return step;
            }
        }
        None
    }
}

impl fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("at", &self.levels.last().map(|level| &level.path))
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{as_ordinary_user, fifo, folder, set_mode};
    use std::fs;
    use std::os::unix::fs::symlink;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = folder();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        root
    }

    /// The files found, below the root, and the errors met.
    fn all(root: &Path, walk: Walk<'_>) -> (Vec<String>, Vec<DiskError>) {
        let (mut files, mut errors) = (Vec::new(), Vec::new());
        for step in walk {
            match step {
                Ok(found) => {
                    let path = found.path.strip_prefix(root).unwrap();
                    files.push(path.to_str().unwrap().to_owned());
                }
                Err(error) => errors.push(error),
            }
        }
        (files, errors)
    }

    #[test]
    fn every_file_once_by_name_with_its_identity() {
        let root = tree(&[
            "b/2.jsonl",
            "b/1.jsonl",
            "a.jsonl",
            "b/c/d/3.jsonl",
            "z.jsonl",
        ]);
        fs::create_dir(root.path().join("empty")).unwrap();
        let (files, errors) = all(root.path(), walk(root.path(), Limits::default()));
        assert_eq!(
            files,
            [
                "a.jsonl",
                "b/1.jsonl",
                "b/2.jsonl",
                "b/c/d/3.jsonl",
                "z.jsonl"
            ]
        );
        assert!(errors.is_empty());
        for found in walk(root.path(), Limits::default()).map(Result::unwrap) {
            let direct = Identity::at(&found.path, crate::Links::Refuse).unwrap();
            assert_eq!(found.identity, direct);
        }
    }

    #[test]
    fn filters_by_folder_and_name() {
        let root = tree(&["a/x.jsonl", "a/x.mem", "node/y.jsonl", "a/node/z.jsonl"]);
        let mut entered = Vec::new();
        let walk = walk(root.path(), Limits::default())
            .folders(|path| {
                entered.push(path.strip_prefix(root.path()).unwrap().to_owned());
                !path.ends_with("node")
            })
            .files(|name| {
                Path::new(name)
                    .extension()
                    .is_some_and(|ending| ending == "jsonl")
            });
        assert_eq!(all(root.path(), walk).0, ["a/x.jsonl"]);
        assert_eq!(
            entered,
            [Path::new("a"), Path::new("a/node"), Path::new("node")]
        );
    }

    #[test]
    fn no_link_below_the_root_is_followed() {
        let root = tree(&["a/x", "b/y"]);
        let at = |name: &str| root.path().join(name);
        symlink(root.path(), at("a/up")).unwrap();
        symlink("../b", at("a/beside")).unwrap();
        symlink("x", at("a/link to x")).unwrap();
        symlink("gone", at("a/dangling")).unwrap();
        symlink("loop", at("a/loop")).unwrap();
        fifo(&at("a/fifo"));
        let (files, errors) = all(root.path(), walk(root.path(), Limits::default()));
        assert_eq!(files, ["a/x", "b/y"]);
        assert!(errors.is_empty());

        let place = folder();
        let link = place.path().join("store");
        symlink(root.path(), &link).unwrap();
        assert_eq!(all(&link, walk(&link, Limits::default())).0, ["a/x", "b/y"]);
    }

    #[test]
    fn what_cannot_be_read_is_said_and_passed() {
        let root = tree(&["a/x", "b/y", "c/z"]);
        let mut steps = walk(root.path(), Limits::default());
        assert!(steps.next().unwrap().unwrap().path.ends_with("a/x"));
        // The root has been listed by now: this one will not be there when the walk comes to it.
        fs::remove_dir_all(root.path().join("b")).unwrap();
        let (files, errors) = all(root.path(), steps);
        assert_eq!(files, ["c/z"]);
        assert!(matches!(&errors[..], [error] if error.is_not_found()));
        assert!(errors[0].to_string().contains("/b"));

        set_mode(&root.path().join("a"), 0);
        let met = as_ordinary_user(|| all(root.path(), walk(root.path(), Limits::default())));
        set_mode(&root.path().join("a"), 0o755);
        if let Some((files, errors)) = met {
            assert_eq!(files, ["c/z"]);
            assert!(matches!(&errors[..], [error] if error.is_permission()));
        }
    }

    #[test]
    fn a_folder_swapped_for_a_link_is_not_entered() {
        let root = tree(&["a/x", "b/y", "elsewhere/z"]);
        let mut steps =
            walk(root.path(), Limits::default()).folders(|path| !path.ends_with("elsewhere"));
        assert!(steps.next().unwrap().is_ok());
        fs::remove_dir_all(root.path().join("b")).unwrap();
        symlink("elsewhere", root.path().join("b")).unwrap();
        let (files, errors) = all(root.path(), steps);
        assert!(files.is_empty(), "{files:?}");
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn a_root_that_is_none() {
        let root = tree(&["file"]);
        for (name, missing) in [("none", true), ("file", false)] {
            let path = root.path().join(name);
            let (files, errors) = all(&path, walk(&path, Limits::default()));
            assert!(files.is_empty());
            assert!(matches!(&errors[..], [error] if error.is_not_found() == missing));
        }
    }

    #[test]
    fn no_deeper_than_allowed() {
        let deep = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join("/") + "/x";
        let root = tree(&["top", "0/one", &deep]);
        let limits = |depth| Limits {
            depth,
            ..Limits::default()
        };
        let (files, errors) = all(root.path(), walk(root.path(), limits(1)));
        assert_eq!(files, ["0/one", "top"]);
        assert!(
            matches!(&errors[..], [DiskError::TooDeep { path, limit: 1 }] if path.ends_with("0/1"))
        );
        assert_eq!(all(root.path(), walk(root.path(), limits(0))).0, ["top"]);
        assert_eq!(all(root.path(), walk(root.path(), limits(39))).1.len(), 1);
        let (files, errors) = all(root.path(), walk(root.path(), limits(40)));
        assert!(files.contains(&deep) && errors.is_empty());
    }

    #[test]
    fn no_more_than_allowed_and_said_once() {
        let root = tree(&["a/1", "a/2", "b/3", "c/4"]);
        let with = |entries| {
            let limits = Limits {
                entries,
                ..Limits::default()
            };
            all(root.path(), walk(root.path(), limits))
        };
        // Three folders and four files.
        let (files, errors) = with(7);
        assert_eq!((files.len(), errors.len()), (4, 0));
        for entries in 0..7 {
            let (files, errors) = with(entries);
            assert!(
                files.len() <= entries.saturating_sub(3),
                "{entries}: {files:?}"
            );
            assert!(
                matches!(&errors[..], [DiskError::TooMany { limit, .. }] if *limit == entries),
                "{entries}: {errors:?}"
            );
        }
    }
}
