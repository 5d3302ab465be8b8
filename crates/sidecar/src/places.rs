//! Where a sidecar lies: beside its log; in the cache where it cannot lie there; and in the cache under a name of this program's
//! own where a later program's stands in its place. A program that runs on under a later one so folds a log once, and not at
//! each call.

use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_fold::Parameters;

use crate::receipts::{Place, beside, key_of};
use crate::{FORMAT, Keeper, tails};

/// The folder of sidecars below the cache directory.
const FOLDER: &str = "sidecars";
/// How a sidecar's name ends.
const ENDING: &str = ".mem";

/// Where a sidecar is looked for. A receipt need not tell the last two apart: the later program's file is met first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    Beside,
    Cache,
    /// In the cache, apart from a later program's.
    Apart,
}

impl Where {
    pub(crate) fn place(self) -> Place {
        match self {
            Where::Beside => Place::Beside,
            Where::Cache | Where::Apart => Place::Cache,
        }
    }
}

impl From<Place> for Where {
    fn from(place: Place) -> Where {
        match place {
            Place::Beside => Where::Beside,
            Place::Cache => Where::Cache,
        }
    }
}

impl Keeper {
    /// Where the sidecar of a log lies when it cannot lie beside it.
    pub fn in_cache(&self, log: &Path) -> PathBuf {
        self.cache().join(FOLDER).join(name_of(log) + ENDING)
    }

    /// Where it lies when a later program's stands in its place.
    pub fn apart(&self, log: &Path, agent: &dyn Agent) -> PathBuf {
        let version = Parameters::of(agent).version;
        let name = format!("{}-{FORMAT}-{version}{ENDING}", name_of(log));
        self.cache().join(FOLDER).join(name)
    }

    /// Where this program's sidecar of a log lies that is not beside it.
    pub fn kept_in_cache(&self, log: &Path, agent: &dyn Agent) -> PathBuf {
        let apart = self.apart(log, agent);
        match apart.is_file() {
            true => apart,
            false => self.in_cache(log),
        }
    }

    /// What is kept of a log elsewhere than beside it: its sidecar, if that lies there, and its tail.
    pub fn kept_elsewhere(&self, log: &Path) -> [PathBuf; 2] {
        [self.in_cache(log), self.tail_path(log)]
    }

    pub(crate) fn tail_path(&self, log: &Path) -> PathBuf {
        tails::path(self.cache(), &name_of(log))
    }

    /// Where a sidecar lies.
    pub(crate) fn path(&self, log: &Path, agent: &dyn Agent, at: Where) -> PathBuf {
        match at {
            Where::Beside => beside(log),
            Where::Cache => self.in_cache(log),
            Where::Apart => self.apart(log, agent),
        }
    }
}

/// The place that a sidecar in the cache is kept apart from, if its name says that it is.
pub fn parted_from(sidecar: &Path) -> Option<PathBuf> {
    let name = sidecar.file_name()?.to_str()?.strip_suffix(ENDING)?;
    let mut parts = name.split('-');
    let log = parts.next()?;
    let is_version =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let versions = parts.next().is_some_and(is_version) && parts.next().is_some_and(is_version);
    (versions && parts.next().is_none()).then(|| sidecar.with_file_name(log.to_owned() + ENDING))
}

/// A file name for what is kept of a log elsewhere.
pub(crate) fn name_of(log: &Path) -> String {
    key_of(log)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_apart_tells_from_what() {
        let plain = Path::new("/c/sidecars/0a.mem");
        for (name, from) in [
            ("0a-1-7.mem", Some(plain)),
            ("0a-12-70.mem", Some(plain)),
            ("0a.mem", None),
            ("0a-1.mem", None),
            ("0a-1-.mem", None),
            ("0a-1-x.mem", None),
            ("0a-1-7-2.mem", None),
            ("0a-1-7", None),
        ] {
            let told = parted_from(&plain.with_file_name(name));
            assert_eq!(told.as_deref(), from, "{name}");
        }
    }
}
