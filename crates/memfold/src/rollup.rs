//! The roll-up as a search stands to it: which of the logs in hand it may answer for, and its shards. Relies on stat alone:
//! a log is served in the very state in which it was rolled up, and only while every log that shares events with it is.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use memfold_agents::Agent;
use memfold_disk::{Identity, Links, Snapshot};
use memfold_fold::Parameters;
use memfold_fold::document::Keys;
use memfold_rollup::{Catalogue, Program, RollupError, RowId, Shard, ShardId, ShardRow, Sittings};
use memfold_segment::Reader;
use sha2::{Digest, Sha256};

use crate::catalogue::{Found, LogEntry};
use crate::duplicates::each;
use crate::engine::Memfold;
use crate::ready::Ready;
use crate::segments::SegmentSource;

/// Raised with whatever else changes what a roll-up holds of the same sidecars.
const VERSION: u32 = 1;

/// What a roll-up knows of a log in its present state.
#[derive(Clone)]
pub(crate) struct Rolled {
    pub(crate) row: RowId,
    pub(crate) agent: &'static dyn Agent,
    pub(crate) cwd: Option<Arc<str>>,
}

/// A roll-up that is in force.
pub(crate) struct Rollup {
    folder: PathBuf,
    /// Its catalogue's file, as stat told it.
    identity: Identity,
    pub(crate) catalogue: Catalogue,
    /// The shards that were opened, by their places in the catalogue.
    opened: Vec<OnceLock<Arc<OpenShard>>>,
    /// What was told of the log that was found last: most logs in a row are of one agent and one folder.
    told: Mutex<Option<Rolled>>,
}

/// A shard, and what was read of it. A column that was read and checked once is not read again.
pub(crate) struct OpenShard {
    pub(crate) shard: Arc<Shard>,
    words: OnceLock<Reader<SegmentSource<'static>>>,
    dead: OnceLock<Vec<u32>>,
    sittings: OnceLock<Sittings>,
}

impl OpenShard {
    fn new(shard: Shard) -> OpenShard {
        OpenShard {
            shard: Arc::new(shard),
            words: OnceLock::new(),
            dead: OnceLock::new(),
            sittings: OnceLock::new(),
        }
    }

    pub(crate) fn words(&self) -> Result<&Reader<SegmentSource<'static>>, RollupError> {
        once(&self.words, || {
            Ok(self.shard.words()?.map_source(SegmentSource::Shard))
        })
    }

    pub(crate) fn dead(&self) -> Result<&[u32], RollupError> {
        once(&self.dead, || self.shard.dead()).map(Vec::as_slice)
    }

    pub(crate) fn sittings(&self) -> Result<&Sittings, RollupError> {
        once(&self.sittings, || self.shard.sittings())
    }
}

/// What a cell holds, made if it holds nothing yet.
fn once<T, E>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    match cell.get() {
        Some(made) => Ok(made),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}

/// Where the roll-up is, below the cache directory.
pub(crate) fn folder(cache: &Path) -> PathBuf {
    cache.join("rollup")
}

/// Its catalogue's file.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("catalogue")
}

/// What makes a roll-up that this program believes: the fold of every agent's logs.
pub(crate) fn program() -> Program {
    let mut hash = Sha256::new();
    hash.update(VERSION.to_le_bytes());
    for agent in memfold_agents::all() {
        hash.update(Parameters::of(*agent).hash);
    }
    hash.finalize().into()
}

impl Memfold {
    /// The roll-up, if there is one that can be believed. Published anew it is another file: as long as stat tells the
    /// same one, what is open of it serves.
    pub(crate) fn rollup(&self) -> Option<Arc<Rollup>> {
        let folder = folder(&self.dirs().cache);
        let path = file(&folder);
        let mut known = self.known_rollup().lock().ok()?;
        let now = Identity::at(&path, Links::Refuse).ok();
        if known.as_ref().map(|known| known.identity) != now {
            *known = Rollup::open_at(folder, &path).ok().map(Arc::new);
        }
        known.clone()
    }

    /// The roll-up as it lies on the disk, or why it cannot be believed. That there is none is an error of reading.
    pub(crate) fn open_rollup(&self) -> Result<Rollup, RollupError> {
        let folder = folder(&self.dirs().cache);
        let path = file(&folder);
        Rollup::open_at(folder, &path)
    }

