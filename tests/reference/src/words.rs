//! The word rules (the first page of `memfold-text`), read as they stand: rewrite the whole text, go through its
//! characters, cut each run. Relies on Unicode's data and on nothing of the cutter.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word of more bytes is no word.
const LONGEST: usize = 64;

/// What a word is in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word of prose.
    Plain,
    /// A piece of a name.
    Part,
    /// A whole name.
    Name,
    /// Two neighbours of a script without spaces.
    Pair,
    /// The last character of several of a script without spaces, which is in the pair before it too.
    Last,
    /// A single character of a script without spaces.
    Single,
}

/// A word, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its text.
    pub text: String,
    /// What it is.
    pub kind: Kind,
}

/// What is counted: a stem, or a whole name as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// Of a plain word, a part, or characters of a script without spaces.
    Stem(String),
    /// A whole name.
    Name(String),
}

impl Word {
    /// The term that it is counted as.
    pub fn term(&self) -> Term {
        match self.kind {
            Kind::Name => Term::Name(self.text.clone()),
            _ => Term::Stem(stem(&self.text)),
        }
    }
}

/// The English stem of a word of small ASCII letters; other words are their own.
pub(crate) fn stem(word: &str) -> String {
    if word.len() > 2 && word.chars().all(|c| c.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

/// A letter, digit or join, with the marks on it.
#[derive(Clone)]
struct Letter {
    base: char,
    marks: String,
}

/// The words of a text, in order; the pieces of a name before the name.
pub fn words(text: &str) -> Vec<Word> {
    let text: String = text
        .chars()
        .filter(|c| !is_ignorable(*c))
        .map(rewritten)
        .nfc()
        .collect();
    // Runs of letters and joins; a change between spaced and unspaced scripts ends one too.
    let mut runs: Vec<Vec<Letter>> = vec![Vec::new()];
    for c in text.chars() {
        let run = runs.last_mut().expect("there is always one");
        if is_combining_mark(c) {
            // A mark on a join or on nothing is left out.
            if let Some(letter) = run.last_mut().filter(|letter| !is_join(letter.base)) {
                letter.marks.push(c);
            }
        } else if is_letter(c) || is_join(c) {
            let letter = Letter {
                base: c,
                marks: String::new(),
            };
            match run.last() {
                Some(before) if is_unspaced(before.base) != is_unspaced(c) => {
                    runs.push(vec![letter]);
                }
                _ => run.push(letter),
            }
        } else {
            runs.push(Vec::new());
        }
    }
    let mut words = Vec::new();
    for run in &runs {
        if run.first().is_some_and(|letter| is_unspaced(letter.base)) {
            cut_unspaced(run, &mut words);
        } else {
            cut_spaced(run, &mut words);
        }
    }
    words.retain(|word| !word.text.is_empty() && word.text.len() <= LONGEST);
    words
}

fn cut_unspaced(run: &[Letter], words: &mut Vec<Word>) {
    for at in 0..run.len() {
        let kind = match (run.len(), run.len() - at) {
            (1, _) => Kind::Single,
            (_, 1) => Kind::Last,
            _ => Kind::Pair,
        };
        let text = spelled(run.iter().skip(at).take(2));
        words.push(Word { text, kind });
    }
}

fn cut_spaced(run: &[Letter], words: &mut Vec<Word>) {
    let bases: String = run.iter().map(|letter| letter.base).collect();
    let is_edge = |c: char| is_join(c);
    let before = bases.chars().take_while(|c| is_edge(*c)).count();
    let after = bases.chars().rev().take_while(|c| is_edge(*c)).count();
    if before == run.len() {
        return;
    }
    let name = &run[before..run.len() - after];
    let is_dunder =
        bases[..before].ends_with("__") && bases[bases.len() - after..].starts_with("__");
    let mut pieces = Vec::new();
    let mut dropped = 0;
    for part in name.split(|letter| is_join(letter.base)) {
        if part.is_empty() {
            continue;
        }
        if folded(part).len() > LONGEST {
            dropped += 1;
        } else {
            pieces.extend(cut_part(part));
        }
    }
    let several = pieces.len() + dropped > 1;
    let kind = if several || is_dunder {
        Kind::Part
    } else {
        Kind::Plain
    };
    words.extend(pieces.into_iter().map(|text| Word { text, kind }));
    let whole = folded(name);
    let kind = Kind::Name;
    if several {
        let text = whole.clone();
        words.push(Word { text, kind });
    }
    if is_dunder {
        let text = format!("__{whole}__");
        words.push(Word { text, kind });
    }
}

/// A part of a name, cut before a capital that follows a small letter or a digit, and before the last of several capitals
/// if a small letter follows it.
fn cut_part(part: &[Letter]) -> Vec<String> {
    let mut pieces: Vec<Vec<Letter>> = vec![Vec::new()];
    for (at, letter) in part.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| part.get(before));
        let after = part.get(at + 1);
        let starts = before.is_some_and(|before| {
            let after_capital = is_capital(before.base);
            let after_small =
                !after_capital && (before.base.is_lowercase() || before.base.is_numeric());
            let small_follows = after.is_some_and(|after| after.base.is_lowercase());
            is_capital(letter.base) && (after_small || after_capital && small_follows)
        });
        if starts {
            pieces.push(Vec::new());
        }
        pieces
            .last_mut()
            .expect("there is always one")
            .push(letter.clone());
    }
    pieces.iter().map(|piece| folded(piece)).collect()
}

