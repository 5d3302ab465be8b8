//! The keywords of all rules in one automaton of two tables, both made by the compiler: a filter that is asked at every
//! second byte, and the lists of keywords behind it.
//!
//! The filter knows three bytes (case folded) and three bits of a fourth. A keyword of four bytes or more is entered at
//! its first and at its second byte, so one of the two falls on an even place; one of three bytes is entered at its first
//! byte and at the byte before it, whichever that is. That makes about one step of a few instructions for two bytes of text.

use crate::pattern::{Set, TOKEN_COUNT, after_keyword, keyword};
use crate::rule::{Rule, Shape};
use crate::rules::ROOMS;

/// What is done where a keyword stands.
#[derive(Clone, Copy)]
pub(crate) enum Job {
    /// A pattern of a token.
    Token(usize),
    /// A name that may be a secret's.
    Name,
    /// `://`.
    Url,
    /// The line that opens an armoured block.
    Block,
    /// A command with a flag that takes a password.
    Command(&'static Rule),
    /// `login` of a netrc file.
    Login,
    Bearer,
    Basic,
    Cookie,
    OracleConnect,
    Pgpass,
    Jwk,
}

pub(crate) struct Keyword {
    pub(crate) text: &'static [u8],
    pub(crate) job: Job,
    /// Whether upper and lower case are the same.
    fold: bool,
    /// What may follow it.
    after: Set,
}

/// What the names of secrets hold.
///
/// Rare pieces of them, so that the filter lets little else through: `ntkey` is in `accountKey` and `client_key` has
/// `_key`.
pub(crate) const NAMES: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "_key",
    "-key",
    "api key",
    "access key",
    "pikey",
    "sskey",
    "ntkey",
    "tekey",
    "thkey",
    "ppkey",
    "erkey",
    "ngkey",
    "onkey",
    "edkey",
    "sekey",
    "cekey",
    "gekey",
    "oykey",
    "tokey",
    "eskey",
    "ackey",
    "shkey",
    "minkey",
    "redential",
    "creds",
    "_cred",
    "auth\"",
    "auth\\",
    "_auth",
    "thorization",
    "identified by",
    "nnwort",
    "trasena",
    "senha",
];
pub(crate) const URL: &str = "://";
pub(crate) const BLOCKS: &[&str] = &["-----BEGIN ", "---- BEGIN ", "Private-Lines:"];

/// Keywords that are not a pattern's: text, job, whether case is folded.
const OTHERS: &[(&[&str], Job, bool)] = &[
    (NAMES, Job::Name, true),
    (&[URL], Job::Url, false),
    (BLOCKS, Job::Block, false),
    (&["login "], Job::Login, false),
    (&["bearer "], Job::Bearer, true),
    (&["basic "], Job::Basic, true),
    (&["cookie:", "cookie\":", "cookie\\\":"], Job::Cookie, true),
    (
        &["oracle:thin:", "oracle:oci:", "oracle:oci8:"],
        Job::OracleConnect,
        false,
    ),
    (&[":5432:", ":5433:", ":6432:"], Job::Pgpass, false),
    (&["\"kty\"", "\\\"kty\\\""], Job::Jwk, false),
];

const FILTER_BITS: u32 = 14;
const LIST_BITS: u32 = 12;
const NONE: u16 = u16::MAX;

struct Index<const N: usize> {
    keywords: [Keyword; N],
    /// The first keyword of each list, and the next one of each keyword.
    heads: [u16; 1 << LIST_BITS],
    next: [u16; N],
    filter: [u8; 1 << FILTER_BITS],
}

/// Three folded bytes, spread.
#[inline]
const fn spread(gram: u32) -> u32 {
    (gram & 0x00ff_ffff).wrapping_mul(0x9e37_79b1)
}

const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

// The next four functions run in the compiler alone: an index out of bounds there is an error of the build.

#[allow(clippy::indexing_slicing)]
const fn count() -> usize {
    let (mut total, mut at, mut room) = (TOKEN_COUNT, 0, 0);
    while at < OTHERS.len() {
        total += OTHERS[at].0.len();
        at += 1;
    }
    while room < ROOMS.len() {
        let mut row = 0;
        while row < ROOMS[room].len() {
            if let Shape::Flag { .. } = ROOMS[room][row].shape() {
                total += 1;
            }
            row += 1;
        }
        room += 1;
    }
    total
}