    /// Removes the roll-up: it is damaged, or what it holds is to go.
    pub(crate) fn drop_rollup(&self) {
        let folder = folder(&self.dirs().cache);
        // Without a catalogue no shard is in force; a catalogue that is back after a loss of power would miss its own.
        if memfold_disk::remove(file(&folder)).is_ok() {
            let _ = memfold_disk::sync_names(&folder);
        }
        if let Ok(mut known) = self.known_rollup().lock() {
            *known = None;
        }
        sweep(&folder, &HashSet::new());
        let _ = memfold_disk::sync_names(&folder);
    }
}

/// Removes the shards that are not named.
pub(crate) fn sweep(folder: &Path, named: &HashSet<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if let Some(name) = name.to_str().filter(|name| name.ends_with(".shard"))
            && !named.contains(name)
        {
            // Who has it open reads on; what cannot be removed is left over, and swept the next time.
            let _ = memfold_disk::remove(entry.path());
        }
    }
}

impl Rollup {
    fn open_at(folder: PathBuf, catalogue: &Path) -> Result<Rollup, RollupError> {
        let file = Snapshot::open(catalogue, Links::Refuse).map_err(std::io::Error::other)?;
        let length = usize::try_from(file.len()).map_err(std::io::Error::other)?;
        let bytes = file.read_at(0, length).map_err(std::io::Error::other)?;
        let catalogue = Catalogue::open(bytes, &program())?;
        Ok(Rollup {
            folder,
            identity: file.identity(),
            opened: catalogue.shards().iter().map(|_| OnceLock::new()).collect(),
            told: Mutex::new(None),
            catalogue,
        })
    }

    /// What is known of a log in this very state.
    pub(crate) fn find(&self, path: &Path, identity: &Identity) -> Option<Rolled> {
        let row = self.catalogue.find(path, identity)?;
        let mut last = self.told.lock().ok()?;
        let is_alike = |told: &&Rolled| self.catalogue.are_alike(told.row, row);
        if let Some(told) = last.as_ref().filter(is_alike) {
            return Some(Rolled {
                row,
                ..told.clone()
            });
        }
        let rolled = Rolled {
            row,
            agent: memfold_agents::by_name(self.catalogue.agent(row))?,
            cwd: self.catalogue.cwd(row).map(Arc::from),
        };
        *last = Some(rolled.clone());
        Some(rolled)
    }

    /// A shard, opened.
    pub(crate) fn open(&self, shard: ShardId) -> Result<Arc<OpenShard>, RollupError> {
        let row = self.catalogue.shards().get(shard.0);
        let (Some(row), Some(opened)) = (row, self.opened.get(shard.0)) else {
            return Err(RollupError::Damaged("a shard that it does not name"));
        };
        let open = || {
            let file =
                Snapshot::open(self.path_of(row), Links::Refuse).map_err(std::io::Error::other)?;
            Ok(Arc::new(OpenShard::new(Shard::open(file, row)?)))
        };
        once(opened, open).cloned()
    }

    /// Its catalogue's file.
    pub(crate) fn file(&self) -> PathBuf {
        file(&self.folder)
    }

    /// The file of a shard.
    pub(crate) fn path_of(&self, shard: &ShardRow) -> PathBuf {
        self.folder.join(shard.name.file())
    }

    /// For each of its logs, whether it is among those.
    fn here(&self, logs: &[LogEntry]) -> Vec<bool> {
        let mut here = vec![false; self.catalogue.logs()];
        for row in logs.iter().filter_map(row_of) {
            if let Some(here) = here.get_mut(row.0) {
                *here = true;
            }
        }
        here
    }

    fn missing(&self, here: &[bool]) -> impl Iterator<Item = RowId> {
        self.catalogue
            .rows()
            .zip(here)
            .filter(|(_, here)| !**here)
            .map(|(row, _)| row)
    }

    /// The logs it holds that are gone from the folders that were walked.
    pub(crate) fn gone(&self, found: &Found) -> Vec<RowId> {
        let seen = self.here(&found.logs);
        self.missing(&seen)
            .filter(|row| {
                let path = self.catalogue.path(*row);
                found.walked.iter().any(|folder| path.starts_with(folder))
                    && matches!(Identity::at(&path, Links::Follow), Err(error) if error.is_not_found())
            })
            .collect()
    }
}

/// The logs that a roll-up answers for in one search, and the shards that hold them.
pub(crate) struct Serving {
    pub(crate) rollup: Arc<Rollup>,
    pub(crate) logs: Vec<LogEntry>,
    pub(crate) shards: Vec<(ShardId, Arc<OpenShard>)>,
}

