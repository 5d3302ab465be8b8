//! Brings the index of a tree up to date: lists it, compares what stat says with what is known, and reads what changed, through
//! the guard, within a time. One event for each refresh that read or dropped anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use memfold_guard::{Budget, Decision, Guard, Limits as Reading, Refusal, TreePath};
use rayon::prelude::*;

use crate::RepoError;
use crate::content::ContentHash;
use crate::index::{Index, Loaded, now_ns};
use crate::listing::{self, Entry, Extent, Hardened, Limits, Wanted, fit};
use crate::manifest::Manifest;
use crate::pack::{Pack, PackBuilder};
use crate::sections::Store;
use crate::tree::{Counts, FileState, Found, Skip, Update};

/// So many files are read before their words are counted: their texts are held so long.
const BATCH: usize = 256;

/// What a refresh may do, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Refresh<'a> {
    /// How long it may take; what it does not reach it says.
    pub time: Duration,
    /// How long another writer is waited for. A search waits for none.
    pub patience: Duration,
    /// A folder that is to be indexed whole from now on.
    pub whole: Option<&'a TreePath>,
    /// The git command, for an index of git's that is not read here.
    pub git: Option<&'a Hardened>,
    /// What the person's own ignore file says.
    pub personal: &'a [u8],
    /// The session that caused it.
    pub session: Option<&'a str>,
    /// The call that caused it.
    pub call: Option<&'a str>,
}