#[allow(clippy::indexing_slicing)]
const fn collect<const N: usize>() -> [Keyword; N] {
    let mut all = [const {
        Keyword {
            text: &[],
            job: Job::Name,
            fold: false,
            after: Set::ALL,
        }
    }; N];
    let (mut len, mut tokens, mut room, mut at) = (0, 0, 0, 0);
    while room < ROOMS.len() {
        let mut row = 0;
        while row < ROOMS[room].len() {
            let rule = &ROOMS[room][row];
            match rule.shape() {
                Shape::Token(patterns) => {
                    let mut nth = 0;
                    while nth < patterns.len() {
                        let text = patterns[nth].as_bytes();
                        let after = after_keyword(text);
                        all[len] = Keyword {
                            text: keyword(text),
                            job: Job::Token(tokens),
                            fold: false,
                            after,
                        };
                        (len, tokens, nth) = (len + 1, tokens + 1, nth + 1);
                    }
                }
                Shape::Flag { command, .. } => {
                    let text = command.as_bytes();
                    all[len] = Keyword {
                        text,
                        job: Job::Command(rule),
                        fold: false,
                        after: Set::ALL,
                    };
                    len += 1;
                }
                _ => {}
            }
            row += 1;
        }
        room += 1;
    }
    while at < OTHERS.len() {
        let (texts, job, fold) = OTHERS[at];
        let mut nth = 0;
        while nth < texts.len() {
            all[len] = Keyword {
                text: texts[nth].as_bytes(),
                job,
                fold,
                after: Set::ALL,
            };
            (len, nth) = (len + 1, nth + 1);
        }
        at += 1;
    }
    all
}

/// Enters the bytes `a b c`, followed by one of the bits `fourth`.
#[allow(clippy::indexing_slicing)]
const fn enter(filter: &mut [u8; 1 << FILTER_BITS], a: u8, b: u8, c: u8, fourth: u8) {
    let gram = u32::from_le_bytes([fold(a), fold(b), fold(c), 0]);
    filter[(spread(gram) >> (32 - FILTER_BITS)) as usize] |= fourth;
}

#[allow(clippy::indexing_slicing)]
const fn index<const N: usize>() -> Index<N> {
    let keywords: [Keyword; N] = collect();
    let mut heads = [NONE; 1 << LIST_BITS];
    let mut next = [NONE; N];
    let mut filter = [0; 1 << FILTER_BITS];
    let mut nth = N;
    while nth > 0 {
        nth -= 1;
        let Keyword { text, after, .. } = &keywords[nth];
        let (mut any, mut byte) = (0u8, 0u8);
        while byte < 128 {
            if after.contains(byte) {
                any |= 1 << (fold(byte) & 7);
            }
            byte += 1;
        }
        if text.len() == 3 {
            enter(&mut filter, text[0], text[1], text[2], any);
            let mut before = 0;
            while before <= u8::MAX as u16 {
                enter(
                    &mut filter,
                    before as u8,
                    text[0],
                    text[1],
                    1 << (fold(text[2]) & 7),
                );
                before += 1;
            }
        } else {
            let fifth = if text.len() > 4 {
                1 << (fold(text[4]) & 7)
            } else {
                any
            };
            enter(
                &mut filter,
                text[0],
                text[1],
                text[2],
                1 << (fold(text[3]) & 7),
            );
            enter(&mut filter, text[1], text[2], text[3], fifth);
        }
        let gram = u32::from_le_bytes([fold(text[0]), fold(text[1]), fold(text[2]), 0]);
        let list = (spread(gram) >> (32 - LIST_BITS)) as usize;
        next[nth] = heads[list];
        heads[list] = nth as u16;
    }
    Index {
        keywords,
        heads,
        next,
        filter,
    }
}

static INDEX: Index<{ count() }> = index();

/// Whether a keyword may begin here or one byte away: `gram` is four folded bytes.
#[inline]
fn may_be(gram: u32) -> u8 {
    let row = INDEX
        .filter
        .get((spread(gram) >> (32 - FILTER_BITS)) as usize)
        .copied()
        .unwrap_or(0);
    (row >> ((gram >> 24) & 7)) & 1
}

