//! Git's own folder for a tree, and what a listing reads in it: the index and `info/exclude`. Its configuration is not read
//! but for one key of a submodule's: no other one that a clone may bring has a say in a listing.
//!
//! A `.git` file names a folder anywhere on the disk. It is believed only if that folder names this very tree in turn, which a
//! clone cannot make another's repository do; until then nothing there is used.

use std::path::{Path, PathBuf};

use memfold_disk::{DiskError, FileKind, Pinned, PinnedFolder};

use super::entry::{Left, NoGit, Why};
use super::ignore::{Case, Rules, Scope};
use super::index::{Index, IndexError};

/// The most of an index that is read: some millions of files.
const INDEX_BYTES: usize = 512 << 20;
/// The most of an ignore file that counts.
pub(super) const IGNORE_BYTES: usize = 1 << 20;
/// The most of a file that names a folder, and of a submodule's configuration.
const LINK_BYTES: usize = 4 << 10;
const CONFIG_BYTES: usize = 64 << 10;

/// Whether a tree is a git work tree.
pub(super) enum Repository {
    Is(GitDir),
    No(NoGit),
}

/// Git's folder of a work tree.
#[derive(Debug)]
pub(super) struct GitDir {
    folder: Pinned,
    /// The one that all work trees of the repository share, if that is another one.
    common: Option<Pinned>,
    pub(super) case: Case,
}

/// Whether that is git's own name, by whichever case.
pub(super) fn is_git_name(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Looks for git's folder at the root of a tree.
pub(super) fn find(root: &Pinned) -> Repository {
    let Ok(top) = root.folder("") else {
        return Repository::No(NoGit::None);
    };
    let found = match top.stat(".git").map(|stat| stat.kind) {
        Ok(FileKind::Folder) => in_folder(root, &top),
        Ok(FileKind::Regular) => by_file(root, &top),
        Ok(FileKind::Link) => Err(NoGit::Link),
        Ok(_) => Err(NoGit::NotGit),
        Err(_) => Err(NoGit::None),
    };
    match found {
        Ok(git) => Repository::Is(git),
        Err(why) => Repository::No(why),
    }
}

fn in_folder(root: &Pinned, top: &PinnedFolder) -> Result<GitDir, NoGit> {
    let folder = root.folder(".git").map_err(|_| NoGit::NotGit)?;
    if !is_git_dir(root, ".git", &folder) {
        return Err(NoGit::NotGit);
    }
    Ok(GitDir {
        folder: root.below(".git").map_err(|_| NoGit::NotGit)?,
        common: None,
        case: case(top),
    })
}

fn by_file(root: &Pinned, top: &PinnedFolder) -> Result<GitDir, NoGit> {
    let target = named_by(top).ok_or(NoGit::NotGit)?;
    let path = root.path().join(target);
    let folder = Pinned::open(&path).map_err(|_| NoGit::NotLinkedBack)?;
    let common = if is_work_tree_of(&folder, root) {
        let common = path.parent().filter(|above| above.ends_with("worktrees"));
        let common = common.map(|_| path.join("../.."));
        common.and_then(|path| Pinned::open(path).ok())
    } else if is_submodule_of(&folder, root) {
        None
    } else {
        return Err(NoGit::NotLinkedBack);
    };
    Ok(GitDir {
        folder,
        common,
        case: case(top),
    })
}

/// What a `.git` file names.
fn named_by(folder: &PinnedFolder) -> Option<PathBuf> {
    let text = small(folder.file(".git"), LINK_BYTES)?;
    let target = text
        .strip_prefix("gitdir: ")?
        .trim_end_matches(['\n', '\r']);
    (!target.is_empty() && !target.contains('\0')).then(|| PathBuf::from(target))
}

/// A work tree that was added names the tree in `gitdir`, by the path of its `.git` file.
fn is_work_tree_of(folder: &Pinned, root: &Pinned) -> bool {
    let back = small(
        folder.file("gitdir", memfold_disk::Links::Refuse),
        LINK_BYTES,
    );
    back.is_some_and(|back| {
        let back = folder.path().join(back.trim_end_matches(['\n', '\r']));
        back.ends_with(".git") && back.parent().is_some_and(|tree| root.is(tree))
    })
}

/// A submodule's folder names the tree as its work tree, in its configuration.
fn is_submodule_of(folder: &Pinned, root: &Pinned) -> bool {
    let config = small(
        folder.file("config", memfold_disk::Links::Refuse),
        CONFIG_BYTES,
    );
    config
        .as_deref()
        .and_then(core_worktree)
        .is_some_and(|tree| root.is(folder.path().join(tree)))
}

/// The value of `core.worktree`, written plainly as git writes it.
fn core_worktree(config: &str) -> Option<&str> {
    let mut in_core = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_core = line.eq_ignore_ascii_case("[core]");
        } else if in_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            found = Some(value.trim().trim_matches('"'));
        }
    }
    found.filter(|value| !value.is_empty() && !value.contains('\\'))
}

