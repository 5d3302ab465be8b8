//! Goes through a tree's folders, level by level, the folders of a level on all cores. Relies on each being opened by its path
//! from the pinned root, so that depth costs neither stack nor open files, and nothing met on the way leads out.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::{self, AtomicUsize};

use memfold_disk::{FileKind, Pinned, PinnedFolder};
use memfold_guard::{BadPath, TreePath};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::clock::{Clock, Work};
use super::entry::{Entry, Found, Kind, Standing, Why};
use super::ignore::{Case, Is, Rules, Scope, Verdict, judge};
use super::index::{Below, Index, Mode, Tracked};
use super::repository::{ignore_file, is_another, is_git_name, say_costly};

/// How many names are looked at in all: far beyond what any limit takes, and what memory holds.
const MOST: usize = 2_000_000;

/// By which rules a tree is walked.
#[derive(Debug)]
pub(super) enum Manner<'a> {
    /// As git does.
    Git {
        index: &'a Index,
        /// The rules that are weaker than the tree's own.
        rules: Scope,
    },
    /// Without what is hidden or linked.
    Plain,
}

/// A walk over a tree.
pub(super) struct Walk<'a> {
    root: &'a Pinned,
    manner: Manner<'a>,
    clock: &'a Clock,
    seen: AtomicUsize,
}

/// A folder to look into.
#[derive(Debug)]
struct Folder {
    path: String,
    into: Into,
}

/// What is taken of a folder.
#[derive(Debug)]
enum Into {
    /// What belongs to the tree, by the rules that hold above it. With something tracked in it, it is this tree's own, whatever
    /// else lies there.
    Listed { rules: Scope, tracked: Below },
    /// All of it. The one that was asked for may be another repository's; one that is met in it is not entered.
    Whole { named: Named },
}

/// Whether a person asked for the very folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Yes,
    No,
}

/// What a folder gave.
#[derive(Debug, Default)]
struct Step {
    found: Found,
    folders: Vec<Folder>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Pinned, manner: Manner<'a>, clock: &'a Clock) -> Self {
        Self {
            root,
            manner,
            clock,
            seen: AtomicUsize::new(0),
        }
    }

    /// The tree, and the folders that are taken whole.
    pub(super) fn all(&self, whole: &[TreePath]) -> Found {
        let (rules, tracked) = match &self.manner {
            Manner::Git { rules, index } => (rules.clone(), index.all()),
            Manner::Plain => (None, Below::default()),
        };
        let top = Folder {
            path: String::new(),
            into: Into::Listed { rules, tracked },
        };
        self.levels(std::iter::once(top).chain(wholes(whole)).collect())
    }

    /// The folders that are taken whole, alone.
    pub(super) fn whole(&self, whole: &[TreePath]) -> Found {
        self.levels(wholes(whole).collect())
    }

    fn levels(&self, mut level: Vec<Folder>) -> Found {
        let mut found = Found::default();
        while !level.is_empty() && !found.too_many {
            let steps: Vec<Step> = level
                .into_par_iter()
                .map(|folder| self.look_into(&folder))
                .collect();
            level = Vec::new();
            for step in steps {
                found.add(step.found);
                level.extend(step.folders);
            }
        }
        found
    }

    fn look_into(&self, folder: &Folder) -> Step {
        let mut step = Step::default();
        if self.clock.is_over() {
            step.found.unreached = 1;
            return step;
        }
        let mut open = match self.root.folder(&folder.path) {
            Ok(open) => open,
            Err(error) => {
                // Gone, or a link by now; what is not shown is said.
                if !error.is_not_found() && !error.is_link() {
                    let how = error.to_string();
                    step.found
                        .left
                        .add(folder.path.as_str(), Why::Unreadable { how });
                }
                return step;
            }
        };
        let names = self.names(&mut open, &folder.path, &mut step.found);
        if names.iter().any(|(name, _)| is_git(name)) && self.is_another(folder, &open) {
            step.found.entries.extend(repository(&open, &folder.path));
            return step;
        }
        let inside = Inside {
            walk: self,
            open: &open,
            folder,
            rules: self.rules_in(folder, &open, &names, &mut step.found),
        };
        inside.take(names, &mut step);
        step
    }

    /// The names in a folder and what they stand for.
    fn names(
        &self,
        open: &mut PinnedFolder,
        path: &str,
        found: &mut Found,
    ) -> Vec<(OsString, FileKind)> {
        let mut names = Vec::new();
        let (mut too_many, mut late) = (false, false);
        let listed = open.list(|name, kind| {
            too_many = self.seen.fetch_add(1, atomic::Ordering::Relaxed) >= MOST;
            late = names.len() % 1024 == 1023 && self.clock.is_over();
            if too_many || late {
                return ControlFlow::Break(());
            }
            names.push((name.to_owned(), kind));
            ControlFlow::Continue(())
        });
        if let Err(error) = listed {
            let how = error.to_string();
            found.left.add(path, Why::Unreadable { how });
        }
        found.too_many |= too_many;
        found.unreached = usize::from(late);
        for (name, kind) in &mut names {
            // A few file systems leave this to stat.
            if *kind == FileKind::Unknown {
                *kind = open.stat(name).map_or(FileKind::Unknown, |stat| stat.kind);
            }
        }
        names.sort_unstable_by(in_order_of_paths);
        names
    }

    fn is_another(&self, folder: &Folder, open: &PinnedFolder) -> bool {
        let may_be = match (&folder.into, &self.manner) {
            (Into::Whole { named }, _) => *named == Named::No,
            (Into::Listed { tracked, .. }, Manner::Git { .. }) => {
                tracked.is_empty() && !folder.path.is_empty()
            }
            // Where there is no git, a folder of clones is a tree of files.
            (Into::Listed { .. }, Manner::Plain) => false,
        };
        may_be && is_another(self.root, &folder.path, open)
    }

    /// The rules that hold in a folder: those above it, and its own ignore files'.
    fn rules_in(
        &self,
        folder: &Folder,
        open: &PinnedFolder,
        names: &[(OsString, FileKind)],
        found: &mut Found,
    ) -> Scope {
        let Into::Listed { rules, .. } = &folder.into else {
            return None;
        };
        let files: &[&str] = match self.manner {
            Manner::Git { .. } => &[".gitignore"],
            // The later one is the stronger.
            Manner::Plain => &[".gitignore", ".ignore"],
        };
        let mut rules = rules.clone();
        for file in files {
            if !names.iter().any(|(name, _)| name == *file) {
                continue;
            }
            let shown = join(&folder.path, file);
            if let Some(bytes) = ignore_file(open, file, &shown, &mut found.left) {
                let (over, costly) = Rules::over(rules, &folder.path, &bytes);
                say_costly(&shown, costly, &mut found.left);
                rules = over;
            }
        }
        rules
    }

    fn case(&self) -> Case {
        match &self.manner {
            Manner::Git { index, .. } => index.case(),
            Manner::Plain => Case::Sensitive,
        }
    }
}

