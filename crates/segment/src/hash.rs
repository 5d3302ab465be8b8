//! Terms as numbers: a short term is held whole in two words, and the hash is made of the same words.
//!
//! The hash is one folded multiplication (as in wyhash and foldhash) keyed by two random words per
//! builder. Logs hold text from anywhere, so words that collide under a known key could be planted and
//! make a fold quadratic; under a random key that nobody sees, they cannot be found beforehand. The key
//! never shows in the output: terms are sorted before they are written.

use std::hash::{BuildHasher, RandomState};

/// A term of up to this many bytes lies in its record.
pub(crate) const INLINE: usize = 16;

/// Two words of a term: its first and its last eight bytes, which overlap when it is shorter than 16.
/// Together with the length they are the term if it has at most [`INLINE`] bytes.
#[inline(always)]
pub(crate) fn words(term: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (term.first_chunk(), term.last_chunk()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (term.first_chunk(), term.last_chunk()) {
        (
            u64::from(u32::from_le_bytes(*first)),
            u64::from(u32::from_le_bytes(*last)),
        )
    } else {
        match *term {
            [a] => (u64::from(a), 0),
            [a, b] => (u64::from(u16::from_le_bytes([a, b])), 0),
            [a, b, c] => (u64::from(u32::from_le_bytes([a, b, c, 0])), 0),
            _ => (0, 0),
        }
    }
}

/// The inverse of [`words`] for a short term: its bytes, and nothing after them.
pub(crate) fn unwords((first, last): (u64, u64), len: usize) -> [u8; INLINE] {
    let mut bytes = [0; INLINE];
    let mut put = |at: usize, word: u64| {
        let places = bytes.iter_mut().skip(at);
        places
            .zip(word.to_le_bytes())
            .for_each(|(place, byte)| *place = byte);
    };
    put(0, first);
    match len {
        0..4 => {}
        4..8 => put(len - 4, last),
        _ => put(len - 8, last),
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

    /// The hash of a term whose words are at hand.
    #[inline(always)]
    pub(crate) fn hash(self, term: &[u8], (first, last): (u64, u64)) -> u32 {
        let mut hash = fold(
            first ^ self.0,
            last ^ self.1 ^ (term.len() as u64).rotate_right(8),
        );
        if term.len() > INLINE {
            hash = self.hash_middle(term, hash);
        }
        (hash >> 32) as u32
    }

    /// Stirs in what lies between the first and the last eight bytes.
    fn hash_middle(self, term: &[u8], mut hash: u64) -> u64 {
        let middle = term.get(8..term.len() - 8).unwrap_or_default();
        for part in middle.chunks(INLINE) {
            let (first, last) = words(part);
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
    fn short_terms_come_back_from_their_words() {
        let text = b"abcdefghijklmnop";
        for len in 1..=INLINE {
            let back = unwords(words(&text[..len]), len);
            assert_eq!(&back[..len], &text[..len]);
        }
    }

    #[test]
    fn a_byte_anywhere_changes_the_hash() {
        let key = HashKey::fixed(0x1234_5678_9abc_def0);
        for len in 1..=255 {
            let term = vec![b'a'; len];
            let hash = key.hash(&term, words(&term));
            for at in 0..len {
                let mut other = term.clone();
                other[at] = b'b';
                assert_ne!(hash, key.hash(&other, words(&other)), "{len} {at}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_words_spread() {
        let key = HashKey::random();
        let mut buckets = vec![0u32; 1 << 16];
        for n in 0..100_000u32 {
            let term = format!("word{n}");
            buckets[(key.hash(term.as_bytes(), words(term.as_bytes())) & 0xffff) as usize] += 1;
        }
        // 1.5 expected a bucket; a good hash has hardly ever more than 12.
        assert!(buckets.iter().all(|&n| n < 20));
    }
}
