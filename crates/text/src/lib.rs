//! Text to words, terms, stems, lines, chunks and best lines.
//!
//! Pure, and on the hot path of every fold: nothing here reads, keeps or fails.
//!
//! # Words
//!
//! - A **run** is a longest stretch of letters, digits, their combining marks, `-` and `_`. All else separates.
//! - A run is cut into **parts** at `-` and `_`, a part into **pieces** where capitals start one: `maxResult`, `HTTPServer`,
//!   `sha256Sum`. Digits do not cut: sha256, utf8 and x86 are words.
//! - A run of one piece is a [plain word](WordKind::Plain). A run of more gives its pieces ([`WordKind::Part`]) and itself without
//!   joins at its ends ([`WordKind::Name`]): `max_resultTokens` gives max, result, tokens and max_resulttokens; `DEC-0054` gives
//!   dec, 0054 and dec-0054. `__init__` gives init and, the one name that keeps its ends, `__init__`.
//! - A word longer than [`MAX_WORD_BYTES`] is dropped, and so are the pieces of a part that long.
//!
//! These are the rules that a replay of agents' real searches and two ranking benchmarks measured before the project began. They
//! were of ASCII; for the rest of Unicode:
//!
//! - Text is cut as if it were NFC ([UAX #15]); words are case-folded as Unicode's full folding has it, but that i is i with any
//!   dot or none. Capitals and small letters are known in every script.
//! - Scripts without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar, Tibetan…) are cut off from what is around them, and
//!   their stretches give overlapping pairs of characters, with their marks, and the last character alone: 日本語 gives
//!   日本, 本語 and 語. So any part of a stretch is found: two characters or more by their pairs, one as a prefix.
//! - Joiners, variation selectors, soft hyphens and other ignorable characters are left out of words, marks on nothing too.
//!   Full-width ASCII is ASCII, half-width kana is kana, and the typographic hyphens U+2010 and U+2011 are `-`.
//! - Emoji, arrows and other symbols separate.
//!
//! # Terms
//!
//! A word is counted in one of two [spaces](Space): plain words and parts as [stems](stem()), whole names as they are. A
//! [`Query`] asks both.
//!
//! [UAX #15]: https://www.unicode.org/reports/tr15/

mod best;
mod block;
mod chunks;
mod class;
mod cut;
mod english;
mod joined;
pub mod lines;
mod matcher;
mod query;
mod stop;
mod term;
mod wide;
mod written;

pub use best::{BestLine, LINE_CHARS, best_lines, shorten};
pub use chunks::{Chunk, LEAST_LINES, MOST_LINES, chunks, starts_chunk};
pub use cut::{Cutter, MAX_WORD_BYTES, SHORT, Sink, Word, WordKind, words};
pub use matcher::Matcher;
pub use query::{Concept, NAME_WEIGHT, Phrase, Query, QueryTerm};
pub use stop::is_stop_word;
pub use term::{Space, raw_space, stem, to_dictionary_term};

/// The version of the rules above. It is among the parameters of every fold: changed rules mean a new fold.
pub const VERSION: u32 = 1;

/// The versions of the Unicode data that tell letters from symbols: of `std` (the toolchain) and of the normaliser. Another
/// version may cut characters that are new to it differently, so these are parameters of a fold too.
pub const UNICODE_VERSIONS: [(u8, u8, u8); 2] = [
    char::UNICODE_VERSION,
    unicode_normalization::UNICODE_VERSION,
];
