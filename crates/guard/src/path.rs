//! The name of a file of a tree: relative, UTF-8, by names alone. Two equal paths name the same file of the same tree.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A path below a tree's root: names with `/` between them, none empty, `.` or `..`.
///
/// Sorted by bytes, which is the order of git's index: what a partial index takes first.
///
/// ```
/// use memfold_guard::TreePath;
///
/// let path = TreePath::new("crates/guard/src/path.rs")?;
/// assert_eq!(path.name(), "path.rs");
/// assert_eq!(path.folder(), "crates/guard/src");
/// assert!(TreePath::new("../.env").is_err());
/// # Ok::<(), memfold_guard::BadPath>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(Arc<str>);

/// Why a text names no file of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadPath {
    /// It is empty.
    #[error("an empty path names no file of the tree")]
    Empty,
    /// It is absolute, or climbs, or has an empty name or a NUL in it.
    #[error("a file of the tree is named by the names below its root alone")]
    NotNames,
    /// Its bytes are not UTF-8.
    #[error("the name is not UTF-8")]
    NotUtf8,
}

impl TreePath {
    /// A path, if it is one.
    pub fn new(path: &str) -> Result<Self, BadPath> {
        if path.is_empty() {
            return Err(BadPath::Empty);
        }
        if !is_names(path.as_bytes()) {
            return Err(BadPath::NotNames);
        }
        Ok(Self(path.into()))
    }

    /// A path from the system's or git's bytes.
    pub fn from_bytes(path: &[u8]) -> Result<Self, BadPath> {
        let path = simdutf8::basic::from_utf8(path).map_err(|_| BadPath::NotUtf8)?;
        Self::new(path)
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its last name.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path of its folder; empty for a file at the top.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether it is that path or lies below it.
    pub fn is_within(&self, folder: &Self) -> bool {
        self.0
            .strip_prefix(folder.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Whether it is names with `/` between them, none of them empty, `.` or `..`, and without a NUL. In one pass: every path of
/// a tree is asked about at every search.
fn is_names(path: &[u8]) -> bool {
    // How long the name is so far, and how much of it is dots.
    let (mut length, mut dots) = (0usize, 0usize);
    for byte in path {
        match byte {
            0 => return false,
            b'/' if length == dots && length <= 2 => return false,
            b'/' => (length, dots) = (0, 0),
            _ => {
                length += 1;
                dots += usize::from(*byte == b'.');
            }
        }
    }
    length > dots || length > 2
}

impl AsRef<Path> for TreePath {
    fn as_ref(&self) -> &Path {
        Path::new(self.as_str())
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl TryFrom<String> for TreePath {
    type Error = BadPath;

    fn try_from(path: String) -> Result<Self, BadPath> {
        Self::new(&path)
    }
}

impl TryFrom<&Path> for TreePath {
    type Error = BadPath;

    fn try_from(path: &Path) -> Result<Self, BadPath> {
        Self::new(path.to_str().ok_or(BadPath::NotUtf8)?)
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> String {
        path.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_alone() {
        for path in ["a", "a/b", " ", "a/.b", "...", "a\nb", "ä/ö"] {
            assert_eq!(TreePath::new(path).unwrap().as_str(), path);
        }
        for path in [
            "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0",
        ] {
            TreePath::new(path).unwrap_err();
        }
        assert_eq!(TreePath::from_bytes(b"a\xff"), Err(BadPath::NotUtf8));
        serde_json::from_str::<TreePath>(r#""../a""#).unwrap_err();
    }

    proptest! {
        #[test]
        fn names_alone_as_they_are_split(path in "[a./\\x00]{0,8}") {
            let good = |name: &str| !matches!(name, "" | "." | "..");
            let is_path = !path.contains('\0') && path.split('/').all(good);
            prop_assert_eq!(TreePath::new(&path).is_ok(), is_path);
        }

        #[test]
        fn a_path_is_its_folder_and_its_name(path in "[ab./]{0,8}") {
            if let Ok(path) = TreePath::new(&path) {
                let joined = match path.folder() {
                    "" => path.name().to_owned(),
                    folder => format!("{folder}/{}", path.name()),
                };
                prop_assert_eq!(joined.as_str(), path.as_str());
                if let Ok(folder) = TreePath::new(path.folder()) {
                    prop_assert!(path.is_within(&folder) && !folder.is_within(&path));
                }
            }
        }
    }
}
