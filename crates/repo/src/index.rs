//! The index of a repository on the disk: its own log of events, and what is derived from them: a manifest for each tree, and
//! the packs that all trees share. Relies on the caller for the guard and the listing; decides nothing about ranking.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memfold_disk::{Links, Lock, Locks, Mode, Snapshot, publish};
use memfold_guard::Decision;
use sha2::{Digest, Sha256};

use crate::RepoError;
use crate::content::ContentHash;
use crate::journal::{self, Folded, Journal};
use crate::manifest::{self, Manifest};
use crate::moment::Moment;
use crate::pack::{self, Pack, Place};
use crate::sections::Store;
use crate::tree::{Tree, Update};

/// So many packs are left before they are put together.
const PACKS: usize = 8;
/// The log is begun anew when it has so many bytes, and so many times as many as the manifests.
const LOG: u64 = 8 << 20;
const LOG_TIMES: u64 = 4;
/// How often a reader looks again, if what it was about to read is gone.
const LOOKS: usize = 5;

/// A repository's index.
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    locks: Locks,
    /// From how many bytes on the log may be begun anew.
    log_bytes: u64,
}

/// A tree of the index, with the packs that hold its words.
pub struct Loaded {
    pub(crate) manifest: Manifest,
    pub(crate) packs: Vec<Pack>,
    /// Up to where the log was looked at.
    pub(crate) log: Folded,
    /// The packs that are damaged.
    damaged: Vec<PathBuf>,
    /// The packs there were.
    files: Vec<PathBuf>,
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
    /// When the log or a manifest was last written, in nanoseconds since 1970.
    pub changed_ns: Option<i64>,
}

impl Loaded {
    /// What is known of the tree.
    pub fn tree(&self) -> &Tree {
        &self.manifest.tree
    }

    /// A tree and packs that lie in no folder.
    #[cfg(any(test, feature = "forged"))]
    pub(crate) fn of(manifest: Manifest, packs: Vec<Pack>) -> Loaded {
        Loaded {
            log: manifest.folded,
            manifest,
            packs,
            damaged: Vec::new(),
            files: Vec::new(),
        }
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
        Index {
            folder,
            locks,
            log_bytes: LOG,
        }
    }

