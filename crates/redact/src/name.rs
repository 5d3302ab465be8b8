//! The names that values are given to: which of them say "this is a secret".

use crate::rule::{Rule, Shape};
use crate::rules::GENERIC;
use crate::value::Demand;

/// The longest name that is read.
pub(crate) const MAX: usize = 64;

/// A name without its case and its separators: `DB_PASSWORD` and `db.password` are `dbpassword`.
pub(crate) struct Name<'a> {
    written: &'a [u8],
    squeezed: [u8; MAX],
    len: usize,
}

/// What a secret's name says of its value.
#[derive(Clone, Copy)]
pub(crate) struct Secret {
    pub(crate) rule: &'static Rule,
    pub(crate) word: &'static str,
    pub(crate) demand: Demand,
}

/// The words of the rules `Assigned`, in order.
static WORDS: [(&str, &Rule); count_words()] = words();

const fn words_of(rule: &'static Rule) -> &'static [&'static str] {
    if let Shape::Assigned(words) = rule.shape() {
        words
    } else {
        &[]
    }
}

// The next two functions run in the compiler alone: an index out of bounds there is an error of the build.

#[allow(clippy::indexing_slicing)]
const fn count_words() -> usize {
    let (mut count, mut row) = (0, 0);
    while row < GENERIC.len() {
        count += words_of(&GENERIC[row]).len();
        row += 1;
    }
    count
}

#[allow(clippy::indexing_slicing)]
const fn words<const N: usize>() -> [(&'static str, &'static Rule); N] {
    let mut all = [("", &GENERIC[0]); N];
    let (mut len, mut row) = (0, 0);
    while row < GENERIC.len() {
        let words = words_of(&GENERIC[row]);
        let mut nth = 0;
        while nth < words.len() {
            all[len] = (words[nth], &GENERIC[row]);
            (len, nth) = (len + 1, nth + 1);
        }
        row += 1;
    }
    all
}

/// What may follow the word that counts: `API_KEY_2`, `token_prod`.
const ENDINGS: &[&str] = &[
    "value", "base", "raw", "plain", "dev", "prod", "test", "staging", "live", "base64", "b64",
    "string", "str", "default",
];

/// Words that are parts of other words, and count only as parts of a name.
const SHORT: &[&str] = &["pass", "pwd", "cred", "creds", "auth"];

/// Tokens of a text, of a page, of a program: no credentials.
const NO_CREDENTIAL: &[&str] = &[
    "next",
    "page",
    "continuation",
    "pad",
    "eos",
    "bos",
    "unk",
    "sep",
    "cls",
    "mask",
    "sync",
    "cancellation",
    "cancel",
    "prev",
    "previous",
    "stop",
    "start",
    "special",
    "idempotency",
    "paging",
    "cursor",
    "resume",
    "design",
    "per",
    "syntax",
];

impl<'a> Name<'a> {
    pub(crate) fn new(written: &'a [u8]) -> Self {
        let mut squeezed = [0; MAX];
        let mut len = 0;
        for (to, from) in squeezed
            .iter_mut()
            .zip(written.iter().filter(|b| b.is_ascii_alphanumeric()))
        {
            *to = from.to_ascii_lowercase();
            len += 1;
        }
        Self {
            written,
            squeezed,
            len,
        }
    }

    fn squeezed(&self) -> &[u8] {
        self.squeezed.get(..self.len).unwrap_or_default()
    }

    /// The rule of the word that ends this name, if it is a secret's.
    pub(crate) fn secret(&self) -> Option<Secret> {
        let whole = self.squeezed();
        let undigited = whole.trim_ascii_digits();
        let bare = ENDINGS
            .iter()
            .find_map(|e| undigited.strip_suffix(e.as_bytes()))
            .filter(|b| b.len() > 3);
        [Some(undigited), bare]
            .into_iter()
            .flatten()
            .find_map(|stem| {
                let (word, rule) = WORDS.iter().find(|(word, _)| self.ends_in(stem, word))?;
                let demand = if matches!(rule.kind(), "password" | "passphrase") {
                    Demand::Chosen
                } else {
                    Demand::Random
                };
                Some(Secret { rule, word, demand })
            })
    }

    fn ends_in(&self, stem: &[u8], word: &str) -> bool {
        if word.as_bytes().last() != stem.last() {
            return false;
        }
        if word == "_authtoken" {
            return self.written.ends_with(b"_authToken");
        }
        let Some(before) = stem.strip_suffix(word.as_bytes()) else {
            return false;
        };
        match word {
            "token" => !NO_CREDENTIAL
                .iter()
                .any(|no| before.ends_with(no.as_bytes())),
            "auth" => before.is_empty(),
            _ => !SHORT.contains(&word) || self.begins_part(before.len()),
        }
    }

    /// Whether a part of the written name begins after `count` of its letters and digits.
    fn begins_part(&self, count: usize) -> bool {
        let mut seen = 0;
        let mut last = b'_';
        for byte in self.written {
            if byte.is_ascii_alphanumeric() {
                if seen == count {
                    return !last.is_ascii_alphabetic()
                        || (last.is_ascii_lowercase() && byte.is_ascii_uppercase());
                }
                seen += 1;
            }
            last = *byte;
        }
        false
    }

    /// Whether the name holds one of these parts: a short one as a part of its own.
    pub(crate) fn holds(&self, names: &[&str]) -> bool {
        names.is_empty()
            || names.iter().any(|name| {
                if name.len() >= 5 {
                    memchr::memmem::find(self.squeezed(), name.as_bytes()).is_some()
                } else {
                    self.parts()
                        .any(|part| part.eq_ignore_ascii_case(name.as_bytes()))
                }
            })
    }

    /// The parts of the name as it is written: `fooBar_baz` has three.
    fn parts(&self) -> impl Iterator<Item = &'a [u8]> {
        self.written
            .split(|b| !b.is_ascii_alphanumeric())
            .flat_map(|part| {
                part.chunk_by(|a, b| !(a.is_ascii_lowercase() && b.is_ascii_uppercase()))
            })
            .filter(|part| !part.is_empty())
    }

    /// Whether the name is this word alone.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.squeezed() == word.as_bytes()
    }
}

trait TrimDigits {
    fn trim_ascii_digits(&self) -> &[u8];
}

impl TrimDigits for [u8] {
    fn trim_ascii_digits(&self) -> &[u8] {
        let digits = self.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        self.get(..self.len() - digits).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Option<&'static str> {
        Name::new(name.as_bytes()).secret().map(|s| s.rule.kind())
    }

    #[test]
    fn names_that_tell() {
        for (name, expected) in [
            ("DB_PASSWORD", "password"),
            ("dbPass", "password"),
            ("spring.datasource.password", "password"),
            ("client-secret", "client-secret"),
            ("X-Api-Key", "api-key"),
            ("AWS_SECRET_ACCESS_KEY", "secret-key"),
            ("GH_TOKEN_2", "token"),
            ("secret_key_base", "secret-key"),
            ("API_KEY_PROD", "api-key"),
        ] {
            assert_eq!(kind(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn names_that_do_not() {
        for name in [
            "next_token",
            "tokens",
            "token_count",
            "primary_key",
            "public_key",
            "compass",
            "password_file",
            "author",
            "keyboard",
            "cache-key",
        ] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
