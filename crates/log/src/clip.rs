//! Leaves out the ends of over-long JSON strings while a line's bytes stream by, in memory bounded by [`Limits`].
//! What is kept depends on the line's bytes alone, not on how they arrive.

use memchr::{memchr, memchr2};

use crate::frame::{Content, Limits};

/// What is kept of one line. It need not be JSON: then what is kept is not either, but bounded all the same.
#[derive(Debug)]
pub(crate) struct Clipper {
    limits: Limits,
    kept: Vec<u8>,
    left_out: u64,
    place: Place,
    /// More than `limits.line` would have had to be kept.
    overflown: bool,
    /// All bytes so far are NULs.
    nul: bool,
    /// All bytes so far are white space.
    blank: bool,
    /// A carriage return that ended the last run: part of the line only if more of it comes.
    held_return: bool,
}

/// Where in the JSON the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Outside any string.
    Between,
    /// In a string of which everything is kept so far. Its content begins there in `kept`.
    Within { from: usize, escaped: bool },
    /// In a string whose rest is left out.
    Beyond { escaped: bool },
}

impl Clipper {
    pub(crate) fn new(limits: Limits) -> Clipper {
        Clipper {
            limits,
            kept: Vec::new(),
            left_out: 0,
            place: Place::Between,
            overflown: false,
            nul: true,
            blank: true,
            held_return: false,
        }
    }

    /// Begins a line.
    pub(crate) fn begin(&mut self) {
        self.kept.clear();
        self.left_out = 0;
        self.place = Place::Between;
        self.overflown = false;
        self.nul = true;
        self.blank = true;
        self.held_return = false;
    }

    /// Gives back the memory of a long line once it was used.
    pub(crate) fn release(&mut self) {
        if self.kept.capacity() > self.limits.buffer {
            self.kept = Vec::new();
        }
    }

    /// Takes the next bytes of the line, its newline never among them.
    pub(crate) fn push(&mut self, run: &[u8]) {
        let (run, returns) = match run {
            [run @ .., b'\r'] => (run, true),
            run => (run, false),
        };
        if run.is_empty() && !returns {
            return;
        }
        if std::mem::replace(&mut self.held_return, returns) {
            self.take(b"\r");
        }
        self.take(run);
    }

    fn take(&mut self, mut run: &[u8]) {
        self.nul = self.nul && run.iter().all(|&byte| byte == 0);
        self.blank = self.blank && run.iter().all(u8::is_ascii_whitespace);
        while !run.is_empty() && !self.overflown {
            let used = match self.place {
                Place::Between => self.between(run),
                Place::Within { from, escaped } => self.within(run, from, escaped),
                Place::Beyond { escaped } => self.beyond(run, escaped),
            };
            run = run.get(used..).unwrap_or_default();
        }
    }

    /// Keeps up to the next opening quote, it included.
    fn between(&mut self, run: &[u8]) -> usize {
        let (used, opened) = match memchr(b'"', run) {
            Some(quote) => (quote + 1, true),
            None => (run.len(), false),
        };
        self.keep(run.get(..used).unwrap_or(run));
        if opened {
            self.place = Place::Within {
                from: self.kept.len(),
                escaped: false,
            };
        }
        used
    }

    /// Keeps up to the closing quote, or until the string is too long.
    fn within(&mut self, run: &[u8], from: usize, escaped: bool) -> usize {
        let (content, end) = until_quote(run, escaped);
        let room = self
            .limits
            .string
            .saturating_sub(self.kept.len().saturating_sub(from));
        if content > room {
            self.keep(run.get(..room).unwrap_or(run));
            if !self.overflown {
                let whole = whole_units(self.kept.get(from..).unwrap_or_default());
                let kept = from.saturating_add(whole);
                self.left_out = self
                    .left_out
                    .saturating_add(self.kept.len().saturating_sub(kept) as u64);
                self.kept.truncate(kept);
            }
            // What was kept is not looked at again: whether the byte that follows it is escaped must be known here.
            let (_, at_cut) = until_quote(run.get(..room).unwrap_or(run), escaped);
            self.place = Place::Beyond {
                escaped: matches!(at_cut, End::Run { escaped: true }),
            };
            return room;
        }
        self.keep(run.get(..content).unwrap_or(run));
        match end {
            End::Quote => {
                self.keep(b"\"");
                self.place = Place::Between;
                content + 1
            }
            End::Run { escaped } => {
                self.place = Place::Within { from, escaped };
                content
            }
        }
    }

    /// Leaves out up to the closing quote.
    fn beyond(&mut self, run: &[u8], escaped: bool) -> usize {
        let (content, end) = until_quote(run, escaped);
        self.left_out = self.left_out.saturating_add(content as u64);
        match end {
            End::Quote => {
                self.keep(b"\"");
                self.place = Place::Between;
                content + 1
            }
            End::Run { escaped } => {
                self.place = Place::Beyond { escaped };
                content
            }
        }
    }

