//! The same event in several logs (forks, resumes, copies) is ranked once: which copy counts is decided here.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::ready::Ready;

/// Keys are 64 bits of a SHA-256: they are their own hash.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// For each log, in the order of `logs`, which of its documents are copies of an event that counts elsewhere; empty where
/// none is. The copy in the earliest log counts, of logs as early the first by path. A log's own copies were left out when
/// it was folded. Logs whose keys cannot be read hold no copies.
pub(crate) fn copies(logs: &[Ready]) -> Vec<Vec<u32>> {
    let mut copies = vec![Vec::new(); logs.len()];
    if logs.len() < 2 {
        return copies;
    }
    let mut order: Vec<(usize, &Ready)> = logs.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| {
        let key = |log: &Ready| (log.about.started.is_none(), log.about.started);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    let mut first: HashMap<u64, usize, BuildHasherDefault<KeyHasher>> = HashMap::default();
    for (log, ready) in order {
        let Ok(keys) = ready.keys() else { continue };
        for (document, keys) in (0u32..).zip(keys) {
            let mut copy = false;
            for key in [keys.id, keys.origin] {
                if key != 0 {
                    copy |= *first.entry(key).or_insert(log) != log;
                }
            }
            if copy && let Some(copies) = copies.get_mut(log) {
                copies.push(document);
            }
        }
    }
    copies
}
