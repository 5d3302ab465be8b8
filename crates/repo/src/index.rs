//! The index of a repository on the disk: its own log of events, and what is derived from them: a manifest for each tree, and
//! the packs that all trees share. Relies on the caller for the guard and the listing; decides nothing about ranking.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::{Links, Lock, Locks, Mode, Snapshot, publish};
use memfold_guard::Decision;
use memfold_log::own::{Body, Record, Unranked};
use memfold_log::{Appender, Lines, Offset, Position, Timestamp};
use sha2::{Digest, Sha256};

use crate::RepoError;
use crate::content::ContentHash;
use crate::manifest::{self, Manifest};
use crate::pack::{self, Pack, Place};
use crate::sections::Store;
use crate::tree::{Tree, Update};

/// An update's event names at most so many files, so that its line stays far below the longest.
const FILES_AN_EVENT: usize = 10_000;
/// So many packs are left before they are put together.
const PACKS: usize = 8;

/// A repository's index.
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    locks: Locks,
}

/// A tree of the index, with the packs that hold its words.
pub struct Loaded {
    pub(crate) manifest: Manifest,
    pub(crate) packs: Vec<Pack>,
}

/// What [`Index::forget`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// How many files of the index.
    pub files: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

/// What the index has on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// How many trees have a manifest.
    pub trees: u64,
    /// How many packs there are.
    pub packs: u64,
    /// How many bytes all of it has, the log included.
    pub bytes: u64,
    /// When a manifest was last written, in nanoseconds since 1970.
    pub changed_ns: Option<i64>,
}

impl Loaded {
    /// What is known of the tree.
    pub fn tree(&self) -> &Tree {
        &self.manifest.tree
    }

    /// Where a content's words are.
    pub(crate) fn find(&self, content: &ContentHash) -> Option<(usize, Place)> {
        let mut packs = self.packs.iter().enumerate();
        packs.find_map(|(number, pack)| Some((number, pack.find(content)?)))
    }
}

