//! The language of made-up logs: words by syllables, drawn as often as words are in texts (the n-th most frequent one n
//! times as rarely as the first), prose of them, and names as code has them.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::random::Random;

/// Words that hold English together: four of ten in prose.
const SMALL: &str = "the of to and a in is that it for was on are with as this be at by not or from have an which but were \
                     had we all can there if so when they will would no one out up then them some into only also";

const ONSETS: &str =
    "b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sc sh sk sl sp st str th tr qu";
const VOWELS: &str = "a e i o u ai ea ee io ou";
const CODAS: &str = "n r s t l m d ck nd nt rt st x ng";

/// Words, the most frequent first.
pub(crate) struct Vocabulary {
    words: Vec<String>,
    small: Vec<&'static str>,
}

impl Vocabulary {
    /// So many distinct words. Frequent ones are short.
    pub(crate) fn new(mut random: Random, size: usize) -> Vocabulary {
        let [onsets, vowels, codas] =
            [ONSETS, VOWELS, CODAS].map(|list| list.split(' ').collect::<Vec<_>>());
        let mut known = HashSet::new();
        let mut words = Vec::with_capacity(size);
        while words.len() < size {
            let most = match words.len() {
                0..100 => 1,
                100..2000 => 2,
                _ => 3,
            };
            let mut word = String::new();
            for _ in 0..=random.below(most) {
                word.push_str(random.pick(&onsets));
                word.push_str(random.pick(&vowels));
                if random.chance(0.4) {
                    word.push_str(random.pick(&codas));
                }
            }
            if word.len() < 3 || !known.insert(word.clone()) {
                // Short ones run out: the next is longer.
                word.push_str(random.pick(&codas));
                word.push_str(random.pick(&vowels));
                if !known.insert(word.clone()) {
                    continue;
                }
            }
            words.push(word);
        }
        let small = SMALL.split_whitespace().collect();
        Vocabulary { words, small }
    }

    /// A word, by Zipf's law.
    pub(crate) fn word(&self, random: &mut Random) -> &str {
        &self.words[zipf(random, self.words.len())]
    }

    /// Adds a sentence.
    pub(crate) fn sentence(&self, random: &mut Random, names: &Names, text: &mut String) {
        let from = text.len();
        for place in 0..6 + random.below(16) {
            if place > 0 {
                text.push_str(if random.chance(0.07) { ", " } else { " " });
            }
            match random.below(100) {
                0..40 => text.push_str(random.pick(&self.small)),
                40..92 => text.push_str(self.word(random)),
                92..96 => text.push_str(names.snake(random)),
                96..98 => {
                    let _ = write!(text, "`{}`", names.camel(random));
                }
                _ => {
                    let _ = write!(text, "{}", random.below(5000));
                }
            }
        }
        if let Some(first) = text.get_mut(from..from + 1) {
            first.make_ascii_uppercase();
        }
        text.push('.');
    }

    /// Paragraphs of prose.
    pub(crate) fn prose(&self, random: &mut Random, names: &Names, paragraphs: usize) -> String {
        let mut text = String::new();
        for paragraph in 0..paragraphs {
            if paragraph > 0 {
                text.push_str("\n\n");
            }
            for sentence in 0..1 + random.below(5) {
                if sentence > 0 {
                    text.push(' ');
                }
                self.sentence(random, names, &mut text);
            }
        }
        text
    }
}

/// The names of one project's code, the most frequent first.
pub(crate) struct Names {
    snake: Vec<String>,
    camel: Vec<String>,
}

impl Names {
    pub(crate) fn new(mut random: Random, words: &Vocabulary, size: usize) -> Names {
        let mut snake = Vec::with_capacity(size);
        let mut camel = Vec::with_capacity(size);
        for _ in 0..size {
            let count = parts(&mut random);
            let of: Vec<&str> = (0..count).map(|_| words.word(&mut random)).collect();
            snake.push(of.join("_"));
            let count = parts(&mut random);
            let of: Vec<String> = (0..count)
                .map(|_| capital(words.word(&mut random)))
                .collect();
            camel.push(of.concat());
        }
        Names { snake, camel }
    }

    pub(crate) fn snake(&self, random: &mut Random) -> &str {
        &self.snake[zipf(random, self.snake.len())]
    }

    pub(crate) fn camel(&self, random: &mut Random) -> &str {
        &self.camel[zipf(random, self.camel.len())]
    }
}

/// Most names are one word.
fn parts(random: &mut Random) -> usize {
    match random.below(20) {
        0..12 => 1,
        12..18 => 2,
        _ => 3,
    }
}

fn capital(word: &str) -> String {
    let mut capital = word.to_owned();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    capital
}

/// A place below `size`, place n as often as 1 in n + 1.
fn zipf(random: &mut Random, size: usize) -> usize {
    let place = ((size + 1) as f64).powf(random.share());
    (place as usize).clamp(1, size) - 1
}
