//! What framing gives: a line with its place and its content, and the limits within which content is kept.

use crate::ids::{Offset, Seq};

/// How much of a log is held in memory at once.
///
/// The text of a line is a function of its bytes and of `string` and `line` alone: never of how a reader's bytes arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Past this many bytes (between its quotes, as written) the rest of a JSON string is left out.
    pub string: usize,
    /// A line that is longer than this even then is not kept at all.
    pub line: usize,
    /// The least size of the window into the log; it grows to `string` for long lines.
    pub buffer: usize,
}

impl Limits {
    /// 8 MiB of a string, 64 MiB of a line, a window of 256 KiB: all that is done to a byte is done while a core's own
    /// cache holds it.
    pub const DEFAULT: Limits = Limits {
        string: 8 << 20,
        line: 64 << 20,
        buffer: 256 << 10,
    };

    /// The longest line in which nothing has to be left out, whatever it says.
    pub(crate) fn whole(&self) -> usize {
        self.string.min(self.line).max(Limits::LEAST)
    }

    /// Lines this short are never looked into: a byte order mark must be seen whole before it can be told.
    pub(crate) const LEAST: usize = 3;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// One line of a log, or one message of a whole-file JSON log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number.
    pub seq: Seq,
    /// Where its first byte is.
    pub start: Offset,
    /// Its bytes, those of its newline included. A message's are the JSON value's.
    pub length: u64,
    /// What it says.
    pub content: Content<'a>,
    /// Whether it is known to be complete.
    pub terminated: Terminated,
}

impl<'a> Line<'a> {
    /// The JSON to parse, whole or clipped; nothing for a line that has none.
    pub fn text(&self) -> Option<&'a [u8]> {
        self.content.text()
    }

    /// Where the next line begins.
    pub fn end(&self) -> Offset {
        Offset(self.start.0.saturating_add(self.length))
    }

    /// Whether the line is a whole JSON object. At the log's end, without a newline, this tells an event that can be
    /// shown already (its newline may come at any moment) from a torn one, which is "not yet". Neither may be covered
    /// by a sidecar: what follows may still belong to the line.
    pub fn is_whole_object(&self) -> bool {
        self.text().is_some_and(|text| {
            text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
                && serde_json::from_str::<serde::de::IgnoredAny>(&crate::repair::text(text)).is_ok()
        })
    }
}

/// Whether a line is known to be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminated {
    /// A newline follows (a message: the end of its JSON value).
    Newline,
    /// The log ends here, for now.
    EndOfLog,
}

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// The line without its newline, a carriage return before it and, on the first line, a byte order mark.
    /// Any bytes: it need not be JSON, nor UTF-8.
    Text(&'a [u8]),
    /// The line with the ends of its over-long strings left out, each at the end of a character or an escape, before its
    /// closing quote: JSON where the line is.
    Clipped {
        /// What is kept.
        text: &'a [u8],
        /// How many of the line's bytes are not.
        left_out: u64,
    },
    /// Too long even so; nothing of it is kept. It counts as a broken line.
    TooLong,
    /// Nothing, or white space.
    Blank,
    /// Only NULs: what a crash of the machine can leave of lines that were never written out.
    Nul,
}

impl<'a> Content<'a> {
    /// The JSON to parse, whole or clipped; nothing for a line that has none.
    pub fn text(self) -> Option<&'a [u8]> {
        match self {
            Content::Text(text) | Content::Clipped { text, .. } => Some(text),
            Content::TooLong | Content::Blank | Content::Nul => None,
        }
    }

    /// The content of a line whose bytes (without line end and mark) are all kept. The first byte decides nearly always.
    pub(crate) fn of(text: &'a [u8]) -> Content<'a> {
        match text.first() {
            None => Content::Blank,
            Some(0) if text.iter().all(|&byte| byte == 0) => Content::Nul,
            Some(byte)
                if byte.is_ascii_whitespace() && text.iter().all(u8::is_ascii_whitespace) =>
            {
                Content::Blank
            }
            Some(_) => Content::Text(text),
        }
    }
}
