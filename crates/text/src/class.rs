//! What a character is to the cutter, and what it folds to.
//! Relies on the Unicode data of `std` and of `unicode-normalization`; nothing here is a table written by hand but the
//! scripts without spaces, the ignorable characters and the few characters rewritten to ASCII or to full width.

use std::sync::OnceLock;

use unicode_normalization::char::{
    canonical_combining_class, decompose_compatible, is_combining_mark,
};
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// A set of traits of a character. Zero is a separator: it ends a run and belongs to no word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits(u16);

impl Traits {
    /// A letter or digit of a word.
    pub(crate) const WORD: Traits = Traits(1);
    /// A combining mark: belongs to the letter before it.
    pub(crate) const MARK: Traits = Traits(1 << 1);
    /// `-`, `_` and what is rewritten to them: joins the parts of a name.
    pub(crate) const JOIN: Traits = Traits(1 << 2);
    /// A small letter.
    pub(crate) const LOWER: Traits = Traits(1 << 3);
    /// A capital that folds to something else.
    pub(crate) const UPPER: Traits = Traits(1 << 4);
    /// A digit or another number.
    pub(crate) const DIGIT: Traits = Traits(1 << 5);
    /// A letter of a script that is written without spaces.
    pub(crate) const UNSPACED: Traits = Traits(1 << 6);
    /// Left out of words (zero-width joiners, variation selectors, soft hyphens) or rewritten before all else.
    pub(crate) const REWRITE: Traits = Traits(1 << 7);
    /// Alone it does not prove that its text is NFC.
    pub(crate) const CHECK: Traits = Traits(1 << 8);
    /// Folds to more than one character.
    pub(crate) const EXPANDS: Traits = Traits(1 << 9);

    pub(crate) const fn and(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    pub(crate) const fn has(self, any: Traits) -> bool {
        self.0 & any.0 != 0
    }

    pub(crate) const fn is_separator(self) -> bool {
        self.0 == 0
    }
}

/// A character's traits and what it folds to (itself where it folds to several: [`fold`] tells).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) traits: Traits,
    pub(crate) folded: char,
}

/// Small, since a text often has a dash or an arrow and no neighbour of theirs.
const PAGE: usize = 64;
/// Pages kept: the basic plane and the one after it, where the symbols of chats are.
const PAGES: usize = 0x2_0000 / PAGE;

// Asking std and unicode-normalization costs some 100 ns a character; a page of answers is kept when first met.
static KEPT: [OnceLock<Box<[Entry; PAGE]>>; PAGES] = [const { OnceLock::new() }; PAGES];

/// What `c` is.
#[inline]
pub(crate) fn entry(c: char) -> Entry {
    // A log's commonest: an arrow stands on each line of a file that was read. To a search, a page for them costs more than
    // all else that is cut.
    if let '\u{2190}'..='\u{23ff}' | '\u{2500}'..='\u{26ff}' = c {
        return Entry {
            traits: Traits::default(),
            folded: c,
        };
    }
    let code = c as usize;
    match KEPT.get(code / PAGE) {
        None => examine(c),
        Some(page) => {
            let page = page.get_or_init(|| work_out(code / PAGE));
            page.get(code % PAGE).copied().unwrap_or_else(|| examine(c))
        }
    }
}

#[cold]
fn work_out(page: usize) -> Box<[Entry; PAGE]> {
    Box::new(std::array::from_fn(|i| {
        let c = u32::try_from(page * PAGE + i).ok().and_then(char::from_u32);
        c.map_or(
            Entry {
                traits: Traits::default(),
                folded: '\0',
            },
            examine,
        )
    }))
}

fn examine(c: char) -> Entry {
    if is_ignorable(c) {
        return Entry {
            traits: Traits::REWRITE,
            folded: c,
        };
    }
    if let Some(other) = rewritten(c) {
        let it = examine(other);
        // Full-width punctuation separates, as its ASCII does.
        let rewrite = if it.traits.is_separator() {
            it.traits
        } else {
            Traits::REWRITE
        };
        return Entry {
            traits: it.traits.and(rewrite),
            folded: it.folded,
        };
    }
    let mut folds = fold(c);
    let folded = folds.next().unwrap_or(c);
    let expands = folds.next().is_some();
    let mut traits = if is_combining_mark(c) {
        Traits::MARK
    } else if c == '-' || c == '_' {
        Traits::JOIN
    } else if c.is_alphanumeric() && !is_lettered_symbol(c) {
        letter(c, expands || folded != c)
    } else {
        return Entry {
            traits: Traits::default(),
            folded: c,
        };
    };
    if expands {
        traits = traits.and(Traits::EXPANDS);
    }
    if canonical_combining_class(c) != 0 || is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes {
        traits = traits.and(Traits::CHECK);
    }
    Entry {
        traits,
        folded: if expands { c } else { folded },
    }
}

