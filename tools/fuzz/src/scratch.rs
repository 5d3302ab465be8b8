//! A file for what is read by path only. One for each thread: it is written anew for each input.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().unwrap();
}

/// The path of a file of this name with these bytes.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// The folder that holds them.
pub(crate) fn folder() -> PathBuf {
    FOLDER.with(|folder| Path::to_owned(folder.path()))
}
