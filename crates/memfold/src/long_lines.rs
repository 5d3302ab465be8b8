//! Lines too long for a page are shown in parts, each a line with a number of its own: so whatever an event says can be read, and
//! no part is cut. A search's best lines and a recall's pages number them alike.

use memfold_text::lines::lines;

use crate::visible::shown_bytes;

/// A line is shown in so many bytes at most.
pub(crate) const LINE_BYTES: usize = 4000;
/// A part ends with a word where one ends within its last bytes.
const WORD_BYTES: usize = 200;

/// A text of which no line is too long, and the numbers of the lines that go on from the one before.
pub(crate) fn in_parts(text: String) -> (String, Vec<u64>) {
    // Shown, a character has no more than eight times its bytes.
    if no_line_is_longer(&text, LINE_BYTES / 8)
        || lines(&text)
            .all(|line| line.text.len() <= LINE_BYTES / 8 || shown(line.text) <= LINE_BYTES)
    {
        return (text, Vec::new());
    }
    let mut parted = String::with_capacity(text.len() + text.len() / LINE_BYTES + 1);
    let mut going_on = Vec::new();
    let mut number = 0u64;
    for line in lines(&text) {
        let mut rest = line.text;
        number += 1;
        while shown(rest) > LINE_BYTES {
            let (part, after) = rest.split_at(end_of_part(rest));
            parted.push_str(part);
            parted.push('\n');
            number += 1;
            going_on.push(number);
            rest = after;
        }
        parted.push_str(rest);
        let end = line.start + line.text.len();
        let ending = text.get(end..).unwrap_or_default();
        if ending.starts_with("\r\n") {
            parted.push_str("\r\n");
        } else if ending.starts_with('\n') {
            parted.push('\n');
        }
    }
    (parted, going_on)
}

/// Whether no line has more than so many bytes: told by looking back from where one would be too long.
fn no_line_is_longer(text: &str, most: usize) -> bool {
    let mut rest = text.as_bytes();
    while let Some(beginning) = rest.get(..=most) {
        match memchr::memrchr(b'\n', beginning) {
            Some(end) => rest = rest.get(end + 1..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

fn shown(text: &str) -> usize {
    text.chars().map(shown_bytes).sum()
}

/// Where the first part of a line that is too long ends: after a blank near its end, else between two characters.
fn end_of_part(line: &str) -> usize {
    let (mut bytes, mut end, mut blank) = (0, 0, None);
    for (at, c) in line.char_indices() {
        bytes += shown_bytes(c);
        if bytes > LINE_BYTES {
            break;
        }
        // A part that ended so would end in CRLF, of which nothing is shown.
        if c == '\r' {
            continue;
        }
        end = at + c.len_utf8();
        if c.is_whitespace() && bytes + WORD_BYTES > LINE_BYTES {
            blank = Some(end);
        }
    }
    match blank.unwrap_or(end) {
        // Nothing but carriage returns.
        0 => LINE_BYTES / 8,
        end => end,
    }
}

/// What is said of the lines of a page that go on from the one before; nothing if none does.
pub(crate) fn note(going_on: &[u64], first: u64, last: u64) -> Option<String> {
    const NAMED: usize = 12;
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in going_on
        .iter()
        .filter(|number| (first..=last).contains(number))
    {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *number => *end = *number,
            _ => runs.push((*number, *number)),
        }
    }
    if runs.is_empty() {
        return None;
    }
    let more = runs.len().saturating_sub(NAMED);
    let mut named: Vec<String> = runs
        .iter()
        .take(NAMED)
        .map(|(start, end)| match start == end {
            true => start.to_string(),
            false => format!("{start}-{end}"),
        })
        .collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    Some(format!(
        "each of these goes on from the line before it, as a line longer than {LINE_BYTES} bytes is shown in parts: {}",
        named.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visible::visible;
    use proptest::prelude::*;

    #[test]
    fn short_lines_stay_as_they_are() {
        let text = "one\r\ntwo\n\nfour".to_owned();
        assert_eq!(in_parts(text.clone()), (text, Vec::new()));
    }

    proptest! {
        #[test]
        fn lines_are_told_to_be_short(text in "(a{0,6}|é|\n|\r\n){0,12}", most in 0usize..8) {
            let longest = text.split('\n').map(str::len).max().unwrap_or(0);
            prop_assert_eq!(no_line_is_longer(&text, most), longest <= most);
        }
    }

    #[test]
    fn a_long_line_is_parted_at_words_and_says_so() {
        let text = format!("first\n{}\nlast", "word ".repeat(2000));
        let (parted, going_on) = in_parts(text);
        assert_eq!(going_on, [3, 4]);
        let shown: Vec<&str> = lines(&parted).map(|line| line.text).collect();
        assert_eq!((shown.len(), shown[0], shown[4]), (5, "first", "last"));
        assert!(shown[1].ends_with("word ") && shown[2].starts_with("word"));
        assert_eq!(
            note(&going_on, 1, 3).unwrap(),
            "each of these goes on from the line before it, as a line longer than 4000 bytes is shown in parts: 3"
        );
        assert_eq!(note(&going_on, 5, 5), None);
        assert!(note(&going_on, 1, 9).unwrap().ends_with(": 3-4"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_is_lost_and_every_part_fits(
            pieces in prop::collection::vec(("[a-c漢\u{202e}\u{1b}\t ]{0,40}", 0usize..300, "(\n|\r\n| )"), 0..12)
        ) {
            let text: String = pieces.iter().map(|(piece, times, end)| piece.repeat(*times) + end).collect();
            let (parted, going_on) = in_parts(text.clone());
            for line in lines(&parted) {
                prop_assert!(visible(line.text).len() <= LINE_BYTES);
            }
            let mut joined = String::new();
            let mut starts = lines(&parted).peekable();
            while let Some(line) = starts.next() {
                let end = starts.peek().map_or(parted.len(), |next| next.start);
                let whole = &parted[line.start..end];
                let goes_on = going_on.contains(&(line.number as u64 + 1));
                joined.push_str(if goes_on { line.text } else { whole });
            }
            prop_assert_eq!(joined, text);
        }
    }
}
