//! The same event in several logs (forks, resumes, copies) is ranked once: which copy counts is decided here.
//! Nearly all logs share nothing, so a filter of bits finds the few keys that may be shared before any is looked up.

use std::collections::HashMap;

use memfold_fold::document::Keys;

use crate::ready::Ready;

/// Bits of the filter for each key: of keys that are not shared, one in sixteen or fewer is looked up.
const BITS_PER_KEY: usize = 16;

/// For each log, in the order of `logs`, which of its documents are copies of an event that counts elsewhere; empty where
/// none is. The copy in the earliest log counts, of logs as early the first by path. A log's own copies were left out when
/// it was folded. Logs whose keys cannot be read hold no copies.
pub(crate) fn copies(logs: &[Ready]) -> Vec<Vec<u32>> {
    let mut order: Vec<(usize, &Ready)> = logs.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| {
        let key = |log: &Ready| (log.about.started.is_none(), log.about.started);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    let keys: Vec<(usize, Vec<Keys>)> = order
        .into_iter()
        .map(|(log, ready)| (log, ready.keys().unwrap_or_default()))
        .collect();
    let mut copies = vec![Vec::new(); logs.len()];
    for (place, document) in copies_among(
        &keys
            .iter()
            .map(|(_, keys)| keys.as_slice())
            .collect::<Vec<_>>(),
    ) {
        if let Some(copies) = keys.get(place).and_then(|(log, _)| copies.get_mut(*log)) {
            copies.push(document);
        }
    }
    copies
}

/// Which documents of which logs share a key with a document of an earlier log, in order.
fn copies_among(logs: &[&[Keys]]) -> Vec<(usize, u32)> {
    if logs.len() < 2 {
        return Vec::new();
    }
    let mut filter = Filter::for_keys(logs.iter().map(|keys| keys.len()).sum());
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
    let mut maybe = Filter::for_keys(first.len());
    first.keys().for_each(|key| maybe.add(*key));
    let mut copies = Vec::new();
    for (log, keys) in logs.iter().enumerate() {
        for (document, key) in each(keys).filter(|(_, key)| maybe.may_hold(*key)) {
            if let Some(owner) = first.get_mut(&key) {
                *owner = (*owner).min(log);
                if *owner != log && copies.last() != Some(&(log, document)) {
                    copies.push((log, document));
                }
            }
        }
    }
    copies
}

/// Every key of a log, with its document.
fn each(keys: &[Keys]) -> impl Iterator<Item = (u32, u64)> + '_ {
    (0u32..)
        .zip(keys)
        .flat_map(|(document, keys)| [(document, keys.id), (document, keys.origin)])
        .filter(|(_, key)| *key != 0)
}

/// A set of keys that may hold more than was added. Keys are 64 bits of a SHA-256, so any of their bits are a hash.
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    fn for_keys(documents: usize) -> Filter {
        let bits = documents
            .saturating_mul(2 * BITS_PER_KEY)
            .max(64)
            .next_power_of_two();
        Filter {
            words: vec![0; bits / 64],
        }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let word =
            usize::try_from(key >> 6).unwrap_or(usize::MAX) & self.words.len().saturating_sub(1);
        (word, 1 << (key & 63))
    }

    fn may_hold(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    fn add(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        if let Some(word) = self.words.get_mut(word) {
            *word |= bit;
        }
    }
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
        assert_eq!(copies_among(&logs), [(1, 0), (1, 1), (2, 0)]);
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
            prop_assert_eq!(copies_among(&logs), plain);
        }
    }
}
