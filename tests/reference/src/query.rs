//! What a query asks for (R2.1 and R2.3 of the ranking): concepts, each a set of terms, names by their parts, and quoted phrases.
//! Relies on [`words`](mod@crate::words) alone.

use crate::words::{Kind, Term, Word, stem, words};

/// English function words: what a question is made of and nothing is about.
const STOP_WORDS: &str = "a about above after again against all am an and any are as at be because been before being below \
    between both but by can could d did didn do does doesn doing don down during each few for from further had has have \
    having he her here hers herself him himself his how i if in into is isn it its itself just ll m me more most my myself \
    no nor not now of off on once only or other our ours ourselves out over own re s same she should so some such t than \
    that the their theirs them themselves then there these they this those through to too under until up ve very was wasn \
    we were what when where which while who whom why will with would you your yours yourself yourselves";

/// One thing asked for, under any of several names.
#[derive(Clone, Debug)]
pub(crate) struct Concept {
    pub(crate) asks: Vec<Ask>,
    /// 2 for a whole name, else 1.
    pub(crate) weight: f64,
    /// No name of the query holds it: it lends to neighbours and groups.
    pub(crate) plain: bool,
}

/// What is looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    Term(Term),
    /// Every stem that begins so: one character of a script without spaces.
    Starts(String),
}

impl Concept {
    /// Whether a term of a document is one of its names.
    pub(crate) fn is_named(&self, term: &Term) -> bool {
        self.asks.iter().any(|ask| match (ask, term) {
            (Ask::Term(asked), term) => asked == term,
            (Ask::Starts(start), Term::Stem(stem)) => stem.starts_with(start),
            (Ask::Starts(_), Term::Name(_)) => false,
        })
    }
}

/// The concepts of a query: stop words left out, unless nothing is left; no name in two of them.
pub(crate) fn concepts(query: &str) -> Vec<Concept> {
    let mut asked = words(query);
    asked.retain(|word| word.kind != Kind::Last);
    if !asked.iter().all(is_stop) {
        asked.retain(|word| !is_stop(word));
    }
    let mut concepts: Vec<Concept> = Vec::new();
    for word in &asked {
        let asks = asks(word);
        // The concept that has the first of its names that is taken.
        let owner = asks.iter().find_map(|ask| {
            concepts
                .iter()
                .position(|concept| concept.asks.contains(ask))
        });
        let is_new = |ask: &Ask| !concepts.iter().any(|concept| concept.asks.contains(ask));
        let new: Vec<Ask> = asks.into_iter().filter(is_new).collect();
        let weight = if word.kind == Kind::Name { 4.0 } else { 1.0 };
        let plain = !matches!(word.kind, Kind::Name | Kind::Part);
        match owner {
            Some(owner) => {
                let concept = &mut concepts[owner];
                concept.asks.extend(new);
                concept.weight = concept.weight.max(weight);
                concept.plain &= plain;
            }
            None => concepts.push(Concept {
                asks: new,
                weight,
                plain,
            }),
        }
    }
    concepts
}

/// The names that two or three adjacent plain words may be parts of, in a query of at most twelve such words: joined as code
/// joins words. Nobody asked for them, so they weigh 1.
pub(crate) fn joined(query: &str, asked: &[Concept]) -> Vec<Concept> {
    let words = words(query);
    let is_plain = |word: &Word| word.kind == Kind::Plain;
    let mut concepts: Vec<Concept> = Vec::new();
    if words.iter().filter(|word| is_plain(word)).count() > 12 {
        return concepts;
    }
    for parts in [2, 3] {
        for row in words.windows(parts) {
            if !row.iter().all(is_plain) || row.iter().all(is_stop) {
                continue;
            }
            let row: Vec<&str> = row.iter().map(|word| word.text.as_str()).collect();
            let spelled = ["_", "-", ""].map(|join| Ask::Term(Term::Name(row.join(join))));
            let is_new = |ask: &Ask| {
                let mut concepts = asked.iter().chain(&concepts);
                !concepts.any(|concept| concept.asks.contains(ask))
            };
            let asks: Vec<Ask> = spelled.into_iter().filter(is_new).collect();
            concepts.push(Concept {
                asks,
                weight: 1.0,
                plain: false,
            });
        }
    }
    concepts
}

fn is_stop(word: &Word) -> bool {
    word.kind == Kind::Plain && STOP_WORDS.split_whitespace().any(|stop| stop == word.text)
}

fn asks(word: &Word) -> Vec<Ask> {
    let name = Ask::Term(Term::Name(word.text.clone()));
    let stem = Ask::Term(Term::Stem(stem(&word.text)));
    match word.kind {
        Kind::Single | Kind::Last => vec![Ask::Starts(word.text.clone())],
        Kind::Pair | Kind::Part => vec![stem],
        Kind::Plain => vec![stem, name],
        Kind::Name if word.text.contains(['-', '_']) => vec![name],
        // ScrubEnv may stand somewhere in small letters, a plain word.
        Kind::Name => vec![name, stem],
    }
}

/// The quoted parts of a query, each as a row of words. A quote after a letter or digit opens nothing, nor does one that
/// nothing closes.
pub(crate) fn phrases(query: &str) -> Vec<Vec<String>> {
    let mut phrases = Vec::new();
    let mut before = ' ';
    let mut rest = query.chars();
    while let Some(c) = rest.next() {
        let closing: &[char] = match c {
            _ if before.is_alphanumeric() => &[],
            '"' => &['"'],
            '“' | '„' => &['”', '“'],
            _ => &[],
        };
        before = c;
        if closing.is_empty() {
            continue;
        }
        let Some(length) = rest.clone().position(|c| closing.contains(&c)) else {
            break;
        };
        let quoted: String = rest.by_ref().take(length).collect();
        before = rest.next().unwrap_or(' ');
        let row = row(&quoted);
        if !row.is_empty() {
            phrases.push(row);
        }
    }
    phrases
}

/// A text as a row of words: no whole names, whose pieces are there; a stretch of a script without spaces as its characters.
pub(crate) fn row(text: &str) -> Vec<String> {
    let one = |word: Word| match word.kind {
        Kind::Name => None,
        Kind::Pair => {
            let is_mark = unicode_normalization::char::is_combining_mark;
            let mut chars = word.text.chars();
            let first = chars.next()?;
            Some(
                std::iter::once(first)
                    .chain(chars.take_while(|c| is_mark(*c)))
                    .collect(),
            )
        }
        Kind::Plain | Kind::Part | Kind::Last | Kind::Single => Some(word.text),
    };
    words(text).into_iter().filter_map(one).collect()
}
