//! Ignore rules: git's, of which the last one that matches in the nearest file decides. Relies on gix-ignore and gix-glob for
//! what a line and a pattern mean; what is added here are bounds, since a stranger wrote the files.

use std::borrow::Cow;
use std::sync::Arc;

use gix_glob::Pattern;
use gix_glob::pattern::Case as GlobCase;
use gix_glob::wildmatch::Mode;

use super::clock::Work;

/// Whether names that differ in case alone are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Folded,
}

impl Case {
    /// A path as it is compared.
    pub(super) fn fold(self, path: &str) -> Cow<'_, str> {
        match self {
            Self::Folded if path.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                Cow::Owned(path.to_ascii_lowercase())
            }
            _ => Cow::Borrowed(path),
        }
    }

    fn of_globs(self) -> GlobCase {
        match self {
            Self::Sensitive => GlobCase::Sensitive,
            Self::Folded => GlobCase::Fold,
        }
    }
}

/// Each `**` may double the work of a match, and there is no leaving a match before it ends.
const MOST_STARS: usize = 10;

/// The rules that hold in a folder: those of one file, and the weaker ones of files above.
#[derive(Debug)]
pub(super) struct Rules {
    patterns: Vec<(Pattern, u32)>,
    /// The length of the folder's path that the patterns are relative to, its slash included.
    base: usize,
    weaker: Option<Arc<Rules>>,
}

/// The rules of a folder, if there are any.
pub(super) type Scope = Option<Arc<Rules>>;

/// What rules say of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ignored,
    /// By a rule with `!`, or for want of a rule.
    Kept,
    /// The time was over before the rules were gone through.
    Undecided,
}

/// What a path is, for rules that mean folders alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    Folder,
    File,
}

impl Rules {
    /// The rules of a file in that folder, before those of `weaker`. Says how many were left out as too costly.
    pub(super) fn over(weaker: Scope, folder: &str, file: &[u8]) -> (Scope, usize) {
        // Git takes a carriage return away before every end of a line, that of the file included.
        let file = file.strip_suffix(b"\r").unwrap_or(file);
        let mut costly = 0;
        let mut patterns = Vec::new();
        for (pattern, _, _) in gix_ignore::parse(file, false) {
            let stars = pattern.text.windows(2).filter(|pair| pair == b"**").count();
            if stars > MOST_STARS {
                costly += 1;
            } else {
                patterns.push((pattern, 1 << stars));
            }
        }
        if patterns.is_empty() {
            return (weaker, costly);
        }
        let base = match folder.len() {
            0 => 0,
            len => len + 1,
        };
        let rules = Self {
            patterns,
            base,
            weaker,
        };
        (Some(Arc::new(rules)), costly)
    }
}

/// What the rules say of a path in their folder or below. A folder that is ignored hides all below it: that is for the caller
/// to keep.
pub(super) fn judge(scope: &Scope, path: &str, is: Is, case: Case, work: &mut Work<'_>) -> Verdict {
    let mut next = scope.as_deref();
    while let Some(rules) = next {
        let below = path.get(rules.base..).unwrap_or_default();
        let name_from = below.rfind('/').map(|slash| slash + 1);
        for (pattern, cost) in rules.patterns.iter().rev() {
            if work.is_too_much(*cost) {
                return Verdict::Undecided;
            }
            let matches = pattern.matches_repo_relative_path(
                below.into(),
                name_from,
                Some(is == Is::Folder),
                case.of_globs(),
                Mode::NO_MATCH_SLASH_LITERAL,
            );
            if matches {
                return match pattern.is_negative() {
                    true => Verdict::Kept,
                    false => Verdict::Ignored,
                };
            }
        }
        next = rules.weaker.as_deref();
    }
    Verdict::Kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::clock::Clock;
    use std::time::Duration;

    fn judged(file: &str, path: &str, is: Is) -> Verdict {
        let (scope, _) = Rules::over(None, "", file.as_bytes());
        let clock = Clock::new(Duration::from_secs(600));
        judge(&scope, path, is, Case::Sensitive, &mut Work::new(&clock))
    }

    #[test]
    fn the_last_rule_of_the_nearest_file_decides() {
        let (above, _) = Rules::over(None, "", b"*.log\n!keep.log\n/a/only\n");
        let (below, _) = Rules::over(above, "a", b"keep.log\n!other.log\n");
        let clock = Clock::new(Duration::from_secs(600));
        for (path, verdict) in [
            ("a/keep.log", Verdict::Ignored),
            ("a/other.log", Verdict::Kept),
            ("a/third.log", Verdict::Ignored),
            ("a/only", Verdict::Ignored),
            ("a/b", Verdict::Kept),
        ] {
            let mut work = Work::new(&clock);
            let judged = judge(&below, path, Is::File, Case::Sensitive, &mut work);
            assert_eq!(judged, verdict, "{path}");
        }
    }

    #[test]
    fn lines_end_as_git_ends_them() {
        for file in ["a\r\n", "a\r", "\u{feff}a\n", "a   \n", "# b\na"] {
            assert_eq!(judged(file, "a", Is::File), Verdict::Ignored, "{file:?}");
        }
        assert_eq!(judged("a/", "a", Is::File), Verdict::Kept);
        assert_eq!(judged("a/", "a", Is::Folder), Verdict::Ignored);
        assert_eq!(judged("$a", "$a", Is::File), Verdict::Ignored);
    }

    #[test]
    fn what_is_too_costly_is_left_out_and_said() {
        let evil = format!("{}x\n*.log\n", "**/a/".repeat(40));
        let (scope, costly) = Rules::over(None, "", evil.as_bytes());
        assert_eq!((scope.unwrap().patterns.len(), costly), (1, 1));
    }

    #[test]
    fn the_clock_ends_a_match_of_many_rules() {
        let many = "**/a/**/b/**/c/**/d/**/e/**/f/**/g/**/h/**/x\n".repeat(20_000);
        let (scope, _) = Rules::over(None, "", many.as_bytes());
        let path = "a/b/c/d/e/f/g/h/".repeat(60) + "y";
        let clock = Clock::new(Duration::ZERO);
        let mut work = Work::new(&clock);
        let judged = judge(&scope, &path, Is::File, Case::Sensitive, &mut work);
        assert_eq!(judged, Verdict::Undecided);
        assert!(work.is_too_much(1), "it stays so");
    }
}
