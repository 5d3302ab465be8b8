//! Names that a query may mean by their parts: `max result tokens` for `max_result_tokens`. Adjacent plain words are joined
//! as code joins them and looked up as whole names, so that no word pair need be indexed, nor a candidate read again.

use std::collections::HashSet;

use crate::cut::{Cutter, WordKind};
use crate::query::{Concept, QueryTerm};
use crate::stop::is_stop_word;
use crate::term::Space;
use crate::wide::is_unspaced;

/// A name is sought by so many parts.
const PARTS: std::ops::RangeInclusive<usize> = 2..=3;
/// A longer query tells of a matter, not of a name: its words are not joined.
const WORDS: usize = 12;

/// The concepts of the names that adjacent plain words of a query may be parts of. None of their terms is in `asked`.
pub(crate) fn joined(text: &str, asked: &[Concept]) -> Vec<Concept> {
    let words = plain_words(text);
    if words.iter().flatten().count() > WORDS {
        return Vec::new();
    }
    let mut taken: HashSet<QueryTerm> = asked
        .iter()
        .flat_map(|concept| concept.terms.iter().cloned())
        .collect();
    let mut concepts = Vec::new();
    for parts in PARTS {
        for row in words.windows(parts) {
            let Some(row) = row
                .iter()
                .map(Option::as_deref)
                .collect::<Option<Vec<&str>>>()
            else {
                continue;
            };
            if row.iter().all(|word| is_stop_word(word)) {
                continue;
            }
            let spellings = ["_", "-", ""]
                .map(|between| QueryTerm::Exact(Space::Name.term(&row.join(between))));
            let terms: Vec<QueryTerm> = spellings
                .into_iter()
                .filter(|term| taken.insert(term.clone()))
                .collect();
            if !terms.is_empty() {
                concepts.push(Concept {
                    word: row.join("_"),
                    kind: WordKind::Name,
                    weight: 1.0,
                    count: 1,
                    terms,
                });
            }
        }
    }
    concepts
}

/// The plain words in order; nothing where a name or a word of a script without spaces stands between them.
fn plain_words(text: &str) -> Vec<Option<String>> {
    let mut words = Vec::new();
    Cutter::new().cut(text, &mut |word| {
        let plain = word.kind == WordKind::Plain && !is_unspaced(word.text);
        words.push(plain.then(|| word.text.to_owned()));
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    fn names(query: &str) -> Vec<String> {
        Query::new(query)
            .joined
            .into_iter()
            .map(|concept| concept.word)
            .collect()
    }

    #[test]
    fn adjacent_words_are_joined_as_code_joins_them() {
        let query = Query::new("scrub env");
        let exact = |term: &str| QueryTerm::Exact(term.as_bytes().to_vec());
        assert_eq!(query.joined.len(), 1);
        assert_eq!(
            query.joined[0].terms,
            [exact("nscrub_env"), exact("nscrub-env"), exact("nscrubenv")]
        );
        assert_eq!(
            names("max result tokens"),
            ["max_result", "result_tokens", "max_result_tokens"]
        );
    }

    #[test]
    fn a_name_parts_its_neighbours() {
        assert_eq!(names("fix ScrubEnv now"), [""; 0]);
        assert_eq!(names("read index-grep guard file"), ["guard_file"]);
    }

    #[test]
    fn stop_words_alone_and_long_queries_are_not_joined() {
        assert_eq!(names("what is this"), [""; 0]);
        assert_eq!(names("is not"), [""; 0]);
        assert_eq!(
            names("one two three four five six seven eight nine ten eleven twelve thirteen"),
            [""; 0]
        );
    }
}
