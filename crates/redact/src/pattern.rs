//! Patterns of tokens, compiled by the compiler: a rule's text becomes a row of parts in a table of the binary, so that
//! no pattern costs anything at start. Matching is greedy and never goes back: a test holds that no run can swallow
//! what follows it, and another that every pattern finds what the same regular expression finds.

use crate::rule::{Rule, Shape};
use crate::rules::ROOMS;
use std::ops::Range;

/// A set of ASCII bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Set([u64; 2]);

impl Set {
    pub(crate) const ALL: Self = Self([u64::MAX, u64::MAX]);

    #[inline]
    pub(crate) const fn contains(self, byte: u8) -> bool {
        let [low, high] = self.0;
        let half = if byte < 64 { low } else { high };
        byte < 128 && (half >> (byte & 63)) & 1 == 1
    }

    const fn with(self, byte: u8) -> Self {
        let [low, high] = self.0;
        match byte {
            0..64 => Self([low | 1 << byte, high]),
            64..128 => Self([low, high | 1 << (byte & 63)]),
            _ => self,
        }
    }

    const fn with_range(mut self, from: u8, to: u8) -> Self {
        let mut byte = from;
        while byte <= to && byte < 128 {
            self = self.with(byte);
            byte += 1;
        }
        self
    }

    /// `\d` and `\w`.
    const fn with_class(self, name: u8) -> Self {
        let digits = self.with_range(b'0', b'9');
        if name == b'd' {
            digits
        } else {
            digits
                .with_range(b'A', b'Z')
                .with_range(b'a', b'z')
                .with(b'_')
        }
    }
}

/// A part of a pattern.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// These bytes.
    Literal(&'static [u8]),
    /// From `min` to `max` bytes of a set.
    Run { set: Set, min: u16, max: u16 },
}

/// A compiled pattern: a row of `PARTS`.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    pub(crate) rule: &'static Rule,
    first: u16,
    len: u16,
}

/// The row of no pattern, for tables that are being filled.
static NO_RULE: Rule = Rule::token("", &[], "");

const fn byte_at(text: &[u8], at: usize) -> u8 {
    if let Some((_, rest)) = text.split_at_checked(at)
        && let Some(byte) = rest.first()
    {
        *byte
    } else {
        0
    }
}

/// The literal at the head of `text`, up to the next set.
const fn literal_len(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() && !matches!(byte_at(text, at), b'[' | b'\\') {
        at += 1;
    }
    at
}

/// A count after a set: `(min, max, length of its text)`.
const fn count(text: &[u8]) -> (u16, u16, usize) {
    if byte_at(text, 0) != b'{' {
        return (1, 1, 0);
    }
    let (mut min, mut value, mut at, mut comma) = (0u16, 0u16, 1, false);
    loop {
        match byte_at(text, at) {
            digit @ b'0'..=b'9' => value = value * 10 + (digit - b'0') as u16,
            b',' => (min, value, comma) = (value, 0, true),
            b'}' => break,
            _ => return (1, 0, 0),
        }
        at += 1;
    }
    (if comma { min } else { value }, value, at + 1)
}

/// The part at the head of `text`, and the length of its text.
const fn part(text: &'static [u8]) -> (Part, usize) {
    let literal = literal_len(text);
    if literal > 0 {
        let (head, _) = text.split_at(literal);
        return (Part::Literal(head), literal);
    }
    let mut set = Set([0, 0]);
    let mut at = 2;
    if byte_at(text, 0) == b'\\' {
        set = set.with_class(byte_at(text, 1));
    } else {
        at = 1;
        while at < text.len() && byte_at(text, at) != b']' {
            let byte = byte_at(text, at);
            if byte == b'\\' {
                set = set.with_class(byte_at(text, at + 1));
                at += 2;
            } else if byte_at(text, at + 1) == b'-' && byte_at(text, at + 2) != b']' {
                set = set.with_range(byte, byte_at(text, at + 2));
                at += 3;
            } else {
                set = set.with(byte);
                at += 1;
            }
        }
        at += 1;
    }
    let (_, rest) = text.split_at(at);
    let (min, max, len) = count(rest);
    (Part::Run { set, min, max }, at + len)
}

