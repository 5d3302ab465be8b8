//! What a file is by its path: vendored, generated, or a changelog. Pure, and blunt: a prior of ranking, not a verdict.

/// What a path says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub(crate) vendored: bool,
    pub(crate) generated: bool,
    pub(crate) changelog: bool,
}

/// Folders of what others wrote, or of what is built or put away.
const VENDOR: &[&str] = &[
    "vendor",
    "third_party",
    "node_modules",
    "deps",
    "modules",
    "external",
    "dist",
    "build",
    "legacy",
    "archive",
    "archives",
    "archived",
];
/// Ends of the names of files that a program wrote, or that say nothing of how things work.
const GENERATED: &[&str] = &[
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "cargo.lock",
    "go.sum",
    "poetry.lock",
    "uv.lock",
    ".min.js",
    ".min.css",
    ".map",
    ".svg",
    ".snap",
    ".prebuilt",
    ".csv",
    ".golden",
    ".gitignore",
];
/// Beginnings of the names of files that list changes.
const CHANGES: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "news",
    "release-note",
    "release_note",
    "releasenote",
    "00-releasenotes",
];
/// Folders of such files.
const CHANGE_FOLDERS: &[&str] = &[
    "changelog",
    "changelogs",
    "changelog.d",
    "news",
    "newsfragments",
    "releases",
    "announce",
];
/// What is in the names of folders of such files: a release's own often has its number beside it.
const RELEASE_NOTES: &[&str] = &[
    "relnotes",
    "release-notes",
    "release_notes",
    "releasenotes",
    "whatsnew",
];

/// What a path says of its file.
pub(crate) fn of(path: &str) -> Kinds {
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let mut folders = folders.split('/');
    let mut kinds = Kinds {
        generated: GENERATED.iter().any(|end| name.ends_with(end))
            || name.starts_with("license")
            || name.starts_with("authors"),
        changelog: CHANGES.iter().any(|begin| name.starts_with(begin))
            || name == "change"
            || name.starts_with("change.")
            || is_release(name),
        vendored: false,
    };
    for folder in &mut folders {
        kinds.vendored |= VENDOR.contains(&folder);
        kinds.changelog |= CHANGE_FOLDERS.contains(&folder)
            || RELEASE_NOTES.iter().any(|part| folder.contains(part));
    }
    kinds
}

/// Whether a file tells of one release: `release-2.8.3.rst`.
fn is_release(name: &str) -> bool {
    let number = name.strip_prefix("release-");
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name_and_folder() {
        assert!(of("third_party/zlib/inflate.c").vendored);
        assert!(!of("src/vendor.rs").vendored);
        assert!(of("web/app.min.js").generated && of("Cargo.lock").generated);
        assert!(of("CHANGELOG.md").changelog && of("docs/changelogs/1.md").changelog);
        assert!(
            of("docs/news/0.7-relnotes/index.md").changelog && of("doc/release-2.8.rst").changelog
        );
        assert!(!of("scripts/release.py").changelog && !of("src/release-tag.rs").changelog);
        assert_eq!(of("src/main.rs"), Kinds::default());
    }
}
