//! A query held against texts: which of its concepts a text has, side by side and in a row. For what the index does not hold:
//! the best lines of a hit, and pairs and phrases of the best candidates, read again.

use std::collections::HashMap;
use std::ops::Range;

use crate::cut::{Cutter, Word, WordKind};
use crate::query::{Query, QueryTerm, in_a_row};
use crate::stop::is_stop_word;
use crate::term::{Space, raw_space, to_dictionary_term};
use crate::wide::{characters, is_unspaced};

/// Finds a query's concepts in texts.
///
/// ```
/// use memfold_text::{Matcher, Query};
///
/// let query = Query::new("stale token cache");
/// let mut matcher = Matcher::new(&query);
/// assert_eq!(matcher.distinct("Tokens, and more tokens."), 1);
/// assert_eq!(matcher.pairs("the token cache; a cache for tokens"), [0, 1]);
/// ```
#[derive(Debug)]
pub struct Matcher<'q> {
    query: &'q Query,
    cutter: Cutter,
    wanted: Wanted<'q>,
}

#[derive(Debug)]
struct Wanted<'q> {
    exact: HashMap<&'q [u8], usize>,
    prefixes: HashMap<&'q [u8], usize>,
    starts: Starts,
    key: Vec<u8>,
    known: Known,
}

impl<'q> Matcher<'q> {
    /// A matcher of this query.
    pub fn new(query: &'q Query) -> Matcher<'q> {
        let mut wanted = Wanted {
            exact: HashMap::new(),
            prefixes: HashMap::new(),
            starts: Starts::new(),
            key: Vec::new(),
            known: Known::new(),
        };
        for (place, concept) in query.concepts.iter().enumerate() {
            for term in &concept.terms {
                let (term, places) = match term {
                    QueryTerm::Exact(term) => (term, &mut wanted.exact),
                    QueryTerm::Prefix(term) => (term, &mut wanted.prefixes),
                };
                places.insert(term, place);
                wanted.starts.add(term);
            }
        }
        Matcher {
            query,
            cutter: Cutter::new(),
            wanted,
        }
    }

    /// The query it was made of.
    pub fn query(&self) -> &'q Query {
        self.query
    }

    /// Hands to `each` every place in `text` of a concept: the concept's place in the query and the bytes.
    pub fn find(&mut self, text: &str, each: &mut impl FnMut(usize, Range<usize>)) {
        let Matcher { cutter, wanted, .. } = self;
        cutter.cut_placed(text, &mut |word, at| {
            wanted.concepts(word, &mut |concept| each(concept, at.clone()));
        });
    }

    /// How many different concepts a text has.
    pub fn distinct(&mut self, text: &str) -> usize {
        let mut seen = Seen::default();
        self.find(text, &mut |concept, _| seen.add(concept));
        seen.count
    }

    /// How often each of the query's pairs stands side by side in a text, as in the query: stop words and whole names
    /// between them do not part them.
    pub fn pairs(&mut self, text: &str) -> Vec<u32> {
        let places: HashMap<_, _> = self.query.pairs.iter().copied().zip(0usize..).collect();
        let mut counts = vec![0u32; places.len()];
        if counts.is_empty() {
            return counts;
        }
        let Matcher { cutter, wanted, .. } = self;
        let mut before = None;
        let mut after_pair = false;
        cutter.cut(text, &mut |word| {
            let unspaced = is_unspaced(word.text);
            let last = unspaced && after_pair && characters(word.text).nth(1).is_none();
            after_pair = unspaced && !last;
            if word.kind == WordKind::Name || last || is_stop_word(word.text) {
                return;
            }
            let now = wanted.exact(word);
            if let (Some(before), Some(now)) = (before, now)
                && let Some(count) = places
                    .get(&(before, now))
                    .and_then(|&place| counts.get_mut(place))
            {
                *count = count.saturating_add(1);
            }
            before = now;
        });
        counts
    }

    /// How often each of the query's phrases is in a text, its words in a row, whatever stands between the words.
    pub fn phrases(&mut self, text: &str) -> Vec<u32> {
        let mut rows: Vec<_> = self
            .query
            .phrases
            .iter()
            .map(|phrase| Row::new(&phrase.words))
            .collect();
        if !rows.is_empty() {
            self.cutter.cut(text, &mut |word| {
                if let Some(word) = in_a_row(word.text, word.kind) {
                    rows.iter_mut().for_each(|row| row.step(word));
                }
            });
        }
        rows.into_iter().map(|row| row.found).collect()
    }
}

