//! Which project a folder belongs to: the repository whose work tree holds it, told apart on path boundaries.
//! Asks the disk only whether a `.git` is there and what a `.git` file says; never runs git.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// The most bytes of a `.git` file or of what it points to that are read.
const LINK_LIMIT: u64 = 4096;

/// Answers which project a folder belongs to, remembering what it found for the length of a call.
#[derive(Default)]
pub(crate) struct Projects {
    known: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl Projects {
    /// The project of a folder: the top of its work tree; of a work tree that an agent made below the repository, the
    /// repository; else the folder itself. A folder that is gone belongs where its nearest ancestor does.
    pub(crate) fn of(&self, folder: &Path) -> PathBuf {
        if let Ok(known) = self.known.lock()
            && let Some(project) = known.get(folder)
        {
            return project.clone();
        }
        let project = find(folder);
        if let Ok(mut known) = self.known.lock() {
            known.insert(folder.to_owned(), project.clone());
        }
        project
    }

    /// Forgets what it found: a folder may have become a repository since.
    pub(crate) fn forget(&self) {
        if let Ok(mut known) = self.known.lock() {
            known.clear();
        }
    }

    /// Whether a task that worked in `cwd` belongs to `project`.
    pub(crate) fn owns(&self, project: &Path, cwd: &Path) -> bool {
        if !cwd.is_absolute() {
            return false;
        }
        let of = self.of(cwd);
        of == project || (memfold_disk::is_below(&of, project) && work_tree_top(&of).is_none())
    }
}

fn find(folder: &Path) -> PathBuf {
    let real = real(folder);
    let Some(top) = work_tree_top(&real) else {
        return real;
    };
    match repository_of_agents_work_tree(&top) {
        Some(repository) => repository,
        None => top,
    }
}

/// A folder's real path; where that cannot be found, the path as it is.
fn real(folder: &Path) -> PathBuf {
    memfold_disk::resolve_lost(folder).unwrap_or_else(|_| folder.to_owned())
}

/// The nearest folder at or above `folder` that holds a `.git`.
fn work_tree_top(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|place| fs::symlink_metadata(place.join(".git")).is_ok())
        .map(Path::to_owned)
}

/// The tree whose files are a repository's for a folder: the top of its own work tree, whoever made that; else the folder.
pub(crate) fn tree_of(folder: &Path) -> PathBuf {
    let real = real(folder);
    work_tree_top(&real).unwrap_or(real)
}

/// Whether a folder lies in a git work tree. What lies there may have come with a clone.
pub(crate) fn in_work_tree(folder: &Path) -> bool {
    work_tree_top(&real(folder)).is_some()
}

/// The repository of a work tree that an agent made below the repository's own folder. A link is believed only if the
/// repository links back to this very work tree.
fn repository_of_agents_work_tree(top: &Path) -> Option<PathBuf> {
    let repository = memfold_agents::WORK_TREES
        .iter()
        .find_map(|below| before(top, &below.split('/').collect::<Vec<_>>()))?;
    let link = read_link(&top.join(".git"))?;
    let git_dir = link.strip_prefix("gitdir:")?.trim();
    let git_dir = fs::canonicalize(top.join(git_dir)).ok()?;
    if git_dir.parent()? != fs::canonicalize(repository.join(".git").join("worktrees")).ok()? {
        return None;
    }
    let back = read_link(&git_dir.join("gitdir"))?;
    let back = fs::canonicalize(git_dir.join(back.trim())).ok()?;
    (back == fs::canonicalize(top.join(".git")).ok()?).then_some(repository)
}

/// What precedes the components `below` in a path, if they occur in it with something after them.
fn before(path: &Path, below: &[&str]) -> Option<PathBuf> {
    let components: Vec<Component<'_>> = path.components().collect();
    let at = components.windows(below.len()).position(|window| {
        window
            .iter()
            .zip(below)
            .all(|(component, name)| component.as_os_str() == std::ffi::OsStr::new(name))
    })?;
    (at + below.len() < components.len()).then(|| components.iter().take(at).collect())
}

/// A small regular file's text. Not through a link, and not a pipe that would wait.
fn read_link(path: &Path) -> Option<String> {
    let file = memfold_disk::Snapshot::open(path, memfold_disk::Links::Refuse).ok()?;
    if file.len() > LINK_LIMIT {
        return None;
    }
    String::from_utf8(file.read_at(0, usize::try_from(file.len()).ok()?).ok()?).ok()
}

/// A project's name: its folder's.
pub(crate) fn name(project: &Path) -> String {
    project.file_name().map_or_else(
        || project.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(at: &Path) {
        fs::create_dir_all(at.join(".git/worktrees")).unwrap();
    }

    #[test]
    fn a_folder_belongs_to_its_work_tree() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        repository(&root.join("api"));
        repository(&root.join("api-two"));
        fs::create_dir_all(root.join("api/src")).unwrap();
        let projects = Projects::default();
        assert_eq!(projects.of(&root.join("api/src")), root.join("api"));
        assert!(projects.owns(&root.join("api"), &root.join("api/src/gone/deeper")));
        assert!(!projects.owns(&root.join("api"), &root.join("api-two")));
    }

    #[test]
    fn a_nested_repository_is_a_project_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        repository(&root.join("api"));
        repository(&root.join("api/vendor/lib"));
        assert!(!Projects::default().owns(&root.join("api"), &root.join("api/vendor/lib")));
    }

    #[test]
    fn outside_repositories_a_project_is_the_folder_and_what_lies_below() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(root.join("notes/a")).unwrap();
        fs::create_dir_all(root.join("notes-two")).unwrap();
        let projects = Projects::default();
        assert!(projects.owns(&root.join("notes"), &root.join("notes/a")));
        assert!(!projects.owns(&root.join("notes"), &root.join("notes-two")));
        assert!(!projects.owns(&root.join("notes"), &root));
        assert!(!projects.owns(&root.join("notes"), Path::new("P:\\Users\\someone")));
    }

    #[test]
    fn an_agents_work_tree_belongs_to_its_repository_if_that_links_back() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let api = root.join("api");
        repository(&api);
        let tree = api.join(".claude/worktrees/fix");
        fs::create_dir_all(&tree).unwrap();
        fs::create_dir_all(api.join(".git/worktrees/fix")).unwrap();
        fs::write(
            tree.join(".git"),
            format!("gitdir: {}\n", api.join(".git/worktrees/fix").display()),
        )
        .unwrap();
        assert_eq!(find(&tree), tree, "not linked back yet");
        fs::write(
            api.join(".git/worktrees/fix/gitdir"),
            format!("{}\n", tree.join(".git").display()),
        )
        .unwrap();
        assert_eq!(find(&tree), api);
    }
}
