//! Counts an event's words in a segment's builder: as code names them, raw; stemmed once per distinct word when encoded.

use std::ops::Range;

use memfold_log::Timestamp;
use memfold_segment::{Builder, Encoded};
use memfold_text::{Cutter, Sink, Word, WordKind, raw_space, to_dictionary_term};

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

/// So many characters of base64 or hex in a row are data and hold no words. Its `+`, `/`, `-` and `_` would cut base64 into
/// words short enough to be counted: a megabyte of it made a megabyte of index.
const DATA: usize = 512;

/// A builder with the cutter that feeds it.
pub(crate) struct Counter {
    builder: Builder,
    cutter: Cutter,
}

impl Counter {
    pub(crate) fn new(builder: Builder) -> Counter {
        Counter {
            builder,
            cutter: Cutter::new(),
        }
    }

    /// Counts every word of a text `weight` times.
    pub(crate) fn add_text(&mut self, text: &str, weight: u32) {
        self.add(text, weight, Names::Counted);
    }

    /// Counts the words of a text and the parts of its names, but not its whole names.
    pub(crate) fn add_parts(&mut self, text: &str, weight: u32) {
        self.add(text, weight, Names::LeftOut);
    }

    fn add(&mut self, text: &str, weight: u32, names: Names) {
        let builder = &mut self.builder;
        let mut counting = Counting {
            builder,
            weight,
            names,
        };
        without_data(text, &mut |text| self.cutter.cut_into(text, &mut counting));
    }

    /// Counts one plain word.
    pub(crate) fn add_word(&mut self, text: &str, weight: u32) {
        let space = raw_space(WordKind::Plain);
        self.builder.add_in(space, text.as_bytes(), weight);
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
            .encode(number(from)?..number(to)?, &to_dictionary_term)
            .map_err(|error| FoldError::Segment(error.to_string()))
    }
}

/// What is done with whole names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Counted,
    LeftOut,
}

/// Counts the words of a text.
struct Counting<'b> {
    builder: &'b mut Builder,
    weight: u32,
    names: Names,
}

impl Sink for Counting<'_> {
    #[inline(always)]
    fn word(&mut self, word: Word<'_>, _: Range<usize>) {
        if word.kind == WordKind::Name && self.names == Names::LeftOut {
            return;
        }
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

/// Hands on what stands between the runs of data in a text. A window of [`DATA`] bytes goes over it; what breaks the window
/// last, from there the next one starts, so that most bytes are not looked at.
fn without_data(text: &str, each: &mut impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut kept = 0;
    let mut start = 0usize;
    while let Some(window) = bytes.get(start..start.saturating_add(DATA)) {
        match window.iter().rposition(|byte| !is_base64(*byte)) {
            Some(place) => start += place + 1,
            None => {
                // What precedes the window is no base64, so the run starts with it.
                each(text.get(kept..start).unwrap_or_default());
                let rest = bytes.get(start..).unwrap_or_default();
                let length = rest.iter().position(|byte| !is_base64(*byte));
                start += length.unwrap_or(rest.len());
                kept = start;
            }
        }
    }
    each(text.get(kept..).unwrap_or_default());
}

/// Of the alphabets of RFC 4648: base64, base64url, hex, and their padding.
fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<String> {
        let mut kept = Vec::new();
        without_data(text, &mut |text| kept.push(text.to_owned()));
        kept.retain(|text| !text.is_empty());
        kept
    }

    #[test]
    fn runs_of_data_are_left_out_whole() {
        let (data, word) = ("aB3+/-_=".repeat(64), "aB3+/-_=".repeat(63));
        assert_eq!(kept(&format!("before {data} after")), ["before ", " after"]);
        assert_eq!(kept(&format!("é{data}é{data}")), ["é", "é"]);
        assert_eq!(
            kept(&format!("{word}.{word} {word}")),
            [format!("{word}.{word} {word}")]
        );
        assert_eq!(kept(&format!("{data}{word}")), [""; 0]);
        assert_eq!(kept(&data.replace('=', ".")), [data.replace('=', ".")]);
        assert_eq!(kept(""), [""; 0]);
    }
}
