//! Words as numbers: a short word is held whole in two of them, and the hash is made of the same two.
//!
//! The hash is one folded multiplication (as in wyhash and foldhash) keyed by two random words per
//! builder. Logs hold text from anywhere, so words that collide under a known key could be planted and
//! make a fold quadratic; under a random key that nobody sees, they cannot be found beforehand. The key
//! never shows in the output: terms are sorted before they are written.

use std::hash::{BuildHasher, RandomState};

/// A word of up to this many bytes lies in its record.
pub(crate) const INLINE: usize = 16;

/// The first and the last eight bytes of a word, which overlap when it is shorter than 16.
/// Together with the length they are the word if it has at most [`INLINE`] bytes.
#[inline(always)]
pub(crate) fn numbers(word: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        (
            u64::from(u32::from_le_bytes(*first)),
            u64::from(u32::from_le_bytes(*last)),
        )
    } else {
        match *word {
            [a] => (u64::from(a), 0),
            [a, b] => (u64::from(u16::from_le_bytes([a, b])), 0),
            [a, b, c] => (u64::from(u32::from_le_bytes([a, b, c, 0])), 0),
            _ => (0, 0),
        }
    }
}

/// The inverse of [`numbers`] for a short word: its bytes, and nothing after them.
pub(crate) fn bytes((first, last): (u64, u64), len: usize) -> [u8; INLINE] {
    let mut bytes = [0; INLINE];
    let (head, _) = bytes.split_at_mut(8);
    head.copy_from_slice(&first.to_le_bytes());
    if len >= 8 {
        if let Some(tail) = bytes.get_mut(len - 8..len) {
            tail.copy_from_slice(&last.to_le_bytes());
        }
    } else if let Some(tail) = len.checked_sub(4).and_then(|at| bytes.get_mut(at..at + 4)) {
        tail.copy_from_slice(&(last as u32).to_le_bytes());
    }
    bytes
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

    /// The hash of the term that is `space` and a word whose numbers are at hand.
    #[inline(always)]
    pub(crate) fn hash(self, space: u8, word: &[u8], (first, last): (u64, u64)) -> u32 {
        // A key for each space: whatever two words differ by, no space makes up for it.
        let key = self.1.rotate_left(u32::from(space));
        let mut hash = fold(
            first ^ self.0,
            last ^ key ^ (word.len() as u64).rotate_right(8),
        );
        if word.len() > INLINE {
            hash = self.hash_middle(word, hash);
        }
        (hash >> 32) as u32
    }

    /// Stirs in what lies between the first and the last eight bytes.
    fn hash_middle(self, word: &[u8], mut hash: u64) -> u64 {
        let middle = word.get(8..word.len() - 8).unwrap_or_default();
        for part in middle.chunks(INLINE) {
            let (first, last) = numbers(part);
            hash = fold(first ^ hash, last ^ self.1);
        }
        hash
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
    fn short_words_come_back_from_their_numbers() {
        let text = b"abcdefghijklmnop";
        for len in 0..=INLINE {
            let back = bytes(numbers(&text[..len]), len);
            assert_eq!(&back[..len], &text[..len]);
            assert!(back[len..].iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn a_byte_anywhere_changes_the_hash() {
        let key = HashKey::fixed(0x1234_5678_9abc_def0);
        for len in 1..=255 {
            let word = vec![b'a'; len];
            let hash = key.hash(b's', &word, numbers(&word));
            assert_ne!(hash, key.hash(b'n', &word, numbers(&word)), "{len}");
            for at in 0..len {
                let mut other = word.clone();
                other[at] = b'b';
                assert_ne!(hash, key.hash(b's', &other, numbers(&other)), "{len} {at}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_words_spread() {
        let key = HashKey::random();
        let mut buckets = vec![0u32; 1 << 16];
        for n in 0..100_000u32 {
            let word = format!("word{n}").into_bytes();
            buckets[(key.hash(b's', &word, numbers(&word)) & 0xffff) as usize] += 1;
        }
        // 1.5 expected a bucket; a good hash has hardly ever more than 12.
        assert!(buckets.iter().all(|&n| n < 20));
    }
}
