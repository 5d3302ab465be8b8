//! When a call has had its time: whoever reads a log asks now and then whether it should go on. What is folded by then is kept.

use std::io::{self, Read};

/// Asked while a log is read: should the rest be left?
pub type Stop<'s> = &'s dyn Fn() -> bool;

/// The answer of whoever reads a log to its end, however long that takes.
pub fn to_the_end() -> bool {
    false
}

/// A reader that ends with an error once it should.
pub(crate) struct Stoppable<'s, R> {
    pub(crate) text: R,
    pub(crate) stop: Stop<'s>,
}

/// The error that it ends with.
#[derive(Debug, thiserror::Error)]
#[error("the time is over")]
pub(crate) struct Stopped;

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stop)() {
            return Err(io::Error::other(Stopped));
        }
        self.text.read(buffer)
    }
}
