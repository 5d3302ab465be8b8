//! Brings the index of a tree up to date: lists it, compares what stat says with what is known, and reads what changed, through
//! the guard, within a time. One event for each refresh that read or dropped anything.

use std::fmt;
use std::time::{Duration, Instant};

use memfold_disk::Mode;
use memfold_guard::{Budget, Guard, Limits, TreePath};

use crate::RepoError;
use crate::collection::Due;
use crate::index::{Index, Loaded};
use crate::journal::{Change, Folded};
use crate::listing::{self, Extent, Hardened, Listing, Wanted};
use crate::moment::Moment;
use crate::pack::Pack;
use crate::reading::{Read, Reading};
use crate::sections::Store;
use crate::survey::Survey;
use crate::tree::{Counts, Update};

/// So many files that were written just before they were read are looked at again at each search, and nothing is noted of
/// it; more are noted once they have settled.
const RACY: usize = 32;

/// What a refresh may do, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Refresh<'a> {
    /// The moment at which it begins.
    pub now: Moment,
    /// How long it may take; what it does not reach it says.
    pub time: Duration,
    /// How long another writer is waited for. A search waits for none.
    pub patience: Duration,
    /// A folder that is to be indexed whole from now on.
    pub whole: Option<&'a TreePath>,
    /// Files that are to be read whatever is known of them.
    pub again: &'a [TreePath],
    /// The git command, for an index of git's that is not read here.
    pub git: Option<&'a Hardened>,
    /// What the person's own ignore file says.
    pub personal: &'a [u8],
    /// The session that caused it.
    pub session: Option<&'a str>,
    /// The call that caused it.
    pub call: Option<&'a str>,
    /// Who watches it at its reading.
    pub watch: &'a dyn Watch,
    /// When what nobody names any more is removed, where something was read or dropped; `None` if the caller sees to that.
    pub due: Option<Due>,
}

/// Watches a refresh while it reads, and may end it: what was read by then is kept. Called from several threads.
pub trait Watch: fmt::Debug + Sync {
    /// So many files of so many bytes are to be read.
    fn begin(&self, files: usize, bytes: u64);
    /// One of them was read.
    fn advance(&self, bytes: u64);
    /// Should the rest be left?
    fn stop(&self) -> bool;
}

/// Watches nothing and lets all be read.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _files: usize, _bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

impl Refresh<'_> {
    /// At that moment; ten seconds, no patience.
    pub fn at(now: Moment) -> Self {
        Refresh {
            now,
            time: Duration::from_secs(10),
            patience: Duration::ZERO,
            whole: None,
            again: &[],
            git: None,
            personal: &[],
            session: None,
            call: None,
            watch: &Unwatched,
            due: Some(Due::Hourly),
        }
    }
}

/// A tree, brought up to date, and what may be missing.
pub struct Refreshed {
    /// The tree with its words.
    pub loaded: Loaded,
    /// How many files were read, and what they came to.
    pub counts: Counts,
    /// How many were no longer listed.
    pub gone: usize,
    /// How many changed files were not reached.
    pub not_reached: usize,
    /// Files that are larger than one may be, the first of them, and how many there are.
    pub too_large: (Vec<TreePath>, usize),
    /// Whether all of the tree is indexed.
    pub extent: Extent,
    /// What the listing left out, how it was told what belongs to the tree, and what cut it short.
    pub left: listing::Left,
    /// How the files were told.
    pub by: listing::By,
    /// What cut the listing short.
    pub cut: Option<listing::Cut>,
    /// Why what was read could not be kept, if it could not.
    pub not_kept: Option<String>,
}

