//! Appends events to memfold's own logs, which other processes append to and read at the same time: one event is one line,
//! one write, under a lock, synced. Nothing already in the log is ever changed.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::thread;
use std::time::{Duration, Instant};

use crate::frame::Limits;
use crate::ids::Offset;
use crate::own::Record;

/// The longest line that is written, its newline not counted: whatever is written can be read back whole.
pub const MAX_LINE: usize = Limits::DEFAULT.string;

/// How long a writer waits for the others. Each holds the lock for one write and one sync.
const PATIENCE: Duration = Duration::from_secs(10);

/// What an [`Appender`] needs of a log. A [`File`] is one, and so is every [`AppendFile`].
pub trait AppendTarget {
    /// Takes the log's exclusive lock, among processes too, or fails within a bounded time.
    fn lock(&mut self) -> io::Result<()>;
    /// Gives it back.
    fn unlock(&mut self) -> io::Result<()>;
    /// The log's length now.
    fn len(&mut self) -> io::Result<u64>;
    /// Whether the log is empty now.
    fn is_empty(&mut self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// The log's last byte now, if it has any.
    fn last_byte(&mut self) -> io::Result<Option<u8>>;
    /// Puts all bytes behind the log's end with one write call, or fails.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Returns once what was appended survives a loss of power.
    fn sync(&mut self) -> io::Result<()>;
}

/// A log that is a file, with what its owner does in another way than a file by itself.
///
/// The file must be open for appending and for reading. Its lock is advisory on Unix; on Windows others cannot read the
/// file while it is held, which is for one write and one sync.
pub trait AppendFile {
    /// The file.
    fn file(&mut self) -> &mut File;

    /// Takes the file's lock; waits for other writers, ten seconds at most.
    fn take_lock(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match self.file().try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                    return Err(ErrorKind::TimedOut.into());
                }
                Err(TryLockError::WouldBlock) => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
            }
        }
    }

    /// Writes bytes behind the file's end with one call: how many of them the system took.
    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    /// Returns once what was written survives a loss of power.
    fn make_durable(&mut self) -> io::Result<()> {
        self.file().sync_data()
    }
}

impl AppendFile for File {
    fn file(&mut self) -> &mut File {
        self
    }
}

impl<T: AppendFile> AppendTarget for T {
    fn lock(&mut self) -> io::Result<()> {
        self.take_lock()
    }

    fn unlock(&mut self) -> io::Result<()> {
        File::unlock(self.file())
    }

    fn len(&mut self) -> io::Result<u64> {
        Ok(self.file().metadata()?.len())
    }

    fn last_byte(&mut self) -> io::Result<Option<u8>> {
        if AppendTarget::len(self)? == 0 {
            return Ok(None);
        }
        let file = self.file();
        // Where a file open for appending stands does not matter to its writes.
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        let [byte] = byte;
        Ok(Some(byte))
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = loop {
            match self.write_once(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => break done?,
            }
        };
        // A full disk. The rest is not sent after it: the next writer sees a torn line, as after a crash.
        if written < bytes.len() {
            Err(ErrorKind::WriteZero.into())
        } else {
            Ok(())
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.make_durable()
    }
}

/// Where a line was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its first byte.
    pub start: Offset,
    /// Its bytes, its newline included.
    pub length: u64,
}

/// Why an event was not appended. Where it says nothing else, the log is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The line is longer than [`MAX_LINE`].
    #[error("an event of {length} bytes is too long: a line has at most {MAX_LINE}")]
    TooLong {
        /// Its length.
        length: usize,
    },
    /// The event cannot be written as JSON.
    #[error("the event cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The lock was not to be had.
    #[error("the log could not be locked: {0}")]
    Lock(io::Error),
    /// The end of the log could not be read.
    #[error("the log's end could not be read: {0}")]
    Look(io::Error),
    /// The write failed. A torn line may be left at the log's end, which readers and later writers pass over.
    #[error("the event could not be written: {0}")]
    Write(io::Error),
    /// The line was written, but may not survive a loss of power.
    #[error("the event was written but could not be synced: {0}")]
    Sync(io::Error),
}

