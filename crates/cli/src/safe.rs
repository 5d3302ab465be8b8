//! The rim of the terminal: text of a log can hold escape sequences, overrides of the writing direction and invisible
//! tags. They are made visible here, wherever such text is printed. Idempotent: what comes out passes unchanged.

use std::borrow::Cow;

/// A line of text: controls become their pictures (`␛`), hidden characters their code (`<202E>`). Tabs stay.
/// The engine's own rule, applied once more.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    memfold::visible(text)
}

/// Whether a terminal acts on this character, or shows nothing where it stands.
pub(crate) fn is_hidden(c: char) -> bool {
    c != '\t' && matches!(memfold::visible(c.encode_utf8(&mut [0; 4])), Cow::Owned(_))
}

/// Text for a cell, a title or a message: as [`line()`], and every run of white space is one space.
pub(crate) fn inline(text: &str) -> String {
    let joined = text
        .split([' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    line(&joined).into_owned()
}

/// A path, for people.
pub(crate) fn path(path: &std::path::Path) -> String {
    line(&path.to_string_lossy()).replace('\t', "\u{2409}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_and_overrides_are_seen() {
        assert_eq!(line("\u{1b}[31mred\u{7}"), "␛[31mred␇");
        assert_eq!(
            line("a\u{202e}b\u{7f}\u{9b}c\u{2028}"),
            "a<202E>b␡<009B>c<2028>"
        );
        assert_eq!(line("tag \u{e0041}"), "tag <E0041>");
    }

    #[test]
    fn ordinary_text_of_any_script_is_not_touched() {
        for text in [
            "\tindented",
            "naïve café",
            "日本語 ไทย",
            "क्‍ष",
            "👩‍💻",
            "עברית",
            "",
        ] {
            assert!(
                matches!(line(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }

    #[test]
    fn a_title_is_one_line() {
        assert_eq!(inline("  fix\r\n\tthe   test\n"), "fix the test");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_twice_is_once(text in any::<String>()) {
            let once = line(&text).into_owned();
            prop_assert!(!once.chars().any(|c| c != '\t' && is_hidden(c)));
            prop_assert_eq!(line(&once), once.as_str());
        }
    }
}
