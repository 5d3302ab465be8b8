//! Keeps a log's sidecar: finds what it is worth, folds what it lacks, publishes the result, and says what was done.
//! A sidecar can only help: whatever is wrong with it or its folder, the log is folded and the caller gets its words.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memfold_agents::Agent;
use memfold_disk::{
    DiskError, Identity, Links, Lock, Locks, Mode, PublishError, Snapshot, publish, set_aside,
};
use memfold_fold::checkpoint::Sealed;
use memfold_fold::facts::LogFacts;
use memfold_fold::{Parameters, Tail};
use memfold_segment::Builder;

use crate::bytes::Bytes;
use crate::check::{self, Checked, Proved};
use crate::fold_log::{Folded, fold_on, fold_until, fold_whole};
use crate::following::{Learned, is_known, request_in, tells};
use crate::judge::{Examined, examine, known_content, newer_than, verdict_of};
use crate::log_file::LogFile;
use crate::places::Where;
use crate::receipts::{Place, Receipt, Receipts, beside};
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

/// The bytes of a sidecar: of a file, or of one that could not be written.
#[derive(Debug)]
pub enum Store {
    /// A published file.
    File(Snapshot),
    /// Held in memory for this call.
    Memory(Vec<u8>),
}

impl Bytes for Store {
    fn length(&self) -> u64 {
        match self {
            Store::File(file) => file.length(),
            Store::Memory(bytes) => bytes.length(),
        }
    }

    fn read_at(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Store::File(file) => Bytes::read_at(file, at, length),
            Store::Memory(bytes) => bytes.read_at(at, length),
        }
    }
}

/// A sidecar that may be read.
pub type Kept = Sidecar<Store>;

/// A log with what is known of it, ready to be searched.
pub struct Keeping {
    /// What was found.
    pub verdict: Verdict,
    /// What was done about it.
    pub done: Done,
    /// The sidecar, current for every whole turn it covers.
    pub sidecar: Kept,
    /// What follows it, for a search; nothing where nothing does.
    pub tail: Option<Tail>,
    /// Where the sidecar is, unless it could not be written.
    pub path: Option<PathBuf>,
    /// What this machine may remember.
    pub receipt: Option<Receipt>,
    /// What the log says of itself to its end, where it was folded and no receipt can be kept.
    pub facts: Option<LogFacts>,
    /// A rebuild: its tail is kept for the next search.
    pub tail_kept: bool,
    /// The call had its time: the sidecar covers a beginning of the log, from which the next call goes on.
    pub stopped: bool,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// What was done about a sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Nothing had to be.
    Nothing,
    /// What was appended was folded and added.
    Extended,
    /// The log was folded whole.
    Folded,
    /// The log was folded whole, which gave the bytes that were there.
    Confirmed,
    /// The damaged file was set aside, and the log folded whole.
    SetAside,
    /// The log was folded in memory: the sidecar could not be written, and why.
    InMemory(String),
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Done::Nothing => f.write_str("nothing"),
            Done::Extended => f.write_str("extended"),
            Done::Folded => f.write_str("folded"),
            Done::Confirmed => f.write_str("folded again, the same bytes"),
            Done::SetAside => f.write_str("set aside, folded again"),
            Done::InMemory(why) => write!(f, "folded in memory: {why}"),
        }
    }
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

/// The receipt of what was just found to hold, if that is news.
fn renewed(
    log: &LogFile,
    sidecar: &Kept,
    identity: Option<Identity>,
    place: Place,
    receipts: &Receipts,
    proved_at: i64,
) -> Option<Receipt> {
    let known = known_content(receipts, log, sidecar)?;
    let sidecar = identity?.to_bytes();
    let own = receipts.of(log.path()).is_some();
    let is_same = known.holds_for(&log.identity()) && known.is_of_all(log);
    if own && is_same && known.sidecar == sidecar {
        return None;
    }
    Some(Receipt {
        log: log.identity().to_bytes(),
        length: log.text_length(),
        proved_at,
        sidecar,
        place,
        ..known.clone()
    })
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

fn receipt_of(
    sealed: &Sealed,
    tail: &Tail,
    facts: LogFacts,
    agent: &'static dyn Agent,
    log: &LogFile,
    proved_at: i64,
) -> Receipt {
    let mut receipt = Receipt {
        agent: agent.name().to_owned(),
        log: log.identity().to_bytes(),
        proved_at,
        length: log.text_length(),
        folded: log.text_length().unwrap_or(sealed.covered.end.0),
        covered: sealed.covered.end.0,
        log_root: [0; 32],
        place: Place::Beside,
        sidecar: [0; Identity::BYTES],
        content_root: [0; 32],
        documents: u32::try_from(sealed.documents.len()).unwrap_or(u32::MAX),
        turns: sealed.checkpoint.turn,
        request: request_in(sealed.cards.iter().chain(&tail.cards)),
        task: None,
        parent: None,
        helper: None,
        cwd: None,
        title: None,
        started: None,
        ended: None,
    };
    learn(&mut receipt, facts);
    receipt
}

/// The receipt of a log that was folded in part: how long it was is said by none but a receipt of all of it.
fn as_far_as_it_is_folded(receipt: Receipt) -> Receipt {
    Receipt {
        length: None,
        folded: receipt.covered,
        ..receipt
    }
}

/// Notes what a log says of itself, to its end.
fn learn(receipt: &mut Receipt, facts: LogFacts) {
    receipt.task = facts.task;
    receipt.parent = facts.parent;
    receipt.helper = facts.helper;
    receipt.cwd = facts.cwd;
    receipt.title = facts.title;
    receipt.started = facts.started;
    receipt.ended = facts.ended;
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