/// Appends to one of memfold's own logs.
///
/// A line that a crashed writer left torn is left as it is: the next event begins with a newline, so the torn one stays a
/// broken line alone.
///
/// ```
/// use memfold_log::{AppendTarget, Appender, own::{Body, Record}};
/// # let path = std::env::temp_dir().join(format!("memfold-log-doc-{}.jsonl", std::process::id()));
///
/// let file = std::fs::OpenOptions::new().create(true).append(true).read(true).open(&path)?;
/// let mut log = Appender::new(file);
/// log.begin(&Record::new(Body::open("3f9a1c02", "/project")))?;
/// log.append(&Record::new(Body::Person { text: "fix the denylist test".into() }))?;
///
/// assert_eq!(std::fs::read_to_string(&path)?, r#"{"v":1,"kind":"log.open","task":"3f9a1c02","cwd":"/project"}
/// {"v":1,"kind":"person","text":"fix the denylist test"}
/// "#);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Appender<T> {
    target: T,
    line: Vec<u8>,
}

impl<T: AppendTarget> Appender<T> {
    /// Appends to this log.
    pub fn new(target: T) -> Appender<T> {
        Appender {
            target,
            line: Vec::new(),
        }
    }

    /// The log.
    pub fn into_inner(self) -> T {
        self.target
    }

    /// Appends the event.
    pub fn append(&mut self, record: &Record<'_>) -> Result<Written, AppendError> {
        self.prepare(record)?;
        self.locked(Appender::put)
    }

    /// Appends events that belong together: one write, one sync. A crash may leave the first of them.
    pub fn append_all(&mut self, records: &[Record<'_>]) -> Result<Option<Written>, AppendError> {
        let Some((first, rest)) = records.split_first() else {
            return Ok(None);
        };
        self.prepare(first)?;
        for record in rest {
            let start = self.line.len();
            record.write_json(&mut self.line)?;
            let length = self.line.len().saturating_sub(start);
            if length > MAX_LINE {
                self.line = Vec::new();
                return Err(AppendError::TooLong { length });
            }
            self.line.push(b'\n');
        }
        self.locked(Appender::put).map(Some)
    }

    /// Appends the event if the log is empty, so that of several writers one alone writes the first line.
    pub fn begin(&mut self, record: &Record<'_>) -> Result<Option<Written>, AppendError> {
        self.prepare(record)?;
        self.locked(|log| match log.target.is_empty() {
            Ok(true) => log.put().map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(AppendError::Look(error)),
        })
    }

    /// Makes the line, with a newline behind it and one before, which is written only after a torn line, in the same write.
    fn prepare(&mut self, record: &Record<'_>) -> Result<(), AppendError> {
        self.line.clear();
        self.line.push(b'\n');
        record.write_json(&mut self.line)?;
        let length = self.line.len() - 1;
        if length > MAX_LINE {
            self.line = Vec::new();
            return Err(AppendError::TooLong { length });
        }
        self.line.push(b'\n');
        Ok(())
    }

    /// Does something under the lock.
    fn locked<O>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<O, AppendError>,
    ) -> Result<O, AppendError> {
        self.target.lock().map_err(AppendError::Lock)?;
        let done = act(self);
        // A lock that cannot be given back falls with the file; what was done is what matters.
        let _ = self.target.unlock();
        done
    }

    /// Writes the lines that were prepared.
    fn put(&mut self) -> Result<Written, AppendError> {
        let end = self.target.len().map_err(AppendError::Look)?;
        let last = self.target.last_byte().map_err(AppendError::Look)?;
        let torn = last.is_some_and(|byte| byte != b'\n');
        let bytes = self.line.get(usize::from(!torn)..).unwrap_or_default();
        self.target.append(bytes).map_err(AppendError::Write)?;
        self.target.sync().map_err(AppendError::Sync)?;
        let start = end.saturating_add(u64::from(torn));
        Ok(Written {
            start: Offset(start),
            length: (self.line.len() as u64).saturating_sub(1),
        })
    }
}
