//! A window that moves over a reader's bytes, from a fixed start to a fixed end. It holds one unfinished record at a time
//! and grows no further than it is told.

use std::io::{self, ErrorKind, Read};

use crate::error::Error;
use crate::ids::Offset;

pub(crate) struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    /// The first byte that is not consumed.
    start: usize,
    /// The end of the bytes read.
    filled: usize,
    /// Where the byte at `start` is in the log.
    offset: u64,
    /// Where the log ends, if it is known before.
    end: Option<u64>,
    /// The largest size of `bytes`.
    most: usize,
    /// Nothing more comes: the end was reached, or the reader failed.
    over: bool,
}

impl<R: Read> Window<R> {
    /// The buffer is never larger than what there is to read, so that a small log costs little.
    pub(crate) fn new(
        reader: R,
        from: Offset,
        end: Option<Offset>,
        least: usize,
        most: usize,
    ) -> Window<R> {
        let end = end.map(|end| end.0);
        let left = end.map_or(u64::MAX, |end| end.saturating_sub(from.0));
        let size = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(least.max(1));
        Window {
            reader,
            bytes: vec![0; size],
            start: 0,
            filled: 0,
            offset: from.0,
            end,
            most: most.max(least),
            over: false,
        }
    }

    /// The bytes read and not consumed.
    pub(crate) fn unread(&self) -> &[u8] {
        self.bytes.get(self.start..self.filled).unwrap_or_default()
    }

    /// Where the first unread byte is in the log.
    pub(crate) fn offset(&self) -> Offset {
        Offset(self.offset)
    }

    /// Passes over the next `count` bytes, which stay readable with [`Window::consumed`] until more is read.
    pub(crate) fn consume(&mut self, count: usize) {
        let count = count.min(self.filled - self.start);
        self.start += count;
        self.offset = self.offset.saturating_add(count as u64);
    }

    /// The last `count` bytes consumed.
    pub(crate) fn consumed(&self, count: usize) -> &[u8] {
        self.bytes
            .get(self.start.saturating_sub(count)..self.start)
            .unwrap_or_default()
    }

    /// Reads on, once. False at the end. There must be room, by [`Window::is_full`].
    pub(crate) fn read_more(&mut self) -> Result<bool, Error> {
        let at = self
            .offset
            .saturating_add((self.filled - self.start) as u64);
        let left = self.end.map_or(u64::MAX, |end| end.saturating_sub(at));
        if self.over || left == 0 {
            self.over = true;
            return Ok(false);
        }
        self.make_room(left);
        let room = usize::try_from(left).unwrap_or(usize::MAX);
        let free = self.bytes.get_mut(self.filled..).unwrap_or_default();
        let free = match free.split_at_mut_checked(room) {
            Some((free, _)) => free,
            None => free,
        };
        let error = match (read(&mut self.reader, free), self.end) {
            (Ok(0), None) => {
                self.over = true;
                return Ok(false);
            }
            (Ok(0), Some(end)) => Error::Shrunk {
                at: Offset(at),
                end: Offset(end),
            },
            (Ok(count), _) => {
                self.filled = self.filled.saturating_add(count).min(self.bytes.len());
                return Ok(true);
            }
            (Err(source), _) => Error::Read {
                at: Offset(at),
                source,
            },
        };
        // The unfinished record is dropped: after an error there is nothing more.
        self.over = true;
        self.filled = self.start;
        Err(error)
    }

    /// Moves the unread bytes to the front where nothing is free behind them, and doubles the buffer where that is not enough.
    fn make_room(&mut self, left: u64) {
        if self.filled < self.bytes.len() && self.start < self.filled {
            return;
        }
        self.bytes.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.filled == self.bytes.len() {
            let needed = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .saturating_add(self.filled);
            let size = self
                .bytes
                .len()
                .saturating_mul(2)
                .min(self.most)
                .min(needed)
                .max(self.filled.saturating_add(1));
            self.bytes.resize(size, 0);
        }
    }

    /// The end of the log, or of what can be read of it, has been reached.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

/// One read, again where a signal came between.
fn read(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(into) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done.map(|count| count.min(into.len())),
        }
    }
}
