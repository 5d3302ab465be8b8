//! Reads the files of one tree, by the rules. What a name says is checked first, the way is walked from the root with no link
//! leading out, where a link led is checked as a name again, and what is read is what was looked at.

use std::io;
use std::path::{Path, PathBuf};

use memfold_disk::{Dirs, DiskError, Links, Pinned, PinnedFile};

use crate::budget::Budget;
use crate::checkers::Then;
use crate::content::Content;
use crate::decision::{Action, Decision, Refusal, Verdict};
use crate::denylist::{Above, fold};
use crate::error::GuardError;
use crate::path::TreePath;
use crate::rules::{RuleName, Rules, RulesVersion};

/// A tree's root and the rules by which its files are read.
///
/// It may be shared between threads.
#[derive(Debug)]
pub struct Guard {
    root: Pinned,
    /// Where the root really is, for checkers, which get a path.
    real: PathBuf,
    /// The names above the tree's files.
    above: Above,
    rules: Rules,
    /// What of memfold's own folders lies in the tree, folded; empty for a tree that lies in one of them.
    own: Vec<String>,
    /// What of agents' logs lies in the tree, likewise.
    logs: Vec<String>,
}

/// The rule that keeps memfold's own folders.
const OWN: RuleName = RuleName(std::borrow::Cow::Borrowed("memfold"));
/// The rule that keeps agents' logs.
const LOGS: RuleName = RuleName(std::borrow::Cow::Borrowed("agents-logs"));

/// So much more room is made for a file that is longer than stat said.
const STEP: usize = 64 << 10;

impl Guard {
    /// A guard of the tree at `root`, which keeps our own folders `dirs` out of what is read.
    ///
    /// ```
    /// use std::time::Duration;
    /// use memfold_disk::Dirs;
    /// use memfold_guard::{Budget, Guard, Limits, Rules, TreePath};
    ///
    /// # let tree = tempfile::tempdir()?;
    /// std::fs::write(tree.path().join("a.rs"), "fn a() {}")?;
    /// std::fs::write(tree.path().join(".env"), "TOKEN=1")?;
    /// # let dirs = Dirs::from_env(|_| Some("/nowhere".into()))?;
    /// let guard = Guard::new(tree.path(), Rules::default(), &dirs)?;
    /// let budget = Budget::new(Limits {
    ///     file_bytes: Limits::FILE_BYTES,
    ///     bytes: 128 << 20,
    ///     time: Duration::from_secs(10),
    /// });
    ///
    /// let content = guard.read(&TreePath::new("a.rs")?, &budget);
    /// assert_eq!(content.unwrap().text(), Ok("fn a() {}"));
    /// let refusal = guard.read(&TreePath::new(".env")?, &budget).unwrap_err();
    /// assert_eq!(refusal.to_string(), "on the denylist (dotenv)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(root: impl AsRef<Path>, rules: Rules, dirs: &Dirs) -> Result<Self, GuardError> {
        let real = memfold_disk::resolve(root)?;
        let root = Pinned::open(&real)?;
        let own = [&dirs.data, &dirs.config, &dirs.cache]
            .into_iter()
            .filter_map(|folder| below(&real, folder))
            .collect();
        Ok(Self {
            root,
            above: Above::root(&real),
            real,
            rules,
            own,
            logs: Vec::new(),
        })
    }

    /// Keeps agents' logs out, too: these files and folders, wherever of them lies in the tree. They are searched as logs,
    /// where the person allowed that, and not as files of a repository.
    pub fn without_logs(mut self, places: impl IntoIterator<Item = PathBuf>) -> Self {
        let places = places.into_iter();
        self.logs
            .extend(places.filter_map(|place| below(&self.real, &place)));
        self
    }

    /// The root, to list what is to be read.
    pub fn root(&self) -> &Pinned {
        &self.root
    }

    /// The rules' version.
    pub fn version(&self) -> &RulesVersion {
        self.rules.version()
    }

    /// Why no file of the tree may be read, whatever its name: the root lies in a place that is kept out.
    pub fn refuses_all(&self) -> Option<Refusal> {
        let is_whole = |(rule, places): (RuleName, &Vec<String>)| {
            places.iter().any(String::is_empty).then_some(rule)
        };
        let mut kept_out = [(OWN, &self.own), (LOGS, &self.logs)].into_iter();
        let rule = kept_out.find_map(is_whole).or_else(|| self.above.rule())?;
        Some(Refusal::Denylist { rule })
    }

    /// Whether a file's name lets it be read. By the name and the rules alone: no file is touched and no program run, so a
    /// search may ask it of every file that it lists.
    pub fn check_name(&self, path: &TreePath) -> Result<(), Refusal> {
        for (rule, places) in [(OWN, &self.own), (LOGS, &self.logs)] {
            if lies_in(path, places) {
                return Err(Refusal::Denylist { rule });
            }
        }
        match self.rules.denied_in(&self.above, path) {
            Some(rule) => Err(Refusal::Denylist { rule }),
            None => Ok(()),
        }
    }

    /// Reads a file whole, or says why not. A link is followed as long as it stays in the tree.
    pub fn read(&self, path: &TreePath, budget: &Budget) -> Result<Content, Refusal> {
        self.read_in(path, budget, Vec::new())
    }

    /// The same, into the room of a vector that is needed no more: for whoever reads many files.
    pub fn read_in(
        &self,
        path: &TreePath,
        budget: &Budget,
        room: Vec<u8>,
    ) -> Result<Content, Refusal> {
        self.check_name(path)?;
        budget.spend(0)?;
        let file = self.root.file(path, Links::Follow).map_err(refusal)?;
        let mut led_to = None;
        if file.path().as_os_str() != path.as_str() {
            let real = TreePath::try_from(file.path()).map_err(|error| Refusal::Unreadable {
                how: error.to_string(),
            })?;
            self.check_name(&real)?;
            led_to = Some(real);
        }
        self.ask_checkers(path, led_to.as_ref().unwrap_or(path), budget)?;
        Ok(Content {
            bytes: read_within(&file, budget, room)?,
            identity: file.identity(),
            led_to,
        })
    }

    /// The decision that a reading was, for the index's log.
    pub fn decision(&self, path: &TreePath, read: Result<&Content, &Refusal>) -> Decision {
        Decision {
            path: path.clone(),
            action: Action::Read,
            verdict: match read {
                Ok(_) => Verdict::Allow,
                Err(refusal) => Verdict::Refuse(refusal.clone()),
            },
            rules: self.version().clone(),
        }
    }

    /// Under the name it goes by and the one it really has; programs last, and once.
    fn ask_checkers(
        &self,
        path: &TreePath,
        real: &TreePath,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let runs = |then: &Then| matches!(then, Then::Run { .. });
        let (programs, patterns): (Vec<_>, Vec<_>) = self
            .rules
            .checkers
            .iter()
            .partition(|checker| runs(&checker.then));
        for checker in patterns {
            checker.check(&self.real, path, budget)?;
            checker.check(&self.real, real, budget)?;
        }
        programs
            .iter()
            .try_for_each(|checker| checker.check(&self.real, real, budget))
    }
}

