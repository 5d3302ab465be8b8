//! Stems and the two term spaces. A term is a space's byte and a word; a raw key is what a fold counts before it stems.

use std::borrow::Cow;

use crate::cut::WordKind;
use crate::english;

/// The two spaces of terms. Stems find words of prose in any form; names are found as they are spelled.
/// RANKING.md: with both, names asked for are found first, and prose still gains from stems.
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
/// counted as they are; [`dictionary_term`] stems each once, when a segment is encoded.
///
/// ```
/// use memfold_text::{WordKind, dictionary_term, raw_space};
///
/// assert_eq!(raw_space(WordKind::Plain), b'w');
/// assert_eq!(&*dictionary_term(b"wrunning"), b"srun");
/// assert_eq!(raw_space(WordKind::Name), b'n');
/// assert_eq!(&*dictionary_term(b"nrunning_mean"), b"nrunning_mean");
/// ```
#[inline]
pub const fn raw_space(kind: WordKind) -> u8 {
    match kind {
        WordKind::Plain | WordKind::Part => RAW,
        WordKind::Name => Space::Name.byte(),
    }
}

/// The dictionary's term for a raw key. A term is its own.
pub fn dictionary_term(raw_key: &[u8]) -> Cow<'_, [u8]> {
    match raw_key.split_first() {
        Some((&RAW, word)) => {
            let mut term = Vec::with_capacity(raw_key.len());
            term.extend_from_slice(word);
            if word.iter().all(u8::is_ascii_lowercase) {
                english::stem(&mut term);
            }
            term.insert(0, Space::Stem.byte());
            Cow::Owned(term)
        }
        _ => Cow::Borrowed(raw_key),
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
            assert_eq!(&*dictionary_term(key), key);
        }
        assert_eq!(&*dictionary_term(b"w\xff"), b"s\xff");
    }

    proptest! {
        // The matcher looks at a word's first byte before it stems it.
        #[test]
        fn a_stem_starts_as_its_word(word in "[a-z]{1,20}|(y|sk|dy|ly|ty|id|gent|ugl|earl|onl|singl)(ies|ing|ly|y|es|s|ied)?") {
            prop_assert_eq!(stem(&word).bytes().next(), word.bytes().next());
        }

        #[test]
        fn no_key_makes_it_panic(key in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(dictionary_term(&key).len() <= key.len() + 1);
        }
    }
}