    /// With a log that may be begun anew from so many bytes on.
    pub fn with_log_of(self, bytes: u64) -> Index {
        Index {
            log_bytes: bytes,
            ..self
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("events.jsonl")
    }

    fn packs(&self) -> PathBuf {
        self.folder.join("packs")
    }

    pub(crate) fn trees(&self) -> PathBuf {
        self.folder.join("trees")
    }

    pub(crate) fn manifest(&self, root: &str) -> PathBuf {
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
    ///
    /// Whoever writes puts packs in place before the manifest that names what they hold, and takes old ones away after it: so
    /// they are read the other way round. One that is gone by then was put together with others: all is looked at again.
    pub fn load(&self, root: &str) -> Result<Loaded, RepoError> {
        for _ in 1..LOOKS {
            let (manifest, log) = self.load_tree(root)?;
            let files = self.pack_files();
            if let Some((packs, damaged)) = open_packs(&files, IfGone::Again) {
                return Ok(Loaded {
                    manifest,
                    packs,
                    damaged,
                    log,
                    files,
                });
            }
        }
        let (manifest, log) = self.load_tree(root)?;
        let files = self.pack_files();
        let (packs, damaged) = open_packs(&files, IfGone::Without).unwrap_or_default();
        Ok(Loaded {
            manifest,
            packs,
            damaged,
            log,
            files,
        })
    }

    /// A tree, up to where the log was looked at.
    pub(crate) fn load_tree(&self, root: &str) -> Result<(Manifest, Folded), RepoError> {
        // Before the log, which then reaches at least as far.
        let known = self.read_manifest(root);
        let journal = Journal::open(&self.log());
        Ok((up_to_the_end(known, root, &journal)?, journal.end()))
    }

    /// Puts the manifest of a tree in place where none that serves is kept, or all later searches would read the same events,
    /// and takes damaged packs away. What cannot be written now, or while another writes, is left to the next one.
    pub(crate) fn mend(&self, loaded: &Loaded) {
        let lacks_manifest =
            !loaded.manifest.is_kept(loaded.manifest.folded) && !loaded.tree().files.is_empty();
        if (lacks_manifest || !loaded.damaged.is_empty())
            && let Ok(Some(_lock)) = self.lock(Duration::ZERO)
            && self.is_as(loaded)
        {
            if lacks_manifest {
                let _ = self.write_manifest(&loaded.manifest);
            }
            clear(&loaded.damaged);
        }
    }

    /// Whether nothing was written since that was loaded.
    pub(crate) fn is_as(&self, loaded: &Loaded) -> bool {
        Journal::open(&self.log()).end() == loaded.log && self.pack_files() == loaded.files
    }

    fn read_manifest(&self, root: &str) -> Option<Manifest> {
        manifest::read(&self.manifest(root)).filter(|manifest| manifest.tree.root == root)
    }

    /// The packs, in the order of their names.
    pub(crate) fn pack_files(&self) -> Vec<PathBuf> {
        let mut files = files_in(&self.packs(), ".pack");
        files.sort();
        files
    }

    /// The manifests, in the order of their names.
    pub(crate) fn manifest_files(&self) -> Vec<PathBuf> {
        let mut files = files_in(&self.trees(), ".manifest");
        files.sort();
        files
    }

    /// Removes the packs that are damaged, and says how many: their contents are cut anew.
    ///
    /// # Errors
    /// If the index is being written, or they cannot be removed.
    pub fn drop_damaged(&self) -> Result<usize, RepoError> {
        let is_damaged = |path: &PathBuf| {
            Snapshot::open(path, Links::Refuse)
                .map_err(|error| RepoError::Io(io::Error::other(error)))
                .and_then(|file| Pack::open(Store::File(file)))
                .and_then(|pack| pack.verify())
                .is_err()
        };
        let damaged: Vec<PathBuf> = self.pack_files().into_iter().filter(is_damaged).collect();
        self.drop_files(&damaged)?;
        Ok(damaged.len())
    }

    /// Removes some files of the index: what they held is made anew.
    ///
    /// # Errors
    /// If the index is being written, or they cannot be removed.
    pub fn drop_files(&self, files: &[impl AsRef<Path>]) -> Result<(), RepoError> {
        if files.is_empty() {
            return Ok(());
        }
        let Some(_lock) = self.lock(Duration::from_secs(10))? else {
            return Err(RepoError::Write("the index is being written".to_owned()));
        };
        for path in files {
            match memfold_disk::remove(path) {
                Err(error) if !error.is_not_found() => return Err(io::Error::other(error).into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes a pack. The caller holds the lock.
    pub(crate) fn write_pack(&self, bytes: &[u8], mode: Mode) -> Result<Pack, RepoError> {
        let path = self.packs().join(pack::name_of(bytes));
        self.publish(&path, bytes, mode)?;
        let file = Snapshot::open(&path, Links::Refuse).map_err(io::Error::other)?;
        Pack::open(Store::File(file))
    }

    /// Puts packs together once there are many: the smaller ones, so that a large one is not written again for every few
    /// small ones. The caller holds the lock. A reader that has one open reads on.
    pub(crate) fn merge_packs(&self) -> Result<(), RepoError> {
        let size = |path: &PathBuf| {
            let file = memfold_disk::Identity::at(path, Links::Refuse);
            file.map_or(0, |file| file.size)
        };
        let mut files: Vec<(u64, PathBuf)> = self
            .pack_files()
            .into_iter()
            .map(|path| (size(&path), path))
            .collect();
        if files.len() <= PACKS {
            return Ok(());
        }
        files.sort();
        let mut together = 0u64;
        let mut small = Vec::new();
        for (bytes, path) in files {
            if small.len() > PACKS / 2 && bytes > together {
                break;
            }
            together = together.saturating_add(bytes);
            small.push(path);
        }
        self.replace_packs(&small, &|_| true)
    }

    /// Puts one pack in the place of some, with the contents that are to be kept. The caller holds the lock. Those that are
    /// damaged go: what they held is cut anew.
    pub(crate) fn replace_packs(
        &self,
        files: &[PathBuf],
        kept: &dyn Fn(&ContentHash) -> bool,
    ) -> Result<(), RepoError> {
        let (packs, _) = open_packs(files, IfGone::Without).unwrap_or_default();
        let bytes = pack::merged(&packs.iter().collect::<Vec<_>>(), kept)?;
        let merged = self.packs().join(pack::name_of(&bytes));
        if !Pack::open(bytes.as_slice())?.contents().is_empty() {
            // Those that it takes the place of go: it must be there to stay.
            self.write_pack(&bytes, Mode::Private)?;
        }
        for path in files.iter().filter(|path| **path != merged) {
            // What cannot be removed is a copy of words that the merged one has.
            let _ = memfold_disk::remove(path);
        }
        Ok(())
    }

    /// Notes in the log what an update read and changed, and says where that ends. The caller holds the lock.
    pub(crate) fn record(
        &self,
        update: &Update,
        decisions: &[Decision],
        now: Moment,
    ) -> Result<Option<Folded>, RepoError> {
        let mut records = Vec::with_capacity(decisions.len() + 1);
        for decision in decisions {
            records.push(journal::decided(decision, now)?);
        }
        records.extend(journal::updated(update, now)?);
        self.append(&records, now)
    }

    /// Puts the manifest in place, unless the one that is there serves as well, and sees to it that log and packs stay as few
    /// as they may be. The caller holds the lock.
    pub(crate) fn settle(&self, loaded: &Loaded, now: Moment) -> Result<(), RepoError> {
        if !loaded.manifest.is_kept(loaded.manifest.folded) {
            self.write_manifest(&loaded.manifest)?;
        }
        self.renew_log(now)?;
        clear(&loaded.damaged);
        // They are as good apart.
        let _ = self.merge_packs();
        Ok(())
    }

    /// Appends events to the log. The caller holds the lock.
    pub(crate) fn append(
        &self,
        records: &[memfold_log::own::Record<'_>],
        now: Moment,
    ) -> Result<Option<Folded>, RepoError> {
        memfold_disk::private_dir(&self.folder).map_err(io::Error::other)?;
        journal::append(&self.log(), &self.folder, records, now)
    }

    /// Begins the log anew once it has grown far beyond what it says of the trees: with a snapshot of each. The caller holds
    /// the lock. Until the manifests are made of the new one too, they are not believed.
    fn renew_log(&self, now: Moment) -> Result<(), RepoError> {
        let journal = Journal::open(&self.log());
        let size = |path: &PathBuf| memfold_disk::Identity::at(path, Links::Refuse).ok();
        let manifests: u64 = self
            .manifest_files()
            .iter()
            .filter_map(size)
            .map(|file| file.size)
            .sum();
        let most = self.log_bytes.max(manifests.saturating_mul(LOG_TIMES));
        if journal.end().end <= most {
            return Ok(());
        }
        let trees = journal.fold()?;
        let bytes = journal::snapshot(&self.folder, trees.iter().map(|(tree, _)| tree), now)?;
        self.publish(&self.log(), &bytes, Mode::Private)?;
        self.write_manifests()
    }

    /// Makes the manifest of every tree of the log. How many there are. The caller holds the lock.
    fn write_manifests(&self) -> Result<(), RepoError> {
        for (tree, folded) in Journal::open(&self.log()).fold()? {
            self.write_manifest(&Manifest::of(tree, folded)?)?;
        }
        Ok(())
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<(), RepoError> {
        let bytes = manifest.encode()?;
        self.publish(
            &self.manifest(&manifest.tree.root),
            &bytes,
            // Of a tree that nobody asks for again it would stay damaged.
            Mode::Private,
        )
    }

    /// Puts a file in place. What is [`Mode::Disposable`] is checked by whoever reads it, and made again from the log and the
    /// files, so nobody waits until the disk has it.
    pub(crate) fn publish(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), RepoError> {
        if let Some(folder) = path.parent() {
            memfold_disk::private_dir(folder).map_err(io::Error::other)?;
        }
        publish(
            path,
            mode,
            |out| out.write_all(bytes).map_err(RepoError::Io),
            // It was made of what is sound: the same bytes are as good.
            |read| match read == bytes {
                true => Ok(()),
                false => Err(RepoError::Damaged("it is not what was written")),
            },
        )
        .map(drop)
        .map_err(|error| RepoError::Write(error.to_string()))
    }

    /// Makes the manifest of every tree anew from the log. How many there are.
    pub fn rebuild(&self) -> Result<u64, RepoError> {
        let Some(_lock) = self.lock(Duration::from_secs(10))? else {
            return Err(RepoError::Write("the index is being written".to_owned()));
        };
        for path in self.manifest_files() {
            memfold_disk::remove(&path).map_err(io::Error::other)?;
        }
        self.write_manifests()?;
        Ok(self.manifest_files().len() as u64)
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
            // What a call that was killed has left is nobody's: whoever publishes here holds the lock.
            let _ = memfold_disk::sweep(&folder, Duration::ZERO);
            let _ = memfold_disk::sync_names(&folder);
            // One that is not empty holds what is not ours.
            let _ = fs::remove_dir(folder);
        }
        Ok(forgotten)
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = self.pack_files();
        files.extend(self.manifest_files());
        let others = [self.log(), self.collection()];
        files.extend(others.into_iter().filter(|file| file.is_file()));
        files
    }

    /// What it has on the disk.
    pub fn holdings(&self) -> Holdings {
        let manifests = self.manifest_files();
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
                .chain([&self.log()])
                .filter_map(identity)
                .map(|file| file.mtime_ns)
                .max(),
        }
    }
}

/// What is known of a tree, with what the log says of it behind that; of the log alone, if what is known is not of this log.
pub(crate) fn up_to_the_end(
    known: Option<Manifest>,
    root: &str,
    journal: &Journal,
) -> Result<Manifest, RepoError> {
    let known = known.filter(|manifest| journal.reaches(manifest.folded));
    let from = known.as_ref().map_or(0, |manifest| manifest.folded.end);
    let mut changes = Vec::new();
    journal.each(from, Some(root), &mut |change, end| {
        changes.push((change, end));
    })?;
    let mut manifest = match known {
        Some(manifest) => manifest,
        None => Manifest::of(Tree::new(root), Folded::default())?,
    };
    manifest.apply(changes)?;
    Ok(manifest)
}

/// What to do about a pack that is gone when it is to be opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfGone {
    Again,
    Without,
}

/// Every pack that can be read, and the files of those that are damaged: such a one is as one that is not there, its contents
/// are cut anew.
fn open_packs(files: &[PathBuf], if_gone: IfGone) -> Option<(Vec<Pack>, Vec<PathBuf>)> {
    let mut packs = Vec::with_capacity(files.len());
    let mut damaged = Vec::new();
    for path in files {
        match Snapshot::open(path, Links::Refuse) {
            Ok(file) => match Pack::open(Store::File(file)) {
                Ok(pack) => packs.push(pack),
                Err(RepoError::Damaged(_)) => damaged.push(path.clone()),
                Err(_) => {}
            },
            Err(error) if error.is_not_found() && if_gone == IfGone::Again => return None,
            Err(_) => {}
        }
    }
    Some((packs, damaged))
}

/// Removes damaged packs, unless one was written anew under the same name. The caller holds the lock. One that cannot be
/// removed is met again.
fn clear(damaged: &[PathBuf]) {
    let (_, damaged) = open_packs(damaged, IfGone::Without).unwrap_or_default();
    for path in damaged {
        let _ = memfold_disk::remove(path);
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