/// Whether a path is one of these places of the tree, or lies in one.
fn lies_in(path: &TreePath, places: &[String]) -> bool {
    if places.is_empty() {
        return false;
    }
    let path = fold(path.as_str());
    places.iter().any(|place| {
        path.strip_prefix(place.as_str())
            .is_some_and(|rest| place.is_empty() || rest.is_empty() || rest.starts_with('/'))
    })
}

/// Where a place that is kept out lies in the tree; empty if the tree lies in it.
fn below(root: &Path, folder: &Path) -> Option<String> {
    let folder = memfold_disk::resolve_lost(folder).ok()?;
    if memfold_disk::is_below(root, &folder) {
        return Some(String::new());
    }
    let rest = folder.strip_prefix(root).ok()?;
    Some(fold(rest.to_str()?).into_owned())
}

/// The whole file, counted as it is read: what stat said of its length is a hint, of how much room is made at first.
fn read_within(file: &PinnedFile, budget: &Budget, mut bytes: Vec<u8>) -> Result<Vec<u8>, Refusal> {
    let limit = budget.file_bytes();
    let too_large = Refusal::TooLarge { limit };
    let expected = file.identity().size;
    if expected > limit {
        return Err(too_large);
    }
    bytes.clear();
    // One byte more than it should have, so that its end is found without more room.
    bytes.reserve(usize::try_from(expected.saturating_add(1)).unwrap_or(usize::MAX));
    loop {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(STEP);
        }
        let read = file.append_to(&mut bytes);
        let read = read.map_err(|error| unreadable(&error))?;
        budget.spend(read as u64)?;
        if bytes.len() as u64 > limit {
            return Err(too_large);
        }
        // A regular file gives all that there is room for. So one that gave what stat said of it, and could have given more,
        // had no more then, and what is appended later shows in its times.
        let is_all = bytes.len() as u64 == expected && bytes.len() < bytes.capacity();
        if read == 0 || is_all {
            return Ok(bytes);
        }
    }
}

fn refusal(error: DiskError) -> Refusal {
    match error {
        DiskError::LeadsOut { .. } => Refusal::LeadsOut,
        DiskError::NotRegular { kind, .. } => Refusal::NotRegular { is: kind.into() },
        error if error.is_not_found() => Refusal::Gone,
        DiskError::Io { source, .. } => unreadable(&source),
        error => Refusal::Unreadable {
            how: error.to_string(),
        },
    }
}

fn unreadable(error: &io::Error) -> Refusal {
    Refusal::Unreadable {
        how: error.to_string(),
    }
}