/// A capital that a fold changes: some letters that Unicode calls capitals have no small form.
fn is_capital(c: char) -> bool {
    c.is_uppercase() && fold(&c.to_string()) != c.to_string()
}

fn spelled<'a>(letters: impl IntoIterator<Item = &'a Letter>) -> String {
    letters
        .into_iter()
        .flat_map(|letter| std::iter::once(letter.base).chain(letter.marks.chars()))
        .collect()
}

fn folded(letters: &[Letter]) -> String {
    fold(&spelled(letters))
}

/// Case folding by three mappings (ß and ẞ to ss, ς to σ), without the dot that İ leaves on its i.
fn fold(text: &str) -> String {
    let mut folded = String::new();
    for c in text.chars() {
        for small in c
            .to_lowercase()
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
        {
            if small != '\u{307}' || !folded.ends_with('i') {
                folded.push(small);
            }
        }
    }
    folded.nfc().collect()
}

/// Full-width ASCII is ASCII, half-width kana is kana, and two typographic hyphens are hyphens.
fn rewritten(c: char) -> char {
    match c {
        '\u{2010}' | '\u{2011}' => '-',
        '\u{FF01}'..='\u{FF5E}' | '\u{FF66}'..='\u{FF9F}' => c.nfkc().next().unwrap_or(c),
        _ => c,
    }
}

fn is_join(c: char) -> bool {
    matches!(c, '-' | '_')
}

/// Letters and digits, but not the letters in circles, boxes and brackets, which are symbols.
fn is_letter(c: char) -> bool {
    let is_symbol = matches!(
        c,
        '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F149}' | '\u{1F150}'..='\u{1F169}' | '\u{1F170}'..='\u{1F189}'
    );
    c.is_alphanumeric() && !is_combining_mark(c) && !is_symbol
}

/// Letters of scripts without spaces: Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar, Tibetan and their like.
fn is_unspaced(c: char) -> bool {
    is_letter(c)
        && matches!(
            u32::from(c),
            0xE00..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x1950..=0x19FF | 0x1A20..=0x1AAF
                | 0x2E80..=0x2FDF | 0x3005..=0xA4CF | 0xA960..=0xA97F | 0xA9E0..=0xA9FF | 0xAA60..=0xAADF
                | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFF66..=0xFFDC | 0x11700..=0x1174F
                | 0x16FE0..=0x18D8F | 0x1AFF0..=0x1B2FF | 0x20000..=0x3FFFF
        )
}

/// Joiners, variation selectors, soft hyphens and the like.
fn is_ignorable(c: char) -> bool {
    matches!(
        u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200C..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x20DD..=0x20E0 | 0x20E2..=0x20E4 | 0x3164
            | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
    )
}
