//! Frames the messages out of a whole-file JSON log: the elements of one array of the document, each as its raw JSON, in
//! bounded memory. Only brackets, quotes and commas are understood; whether a message is JSON its parser tells.

use std::io::Read;

use crate::clip::Clipper;
use crate::error::Error;
use crate::frame::{Content, Limits, Line, Terminated};
use crate::framer::{Framer, see};
use crate::ids::{Offset, Seq};
use crate::seek::{Event, Seek};
use crate::value::Value;

/// The messages of a JSON document: the elements of the array at `path`.
///
/// A message is a [`Line`] whose number is its index from 1 and whose place is that of its JSON in the file. Over-long
/// strings are cut as [`crate::Lines`] cuts them. A document cut inside gives its whole messages, then an error.
///
/// ```
/// use memfold_log::{Messages, Offset};
///
/// let log = br#"{"id": "s1", "messages": [{"n": 1}, {"n": 2}], "kind": "main"}"#;
/// let mut messages = Messages::new(&log[..], &["messages"], Offset(log.len() as u64));
/// let mut seen = Vec::new();
/// while let Some(message) = messages.next(&mut |_| {})? {
///     seen.push((message.seq.get(), message.start.0, message.length));
/// }
/// assert_eq!(seen, [(1, 26, 8), (2, 36, 8)]);
/// // What surrounds the messages, with the array emptied.
/// assert_eq!(messages.document().text(), Some(&br#"{"id": "s1", "messages": [], "kind": "main"}"#[..]));
/// # Ok::<(), memfold_log::Error>(())
/// ```
pub struct Messages<R> {
    framer: Framer<R>,
    seek: Seek,
    /// All of the document but the messages, within the limits of a line.
    document: Clipper,
    next: Seq,
    over: bool,
}

impl<R: Read> Messages<R> {
    /// `path`: the keys that lead from the document's root to the array, none where the root is the array; a key is
    /// compared as it is written. `end`: the file's length: nothing beyond it is read.
    pub fn new(reader: R, path: &[&str], end: Offset) -> Messages<R> {
        Messages::with_limits(reader, path, end, Limits::DEFAULT)
    }

    /// The same with other limits.
    pub fn with_limits(reader: R, path: &[&str], end: Offset, limits: Limits) -> Messages<R> {
        let mut document = Clipper::new(limits);
        document.begin();
        Messages {
            framer: Framer::new(reader, Offset(0), Some(end), limits),
            seek: Seek::new(path),
            document,
            next: Seq::FIRST,
            over: false,
        }
    }

    /// Whether the array was found so far. A document without it has no messages.
    pub fn found(&self) -> bool {
        self.seek.found()
    }

    /// What was seen of the document so far without its messages: once all were returned, the document with the array
    /// emptied, from which a log's own facts are read.
    pub fn document(&self) -> Content<'_> {
        self.document.content()
    }

    /// The next message. `watch` sees every byte of the file once and in order, up to the end of a message before it is
    /// returned, and all of them before nothing is. After an error nothing more is returned.
    pub fn next(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<Option<Line<'_>>, Error> {
        if self.over {
            return Ok(None);
        }
        self.over = true;
        if !self.seek_message(watch)? {
            return Ok(None);
        }
        let (start, seq) = (self.framer.window.offset(), self.next);
        let mut value = Value::new();
        let found = self.framer.find(&mut value, watch)?;
        if found.terminated == Terminated::EndOfLog {
            return Err(Error::DocumentCut {
                at: self.framer.window.offset(),
            });
        }
        self.over = false;
        self.next = seq.next();
        let content = self.framer.content(&value, found);
        Ok(Some(Line {
            seq,
            start,
            length: found.length,
            content,
            terminated: found.terminated,
        }))
    }

    /// Goes on to where the next message begins, and shows `watch` what lies before it, which [`Messages::next`] then does
    /// not. Whether there is one.
    pub fn seek(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<bool, Error> {
        if self.over {
            return Ok(false);
        }
        let found = self.seek_message(watch);
        self.over = found.is_err();
        found
    }

    /// Goes on to where a message begins. False at the end of a whole document.
    fn seek_message(&mut self, watch: &mut impl FnMut(&[u8])) -> Result<bool, Error> {
        loop {
            let unread = self.framer.window.unread();
            let step = self.seek.feed(unread);
            let passed = unread.get(..step.used).unwrap_or(unread);
            let all = passed.len() == unread.len();
            see(watch, passed);
            if step.kept {
                self.document.push(passed);
            }
            self.framer.window.consume(step.used);
            match step.event {
                Some(Event::Message) => return Ok(true),
                Some(Event::Unopened) => {
                    return Err(Error::NotADocument {
                        at: self.framer.window.offset(),
                    });
                }
                None => {}
            }
            if all && (self.framer.window.is_over() || !self.framer.window.read_more()?) {
                let at = self.framer.window.offset();
                return if self.seek.is_whole() {
                    Ok(false)
                } else {
                    Err(Error::DocumentCut { at })
                };
            }
        }
    }
}

#[cfg(test)]
mod tests;