impl Wanted<'_> {
    /// The concept that asks for just this word.
    fn exact(&mut self, word: Word<'_>) -> Option<usize> {
        if !self.starts.has(word.text.as_bytes()) {
            return None;
        }
        let space = raw_space(word.kind);
        let short = word.short().unwrap_or(Known::NO_WORD);
        if let Some(concept) = self.known.of(space, short) {
            return concept;
        }
        self.key.clear();
        self.key.push(space);
        self.key.extend_from_slice(word.text.as_bytes());
        to_dictionary_term(&mut self.key);
        let concept = self.exact.get(self.key.as_slice()).copied();
        self.known.note(space, short, concept);
        concept
    }

    /// Every concept that asks for this word or a start of it.
    fn concepts(&mut self, word: Word<'_>, each: &mut impl FnMut(usize)) {
        self.exact(word).into_iter().for_each(&mut *each);
        if !self.prefixes.is_empty() && is_unspaced(word.text) {
            let term = Space::Stem.term(word.text);
            let starts = (2..=term.len()).filter_map(|end| term.get(..end));
            starts
                .filter_map(|start| self.prefixes.get(start).copied())
                .for_each(each);
        }
    }
}

/// What short words that begin as a wanted one were found to ask for: a text says its words again and again. Each word has one
/// place, and the later one takes it.
#[derive(Debug)]
struct Known(Box<[KnownWord; 1 << Known::BITS]>);

#[derive(Clone, Copy, Debug)]
struct KnownWord {
    /// As [`Word::short`] has it.
    word: u128,
    space: u8,
    concept: Option<usize>,
}

impl Known {
    const BITS: u32 = 7;
    /// What is no word.
    const NO_WORD: u128 = 0;

    fn new() -> Known {
        let none = KnownWord {
            word: Known::NO_WORD,
            space: 0,
            concept: None,
        };
        Known(Box::new([none; 1 << Known::BITS]))
    }

    fn place(space: u8, word: u128) -> usize {
        // The two halves, and what the word is, each spread to the highest bits.
        let (low, high) = (word as u64, (word >> 64) as u64);
        let spread = (low ^ high.rotate_left(29) ^ u64::from(space))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> (u64::BITS - Known::BITS);
        spread as usize
    }

    fn of(&self, space: u8, word: u128) -> Option<Option<usize>> {
        let known = self.0.get(Known::place(space, word))?;
        let is_it = word != Known::NO_WORD && (known.word, known.space) == (word, space);
        is_it.then_some(known.concept)
    }

    fn note(&mut self, space: u8, word: u128, concept: Option<usize>) {
        if let Some(known) = self.0.get_mut(Known::place(space, word)) {
            *known = KnownWord {
                word,
                space,
                concept,
            };
        }
    }
}

/// The first two bytes of the words that may be asked for: most words of a text are told apart without stemming them.
#[derive(Debug)]
struct Starts(Box<[u64; STARTS / 64]>);

/// So many starts of two bytes there are.
const STARTS: usize = 1 << 16;

impl Starts {
    fn new() -> Starts {
        Starts(Box::new([0; STARTS / 64]))
    }

    /// Which of the words of bits, and the bit in it.
    fn place(first: u8, second: u8) -> (usize, u64) {
        let start = usize::from(first) << 8 | usize::from(second);
        (start / 64, 1 << (start % 64))
    }

    fn add(&mut self, term: &[u8]) {
        let Some((&space, word)) = term.split_first() else {
            return;
        };
        let Some(&first) = word.first() else { return };
        // A stem has all but its last two letters of its word (dying: die); `stems_keep_their_start` holds it.
        let sure = if space == Space::Name.byte() || !word.is_ascii() {
            word.len()
        } else {
            word.len().saturating_sub(2)
        };
        let seconds = match word.get(1) {
            Some(&second) if sure >= 2 => second..=second,
            _ => 0..=u8::MAX,
        };
        for second in seconds {
            let (word, bit) = Starts::place(first, second);
            if let Some(word) = self.0.get_mut(word) {
                *word |= bit;
            }
        }
    }

    fn has(&self, word: &[u8]) -> bool {
        let first = word.first().copied().unwrap_or(0);
        let second = word.get(1).copied().unwrap_or(0);
        let (word, bit) = Starts::place(first, second);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

/// A set of concepts, which are few and numbered from 0.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    has: Vec<bool>,
    count: usize,
}

impl Seen {
    /// How many it held; it is empty then.
    pub(crate) fn take(&mut self) -> usize {
        self.has.clear();
        std::mem::take(&mut self.count)
    }

