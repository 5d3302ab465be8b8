//! The lines of a text, as recall numbers them: from 1, ended by LF or CRLF, and no empty line after the last end.

use std::ops::Range;

use memchr::memchr;

/// A line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Where it starts in its text, in bytes.
    pub start: usize,
    /// The line, without LF or CRLF.
    pub text: &'a str,
}

/// An iterator over the lines of a text; made by [`lines`].
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: &'a str,
    start: usize,
    number: usize,
}

/// The lines of a text. Those of `str::lines`, numbered and placed.
///
/// ```
/// let lines: Vec<_> = memfold_text::lines::lines("one\r\ntwo\n").map(|line| (line.number, line.text)).collect();
/// assert_eq!(lines, [(1, "one"), (2, "two")]);
/// ```
pub fn lines(text: &str) -> Lines<'_> {
    Lines {
        rest: text,
        start: 0,
        number: 1,
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let length = memchr(b'\n', self.rest.as_bytes()).map_or(self.rest.len(), |at| at + 1);
        let (whole, rest) = self.rest.split_at_checked(length)?;
        let text = whole
            .strip_suffix('\n')
            .map_or(whole, |line| line.strip_suffix('\r').unwrap_or(line));
        let line = Line {
            number: self.number,
            start: self.start,
            text,
        };
        self.rest = rest;
        self.start += length;
        self.number += 1;
        Some(line)
    }
}

/// How many lines a text has.
pub fn count(text: &str) -> usize {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    ends + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The bytes of the lines `wanted` (numbers from 1, end excluded), with their line ends; `None` if the text has no such
/// first line. An end past the last line is the last line's.
///
/// ```
/// let text = "one\ntwo\nthree";
/// assert_eq!(memfold_text::lines::range(text, 2..9), Some(4..13));
/// assert_eq!(memfold_text::lines::range(text, 4..5), None);
/// ```
pub fn range(text: &str, wanted: Range<usize>) -> Option<Range<usize>> {
    let mut lines = lines(text)
        .skip_while(|line| line.number < wanted.start)
        .peekable();
    let start = lines.peek()?.start;
    let end = lines
        .find(|line| line.number >= wanted.end)
        .map_or(text.len(), |line| line.start);
    Some(start..end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_of_lines() {
        let texts = |text| lines(text).map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("\n"), [""]);
        assert_eq!(texts("a"), ["a"]);
        assert_eq!(texts("a\n\nb\n"), ["a", "", "b"]);
        assert_eq!(texts("a\r\nb\r\r\n\rc\r"), ["a", "b\r", "\rc\r"]);
        assert_eq!(range("a\nb\n", 1..2), Some(0..2));
        assert_eq!(range("a\nb\n", 2..2), Some(2..2));
        assert_eq!(range("a\nb\n", 3..9), None);
        assert_eq!(range("", 1..2), None);
    }

    proptest! {
        #[test]
        fn as_std_has_them(text in "[a\r\nü]{0,20}") {
            let ours: Vec<_> = lines(&text).map(|line| line.text).collect();
            prop_assert_eq!(&ours, &text.lines().collect::<Vec<_>>());
            prop_assert_eq!(ours.len(), count(&text));
            for line in lines(&text) {
                prop_assert!(text[line.start..].starts_with(line.text));
                let own = range(&text, line.number..line.number + 1).unwrap();
                prop_assert_eq!(text[own].lines().next(), Some(line.text));
            }
        }
    }
}
