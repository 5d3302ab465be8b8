//! Which parts of a line are the words that were asked for. For eyes only: what matched was decided in the search.

use crate::style::{Line, MATCH, PLAIN};

/// The byte ranges of `text` where one of `words` begins a word or a part of a name, in order and apart.
pub(super) fn matches(text: &str, words: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        if begins(before, c) {
            let rest = text.get(at..).unwrap_or_default();
            if let Some(length) = words.iter().filter_map(|word| starts(rest, word)).max() {
                found.push((at, at + length));
            }
        }
        before = Some(c);
    }
    merge(found)
}

/// `text` with its matches painted.
pub(super) fn painted(text: &str, words: &[String]) -> Line {
    let mut line = Line::new();
    let mut from = 0;
    for (start, end) in matches(text, words) {
        line.push(PLAIN, text.get(from..start).unwrap_or_default());
        line.push(MATCH, text.get(start..end).unwrap_or_default());
        from = end;
    }
    line.push(PLAIN, text.get(from..).unwrap_or_default());
    line
}

/// A part of a name begins after anything but a letter or digit, and at `E` in `ScrubEnv`; anywhere in scripts
/// without spaces.
fn begins(before: Option<char>, c: char) -> bool {
    let Some(before) = before else { return true };
    !before.is_alphanumeric()
        || (before.is_lowercase() && c.is_uppercase())
        || (c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase())
}

/// How many bytes of `text`'s start spell `word`, whatever their case.
fn starts(text: &str, word: &str) -> Option<usize> {
    let mut asked = word.chars().flat_map(char::to_lowercase).peekable();
    asked.peek()?;
    for (at, c) in text.char_indices() {
        for lower in c.to_lowercase() {
            match asked.next() {
                Some(next) if next == lower => {}
                // The word ended before this character, or the text differs.
                None => return Some(at),
                Some(_) => return None,
            }
        }
        if asked.peek().is_none() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

fn merge(found: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::with_capacity(found.len());
    for (start, end) in found {
        match out.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => out.push((start, end)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(text: &str, words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        matches(text, &words)
            .into_iter()
            .map(|(start, end)| text[start..end].to_owned())
            .collect()
    }

    #[test]
    fn words_are_seen_at_the_start_of_words_and_parts() {
        assert_eq!(
            seen("denylist::symlink in Symlinks, unsymlink", &["symlink"]),
            ["symlink", "Symlink"]
        );
        assert_eq!(
            seen("ScrubEnv scrub_env SCRUB", &["env", "scrub"]),
            ["ScrubEnv", "scrub", "env", "SCRUB"]
        );
        assert_eq!(seen("東京都庁", &["京都"]), ["京都"]);
        assert_eq!(seen("GRÖSSE größe", &["größe"]), ["größe"]);
        assert_eq!(seen("nothing", &["", "x"]), [""; 0]);
    }

    proptest! {
        #[test]
        fn ranges_are_ordered_and_on_characters(text in any::<String>(), words in proptest::collection::vec("\\PC{0,3}", 0..4)) {
            let mut from = 0;
            for (start, end) in matches(&text, &words) {
                prop_assert!(from <= start && start < end);
                prop_assert!(text.get(start..end).is_some());
                from = end;
            }
        }
    }
}
