//! A log as it is opened: its text, read through the form it is stored in, never mapped. A file has one fixed length; the
//! rows of a session have the length that they made when they were last read to their end.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use memfold_database::Database;
use memfold_disk::{DiskError, Identity, Links, Snapshot};
use memfold_log::{Form, Limits, Offset, Reread, Unzstd, read_line, read_message, read_section};

use crate::error::Replaced;

/// A log at one moment: the length that stat gave then, whatever is appended later. Opened when it is first read.
pub struct LogFile {
    path: PathBuf,
    form: Form,
    identity: Identity,
    source: Source,
}

/// Where a log's text comes from.
enum Source {
    /// A file.
    File(OnceLock<Snapshot>),
    /// The rows of a session.
    Session {
        database: Arc<Database>,
        id: String,
        /// The length of the text that they make, where it is known.
        length: AtomicU64,
    },
}

/// Stands for a length that is not known.
const UNKNOWN: u64 = u64::MAX;

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
            source: Source::File(OnceLock::new()),
        }
    }

    /// A session of a database, as its listing told it a moment ago.
    pub fn of_session(database: Arc<Database>, session: &memfold_database::Session) -> LogFile {
        LogFile {
            path: session.path.clone(),
            form: Form::Rows,
            identity: session.identity,
            source: Source::Session {
                database,
                id: session.id.clone(),
                length: AtomicU64::new(UNKNOWN),
            },
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
        match (&self.source, self.form) {
            (Source::Session { length, .. }, _) => {
                Some(length.load(Ordering::Relaxed)).filter(|length| *length != UNKNOWN)
            }
            (Source::File(_), Form::Lines | Form::Markdown) => Some(self.identity.size),
            (Source::File(_), _) => None,
        }
    }

    /// Takes it that a session's text is as long as it was when stat said last what it says now.
    pub(crate) fn is_as_long_as(&self, known: u64) {
        if let Source::Session { length, .. } = &self.source {
            length.store(known, Ordering::Relaxed);
        }
    }

    fn file(&self) -> io::Result<&Snapshot> {
        let Source::File(opened) = &self.source else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        if let Some(file) = opened.get() {
            return Ok(file);
        }
        let file = Snapshot::open(&self.path, Links::Follow).map_err(io::Error::other)?;
        let (now, then) = (file.identity(), self.identity);
        // The first bytes of another file would be a log that never was.
        if (now.dev, now.inode) != (then.dev, then.inode) || now.size < then.size {
            return Err(io::Error::other(Replaced));
        }
        Ok(opened.get_or_init(|| file))
    }

    /// Its text from an offset on. A compressed log is decompressed up to there, and so are rows told.
    ///
    /// # Errors
    /// If the file cannot be read, or ends before the offset.
    pub fn text(&self, from: Offset) -> io::Result<Box<dyn Read + '_>> {
        if let Source::Session {
            database,
            id,
            length,
        } = &self.source
        {
            let mut text = Measured {
                text: database.text(id).map_err(io::Error::other)?,
                read: 0,
                length,
            };
            skip(&mut text, from)?;
            return Ok(Box::new(text));
        }
        match self.form {
            Form::CompressedLines => {
                let mut text = Unzstd::new(self.file()?.reader(0).take(self.identity.size))?;
                skip(&mut text, from)?;
                Ok(Box::new(text))
            }
            Form::Lines | Form::Document | Form::Markdown | Form::Rows => {
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
            Form::Markdown => read_section(text, start, length, Limits::DEFAULT),
            Form::Lines | Form::CompressedLines | Form::Rows => {
                read_line(text, start, length, Limits::DEFAULT)
            }
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

/// The text of a session, which notes its length once it was read to its end.
struct Measured<'l> {
    text: memfold_database::SessionText,
    read: u64,
    length: &'l AtomicU64,
}

impl Read for Measured<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(into)?;
        self.read = self.read.saturating_add(count as u64);
        if count == 0 && !into.is_empty() {
            self.length.store(self.read, Ordering::Relaxed);
        }
        Ok(count)
    }
}

/// Reads on to a place of a text.
fn skip(text: &mut impl Read, to: Offset) -> io::Result<()> {
    let skipped = io::copy(&mut text.by_ref().take(to.0), &mut io::sink())?;
    if skipped < to.0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// How much of a log's start tells whose it is.
const HEAD: u64 = 64 << 10;
