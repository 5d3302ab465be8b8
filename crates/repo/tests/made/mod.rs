//! Trees made for a test, and what git itself lists of them.

// In a test a failure is a panic; clippy excuses test functions alone, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use memfold_disk::Pinned;
use memfold_repo::listing::{Hardened, Kind, Listing, Wanted, list, program};
use tempfile::TempDir;

/// A folder with a tree in `root`, and room beside it.
pub(crate) struct Made {
    place: TempDir,
}

impl Made {
    /// An empty tree.
    pub(crate) fn tree() -> Made {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("root")).unwrap();
        Made { place }
    }

    /// An empty repository.
    pub(crate) fn repository() -> Made {
        let made = Made::tree();
        made.git(&["init", "-q", "."]);
        made
    }

    /// Beside the tree.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    /// The tree, or in it.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.place.path().join("root").join(path)
    }

    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) -> &Made {
        put(&self.at(path), text.as_ref());
        self
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) -> &Made {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    pub(crate) fn fifo(&self, path: &str) -> &Made {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        self
    }

    /// Runs git in the tree.
    pub(crate) fn git(&self, arguments: &[&str]) -> &Made {
        git(&self.at(""), arguments);
        self
    }

    pub(crate) fn root(&self) -> Pinned {
        Pinned::open(self.at("")).unwrap()
    }

    /// Our listing, with the git command at hand.
    pub(crate) fn listed(&self) -> Listing {
        let command = hardened();
        self.listed_as(Wanted {
            git: Some(&command),
            ..wanted()
        })
    }

    pub(crate) fn listed_as(&self, wanted: Wanted<'_>) -> Listing {
        let listing = list(&self.root(), wanted).unwrap();
        let sorted = |entries: &[memfold_repo::listing::Entry]| {
            entries.is_sorted_by(|one, other| one.path < other.path)
        };
        assert!(sorted(&listing.entries), "each once, in order");
        listing
    }

    /// What git lists and we can read: files and links that are there, not behind a link, with a name in UTF-8.
    pub(crate) fn git_lists(&self) -> Vec<String> {
        let mut command = safe_git(&self.at(""));
        command.args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let root = self.at("").canonicalize().unwrap();
        let listed: BTreeSet<String> = output
            .stdout
            .split(|byte| *byte == 0)
            .filter_map(|path| {
                let path = std::str::from_utf8(path).ok()?.trim_end_matches('/');
                let there = root.join(path);
                let kind = fs::symlink_metadata(&there).ok()?.file_type();
                let plain = kind.is_file() || kind.is_symlink() || kind.is_dir();
                let parent = there.parent()?;
                (!path.is_empty() && plain && parent.canonicalize().ok()? == parent)
                    .then(|| path.to_owned())
            })
            .collect();
        listed.into_iter().collect()
    }

    /// Ours must be git's.
    pub(crate) fn same_as_git(&self) -> Listing {
        let listing = self.listed();
        assert_eq!(paths(&listing), self.git_lists());
        listing
    }
}

/// All the time that a busy machine may need.
pub(crate) fn wanted() -> Wanted<'static> {
    Wanted {
        time: Duration::from_secs(600),
        ..Wanted::default()
    }
}

pub(crate) fn put(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn paths(listing: &Listing) -> Vec<String> {
    let path = |entry: &memfold_repo::listing::Entry| entry.path.to_string();
    listing.entries.iter().map(path).collect()
}

pub(crate) fn kind_of(listing: &Listing, path: &str) -> Option<Kind> {
    let entry = listing
        .entries
        .iter()
        .find(|entry| entry.path.as_str() == path)?;
    Some(entry.kind)
}

/// Why a path was left out, as it is told.
pub(crate) fn left(listing: &Listing, path: &str) -> Option<String> {
    let left = listing.left.named.iter().find(|left| left.path == path)?;
    Some(left.why.to_string())
}

pub(crate) fn hardened() -> Hardened {
    let path = std::env::var_os("PATH").unwrap();
    Hardened::new(program("git", &path, Path::new("/nonexistent")).unwrap())
}

/// Git with nothing of this machine's own in it.
pub(crate) fn git(at: &Path, arguments: &[&str]) {
    let output = run_git(at, arguments);
    assert!(output.status.success(), "{arguments:?} {output:?}");
}

pub(crate) fn run_git(at: &Path, arguments: &[&str]) -> Output {
    let mut command = clean(at);
    command
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments);
    command.output().unwrap()
}

/// Git that runs nothing of the tree's.
fn safe_git(at: &Path) -> Command {
    let mut command = clean(at);
    for off in [
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.untrackedCache=false",
        "core.excludesFile=/dev/null",
    ] {
        command.args(["-c", off]);
    }
    command
}

fn clean(at: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(at)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_CEILING_DIRECTORIES", at.parent().unwrap().as_os_str());
    command
}

/// A path of bytes that are no text.
pub(crate) fn odd_name(folder: &Path, name: &[u8]) -> PathBuf {
    folder.join(std::ffi::OsStr::from_bytes(name))
}