impl Default for Refresh<'_> {
    /// Ten seconds, no patience.
    fn default() -> Self {
        Refresh {
            time: Duration::from_secs(10),
            patience: Duration::ZERO,
            whole: None,
            git: None,
            personal: &[],
            session: None,
            call: None,
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

/// Of how many too large files the names are told.
const NAMED: usize = 100;

impl Index {
    /// Brings a tree up to date, as far as the time goes.
    ///
    /// # Errors
    /// If the tree cannot be listed. That the index cannot be written is said in the answer, which is then of memory alone.
    pub fn refresh(&self, guard: &Guard, refresh: Refresh<'_>) -> Result<Refreshed, RepoError> {
        let begun = Instant::now();
        let path = guard.root().path().to_owned();
        let root = path.to_string_lossy().into_owned();
        let tree_error = |error: &dyn std::fmt::Display| RepoError::Tree {
            path: path.clone(),
            what: error.to_string(),
        };
        let mut loaded = self.load(&root)?;
        let mut whole: Vec<TreePath> = loaded.tree().whole.iter().cloned().collect();
        let asked_whole = refresh.whole.filter(|folder| !whole.contains(folder));
        whole.extend(asked_whole.cloned());
        let listing = listing::list(
            guard.root(),
            Wanted {
                whole: &whole,
                personal: refresh.personal,
                git: refresh.git,
                time: refresh.time,
            },
        )
        .map_err(|error| tree_error(&error))?;
        let same_rules = loaded.tree().rules.as_ref() == Some(guard.version());
        let known = |entry: &Entry| loaded.tree().files.get(&entry.path);
        let holds = |entry: &Entry, state: &FileState| {
            state.holds_for(&entry.identity)
                && match &state.found {
                    Found::Refused(refusal) => same_rules && refusal.holds_for_the_state(),
                    _ => true,
                }
        };
        let fitting = fit(&listing.entries, Limits::default(), |entry| {
            let state = known(entry).filter(|state| holds(entry, state));
            state.is_none_or(|state| matches!(state.found, Found::Indexed { .. }))
        });
        let mut files: BTreeMap<TreePath, FileState> = BTreeMap::new();
        if !same_rules {
            drop_denied(guard, &loaded, &mut files);
        }
        let lacking = |state: &FileState| match &state.found {
            Found::Indexed { content, .. } => loaded.find(content).is_none(),
            _ => false,
        };
        let changed: Vec<&Entry> = fitting
            .taken
            .iter()
            .copied()
            .filter(|entry| !files.contains_key(&entry.path))
            .filter(|entry| known(entry).is_none_or(|state| !holds(entry, state) || lacking(state)))
            .collect();
        let gone = match listing.cut {
            // What was not listed for want of time is not gone.
            Some(_) => BTreeSet::new(),
            None => {
                let mut gone: BTreeSet<TreePath> = loaded.tree().files.keys().cloned().collect();
                // Those that are known not to be text take no room, so they are kept.
                for entry in &listing.entries {
                    let stays = known(entry)
                        .is_some_and(|state| !matches!(state.found, Found::Indexed { .. }));
                    if stays {
                        gone.remove(&entry.path);
                    }
                }
                fitting.taken.iter().for_each(|entry| {
                    gone.remove(&entry.path);
                });
                gone
            }
        };
        let mut refreshed = Refreshed {
            counts: Counts::default(),
            gone: gone.len(),
            not_reached: changed.len(),
            too_large: (
                fitting
                    .too_large
                    .iter()
                    .take(NAMED)
                    .map(|entry| entry.path.clone())
                    .collect(),
                fitting.too_large.len(),
            ),
            extent: fitting.extent,
            left: listing.left.clone(),
            by: listing.by.clone(),
            cut: listing.cut,
            not_kept: None,
            loaded: Loaded {
                manifest: Manifest::of(Default::default(), 0)?,
                packs: Vec::new(),
            },
        };
        let nothing_new =
            changed.is_empty() && gone.is_empty() && files.is_empty() && asked_whole.is_none();
        if nothing_new && (same_rules || loaded.tree().files.is_empty()) {
            refreshed.not_reached = 0;
            refreshed.loaded = loaded;
            return Ok(refreshed);
        }
        let lock = match self.lock(refresh.patience) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => {
                // Another is at it: what it finds is there at the next search.
                refreshed.not_kept = Some("the index is being written by another process".into());
                refreshed.loaded = loaded;
                return Ok(refreshed);
            }
            Err(error) => {
                refreshed.not_kept = Some(error.to_string());
                None
            }
        };
        let budget = Budget::new(Reading {
            file_bytes: Reading::FILE_BYTES,
            bytes: u64::MAX,
            time: refresh.time.saturating_sub(begun.elapsed()),
        });
        let (read, decisions, pack) = read_changed(guard, &loaded, &changed, &budget)?;
        refreshed.not_reached = changed.len() - read.len();
        files.extend(read);
        refreshed.counts = Counts::of(files.values());
        let update = Update {
            tree: root,
            rules: Some(guard.version().clone()),
            files,
            gone,
            whole: asked_whole.into_iter().cloned().collect(),
            counts: refreshed.counts,
            micros: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            session: refresh.session.map(str::to_owned),
            call: refresh.call.map(str::to_owned),
        };
        let pack = match pack.is_empty() {
            true => None,
            false => Some(pack.finish()?),
        };
        let kept = match lock {
            Some(_lock) => self.keep(&mut loaded, update.clone(), &decisions, pack.as_deref()),
            None => Err(RepoError::Write(String::new())),
        };
        if let Err(error) = kept {
            // Nothing is kept, and the answer is the same: the words are read where they are.
            refreshed.not_kept.get_or_insert_with(|| error.to_string());
            if let Some(pack) = pack {
                loaded.packs.push(Pack::open(Store::Memory(pack))?);
            }
            loaded.manifest.tree.apply(update);
            let tree = std::mem::take(&mut loaded.manifest.tree);
            loaded.manifest = Manifest::of(tree, loaded.manifest.folded)?;
        }
        refreshed.loaded = loaded;
        Ok(refreshed)
    }

    /// Puts what was read in place: the pack, then the event, then the manifest, so that whatever is cut short is cut again.
    fn keep(
        &self,
        loaded: &mut Loaded,
        update: Update,
        decisions: &[Decision],
        pack: Option<&[u8]>,
    ) -> Result<(), RepoError> {
        if let Some(pack) = pack {
            let pack = self.write_pack(pack)?;
            loaded.packs.push(pack);
        }
        self.record(loaded, update, decisions)?;
        self.merge_packs(loaded)
    }
}

/// Files that the rules of now refuse by their names, though those of then did not.
fn drop_denied(guard: &Guard, loaded: &Loaded, files: &mut BTreeMap<TreePath, FileState>) {
    for (path, state) in &loaded.tree().files {
        if let (Found::Indexed { .. }, Err(refusal)) = (&state.found, guard.check_name(path)) {
            let refused = FileState {
                found: Found::Refused(refusal),
                ..state.clone()
            };
            files.insert(path.clone(), refused);
        }
    }
}

/// What a file's text is, redacted, or why there is none.
enum Text {
    Redacted(ContentHash, String),
    None(Found),
    /// The time is over, or the file is gone: nothing is known of it.
    Not,
}

type Read = (BTreeMap<TreePath, FileState>, Vec<Decision>, PackBuilder);

/// Reads files until the time is over. What is in no pack yet is counted into one.
fn read_changed(
    guard: &Guard,
    loaded: &Loaded,
    changed: &[&Entry],
    budget: &Budget,
) -> Result<Read, RepoError> {
    let mut files = BTreeMap::new();
    let mut decisions = Vec::new();
    let mut pack = PackBuilder::default();
    let mut known: HashMap<ContentHash, (u32, u64)> = loaded
        .tree()
        .indexed()
        .filter(|(_, content, ..)| loaded.find(content).is_some())
        .map(|(_, content, chunks, words)| (content, (chunks, words)))
        .collect();
    for batch in changed.chunks(BATCH) {
        let read_at = now_ns();
        let texts: Vec<(Decision, Text)> = batch
            .par_iter()
            .map(|entry| read(guard, &entry.path, budget))
            .collect();
        let mut over = false;
        for (entry, (decision, text)) in batch.iter().zip(texts) {
            let found = match text {
                Text::Not => {
                    over = true;
                    continue;
                }
                Text::None(found) => found,
                Text::Redacted(content, text) => {
                    let (chunks, words) = match known.get(&content) {
                        Some(counts) => *counts,
                        None => {
                            let counts = counted(loaded, &mut pack, content, &text)?;
                            known.insert(content, counts);
                            counts
                        }
                    };
                    Found::Indexed {
                        content,
                        chunks,
                        words,
                    }
                }
            };
            decisions.push(decision);
            files.insert(
                entry.path.clone(),
                FileState {
                    identity: entry.identity,
                    read_at,
                    found,
                },
            );
        }
        if over && budget.time_left().is_none() {
            break;
        }
    }
    Ok((files, decisions, pack))
}

/// The chunks and words of a content: as a pack has them, else counted into the new one.
fn counted(
    loaded: &Loaded,
    pack: &mut PackBuilder,
    content: ContentHash,
    text: &str,
) -> Result<(u32, u64), RepoError> {
    if let Some((number, place)) = loaded.find(&content)
        && let Some(known) = loaded.packs.get(number)
    {
        let lengths = known.words.lengths()?;
        let documents = place.first..place.first.saturating_add(place.chunks);
        let words = documents
            .map(|document| u64::from(lengths.get(memfold_segment::DocId(document))))
            .sum();
        return Ok((place.chunks, words));
    }
    let counted = pack.add(content, text)?;
    let chunks = u32::try_from(counted.lines.len()).unwrap_or(u32::MAX);
    Ok((chunks, counted.words))
}

fn read(guard: &Guard, path: &TreePath, budget: &Budget) -> (Decision, Text) {
    let read = guard.read(path, budget);
    let decision = guard.decision(path, read.as_ref());
    let text = match &read {
        Err(Refusal::Budget { .. } | Refusal::Gone) => Text::Not,
        Err(refusal) => Text::None(Found::Refused(refusal.clone())),
        Ok(content) => match content.text() {
            Err(why) => Text::None(Found::Skipped(Skip::from(why))),
            Ok(text) => {
                let redacted = memfold_redact::redact(text).into_owned();
                Text::Redacted(ContentHash::of(&redacted), redacted)
            }
        },
    };
    (decision, text)
}