/// As what they stand for is ordered by path: what lies in a folder has a slash behind the folder's name. So each level of a
/// walk is in order, and all of it nearly.
fn in_order_of_paths(one: &(OsString, FileKind), other: &(OsString, FileKind)) -> Ordering {
    let (a, b) = (one.0.as_bytes(), other.0.as_bytes());
    let alike = a.len().min(b.len());
    let end = |name: &[u8], kind| match name.get(alike) {
        None if kind == FileKind::Folder => Some(b'/'),
        byte => byte.copied(),
    };
    a.get(..alike)
        .cmp(&b.get(..alike))
        .then_with(|| end(a, one.1).cmp(&end(b, other.1)))
}

fn wholes(whole: &[TreePath]) -> impl Iterator<Item = Folder> {
    whole.iter().map(|path| Folder {
        path: path.as_str().to_owned(),
        into: Into::Whole { named: Named::Yes },
    })
}

fn is_git(name: &OsString) -> bool {
    name.to_str().is_some_and(is_git_name)
}

fn join(folder: &str, name: &str) -> String {
    match folder.is_empty() {
        true => name.to_owned(),
        false => format!("{folder}/{name}"),
    }
}

/// The entry of a folder that is another repository's.
fn repository(open: &PinnedFolder, path: &str) -> Option<Entry> {
    Some(Entry {
        path: TreePath::new(path).ok()?,
        kind: Kind::Repository,
        standing: Standing::Untracked,
        identity: open.stat(".").ok()?.identity,
    })
}

/// An open folder whose names are gone through.
struct Inside<'a> {
    walk: &'a Walk<'a>,
    open: &'a PinnedFolder,
    folder: &'a Folder,
    rules: Scope,
}