/// The first literal of a pattern: what must be there for it to be tried.
pub(crate) const fn keyword(text: &'static [u8]) -> &'static [u8] {
    let mut rest = text;
    while !rest.is_empty() {
        let (part, len) = part(rest);
        if let Part::Literal(bytes) = part {
            return bytes;
        }
        (_, rest) = rest.split_at(len);
    }
    &[]
}

/// The patterns of a rule and whether they are looked for by themselves.
const fn patterns_of(rule: &Rule) -> (&'static [&'static str], bool) {
    match rule.shape() {
        Shape::Token(patterns) => (patterns, true),
        Shape::Named { patterns, .. } => (patterns, false),
        _ => (&[], false),
    }
}

struct Compiled<const PATTERNS: usize, const PARTS: usize> {
    patterns: [Pattern; PATTERNS],
    parts: [Part; PARTS],
    counts: (usize, usize),
}

/// Compiles every pattern of `ROOMS`, tokens' or named values', in order. With no room for a row it only counts.
// Runs in the compiler alone: an index out of bounds there is an error of the build.
#[allow(clippy::indexing_slicing)]
const fn compile<const PATTERNS: usize, const PARTS: usize>(
    tokens: bool,
) -> Compiled<PATTERNS, PARTS> {
    let mut patterns = [Pattern {
        rule: &NO_RULE,
        first: 0,
        len: 0,
    }; PATTERNS];
    let mut parts = [Part::Literal(&[]); PARTS];
    let (mut pattern_at, mut part_at, mut room) = (0, 0, 0);
    while room < ROOMS.len() {
        let mut row = 0;
        while row < ROOMS[room].len() {
            let (texts, is_token) = patterns_of(&ROOMS[room][row]);
            let mut nth = 0;
            while nth < texts.len() && is_token == tokens {
                let first = part_at;
                let mut rest = texts[nth].as_bytes();
                while !rest.is_empty() {
                    let (part, len) = part(rest);
                    if PARTS > 0 {
                        parts[part_at] = part;
                    }
                    part_at += 1;
                    (_, rest) = rest.split_at(len);
                }
                if PATTERNS > 0 {
                    patterns[pattern_at] = Pattern {
                        rule: &ROOMS[room][row],
                        first: first as u16,
                        len: (part_at - first) as u16,
                    };
                }
                pattern_at += 1;
                nth += 1;
            }
            row += 1;
        }
        room += 1;
    }
    Compiled {
        patterns,
        parts,
        counts: (pattern_at, part_at),
    }
}

const TOKENS: (usize, usize) = compile::<0, 0>(true).counts;
const VALUES: (usize, usize) = compile::<0, 0>(false).counts;
static TOKEN_TABLE: Compiled<{ TOKENS.0 }, { TOKENS.1 }> = compile(true);
static VALUE_TABLE: Compiled<{ VALUES.0 }, { VALUES.1 }> = compile(false);

/// How many patterns of tokens there are.
pub(crate) const TOKEN_COUNT: usize = TOKENS.0;

/// The pattern of a keyword's token.
pub(crate) fn token(nth: usize) -> Option<Pattern> {
    TOKEN_TABLE.patterns.get(nth).copied()
}

/// The patterns of values that a name announces.
pub(crate) fn values() -> impl Iterator<Item = Pattern> {
    VALUE_TABLE.patterns.iter().copied()
}