fn letter(c: char, folds: bool) -> Traits {
    let cased = if c.is_lowercase() {
        Traits::LOWER
    } else if c.is_uppercase() && folds {
        // A capital without a small letter (mathematical letters) stays as it is, so it starts no piece of a name:
        // a word cut again must give itself.
        Traits::UPPER
    } else if c.is_numeric() {
        Traits::DIGIT
    } else {
        Traits::default()
    };
    let unspaced = if is_unspaced(c) {
        Traits::UNSPACED
    } else {
        Traits::default()
    };
    Traits::WORD.and(cased).and(unspaced)
}

/// Full case folding as `std` can do it: small, capital, small again (ß, ẞ and SS give ss; ς and Σ give σ; ı gives i).
/// İ gives i and a dot above, which [`push_folded`] leaves out.
fn fold(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
}

const DOT_ABOVE: char = '\u{307}';

/// Appends `c`, folded; its traits. A dot above a small i says nothing: İstanbul, folded or lowercased elsewhere, is
/// istanbul.
pub(crate) fn push_folded(c: char, to: &mut String) -> Traits {
    let it = entry(c);
    if it.traits.has(Traits::EXPANDS) {
        fold(c).for_each(|c| push_undotted(c, to));
    } else {
        push_undotted(it.folded, to);
    }
    it.traits
}

fn push_undotted(c: char, to: &mut String) {
    if c != DOT_ABOVE || !to.ends_with('i') {
        to.push(c);
    }
}

/// What stands for `c` before all else: full-width ASCII is ASCII, half-width katakana is katakana (as Lucene's
/// CJKWidthFilter), and the typographic hyphens U+2010 and U+2011, which models like to write, are `-`.
pub(crate) fn rewritten(c: char) -> Option<char> {
    match c {
        '\u{2010}' | '\u{2011}' => Some('-'),
        '\u{FF01}'..='\u{FF5E}' | '\u{FF66}'..='\u{FF9F}' => {
            let mut to = None;
            decompose_compatible(c, |d| to = Some(d));
            to
        }
        _ => None,
    }
}

/// The code points that Unicode calls Default_Ignorable (DerivedCoreProperties), without U+200B, which separates words
/// (UAX #29), and with the marks that enclose a digit in an emoji.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{20DD}'..='\u{20E0}'
        | '\u{20E2}'..='\u{20E4}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Letters in circles and squares: symbols by category (So), alphabetic by property, and mostly emoji.
fn is_lettered_symbol(c: char) -> bool {
    matches!(c, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F149}' | '\u{1F150}'..='\u{1F169}' | '\u{1F170}'..='\u{1F189}')
}