impl Serving {
    /// Takes out of `logs` those that the roll-up answers for. Nothing if it answers for none, or a shard cannot be opened.
    pub(crate) fn of(rollup: Arc<Rollup>, logs: &mut Vec<LogEntry>) -> Option<Serving> {
        let catalogue = &rollup.catalogue;
        let broken: HashSet<u64> = rollup
            .missing(&rollup.here(logs))
            .map(|row| catalogue.component(row))
            .collect();
        let is_served = |log: &LogEntry| {
            row_of(log).is_some_and(|row| {
                let component = catalogue.component(row);
                component == 0 || !broken.contains(&component)
            })
        };
        // Nearly all are served: they stay where they lie.
        let own = logs.extract_if(.., |log| !is_served(log)).collect();
        let served = std::mem::replace(logs, own);
        let mut serving = Serving {
            rollup,
            logs: served,
            shards: Vec::new(),
        };
        if serving.logs.is_empty() {
            return None;
        }
        let mut shards: Vec<ShardId> = serving
            .logs
            .iter()
            .filter_map(row_of)
            .filter_map(|row| serving.rollup.catalogue.shard_of(row))
            .collect();
        shards.sort_unstable();
        shards.dedup();
        for id in shards {
            match serving.rollup.open(id) {
                Ok(shard) => serving.shards.push((id, shard)),
                Err(_) => {
                    logs.append(&mut serving.logs);
                    return None;
                }
            }
        }
        Some(serving)
    }

    /// Takes out the logs that share events with logs that are opened one by one: which copy counts is decided anew.
    pub(crate) fn release_sharing(&mut self, own: &[Ready]) -> Result<Vec<LogEntry>, RollupError> {
        if own.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<_> = own
            .iter()
            .map(|ready| ready.keys().unwrap_or_default())
            .collect();
        let keys: Vec<&[Keys]> = keys.iter().map(Vec::as_slice).collect();
        release_sharing(&self.rollup.catalogue, &self.shards, &keys, &mut self.logs)
    }

    /// Takes out some logs, and those that hold only together with them.
    pub(crate) fn release(&mut self, rows: &HashSet<RowId>) -> Vec<LogEntry> {
        release(&self.rollup.catalogue, rows, &mut self.logs)
    }
}

/// Takes out of `logs`, which lie in `shards`, those that have one of the keys, and those that hold only together with them.
pub(crate) fn release_sharing(
    catalogue: &Catalogue,
    shards: &[(ShardId, Arc<OpenShard>)],
    keys: &[&[Keys]],
    logs: &mut Vec<LogEntry>,
) -> Result<Vec<LogEntry>, RollupError> {
    let mut sharing: HashMap<ShardId, Vec<u32>> = HashMap::new();
    for (id, shard) in shards {
        let mut documents: Vec<u32> = shard
            .shard
            .with_keys(keys.iter().flat_map(|keys| each(keys)).map(|(_, key)| key))?
            .into_iter()
            .map(|(_, document)| document)
            .collect();
        if !documents.is_empty() {
            documents.sort_unstable();
            sharing.insert(*id, documents);
        }
    }
    if sharing.is_empty() {
        return Ok(Vec::new());
    }
    let shares = |row: &RowId| {
        let documents = catalogue.documents(*row);
        let shared = catalogue
            .shard_of(*row)
            .and_then(|shard| sharing.get(&shard));
        shared.is_some_and(|shared| {
            let from = shared.partition_point(|document| *document < documents.start);
            shared
                .get(from)
                .is_some_and(|document| documents.contains(document))
        })
    };
    let rows = logs.iter().filter_map(row_of).filter(shares).collect();
    Ok(release(catalogue, &rows, logs))
}

/// Takes out of `logs` those of some rows, and those that hold only together with them.
fn release(
    catalogue: &Catalogue,
    rows: &HashSet<RowId>,
    logs: &mut Vec<LogEntry>,
) -> Vec<LogEntry> {
    if rows.is_empty() {
        return Vec::new();
    }
    let components: HashSet<u64> = rows
        .iter()
        .map(|row| catalogue.component(*row))
        .filter(|component| *component != 0)
        .collect();
    let is_released = |log: &mut LogEntry| {
        row_of(log)
            .is_none_or(|row| rows.contains(&row) || components.contains(&catalogue.component(row)))
    };
    logs.extract_if(.., is_released).collect()
}

/// The row of a log in the roll-up.
pub(crate) fn row_of(log: &LogEntry) -> Option<RowId> {
    log.rolled.as_ref().map(|rolled| rolled.row)
}
