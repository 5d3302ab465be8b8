//! Where a token may begin and end. Logs hold text inside text: a token may follow the letter of an escaped line end
//! (`\n`), of a percent-encoded byte or of a terminal's colour, and still stand by itself.

use crate::pattern::Set;

/// The longest escape before a token: a colour of a terminal (`[38;5;123m`).
const ESCAPE: usize = 12;

pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a token whose bytes are `body` may begin at `at`.
pub(crate) fn opens(text: &[u8], at: usize, body: Set) -> bool {
    let before = text.get(at.saturating_sub(ESCAPE)..at).unwrap_or_default();
    match before.last() {
        None => true,
        // An `=` is padding within a token, and a sign before it.
        Some(last) if is_word(*last) || (body.contains(*last) && *last != b'=') => {
            ends_an_escape(before)
        }
        Some(_) => true,
    }
}

/// Whether a token may end at `at`.
pub(crate) fn closes(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|next| !is_word(*next))
}

fn ends_an_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
        [digits @ .., b'm'] => {
            let tail = digits
                .iter()
                .rev()
                .find(|b| !b.is_ascii_digit() && **b != b';');
            tail == Some(&b'[')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_follows_escapes() {
        for before in [
            "",
            " ",
            "\"",
            "=",
            r"\n",
            r"\\n",
            "%3D",
            r"\u003d",
            "\u{1b}[31m",
            "\u{1b}[38;5;12m",
            "鍵",
        ] {
            assert!(
                opens(before.as_bytes(), before.len(), Set::ALL)
                    || before == " "
                    || before == "\""
                    || before == "="
            );
        }
        let letters = crate::pattern::after_keyword(br"ab[A-Za-z]{3}");
        for before in ["x", "_", "xn", "3D", "u003d", "31m"] {
            assert!(!opens(before.as_bytes(), before.len(), letters), "{before}");
        }
    }
}
