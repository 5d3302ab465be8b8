//! Where memfold's own files lie, from the environment. Relies on the lookup it is given alone, so
//! that a test never meets the real home.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::DiskError;
use crate::lock::Locks;
use crate::sys;

/// memfold's three folders. None is made before something is written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// What took work to make: indexes, notes on projects, lock files.
    pub data: PathBuf,
    /// What a person decided.
    pub config: PathBuf,
    /// What may be thrown away at any time.
    pub cache: PathBuf,
}

impl Dirs {
    /// For each folder its own variable (`MEMFOLD_DATA_DIR`, …), else the one of the XDG base
    /// directories with `memfold` below it, else the place those have below the home.
    ///
    /// An empty variable counts as unset, and so does a relative XDG one, as that standard wants; a
    /// relative folder of our own is taken from the working folder.
    ///
    /// ```
    /// use memfold_disk::Dirs;
    ///
    /// let dirs = Dirs::from_env(|name| match name {
    ///     "HOME" => Some("/home/ada".into()),
    ///     "XDG_CACHE_HOME" => Some("/scratch".into()),
    ///     "MEMFOLD_CONFIG_DIR" => Some("/etc/memfold".into()),
    ///     _ => None,
    /// })?;
    /// assert_eq!(dirs.data.to_str(), Some("/home/ada/.local/share/memfold"));
    /// assert_eq!(dirs.cache.to_str(), Some("/scratch/memfold"));
    /// assert_eq!(dirs.config.to_str(), Some("/etc/memfold"));
    /// # Ok::<(), memfold_disk::DiskError>(())
    /// ```
    pub fn from_env(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self, DiskError> {
        let set = |name: &str| {
            lookup(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let folder = |ours: &'static str, base: &str, below_home: &str| {
            if let Some(named) = set(ours) {
                return std::path::absolute(&named).map_err(DiskError::io("resolve", &named));
            }
            set(base)
                .filter(|base| base.is_absolute())
                .or_else(|| Some(set(sys::HOME)?.join(below_home)))
                .map(|base| base.join("memfold"))
                .ok_or(DiskError::NoHome { variable: ours })
        };
        Ok(Self {
            data: folder("MEMFOLD_DATA_DIR", "XDG_DATA_HOME", ".local/share")?,
            config: folder("MEMFOLD_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")?,
            cache: folder("MEMFOLD_CACHE_DIR", "XDG_CACHE_HOME", ".cache")?,
        })
    }

    /// The locks, below the data folder.
    pub fn locks(&self) -> Locks {
        Locks::new(self.data.join("locks"))
    }

    /// Whether a path lies in one of the three.
    pub fn hold(&self, path: impl AsRef<Path>) -> bool {
        [&self.data, &self.config, &self.cache]
            .iter()
            .any(|folder| crate::is_below(path.as_ref(), folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(variables: &[(&str, &str)]) -> Result<Dirs, DiskError> {
        Dirs::from_env(|name| {
            let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
            Some(value.into())
        })
    }

    #[test]
    fn below_the_home_by_default() {
        let dirs = dirs(&[("HOME", "/h")]).unwrap();
        assert_eq!(dirs.data, Path::new("/h/.local/share/memfold"));
        assert_eq!(dirs.config, Path::new("/h/.config/memfold"));
        assert_eq!(dirs.cache, Path::new("/h/.cache/memfold"));
        assert!(dirs.hold("/h/.cache/memfold/x.mem"));
        assert!(!dirs.hold("/h/.cache/memfold-two/x.mem"));
    }

    #[test]
    fn our_variable_before_xdg_before_home() {
        let all = [
            ("HOME", "/h"),
            ("XDG_DATA_HOME", "/x"),
            ("MEMFOLD_DATA_DIR", "/m"),
        ];
        assert_eq!(dirs(&all).unwrap().data, Path::new("/m"));
        assert_eq!(dirs(&all[..2]).unwrap().data, Path::new("/x/memfold"));
        assert_eq!(
            dirs(&all[..2]).unwrap().cache,
            Path::new("/h/.cache/memfold")
        );
    }

    #[test]
    fn empty_is_unset_and_relative_is_not_xdg() {
        let odd = [
            ("HOME", "/h"),
            ("XDG_DATA_HOME", "data"),
            ("MEMFOLD_DATA_DIR", ""),
        ];
        assert_eq!(
            dirs(&odd).unwrap().data,
            Path::new("/h/.local/share/memfold")
        );
        let own = dirs(&[("HOME", "/h"), ("MEMFOLD_DATA_DIR", "data")]).unwrap();
        assert!(own.data.is_absolute() && own.data.ends_with("data"));
    }

    #[test]
    fn a_home_is_needed_only_where_nothing_else_says() {
        let ours = [("MEMFOLD_DATA_DIR", "/d"), ("MEMFOLD_CONFIG_DIR", "/c")];
        let error = dirs(&ours).unwrap_err();
        assert!(matches!(
            error,
            DiskError::NoHome {
                variable: "MEMFOLD_CACHE_DIR"
            }
        ));
        assert!(error.to_string().contains("MEMFOLD_CACHE_DIR and HOME"));
        let all = [ours[0], ours[1], ("XDG_CACHE_HOME", "/x")];
        assert_eq!(dirs(&all).unwrap().cache, Path::new("/x/memfold"));
    }
}
