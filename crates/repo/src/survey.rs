//! What a listing shows that the index does not know: which files changed, are new, are gone, or may be read no more. Looks
//! at nothing but the two.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::iter::Peekable;

use memfold_guard::{Guard, TreePath};

use crate::index::Loaded;
use crate::listing::{Entry, Extent, Limits, Listing, fit};
use crate::tree::{FileState, Found, Tree};

/// Of how many too large files the names are told.
const NAMED: usize = 100;

/// A file that is to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToRead<'l> {
    pub(crate) entry: &'l Entry,
    /// It is as it was when it was read, but had been written just before: it may have changed with no trace.
    pub(crate) is_racy: bool,
}

/// How a tree differs from what is known of it.
#[derive(Debug)]
pub(crate) struct Survey<'l> {
    pub(crate) to_read: Vec<ToRead<'l>>,
    /// Files that are no longer listed.
    pub(crate) gone: BTreeSet<TreePath>,
    /// Files that the rules of now refuse by their names, though those of then did not.
    pub(crate) denied: BTreeMap<TreePath, FileState>,
    /// Whether what is known was found by other rules.
    pub(crate) has_other_rules: bool,
    /// The first of the files that are too large, and how many there are.
    pub(crate) too_large: (Vec<TreePath>, usize),
    pub(crate) extent: Extent,
}

impl<'l> Survey<'l> {
    /// `again` are files that are to be read whatever is known of them.
    pub(crate) fn of(
        listing: &'l Listing,
        loaded: &Loaded,
        guard: &Guard,
        again: &[TreePath],
    ) -> Survey<'l> {
        let tree = loaded.tree();
        let same_rules = tree.rules.as_ref() == Some(guard.version());
        let is_sure = |state: &FileState| match &state.found {
            Found::Refused(refusal) => same_rules && refusal.holds_for_the_state(),
            _ => true,
        };
        let mut known = InOrder::of(tree);
        let fitting = fit(&listing.entries, Limits::default(), |entry| {
            let state = known.at(&entry.path);
            let state = state.filter(|state| state.holds_for(&entry.identity) && is_sure(state));
            state.is_none_or(|state| matches!(state.found, Found::Indexed { .. }))
        });
        let denied = match same_rules {
            true => BTreeMap::new(),
            false => denied(guard, tree),
        };
        let lacks = |state: &FileState| match &state.found {
            Found::Indexed { content, .. } => loaded.find(content).is_none(),
            _ => false,
        };
        let mut known = InOrder::of(tree);
        let mut to_read = Vec::new();
        let mut met = 0;
        for entry in &fitting.taken {
            let state = known.at(&entry.path);
            met += usize::from(state.is_some());
            let as_it_was = state.is_some_and(|state| {
                state.identity == entry.identity
                    && is_sure(state)
                    && !lacks(state)
                    && !again.contains(&entry.path)
            });
            let is_known = as_it_was && state.is_some_and(FileState::is_settled);
            if !is_known && !denied.contains_key(&entry.path) {
                to_read.push(ToRead {
                    entry,
                    is_racy: as_it_was,
                });
            }
        }
        let too_large = fitting.too_large.iter().take(NAMED);
        Survey {
            to_read,
            // Where all that is known was met nothing is gone.
            gone: match met == tree.files.len() {
                true => BTreeSet::new(),
                false => gone(listing, &fitting.taken, tree),
            },
            denied,
            has_other_rules: !same_rules && !tree.files.is_empty(),
            too_large: (
                too_large.map(|entry| entry.path.clone()).collect(),
                fitting.too_large.len(),
            ),
            extent: fitting.extent,
        }
    }

    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.to_read.is_empty()
            && self.gone.is_empty()
            && self.denied.is_empty()
            && !self.has_other_rules
    }

    /// The files that are racy, if they are all there is to do.
    pub(crate) fn racy_alone(&self) -> Option<Vec<&'l Entry>> {
        let only = self.gone.is_empty() && self.denied.is_empty() && !self.has_other_rules;
        let racy = self
            .to_read
            .iter()
            .map(|file| file.is_racy.then_some(file.entry));
        only.then(|| racy.collect()).flatten()
    }
}

fn denied(guard: &Guard, tree: &Tree) -> BTreeMap<TreePath, FileState> {
    let mut denied = BTreeMap::new();
    for (path, state) in &tree.files {
        if let (Found::Indexed { .. }, Err(refusal)) = (&state.found, guard.check_name(path)) {
            let refused = FileState {
                found: Found::Refused(refusal),
                ..state.clone()
            };
            denied.insert(path.clone(), refused);
        }
    }
    denied
}

/// The known files that are no longer there, or no longer fit.
fn gone(listing: &Listing, taken: &[&Entry], tree: &Tree) -> BTreeSet<TreePath> {
    if listing.cut.is_some() {
        // What was not listed for want of time is not gone.
        return BTreeSet::new();
    }
    let mut taken = taken.iter().map(|entry| &entry.path).peekable();
    let mut listed = listing.entries.iter().map(|entry| &entry.path).peekable();
    let mut gone = BTreeSet::new();
    for (path, state) in &tree.files {
        let fits = is_next(&mut taken, path);
        // Those that are known not to be text take no room, so they are kept.
        let stays = is_next(&mut listed, path) && !matches!(state.found, Found::Indexed { .. });
        if !fits && !stays {
            gone.insert(path.clone());
        }
    }
    gone
}

/// Whether an iterator of ascending paths has that one, as it is asked about ascending ones.
fn is_next<'p>(paths: &mut Peekable<impl Iterator<Item = &'p TreePath>>, path: &TreePath) -> bool {
    while paths.next_if(|next| *next < path).is_some() {}
    paths.peek().is_some_and(|next| *next == path)
}

/// The known files, asked for in the order of their paths.
struct InOrder<'t>(Peekable<btree_map::Iter<'t, TreePath, FileState>>);

impl<'t> InOrder<'t> {
    fn of(tree: &'t Tree) -> InOrder<'t> {
        InOrder(tree.files.iter().peekable())
    }

    fn at(&mut self, path: &TreePath) -> Option<&'t FileState> {
        loop {
            let (next, state) = self.0.peek()?;
            match next.cmp(&path) {
                Ordering::Less => self.0.next(),
                Ordering::Equal => return Some(*state),
                Ordering::Greater => return None,
            };
        }
    }
}
