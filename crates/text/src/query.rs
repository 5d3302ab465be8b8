//! A query, cut: what to look up, in which space, and how much it weighs. What of the ranking's rules needs no index.
//! Relies on the cutter alone, so a word asked for is cut as it was counted.

use std::collections::{HashMap, HashSet};

use crate::cut::{Cutter, WordKind};
use crate::joined::joined;
use crate::stop::is_stop_word;
use crate::term::{Space, stem};
use crate::wide::{characters, is_unspaced};
use crate::written;

/// What one word of a query asks of a dictionary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueryTerm {
    /// This term.
    Exact(Vec<u8>),
    /// Every term that starts so: one character of a script without spaces, which begins each pair it is first in and stands
    /// alone at the end of its run.
    Prefix(Vec<u8>),
}

/// A word of a query with every term that means it; it counts once, whichever of them a document holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// The word, folded, as it was first asked for.
    pub word: String,
    /// Plain, unless a name of the query holds it: context is lent by plain words only.
    pub kind: WordKind,
    /// [`NAME_WEIGHT`] for a whole name, else 1.
    pub weight: f64,
    /// How often the query has it.
    pub count: u32,
    /// Its terms, each in no other concept.
    pub terms: Vec<QueryTerm>,
}

/// A whole name in a query weighs four words.
///
/// R2 has two, beside which the pairs of a name's parts count again there; without pairs a name alone carries that. On 325
/// names of 14 logs, precision at R asked bare / in a question: 97.7 / 93.2 with 2, 98.2 / 95.7 with 3, 98.2 / 97.2 with 4
/// (R2 with pairs, in the same run: 99.2 / 95.4). LoCoMo's recall does not move.
pub const NAME_WEIGHT: f64 = 4.0;

/// A quoted part of a query: its words in a row, unstemmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// As it stood between the quotes.
    pub text: String,
    /// Its words without whole names, each stretch of a script without spaces as its characters.
    pub words: Vec<String>,
}

/// A query, cut.
///
/// ```
/// use memfold_text::{Query, QueryTerm};
///
/// let query = Query::new("where did we change ScrubEnv");
/// let words: Vec<_> = query.concepts.iter().map(|c| (c.word.as_str(), c.weight)).collect();
/// assert_eq!(words, [("change", 1.0), ("scrub", 1.0), ("env", 1.0), ("scrubenv", 4.0)]);
/// assert_eq!(query.concepts[0].terms, [
///     QueryTerm::Exact(b"schang".to_vec()),
///     QueryTerm::Exact(b"nchange".to_vec()),
/// ]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What is asked for, in order, stop words left out (all kept if nothing else is asked).
    pub concepts: Vec<Concept>,
    /// Concepts that stand side by side in the query, names and stop words left out; places in `concepts`, each pair once.
    pub pairs: Vec<(usize, usize)>,
    /// Its quoted parts. Their words are among the concepts too.
    pub phrases: Vec<Phrase>,
    /// What of it is written as a path is, with a dot or a slash within: in small letters. Its words are among the concepts too.
    pub paths: Vec<String>,
    /// Names that adjacent plain words may be parts of. A document that holds one is better; none is expected to.
    pub joined: Vec<Concept>,
    /// The words asked for, folded, in order, each once: to be shown.
    pub words: Vec<String>,
}

impl Query {
    /// Cuts a query's text.
    pub fn new(text: &str) -> Query {
        let asked = asked(text);
        let mut concepts = Concepts::default();
        let mut query = Query {
            phrases: phrases(text),
            paths: written::paths(text),
            ..Query::default()
        };
        let mut neighbour = None;
        let mut paired = HashSet::new();
        let mut shown = HashSet::new();
        for it in asked {
            let place = concepts.add(&it);
            if it.kind != WordKind::Name && !is_stop_word(&it.word) {
                let before = std::mem::replace(&mut neighbour, (!it.single).then_some(place));
                if let (Some(before), false) = (before, it.single)
                    && before != place
                    && paired.insert((before, place))
                {
                    query.pairs.push((before, place));
                }
            }
            if shown.insert(it.word.clone()) {
                query.words.push(it.word);
            }
        }
        query.joined = joined(text, &concepts.list);
        query.concepts = concepts.list;
        query
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }
}

struct Asked {
    word: String,
    kind: WordKind,
    /// One character of a script without spaces, by itself.
    single: bool,
}

