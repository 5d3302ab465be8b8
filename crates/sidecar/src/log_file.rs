//! A log as it is opened: one fixed length, its text read through the form it is stored in, never mapped.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memfold_disk::{DiskError, Identity, Links, Snapshot};
use memfold_log::{Form, Limits, Offset, Reread, Unzstd, read_line, read_message};

use crate::error::Replaced;

/// A log at one moment: the length that stat gave then, whatever is appended later. Opened when it is first read.
pub struct LogFile {
    path: PathBuf,
    form: Form,
    identity: Identity,
    file: OnceLock<Snapshot>,
}

impl LogFile {
    /// A log as stat tells it now. Links are followed: an agent's store may be one.
    ///
    /// # Errors
    /// If it is no regular file or cannot be looked at.
    pub fn open(path: &Path, form: Form) -> Result<LogFile, DiskError> {
        Ok(LogFile::at(path, form, Identity::at(path, Links::Follow)?))
    }

    /// A log as stat told it a moment ago.
    pub fn at(path: &Path, form: Form, identity: Identity) -> LogFile {
        LogFile {
            path: path.to_owned(),
            form,
            identity,
            file: OnceLock::new(),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is stored.
    pub fn form(&self) -> Form {
        self.form
    }

    /// What stat said.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The length of its text, where that is known without reading it.
    pub fn text_length(&self) -> Option<u64> {
        match self.form {
            Form::Lines => Some(self.identity.size),
            Form::CompressedLines | Form::Document => None,
        }
    }

    fn file(&self) -> io::Result<&Snapshot> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = Snapshot::open(&self.path, Links::Follow).map_err(io::Error::other)?;
        let (now, then) = (file.identity(), self.identity);
        // The first bytes of another file would be a log that never was.
        if (now.dev, now.inode) != (then.dev, then.inode) || now.size < then.size {
            return Err(io::Error::other(Replaced));
        }
        Ok(self.file.get_or_init(|| file))
    }

    /// Its text from an offset on. A compressed log is decompressed up to there.
    ///
    /// # Errors
    /// If the file cannot be read, or ends before the offset.
    pub fn text(&self, from: Offset) -> io::Result<Box<dyn Read + '_>> {
        match self.form {
            Form::CompressedLines => {
                let mut text = Unzstd::new(self.file()?.reader(0).take(self.identity.size))?;
                let skipped = io::copy(&mut text.by_ref().take(from.0), &mut io::sink())?;
                if skipped < from.0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Ok(Box::new(text))
            }
            Form::Lines | Form::Document => {
                let left = self.identity.size.saturating_sub(from.0);
                Ok(Box::new(self.file()?.reader(from.0).take(left)))
            }
        }
    }

    /// One line or message, by the place that framing gave it: in a log that is not compressed one positional read.
    ///
    /// # Errors
    /// If there is no such line any more.
    pub fn line(&self, start: Offset, length: u64) -> Result<Reread, memfold_log::Error> {
        let text = self
            .text(start)
            .map_err(|source| memfold_log::Error::Read { at: start, source })?;
        match self.form {
            Form::Document => read_message(text, start, length, Limits::DEFAULT),
            Form::Lines | Form::CompressedLines => read_line(text, start, length, Limits::DEFAULT),
        }
    }

    /// Its first 64 KiB, by which its agent is told.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn head(&self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let read = self.text(Offset(0))?.take(HEAD).read_to_end(&mut head);
        match read {
            Err(error) if head.is_empty() => Err(error),
            _ => Ok(head),
        }
    }
}

/// How much of a log's start tells whose it is.
const HEAD: u64 = 64 << 10;
