//! Goes through a tree's folders, level by level, the folders of a level on all cores. Relies on each being opened by its path
//! from the pinned root, so that depth costs neither stack nor open files, and nothing met on the way leads out.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use memfold_disk::{FileKind, Pinned, PinnedFolder};
use memfold_guard::{BadPath, TreePath};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::entry::{Entry, Found, Kind, Standing, Why};
use super::ignore::{Case, Is, Rules, Scope, Verdict, Work, judge};
use super::index::{Index, Mode};
use super::repository::{ignore_file, is_another, is_git_name, say_costly};

/// How many names are looked at in all: far beyond what any limit takes, and what memory holds.
const MOST: usize = 2_000_000;

/// When a listing ends, whatever is left of it.
#[derive(Debug)]
pub(super) struct Clock {
    until: Option<Instant>,
    over: AtomicBool,
}

impl Clock {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            until: super::after(time),
            over: AtomicBool::new(false),
        }
    }

    /// Whether the time is over; once it was, it stays so.
    pub(super) fn is_over(&self) -> bool {
        if self.over.load(Ordering::Relaxed) {
            return true;
        }
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            self.over.store(true, Ordering::Relaxed);
        }
        over
    }

    /// The time that is left.
    pub(super) fn left(&self) -> Duration {
        self.until.map_or(Duration::MAX, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }
}

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
    /// What belongs to the tree, by the rules that hold above it.
    Listed { rules: Scope, holds: Holds },
    /// All of it. The one that was asked for may be another repository's; one that is met in it is not entered.
    Whole { asked_for: Holds },
}

/// What is known of a folder before it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// It is this tree's own, whatever lies in it.
    Ours,
    /// It may turn out to be another repository's.
    Unknown,
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
        let rules = match &self.manner {
            Manner::Git { rules, .. } => rules.clone(),
            Manner::Plain => None,
        };
        let top = Folder {
            path: String::new(),
            into: Into::Listed {
                rules,
                holds: Holds::Ours,
            },
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
        let open = match self.root.folder(&folder.path) {
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
        let names = self.names(&open, &folder.path, &mut step.found);
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
        open: &PinnedFolder,
        path: &str,
        found: &mut Found,
    ) -> Vec<(OsString, FileKind)> {
        let mut names = Vec::new();
        let mut too_many = false;
        let listed = open.list(|name, kind| {
            too_many = self.seen.fetch_add(1, Ordering::Relaxed) >= MOST;
            if too_many || names.len() % 1024 == 1023 && self.clock.is_over() {
                return ControlFlow::Break(());
            }
            names.push((name, kind));
            ControlFlow::Continue(())
        });
        if let Err(error) = listed {
            let how = error.to_string();
            found.left.add(path, Why::Unreadable { how });
        }
        found.too_many |= too_many;
        for (name, kind) in &mut names {
            // A few file systems leave this to stat.
            if *kind == FileKind::Unknown {
                *kind = open.stat(name).map_or(FileKind::Unknown, |stat| stat.kind);
            }
        }
        names
    }

    fn is_another(&self, folder: &Folder, open: &PinnedFolder) -> bool {
        let holds = match (&folder.into, &self.manner) {
            (Into::Whole { asked_for }, _) => *asked_for,
            (Into::Listed { holds, .. }, Manner::Git { .. }) => *holds,
            // Where there is no git, a folder of clones is a tree of files.
            (Into::Listed { .. }, Manner::Plain) => Holds::Ours,
        };
        holds == Holds::Unknown && is_another(self.root, &folder.path, open)
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

fn wholes(whole: &[TreePath]) -> impl Iterator<Item = Folder> {
    whole.iter().map(|path| Folder {
        path: path.as_str().to_owned(),
        into: Into::Whole {
            asked_for: Holds::Ours,
        },
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
        let case = self.walk.case();
        for (name, kind) in names {
            if is_git(&name) {
                continue;
            }
            let name = match name.into_string() {
                Ok(name) => name,
                Err(name) => {
                    self.not_utf8(&name.into_vec(), step);
                    continue;
                }
            };
            let path = join(&self.folder.path, &name);
            match (&self.folder.into, &self.walk.manner) {
                (Into::Whole { .. }, _) => self.whole(&name, path, kind, step),
                (Into::Listed { .. }, Manner::Git { index, .. }) => {
                    if let Some(tracked) = index.find(&path) {
                        self.tracked(&name, tracked.path, tracked.mode, kind, step);
                        if kind != FileKind::Folder || tracked.mode == Mode::Repository {
                            continue;
                        }
                    }
                    let is = is(kind);
                    if judge(&self.rules, &path, is, case, &mut work) == Verdict::Kept {
                        let ours = kind == FileKind::Folder && index.has_below(&path);
                        self.kept(&name, path, kind, ours, step);
                    }
                }
                (Into::Listed { .. }, Manner::Plain) => {
                    let shown = !name.starts_with('.') && kind != FileKind::Link;
                    if shown
                        && judge(&self.rules, &path, is(kind), case, &mut work) == Verdict::Kept
                    {
                        self.kept(&name, path, kind, true, step);
                    }
                }
            }
            if work.is_too_much(1) {
                step.found.unreached = 1;
                return;
            }
        }
    }

    /// What the index has, and the disk too.
    fn tracked(&self, name: &str, path: &str, mode: Mode, kind: FileKind, step: &mut Step) {
        let kind = match (kind, mode) {
            (FileKind::Regular, Mode::File) => Kind::File,
            (FileKind::Link, Mode::File) => Kind::Link,
            (FileKind::Folder, Mode::Repository) => Kind::Repository,
            _ => return,
        };
        if let Ok(path) = TreePath::new(path) {
            self.entry(name, path, kind, Standing::Tracked, step);
        }
    }

    /// What no rule ignores.
    fn kept(&self, name: &str, path: String, kind: FileKind, ours: bool, step: &mut Step) {
        let holds = if ours { Holds::Ours } else { Holds::Unknown };
        // What of it is tracked is looked at with all else that the walk does not meet.
        if memfold_agents::is_state_in_tree(&path) {
            step.found.left.add(path, Why::AgentState);
            return;
        }
        let into = Into::Listed {
            rules: self.rules.clone(),
            holds,
        };
        self.met(name, path, kind, Standing::Untracked, into, step);
    }

    fn whole(&self, name: &str, path: String, kind: FileKind, step: &mut Step) {
        let into = Into::Whole {
            asked_for: Holds::Unknown,
        };
        self.met(name, path, kind, Standing::Whole, into, step);
    }

    fn met(
        &self,
        name: &str,
        path: String,
        kind: FileKind,
        standing: Standing,
        into: Into,
        step: &mut Step,
    ) {
        let kind = match kind {
            FileKind::Folder => {
                step.folders.push(Folder { path, into });
                return;
            }
            FileKind::Regular => Kind::File,
            FileKind::Link => Kind::Link,
            special => {
                step.found.left.add(path, Why::Special(special.into()));
                return;
            }
        };
        match TreePath::new(&path) {
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

    /// Named, unless it is a folder that is ignored: then it is not looked for.
    fn not_utf8(&self, name: &[u8], step: &mut Step) {
        let mut path = self.folder.path.clone().into_bytes();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        step.found.left.bad(&path, BadPath::NotUtf8);
    }
}

fn is(kind: FileKind) -> Is {
    match kind {
        FileKind::Folder => Is::Folder,
        _ => Is::File,
    }
}
