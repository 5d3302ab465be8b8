//! A set of events' keys that may hold more than was added: nearly all logs share nothing, and this says so in one look.

/// Bits for each document, which has two keys. A key sets three bits of one word: of keys that are not in the set, one in
/// two hundred or fewer seems to be.
const BITS_PER_DOCUMENT: usize = 32;

/// A set of keys that may hold more than was added. Keys are 64 bits of a SHA-256, so any of their bits are a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFilter {
    words: Vec<u64>,
}

impl KeyFilter {
    /// An empty set for the keys of so many documents.
    pub fn for_documents(documents: usize) -> KeyFilter {
        let bits = documents
            .saturating_mul(BITS_PER_DOCUMENT)
            .max(64)
            .next_power_of_two();
        KeyFilter {
            words: vec![0; bits / 64],
        }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let word =
            usize::try_from(key >> 6).unwrap_or(usize::MAX) & self.words.len().saturating_sub(1);
        (
            word,
            1 << (key & 63) | 1 << (key >> 58) | 1 << (key >> 52 & 63),
        )
    }

    /// Whether the key may be in the set.
    pub fn may_hold(&self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        self.words.get(word).is_some_and(|word| word & bits == bits)
    }

    /// Adds a key.
    pub fn add(&mut self, key: u64) {
        let (word, bits) = self.place(key);
        if let Some(word) = self.words.get_mut(word) {
            *word |= bits;
        }
    }

    /// As bytes of a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// From the bytes of a file; nothing if no set has so many.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<KeyFilter> {
        let (words, rest) = bytes.as_chunks();
        (rest.is_empty() && words.len().is_power_of_two()).then(|| KeyFilter {
            words: words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        })
    }
}
