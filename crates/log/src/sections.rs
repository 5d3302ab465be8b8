//! Frames a chat that is kept as Markdown into sections, as Aider writes it: a person's lines begin with `#### `, the host's
//! with `> `, a new chat with a heading, and all between is a reply. One pass, bounded memory; nothing else of Markdown is
//! understood, so that the same bytes give the same sections wherever they are cut.

use std::io::Read;

use memchr::memchr;

use crate::error::Error;
use crate::frame::{Limits, Line, Terminated};
use crate::framer::{Framer, Record};
use crate::ids::{Offset, Position, Seq};

/// The heading with which a chat begins.
const CHAT: &[u8] = b"# aider chat started at ";
const PERSON: &[u8] = b"#### ";
const HOST: &[u8] = b"> ";

/// The sections of a chat: runs of lines of one sort. A [`Line`] here is a section; its number is that of its first line, so
/// that `sed -n 12p` shows where it begins.
///
/// ```
/// use memfold_log::{Offset, Position, Sections};
///
/// let chat = b"\n# aider chat started at 2026-03-02 10:00:00\n\n#### fix the test  \n\nIt is fixed.\n\n> Applied edit to a.rs  \n";
/// let mut sections = Sections::new(&chat[..], Position::START, Offset(chat.len() as u64));
/// let mut seen = Vec::new();
/// while let Some(section) = sections.next(&mut |_| {})? {
///     let text = section.text().unwrap_or_default();
///     seen.push((section.seq.get(), String::from_utf8_lossy(text).trim().to_owned()));
/// }
/// assert_eq!(seen, [
///     (1, "# aider chat started at 2026-03-02 10:00:00".to_owned()),
///     (4, "#### fix the test".to_owned()),
///     (6, "It is fixed.".to_owned()),
///     (8, "> Applied edit to a.rs".to_owned()),
/// ]);
/// # Ok::<(), memfold_log::Error>(())
/// ```
pub struct Sections<R> {
    framer: Framer<R>,
    position: Position,
}

impl<R: Read> Sections<R> {
    /// `from`: where the reader stands, the start of a section; `end`: the log's length: nothing beyond it is read.
    pub fn new(reader: R, from: Position, end: Offset) -> Sections<R> {
        Sections::with_limits(reader, from, end, Limits::DEFAULT)
    }

    /// The same with other limits.
    pub fn with_limits(reader: R, from: Position, end: Offset, limits: Limits) -> Sections<R> {
        Sections {
            framer: Framer::new(reader, from.offset, Some(end), limits),
            position: from,
        }
    }

    /// Where the next section begins: after the last one returned.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The next section, as [`crate::Lines::next`] gives lines. The last one may go on in a longer log.
    ///
    /// # Errors
    /// If the log cannot be read on. After an error nothing more is returned.
    pub fn next(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<Option<Line<'_>>, Error> {
        let Position { offset: start, seq } = self.position;
        let mut section = Section::default();
        let found = self.framer.find(&mut section, watch)?;
        if found.length == 0
            || (found.terminated == Terminated::EndOfLog && self.framer.is_nul(found))
        {
            return Ok(None);
        }
        self.position = Position {
            offset: Offset(start.0.saturating_add(found.length)),
            seq: Seq::new(seq.get().saturating_add(section.lines)).unwrap_or(seq),
        };
        let content = self.framer.content(&section, found);
        Ok(Some(Line {
            seq,
            start,
            length: found.length,
            content,
            terminated: found.terminated,
        }))
    }
}

/// What a line is by how it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Chat,
    Person,
    Host,
    Reply,
}

/// What the beginning of a line tells.
enum Told {
    /// Its sort.
    Sort(Sort),
    /// It is blank, and of the section that it stands in.
    Blank,
    /// Not yet enough of it is there.
    NotYet,
}

/// A section as a record.
#[derive(Default)]
pub(crate) struct Section {
    /// The sort of its lines, once one that is not blank was seen.
    sort: Option<Sort>,
    /// What follows stands inside a line that was told.
    within: bool,
    /// The last line was blank.
    after_blank: bool,
    /// How many lines ended in it.
    lines: u64,
    /// How many of the last bytes were not looked at yet.
    held: usize,
}

/// What a line is, by as many of its first bytes as the longest mark has: never by how many are there.
fn told(line: &[u8]) -> Told {
    let first = line.get(..CHAT.len()).unwrap_or(line);
    let end = memchr(b'\n', first);
    let text = end.and_then(|end| first.get(..end)).unwrap_or(first);
    let is_known = end.is_some() || first.len() == CHAT.len();
    if text.iter().all(u8::is_ascii_whitespace) {
        return if is_known { Told::Blank } else { Told::NotYet };
    }
    for (mark, sort) in [
        (CHAT, Sort::Chat),
        (PERSON, Sort::Person),
        (HOST, Sort::Host),
    ] {
        if text.starts_with(mark) || (end.is_some() && text == mark.trim_ascii_end()) {
            return Told::Sort(sort);
        }
        if !is_known && mark.starts_with(text) {
            return Told::NotYet;
        }
    }
    Told::Sort(Sort::Reply)
}

