//! Frames one record after another out of a window: a line up to its newline, or a JSON value up to its end. A record that
//! fits is left where it was read; a longer one streams through the clipper. Which of the two depends on its length alone.

use std::io::Read;

use crate::clip::Clipper;
use crate::error::Error;
use crate::frame::{Content, Limits, Terminated};
use crate::ids::Offset;
use crate::window::Window;

/// What a record is.
pub(crate) trait Record {
    /// How many of these bytes, which follow those given before, belong to the record, if it ends among them.
    fn end(&mut self, fresh: &[u8]) -> Option<usize>;

    /// After [`Record::end`] found none: how many of the last of those bytes were not looked at and are to be given again,
    /// with what follows them. At the log's end they belong to the record.
    fn held(&self) -> usize {
        0
    }

    /// A run of the record's raw bytes without what is no text of it; `first`: the run begins the record.
    fn text<'a>(&self, run: &'a [u8], first: bool) -> &'a [u8];
}

pub(crate) struct Framer<R> {
    pub(crate) window: Window<R>,
    clipper: Clipper,
    limits: Limits,
}

/// A record that was found and consumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Its raw bytes.
    pub(crate) length: u64,
    pub(crate) terminated: Terminated,
    /// How many of the window's last bytes it is, where it is not in the clipper.
    in_window: Option<usize>,
}

/// What a record may have around its text: a byte order mark before it, a carriage return and a newline after it.
const AROUND: usize = 5;

impl<R: Read> Framer<R> {
    pub(crate) fn new(reader: R, from: Offset, end: Option<Offset>, limits: Limits) -> Framer<R> {
        // So a record of the greatest length that is sure to be whole fits, and one byte more shows that it is not.
        let most = limits.whole().saturating_add(AROUND + 1);
        Framer {
            window: Window::new(reader, from, end, limits.buffer, most),
            clipper: Clipper::new(limits),
            limits,
        }
    }

    /// Finds the record that begins with the next byte. It may be empty at the log's end.
    pub(crate) fn find(
        &mut self,
        record: &mut impl Record,
        watch: &mut impl FnMut(&[u8]),
    ) -> Result<Found, Error> {
        self.clipper.release();
        let mut searched = 0;
        loop {
            let unread = self.window.unread();
            let end = record.end(unread.get(searched..).unwrap_or_default());
            searched = match end {
                Some(more) => searched.saturating_add(more),
                None => unread.len().saturating_sub(record.held()),
            };
            let raw = unread.get(..searched).unwrap_or(unread);
            let ended = end.is_some();
            if text(record, raw).len() > self.limits.whole() {
                return self.find_long(record, searched, ended, watch);
            }
            if ended || self.window.is_over() || !self.window.read_more()? {
                if !ended {
                    searched = self.window.unread().len();
                }
                see(
                    watch,
                    self.window.unread().get(..searched).unwrap_or_default(),
                );
                self.window.consume(searched);
                return Ok(Found {
                    length: searched as u64,
                    terminated: terminated(ended),
                    in_window: Some(searched),
                });
            }
        }
    }

    /// The rest of [`Framer::find`] for a record too long to be kept as it is, of which `run` bytes are in the window.
    fn find_long(
        &mut self,
        record: &mut impl Record,
        mut run: usize,
        mut ended: bool,
        watch: &mut impl FnMut(&[u8]),
    ) -> Result<Found, Error> {
        let start = self.window.offset().0;
        let mut first = true;
        self.clipper.begin();
        loop {
            let raw = self.window.unread().get(..run).unwrap_or_default();
            see(watch, raw);
            self.clipper
                .push(record.text(raw, std::mem::take(&mut first)));
            self.window.consume(run);
            if ended {
                break;
            }
            if self.window.is_over() || !self.window.read_more()? {
                let rest = self.window.unread();
                see(watch, rest);
                self.clipper.push(record.text(rest, false));
                let rest = rest.len();
                self.window.consume(rest);
                break;
            }
            let end = record.end(self.window.unread());
            run = end.unwrap_or_else(|| {
                let all = self.window.unread().len();
                all.saturating_sub(record.held())
            });
            ended = end.is_some();
        }
        let length = self.window.offset().0.saturating_sub(start);
        Ok(Found {
            length,
            terminated: terminated(ended),
            in_window: None,
        })
    }

    /// What the record just found says.
    pub(crate) fn content(&self, record: &impl Record, found: Found) -> Content<'_> {
        match found.in_window {
            Some(size) => Content::of(text(record, self.window.consumed(size))),
            None => self.clipper.content(),
        }
    }

    /// Whether the record just found is nothing, or nothing but NULs.
    pub(crate) fn is_nul(&self, found: Found) -> bool {
        match found.in_window {
            Some(size) => self.window.consumed(size).iter().all(|&byte| byte == 0),
            None => self.clipper.is_nul(),
        }
    }

    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.window.capacity() + self.clipper.capacity()
    }
}

/// The text of a record all of whose bytes are here.
fn text<'a>(record: &impl Record, raw: &'a [u8]) -> &'a [u8] {
    let text = record.text(raw, true);
    text.strip_suffix(b"\r").unwrap_or(text)
}

fn terminated(ended: bool) -> Terminated {
    if ended {
        Terminated::Newline
    } else {
        Terminated::EndOfLog
    }
}

/// Shows bytes to the watch, if there are any.
pub(crate) fn see(watch: &mut impl FnMut(&[u8]), run: &[u8]) {
    if !run.is_empty() {
        watch(run);
    }
}
