//! Stems and the two term spaces. A term is a space's byte and a word; a raw key is what a fold counts before it stems.

use std::borrow::Cow;

use crate::cut::WordKind;
use crate::english;

/// The two spaces of terms. Stems find words of prose in any form; names are found as they are spelled.
/// As was measured before the project began: with both, names asked for are found first, and prose still gains from stems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Plain words and the parts of names, stemmed.
    Stem,
    /// Whole names.
    Name,
}

impl Space {
    /// The first byte of the space's terms.
    pub const fn byte(self) -> u8 {
        match self {
            Space::Stem => b's',
            Space::Name => b'n',
        }
    }

    /// The term of a word that is already a stem, or a name.
    pub fn term(self, word: &str) -> Vec<u8> {
        let mut term = Vec::with_capacity(1 + word.len());
        term.push(self.byte());
        term.extend_from_slice(word.as_bytes());
        term
    }
}

const RAW: u8 = b'w';

/// The first byte of the key that a word of this kind is counted under; the word's own bytes follow. Plain words and parts are
/// counted as they are; [`to_dictionary_term`] stems each once, when a segment is encoded.
///
/// ```
/// use memfold_text::{WordKind, raw_space, to_dictionary_term};
///
/// assert_eq!(raw_space(WordKind::Plain), b'w');
/// assert_eq!(raw_space(WordKind::Name), b'n');
/// let mut key = b"wrunning".to_vec();
/// to_dictionary_term(&mut key);
/// assert_eq!(key, b"srun");
/// let mut key = b"nrunning_mean".to_vec();
/// to_dictionary_term(&mut key);
/// assert_eq!(key, b"nrunning_mean");
/// ```
#[inline]
pub const fn raw_space(kind: WordKind) -> u8 {
    match kind {
        WordKind::Plain | WordKind::Part => RAW,
        WordKind::Name => Space::Name.byte(),
    }
}

/// Puts the dictionary's term in the place of a raw key. A term is its own.
pub fn to_dictionary_term(key: &mut Vec<u8>) {
    let Some((space @ &mut RAW, word)) = key.split_first_mut() else {
        return;
    };
    *space = Space::Stem.byte();
    if english::may_change(word) && word.iter().all(u8::is_ascii_lowercase) {
        key.remove(0);
        english::stem(key);
        key.insert(0, Space::Stem.byte());
    }
}

/// The English Snowball (Porter 2) stem of a word of small ASCII letters; every other word as it is.
///
/// ```
/// use memfold_text::stem;
///
/// assert_eq!(stem("queries"), "queri");
/// assert_eq!(stem("query"), "queri");
/// assert_eq!(stem("sha256"), "sha256");
/// ```
pub fn stem(word: &str) -> Cow<'_, str> {
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let mut stem = word.as_bytes().to_vec();
    english::stem(&mut stem);
    // It is ASCII, as the word was.
    String::from_utf8(stem).map_or(Cow::Borrowed(word), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn term_of(key: &[u8]) -> Vec<u8> {
        let mut term = key.to_vec();
        to_dictionary_term(&mut term);
        term
    }

    #[test]
    fn stems_of_note() {
        for (word, of) in [
            ("running", "run"),
            ("runs", "run"),
            ("tokens", "token"),
            ("searches", "search"),
            ("generously", "generous"),
            ("is", "is"),
            ("a", "a"),
            ("", ""),
            ("utf8", "utf8"),
            ("naïve", "naïve"),
            ("日本", "日本"),
        ] {
            assert_eq!(stem(word), of);
        }
    }

    #[test]
    fn terms_are_their_own_terms() {
        for key in [&b"srunning"[..], b"nrunning", b"", b"x"] {
            assert_eq!(term_of(key), key);
        }
        assert_eq!(term_of(b"w\xff"), b"s\xff");
    }

    proptest! {
        // The matcher looks at a word's first byte before it stems it.
        #[test]
        fn a_stem_starts_as_its_word(word in "[a-z]{1,20}|(y|sk|dy|ly|ty|id|gent|ugl|earl|onl|singl)(ies|ing|ly|y|es|s|ied)?") {
            prop_assert_eq!(stem(&word).bytes().next(), word.bytes().next());
        }

        #[test]
        fn no_key_makes_it_panic(key in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(term_of(&key).len() <= key.len() + 1);
        }
    }
}
