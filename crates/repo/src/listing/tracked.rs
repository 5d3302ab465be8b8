//! Looks at paths that git has and the walk did not meet: in ignored folders, or of another listing. Folder by folder, each
//! opened once, from the pinned root.

use memfold_disk::{FileKind, Pinned};
use memfold_guard::TreePath;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::clock::Clock;
use super::entry::{Entry, Found, Kind, Standing, Why};

/// The paths of a folder.
struct Group {
    folder: String,
    paths: Vec<(TreePath, Standing)>,
}

/// What of the paths is there. One that is not is no fault: it is deleted and not yet committed.
pub(super) fn look<'a>(
    root: &Pinned,
    paths: impl IntoIterator<Item = (&'a [u8], Standing)>,
    clock: &Clock,
) -> Found {
    let mut found = Found::default();
    let mut groups: Vec<Group> = Vec::new();
    for (bytes, standing) in paths {
        // Git ends a folder that is another repository's with a slash.
        let path = match TreePath::from_bytes(bytes.strip_suffix(b"/").unwrap_or(bytes)) {
            Ok(path) => path,
            Err(error) => {
                found.left.bad(bytes, error);
                continue;
            }
        };
        match groups.last_mut() {
            Some(group) if group.folder == path.folder() => group.paths.push((path, standing)),
            _ => groups.push(Group {
                folder: path.folder().to_owned(),
                paths: vec![(path, standing)],
            }),
        }
    }
    let looked: Vec<Found> = groups
        .into_par_iter()
        .map(|group| look_in(root, group, clock))
        .collect();
    looked.into_iter().for_each(|more| found.add(more));
    found
}

fn look_in(root: &Pinned, group: Group, clock: &Clock) -> Found {
    let mut found = Found::default();
    if clock.is_over() {
        found.unreached = 1;
        return found;
    }
    let folder = match root.folder(&group.folder) {
        Ok(folder) => folder,
        Err(error) => {
            if !error.is_not_found() && !error.is_link() {
                let how = error.to_string();
                found.left.add(group.folder, Why::Unreadable { how });
            }
            return found;
        }
    };
    for (path, standing) in group.paths {
        let Ok(stat) = folder.stat(path.name()) else {
            continue;
        };
        let kind = match stat.kind {
            FileKind::Regular => Kind::File,
            FileKind::Link => Kind::Link,
            FileKind::Folder => Kind::Repository,
            special => {
                found.left.add(path.as_str(), Why::Special(special.into()));
                continue;
            }
        };
        found.entries.push(Entry {
            path,
            kind,
            standing,
            identity: stat.identity,
        });
    }
    found
}
