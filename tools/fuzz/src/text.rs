//! Any text: cut into the words that the slow reference cuts it into, wherever it lies; its chunks hold every line once; and
//! what is found of a query is where it is said to be.

use memfold_reference as reference;
use memfold_text::{
    Cutter, Matcher, Query, WordKind, chunks, lines, raw_space, shorten, stem, to_dictionary_term,
};

/// A query, a line feed and a text.
pub fn run(bytes: &[u8]) {
    let whole = String::from_utf8_lossy(bytes);
    let (query, text) = whole.split_once('\n').unwrap_or(("", &whole));
    words(text);
    words_lie_where_they_are_said_to(text);
    chunks_hold_every_line(text);
    found(&Query::new(query), text);
    assert_eq!(Query::new(query), Query::new(query));
}

fn cut(text: &str) -> Vec<(String, WordKind)> {
    let mut found = Vec::new();
    Cutter::new().cut(text, &mut |word| {
        found.push((word.text.to_owned(), word.kind));
    });
    found
}

fn words(text: &str) {
    let found = cut(text);
    let expected = reference::words(text);
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for ((word, kind), expected) in found.iter().zip(&expected) {
        assert_eq!(*word, expected.text);
        assert_eq!(
            *kind == WordKind::Name,
            expected.kind == reference::Kind::Name
        );
        let mut key = [&[raw_space(*kind)], word.as_bytes()].concat();
        to_dictionary_term(&mut key);
        let term = match expected.term() {
            reference::Term::Stem(stem) => format!("s{stem}"),
            reference::Term::Name(name) => format!("n{name}"),
        };
        assert_eq!(key, term.as_bytes());
        assert!(stem(word).len() <= word.len() + 1);
    }
    // Blocks and stretches begin elsewhere.
    let moved = format!("{}{text}", " ".repeat(61));
    assert_eq!(cut(&moved), found);
}

fn words_lie_where_they_are_said_to(text: &str) {
    let mut cutter = Cutter::new();
    let mut placed = Vec::new();
    cutter.cut_placed(text, &mut |word, at| {
        placed.push((word.text.to_owned(), at));
    });
    for (word, at) in placed {
        let own = text.get(at).expect("on characters' borders");
        assert!(cut(own).iter().any(|(other, _)| *other == word));
    }
}

fn chunks_hold_every_line(text: &str) {
    let (mut line, mut byte) = (1, 0);
    for chunk in chunks(text) {
        assert_eq!((chunk.lines.start, chunk.bytes.start), (line, byte));
        assert_eq!(lines::count(&text[chunk.bytes.clone()]), chunk.lines.len());
        let place = lines::range(text, chunk.lines.clone());
        assert_eq!(place, Some(chunk.bytes.clone()));
        (line, byte) = (chunk.lines.end, chunk.bytes.end);
    }
    assert_eq!((line, byte), (lines::count(text) + 1, text.len()));
    let own: Vec<&str> = lines::lines(text).map(|line| line.text).collect();
    assert_eq!(own, text.lines().collect::<Vec<_>>());
}

fn found(query: &Query, text: &str) {
    let mut matcher = Matcher::new(query);
    let mut all = std::collections::BTreeSet::new();
    matcher.find(text, &mut |concept, at| {
        assert!(concept < query.concepts.len() && text.get(at).is_some());
        all.insert(concept);
    });
    assert_eq!(matcher.distinct(text), all.len());
    assert_eq!(matcher.pairs(text).len(), query.pairs.len());
    assert_eq!(matcher.phrases(text).len(), query.phrases.len());
    for chars in [0, 1, 12, 240] {
        for line in matcher.best_lines(text, 3, chars) {
            // Two ellipses beside.
            assert!(line.text.chars().count() <= chars.max(2));
            let mut end = 0;
            for at in line.matches {
                assert!(at.start >= end && line.text.get(at.clone()).is_some());
                end = at.end;
            }
        }
        assert!(shorten(text, chars).chars().count() <= chars.max(1));
    }
}
