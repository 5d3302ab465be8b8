//! Runs with characters outside ASCII, and those too long for a block. A run is normalised by itself, and only if a quick check does not prove it NFC; then it
//! is cut where scripts without spaces begin and end, those into overlapping pairs, the rest into names and their pieces.
//! A run's own normal form is that of the text around it: canonical forms begin alike and go on with marks or jamo, which
//! belong to runs too (`class` tests it for every character).

use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::class::{self, Traits, entry, push_folded};
use crate::cut::WordKind::{Name, Part, Plain};
use crate::cut::{MAX_WORD_BYTES, Sink, Word, WordKind, char_at, is_join};

/// A longer part is dropped by its raw length: folding shrinks no character below half, and composing what it gave (at most a
/// letter and two marks to one letter) none below half again.
const MAX_RAW_BYTES: usize = 4 * MAX_WORD_BYTES;

/// The buffers of the wide path.
#[derive(Debug, Default)]
pub(crate) struct Wide {
    normal: String,
    words: Folder,
}

impl Wide {
    /// The run that starts at `start`; gives back its end.
    pub(crate) fn run(&mut self, text: &str, start: usize, sink: &mut impl Sink) -> usize {
        let rest = text.get(start..).unwrap_or_default();
        let ascii = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let length = rest.bytes().take_while(ascii).count();
        let Some((run, after)) = rest.split_at_checked(length) else {
            return text.len();
        };
        if after
            .chars()
            .next()
            .is_none_or(|c| entry(c).traits.is_separator())
        {
            // Base64 and hexadecimal, mostly: no words, but many bytes.
            self.words.name(run, 0..length, Place::At(start), sink);
            return start + length;
        }
        let mut seen = Traits::default();
        let mut loose = false;
        let mut before = Traits::default();
        let mut end = start;
        for c in rest.chars() {
            let traits = entry(c).traits;
            if traits.is_separator() {
                break;
            }
            loose |= traits.has(Traits::MARK) && !before.has(Traits::WORD.and(Traits::MARK));
            seen = seen.and(traits);
            before = traits;
            end += c.len_utf8();
        }
        let Some(run) = text.get(start..end) else {
            return text.len();
        };
        let rewrite = loose || seen.has(Traits::REWRITE);
        let normal = !rewrite
            && (!seen.has(Traits::CHECK) || is_nfc_quick(run.chars()) == IsNormalized::Yes);
        if normal {
            self.words.scripts(run, Place::At(start), sink);
        } else {
            self.normal.clear();
            normalise(run, &mut self.normal);
            self.words
                .scripts(&self.normal, Place::Within(start, end), sink);
        }
        end
    }
}

/// NFC of a run without its ignorable characters, with the rewritten ones rewritten, and without marks on nothing.
fn normalise(run: &str, to: &mut String) {
    let kept = run
        .chars()
        .filter(|&c| !class::is_ignorable(c))
        .map(|c| class::rewritten(c).unwrap_or(c));
    for c in kept.nfc() {
        if !entry(c).traits.has(Traits::MARK)
            || to.chars().next_back().is_some_and(|last| !is_join(last))
        {
            to.push(c);
        }
    }
}

/// Where a normal run lies in its text.
#[derive(Clone, Copy)]
enum Place {
    /// It is the text's own bytes from here on.
    At(usize),
    /// It was written anew from these bytes.
    Within(usize, usize),
}

impl Place {
    fn of(self, from: usize, to: usize) -> Range<usize> {
        match self {
            Place::At(start) => start + from..start + to,
            Place::Within(start, end) => start..end,
        }
    }
}

#[derive(Debug, Default)]
struct Folder {
    folded: String,
    composed: String,
}

impl Folder {
    /// Cuts a normal run at the borders of scripts without spaces.
    fn scripts(&mut self, run: &str, place: Place, sink: &mut impl Sink) {
        let mut from = 0;
        let mut before = None;
        for (at, c) in run.char_indices() {
            let traits = entry(c).traits;
            if traits.has(Traits::MARK) {
                continue;
            }
            let now = traits.has(Traits::UNSPACED);
            if before.is_some_and(|before| before != now) {
                self.stretch(run, from..at, !now, place, sink);
                from = at;
            }
            before = Some(now);
        }
        if let Some(last) = before {
            self.stretch(run, from..run.len(), last, place, sink);
        }
    }

    fn stretch(
        &mut self,
        run: &str,
        of: Range<usize>,
        unspaced: bool,
        place: Place,
        sink: &mut impl Sink,
    ) {
        if unspaced {
            pairs(run, of, place, sink);
        } else {
            self.name(run, of, place, sink);
        }
    }

    /// A stretch of letters, digits, marks and joins.
    fn name(&mut self, run: &str, of: Range<usize>, place: Place, sink: &mut impl Sink) {
        let Some(stretch) = run.get(of.clone()) else {
            return;
        };
        let opened = stretch.trim_start_matches(is_join);
        let name = opened.trim_end_matches(is_join);
        if name.is_empty() {
            return;
        }
        let start = of.end - opened.len();
        let end = start + name.len();
        let around = start.saturating_sub(2)..end + 2;
        let dunder = around.start >= of.start
            && around.end <= of.end
            && is_dunder(run, around.clone(), name);
        let single = !name.contains(is_join);
        let lone = if single && !dunder { Plain } else { Part };
        let mut several = !single;
        let mut at = start;
        for part in name.split(is_join) {
            several |= self.part(part, at, lone, place, sink);
            at += part.len() + 1;
        }
        if several && let Some(word) = self.fold(name) {
            sink.word(Word::alone(Name, word), place.of(start, end));
        }
        if dunder
            && self
                .fold(name)
                .is_some_and(|word| word.len() + 4 <= MAX_WORD_BYTES)
        {
            self.composed.clear();
            self.composed.extend(["__", &self.folded, "__"]);
            sink.word(
                Word::alone(Name, &self.composed),
                place.of(around.start, around.end),
            );
        }
    }

