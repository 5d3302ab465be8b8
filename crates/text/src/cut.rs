//! The cutter: text to words. Here the main loop and the ASCII path; `wide` has the rest of Unicode.
//! Invariant: what is handed out is as if the whole text had been normalised first and then cut character by character
//! (`tests/reference.rs` does just that), however the bytes are spelled.

use std::ops::Range;

use WordKind::{Name, Part, Plain};

use crate::class::{self, byte};
use crate::wide::Wide;

/// A word longer than this many bytes is dropped, and so are the pieces of a part between `-` and `_` that long: hashes
/// of hashes, base64 and minified code, which nobody asks for, would make an index as large as the text.
pub const MAX_WORD_BYTES: usize = 64;

/// What a word is in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// A word of prose, or two neighbouring characters of a script without spaces.
    Plain,
    /// A piece of a name: `max` in `max_resultTokens`.
    Part,
    /// A whole name of several pieces: `max_resulttokens`.
    Name,
}

/// A word as it is counted: folded, NFC, of 1 to [`MAX_WORD_BYTES`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The folded text.
    pub text: &'a str,
    /// Its part in its text.
    pub kind: WordKind,
}

/// Cuts text into words. Reuse one: it keeps its buffers.
///
/// ```
/// use memfold_text::{Cutter, WordKind};
///
/// let mut names = Vec::new();
/// Cutter::new().cut("the ScrubEnv of index-grep", &mut |word| {
///     if word.kind == WordKind::Name {
///         names.push(word.text.to_owned());
///     }
/// });
/// assert_eq!(names, ["scrubenv", "index-grep"]);
/// ```
#[derive(Debug, Default)]
pub struct Cutter {
    lower: String,
    wide: Wide,
}

impl Cutter {
    /// A cutter with empty buffers.
    pub fn new() -> Cutter {
        Cutter::default()
    }