impl Index {
    /// Brings a tree up to date, as far as the time goes.
    ///
    /// # Errors
    /// If the tree cannot be listed. That the index cannot be written is said in the answer, which is then of memory alone.
    pub fn refresh(&self, guard: &Guard, refresh: Refresh<'_>) -> Result<Refreshed, RepoError> {
        let begun = Instant::now();
        let (loaded, listing) = self.listed(guard, refresh)?;
        let survey = Survey::of(&listing, &loaded, guard, refresh.again);
        let budget = Budget::new(Limits {
            file_bytes: Limits::FILE_BYTES,
            bytes: u64::MAX,
            time: refresh.time.saturating_sub(begun.elapsed()),
        });
        let reading = Reading {
            guard,
            budget: &budget,
            now: refresh.now,
            begun,
            watch: refresh.watch,
        };
        let asked_whole = asked_whole(refresh, &loaded);
        let is_as_known = survey.is_empty()
            || survey
                .racy_alone()
                .is_some_and(|racy| racy.len() <= RACY && reading.are_as_known(&racy, &loaded));
        if is_as_known && asked_whole.is_none() {
            self.mend(&loaded);
            return Ok(Refreshed::of(loaded, &listing, &survey, 0));
        }
        let (lock, mut not_kept) = match self.lock(refresh.patience) {
            Ok(Some(lock)) => (Some(lock), None),
            Ok(None) => {
                // Another is at it: what it finds is there at the next search. What must not rank does not, all the same.
                let unread = survey.to_read.len();
                let mut loaded = loaded;
                let without = Update {
                    tree: loaded.tree().root.clone(),
                    files: survey.denied.clone(),
                    gone: survey.gone.clone(),
                    ..Update::default()
                };
                let folded = loaded.manifest.folded;
                loaded.manifest.apply([(Change::Update(without), folded)])?;
                let mut refreshed = Refreshed::of(loaded, &listing, &survey, unread);
                refreshed.not_kept = Some("the index is being written by another process".into());
                return Ok(refreshed);
            }
            Err(error) => (None, Some(error.to_string())),
        };
        // Another may have written meanwhile. From here on nobody does: what is found in a pack stays there.
        let (mut loaded, survey) = match lock.is_none() || self.is_as(&loaded) {
            true => (loaded, survey),
            false => {
                let loaded = self.load(&loaded.tree().root)?;
                let survey = Survey::of(&listing, &loaded, guard, refresh.again);
                (loaded, survey)
            }
        };
        let entries: Vec<_> = survey.to_read.iter().map(|file| file.entry).collect();
        let mut read = reading.all(&entries, &loaded)?;
        let unread = entries.len() - read.files.len();
        settle(&mut read, &survey, &loaded);
        read.files.extend(survey.denied.clone());
        let update = Update {
            tree: loaded.tree().root.clone(),
            rules: Some(guard.version().clone()),
            counts: Counts::of(read.files.values()),
            files: std::mem::take(&mut read.files),
            gone: survey.gone.clone(),
            whole: asked_whole.into_iter().collect(),
            micros: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            session: refresh.session.map(str::to_owned),
            call: refresh.call.map(str::to_owned),
            ..Update::default()
        };
        let counts = update.counts;
        let says_nothing = update.files.is_empty()
            && update.gone.is_empty()
            && update.whole.is_empty()
            && !survey.has_other_rules
            && read.pack.is_none();
        if !says_nothing {
            let noted = match &lock {
                Some(_) => self.note(&mut loaded, &update, &read, refresh.now),
                None => Err(RepoError::Write(String::new())),
            };
            let folded = *noted.as_ref().unwrap_or(&loaded.manifest.folded);
            loaded.manifest.apply([(Change::Update(update), folded)])?;
            let kept = noted.and_then(|_| self.settle(&loaded, refresh.now));
            if let Err(error) = kept {
                // Nothing is kept, and the answer is the same: the words are read where they are.
                not_kept.get_or_insert_with(|| error.to_string());
                if let Some(pack) = read.pack {
                    loaded.packs.push(Pack::open(Store::Memory(pack))?);
                }
            }
        }
        let is_kept = lock.is_some() && not_kept.is_none();
        drop(lock);
        if let Some(due) = refresh.due.filter(|_| is_kept) {
            // What cannot be collected now is collected later.
            let _ = self.collect(refresh.now, due, Some(&loaded));
        }
        let mut refreshed = Refreshed::of(loaded, &listing, &survey, unread);
        refreshed.counts = counts;
        refreshed.not_kept = not_kept;
        Ok(refreshed)
    }

    /// What is known of a tree, and how much of it changed since: nothing is read, and nothing written.
    ///
    /// # Errors
    /// If the tree cannot be listed.
    pub fn look(&self, guard: &Guard, refresh: Refresh<'_>) -> Result<Refreshed, RepoError> {
        let (loaded, listing) = self.listed(guard, refresh)?;
        let survey = Survey::of(&listing, &loaded, guard, refresh.again);
        let racy = survey.to_read.iter().filter(|file| file.is_racy).count();
        let unread = survey.to_read.len() - racy;
        Ok(Refreshed::of(loaded, &listing, &survey, unread))
    }

    fn listed(&self, guard: &Guard, refresh: Refresh<'_>) -> Result<(Loaded, Listing), RepoError> {
        let path = guard.root().path();
        let loaded = self.load(&path.to_string_lossy())?;
        let mut whole: Vec<TreePath> = loaded.tree().whole.iter().cloned().collect();
        whole.extend(asked_whole(refresh, &loaded));
        let wanted = Wanted {
            whole: &whole,
            personal: refresh.personal,
            git: refresh.git,
            time: refresh.time,
        };
        let listing = listing::list(guard.root(), wanted).map_err(|error| RepoError::Tree {
            path: path.to_owned(),
            what: error.to_string(),
        })?;
        Ok((loaded, listing))
    }

    /// Puts what was read in place: the pack, then the events, then (by [`settle`](Index::settle)) the manifest, so that
    /// whatever is cut short is cut again. Where the events end in the log.
    fn note(
        &self,
        loaded: &mut Loaded,
        update: &Update,
        read: &Read,
        now: Moment,
    ) -> Result<Folded, RepoError> {
        let pack = read.pack.as_deref();
        let written = pack
            .map(|pack| self.write_pack(pack, Mode::Disposable))
            .transpose()?;
        let noted = self.record(update, &read.decisions, now)?;
        loaded.packs.extend(written);
        Ok(noted.unwrap_or(loaded.manifest.folded))
    }
}

impl Refreshed {
    fn of(loaded: Loaded, listing: &Listing, survey: &Survey<'_>, unread: usize) -> Refreshed {
        Refreshed {
            loaded,
            counts: Counts::default(),
            gone: survey.gone.len(),
            not_reached: unread,
            too_large: survey.too_large.clone(),
            extent: survey.extent,
            left: listing.left.clone(),
            by: listing.by.clone(),
            cut: listing.cut,
            not_kept: None,
        }
    }
}

/// The folder that is to be whole from now on, unless it is already.
fn asked_whole(refresh: Refresh<'_>, loaded: &Loaded) -> Option<TreePath> {
    let folder = refresh.whole?;
    (!loaded.tree().whole.contains(folder)).then(|| folder.clone())
}

/// Takes out the racy files that are as they are known: nothing is noted of those, unless they have settled by now.
fn settle(read: &mut Read, survey: &Survey<'_>, loaded: &Loaded) {
    for file in survey.to_read.iter().filter(|file| file.is_racy) {
        let path = &file.entry.path;
        let known = loaded.tree().files.get(path);
        if let (Some(now), Some(then)) = (read.files.get(path), known)
            && now.says_as(then)
            && (!now.is_settled() || survey.to_read.len() <= RACY)
        {
            read.files.remove(path);
        }
    }
    read.decisions
        .retain(|decision| read.files.contains_key(&decision.path));
}
