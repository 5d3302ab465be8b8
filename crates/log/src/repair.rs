//! Makes lines readable that writers in other languages let through: JavaScript writes lone surrogates, a killed process
//! leaves half a character. Parse a line as it is first; only where that fails, repair it and parse again.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// A line's bytes as text; what is not UTF-8 becomes U+FFFD.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A line's JSON with what a strict parser rejects replaced, and nothing else changed: bytes that are not UTF-8 and the
/// escapes of lone surrogates (`\ud83d` without its other half) by U+FFFD, raw control characters inside strings by their
/// escapes. JSON that is broken otherwise stays broken.
///
/// ```
/// use memfold_log::repair;
///
/// let line = br#"{"text":"half a smile \ud83d"}"#;
/// assert!(serde_json::from_slice::<serde_json::Value>(line).is_err());
/// assert_eq!(repair::json(line), r#"{"text":"half a smile \ufffd"}"#);
/// ```
pub fn json(line: &[u8]) -> Cow<'_, str> {
    let line = text(line);
    if memchr(b'\\', line.as_bytes()).is_none() && !line.bytes().any(|byte| byte < b' ') {
        return line;
    }
    match repaired(&line) {
        Some(repaired) => Cow::Owned(repaired),
        None => line,
    }
}

/// Nothing where there is nothing to repair.
fn repaired(line: &str) -> Option<String> {
    let mut out = String::new();
    // Everything before it is in `out`.
    let mut copied = 0;
    let mut at = 0;
    let mut within = false;
    let bytes = line.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let (fix, length): (Cow<'_, str>, usize) = match byte {
            b'"' => {
                within = !within;
                ("".into(), 1)
            }
            b'\\' if within => match surrogate(bytes, at) {
                Some(Half::High) if surrogate(bytes, at + 6) == Some(Half::Low) => ("".into(), 12),
                Some(_) => ("\\ufffd".into(), 6),
                None => ("".into(), 2),
            },
            // A string's newline cannot be here; a tab or an escape character of a terminal can.
            0..b' ' if within => (format!("\\u{byte:04x}").into(), 1),
            _ if within => {
                at += run_of_plain(bytes.get(at..).unwrap_or_default());
                continue;
            }
            _ => {
                at += memchr2(b'"', b'\\', bytes.get(at + 1..).unwrap_or_default())
                    .map_or(bytes.len() - at, |more| more + 1);
                continue;
            }
        };
        if !fix.is_empty() {
            out.push_str(line.get(copied..at).unwrap_or_default());
            out.push_str(&fix);
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(line.get(copied..).unwrap_or_default());
    Some(out)
}

/// How many bytes of a string follow that need no look, the first of them known to be one.
fn run_of_plain(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| byte < b' ' || byte == b'"' || byte == b'\\')
        .unwrap_or(bytes.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// The half that the escape there names, if it is a surrogate's.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    match bytes.get(at..)?.first_chunk()? {
        [b'\\', b'u', b'd' | b'D', nibble, third, fourth]
            if third.is_ascii_hexdigit() && fourth.is_ascii_hexdigit() =>
        {
            match nibble {
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Half::High),
                b'c'..=b'f' | b'C'..=b'F' => Some(Half::Low),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn lone_halves_become_replacement_characters() {
        for (line, fixed) in [
            (r#"["\ud83d"]"#, r#"["\ufffd"]"#),
            (r#"["\ude00 x"]"#, r#"["\ufffd x"]"#),
            (r#"["\ud83d\ud83d\ude00"]"#, r#"["\ufffd\ud83d\ude00"]"#),
            (r#"["\uD83D\n"]"#, r#"["\ufffd\n"]"#),
            (r#"["\\ud83d"]"#, r#"["\\ud83d"]"#),
            (r#"["\\\ud83d"]"#, r#"["\\\ufffd"]"#),
            (r#"{"\ud83d":1}"#, r#"{"\ufffd":1}"#),
        ] {
            assert_eq!(json(line.as_bytes()), fixed);
            assert!(serde_json::from_str::<Value>(fixed).is_ok(), "{fixed}");
        }
    }

    #[test]
    fn control_characters_inside_strings_are_escaped() {
        let line = b"{\t\"a\": \"x\ty\x1b[0m\0\"}";
        let fixed = json(line);
        assert_eq!(fixed, "{\t\"a\": \"x\\u0009y\\u001b[0m\\u0000\"}");
        let value: Value = serde_json::from_str(&fixed).unwrap();
        assert_eq!(value["a"], "x\ty\x1b[0m\0");
    }

    #[test]
    fn bytes_that_are_not_utf8_become_replacement_characters() {
        let value: Value = serde_json::from_str(&json(b"{\"a\":\"caf\xE9\"}")).unwrap();
        assert_eq!(value["a"], "caf\u{fffd}");
        assert_eq!(text(b"\xFFx"), "\u{fffd}x");
    }

    #[test]
    fn broken_json_stays_broken() {
        for line in [
            &b"{\"a\":"[..],
            b"{\"a\":\"\\",
            b"{\"a\":\"\\u12",
            b"\0\0",
            b"\\ud83d",
        ] {
            assert!(serde_json::from_str::<Value>(&json(line)).is_err());
        }
    }

    proptest! {
        #[test]
        fn json_is_not_touched(value in "[ -~]{0,20}", other in "\\PC{0,20}") {
            let line = serde_json::to_vec(&serde_json::json!({ "a": value, "b": [other] })).unwrap();
            prop_assert!(matches!(json(&line), Cow::Borrowed(_)));
        }

        #[test]
        fn any_bytes_in_a_string_can_be_read(
            bytes in proptest::collection::vec(any::<u8>().prop_filter("ends the string", |b| !b"\"\\".contains(b)), 0..40),
            half in "(\\\\u[dD][89a-fA-F][0-9a-f]{2}){0,3}",
        ) {
            let line = [b"{\"a\":\"", bytes.as_slice(), half.as_bytes(), b"\"}"].concat();
            prop_assert!(serde_json::from_str::<Value>(&json(&line)).is_ok(), "{:?}", json(&line));
        }
    }
}