    fn keep(&mut self, run: &[u8]) {
        let length = self.kept.len().saturating_add(run.len());
        if length > self.limits.line || self.overflown {
            self.overflown = true;
            self.kept = Vec::new();
            return;
        }
        if length > self.kept.capacity() {
            // Doubling, but never past the limit: a vector left to itself would reserve up to twice of it.
            let wanted = self
                .kept
                .capacity()
                .saturating_mul(2)
                .clamp(length, self.limits.line.max(length));
            self.kept
                .reserve_exact(wanted.saturating_sub(self.kept.len()));
        }
        self.kept.extend_from_slice(run);
    }

    /// The line so far is nothing but NULs.
    pub(crate) fn is_nul(&self) -> bool {
        self.nul && !self.held_return
    }

    /// What is kept of the line.
    pub(crate) fn content(&self) -> Content<'_> {
        if self.blank {
            Content::Blank
        } else if self.nul {
            Content::Nul
        } else if self.overflown {
            Content::TooLong
        } else if self.left_out == 0 {
            Content::Text(&self.kept)
        } else {
            Content::Clipped {
                text: &self.kept,
                left_out: self.left_out,
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.kept.capacity()
    }
}

/// How a run of bytes inside a string ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the string's closing quote, just after the run's content.
    Quote,
    /// The string goes on; its next byte may be escaped by the run's last.
    Run { escaped: bool },
}

/// How much of `run` belongs to the string in which it begins.
pub(crate) fn until_quote(run: &[u8], escaped: bool) -> (usize, End) {
    let mut at = usize::from(escaped);
    // Past the run: the byte that its last one escapes is still to come.
    while at <= run.len() {
        let rest = run.get(at..).unwrap_or_default();
        match memchr2(b'"', b'\\', rest) {
            None => return (run.len(), End::Run { escaped: false }),
            Some(found) if rest.get(found) == Some(&b'"') => return (at + found, End::Quote),
            Some(found) => at += found + 2,
        }
    }
    (run.len(), End::Run { escaped: true })
}

/// How much of the beginning of a string's content ends with a whole character and a whole escape. A high surrogate at the
/// very end is left out as well: its low half, if it has one, is not there.
fn whole_units(content: &[u8]) -> usize {
    let text = content.get(..whole_characters(content)).unwrap_or(content);
    let mut end = text.len();
    let tail = end.saturating_sub(5);
    if let Some(backslash) = text
        .get(tail..)
        .and_then(|tail| memchr::memrchr(b'\\', tail))
        .map(|at| tail + at)
    {
        let needs = if text.get(backslash + 1) == Some(&b'u') {
            6
        } else {
            2
        };
        if begins_escape(text, backslash) && end - backslash < needs {
            end = backslash;
        }
    }
    let text = text.get(..end).unwrap_or(text);
    if let Some((
        before,
        [
            b'\\',
            b'u',
            b'd' | b'D',
            b'8' | b'9' | b'a' | b'A' | b'b' | b'B',
            _,
            _,
        ],
    )) = text.split_last_chunk()
        && begins_escape(text, before.len())
    {
        end = before.len();
    }
    end
}

/// Whether the backslash there begins an escape, rather than being escaped itself.
fn begins_escape(text: &[u8], backslash: usize) -> bool {
    let run = text
        .get(..=backslash)
        .unwrap_or(text)
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count();
    run % 2 == 1
}

