//! Words as numbers: a short word is held whole in one of 128 bits, and the hash is made of its halves.
//!
//! The hash is one folded multiplication (as in wyhash and foldhash) keyed by two random words per
//! builder. Logs hold text from anywhere, so words that collide under a known key could be planted and
//! make a fold quadratic; under a random key that nobody sees, they cannot be found beforehand. The key
//! never shows in the output: terms are sorted before they are written.

use std::hash::{BuildHasher, RandomState};

/// A word of up to this many bytes lies in its record.
pub(crate) const INLINE: usize = 16;

/// A word of at most [`INLINE`] bytes as a number, its first byte the lowest; the beginning of a longer one.
pub(crate) fn number(word: &[u8]) -> u128 {
    let mut bytes = [0; INLINE];
    bytes
        .iter_mut()
        .zip(word)
        .for_each(|(to, from)| *to = *from);
    u128::from_le_bytes(bytes)
}

/// The secret of one builder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HashKey(u64, u64);

impl HashKey {
    pub(crate) fn random() -> Self {
        let state = RandomState::new();
        Self(state.hash_one(0), state.hash_one(1))
    }

    #[cfg(test)]
    pub(crate) fn fixed(key: u64) -> Self {
        Self(key, !key)
    }

    /// The hash of the term that is `space` and a short word.
    #[inline(always)]
    pub(crate) fn hash(self, space: u8, word: u128) -> u32 {
        // A key for each space: whatever two words differ by, no space makes up for it.
        let key = self.1.rotate_left(u32::from(space));
        (fold(word as u64 ^ self.0, (word >> 64) as u64 ^ key) >> 32) as u32
    }

    /// The hash of the term that is `space` and a word of any length.
    pub(crate) fn hash_long(self, space: u8, word: &[u8]) -> u32 {
        let mut hash = self.1.rotate_left(u32::from(space));
        for part in word.chunks(INLINE) {
            let part = number(part);
            hash = fold(part as u64 ^ hash, (part >> 64) as u64 ^ self.0);
        }
        (hash >> 32) as u32
    }
}

/// The two halves of the product, one over the other.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_anywhere_changes_the_hash() {
        let key = HashKey::fixed(0x1234_5678_9abc_def0);
        let hash = |space: u8, word: &[u8]| match word.len() {
            ..=INLINE => key.hash(space, number(word)),
            _ => key.hash_long(space, word),
        };
        for len in 1..=255 {
            let word = vec![b'a'; len];
            assert_ne!(hash(b's', &word), hash(b'n', &word), "{len}");
            for at in 0..len {
                let mut other = word.clone();
                other[at] = b'b';
                assert_ne!(hash(b's', &word), hash(b's', &other), "{len} {at}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_words_spread() {
        let key = HashKey::random();
        let mut buckets = vec![0u32; 1 << 16];
        for n in 0..100_000u32 {
            let word = format!("word{n}").into_bytes();
            buckets[(key.hash(b's', number(&word)) & 0xffff) as usize] += 1;
        }
        // 1.5 expected a bucket; a good hash has hardly ever more than 12.
        assert!(buckets.iter().all(|&n| n < 20));
    }
}
