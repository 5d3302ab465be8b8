//! The same event in several logs (forks, resumes, copies) is ranked once: which copy counts is decided here.
//! Nearly all logs share nothing, so a filter of bits finds the few keys that may be shared before any is looked up.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use memfold_fold::document::Keys;
use memfold_rollup::KeyFilter;

use crate::ready::Ready;

/// What tells which of several logs has an event first.
pub(crate) struct Claim<'a> {
    pub(crate) started: Option<i64>,
    pub(crate) path: &'a Path,
    pub(crate) keys: Cow<'a, [Keys]>,
    /// Its documents that a later line of it says more fully.
    pub(crate) replaced: &'a [u32],
}

impl<'a> Claim<'a> {
    /// A log's claim; one whose keys cannot be read claims nothing.
    pub(crate) fn of(log: &'a Ready) -> Claim<'a> {
        Claim {
            keys: log.keys().unwrap_or_default().into(),
            ..Claim::of_one(log)
        }
    }

    /// The claim of the only log there is.
    pub(crate) fn of_one(log: &'a Ready) -> Claim<'a> {
        Claim {
            started: log.about.started,
            path: &log.entry.path,
            keys: Cow::default(),
            replaced: log.past().replaced(),
        }
    }
}

/// Copies among logs.
#[derive(Default)]
pub(crate) struct Copies {
    /// For each log, which of its documents are copies of an event that counts elsewhere, or are said more fully by a later
    /// line; empty where none is.
    pub(crate) of: Vec<Vec<u32>>,
    /// Pairs of logs: of one that has a copy, and of the one whose event counts.
    pub(crate) pairs: Vec<(usize, usize)>,
}

/// Which documents do not count, for each log in the order of `claims`. The copy in the earliest log counts, of logs as early
/// the first by path. A log's own copies were left out when it was folded.
pub(crate) fn copies(claims: &[Claim<'_>]) -> Copies {
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by_key(|log| {
        claims
            .get(*log)
            .map(|claim| (claim.started.is_none(), claim.started, claim.path))
    });
    let keys: Vec<&[Keys]> = order
        .iter()
        .map(|log| claims.get(*log).map_or(&[][..], |claim| &*claim.keys))
        .collect();
    let mut copies = Copies {
        of: vec![Vec::new(); claims.len()],
        pairs: Vec::new(),
    };
    let log = |place: usize| order.get(place).copied().unwrap_or(usize::MAX);
    for copy in copies_among(&keys) {
        if let Some(of) = copies.of.get_mut(log(copy.log)) {
            of.push(copy.document);
        }
        let pair = (log(copy.log), log(copy.owner));
        if copies.pairs.last() != Some(&pair) {
            copies.pairs.push(pair);
        }
    }
    for (of, claim) in copies.of.iter_mut().zip(claims) {
        if !claim.replaced.is_empty() {
            of.extend_from_slice(claim.replaced);
            of.sort_unstable();
            of.dedup();
        }
    }
    copies
}

/// A document of a log that is a copy of one of an earlier log.
#[derive(Debug, PartialEq, Eq)]
struct Copy {
    log: usize,
    document: u32,
    owner: usize,
}

/// Which documents of which logs share a key with a document of an earlier log, in order.
fn copies_among(logs: &[&[Keys]]) -> Vec<Copy> {
    if logs.len() < 2 {
        return Vec::new();
    }
    let mut filter = KeyFilter::for_documents(logs.iter().map(|keys| keys.len()).sum());
    // The log that first had a key, for each key that may be in several.
    let mut first: HashMap<u64, usize> = HashMap::new();
    for keys in logs {
        first.extend(
            each(keys)
                .map(|(_, key)| key)
                .filter(|key| filter.may_hold(*key))
                .map(|key| (key, usize::MAX)),
        );
        each(keys).for_each(|(_, key)| filter.add(key));
    }
    if first.is_empty() {
        return Vec::new();
    }
    let mut maybe = KeyFilter::for_documents(first.len());
    first.keys().for_each(|key| maybe.add(*key));
    let mut copies: Vec<Copy> = Vec::new();
    for (log, keys) in logs.iter().enumerate() {
        for (document, key) in each(keys).filter(|(_, key)| maybe.may_hold(*key)) {
            if let Some(owner) = first.get_mut(&key) {
                *owner = (*owner).min(log);
                let known = copies
                    .last()
                    .is_some_and(|last| (last.log, last.document) == (log, document));
                if *owner != log && !known {
                    copies.push(Copy {
                        log,
                        document,
                        owner: *owner,
                    });
                }
            }
        }
    }
    copies
}

/// Every key of a log, with its document.
pub(crate) fn each(keys: &[Keys]) -> impl Iterator<Item = (u32, u64)> + '_ {
    (0u32..)
        .zip(keys)
        .flat_map(|(document, keys)| [(document, keys.id), (document, keys.origin)])
        .filter(|(_, key)| *key != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(id: u64, origin: u64) -> Keys {
        Keys { id, origin }
    }

    #[test]
    fn either_key_tells_a_copy_and_none_is_no_key() {
        let logs = [
            vec![keys(1, 2), keys(0, 0)],
            vec![keys(9, 2), keys(1, 0), keys(0, 0), keys(5, 6)],
            vec![keys(6, 5)],
        ];
        let logs: Vec<&[Keys]> = logs.iter().map(Vec::as_slice).collect();
        let found: Vec<_> = copies_among(&logs)
            .iter()
            .map(|copy| (copy.log, copy.document, copy.owner))
            .collect();
        assert_eq!(found, [(1, 0, 0), (1, 1, 0), (2, 0, 1)]);
    }

    proptest! {
        #[test]
        fn the_filter_changes_nothing(logs in prop::collection::vec(prop::collection::vec((0u64..40, 0u64..40), 0..20), 0..6)) {
            let logs: Vec<Vec<Keys>> = logs
                .into_iter()
                .map(|log| log.into_iter().map(|(id, origin)| keys(id << 58, origin << 3)).collect())
                .collect();
            let mut plain = Vec::new();
            for (log, own) in logs.iter().enumerate() {
                for (document, key) in own.iter().enumerate() {
                    let shared = |other: &Keys| {
                        [key.id, key.origin].iter().any(|key| *key != 0 && (*key == other.id || *key == other.origin))
                    };
                    if logs[..log].iter().flatten().any(shared) {
                        plain.push((log, document as u32));
                    }
                }
            }
            let logs: Vec<&[Keys]> = logs.iter().map(Vec::as_slice).collect();
            let found: Vec<_> = copies_among(&logs).iter().map(|copy| (copy.log, copy.document)).collect();
            prop_assert_eq!(found, plain);
        }
    }
}
