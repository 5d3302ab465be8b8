//! What a file's text is known by, and its words: one segment's documents, a chunk each. Relies on the text being redacted.

use memfold_segment::{Builder, Encoded};
use memfold_text::{Cutter, Sink, VERSION, Word, chunks, raw_space, to_dictionary_term};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::RepoError;

/// Raised with whatever else changes the words of the same text.
const WORDS: u32 = 1;
/// A chunk's first line counts three times, as in the ranking (`ranking.rs`).
const FIRST_LINE: u32 = 3;

/// The SHA-256 of a redacted text, and of the version of the rules by which it is cut: equal ones have the same words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash(pub(crate) [u8; 32]);

impl ContentHash {
    /// That of a text.
    pub fn of(redacted: &str) -> ContentHash {
        let mut hash = Sha256::new();
        hash.update(VERSION.to_le_bytes());
        hash.update(WORDS.to_le_bytes());
        hash.update(redacted.as_bytes());
        ContentHash(hash.finalize().into())
    }
}

impl std::fmt::Display for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |half: u8| DIGITS.get(usize::from(half)).copied().unwrap_or_default();
        let digits = self.0.map(|byte| [digit(byte >> 4), digit(byte & 0xf)]);
        f.write_str(str::from_utf8(digits.as_flattened()).unwrap_or_default())
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let mut hash = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err("a content's hash has 64 digits");
        }
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().as_chunks::<2>().0) {
            *byte = std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                .ok_or("a content's hash has hexadecimal digits")?;
        }
        Ok(ContentHash(hash))
    }
}

/// The lines of a chunk, from 1, the last included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// The first.
    pub start: u32,
    /// The last.
    pub end: u32,
}

/// Counts the words of texts.
#[derive(Default)]
pub(crate) struct WordCounter {
    builder: Builder,
    cutter: Cutter,
}

/// What a text came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) lines: Vec<Lines>,
    /// The words of all its chunks, each as often as it counts.
    pub(crate) words: u64,
}

impl WordCounter {
    /// Adds a document for each chunk of a text.
    pub(crate) fn add_text(&mut self, redacted: &str) -> Result<Counted, RepoError> {
        let mut counted = Counted::default();
        for chunk in chunks(redacted) {
            let text = redacted.get(chunk.bytes).unwrap_or_default();
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            counted.words += self.count(first, FIRST_LINE) + self.count(rest, 1);
            self.builder.finish_document()?;
            let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            counted.lines.push(Lines {
                start: line(chunk.lines.start),
                end: line(chunk.lines.end.saturating_sub(1)),
            });
        }
        Ok(counted)
    }

    /// Adds a document of one short text.
    pub(crate) fn add_line(&mut self, text: &str) -> Result<u64, RepoError> {
        let words = self.count(text, 1);
        self.builder.finish_document()?;
        Ok(words)
    }

    fn count(&mut self, text: &str, weight: u32) -> u64 {
        let mut counting = Counting {
            builder: &mut self.builder,
            weight,
            words: 0,
        };
        self.cutter.cut_into(text, &mut counting);
        counting.words
    }

    pub(crate) fn documents(&self) -> u32 {
        self.builder.documents()
    }

    pub(crate) fn encode(&self) -> Result<Encoded, RepoError> {
        Ok(self
            .builder
            .encode(0..self.builder.documents(), &to_dictionary_term)?)
    }
}

struct Counting<'b> {
    builder: &'b mut Builder,
    weight: u32,
    words: u64,
}

impl Sink for Counting<'_> {
    #[inline(always)]
    fn word(&mut self, word: Word<'_>, _: std::ops::Range<usize>) {
        self.words += u64::from(self.weight);
        let space = raw_space(word.kind);
        match word.short() {
            Some(bytes) => self
                .builder
                .add_short(space, bytes, word.text.len(), self.weight),
            None => self
                .builder
                .add_in(space, word.text.as_bytes(), self.weight),
        }
    }
}
