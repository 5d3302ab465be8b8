//! Reads one line of a log back, by the place that framing gave it, as framing gave it.

use std::io::{Read, Seek, SeekFrom};

use crate::error::Error;
use crate::frame::{Content, Limits};
use crate::framer::{Framer, Record};
use crate::ids::Offset;
use crate::lines::Newline;
use crate::sections::Section;
use crate::value::Value;

/// A line that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reread {
    text: Vec<u8>,
    rest: Rest,
}

/// Lines up to this long are read back at once.
const AT_ONCE: usize = 1 << 20;

/// What [`Reread::content`] says beside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Text,
    Clipped(u64),
    TooLong,
    Blank,
    Nul,
}

impl Reread {
    /// What the line says: the same that framing the whole log gives for it.
    pub fn content(&self) -> Content<'_> {
        match self.rest {
            Rest::Text => Content::Text(&self.text),
            Rest::Clipped(left_out) => Content::Clipped {
                text: &self.text,
                left_out,
            },
            Rest::TooLong => Content::TooLong,
            Rest::Blank => Content::Blank,
            Rest::Nul => Content::Nul,
        }
    }
}

/// Reads the line of `length` bytes (its newline included, as in [`crate::Line::length`]) at which the reader stands;
/// `start` is its place in the log. With a line of up to a megabyte this is one read.
pub fn read_line(
    reader: impl Read,
    start: Offset,
    length: u64,
    limits: Limits,
) -> Result<Reread, Error> {
    read(reader, start, length, limits, Newline { start })
}

/// Reads the message of `length` bytes of a JSON document at which the reader stands; `start` is its place in the file.
pub fn read_message(
    reader: impl Read,
    start: Offset,
    length: u64,
    limits: Limits,
) -> Result<Reread, Error> {
    read(reader, start, length, limits, Value::new())
}

/// Reads the section of `length` bytes of a chat in Markdown at which the reader stands; `start` is its place in the file.
pub fn read_section(
    reader: impl Read,
    start: Offset,
    length: u64,
    limits: Limits,
) -> Result<Reread, Error> {
    read(reader, start, length, limits, Section::default())
}

fn read(
    reader: impl Read,
    start: Offset,
    length: u64,
    limits: Limits,
    mut record: impl Record,
) -> Result<Reread, Error> {
    let end = Offset(start.0.saturating_add(length));
    let buffer = limits.buffer.max(limits.string.min(AT_ONCE));
    let limits = Limits { buffer, ..limits };
    let mut framer = Framer::new(reader, start, Some(end), limits);
    let found = framer.find(&mut record, &mut |_| {})?;
    // A shorter one: the log is not the one that was framed.
    if found.length != length || length == 0 {
        return Err(Error::NoSuchLine { start, length });
    }
    let (text, rest) = match framer.content(&record, found) {
        Content::Text(text) => (text, Rest::Text),
        Content::Clipped { text, left_out } => (text, Rest::Clipped(left_out)),
        Content::TooLong => (&[][..], Rest::TooLong),
        Content::Blank => (&[][..], Rest::Blank),
        Content::Nul => (&[][..], Rest::Nul),
    };
    Ok(Reread {
        text: text.to_vec(),
        rest,
    })
}

/// [`read_line`] out of a file or anything else that can be positioned.
///
/// ```
/// use std::io::Cursor;
/// use memfold_log::{Content, Limits, Offset, read_line_at};
///
/// let log = Cursor::new(b"{\"n\":1}\n{\"n\":2}\n");
/// let line = read_line_at(log, Offset(8), 8, Limits::DEFAULT)?;
/// assert_eq!(line.content(), Content::Text(b"{\"n\":2}"));
/// # Ok::<(), memfold_log::Error>(())
/// ```
pub fn read_line_at(
    mut log: impl Read + Seek,
    start: Offset,
    length: u64,
    limits: Limits,
) -> Result<Reread, Error> {
    log.seek(SeekFrom::Start(start.0))
        .map_err(|source| Error::Read { at: start, source })?;
    read_line(log, start, length, limits)
}
