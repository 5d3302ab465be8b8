//! Keeps a log's sidecar: finds what it is worth, folds what it lacks, publishes the result, and says what was done.
//! A sidecar can only help: whatever is wrong with it or its folder, the log is folded and the caller gets its words.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memfold_agents::Agent;
use memfold_disk::{
    DiskError, Identity, Links, Lock, Locks, Mode, PublishError, Snapshot, publish, set_aside,
};
use memfold_fold::Parameters;
use memfold_segment::Builder;

use crate::check::{self, Checked, Proved};
use crate::fold_log::{Folded, fold_on, fold_until, fold_whole};
use crate::following::{is_known, tells};
use crate::judge::{Examined, examine, newer_than, verdict_of};
use crate::keeping::{Done, Keeping, Kept, Store};
use crate::learned::{Learned, as_far_as_it_is_folded, learn, receipt_of, renewed};
use crate::log_file::LogFile;
use crate::places::Where;
use crate::receipts::{Place, Receipts, beside};
use crate::stop::Stop;
use crate::tails;
use crate::verdict::Verdict;
use crate::worth::Worth;
use crate::{Sidecar, SidecarError, encode, verify_bytes};

/// How long `fold` waits for another process that folds the same log.
const PATIENCE: Duration = Duration::from_secs(30);
/// A search folds a tail up to this long in memory, and leaves a longer one in the sidecar for the next.
const TAIL_LIMIT: u64 = 256 << 10;

/// What a call needs of a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To be searched: sidecar and tail, with as little writing as pays.
    Search,
    /// To be searched after all, where it failed while it was read: nothing is believed, and this call has it in memory.
    Again,
    /// To cover every whole turn.
    Fold,
    /// To be made anew, whatever it is worth.
    Rebuild,
}

/// Where this machine keeps what it needs to keep sidecars.
#[derive(Clone, Debug)]
pub struct Keeper {
    locks: Locks,
    cache: PathBuf,
}

impl Keeper {
    /// A keeper whose locks are in `locks` and whose other files are below `cache`.
    pub fn new(locks: Locks, cache: PathBuf) -> Keeper {
        Keeper { locks, cache }
    }