    /// The pieces of a part between joins; whether there are several. `lone` is what a part of one piece is.
    fn part(
        &mut self,
        part: &str,
        start: usize,
        lone: WordKind,
        place: Place,
        sink: &mut impl Sink,
    ) -> bool {
        let Some(whole) = self.fold(part).filter(|whole| !whole.is_empty()) else {
            return false;
        };
        let mut ends = piece_ends(part).peekable();
        if ends.peek().is_none() {
            sink.word(
                Word::alone(lone, whole),
                place.of(start, start + part.len()),
            );
            return false;
        }
        let mut from = 0;
        for to in ends.chain([part.len()]) {
            if let Some(piece) = part.get(from..to).and_then(|piece| self.fold(piece)) {
                sink.word(Word::alone(Part, piece), place.of(start + from, start + to));
            }
            from = to;
        }
        true
    }

    /// The word that a stretch of normal text folds to, unless it is too long. It is left in `folded`.
    fn fold(&mut self, text: &str) -> Option<&str> {
        if text.len() > MAX_RAW_BYTES {
            return None;
        }
        self.folded.clear();
        if text.is_ascii() {
            // Nothing to fold if it is too long all the same.
            self.folded
                .push_str(text.get(..=MAX_WORD_BYTES).unwrap_or(text));
            self.folded.make_ascii_lowercase();
            return (self.folded.len() <= MAX_WORD_BYTES).then_some(&self.folded);
        }
        let mut seen = Traits::default();
        for c in text.chars() {
            seen = seen.and(push_folded(c, &mut self.folded));
        }
        // Folding may undo NFC: a small letter composes with marks that its capital does not take (ẖ), and some expand.
        if seen.has(Traits::CHECK.and(Traits::EXPANDS))
            && is_nfc_quick(self.folded.chars()) != IsNormalized::Yes
        {
            self.composed.clear();
            self.composed.extend(self.folded.nfc());
            std::mem::swap(&mut self.folded, &mut self.composed);
        }
        (self.folded.len() <= MAX_WORD_BYTES).then_some(&self.folded)
    }
}

/// Where the pieces of a part but the last end, as `Block::pieces` has it. Marks are as the letter they are on.
fn piece_ends(part: &str) -> impl Iterator<Item = usize> {
    const SMALL: Traits = Traits::LOWER.and(Traits::DIGIT);
    let (mut before, mut last, mut last_at) = (Traits::default(), Traits::default(), 0);
    part.char_indices().filter_map(move |(at, c)| {
        let now = entry(c).traits;
        if now.has(Traits::MARK) {
            return None;
        }
        let capitals = before.has(Traits::UPPER) && last.has(Traits::UPPER);
        let end = if now.has(Traits::UPPER) && last.has(SMALL) {
            Some(at)
        } else if now.has(Traits::LOWER) && capitals {
            Some(last_at)
        } else {
            None
        };
        (before, last, last_at) = (last, now, at);
        end
    })
}

/// Whether a name, with two characters on each side, is one like `__init__`.
fn is_dunder(text: &str, around: Range<usize>, name: &str) -> bool {
    let inside = text
        .get(around)
        .and_then(|it| it.strip_prefix("__")?.strip_suffix("__"));
    inside == Some(name)
}

/// Every two neighbouring characters of a stretch, each with its marks, then the last alone: so whatever part of it is asked
/// for, a single character too, is some word's beginning.
fn pairs(run: &str, of: Range<usize>, place: Place, sink: &mut impl Sink) {
    let mut word = |from: usize, to: usize| {
        if let Some(text) = run
            .get(from..to)
            .filter(|text| text.len() <= MAX_WORD_BYTES)
        {
            sink.word(Word::alone(Plain, text), place.of(from, to));
        }
    };
    let stretch = run.get(of.clone()).unwrap_or_default();
    let (mut before, mut last) = (None, of.start);
    for (at, c) in stretch.char_indices().skip(1) {
        if entry(c).traits.has(Traits::MARK) {
            continue;
        }
        let at = of.start + at;
        if let Some(before) = before.replace(last) {
            word(before, at);
        }
        last = at;
    }
    if let Some(before) = before {
        word(before, of.end);
    }
    word(last, of.end);
}

/// The characters of a word, each with its marks.
pub(crate) fn characters(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let next = rest
            .char_indices()
            .skip(1)
            .find(|&(_, c)| !entry(c).traits.has(Traits::MARK));
        let (first, after) = rest.split_at_checked(next.map_or(rest.len(), |(at, _)| at))?;
        rest = after;
        (!first.is_empty()).then_some(first)
    })
}

/// Whether a folded word is of a script without spaces.
pub(crate) fn is_unspaced(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii())
        && char_at(word, 0).is_some_and(|c| entry(c).traits.has(Traits::UNSPACED))
}