impl Asked {
    fn terms(&self) -> Vec<QueryTerm> {
        let exact = |space: Space, word: &str| QueryTerm::Exact(space.term(word));
        match self.kind {
            _ if self.single => vec![QueryTerm::Prefix(Space::Stem.term(&self.word))],
            _ if is_unspaced(&self.word) => vec![exact(Space::Stem, &self.word)],
            WordKind::Plain => vec![
                exact(Space::Stem, &stem(&self.word)),
                exact(Space::Name, &self.word),
            ],
            WordKind::Part => vec![exact(Space::Stem, &stem(&self.word))],
            // Someone may have written ScrubEnv in small letters, where it is a plain word.
            WordKind::Name if !self.word.contains(['-', '_']) => {
                vec![
                    exact(Space::Name, &self.word),
                    exact(Space::Stem, &stem(&self.word)),
                ]
            }
            WordKind::Name => vec![exact(Space::Name, &self.word)],
        }
    }
}

/// The words of a query without stop words.
fn asked(text: &str) -> Vec<Asked> {
    let mut all = Vec::new();
    let mut after_pair = false;
    Cutter::new().cut(text, &mut |word| {
        let single = is_unspaced(word.text) && characters(word.text).nth(1).is_none();
        // The last character of a run of several is in the pair before it.
        if !(single && after_pair) {
            all.push(Asked {
                word: word.text.to_owned(),
                kind: word.kind,
                single,
            });
        }
        after_pair = !single && is_unspaced(word.text);
    });
    let means = |it: &Asked| it.kind != WordKind::Plain || !is_stop_word(&it.word);
    if all.iter().any(means) {
        all.retain(means);
    }
    all
}

/// Concepts so far, and who has each term: no term is in two, so that none counts twice.
#[derive(Default)]
struct Concepts {
    list: Vec<Concept>,
    owners: HashMap<QueryTerm, usize>,
}

impl Concepts {
    /// The place of a word's concept: that of the first concept with a term of it, else a new one.
    fn add(&mut self, it: &Asked) -> usize {
        let terms = it.terms();
        let weight = if it.kind == WordKind::Name {
            NAME_WEIGHT
        } else {
            1.0
        };
        let place = terms
            .iter()
            .find_map(|term| self.owners.get(term).copied())
            .unwrap_or_else(|| {
                let (word, kind) = (it.word.clone(), it.kind);
                self.list.push(Concept {
                    word,
                    kind,
                    weight,
                    count: 0,
                    terms: Vec::new(),
                });
                self.list.len() - 1
            });
        if let Some(concept) = self.list.get_mut(place) {
            for term in terms {
                self.owners.entry(term).or_insert_with_key(|term| {
                    concept.terms.push(term.clone());
                    place
                });
            }
            concept.count = concept.count.saturating_add(1);
            concept.weight = concept.weight.max(weight);
            concept.kind = match (concept.kind, it.kind) {
                (WordKind::Name, _) | (_, WordKind::Name) => WordKind::Name,
                (WordKind::Part, _) | (_, WordKind::Part) => WordKind::Part,
                (WordKind::Plain, WordKind::Plain) => WordKind::Plain,
            };
        }
        place
    }
}

/// The quoted parts of a query. A quote opens where no letter or digit is before it (5" is not a phrase); one that nothing
/// closes is none.
fn phrases(text: &str) -> Vec<Phrase> {
    let mut found = Vec::new();
    let mut cutter = Cutter::new();
    let mut before = ' ';
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let closes: &[char] = match c {
            '"' => &['"'],
            '“' | '„' => &['”', '“'],
            _ => &[],
        };
        if !closes.is_empty() && !before.is_alphanumeric() {
            let quoted = text.get(at + c.len_utf8()..).unwrap_or_default();
            // Without a closing quote now there is none later either: one look to the end is enough.
            let Some(length) = quoted.find(closes) else {
                break;
            };
            let quoted = quoted.get(..length).unwrap_or_default();
            let mut words = Vec::new();
            cutter.cut(quoted, &mut |word| {
                words.extend(in_a_row(word.text, word.kind).map(str::to_owned))
            });
            if !words.is_empty() {
                found.push(Phrase {
                    text: quoted.to_owned(),
                    words,
                });
            }
            let length = quoted.chars().count();
            before = chars.nth(length).map_or(' ', |(_, c)| c);
        } else {
            before = c;
        }
    }
    found
}