fn small(file: Result<memfold_disk::PinnedFile, DiskError>, most: usize) -> Option<String> {
    let bytes = file.ok()?.read_at_most(most + 1).ok()?;
    if bytes.len() > most {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Whether names that differ in case alone are one file there, as git finds out when it makes a repository.
fn case(top: &PinnedFolder) -> Case {
    let place = |name: &str| {
        let stat = top.stat(name).ok()?;
        Some((stat.identity.dev, stat.identity.inode))
    };
    match (place(".git"), place(".gIT")) {
        (Some(one), Some(other)) if one == other => Case::Folded,
        _ => Case::Sensitive,
    }
}

/// Whether git would take the folder for a repository's: it has objects, references and a `HEAD` that names something.
fn is_git_dir(root: &Pinned, path: &str, folder: &PinnedFolder) -> bool {
    let is = |name: &str, kind| folder.stat(name).is_ok_and(|stat| stat.kind == kind);
    let linked = |name: &str| is(name, FileKind::Folder) || is(name, FileKind::Link);
    let of_its_own = linked("objects") && linked("refs");
    let of_another = is("commondir", FileKind::Regular);
    if !of_its_own && !of_another {
        return false;
    }
    if is("HEAD", FileKind::Link) {
        return true;
    }
    let head = root.file(Path::new(path).join("HEAD"), memfold_disk::Links::Refuse);
    small(head, LINK_BYTES).is_some_and(|head| {
        let head = head.trim_end();
        let hash =
            matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit());
        hash || head
            .strip_prefix("ref:")
            .is_some_and(|name| name.trim_start().starts_with("refs/"))
    })
}

/// Whether a folder below the root is another repository's work tree, as far as can be told without leaving the root: a
/// `.git` file that names a folder outside is believed, as that only leaves files out.
pub(super) fn is_another(root: &Pinned, path: &str, folder: &PinnedFolder) -> bool {
    let at = |below: &str| format!("{path}/{below}");
    match folder.stat(".git").map(|stat| stat.kind) {
        Ok(FileKind::Folder) => root
            .folder(at(".git"))
            .is_ok_and(|git| is_git_dir(root, &at(".git"), &git)),
        Ok(FileKind::Regular) => named_by(folder).is_some_and(|target| {
            let Some(inside) = below_root(root.path(), path, &target) else {
                return true;
            };
            root.folder(&inside).is_ok_and(|git| {
                inside
                    .to_str()
                    .is_some_and(|inside| is_git_dir(root, inside, &git))
            })
        }),
        Ok(FileKind::Link) => true,
        _ => false,
    }
}

/// Where a path that a file in the folder names lies below the root, by its text; nowhere, if outside.
fn below_root(root: &Path, folder: &str, target: &Path) -> Option<PathBuf> {
    use std::path::Component;
    if target.is_absolute() {
        let inside = target.strip_prefix(root).ok()?;
        let plain = inside
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        return plain.then(|| inside.to_owned());
    }
    let mut inside = PathBuf::from(folder);
    for part in target.components() {
        match part {
            Component::Normal(name) => inside.push(name),
            Component::ParentDir if !inside.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(inside)
}

impl GitDir {
    /// Its path.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Git's folder itself.
    pub(super) fn folder(&self) -> &Pinned {
        &self.folder
    }

    /// The index; without one nothing is tracked yet.
    pub(super) fn index(&self, left: &mut Left) -> Result<Index, IndexError> {
        let file = match self.folder.file("index", memfold_disk::Links::Refuse) {
            Ok(file) => file,
            Err(error) if error.is_not_found() => return Ok(Index::empty(self.case)),
            Err(_) => return Err(IndexError::Unreadable),
        };
        let bytes = file
            .read_at_most(INDEX_BYTES + 1)
            .map_err(|_| IndexError::Unreadable)?;
        if bytes.len() > INDEX_BYTES {
            return Err(IndexError::TooLarge);
        }
        Index::read(&bytes, self.case, left)
    }

    /// The rules that are weaker than the tree's own: `info/exclude` before the person's.
    pub(super) fn rules(&self, personal: &[u8], left: &mut Left) -> Scope {
        let (mut rules, costly) = Rules::over(None, "", personal);
        say_costly("your ignore file", costly, left);
        let common = self.common.as_ref().unwrap_or(&self.folder);
        let Ok(info) = common.folder("info") else {
            return rules;
        };
        let name = ".git/info/exclude";
        if let Some(bytes) = ignore_file(&info, "exclude", name, left) {
            let (over, costly) = Rules::over(rules, "", &bytes);
            say_costly(name, costly, left);
            rules = over;
        }
        rules
    }
}

/// An ignore file's text, as far as it counts; `shown` is what it is called where something of it does not.
pub(super) fn ignore_file(
    folder: &PinnedFolder,
    name: &str,
    shown: &str,
    left: &mut Left,
) -> Option<Vec<u8>> {
    let file = match folder.file(name) {
        Ok(file) => file,
        Err(error) => {
            if !error.is_not_found() {
                left.add(shown, Why::OddIgnoreFile);
            }
            return None;
        }
    };
    let mut bytes = match file.read_at_most(IGNORE_BYTES + 1) {
        Ok(bytes) => bytes,
        Err(error) => {
            let how = error.to_string();
            left.add(shown, Why::Unreadable { how });
            return None;
        }
    };
    if bytes.len() > IGNORE_BYTES {
        left.add(shown, Why::LongIgnoreFile);
        // Whole lines alone: half a rule is another rule.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        bytes.truncate(whole);
    }
    Some(bytes)
}

/// Says that rules of a file were left out.
pub(super) fn say_costly(shown: &str, rules: usize, left: &mut Left) {
    if rules > 0 {
        left.add(shown, Why::CostlyRules { rules });
    }
}