impl Index {
    /// The index in a folder, which need not exist.
    pub fn new(folder: PathBuf, locks: Locks) -> Index {
        Index { folder, locks }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn log(&self) -> PathBuf {
        self.folder.join("events.jsonl")
    }

    fn packs(&self) -> PathBuf {
        self.folder.join("packs")
    }

    fn trees(&self) -> PathBuf {
        self.folder.join("trees")
    }

    fn manifest(&self, root: &str) -> PathBuf {
        let digest: [u8; 32] = Sha256::digest(root.as_bytes()).into();
        let name: String = digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.trees().join(name + ".manifest")
    }

    /// The lock of whoever writes the index; nothing if another has it for so long.
    pub fn lock(&self, patience: Duration) -> Result<Option<Lock>, RepoError> {
        let key = self.folder.join("lock");
        let lock = match patience.is_zero() {
            true => self.locks.try_lock(&key),
            false => self.locks.lock(&key, patience).map(Some),
        };
        lock.map_err(|error| RepoError::Write(error.to_string()))
    }

    /// A tree as the index knows it: by its manifest, where that is sound and as far as the log has been folded into it, else
    /// by the log's events.
    pub fn load(&self, root: &str) -> Result<Loaded, RepoError> {
        let log = Snapshot::open(self.log(), Links::Refuse).ok();
        let length = log.as_ref().map_or(0, Snapshot::len);
        let known = self
            .read_manifest(root)
            .filter(|manifest| manifest.folded <= length);
        let is_known = known.is_some();
        let (mut tree, mut folded, paths) = match known {
            Some(Manifest {
                tree,
                folded,
                paths,
            }) => (tree, folded, Some(paths)),
            None => (Tree::new(root), 0, None),
        };
        let mut changed = !is_known;
        each_update(log.as_ref(), folded, Some(root), &mut |update, end| {
            tree.apply(update);
            folded = end;
            changed = true;
        })?;
        let manifest = match paths {
            Some(paths) if !changed => Manifest {
                tree,
                folded,
                paths,
            },
            _ => Manifest::of(tree, folded)?,
        };
        Ok(Loaded {
            manifest,
            packs: self.open_packs(),
        })
    }

    fn read_manifest(&self, root: &str) -> Option<Manifest> {
        let file = Snapshot::open(self.manifest(root), Links::Refuse).ok()?;
        let bytes = file.read_at(0, usize::try_from(file.len()).ok()?).ok()?;
        let manifest = Manifest::open(&bytes).ok()?;
        (manifest.tree.root == root).then_some(manifest)
    }

    /// Every pack that can be read: one that is damaged is as one that is not there, its contents are cut anew.
    fn open_packs(&self) -> Vec<Pack> {
        let open = |path: PathBuf| {
            let file = Snapshot::open(&path, Links::Refuse).ok()?;
            Pack::open(Store::File(file)).ok()
        };
        let mut paths = self.pack_files();
        paths.sort();
        paths.into_iter().filter_map(open).collect()
    }

    fn pack_files(&self) -> Vec<PathBuf> {
        files_in(&self.packs(), ".pack")
    }

    /// Removes the packs that are damaged, and says how many: their contents are cut anew.
    ///
    /// # Errors
    /// If the index is being written, or they cannot be removed.
    pub fn drop_damaged(&self) -> Result<usize, RepoError> {
        let Some(_lock) = self.lock(Duration::from_secs(10))? else {
            return Err(RepoError::Write("the index is being written".to_owned()));
        };
        let mut dropped = 0;
        for path in self.pack_files() {
            let sound = Snapshot::open(&path, Links::Refuse)
                .map_err(|error| RepoError::Io(io::Error::other(error)))
                .and_then(|file| Pack::open(Store::File(file)))
                .and_then(|pack| pack.verify());
            if sound.is_err() {
                memfold_disk::remove(&path).map_err(io::Error::other)?;
                dropped += 1;
            }
        }
        Ok(dropped)
    }

    /// Writes a pack. The caller holds the lock.
    pub(crate) fn write_pack(&self, bytes: &[u8]) -> Result<Pack, RepoError> {
        let path = self.packs().join(pack::name_of(bytes));
        self.publish(&path, bytes, pack::verify_bytes)?;
        let file = Snapshot::open(&path, Links::Refuse).map_err(io::Error::other)?;
        Pack::open(Store::File(file))
    }

    /// Puts packs together once there are many. The caller holds the lock. A reader that has one open reads on.
    pub(crate) fn merge_packs(&self, loaded: &mut Loaded) -> Result<(), RepoError> {
        if loaded.packs.len() <= PACKS {
            return Ok(());
        }
        let before: HashSet<PathBuf> = self.pack_files().into_iter().collect();
        let bytes = pack::merged(&loaded.packs.iter().collect::<Vec<_>>())?;
        let merged = self.packs().join(pack::name_of(&bytes));
        loaded.packs = vec![self.write_pack(&bytes)?];
        for path in before.iter().filter(|path| **path != merged) {
            // What cannot be removed is a copy of words that the merged one has.
            let _ = memfold_disk::remove(path);
        }
        Ok(())
    }

    /// Notes in the log what an update read and changed, then puts the manifest in place. The caller holds the lock.
    pub(crate) fn record(
        &self,
        loaded: &mut Loaded,
        update: Update,
        decisions: &[Decision],
    ) -> Result<(), RepoError> {
        let now = now_ms();
        let mut lines: Vec<(Unranked, String, String)> = Vec::new();
        for decision in decisions {
            let data = serde_json::to_string(decision).map_err(io::Error::other)?;
            lines.push((Unranked::GuardDecision, decision.to_string(), data));
        }
        for part in in_parts(update.clone()) {
            let data = serde_json::to_string(&part).map_err(io::Error::other)?;
            let text = format!(
                "{}: {} read, {} skipped, {} refused, {} gone",
                part.tree,
                part.counts.read,
                part.counts.skipped,
                part.counts.refused,
                part.gone.len()
            );
            lines.push((Unranked::IndexUpdate, text, data));
        }
        let mut records = Vec::with_capacity(lines.len());
        for (kind, text, data) in &lines {
            let data =
                serde_json::value::RawValue::from_string(data.clone()).map_err(io::Error::other)?;
            let mut record = Record::new(Body::Unranked {
                kind: *kind,
                text: Some(text.into()),
                data: Some(std::borrow::Cow::Owned(data)),
            });
            record.time = Some(Timestamp(now));
            records.push(record);
        }
        memfold_disk::private_dir(&self.folder).map_err(io::Error::other)?;
        let written = self.appender()?.append_all(&records)?;
        loaded.manifest.tree.apply(update);
        let folded = written.map_or(loaded.manifest.folded, |written| {
            written.start.0.saturating_add(written.length)
        });
        let tree = std::mem::take(&mut loaded.manifest.tree);
        loaded.manifest = Manifest::of(tree, folded)?;
        self.write_manifest(&loaded.manifest)
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<(), RepoError> {
        let bytes = manifest.encode()?;
        self.publish(
            &self.manifest(&manifest.tree.root),
            &bytes,
            manifest::verify_bytes,
        )
    }

    fn appender(&self) -> Result<Appender<fs::File>, RepoError> {
        let log = memfold_disk::open_own_log(self.log()).map_err(io::Error::other)?;
        let mut log = Appender::new(log);
        let about = Body::open("index", self.folder.to_string_lossy());
        log.begin(&Record::new(about))?;
        Ok(log)
    }

    fn publish(
        &self,
        path: &Path,
        bytes: &[u8],
        verify: fn(&[u8]) -> Result<(), RepoError>,
    ) -> Result<(), RepoError> {
        if let Some(folder) = path.parent() {
            memfold_disk::private_dir(folder).map_err(io::Error::other)?;
        }
        publish(
            path,
            Mode::Private,
            |out| out.write_all(bytes).map_err(RepoError::Io),
            verify,
        )
        .map(drop)
        .map_err(|error| RepoError::Write(error.to_string()))
    }

    /// Makes the manifest of every tree anew from the log. How many there are.
    pub fn rebuild(&self) -> Result<u64, RepoError> {
        let Some(_lock) = self.lock(Duration::from_secs(10))? else {
            return Err(RepoError::Write("the index is being written".to_owned()));
        };
        for path in files_in(&self.trees(), ".manifest") {
            memfold_disk::remove(&path).map_err(io::Error::other)?;
        }
        let log = Snapshot::open(self.log(), Links::Refuse).ok();
        let mut roots = std::collections::BTreeSet::new();
        each_update(log.as_ref(), 0, None, &mut |update, _| {
            roots.insert(update.tree);
        })?;
        for root in &roots {
            let (mut tree, mut folded) = (Tree::new(root), 0);
            each_update(log.as_ref(), 0, Some(root), &mut |update, end| {
                tree.apply(update);
                folded = end;
            })?;
            self.write_manifest(&Manifest::of(tree, folded)?)?;
        }
        Ok(roots.len() as u64)
    }

    /// Removes the index, its log too: another one begins with the next search.
    pub fn forget(&self) -> Result<Forgotten, RepoError> {
        let Some(_lock) = self.lock(Duration::from_secs(10))? else {
            return Err(RepoError::Write("the index is being written".to_owned()));
        };
        let mut forgotten = Forgotten::default();
        for path in self.files() {
            let bytes = fs::metadata(&path).map_or(0, |file| file.len());
            memfold_disk::remove(&path).map_err(io::Error::other)?;
            forgotten.files += 1;
            forgotten.bytes += bytes;
        }
        for folder in [self.packs(), self.trees(), self.folder.clone()] {
            let _ = memfold_disk::sync_names(&folder);
            // One that is not empty holds what is not ours.
            let _ = fs::remove_dir(folder);
        }
        Ok(forgotten)
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = self.pack_files();
        files.extend(files_in(&self.trees(), ".manifest"));
        files.extend(Some(self.log()).filter(|log| log.is_file()));
        files
    }

    /// What it has on the disk.
    pub fn holdings(&self) -> Holdings {
        let manifests = files_in(&self.trees(), ".manifest");
        let identity = |path: &PathBuf| memfold_disk::Identity::at(path, Links::Refuse).ok();
        Holdings {
            trees: manifests.len() as u64,
            packs: self.pack_files().len() as u64,
            bytes: self
                .files()
                .iter()
                .filter_map(identity)
                .map(|file| file.size)
                .sum(),
            changed_ns: manifests
                .iter()
                .filter_map(identity)
                .map(|file| file.mtime_ns)
                .max(),
        }
    }
}

fn files_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

/// The updates of a tree (of all, if none is named) from a place of the log on, in order, each with where its line ends.
fn each_update(
    log: Option<&Snapshot>,
    from: u64,
    root: Option<&str>,
    each: &mut dyn FnMut(Update, u64),
) -> Result<(), RepoError> {
    let Some(log) = log else { return Ok(()) };
    let position = Position {
        offset: Offset(from),
        ..Position::START
    };
    // As JSON has it: a line that does not hold it need not be read.
    let named = root.map(|root| serde_json::to_string(root).unwrap_or_default());
    let mut lines = Lines::new(log.reader(from), position, Offset(log.len()));
    while let Some(line) = lines.next(&mut |_| {}).map_err(io::Error::other)? {
        let end = line.end().0;
        let Some(text) = line.text() else { continue };
        let names = |name: &str| memchr::memmem::find(text, name.as_bytes()).is_some();
        if !names("\"index.update\"") || named.as_deref().is_some_and(|root| !names(root)) {
            continue;
        }
        if let Ok(text) = std::str::from_utf8(text)
            && let Ok(record) = Record::parse(text)
            && let Body::Unranked {
                kind: Unranked::IndexUpdate,
                data: Some(data),
                ..
            } = record.body
            && let Ok(update) = serde_json::from_str::<Update>(data.get())
            && root.is_none_or(|root| update.tree == root)
        {
            each(update, end);
        }
    }
    Ok(())
}

/// An update as events of which each has a line that can be read back.
fn in_parts(mut update: Update) -> Vec<Update> {
    let mut parts = Vec::new();
    while update.files.len() > FILES_AN_EVENT {
        let Some(next) = update.files.keys().nth(FILES_AN_EVENT).cloned() else {
            break;
        };
        let rest = update.files.split_off(&next);
        let files = std::mem::replace(&mut update.files, rest);
        parts.push(Update {
            tree: update.tree.clone(),
            counts: crate::tree::Counts::of(files.values()),
            files,
            ..Update::default()
        });
    }
    update.counts = crate::tree::Counts::of(update.files.values());
    parts.push(update);
    parts
}

/// The time, in milliseconds since 1970.
fn now_ms() -> i64 {
    now_ns() / 1_000_000
}

/// The time, in nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since
        .ok()
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}