/// What a word is in a row of words: itself; its first character if it is a pair, so that a run gives its characters in order;
/// nothing for a whole name, whose pieces came before.
pub(crate) fn in_a_row(word: &str, kind: WordKind) -> Option<&str> {
    match kind {
        WordKind::Name => None,
        _ if is_unspaced(word) => characters(word).next(),
        _ => Some(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(terms: &[&str]) -> Vec<QueryTerm> {
        terms
            .iter()
            .map(|term| QueryTerm::Exact(term.as_bytes().to_vec()))
            .collect()
    }

    fn terms(query: &str) -> Vec<Vec<QueryTerm>> {
        Query::new(query)
            .concepts
            .into_iter()
            .map(|concept| concept.terms)
            .collect()
    }

    #[test]
    fn both_spaces_are_asked() {
        assert_eq!(terms("tokens"), [exact(&["stoken", "ntokens"])]);
        assert_eq!(
            terms("ScrubEnv"),
            [
                exact(&["sscrub"]),
                exact(&["senv"]),
                exact(&["nscrubenv", "sscrubenv"])
            ]
        );
        assert_eq!(
            terms("index-grep"),
            [
                exact(&["sindex"]),
                exact(&["sgrep"]),
                exact(&["nindex-grep"])
            ]
        );
        assert_eq!(
            terms("__init__"),
            [exact(&["sinit"]), exact(&["n__init__"])]
        );
        assert_eq!(
            terms("DEC-0054"),
            [exact(&["sdec"]), exact(&["s0054"]), exact(&["ndec-0054"])]
        );
    }

    #[test]
    fn stop_words_are_left_out_unless_nothing_is_left() {
        assert_eq!(Query::new("what is the token").words, ["token"]);
        assert_eq!(Query::new("what is it").words, ["what", "is", "it"]);
        assert_eq!(Query::new("is_not").words, ["is", "not", "is_not"]);
        assert!(Query::new("→ …").is_empty());
    }

    #[test]
    fn a_term_is_in_one_concept() {
        let query = Query::new("runs running ScrubEnv scrub scrubenv");
        let seen: Vec<_> = query
            .concepts
            .iter()
            .map(|c| (c.word.as_str(), c.kind, c.count, c.weight))
            .collect();
        assert_eq!(
            seen,
            [
                ("runs", WordKind::Plain, 2, 1.0),
                ("scrub", WordKind::Part, 2, 1.0),
                ("env", WordKind::Part, 1, 1.0),
                ("scrubenv", WordKind::Name, 2, 4.0),
            ]
        );
        assert_eq!(
            query.concepts[0].terms,
            exact(&["srun", "nruns", "nrunning"])
        );
        assert_eq!(query.concepts[1].terms, exact(&["sscrub", "nscrub"]));
    }

    #[test]
    fn pairs_are_of_neighbours_without_stop_words() {
        assert_eq!(
            Query::new("cache of the token is stale").pairs,
            [(0, 1), (1, 2)]
        );
        assert_eq!(Query::new("fix ScrubEnv now").pairs, [(0, 1), (1, 2)]);
        assert_eq!(Query::new("run running runs").pairs, []);
        assert_eq!(Query::new("a b a b").pairs, [(0, 0); 0]);
        assert_eq!(Query::new("x y x y").pairs, [(0, 1), (1, 0)]);
    }

    #[test]
    fn scripts_without_spaces() {
        assert_eq!(terms("日本語"), [exact(&["s日本"]), exact(&["s本語"])]);
        assert_eq!(
            terms("本"),
            [[QueryTerm::Prefix("s本".as_bytes().to_vec())]]
        );
        assert_eq!(Query::new("日本 語").words, ["日本", "語"]);
        assert_eq!(Query::new("日本語 text").pairs, [(0, 1), (1, 2)]);
    }

    #[test]
    fn quoted_parts_are_phrases() {
        let phrases = |text| {
            Query::new(text)
                .phrases
                .into_iter()
                .map(|p| p.words)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            phrases(r#"why "the token Cache" fails"#),
            [["the", "token", "cache"]]
        );
        assert_eq!(
            phrases("“日本語 text” and \"ScrubEnv\""),
            [vec!["日", "本", "語", "text"], vec!["scrub", "env"]]
        );
        assert_eq!(phrases(r#"a 5" pipe and a 6" one"#), [[""; 0]; 0]);
        assert_eq!(phrases(r#"an "open one"#), [[""; 0]; 0]);
        assert_eq!(phrases(r#""" "a""b" "c""#), [["a"], ["b"], ["c"]]);
    }
}