    pub(crate) fn add(&mut self, concept: usize) {
        if self.has.len() <= concept {
            self.has.resize(concept + 1, false);
        }
        if let Some(has) = self.has.get_mut(concept) {
            self.count += usize::from(!std::mem::replace(has, true));
        }
    }
}

/// Knuth, Morris and Pratt's search, a word at a time.
struct Row<'q> {
    words: &'q [String],
    /// For each count of words matched but 0, how many of them still match after a miss.
    back: Vec<usize>,
    matched: usize,
    found: u32,
}

impl<'q> Row<'q> {
    fn new(words: &'q [String]) -> Row<'q> {
        let mut row = Row {
            words,
            back: Vec::with_capacity(words.len()),
            matched: 0,
            found: 0,
        };
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                row.advance(word);
            }
            row.back.push(row.matched);
        }
        row.matched = 0;
        row
    }

    fn advance(&mut self, word: &str) {
        while self
            .words
            .get(self.matched)
            .is_none_or(|wanted| wanted != word)
        {
            match self
                .matched
                .checked_sub(1)
                .and_then(|last| self.back.get(last))
            {
                Some(&back) => self.matched = back,
                None => return,
            }
        }
        self.matched += 1;
    }

    fn step(&mut self, word: &str) {
        self.advance(word);
        if self.matched == self.words.len() {
            self.found = self.found.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distinct(query: &str, text: &str) -> usize {
        Matcher::new(&Query::new(query)).distinct(text)
    }

    #[test]
    fn concepts_are_found_in_the_space_they_are_asked_in() {
        assert_eq!(distinct("query", "queries, querying"), 1);
        assert_eq!(distinct("ScrubEnv", "scrubenv"), 1);
        assert_eq!(distinct("ScrubEnv", "ScrubEnv"), 3);
        assert_eq!(distinct("scrubenv", "ScrubEnv"), 1);
        assert_eq!(distinct("index-grep", "index grep"), 2);
        assert_eq!(distinct("die", "dying"), 1);
        assert_eq!(distinct("本", "日本語"), 1);
        assert_eq!(distinct("語", "日本語"), 1);
        assert_eq!(distinct("本", "日"), 0);
        assert_eq!(distinct("日 日本", "日本"), 2);
        assert_eq!(distinct("สวัสดี", "สวัสดีครับ"), 3);
    }

    #[test]
    fn pairs_are_counted() {
        let query = Query::new("token cache stale");
        assert_eq!(
            Matcher::new(&query).pairs("Token caches: the cache is stale. cache token. TokenCache"),
            [2, 1]
        );
        let query = Query::new("日本語 text");
        assert_eq!(
            Matcher::new(&query).pairs("日本語 text, 本語 日本, 日本語text"),
            [2, 2]
        );
    }

    #[test]
    fn phrases_are_found() {
        let query = Query::new(r#""token of the cache" "a b a" "本語""#);
        let mut matcher = Matcher::new(&query);
        assert_eq!(
            matcher.phrases("Token of\nthe cache, a b a b a, 日本語"),
            [1, 2, 1]
        );
        assert_eq!(
            matcher.phrases("tokens of the cache, token the cache, a b b a, 日 本"),
            [0, 0, 0]
        );
    }

    fn naive(words: &[String], text: &[String]) -> u32 {
        text.windows(words.len())
            .filter(|window| *window == words)
            .count() as u32
    }

    proptest! {
        #[test]
        fn rows_are_found_as_by_looking_everywhere(words in "[ab]{1,6}", text in "[abc]{0,60}") {
            let split = |s: &str| s.chars().map(String::from).collect::<Vec<_>>();
            let (words, text) = (split(&words), split(&text));
            let mut row = Row::new(&words);
            text.iter().for_each(|word| row.step(word));
            prop_assert_eq!(row.found, naive(&words, &text));
        }

        // What `Starts` relies on.
        #[test]
        fn stems_keep_their_start(word in "[a-z]{3,9}(ing|ies|ied|ed|ly|y|ational|biliti|bility|ization|ousness|s|fulli|logi)?|(sk|d|l|t|v)(ies|ying|y)") {
            let stem = crate::stem(&word);
            let sure = stem.len().saturating_sub(2).max(1);
            prop_assert_eq!(&stem[..sure], &word[..sure]);
        }

        #[test]
        fn a_text_has_every_concept_of_itself(text in "[ a-zA-Z0-9_\"日本語あกำé-]{0,40}") {
            let query = Query::new(&text);
            let mut matcher = Matcher::new(&query);
            prop_assert_eq!(matcher.distinct(&text), query.concepts.len());
            prop_assert!(matcher.pairs(&text).iter().all(|&n| n > 0));
            prop_assert!(matcher.phrases(&text).iter().all(|&n| n > 0));
        }
    }
}