/// The blocks of the scripts that are written without spaces, or, Hangul, with particles joined to the words: Han, Kana,
/// Bopomofo, Hangul, and those of the line-breaking class SA (UAX #14: Thai, Lao, Myanmar, Khmer, Tai…), with Tibetan.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{109F}'     // Thai, Lao, Tibetan, Myanmar
        | '\u{1100}'..='\u{11FF}'   // Hangul jamo
        | '\u{1780}'..='\u{17FF}'   // Khmer
        | '\u{1950}'..='\u{19FF}'   // Tai Le, New Tai Lue, Khmer symbols
        | '\u{1A20}'..='\u{1AAF}'   // Tai Tham
        | '\u{2E80}'..='\u{2FDF}'   // radicals
        | '\u{3005}'..='\u{A4CF}'   // Kana, Bopomofo, Hangul letters, Han, Yi
        | '\u{A960}'..='\u{A97F}'   // Hangul jamo
        | '\u{A9E0}'..='\u{A9FF}'   // Myanmar
        | '\u{AA60}'..='\u{AADF}'   // Myanmar, Tai Viet
        | '\u{AC00}'..='\u{D7FF}'   // Hangul
        | '\u{F900}'..='\u{FAFF}'   // Han, compatibility
        | '\u{FF66}'..='\u{FFDC}'   // half-width kana and Hangul
        | '\u{11700}'..='\u{1174F}' // Ahom
        | '\u{16FE0}'..='\u{18D8F}' // Tangut, Khitan, marks of Han
        | '\u{1AFF0}'..='\u{1B2FF}' // Kana, Nushu
        | '\u{20000}'..='\u{3FFFF}' // Han
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    fn every_char() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    fn folded(c: char) -> String {
        let mut s = String::new();
        push_folded(c, &mut s);
        s
    }

    #[test]
    fn ascii_is_what_the_blocks_take_it_for() {
        for c in '\0'..='\x7F' {
            let traits = entry(c).traits;
            assert_eq!(traits.has(Traits::LOWER), c.is_ascii_lowercase(), "{c:?}");
            assert_eq!(traits.has(Traits::UPPER), c.is_ascii_uppercase(), "{c:?}");
            assert_eq!(traits.has(Traits::DIGIT), c.is_ascii_digit(), "{c:?}");
            assert_eq!(traits.has(Traits::JOIN), matches!(c, '-' | '_'), "{c:?}");
            assert_eq!(traits.has(Traits::WORD), c.is_ascii_alphanumeric(), "{c:?}");
            assert_eq!(folded(c), c.to_ascii_lowercase().to_string());
        }
    }

    #[test]
    fn a_kept_page_says_what_examining_says() {
        for c in every_char() {
            let (kept, fresh) = (entry(c), examine(c));
            assert_eq!(
                (kept.traits, kept.folded),
                (fresh.traits, fresh.folded),
                "{c:?}"
            );
        }
    }

    #[test]
    fn folding_twice_is_folding_once() {
        for c in every_char() {
            let once = folded(c);
            let mut twice = String::new();
            for c in once.chars() {
                push_folded(c, &mut twice);
            }
            assert_eq!(once, twice, "{c:?}");
        }
    }

    #[test]
    fn what_folding_gives_has_no_capitals_and_is_of_words() {
        for c in every_char().filter(|&c| entry(c).traits.has(Traits::WORD)) {
            for f in folded(c).chars() {
                let traits = entry(f).traits;
                assert!(
                    traits.has(Traits::WORD.and(Traits::MARK)) && !traits.has(Traits::UPPER),
                    "{c:?} {f:?}"
                );
            }
        }
    }

    // The cutter hands out unspaced text without folding it.
    #[test]
    fn scripts_without_spaces_have_no_case() {
        for c in every_char() {
            let traits = entry(c).traits;
            if traits.has(Traits::UNSPACED) && !traits.has(Traits::REWRITE) {
                assert_eq!(folded(c), c.to_string());
            }
        }
    }

    // The cutter checks a folded word's form only if one of its characters asks for it.
    #[test]
    fn folding_one_to_one_keeps_what_is_nfc() {
        for c in every_char() {
            let traits = entry(c).traits;
            if traits.has(Traits::WORD) && !traits.has(Traits::CHECK.and(Traits::EXPANDS)) {
                let it = entry(c).folded;
                assert!(
                    !entry(it).traits.has(Traits::CHECK.and(Traits::MARK)),
                    "{c:?}"
                );
            }
        }
    }

    // The bound that lets the cutter skip a part by its raw length.
    #[test]
    fn folding_never_shrinks_a_character_below_half() {
        let normal = |&c: &char| rewritten(c).is_none() && c.nfc().eq([c]);
        for c in every_char().filter(normal) {
            assert!(
                folded(c).len() * 2 >= c.len_utf8() || c == DOT_ABOVE,
                "{c:?}"
            );
        }
    }

    // Runs may be normalised one by one: a character's decomposition starts alike and goes on with marks or jamo.
    #[test]
    fn canonical_forms_agree_on_where_runs_end() {
        for c in every_char() {
            let traits = entry(c).traits;
            let mut parts = c.nfd();
            let first = entry(parts.next().unwrap()).traits;
            assert_eq!(traits.is_separator(), first.is_separator(), "{c:?}");
            assert_eq!(traits.has(Traits::WORD), first.has(Traits::WORD), "{c:?}");
            assert_eq!(
                traits.has(Traits::UNSPACED),
                first.has(Traits::UNSPACED),
                "{c:?}"
            );
            for p in parts {
                let after = entry(p).traits;
                assert!(
                    after.has(Traits::MARK) || after.has(Traits::WORD) && after.has(Traits::CHECK),
                    "{c:?}"
                );
            }
        }
    }

    #[test]
    fn folds_of_note() {
        for (c, to) in [
            ('ß', "ss"),
            ('ẞ', "ss"),
            ('ς', "σ"),
            ('Σ', "σ"),
            ('İ', "i"),
            ('ı', "i"),
            ('ﬁ', "fi"),
            ('K', "k"),
        ] {
            assert_eq!(folded(c), to);
        }
    }

    #[test]
    fn symbols_and_emoji_separate() {
        for c in "→│“”…·×🚀✅🅰Ⓐ\u{200B}\u{1F1E9}".chars() {
            assert!(entry(c).traits.is_separator(), "{c:?}");
        }
    }
}
