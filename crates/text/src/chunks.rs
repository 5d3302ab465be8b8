//! A file's chunks: what the repository search ranks. The rule has no parser and no grammar: it is the one that a replay of
//! agents' real searches measured before the project began, and other sizes gained nothing.

use std::ops::Range;

use memchr::memchr_iter;

/// A declaration starts a new chunk once the one before it has this many lines.
pub const LEAST_LINES: usize = 20;
/// A chunk has at most this many lines.
pub const MOST_LINES: usize = 80;

/// Some lines of a text that are ranked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The numbers of its lines, from 1, end excluded.
    pub lines: Range<usize>,
    /// Its bytes, line ends included.
    pub bytes: Range<usize>,
}

/// Cuts a text into chunks. Together they hold every line once, in order.
///
/// ```
/// let text = "x = 1\n".repeat(25) + "def run():\n    pass\n";
/// let chunks: Vec<_> = memfold_text::chunks(&text).map(|chunk| chunk.lines).collect();
/// assert_eq!(chunks, [1..26, 26..28]);
/// ```
pub fn chunks(text: &str) -> impl Iterator<Item = Chunk> {
    let mut ends = memchr_iter(b'\n', text.as_bytes());
    let (mut line, mut start) = (1, 0);
    std::iter::from_fn(move || {
        if start == text.len() {
            return None;
        }
        let from = line;
        let end = loop {
            line += 1;
            // Where the next line begins, if there is one.
            let next = ends.next().map_or(text.len(), |end| end + 1);
            let length = line - from;
            if next == text.len()
                || length >= MOST_LINES
                || length >= LEAST_LINES && text.get(next..).is_some_and(starts_chunk)
            {
                break next;
            }
        };
        let chunk = Chunk {
            lines: from..line,
            bytes: start..end,
        };
        start = end;
        Some(chunk)
    })
}

/// Words that declare something in Go, JavaScript and Python when they stand in the first column, alone.
const DECLARATIONS: [&str; 8] = [
    "func", "type", "var", "const", "function", "class", "export", "def",
];
/// The starts of a declaration in Scheme, and of headings in Markdown and TeX.
const OPENINGS: [&str; 4] = ["(define", "#", "\\chapter", "\\section"];

/// Whether a line, the first one of the text, begins, in its first column, a declaration or a heading; in any file.
pub fn starts_chunk(line: &str) -> bool {
    // Most lines are indented, or begin with another letter.
    let Some(b'(' | b'#' | b'\\' | b'c'..=b'f' | b't' | b'v') = line.as_bytes().first() else {
        return false;
    };
    OPENINGS.iter().any(|opening| line.starts_with(opening))
        || DECLARATIONS.iter().any(|word| {
            line.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The first lines of the chunks, and the end.
    fn borders(text: &str) -> Vec<usize> {
        let starts = chunks(text).map(|chunk| chunk.lines.start);
        starts
            .chain(chunks(text).last().map(|chunk| chunk.lines.end))
            .collect()
    }

    fn file(lines: usize, starts: &[usize]) -> String {
        (1..=lines)
            .map(|n| {
                if starts.contains(&n) {
                    "func f() {\n"
                } else {
                    "\tx\n"
                }
            })
            .collect()
    }

    #[test]
    fn a_declaration_starts_a_chunk_after_twenty_lines() {
        assert_eq!(borders(&file(50, &[20])), [1, 51]);
        assert_eq!(borders(&file(50, &[21])), [1, 21, 51]);
        assert_eq!(borders(&file(50, &[10, 25, 30, 46])), [1, 25, 46, 51]);
    }

    #[test]
    fn a_chunk_has_at_most_eighty_lines() {
        assert_eq!(borders(&file(80, &[])), [1, 81]);
        assert_eq!(borders(&file(170, &[])), [1, 81, 161, 171]);
        assert_eq!(borders(&file(170, &[90, 101])), [1, 81, 101, 171]);
    }

    #[test]
    fn few_lines_and_none() {
        assert_eq!(borders(""), [0; 0]);
        assert_eq!(borders("\n"), [1, 2]);
        assert_eq!(borders("a\nb"), [1, 3]);
        assert_eq!(
            chunks("a\nb").next(),
            Some(Chunk {
                lines: 1..3,
                bytes: 0..3
            })
        );
    }

    #[test]
    fn what_starts_a_chunk() {
        for line in [
            "func (s *T) f()",
            "type T",
            "var",
            "const x",
            "function()",
            "class A:",
            "export {",
            "def f",
            "def(",
            "(define (f)",
            "(defined",
            "# Title",
            "#include",
            "\\chapter{A}",
            "\\section*{B}",
            "class-name",
        ] {
            assert!(starts_chunk(line), "{line}");
        }
        for line in [
            "",
            " func f",
            "functional",
            "types",
            "variable",
            "const_x",
            "defé",
            "fn main",
            "\\subsection",
            "(def x",
        ] {
            assert!(!starts_chunk(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_line_is_in_one_chunk(lines in proptest::collection::vec("(func f|# t|x||é)\r?", 0..300), end in any::<bool>()) {
            let text = lines.join("\n") + if end { "\n" } else { "" };
            let (mut line, mut byte) = (1, 0);
            for chunk in chunks(&text) {
                prop_assert_eq!((chunk.lines.start, chunk.bytes.start), (line, byte));
                prop_assert!(!chunk.lines.is_empty() && chunk.lines.len() <= MOST_LINES);
                prop_assert_eq!(crate::lines::count(&text[chunk.bytes.clone()]), chunk.lines.len());
                (line, byte) = (chunk.lines.end, chunk.bytes.end);
            }
            prop_assert_eq!((line, byte), (crate::lines::count(&text) + 1, text.len()));
        }
    }
}
