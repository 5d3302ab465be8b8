//! The scan: keywords in order, each tried once, and the findings put in order.

use crate::keywords::{Job, each};
use crate::rule::Rule;
use std::ops::Range;

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its bytes, within one line.
    pub range: Range<usize>,
    /// The kind of the rule that found it.
    pub kind: &'static str,
}

/// What a placeholder begins with.
pub(crate) const OPENING: &str = "[redacted:";

/// How sure a rule is of its kind: the first names what several found alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Told by its own shape.
    Shape,
    /// Told by its place.
    Place,
}

/// A scan under way.
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a [u8],
    found: Vec<(Finding, Rank)>,
    /// Up to where names, blocks and cookies have been read.
    pub(crate) names_read: usize,
    pub(crate) blocks_read: usize,
    pub(crate) cookies_read: usize,
    /// Up to where each command's line has been read.
    pub(crate) commands_read: Vec<(&'static Rule, usize)>,
    /// The last line whose end was looked for, from where it was.
    line: Range<usize>,
    /// The end of a netrc file's `login` that has had no password yet.
    pub(crate) login: Option<usize>,
}

/// The credentials of a text, in order, apart from each other.
///
/// Where several rules meet, all that any of them found is one finding, and the leftmost, then the longest, then the
/// most particular one names it.
///
/// ```
/// let found = memfold_redact::find("redis://:S3cure!pw@cache:6379");
/// assert_eq!((found[0].kind, found[0].range.clone()), ("redis-url-password", 9..18));
/// ```
#[must_use]
pub fn find(text: &str) -> Vec<Finding> {
    let mut scan = Scan {
        text: text.as_bytes(),
        found: Vec::new(),
        names_read: 0,
        blocks_read: 0,
        cookies_read: 0,
        commands_read: Vec::new(),
        line: 0..0,
        login: None,
    };
    each(text.as_bytes(), |at, keyword| {
        let end = at + keyword.text.len();
        // What a finding holds announces nothing: it will be gone.
        if !matches!(keyword.job, Job::Token(_)) && scan.holds(at) {
            return;
        }
        match keyword.job {
            Job::Token(nth) => scan.token(nth, at, keyword.text.len()),
            Job::Name => scan.name(at, end),
            Job::Url => scan.url(at, end),
            Job::Block => scan.block(end),
            Job::Command(rule) => scan.command(rule, at, end),
            Job::Login => scan.login = Some(end),
            Job::Bearer => scan.bearer(end),
            Job::Basic => scan.basic(end),
            Job::Cookie => scan.cookie(end),
            Job::OracleConnect => scan.oracle_connect(end),
            Job::Pgpass => scan.pgpass(at, end),
            Job::Jwk => scan.jwk(at, end),
        }
    });
    merge(scan.found)
}

impl<'a> Scan<'a> {
    fn token(&mut self, nth: usize, at: usize, keyword: usize) {
        let Some(pattern) = crate::pattern::token(nth) else {
            return;
        };
        let Some(range) = pattern.token_at(self.text, at) else {
            return;
        };
        let before = self.text.get(range.start..at).unwrap_or_default();
        let after = self.text.get(at + keyword..range.end).unwrap_or_default();
        let body = if before.len() > after.len() {
            before
        } else {
            after
        };
        if !crate::value::is_filled_in(body) {
            self.push(range, pattern.rule.kind(), Rank::Shape);
        }
    }

    /// Notes a finding, unless it touches a placeholder: what was refused in the whole text is not found in the rest
    /// that a redaction left, so that redacting twice is redacting once.
    pub(crate) fn push(&mut self, range: Range<usize>, kind: &'static str, rank: Rank) {
        let Some(secret) = self.text.get(range.clone()) else {
            return;
        };
        let after = self.text.get(range.end..).unwrap_or_default();
        if secret.is_empty()
            || after.starts_with(OPENING.as_bytes())
            || memchr::memmem::find(secret, OPENING.as_bytes()).is_some()
            || self.is_after_placeholder(range.start)
            || self.is_in_placeholder(range.start)
        {
            return;
        }
        self.found.push((Finding { range, kind }, rank));
    }

    /// Whether `at` is in a late finding. A command's are noted before those of its own words, so not only the last.
    fn holds(&self, at: usize) -> bool {
        self.found
            .iter()
            .rev()
            .take(16)
            .any(|(finding, _)| finding.range.contains(&at))
    }

    /// Whether `at` follows a placeholder: what stood there before is not known.
    pub(crate) fn is_after_placeholder(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        before.strip_suffix(b"]").is_some_and(ends_in_placeholder)
    }

    /// Whether `at` is inside a placeholder's kind.
    pub(crate) fn is_in_placeholder(&self, at: usize) -> bool {
        ends_in_placeholder(self.text.get(..at).unwrap_or_default())
    }

    /// The end of the line of `at`. A long line is read once for all that ask.
    pub(crate) fn line_end(&mut self, at: usize) -> usize {
        if !self.line.contains(&at) {
            let rest = self.text.get(at..).unwrap_or_default();
            self.line = at..memchr::memchr(b'\n', rest).map_or(self.text.len(), |len| at + len);
        }
        self.line.end
    }
}

/// Whether `before` ends in `[redacted:` and letters of a kind.
fn ends_in_placeholder(before: &[u8]) -> bool {
    let kind = before
        .iter()
        .rev()
        .take(64)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    before
        .get(..before.len() - kind)
        .is_some_and(|before| before.ends_with(OPENING.as_bytes()))
}

fn merge(mut found: Vec<(Finding, Rank)>) -> Vec<Finding> {
    found.sort_by(|(a, a_rank), (b, b_rank)| {
        let key = |f: &Finding| (f.range.start, std::cmp::Reverse(f.range.end));
        key(a).cmp(&key(b)).then(a_rank.cmp(b_rank))
    });
    let mut merged: Vec<Finding> = Vec::with_capacity(found.len());
    for (finding, _) in found {
        match merged.last_mut() {
            Some(last) if finding.range.start < last.range.end => {
                last.range.end = last.range.end.max(finding.range.end)
            }
            _ => merged.push(finding),
        }
    }
    merged
}
