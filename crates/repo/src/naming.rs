//! Whether a query names a file: by writing its path, or a part of it, or by saying the words of its name. Pure.

use std::collections::HashSet;

use memfold_text::{Cutter, Query, QueryTerm, Space, WordKind, is_stop_word, stem};

/// A name has so many letters.
const LEAST_LETTERS: usize = 3;

/// How a query names a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// It writes the path, or whole components of it in a row; the last one's endings may be missing.
    Path,
    /// It has each word of the name, up to the first dot after its beginning, in whatever form; or that as one word.
    Name,
}

/// What a query says that may name a file.
pub(crate) struct Naming<'q> {
    paths: &'q [String],
    words: HashSet<&'q str>,
    terms: HashSet<&'q [u8]>,
    cutter: Cutter,
}

impl<'q> Naming<'q> {
    pub(crate) fn of(query: &'q Query) -> Naming<'q> {
        let terms = query.concepts.iter().flat_map(|concept| &concept.terms);
        let exact = |term: &'q QueryTerm| match term {
            QueryTerm::Exact(term) => Some(term.as_slice()),
            QueryTerm::Prefix(_) => None,
        };
        Naming {
            paths: &query.paths,
            words: query.concepts.iter().map(|it| it.word.as_str()).collect(),
            terms: terms.filter_map(exact).collect(),
            cutter: Cutter::new(),
        }
    }

    pub(crate) fn names(&mut self, path: &str) -> Option<Named> {
        let lower = path.to_lowercase();
        if self.paths.iter().any(|written| is_within(&lower, written)) {
            return Some(Named::Path);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.trim_start_matches('.').split('.').next()?;
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        let is_long = letters.count() >= LEAST_LETTERS;
        (is_long && (self.has_whole(name) || self.has_parts(name))).then_some(Named::Name)
    }

    fn has_whole(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.words.contains(name.as_str()) && !is_stop_word(&name)
    }

    fn has_parts(&mut self, name: &str) -> bool {
        let (mut parts, mut held) = (0, 0);
        let terms = &self.terms;
        self.cutter.cut(name, &mut |word| {
            if word.kind != WordKind::Name && !is_stop_word(word.text) {
                let term = Space::Stem.term(&stem(word.text));
                parts += 1;
                held += usize::from(terms.contains(term.as_slice()));
            }
        });
        parts > 0 && held == parts
    }
}

/// Whether whole components of a path, in a row, are those that are written.
fn is_within(path: &str, written: &str) -> bool {
    path.match_indices(written).any(|(at, _)| {
        let before = path.get(..at).and_then(|before| before.chars().next_back());
        let after = path.get(at + written.len()..);
        let after = after.and_then(|after| after.chars().next());
        matches!(before, None | Some('/')) && matches!(after, None | Some('/' | '.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(query: &str, path: &str) -> Option<Named> {
        Naming::of(&Query::new(query)).names(path)
    }

    #[test]
    fn by_the_words_of_its_name() {
        for (query, path) in [
            ("the type of a file", "src/types.rs"),
            ("where front matters are read", "docs/front-matter.md"),
            ("sendFile fails", "lib/sendFile.js"),
            ("sendfile fails", "lib/sendFile.js"),
            ("mark them in gitattributes", ".gitattributes"),
            ("what __init__ does", "app/__init__.py"),
            ("the up-to-date check", "src/up_to_date.c"),
        ] {
            assert_eq!(named(query, path), Some(Named::Name), "{query}: {path}");
        }
        for (query, path) in [
            ("a front page", "docs/front-matter.md"),
            ("complete rg now", "complete/_rg"),
            ("is it so", "src/so.rs"),
            ("how is it done by us", "how.md"),
            ("types", "types/a.rs"),
        ] {
            assert_eq!(named(query, path), None, "{query}: {path}");
        }
    }

    #[test]
    fn by_its_path() {
        for (query, path) in [
            ("coverage of utils.js", "test/utils.js"),
            ("log/rotate: keep one", "crates/log/rotate.rs"),
            ("log/rotate: keep one", "log/rotate/keep.rs"),
            ("in Lib/Response.js", "lib/response.js"),
            ("res.json with nothing", "test/res.json.js"),
            ("in `.gitattributes`", "docs/.gitattributes"),
        ] {
            assert_eq!(named(query, path), Some(Named::Path), "{query}: {path}");
        }
        for (query, path) in [
            ("in utils.js", "test/myutils.js"),
            ("in utils.js", "test/utils.json"),
            ("log/rotate", "catalog/rotate.d/a"),
        ] {
            assert_ne!(named(query, path), Some(Named::Path), "{query}: {path}");
        }
    }
}
