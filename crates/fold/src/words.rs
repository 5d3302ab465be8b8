//! Counts an event's words in a segment's builder: as code names them, raw; stemmed once per distinct word when encoded.

use memfold_log::Timestamp;
use memfold_segment::{Builder, Encoded};
use memfold_text::{Cutter, Word, WordKind, dictionary_term, raw_key};

use crate::FoldError;

/// The months' English names, as a date is asked for.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A builder with the cutter that feeds it.
pub(crate) struct Counter {
    builder: Builder,
    cutter: Cutter,
    key: Vec<u8>,
}

impl Counter {
    pub(crate) fn new(builder: Builder) -> Counter {
        Counter {
            builder,
            cutter: Cutter::new(),
            key: Vec::with_capacity(memfold_text::MAX_WORD_BYTES + 1),
        }
    }

    /// Counts every word of a text `weight` times.
    pub(crate) fn add_text(&mut self, text: &str, weight: u32) {
        let Counter {
            builder,
            cutter,
            key,
        } = self;
        cutter.cut(text, &mut |word: Word<'_>| {
            raw_key(word, key);
            builder.add(key, weight);
        });
    }

    /// Counts one plain word.
    pub(crate) fn add_word(&mut self, text: &str, weight: u32) {
        raw_key(
            Word {
                text,
                kind: WordKind::Plain,
            },
            &mut self.key,
        );
        self.builder.add(&self.key, weight);
    }

    /// Counts the words of a date in UTC: its day, its month's name, its year.
    pub(crate) fn add_date(&mut self, time: Timestamp) {
        let date = time.date();
        if let Some(name) = MONTHS.get(usize::from(date.month).wrapping_sub(1)) {
            self.add_word(&date.day.to_string(), 1);
            self.add_word(name, 1);
            self.add_word(&date.year.to_string(), 1);
        }
    }

    pub(crate) fn finish_document(&mut self) -> Result<(), FoldError> {
        self.builder
            .finish_document()
            .map(|_| ())
            .map_err(|error| FoldError::Segment(error.to_string()))
    }

    /// The segment of a range of documents, renumbered from 0.
    pub(crate) fn encode(&self, from: usize, to: usize) -> Result<Encoded, FoldError> {
        let number =
            |n: usize| u32::try_from(n).map_err(|error| FoldError::Segment(error.to_string()));
        self.builder
            .encode(number(from)?..number(to)?, &dictionary_term)
            .map_err(|error| FoldError::Segment(error.to_string()))
    }
}
