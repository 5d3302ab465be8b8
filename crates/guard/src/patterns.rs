//! A person's patterns for paths, written as in an ignore file. Relies on gix-glob for what git means by `*`, `**`, `?`
//! and `[…]`; all matching is without regard to case.

use gix_glob::Pattern;
use gix_glob::pattern::Case;
use gix_glob::wildmatch::Mode;
use thiserror::Error;

use crate::denylist::fold;
use crate::path::TreePath;

/// Patterns of which one is enough.
///
/// As in an ignore file: without a slash a pattern is any file's or folder's name, with one it begins at the root; a folder
/// takes all that lies below it; `/` at the end means folders alone. There is no `!`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    written: Vec<String>,
    parsed: Vec<Pattern>,
}

/// Why a text is no pattern here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{pattern}` is no pattern: {why}")]
pub struct BadPattern {
    /// As it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Each `**` may double the work of a match, so a pattern has few of them.
const MOST_STARS: usize = 8;

impl Patterns {
    /// The patterns, each checked.
    pub fn new<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Result<Self, BadPattern> {
        let mut all = Self::default();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let bad = |why| BadPattern {
                pattern: pattern.to_owned(),
                why,
            };
            if pattern.starts_with('!') {
                return Err(bad(
                    "a rule here only adds, so `!` has nothing to take back",
                ));
            }
            if pattern.matches("**").count() > MOST_STARS {
                return Err(bad("it has too many `**`"));
            }
            let parsed = Pattern::from_bytes_without_negation(fold(pattern.trim()).as_bytes())
                .ok_or_else(|| bad("it is empty"))?;
            all.written.push(pattern.to_owned());
            all.parsed.push(parsed);
        }
        Ok(all)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parsed.is_empty()
    }

    /// As they were written.
    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Whether one of them means the path, or a folder it lies in.
    pub fn matches(&self, path: &TreePath) -> bool {
        !self.is_empty() && self.matches_folded(&fold(path.as_str()))
    }

    fn matches_folded(&self, path: &str) -> bool {
        let ends = path
            .match_indices('/')
            .map(|(end, _)| (end, true))
            .chain([(path.len(), false)]);
        let mut name_from = None;
        for (end, is_folder) in ends {
            let part = path.get(..end).unwrap_or_default();
            let one = |pattern: &Pattern| {
                pattern.matches_repo_relative_path(
                    part.into(),
                    name_from,
                    Some(is_folder),
                    Case::Fold,
                    Mode::NO_MATCH_SLASH_LITERAL,
                )
            };
            if self.parsed.iter().any(one) {
                return true;
            }
            name_from = Some(end + 1);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let patterns = Patterns::new([pattern]).unwrap();
        patterns.matches(&TreePath::new(path).unwrap())
    }

    #[test]
    fn as_in_an_ignore_file() {
        for (pattern, path) in [
            ("*.secret", "a/b.Secret"),
            ("private", "a/private/b"),
            ("private/", "private/b"),
            ("/data/*.csv", "data/a.csv"),
            ("data/**/raw", "data/x/y/raw/z"),
            ("PRIVATE", "private"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("private/", "private"),
            ("/data/*.csv", "x/data/a.csv"),
            ("/data/*.csv", "data/x/a.csv"),
            ("*.secret", "a.secrets"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
        for pattern in ["", "  ", "!a", &"a**".repeat(9)] {
            Patterns::new([pattern]).unwrap_err();
        }
    }

    proptest! {
        #[test]
        fn a_name_taken_takes_all_below(name in "[a-z]{1,4}", before in "([a-z]{5}/){0,3}", after in "(/[a-z]{5}){0,3}") {
            let patterns = Patterns::new([&name]).unwrap();
            let path = TreePath::new(&format!("{before}{name}{after}")).unwrap();
            prop_assert!(patterns.matches(&path));
        }

        #[test]
        fn any_pattern_ends(pattern in "[a*?\\[\\]\\\\/!.-]{0,24}", path in "[a/.]{1,40}") {
            if let (Ok(patterns), Ok(path)) = (Patterns::new([pattern]), TreePath::new(&path)) {
                patterns.matches(&path);
            }
        }
    }
}