impl Pattern {
    fn parts(self, table: &'static [Part]) -> &'static [Part] {
        let first = usize::from(self.first);
        table
            .get(first..first + usize::from(self.len))
            .unwrap_or_default()
    }

    /// The token whose keyword begins at `at`, if it stands by itself there.
    pub(crate) fn token_at(self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let mut parts = self.parts(&TOKEN_TABLE.parts);
        let mut start = at;
        let mut fore = Set([0, 0]);
        if let [Part::Run { set, min, max }, rest @ ..] = parts {
            parts = rest;
            fore = *set;
            let before = text
                .get(at.saturating_sub(usize::from(*max))..at)
                .unwrap_or_default();
            let len = before
                .iter()
                .rev()
                .take_while(|b| set.contains(**b))
                .count();
            if len < usize::from(*min) {
                return None;
            }
            start = at - len;
        } else if let [Part::Literal(_), Part::Run { set, .. }, ..] = parts {
            fore = *set;
        }
        // A run of the body's own bytes is read once only, from its start: this keeps the whole linear.
        if !crate::edge::opens(text, start, fore) {
            return None;
        }
        let end = run(parts, text, at)?;
        crate::edge::closes(text, end).then_some(start..end)
    }

    /// Whether the whole of `value` has this shape.
    pub(crate) fn is_all_of(self, value: &[u8]) -> bool {
        run(self.parts(&VALUE_TABLE.parts), value, 0) == Some(value.len())
    }
}

/// Where the parts end, if they all match from `at` on and the last run could not go on.
fn run(parts: &[Part], text: &[u8], mut at: usize) -> Option<usize> {
    for (nth, part) in parts.iter().enumerate() {
        let rest = text.get(at..)?;
        match part {
            Part::Literal(bytes) => {
                if !rest.starts_with(bytes) {
                    return None;
                }
                at += bytes.len();
            }
            Part::Run { set, min, max } => {
                let max = usize::from(*max);
                let len = rest
                    .iter()
                    .take(max)
                    .take_while(|b| set.contains(**b))
                    .count();
                let last = nth + 1 == parts.len();
                if len < usize::from(*min)
                    || (last && rest.get(len).is_some_and(|b| set.contains(*b)))
                {
                    return None;
                }
                at += len;
            }
        }
    }
    Some(at)
}

/// The bytes that may follow a pattern's keyword.
pub(crate) const fn after_keyword(text: &'static [u8]) -> Set {
    let mut rest = text;
    let mut seen = false;
    while !rest.is_empty() {
        let (part, len) = part(rest);
        match part {
            Part::Run { set, .. } if seen => return set,
            Part::Run { .. } => {}
            Part::Literal(_) => seen = true,
        }
        (_, rest) = rest.split_at(len);
    }
    Set::ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = (Pattern, &'static [Part])> {
        let tokens = TOKEN_TABLE
            .patterns
            .iter()
            .map(|p| (*p, p.parts(&TOKEN_TABLE.parts)));
        tokens.chain(
            VALUE_TABLE
                .patterns
                .iter()
                .map(|p| (*p, p.parts(&VALUE_TABLE.parts))),
        )
    }

    #[test]
    fn no_run_swallows_what_follows_it() {
        let mut bad = Vec::new();
        for (pattern, parts) in all() {
            for pair in parts.windows(2) {
                let [Part::Run { set, min, max }, next] = pair else {
                    continue;
                };
                let swallows = match next {
                    Part::Literal(bytes) => set.contains(bytes[0]),
                    Part::Run { set: next, .. } => {
                        (0..128).any(|b| set.contains(b) && next.contains(b))
                    }
                };
                if min != max && swallows {
                    bad.push(pattern.rule.kind());
                }
            }
        }
        assert_eq!(bad, Vec::<&str>::new());
    }

    #[test]
    fn counts_and_keywords_are_sound() {
        for (pattern, parts) in all() {
            for part in parts {
                if let Part::Run { min, max, set } = part {
                    assert!(
                        min <= max && *max > 0 && *set != Set([0, 0]),
                        "{}",
                        pattern.rule.kind()
                    );
                }
            }
        }
        for pattern in &TOKEN_TABLE.patterns {
            let parts = pattern.parts(&TOKEN_TABLE.parts);
            let leading = parts
                .iter()
                .take_while(|p| matches!(p, Part::Run { .. }))
                .count();
            assert!(
                leading <= 1,
                "{}: at most one run before the keyword",
                pattern.rule.kind()
            );
            let Some(Part::Literal(bytes)) = parts.get(leading) else {
                panic!("{}", pattern.rule.kind())
            };
            assert!(
                bytes.len() >= 3,
                "{}: a keyword of three bytes or more",
                pattern.rule.kind()
            );
        }
    }
}
