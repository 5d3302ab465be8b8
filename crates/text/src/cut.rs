//! The cutter: text to words. Here the main loop and the ASCII path; `wide` has the rest of Unicode.
//! Invariant: what is handed out is as if the whole text had been normalised first and then cut character by character
//! (`tests/reference.rs` does just that), however the bytes are spelled.

use std::ops::Range;

use WordKind::{Name, Part, Plain};

use crate::block::{BLOCK, Block, from_bit};
use crate::class;
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
    /// The word and what follows it where it was found.
    ahead: &'a [u8],
}

/// A word of up to this many bytes is a number.
pub const SHORT: usize = 16;

/// The bytes of a word, for each length. (A shift by so many bits takes several instructions.)
static MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut rest = masks.as_mut_slice();
    let mut mask = 0;
    while let Some((first, others)) = rest.split_first_mut() {
        *first = mask;
        mask = mask << 8 | 0xff;
        rest = others;
    }
    masks
};

impl Word<'_> {
    /// The word as a number, its first byte the lowest, if it has at most [`SHORT`] bytes. Read at once wherever so many bytes
    /// follow: a copy as long as the word, or a choice by its length, would cost more than all else that is done for it.
    #[inline(always)]
    pub fn short(&self) -> Option<u128> {
        let mask = MASKS.get(self.text.len())?;
        let bytes = match self.ahead.first_chunk() {
            Some(bytes) => *bytes,
            None => self.copied(),
        };
        Some(u128::from_le_bytes(bytes) & mask)
    }

    /// A word that lies nowhere else.
    pub(crate) fn alone(kind: WordKind, text: &str) -> Word<'_> {
        let ahead = text.as_bytes();
        Word { text, kind, ahead }
    }

    #[cold]
    fn copied(&self) -> [u8; SHORT] {
        let mut bytes = [0; SHORT];
        let text = self.text.bytes();
        bytes.iter_mut().zip(text).for_each(|(to, from)| *to = from);
        bytes
    }
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
    lower: Lower,
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
    #[inline]
    pub fn cut_placed(&mut self, text: &str, each: &mut impl FnMut(Word<'_>, Range<usize>)) {
        self.cut_into(text, &mut Each(each));
    }

    /// Hands each word of `text` to `sink`.
    pub fn cut_into(&mut self, text: &str, sink: &mut impl Sink) {
        let bytes = text.as_bytes();
        let mut base = 0;
        self.lower.clear();
        while base < bytes.len() {
            let rest = bytes.get(base..).unwrap_or_default();
            let block = match rest.first_chunk() {
                Some(block) => Block::new(block),
                None => {
                    let mut block = [0; BLOCK];
                    block.iter_mut().zip(rest).for_each(|(to, &b)| *to = b);
                    Block::new(&block)
                }
            };
            self.lower.reach(text, base);
            base = self.block(text, base, &block, sink);
        }
    }

    /// The runs of a block; gives back where the next block starts, which is never inside a run or a character.
    #[inline(always)]
    fn block(&mut self, text: &str, base: usize, block: &Block, sink: &mut impl Sink) -> usize {
        let ascii = block.run();
        let mut next = base + BLOCK;
        let mut left = ascii | block.wide;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            let end = bit + (!(ascii >> bit)).trailing_zeros() as usize;
            let (start, stop) = (base + bit, base + end);
            let mut after = stop;
            if end >= BLOCK {
                if stop < text.len() {
                    // The run may go on: it starts the next block, or fills this one.
                    return if bit > 0 {
                        start
                    } else {
                        self.wide.run(text, start, sink)
                    };
                }
            } else if block.wide >> end & 1 == 1 {
                match char_at(text, stop) {
                    // Arrows and curly quotes beside a word must not slow it down.
                    Some(c) if class::entry(c).traits.is_separator() => after += c.len_utf8(),
                    _ => {
                        after = self.wide.run(text, start, sink);
                        next = next.max(after);
                        left &= from_bit(after - base);
                        continue;
                    }
                }
                next = next.max(after);
            }
            let run = from_bit(bit) & !from_bit(end);
            if run & (block.upper | block.join) != 0 {
                self.name(base, block, run, sink);
            } else if start < stop
                && let Some(word) = text.get(start..stop)
            {
                let ahead = text.as_bytes().get(start..).unwrap_or_default();
                let word = Word {
                    text: word,
                    kind: Plain,
                    ahead,
                };
                sink.word(word, start..stop);
            }
            left &= from_bit(after - base);
        }
        next
    }

    /// An ASCII run with capitals or joins.
    #[inline(always)]
    fn name(&self, base: usize, block: &Block, run: u64, sink: &mut impl Sink) {
        let letters = run & !block.join;
        if letters == 0 {
            return;
        }
        let mut word = |kind: WordKind, from: u32, to: u32| {
            let at = base + from as usize..base + to as usize;
            if let Some((text, ahead)) = self.lower.get(at.clone()) {
                sink.word(Word { text, kind, ahead }, at);
            }
        };
        let start = letters.trailing_zeros();
        let end = u64::BITS - letters.leading_zeros();
        let dunder = block.is_dunder(run, start, end);
        let mut pieces = block.pieces(run);
        if pieces & (pieces - 1) == 0 {
            word(if dunder { Part } else { Plain }, start, end);
        } else {
            while pieces != 0 {
                let from = pieces.trailing_zeros();
                pieces &= pieces - 1;
                let join = from + (!(letters >> from)).trailing_zeros();
                word(Part, from, join.min(pieces.trailing_zeros()));
            }
            word(Name, start, end);
        }
        if dunder {
            word(Name, start - 2, end + 2);
        }
    }
}