    /// The locks it takes.
    pub fn locks(&self) -> &Locks {
        &self.locks
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Makes a log ready. `place` is where its sidecar should be. Asks `stop` now and then whether to go on; what is folded by
    /// then is kept, and said in [`Keeping::stopped`].
    ///
    /// # Errors
    /// Only if the log itself cannot be read or folded; [`SidecarError::Stopped`] if nothing was done by when it was to stop.
    pub fn keep(
        &self,
        log: &LogFile,
        agent: &'static dyn Agent,
        place: Place,
        receipts: &Receipts,
        need: Need,
        stop: Stop<'_>,
    ) -> Result<Keeping, SidecarError> {
        self.keep_at(log, agent, place.into(), receipts, need, stop)
    }

    fn keep_at(
        &self,
        log: &LogFile,
        agent: &'static dyn Agent,
        at: Where,
        receipts: &Receipts,
        need: Need,
        stop: Stop<'_>,
    ) -> Result<Keeping, SidecarError> {
        let path = self.path(log.path(), agent, at);
        let began = now();
        let none = Receipts::default();
        let believed = if need == Need::Again { &none } else { receipts };
        let mut examined = examine(log, agent, &path, believed, stop)?;
        let is_in_cache = || {
            receipts
                .of(log.path())
                .is_some_and(|receipt| receipt.place == Place::Cache)
        };
        if at == Where::Beside
            && examined.verdict == Verdict::Missing
            && need != Need::Rebuild
            && is_in_cache()
        {
            // It could not be written beside the log. Whoever can write there again rebuilds it.
            return self.keep_at(log, agent, Where::Cache, receipts, need, stop);
        }
        let mut followed = (None, None);
        // What a receipt says of the log is of its end, too: one that is renewed learns it anew.
        if serves(log, &examined, need)
            && let Some(sidecar) = &examined.sidecar
            && (need == Need::Search || !is_known(log, sidecar, receipts))
        {
            match self.tail(log, agent, sidecar, receipts, stop) {
                Ok(found) => followed = found,
                Err(error) if error.is_of_the_log() => return Err(error),
                Err(error) => {
                    examined.verdict = verdict_of(error);
                    examined.sidecar = None;
                }
            }
        }
        let elsewhere = match at {
            Where::Apart => None,
            _ if examined.verdict.is_later() => Some(Where::Apart),
            Where::Beside if examined.verdict.is_left_alone() => Some(Where::Cache),
            _ => None,
        };
        if let Some(elsewhere) = elsewhere {
            let mut keeping = self.keep_at(log, agent, elsewhere, receipts, need, stop)?;
            keeping
                .notes
                .insert(0, format!("{}: {}", path.display(), examined.verdict));
            keeping.verdict = examined.verdict;
            return Ok(keeping);
        }
        let as_it_is = serves(log, &examined, need);
        match examined {
            Examined {
                verdict,
                sidecar: Some(sidecar),
                identity,
            } if as_it_is => {
                let (tail, learned) = followed;
                let mut receipt = renewed(log, &sidecar, identity, at.place(), receipts, began);
                if let (Some(receipt), Some(Learned { facts, request })) = (&mut receipt, learned) {
                    receipt.request = request;
                    learn(receipt, facts);
                }
                Ok(Keeping {
                    verdict,
                    done: Done::Nothing,
                    sidecar,
                    tail,
                    path: Some(path),
                    receipt,
                    facts: None,
                    tail_kept: false,
                    stopped: false,
                    notes: Vec::new(),
                })
            }
            examined => self.fold(log, agent, at, examined, need, stop),
        }
    }

    /// Folds what the sidecar lacks, or the whole log, and publishes it: where it should be, else in the cache; and where
    /// neither can be written, the call has it in memory.
    fn fold(
        &self,
        log: &LogFile,
        agent: &'static dyn Agent,
        at: Where,
        examined: Examined,
        need: Need,
        stop: Stop<'_>,
    ) -> Result<Keeping, SidecarError> {
        let path = self.path(log.path(), agent, at);
        let place = at.place();
        let lock = self.lock(&path, need);
        let proved_at = now();
        let (folded, mut done) = match &examined.sidecar {
            Some(sidecar) if examined.verdict.is_extended_by(need) && log.form().grows() => {
                match self.extend(log, agent, sidecar, stop) {
                    Ok(folded) => (folded, Done::Extended),
                    Err(SidecarError::Damaged { .. } | SidecarError::LogChanged) => {
                        (fold_until(log, agent, stop)?, Done::Folded)
                    }
                    Err(error) => return Err(error),
                }
            }
            _ => (fold_until(log, agent, stop)?, Done::Folded),
        };
        let Folded {
            sealed,
            tail,
            facts,
            binding,
            fault,
            stopped,
        } = folded;
        let bytes = encode(&sealed, Parameters::of(agent), &binding, log.form())?;
        let mut receipt = receipt_of(&sealed, &tail, facts.clone(), agent, log, proved_at);
        if stopped {
            receipt = as_far_as_it_is_folded(receipt);
        }
        drop(sealed);
        let mut notes: Vec<String> = fault.into_iter().collect();
        let verdict = examined.verdict;

        let mut published = match examined.identity.filter(|_| is_file_of(&path, &bytes)) {
            Some(identity) => {
                if done == Done::Folded {
                    done = Done::Confirmed;
                }
                Ok((path.clone(), place, identity))
            }
            None if verdict.is_left_alone() => Err(verdict.to_string()),
            None => lock.and_then(|_lock| {
                if matches!(verdict, Verdict::Damaged { .. }) && set_aside(&path).is_ok() {
                    done = Done::SetAside;
                }
                if place == Place::Cache {
                    make_folder_of(&path)?;
                }
                Ok((path.clone(), place, write(&path, &bytes)?))
            }),
        };
        if let Err(why) = &published
            && place == Place::Beside
            && let Ok(cached) = self.write_to_cache(log.path(), agent, &bytes)
        {
            notes.push(format!(
                "{}: kept in the cache instead: {why}",
                path.display()
            ));
            published = Ok(cached);
        }
        let in_memory = Sidecar::open(Store::Memory(bytes))?;
        // A search keeps a tail when it asks for it again; what folds many logs at once puts them together next.
        let is_upkeep = matches!(need, Need::Fold | Need::Rebuild);
        let tail_kept = is_upkeep && !stopped && self.keep_tail(log, &in_memory, &tail, &facts);
        let tail = (matches!(need, Need::Search | Need::Again) && tells(&tail)).then_some(tail);
        match published {
            Ok((path, place, identity)) => {
                receipt.place = place;
                receipt.sidecar = identity.to_bytes();
                receipt.content_root = in_memory.header().content_root;
                receipt.log_root = in_memory.header().log_root;
                // Read from the file from now on, so that a call over many logs holds none of them.
                let sidecar = match Snapshot::open(&path, Links::Refuse) {
                    Ok(file) if need != Need::Again && file.identity() == identity => {
                        Sidecar::open(Store::File(file)).unwrap_or(in_memory)
                    }
                    _ => in_memory,
                };
                Ok(Keeping {
                    verdict,
                    done,
                    sidecar,
                    tail,
                    path: Some(path),
                    receipt: Some(receipt),
                    facts: None,
                    tail_kept,
                    stopped,
                    notes,
                })
            }
            // What is kept nowhere begins anew at the next call.
            Err(_) if stopped => Err(SidecarError::Stopped),
            Err(why) => Ok(Keeping {
                verdict,
                done: Done::InMemory(why),
                sidecar: in_memory,
                tail,
                path: None,
                receipt: None,
                facts: Some(facts),
                tail_kept,
                stopped,
                notes,
            }),
        }
    }

    fn lock(&self, path: &Path, need: Need) -> Result<Lock, String> {
        let lock = match need {
            Need::Search | Need::Again => self.locks.try_lock(path),
            Need::Fold | Need::Rebuild => self.locks.lock(path, PATIENCE).map(Some),
        };
        match lock {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err("another process is folding this log".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write_to_cache(
        &self,
        log: &Path,
        agent: &'static dyn Agent,
        bytes: &[u8],
    ) -> Result<(PathBuf, Place, Identity), String> {
        let ours = Parameters::of(agent).version;
        let mut path = self.in_cache(log);
        if newer_than(&path, ours).is_some() {
            path = self.apart(log, agent);
        }
        make_folder_of(&path)?;
        let _lock = self.lock(&path, Need::Search)?;
        if let Some(newer) = newer_than(&path, ours) {
            return Err(newer.to_string());
        }
        let identity = write(&path, bytes)?;
        Ok((path, Place::Cache, identity))
    }

    fn extend(
        &self,
        log: &LogFile,
        agent: &'static dyn Agent,
        sidecar: &Kept,
        stop: Stop<'_>,
    ) -> Result<Folded, SidecarError> {
        let builder = Builder::resume(&memfold_segment::Reader::open(sidecar.words()?)?)?;
        fold_on(
            log,
            agent,
            sidecar.decode_records()?,
            builder,
            &sidecar.binding()?,
            stop,
        )
    }

    /// Checks what is derived of a log in full, and changes nothing: the sidecar's bytes, the log's, that folding the log
    /// again gives the same content; what its receipt says; its kept tail.
    ///
    /// # Errors
    /// If the log cannot be read or folded.
    pub fn verify(
        &self,
        log: &LogFile,
        agent: &'static dyn Agent,
        place: Place,
        receipts: &Receipts,
    ) -> Result<Checked, SidecarError> {
        let path = match place {
            Place::Beside => beside(log.path()),
            Place::Cache => self.kept_in_cache(log.path(), agent),
        };
        check::verify(log, agent, &path, &self.tail_path(log.path()), receipts)
    }

    /// A log as a fold gives it now, in memory, and believed for that.
    ///
    /// # Errors
    /// If the log cannot be read or folded.
    pub fn folded(&self, log: &LogFile, agent: &'static dyn Agent) -> Result<Proved, SidecarError> {
        let folded = fold_whole(log, agent)?;
        let bytes = encode(
            &folded.sealed,
            Parameters::of(agent),
            &folded.binding,
            log.form(),
        )?;
        Ok(Proved {
            sidecar: Sidecar::open(Store::Memory(bytes))?,
            tail: folded.tail,
            facts: folded.facts,
        })
    }

    /// What a later program left in a sidecar's place, which is not to be removed. Of which agent's log it is, is not known.
    pub fn later_programs(sidecar: &Path) -> Option<Verdict> {
        let versions = memfold_agents::all()
            .iter()
            .map(|agent| Parameters::of(*agent).version);
        newer_than(sidecar, versions.max().unwrap_or(u32::MAX))
    }

    /// What a kept tail is worth by its own bytes, by its file.
    pub fn tail_worth(file: &Path) -> Worth {
        tails::read(file).err().unwrap_or(Worth::Sound)
    }
}

/// Whether what was found serves as it is.
fn serves(log: &LogFile, examined: &Examined, need: Need) -> bool {
    match (need, &examined.verdict) {
        (Need::Rebuild | Need::Again, _) => false,
        (_, Verdict::Current | Verdict::Moved) => true,
        (Need::Search, Verdict::Appended { to, .. }) => {
            let covered = examined
                .sidecar
                .as_ref()
                .map_or(0, |sidecar| sidecar.header().covered.end.0);
            log.form().grows() && to.saturating_sub(covered) <= TAIL_LIMIT
        }
        _ => false,
    }
}

/// Whether a file holds these bytes already.
fn is_file_of(path: &Path, bytes: &[u8]) -> bool {
    Snapshot::open(path, Links::Refuse).is_ok_and(|file| {
        let mut held = Vec::new();
        file.len() == bytes.len() as u64
            && file.reader(0).read_to_end(&mut held).is_ok()
            && held == bytes
    })
}

fn make_folder_of(path: &Path) -> Result<(), String> {
    match path.parent() {
        Some(folder) => memfold_disk::private_dir(folder).map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<Identity, String> {
    publish(
        path,
        Mode::Private,
        |out| out.write_all(bytes).map_err(SidecarError::Io),
        verify_bytes,
    )
    .map(|published| published.identity)
    .map_err(|error: PublishError<SidecarError>| error.to_string())
}

pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

impl From<DiskError> for SidecarError {
    fn from(error: DiskError) -> SidecarError {
        SidecarError::of_log(&error)
    }
}