    /// Hands each word of `text` to `each`: in order, the pieces of a name before the name.
    #[inline]
    pub fn cut(&mut self, text: &str, each: &mut impl FnMut(Word<'_>)) {
        self.cut_placed(text, &mut |word, _| each(word));
    }

    /// As [`Cutter::cut`], with the bytes of `text` that a word came from. They are the word's own, or, where the text had to
    /// be normalised, its whole run's.
    pub fn cut_placed(&mut self, text: &str, each: &mut impl FnMut(Word<'_>, Range<usize>)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&first) = bytes.get(at) {
            let class = byte::class(first);
            if class & (byte::LOWER | byte::UPPER | byte::DIGIT) != 0 {
                at = self.ascii(text, at, class, each);
            } else if class & byte::WIDE == 0 {
                at += 1;
            } else {
                at = match char_at(text, at) {
                    Some(c) if class::entry(c).traits.is_separator() => at + c.len_utf8(),
                    Some(_) => self.wide.run(text, at, each),
                    None => bytes.len(),
                };
            }
        }
    }

    /// A run that starts at `start` with an ASCII letter or digit; gives back where to go on.
    #[inline(always)]
    fn ascii(&mut self, text: &str, start: usize, first: u8, sink: &mut impl Sink) -> usize {
        let mut rest = 0;
        let mut end = start + 1;
        let mut next = None;
        for &b in text.as_bytes().get(end..).unwrap_or_default() {
            let class = byte::class(b);
            if class & !(byte::LOWER | byte::UPPER | byte::DIGIT | byte::JOIN) == 0 && class != 0 {
                rest |= class;
                end += 1;
                continue;
            }
            next = Some(class);
            break;
        }
        let next_at = match next {
            None => end,
            Some(byte::WIDE) => match char_at(text, end) {
                // Arrows and curly quotes beside a word must not slow it down.
                Some(c) if class::entry(c).traits.is_separator() => end + c.len_utf8(),
                _ => return self.wide.run(text, start, sink),
            },
            Some(_) => end + 1,
        };
        let seen = first | rest;
        if rest & (byte::UPPER | byte::JOIN) != 0
            && seen & (byte::LOWER | byte::DIGIT | byte::JOIN) != 0
        {
            self.name(text, start, end, sink);
        } else if let Some(run) = text.get(start..end)
            && run.len() <= MAX_WORD_BYTES
        {
            // word, Word, WORD: no piece starts inside.
            let small = seen & byte::UPPER == 0;
            let word = if small {
                run
            } else {
                lowered(&mut self.lower, run)
            };
            sink.word(Plain, word, start..end);
        }
        next_at
    }

    /// A run of ASCII with capitals inside, or with joins, some perhaps at its end.
    fn name(&mut self, text: &str, start: usize, end: usize, sink: &mut impl Sink) {
        let Some(run) = text.get(start..end) else {
            return;
        };
        let run = run.trim_end_matches(is_join);
        let stop = start + run.len();
        let around = start.saturating_sub(2)..stop + 2;
        let dunder = is_dunder(text, around.clone(), run) && stop + 2 <= end;
        let single = !run.bytes().any(|b| byte::class(b) == byte::JOIN);
        let lone = if single && !dunder { Plain } else { Part };
        let mut several = !single;
        let mut at = start;
        for part in run.split(is_join) {
            several |= self.part(part, at, lone, sink);
            at += part.len() + 1;
        }
        if several && run.len() <= MAX_WORD_BYTES {
            sink.word(Name, lowered(&mut self.lower, run), start..stop);
        }
        if dunder
            && around.len() <= MAX_WORD_BYTES
            && let Some(run) = text.get(around.clone())
        {
            sink.word(Name, lowered(&mut self.lower, run), around);
        }
    }

    /// The pieces of a part between joins; whether there are several. `lone` is what a part of one piece is.
    fn part(&mut self, part: &str, start: usize, lone: WordKind, sink: &mut impl Sink) -> bool {
        if part.is_empty() || part.len() > MAX_WORD_BYTES {
            return false;
        }
        let lower = lowered(&mut self.lower, part);
        let mut humps = Humps::default();
        let mut from = 0;
        for (at, b) in part.bytes().enumerate() {
            if let Some(to) = humps.step(byte::class(b), at) {
                if let Some(piece) = lower.get(from..to) {
                    sink.word(Part, piece, start + from..start + to);
                }
                from = to;
            }
        }
        let several = from > 0;
        if let Some(piece) = lower.get(from..) {
            let kind = if several { Part } else { lone };
            sink.word(kind, piece, start + from..start + part.len());
        }
        several
    }
}

/// Takes words, with the bytes that they came from.
pub(crate) trait Sink {
    fn word(&mut self, kind: WordKind, text: &str, at: Range<usize>);
}

impl<F: FnMut(Word<'_>, Range<usize>)> Sink for F {
    #[inline(always)]
    fn word(&mut self, kind: WordKind, text: &str, at: Range<usize>) {
        self(Word { text, kind }, at);
    }
}

/// Where a part falls into pieces: before a capital that follows a small letter or digit, and before the last of several
/// capitals when a small letter follows it (`HTTPServer`: http, server).
#[derive(Default)]
pub(crate) struct Humps {
    before: u8,
    last: u8,
    last_at: usize,
}

impl Humps {
    /// Takes the next character's class (of [`byte`], or 0 for a letter without case); gives the start of a new piece.
    #[inline(always)]
    pub(crate) fn step(&mut self, class: u8, at: usize) -> Option<usize> {
        let starts = if class == byte::UPPER && self.last & (byte::LOWER | byte::DIGIT) != 0 {
            Some(at)
        } else if class == byte::LOWER && self.last == byte::UPPER && self.before == byte::UPPER {
            Some(self.last_at)
        } else {
            None
        };
        (self.before, self.last, self.last_at) = (self.last, class, at);
        starts
    }
}

/// Whether a name, with two characters on each side, is one like `__init__`.
pub(crate) fn is_dunder(text: &str, around: Range<usize>, name: &str) -> bool {
    let inside = text
        .get(around)
        .and_then(|it| it.strip_prefix("__")?.strip_suffix("__"));
    inside == Some(name)
}

pub(crate) fn is_join(c: char) -> bool {
    c == '-' || c == '_'
}

pub(crate) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

fn lowered<'a>(buffer: &'a mut String, ascii: &str) -> &'a str {
    buffer.clear();
    buffer.push_str(ascii);
    buffer.make_ascii_lowercase();
    buffer
}

/// The words of a text, in order.
///
/// ```
/// assert_eq!(memfold_text::words("ScrubEnv, max_result_tokens"), [
///     "scrub", "env", "scrubenv", "max", "result", "tokens", "max_result_tokens",
/// ]);
/// ```
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Cutter::new().cut(text, &mut |word| words.push(word.text.to_owned()));
    words
}
