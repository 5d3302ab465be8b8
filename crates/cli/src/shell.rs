//! Words as a POSIX shell takes them, so that a command we print can be pasted.

use std::borrow::Cow;

use crate::safe;

/// One word, quoted if it needs to be. What a terminal would obey is made visible first.
pub(crate) fn quote(word: &str) -> Cow<'_, str> {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || "-_./:@%+=,".contains(c)
            || (!c.is_ascii() && c.is_alphanumeric())
    };
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", safe::line(word).replace('\'', r"'\''")))
}

/// A command line.
pub(crate) fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_command_means_the_same() {
        assert_eq!(
            join(["memfold", "recall", "3f9a1c02:812"]),
            "memfold recall 3f9a1c02:812"
        );
        assert_eq!(
            join(["a b", "", "it's", "$(x)"]),
            r"'a b' '' 'it'\''s' '$(x)'"
        );
        assert_eq!(join(["x\u{1b}[2J"]), "'x␛[2J'");
    }
}