/// The text in small ASCII letters, a stretch at a time: so words with capitals are slices too, and nothing is copied
/// word by word.
#[derive(Debug, Default)]
struct Lower {
    text: String,
    from: usize,
}

/// Fits the first-level cache, beside the text and what takes its words.
const STRETCH: usize = 8 << 10;

impl Lower {
    fn clear(&mut self) {
        self.text.clear();
        self.from = 0;
    }

    /// Covers the block at `base`, where a character starts.
    #[inline(always)]
    fn reach(&mut self, text: &str, base: usize) {
        let end = self.from + self.text.len();
        if base + BLOCK > end && end < text.len() {
            self.refill(text, base);
        }
    }

    #[cold]
    fn refill(&mut self, text: &str, base: usize) {
        let end = (base + STRETCH..text.len()).find(|&end| text.is_char_boundary(end));
        let stretch = text.get(base..end.unwrap_or(text.len()));
        self.text.clear();
        self.text.push_str(stretch.unwrap_or_default());
        self.text.make_ascii_lowercase();
        self.from = base;
    }

    #[inline(always)]
    fn get(&self, at: Range<usize>) -> Option<(&str, &[u8])> {
        let (start, end) = (
            at.start.checked_sub(self.from)?,
            at.end.checked_sub(self.from)?,
        );
        let ahead = self.text.as_bytes().get(start..)?;
        Some((self.text.get(start..end)?, ahead))
    }
}

/// Takes words. A fold's is a type of its own and no closure, so that what it does with a word can be made part of the loop
/// wherever a word is found: a call for each would cost as much as finding it.
pub trait Sink {
    /// Takes the next word, and the bytes of the text that it came from.
    fn word(&mut self, word: Word<'_>, at: Range<usize>);
}

/// A closure as a sink.
struct Each<'f, F>(&'f mut F);

impl<F: FnMut(Word<'_>, Range<usize>)> Sink for Each<'_, F> {
    #[inline]
    fn word(&mut self, word: Word<'_>, at: Range<usize>) {
        (self.0)(word, at);
    }
}

pub(crate) fn is_join(c: char) -> bool {
    c == '-' || c == '_'
}

pub(crate) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
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