impl Section {
    /// Whether a line of this sort begins another section.
    fn ends_before(&self, sort: Sort) -> bool {
        match self.sort {
            None => false,
            // What a person says next is kept apart by a blank line; each chat has one heading.
            Some(Sort::Person) if sort == Sort::Person => self.after_blank,
            Some(Sort::Chat) => true,
            Some(own) => own != sort,
        }
    }
}

impl Record for Section {
    fn end(&mut self, fresh: &[u8]) -> Option<usize> {
        self.held = 0;
        let mut at = 0;
        loop {
            let rest = fresh.get(at..).unwrap_or_default();
            if rest.is_empty() {
                return None;
            }
            if !self.within {
                match told(rest) {
                    Told::NotYet => {
                        self.held = rest.len();
                        return None;
                    }
                    Told::Blank => self.after_blank = true,
                    Told::Sort(sort) if self.ends_before(sort) => return Some(at),
                    Told::Sort(sort) => {
                        self.sort = Some(sort);
                        self.after_blank = false;
                    }
                }
                self.within = true;
            }
            match memchr(b'\n', rest) {
                Some(end) => {
                    at = at.saturating_add(end).saturating_add(1);
                    self.lines = self.lines.saturating_add(1);
                    self.within = false;
                }
                None => return None,
            }
        }
    }

    fn held(&self) -> usize {
        self.held
    }

    fn text<'a>(&self, run: &'a [u8], _first: bool) -> &'a [u8] {
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io;

    /// Gives a log so many bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(into.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    type Seen = (u64, u64, u64, Option<Vec<u8>>);

    fn sections(log: &[u8], step: usize, from: Position) -> Vec<Seen> {
        let rest = &log[from.offset.0 as usize..];
        let mut sections = Sections::new(Slowly(rest, step), from, Offset(log.len() as u64));
        let (mut all, mut watched) = (Vec::new(), Vec::new());
        while let Some(section) = sections
            .next(&mut |bytes| watched.extend_from_slice(bytes))
            .unwrap()
        {
            let text = section.text().map(<[u8]>::to_vec);
            all.push((section.seq.get(), section.start.0, section.length, text));
            let end = (section.start.0 + section.length) as usize;
            assert_eq!(
                watched.len(),
                end - from.offset.0 as usize,
                "watched as far as it goes"
            );
        }
        all
    }

    fn texts(log: &str) -> Vec<String> {
        sections(log.as_bytes(), 7, Position::START)
            .into_iter()
            .map(|seen| {
                String::from_utf8_lossy(&seen.3.unwrap_or_default())
                    .trim()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn what_a_person_says_in_several_lines_is_one() {
        assert_eq!(
            texts("#### a  \n#### b  \n\n#### c  \n> x  \n> y  \n\nreply\n\nmore\n> z\n"),
            [
                "#### a  \n#### b",
                "#### c",
                "> x  \n> y",
                "reply\n\nmore",
                "> z"
            ]
        );
        assert_eq!(texts("\n\n"), [""]);
        assert!(texts("").is_empty());
        assert_eq!(texts("###"), ["###"]);
    }

    fn log() -> impl Strategy<Value = Vec<u8>> {
        let line = prop::sample::select(vec![
            "#### words  ",
            "####",
            "> host",
            ">",
            "reply #### x",
            "",
            "  ",
            "# aider chat started at 2026-03-02 10:00:00",
            "# aider chat",
            "#",
            "> ",
            "\u{1F600}",
        ]);
        (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, open)| {
            let mut log = lines.join("\n").into_bytes();
            if !open {
                log.push(b'\n');
            }
            log
        })
    }

    proptest! {
        #[test]
        fn the_same_however_the_bytes_arrive_and_from_any_section_on(log in log(), step in 1usize..40) {
            let whole = sections(&log, usize::MAX, Position::START);
            prop_assert_eq!(&sections(&log, step, Position::START), &whole);
            let joined: u64 = whole.iter().map(|seen| seen.2).sum();
            prop_assert_eq!(joined, log.len() as u64);
            for (number, (seq, start, length, text)) in whole.iter().enumerate() {
                let from = Position { offset: Offset(*start), seq: Seq::new(*seq).unwrap() };
                prop_assert_eq!(&sections(&log, step, from), &whole[number..]);
                let rest = &log[*start as usize..];
                let read = crate::reread::read_section(rest, Offset(*start), *length, Limits::DEFAULT).unwrap();
                prop_assert_eq!(read.content().text().map(<[u8]>::to_vec), text.clone());
                let before = log[..*start as usize].iter().filter(|byte| **byte == b'\n').count() as u64;
                prop_assert_eq!(before + 1, *seq);
            }
        }
    }
}
