//! Removes what nobody names any more: manifests of trees that are gone, at once, and contents that no tree has named for
//! seven days. A note in the index's folder remembers since when, and when it was last looked at.
//!
//! Whoever writes the index holds its lock and looks again at what the packs have once it has it; this holds it too. So
//! nothing is taken that another is about to name. A reader that has a pack open reads on.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::{Links, Mode, Snapshot};

use crate::RepoError;
use crate::content::ContentHash;
use crate::index::{Index, Loaded, up_to_the_end};
use crate::journal::{self, Journal};
use crate::manifest;
use crate::moment::Moment;
use crate::pack::Pack;
use crate::sections::{Input, Magic, Sections, Store, encode};
use crate::tree::Tree;

/// A content stays so long after the last tree has named it: branches come back.
const UNNAMED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Searches look so often.
const EVERY: Duration = Duration::from_secs(60 * 60);

pub(crate) const MAGIC: &Magic = b"memcoll1";
pub(crate) const SECTIONS: usize = 2;

/// When it is to be looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// If nobody did within the hour.
    Hourly,
    /// Whenever that was.
    Now,
}

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// The trees that are gone.
    pub trees: Vec<PathBuf>,
    /// How many contents went.
    pub contents: usize,
    /// How many no tree names that are kept for now.
    pub unnamed: usize,
}

/// When it was last looked, and since when contents have been named by no tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unnamed {
    pub(crate) looked: Moment,
    pub(crate) since: BTreeMap<ContentHash, Moment>,
}

impl Index {
    pub(crate) fn collection(&self) -> PathBuf {
        self.folder().join("collection")
    }

    /// Removes what nobody names any more. Nothing if it is not due, or another process writes the index. A tree that was
    /// loaded is not read again, if it is as it was then.
    ///
    /// # Errors
    /// If the index cannot be read or written.
    pub fn collect(
        &self,
        now: Moment,
        due: Due,
        loaded: Option<&Loaded>,
    ) -> Result<Option<Collected>, RepoError> {
        let is_due = || {
            let last = Unnamed::read(&self.collection()).map(|unnamed| unnamed.looked);
            due == Due::Now || last.is_none_or(|last| now.is_past(last, EVERY))
        };
        if !is_due() || !self.log().is_file() {
            return Ok(None);
        }
        let Some(_lock) = self.lock(Duration::ZERO)? else {
            return Ok(None);
        };
        // Another may have done it meanwhile.
        if !is_due() {
            return Ok(None);
        }
        let mut collected = Collected::default();
        let mut trees = self.known_trees(loaded)?;
        trees.retain(|tree| {
            let gone = is_gone(&tree.root);
            if gone {
                collected.trees.push(PathBuf::from(&tree.root));
            }
            !gone
        });
        self.forget_trees(&collected.trees, now)?;
        let before = Unnamed::read(&self.collection()).unwrap_or_default();
        let mut unnamed = Unnamed {
            looked: now,
            since: BTreeMap::new(),
        };
        let mut over = HashSet::new();
        let mut holding = Vec::new();
        for path in self.pack_files() {
            let file = Snapshot::open(&path, Links::Refuse).ok();
            let Some(pack) = file.and_then(|file| Pack::open(Store::File(file)).ok()) else {
                continue;
            };
            let mut named = vec![false; pack.contents().len()];
            for (_, content, ..) in trees.iter().flat_map(|tree| tree.indexed()) {
                if let Some(named) = pack
                    .number(&content)
                    .and_then(|number| named.get_mut(number))
                {
                    *named = true;
                }
            }
            let mut holds_some = false;
            for (place, _) in pack
                .contents()
                .iter()
                .zip(&named)
                .filter(|(_, named)| !**named)
            {
                let content = place.content;
                let since = before.since.get(&content).copied().unwrap_or(now);
                if since <= now && now.is_past(since, UNNAMED) {
                    over.insert(content);
                    holds_some = true;
                } else {
                    unnamed.since.insert(content, since.min(now));
                }
            }
            holding.extend(holds_some.then_some(path));
        }
        if !holding.is_empty() {
            self.replace_packs(&holding, &|content| !over.contains(content))?;
        }
        collected.contents = over.len();
        collected.unnamed = unnamed.since.len();
        self.publish(&self.collection(), &unnamed.encode(), Mode::Private)?;
        Ok(Some(collected))
    }

