//! Where a publish writes to: counts what went out and keeps its first error, so that a disk that
//! is full is known as one however the writing side wraps or drops the error it was given.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::sys;

/// As large as the pieces in which file systems like to be written.
const BUFFER: usize = 128 * 1024;

pub(crate) struct Sink<'a> {
    out: BufWriter<Out<'a>>,
    written: u64,
    failed: Option<io::Error>,
}

/// The file as the system writes to it.
struct Out<'a>(&'a File);

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        sys::write(self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> Sink<'a> {
    pub(crate) fn new(file: &'a File) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER, Out(file)),
            written: 0,
            failed: None,
        }
    }

    /// The error that stopped it, if one did.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Writes out what is left and says how many bytes there were.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        Ok(self.written)
    }

    /// After an error a file has a hole: nothing more may go into it.
    fn go_on(&self) -> io::Result<()> {
        match &self.failed {
            Some(error) => Err(copy(error)),
            None => Ok(()),
        }
    }

    fn noted<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some(copy(error));
        }
        result
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.go_on()?;
        let result = self.out.write(bytes);
        let written = self.noted(result)?;
        self.written = self.written.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.go_on()?;
        let result = self.out.flush();
        self.noted(result)
    }
}

fn copy(error: &io::Error) -> io::Error {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that is always full: a real ENOSPC, for root too.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_remembered_and_stops_the_writing() {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut sink = Sink::new(&full);
        sink.write_all(&[0; 10]).unwrap();
        assert!(sink.failure().is_none());
        let large = vec![0; 2 * BUFFER];
        assert_eq!(
            sink.write_all(&large).unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        assert_eq!(
            sink.write_all(b"x").unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        assert_eq!(sink.failure().unwrap().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn counts_what_it_is_given() {
        let file = tempfile::tempfile().unwrap();
        let mut sink = Sink::new(&file);
        sink.write_all(&[7; 300_000]).unwrap();
        sink.write_all(b"end").unwrap();
        assert_eq!(sink.finish().unwrap(), 300_003);
        assert_eq!(file.metadata().unwrap().len(), 300_003);
    }
}