/// The length without a UTF-8 sequence that is cut at the end.
fn whole_characters(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let at = text.len() - back;
        let needs = match text.get(at) {
            Some(0x80..=0xBF) => continue,
            Some(0xC0..=0xDF) => 2,
            Some(0xE0..=0xEF) => 3,
            Some(0xF0..=0xF7) => 4,
            _ => 1,
        };
        return if needs > back { at } else { text.len() };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by hand: the whole line is there, each string is cut unit by unit.
    fn naive(line: &[u8], string: usize) -> (Vec<u8>, u64) {
        let mut kept = Vec::new();
        let mut left_out = 0;
        let mut at = 0;
        while at < line.len() {
            kept.push(line[at]);
            at += 1;
            if line[at - 1] != b'"' {
                continue;
            }
            let start = at;
            let mut units: Vec<&[u8]> = Vec::new();
            while at < line.len() && line[at] != b'"' {
                let length = match line[at] {
                    b'\\' if line.get(at + 1) == Some(&b'u') => 6,
                    b'\\' => 2,
                    0xC0..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xFF => 4,
                    _ => 1,
                };
                let end = (at + length).min(line.len());
                units.push(&line[at..end]);
                at = end;
            }
            let content = at - start;
            let mut cut = content;
            if content > string {
                cut = 0;
                let mut last: &[u8] = b"";
                for unit in units {
                    if cut + unit.len() > string {
                        break;
                    }
                    cut += unit.len();
                    last = unit;
                }
                let high = last.len() == 6 && (*b"d8"..=*b"db").contains(&[last[2], last[3]]);
                if high {
                    cut -= 6;
                }
            }
            kept.extend_from_slice(&line[start..start + cut]);
            left_out += (content - cut) as u64;
            if at < line.len() {
                kept.push(b'"');
                at += 1;
            }
        }
        (kept, left_out)
    }

    fn clip(line: &[u8], limits: Limits, cuts: &[usize]) -> Clipper {
        let mut clipper = Clipper::new(limits);
        clipper.begin();
        let mut from = 0;
        for &cut in cuts {
            let cut = cut % (line.len() + 1);
            if cut > from {
                clipper.push(&line[from..cut]);
                from = cut;
            }
        }
        clipper.push(&line[from..]);
        clipper
    }

    fn unit() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-z ]{1,3}",
            1 => Just("\\n".to_owned()),
            1 => Just("\\\\".to_owned()),
            1 => Just("\\\"".to_owned()),
            1 => Just("\\u00e9".to_owned()),
            1 => Just("\\ud83d\\ude00".to_owned()),
            1 => Just("\\ud83d".to_owned()),
            1 => Just("é".to_owned()),
            1 => Just("\u{65e5}".to_owned()),
            1 => Just("\u{1f600}".to_owned()),
        ]
    }

    fn json() -> impl Strategy<Value = String> {
        let string = proptest::collection::vec(unit(), 0..14)
            .prop_map(|units| format!("\"{}\"", units.concat()));
        proptest::collection::vec(string, 0..5)
            .prop_map(|strings| format!("[{}]", strings.join(", ")))
    }

    proptest! {
        #[test]
        fn clips_as_by_hand_however_it_arrives(
            line in json(), string in 0usize..20, mut cuts in proptest::collection::vec(0usize..200, 0..8),
        ) {
            cuts.sort_unstable();
            let limits = Limits { string, line: 1 << 20, buffer: 16 };
            let (expected, missing) = naive(line.as_bytes(), string);
            let clipper = clip(line.as_bytes(), limits, &cuts);
            let content = clipper.content();
            prop_assert_eq!(content.text(), Some(expected.as_slice()), "{}", line);
            match content {
                Content::Clipped { left_out, .. } => prop_assert_eq!(left_out, missing),
                _ => prop_assert_eq!(missing, 0),
            }
            // What is kept of JSON is JSON.
            let text = crate::repair::json(&expected).into_owned();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
        }

        #[test]
        fn any_bytes_are_bounded_and_independent_of_runs(
            line in proptest::collection::vec(prop_oneof![Just(b'"'), Just(b'\\'), Just(b'\r'), any::<u8>()], 0..120),
            string in 0usize..20, most in 20usize..60,
            mut cuts in proptest::collection::vec(0usize..200, 0..8),
        ) {
            cuts.sort_unstable();
            let limits = Limits { string, line: most, buffer: 16 };
            let whole = clip(&line, limits, &[]);
            let parts = clip(&line, limits, &cuts);
            prop_assert_eq!(whole.content(), parts.content());
            prop_assert!(parts.capacity() <= most.max(1));
        }
    }

    #[test]
    fn never_cuts_inside_a_unit() {
        for (content, string, kept) in [
            ("abc\\n", 4, "abc"),
            ("abc\\\\d", 5, "abc\\\\"),
            ("ab\\u00e9c", 7, "ab"),
            ("ab\\u00e9c", 8, "ab\\u00e9"),
            ("a\\ud83d\\ude00z", 12, "a"),
            ("a\\ud83d\\ude00z", 13, "a\\ud83d\\ude00"),
            ("ab\u{1f600}c", 5, "ab"),
            ("ab\u{1f600}c", 6, "ab\u{1f600}"),
            ("\\\\\\\\u1234", 5, "\\\\\\\\u"),
        ] {
            let line = format!("{{\"k\":\"{content}\"}}");
            let clipper = clip(
                line.as_bytes(),
                Limits {
                    string,
                    line: 100,
                    buffer: 8,
                },
                &[],
            );
            let expected = format!("{{\"k\":\"{kept}\"}}");
            assert_eq!(
                clipper
                    .content()
                    .text()
                    .map(String::from_utf8_lossy)
                    .as_deref(),
                Some(expected.as_str()),
                "{content}"
            );
        }
    }

    #[test]
    fn a_string_that_never_closes_stays_open() {
        let clipper = clip(
            b"{\"k\":\"abcdef",
            Limits {
                string: 3,
                line: 100,
                buffer: 8,
            },
            &[],
        );
        assert_eq!(
            clipper.content(),
            Content::Clipped {
                text: b"{\"k\":\"abc",
                left_out: 3
            }
        );
    }

    #[test]
    fn past_the_line_limit_nothing_is_kept() {
        let clipper = clip(
            b"[1,2,3,4,5,6,7,8,9]",
            Limits {
                string: 3,
                line: 10,
                buffer: 8,
            },
            &[4, 7],
        );
        assert_eq!(clipper.content(), Content::TooLong);
        assert_eq!(clipper.capacity(), 0);
    }
}