/// Calls `visit` with each keyword of the text and where it begins, in order of place.
pub(crate) fn each(text: &[u8], mut visit: impl FnMut(usize, &'static Keyword)) {
    let mut at = 0;
    let mut rest = text;
    while let Some(window) = rest.first_chunk::<10>() {
        let hits = places(window);
        if hits != 0 {
            visit_window(text, at, hits, &mut visit);
        }
        at += 8;
        rest = rest.get(8..).unwrap_or_default();
    }
    // The bytes behind the text may belong to no keyword, but the filter knows keywords with what follows them.
    visit_window(text, at, 0b1_1111, &mut visit);
}

/// One bit for each of the four even places of a window.
#[inline]
fn places(window: &[u8; 10]) -> u8 {
    let [a, b, c, d, e, f, g, h, i, j] = *window;
    let folded = 0x2020_2020_2020_2020;
    let low = u64::from_le_bytes([a, b, c, d, e, f, g, h]) | folded;
    let high = u64::from_le_bytes([c, d, e, f, g, h, i, j]) | folded;
    may_be(low as u32)
        | may_be((low >> 16) as u32) << 1
        | may_be((low >> 32) as u32) << 2
        | may_be((high >> 32) as u32) << 3
}

#[inline(never)]
fn visit_window(
    text: &[u8],
    at: usize,
    mut hits: u8,
    visit: &mut impl FnMut(usize, &'static Keyword),
) {
    while hits != 0 {
        let place = at + 2 * hits.trailing_zeros() as usize;
        hits &= hits - 1;
        if let Some(before) = place.checked_sub(1) {
            visit_place(text, before, |len| len > 3, visit);
        }
        visit_place(text, place, |_| true, visit);
        visit_place(text, place + 1, |len| len == 3, visit);
    }
}

/// Visits the keywords that begin at `at`, of the lengths that are entered from where they are asked for.
#[inline]
fn visit_place(
    text: &[u8],
    at: usize,
    wanted: impl Fn(usize) -> bool,
    visit: &mut impl FnMut(usize, &'static Keyword),
) {
    let Some(rest) = text.get(at..) else { return };
    let Some([a, b, c]) = rest.first_chunk::<3>() else {
        return;
    };
    let gram = u32::from_le_bytes([fold(*a), fold(*b), fold(*c), 0]);
    let mut nth = INDEX
        .heads
        .get((spread(gram) >> (32 - LIST_BITS)) as usize)
        .copied()
        .unwrap_or(NONE);
    while let Some(keyword) = INDEX.keywords.get(usize::from(nth)) {
        let len = keyword.text.len();
        let same = rest.get(..len).is_some_and(|head| {
            // The last byte tells most of those apart that begin alike.
            let alike = head.last().map(|b| fold(*b)) == keyword.text.last().map(|b| fold(*b));
            alike
                && if keyword.fold {
                    head.eq_ignore_ascii_case(keyword.text)
                } else {
                    head == keyword.text
                }
        });
        if same && wanted(len) {
            visit(at, keyword);
        }
        nth = INDEX.next.get(usize::from(nth)).copied().unwrap_or(NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_at_every_place() {
        for keyword in &INDEX.keywords {
            assert!(keyword.text.len() >= 3, "{}", keyword.text.escape_ascii());
            let after = (0..128).find(|b| keyword.after.contains(*b)).unwrap();
            for before in 0..20 {
                for tail in 0..12 {
                    let mut text = vec![b' '; before];
                    text.extend(keyword.text);
                    text.extend(std::iter::repeat_n(after, tail));
                    let mut found = 0;
                    each(&text, |at, k| {
                        found += usize::from(at == before && std::ptr::eq(k, keyword))
                    });
                    let bare = tail == 0 && keyword.text.len() == 3;
                    assert!(
                        found == 1 || bare,
                        "{} at {before} with {tail}",
                        keyword.text.escape_ascii()
                    );
                }
            }
        }
    }

    #[test]
    fn places_come_in_order() {
        let text = "curl password=x token=y ghp_ eyJ :// ".repeat(50);
        let mut last = 0;
        each(text.as_bytes(), |at, _| {
            assert!(at >= last);
            last = at;
        });
        assert!(last > 1000);
    }
}