impl Inside<'_> {
    fn take(&self, names: Vec<(OsString, FileKind)>, step: &mut Step) {
        let mut work = Work::new(self.walk.clock);
        let mut path = self.folder.path.clone();
        if !path.is_empty() {
            path.push('/');
        }
        let folder = path.len();
        let mut next = 0;
        for (name, kind) in names {
            if is_git(&name) {
                continue;
            }
            match name.into_string() {
                Ok(name) => {
                    path.truncate(folder);
                    path.push_str(&name);
                    self.name(&name, &path, kind, &mut next, &mut work, step);
                }
                Err(name) => self.not_utf8(&name.into_vec(), step),
            }
            if work.is_too_much(1) {
                step.found.unreached = 1;
                return;
            }
        }
    }

    /// `next` is the place among the tracked paths behind the last one.
    fn name(
        &self,
        name: &str,
        path: &str,
        kind: FileKind,
        next: &mut usize,
        work: &mut Work<'_>,
        step: &mut Step,
    ) {
        let Into::Listed { tracked, .. } = &self.folder.into else {
            let into = Into::Whole { named: Named::No };
            return self.met(name, path, kind, Standing::Whole, into, step);
        };
        let mut below = Below::default();
        match &self.walk.manner {
            Manner::Git { index, .. } => {
                if let Some(tracked) = index.find(tracked, path, next) {
                    self.tracked(name, tracked, kind, step);
                    if kind != FileKind::Folder || tracked.mode == Mode::Repository {
                        return;
                    }
                }
                if kind == FileKind::Folder {
                    below = index.below(tracked, path);
                    *next = Index::behind(tracked, &below);
                }
            }
            Manner::Plain => {
                if name.starts_with('.') || kind == FileKind::Link {
                    return;
                }
            }
        }
        let is = match kind {
            FileKind::Folder => Is::Folder,
            _ => Is::File,
        };
        if judge(&self.rules, path, is, self.walk.case(), work) != Verdict::Kept {
            return;
        }
        // What of it is tracked is looked at with all else that the walk does not meet.
        if memfold_agents::is_state_in_tree(path) {
            return step.found.left.add(path, Why::AgentState);
        }
        let into = Into::Listed {
            rules: self.rules.clone(),
            tracked: below,
        };
        self.met(name, path, kind, Standing::Untracked, into, step);
    }

    /// What the index has, and the disk too.
    fn tracked(&self, name: &str, tracked: Tracked<'_>, kind: FileKind, step: &mut Step) {
        let kind = match (kind, tracked.mode) {
            (FileKind::Regular, Mode::File) => Kind::File,
            (FileKind::Link, Mode::File) => Kind::Link,
            (FileKind::Folder, Mode::Repository) => Kind::Repository,
            _ => return,
        };
        self.entry(name, tracked.path.clone(), kind, Standing::Tracked, step);
    }

    fn met(
        &self,
        name: &str,
        path: &str,
        kind: FileKind,
        standing: Standing,
        into: Into,
        step: &mut Step,
    ) {
        let kind = match kind {
            FileKind::Folder => {
                let path = path.to_owned();
                return step.folders.push(Folder { path, into });
            }
            FileKind::Regular => Kind::File,
            FileKind::Link => Kind::Link,
            special => return step.found.left.add(path, Why::Special(special.into())),
        };
        match TreePath::new(path) {
            Ok(path) => self.entry(name, path, kind, standing, step),
            Err(error) => step.found.left.bad(path.as_bytes(), error),
        }
    }

    /// With what stat says of it now, which may be another thing than the folder said.
    fn entry(&self, name: &str, path: TreePath, kind: Kind, standing: Standing, step: &mut Step) {
        let Ok(stat) = self.open.stat(name) else {
            return;
        };
        let now = match stat.kind {
            FileKind::Regular => Kind::File,
            FileKind::Link => Kind::Link,
            FileKind::Folder => Kind::Repository,
            _ => return,
        };
        if now == kind {
            step.found.entries.push(Entry {
                path,
                kind,
                standing,
                identity: stat.identity,
            });
        }
    }

    fn not_utf8(&self, name: &[u8], step: &mut Step) {
        let mut path = self.folder.path.clone().into_bytes();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        step.found.left.bad(&path, BadPath::NotUtf8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_in_the_order_of_what_lies_below_them(
            names in prop::collection::btree_map("[a.b-]{1,3}", any::<bool>(), 0..8),
        ) {
            let mut sorted: Vec<(OsString, FileKind)> = names
                .iter()
                .map(|(name, is_folder)| (name.into(), if *is_folder { FileKind::Folder } else { FileKind::Regular }))
                .collect();
            sorted.sort_unstable_by(in_order_of_paths);
            let paths = |(name, kind): &(OsString, FileKind)| {
                let name = name.to_string_lossy();
                match kind {
                    FileKind::Folder => vec![format!("{name}/!"), format!("{name}/~")],
                    _ => vec![name.into_owned()],
                }
            };
            prop_assert!(sorted.iter().flat_map(paths).is_sorted());
        }
    }
}
