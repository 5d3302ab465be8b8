//! Which files a tree has. In a git work tree: what git lists as tracked, and as untracked and not ignored. Elsewhere: what a
//! walk finds that is not hidden, linked or ignored. And whole folders that a person asked for.
//!
//! A clone is a stranger's. Its configuration is never read, no program runs, no path is looked up but from an open folder
//! below the root, no link is followed, no pipe waited for; folders as deep as you like cost no stack, and all of it ends in
//! time. What is in the way of a whole listing is in the listing: [`LeftOut`], [`Cut`], [`By`].
//!
//! In reading order: `repository` finds git's own folder and believes a `.git` file only if that folder links back; `index`
//! reads git's index; `ignore` its rules; `walk` goes through the folders, level by level, on all cores; `tracked` looks at
//! what is tracked and was not met. `command` asks git itself where the index is of a form that we do not read.

mod clock;
mod command;
mod entry;
mod fit;
mod ignore;
mod index;
mod repository;
mod tracked;
mod walk;

use std::path::Path;
use std::time::Duration;

use memfold_disk::{DiskError, Pinned};
use memfold_guard::TreePath;

pub use command::{CommandError, Hardened};
pub use entry::{By, Cut, Entry, Kind, Left, LeftOut, NoGit, Standing, Why};
pub use fit::{Extent, Fit, Limits, fit};
pub use index::IndexError;

use clock::Clock;
use entry::Found;
use index::Index;
use repository::{GitDir, Repository};
use walk::{Manner, Walk};

/// What is wanted of a listing.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Folders that a person asked for: all that lies in them, ignored and hidden files too. Those that are not there are
    /// passed over.
    pub whole: &'a [TreePath],
    /// What the person's own ignore file says (`~/.config/git/ignore`); the least of the rules. Not the tree's to name.
    pub personal: &'a [u8],
    /// The git command, for an index of a form that is not read here; without it such a tree is listed by its ignore rules.
    pub git: Option<&'a Hardened>,
    /// How long it may take.
    pub time: Duration,
}

impl Default for Wanted<'_> {
    /// No folder whole, no personal rules, no command, ten seconds.
    fn default() -> Self {
        Self {
            whole: &[],
            personal: &[],
            git: None,
            time: Duration::from_secs(10),
        }
    }
}

/// The files of a tree, and what may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The entries, each once, in the order of their paths.
    pub entries: Vec<Entry>,
    /// What was left out that a person might look for.
    pub left: Left,
    /// How it was told what belongs to the tree.
    pub by: By,
    /// What cut the listing short, if anything did.
    pub cut: Option<Cut>,
}

/// Lists a tree.
///
/// Fails only where the root itself cannot be listed.
///
/// ```
/// use memfold_disk::Pinned;
/// use memfold_repo::listing::{By, Wanted, list};
///
/// # let tree = tempfile::tempdir()?;
/// # let put = |name: &str, text: &str| std::fs::write(tree.path().join(name), text);
/// put("a.rs", "fn a() {}")?;
/// put("b.log", "")?;
/// put(".gitignore", "*.log\n")?;
///
/// let listing = list(&Pinned::open(tree.path())?, Wanted::default())?;
/// let paths: Vec<_> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
/// assert_eq!(paths, ["a.rs"]);
/// assert!(matches!(listing.by, By::Walk(_)));
/// assert_eq!(listing.cut, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn list(root: &Pinned, wanted: Wanted<'_>) -> Result<Listing, DiskError> {
    let clock = Clock::new(wanted.time);
    root.folder("")?;
    let mut left = Left::default();
    let (found, by) = match repository::find(root) {
        Repository::Is(git) => git_tree(root, &git, wanted, &clock, &mut left),
        Repository::No(why) => {
            let walk = Walk::new(root, Manner::Plain, &clock);
            (walk.all(wanted.whole), By::Walk(why))
        }
    };
    let Found {
        mut entries,
        left: met,
        unreached,
        too_many,
    } = found;
    left.append(met);
    entry::in_order(&mut entries);
    let cut = match (too_many, unreached) {
        (true, _) => Some(Cut::Entries),
        (false, 0) => None,
        (false, unreached) => Some(Cut::Time { unreached }),
    };
    Ok(Listing {
        entries,
        left,
        by,
        cut,
    })
}

fn git_tree(
    root: &Pinned,
    git: &GitDir,
    wanted: Wanted<'_>,
    clock: &Clock,
    left: &mut Left,
) -> (Found, By) {
    match git.index(left) {
        Ok(index) => {
            let found = by_rules(root, git, &index, wanted, clock, left);
            (found, By::Git)
        }
        Err(error) => {
            if let Some(command) = wanted.git
                && error.may_be_read_by_git()
                && let Ok(found) = by_command(root, git, command, wanted, clock)
            {
                return (found, By::Command(error));
            }
            let none = Index::empty(git.case);
            let found = by_rules(root, git, &none, wanted, clock, left);
            (found, By::Rules(error))
        }
    }
}

/// What the walk meets, and what is tracked and it did not meet: files in ignored folders.
fn by_rules(
    root: &Pinned,
    git: &GitDir,
    index: &Index,
    wanted: Wanted<'_>,
    clock: &Clock,
    left: &mut Left,
) -> Found {
    let rules = git.rules(wanted.personal, left);
    let walk = Walk::new(root, Manner::Git { index, rules }, clock);
    let mut found = walk.all(wanted.whole);
    entry::in_order(&mut found.entries);
    let missed = index.paths_not_in(&found.entries);
    found.add(tracked::look(root, missed, clock));
    found
}

/// What git's command lists, looked at by us.
fn by_command(
    root: &Pinned,
    git: &GitDir,
    command: &Hardened,
    wanted: Wanted<'_>,
    clock: &Clock,
) -> Result<Found, CommandError> {
    let mut listed = command.list(root.path(), git, clock.left())?;
    let mut left = Left::default();
    listed.retain(|it| {
        let path = String::from_utf8_lossy(&it.path);
        let kept = it.standing == Standing::Tracked || !memfold_agents::is_state_in_tree(&path);
        if !kept {
            left.add(path, Why::AgentState);
        }
        kept
    });
    let mut found = tracked::look(
        root,
        listed.iter().map(|it| (it.path.as_slice(), it.standing)),
        clock,
    );
    found.add(Walk::new(root, Manner::Plain, clock).whole(wanted.whole));
    found.left.append(left);
    Ok(found)
}

/// What an index tracks, by paths as they are compared. For whoever holds it against indexes that git did not write.
#[cfg(any(test, feature = "forged"))]
pub(crate) fn tracked_by(
    bytes: &[u8],
    case: crate::forged::Case,
) -> Result<Vec<(String, Kind)>, IndexError> {
    let case = match case {
        crate::forged::Case::Folded => ignore::Case::Folded,
        crate::forged::Case::Sensitive => ignore::Case::Sensitive,
    };
    Index::read(bytes, case, &mut Left::default()).map(|index| index.keys())
}

/// Where the program of that name lies in a list of folders as `PATH` has them: in an absolute one, not below `root`.
pub fn program(name: &str, path: &std::ffi::OsStr, root: &Path) -> Option<std::path::PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| {
            memfold_disk::resolve(program)
                .is_ok_and(|real| real.is_file() && !memfold_disk::is_below(&real, root))
        })
}
