//! Headers that carry credentials: Bearer, Basic, cookies; and the private members of a JSON Web Key.

use crate::find::{Rank, Scan};
use crate::value::{Demand, Style, is_base64_pair, is_secret};

/// The private members of RFC 7518.
const PRIVATE: &[&[u8]] = &[b"d", b"p", b"q", b"dp", b"dq", b"qi", b"k"];

/// The longest name of a cookie.
const NAME: usize = 64;

impl Scan<'_> {
    fn run(&self, at: usize, wanted: impl Fn(u8) -> bool) -> &[u8] {
        let rest = self.text.get(at..).unwrap_or_default();
        let len = rest.iter().take_while(|b| wanted(**b)).count();
        rest.get(..len).unwrap_or_default()
    }

    pub(crate) fn bearer(&mut self, end: usize) {
        let token = self.run(end, |b| {
            b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b)
        });
        let dots = token.iter().rev().take_while(|b| **b == b'.').count();
        let token = token.get(..token.len() - dots).unwrap_or_default();
        if is_secret(token, Demand::Random, Style::Tight) {
            self.push(end..end + token.len(), "bearer-token", Rank::Place);
        }
    }

    pub(crate) fn basic(&mut self, end: usize) {
        let pair = self.run(end, |b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
        if pair.len() >= 8 && is_base64_pair(pair) {
            self.push(end..end + pair.len(), "basic-auth", Rank::Place);
        }
    }

    pub(crate) fn cookie(&mut self, end: usize) {
        if end <= self.cookies_read {
            return;
        }
        let mut at = end;
        loop {
            at += self.run(at, |b| b"; \t\"'\\:".contains(&b)).len();
            // A header is its pairs and attributes: the first words that are none end it.
            let name = self.run(at, |b| b.is_ascii_alphanumeric() || b"_.-%$".contains(&b));
            let name = name.get(..name.len().min(NAME)).unwrap_or_default();
            let after = self.text.get(at + name.len()).copied();
            if name.is_empty() || after != Some(b'=') && !is_attribute(name) {
                break;
            }
            at += name.len();
            if after == Some(b'=') {
                let value = self.run(at + 1, |b| {
                    !b.is_ascii_whitespace() && !b";\"'\\,<".contains(&b)
                });
                let range = at + 1..at + 1 + value.len();
                at = range.end;
                if is_secret(value, Demand::Random, Style::Tight) {
                    self.push(range, "cookie", Rank::Place);
                }
            }
        }
        self.cookies_read = at;
    }

    /// The members that follow `"kty"` up to the end of their object.
    pub(crate) fn jwk(&mut self, at: usize, end: usize) {
        if at < self.blocks_read {
            return;
        }
        let object = self.run(end, |b| b != b'}');
        let mut values = Vec::new();
        let mut from = end;
        for member in object.split(|b| *b == b',') {
            if let Some(colon) = memchr::memchr(b':', member) {
                let (name, value) = member.split_at(colon);
                let trim = |b: &u8| b"\"\\: \t\r\n{".contains(b);
                let name = trim_ends(name, trim).0;
                let (value, cut) = trim_ends(value, trim);
                if PRIVATE.contains(&name)
                    && value.len() >= 16
                    && value
                        .iter()
                        .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b))
                {
                    let start = from + colon + cut;
                    values.push(start..start + value.len());
                }
            }
            from += member.len() + 1;
        }
        self.blocks_read = end + object.len();
        for range in values {
            self.push(range, "jwk-private-key", Rank::Shape);
        }
    }
}

fn is_attribute(name: &[u8]) -> bool {
    [&b"secure"[..], b"httponly", b"partitioned"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// `text` without the bytes that `trim` names at both ends, and how many went at the head.
fn trim_ends(text: &[u8], trim: impl Fn(&u8) -> bool) -> (&[u8], usize) {
    let head = text.iter().take_while(|b| trim(b)).count();
    let rest = text.get(head..).unwrap_or_default();
    let tail = rest.iter().rev().take_while(|b| trim(b)).count();
    (rest.get(..rest.len() - tail).unwrap_or_default(), head)
}
