//! Frames a log into lines: one pass, bounded memory, without copying a line that fits the window (nearly all do).
//! The log has one fixed length: a writer that appends meanwhile changes nothing.

use std::io::Read;

use memchr::memchr;

use crate::error::Error;
use crate::frame::{Limits, Line, Terminated};
use crate::framer::{Framer, Record};
use crate::ids::{Offset, Position};

/// The byte order mark of UTF-8, which some editors put before the first line.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Frames a byte stream of a fixed length into lines.
///
/// - A line ends with a newline; a carriage return before it is no part of its text.
/// - What follows the last newline is returned as a line that is [`Terminated::EndOfLog`]; the caller judges whether it
///   is an event already ([`Line::is_whole_object`]) or torn. If it is nothing but NULs it is no line yet and not returned.
/// - Blank and broken lines are returned like any other, so that they count.
/// - A string of more than [`Limits::string`] bytes loses its end ([`Content::Clipped`](crate::Content::Clipped)).
///
/// ```
/// use memfold_log::{Lines, Offset, Position};
///
/// let log = b"{\"n\":1}\r\n\n{\"n\":3}\n{\"n\":";
/// let mut lines = Lines::new(&log[..], Position::START, Offset(log.len() as u64));
/// let mut seen = Vec::new();
/// while let Some(line) = lines.next(&mut |_| {})? {
///     seen.push((line.seq.get(), line.text().map(<[u8]>::to_vec), line.is_whole_object()));
/// }
/// assert_eq!(seen, [
///     (1, Some(b"{\"n\":1}".to_vec()), true),
///     (2, None, false),
///     (3, Some(b"{\"n\":3}".to_vec()), true),
///     (4, Some(b"{\"n\":".to_vec()), false),
/// ]);
/// # Ok::<(), memfold_log::Error>(())
/// ```
pub struct Lines<R> {
    framer: Framer<R>,
    position: Position,
}

impl<R: Read> Lines<R> {
    /// `from`: where the reader stands in the log, the start of a line; `end`: the log's length: nothing beyond it is read.
    pub fn new(reader: R, from: Position, end: Offset) -> Lines<R> {
        Lines::with_limits(reader, from, Some(end), Limits::DEFAULT)
    }

    /// The same for a stream whose length is not known before, as a compressed log's is not: it ends where the reader does.
    pub fn to_end(reader: R, from: Position) -> Lines<R> {
        Lines::with_limits(reader, from, None, Limits::DEFAULT)
    }

    /// The same with other limits.
    pub fn with_limits(reader: R, from: Position, end: Option<Offset>, limits: Limits) -> Lines<R> {
        Lines {
            framer: Framer::new(reader, from.offset, end, limits),
            position: from,
        }
    }

    /// Where the next line begins: after the last one returned.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The next line. `watch` sees every byte of the log from `from` on, once and in order, in the buffer in which it is
    /// framed: when a line is returned, all bytes up to its end and none after; when none is, all bytes up to `end`.
    ///
    /// After an error, and after a line that ends with the log, nothing more is returned.
    pub fn next(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<Option<Line<'_>>, Error> {
        let Position { offset: start, seq } = self.position;
        let mut record = Newline { start };
        let found = self.framer.find(&mut record, watch)?;
        if found.terminated == Terminated::EndOfLog && self.framer.is_nul(found) {
            return Ok(None);
        }
        self.position = Position {
            offset: Offset(start.0.saturating_add(found.length)),
            seq: seq.next(),
        };
        let content = self.framer.content(&record, found);
        Ok(Some(Line {
            seq,
            start,
            length: found.length,
            content,
            terminated: found.terminated,
        }))
    }
}

/// A line as a record.
pub(crate) struct Newline {
    pub(crate) start: Offset,
}

impl Record for Newline {
    fn end(&mut self, fresh: &[u8]) -> Option<usize> {
        memchr(b'\n', fresh).map(|at| at + 1)
    }

    fn text<'a>(&self, run: &'a [u8], first: bool) -> &'a [u8] {
        let text = run.strip_suffix(b"\n").unwrap_or(run);
        if first && self.start == Offset(0) {
            text.strip_prefix(MARK).unwrap_or(text)
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests;
