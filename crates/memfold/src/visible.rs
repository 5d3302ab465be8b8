//! Text from a log as it may be shown: control and bidirectional characters made visible, so that nothing in a log can
//! move a cursor, hide a line or forge one.

use std::borrow::Cow;
use std::fmt::Write;

/// A line of text with every control and bidirectional character made visible. Tabs stay; so does every letter.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Most lines are plain ASCII, and told so without taking their characters apart.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t');
    if text.bytes().all(is_plain) || !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            // Unicode has a picture for each C0 control character, from U+2400.
            '\0'..='\x1f' if is_unsafe(c) => {
                shown.push(
                    char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
                );
            }
            '\x7f' => shown.push('\u{2421}'),
            c if is_unsafe(c) => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "<{:04X}>", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// How many bytes a character has as it is shown.
pub(crate) fn shown_bytes(c: char) -> usize {
    match c {
        '\0'..='\x1f' | '\x7f' if is_unsafe(c) => 3,
        // `<202E>`: four digits or more.
        c if is_unsafe(c) => 8,
        c => c.len_utf8(),
    }
}

fn is_unsafe(c: char) -> bool {
    match c {
        '\t' => false,
        c if c.is_control() => true,
        // Bidirectional marks, embeddings, overrides and isolates; line and paragraph separators; invisible operators.
        '\u{200e}'
        | '\u{200f}'
        | '\u{061c}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        '\u{2028}'
        | '\u{2029}'
        | '\u{feff}'
        | '\u{2060}'..='\u{2064}'
        | '\u{200b}'
        | '\u{fff9}'..='\u{fffb}' => true,
        // Tags, which can carry a text that nobody sees.
        '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_letters_stay() {
        assert_eq!(visible("plain → ßあ\t"), "plain → ßあ\t");
        assert_eq!(visible("\x1b[31mred\r"), "\u{241b}[31mred\u{240d}");
        assert_eq!(visible("a\u{202e}b"), "a<202E>b");
        assert_eq!(visible(&visible("\x1b\u{2066}")), visible("\x1b\u{2066}"));
        for c in [
            'a',
            'ß',
            'あ',
            '\t',
            '\0',
            '\x7f',
            '\u{85}',
            '\u{202e}',
            '\u{e0041}',
        ] {
            assert!(visible(&c.to_string()).len() <= shown_bytes(c), "{c:?}");
        }
    }
}