    /// What is known of every tree that has a manifest; of every tree of the log, if a manifest cannot be read.
    fn known_trees<'l>(&self, loaded: Option<&'l Loaded>) -> Result<Vec<Cow<'l, Tree>>, RepoError> {
        let journal = Journal::open(&self.log());
        let mut trees = Vec::new();
        for path in self.manifest_files() {
            let own = loaded.filter(|loaded| path == self.manifest(&loaded.tree().root));
            if let Some(own) = own.filter(|own| own.manifest.folded == journal.end()) {
                trees.push(Cow::Borrowed(own.tree()));
                continue;
            }
            let Some(known) = manifest::read(&path) else {
                let trees = journal.fold()?.into_iter();
                return Ok(trees.map(|(tree, _)| Cow::Owned(tree)).collect());
            };
            let root = known.tree.root.clone();
            let manifest = up_to_the_end(Some(known), &root, &journal)?;
            trees.push(Cow::Owned(manifest.tree));
        }
        Ok(trees)
    }

    /// Notes that nothing is known of some trees any more, and removes their manifests. The caller holds the lock.
    fn forget_trees(&self, roots: &[PathBuf], now: Moment) -> Result<(), RepoError> {
        let roots: Vec<_> = roots.iter().map(|root| root.to_string_lossy()).collect();
        let records: Vec<_> = roots
            .iter()
            .map(|root| journal::forgotten(root, now))
            .collect::<Result<_, _>>()?;
        if !records.is_empty() {
            self.append(&records, now)?;
        }
        for root in &roots {
            // One that stays is not believed: the log says otherwise.
            let _ = memfold_disk::remove(self.manifest(root));
        }
        Ok(())
    }
}

/// Whether a tree's root is no more. One that cannot be looked at may well be there, as may one whose name is no Unicode.
fn is_gone(root: &str) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    if root.contains(char::REPLACEMENT_CHARACTER) {
        return false;
    }
    let looked = std::fs::symlink_metadata(root);
    looked.is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}

impl Unnamed {
    /// What the note says; nothing if there is none that can be read.
    pub(crate) fn read(path: &Path) -> Option<Unnamed> {
        let file = Snapshot::open(path, Links::Refuse).ok()?;
        let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
        Unnamed::open(&bytes).ok()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut rows = Vec::new();
        for (content, since) in &self.since {
            rows.extend_from_slice(&content.0);
            rows.extend_from_slice(&since.0.to_le_bytes());
        }
        encode(MAGIC, [&self.looked.0.to_le_bytes(), &rows])
    }

    pub(crate) fn open(bytes: &[u8]) -> Result<Unnamed, RepoError> {
        let sections: Sections<&[u8], SECTIONS> = Sections::open(bytes, MAGIC)?;
        let looked = sections.section(0)?;
        let mut input = Input(&looked);
        let looked = Moment(input.i64()?);
        if !input.0.is_empty() {
            return Err(RepoError::Damaged("more than a moment"));
        }
        let rows = sections.section(1)?;
        let mut input = Input(&rows);
        let mut since = BTreeMap::new();
        while !input.0.is_empty() {
            let content = ContentHash(input.array()?);
            if since
                .last_key_value()
                .is_some_and(|(last, _)| *last >= content)
            {
                return Err(RepoError::Damaged("a content out of its place"));
            }
            since.insert(content, Moment(input.i64()?));
        }
        Ok(Unnamed { looked, since })
    }
}
