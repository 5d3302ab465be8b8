//! Receipts: what this machine proved of a log and its sidecar, and when, so that a search need not prove it again.
//! Disposable: without them every sidecar is folded once more. They are also the catalogue of the logs known so far.

mod table;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bincode::{Decode, Encode};
use memfold_disk::{Identity, Links, Locks, Mode, publish};
use memfold_log::Form;

pub(crate) use self::table::key_of;
use self::table::{Table, write};
use crate::SidecarError;
use crate::log_file::LogFile;
use crate::worth::Worth;

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was proved of one log.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Receipt {
    /// The agent whose log it is.
    pub agent: String,
    /// The log as stat told it when its covered part was proved, by [`Identity::to_bytes`].
    pub log: [u8; Identity::BYTES],
    /// When that was, in nanoseconds since 1970.
    pub proved_at: i64,
    /// How long the log's text was then, where that was known.
    pub length: Option<u64>,
    /// How long the log's text was when it was last folded: nothing before is new.
    pub folded: u64,
    /// How much of it the sidecar covers.
    pub covered: u64,
    /// The log's root, as the sidecar holds it.
    pub log_root: [u8; 32],
    /// Where the sidecar is.
    pub place: Place,
    /// The sidecar as stat told it, by [`Identity::to_bytes`].
    pub sidecar: [u8; Identity::BYTES],
    /// The sidecar's content root.
    pub content_root: [u8; 32],
    /// Ranked events that it covers.
    pub documents: u32,
    /// Turns begun.
    pub turns: u32,
    /// The log's own id for its task.
    pub task: Option<String>,
    /// The task that started this one as its helper.
    pub parent: Option<String>,
    /// The label of the helper whose log it is.
    pub helper: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The title, redacted.
    pub title: Option<String>,
    /// The first turn's title, redacted.
    pub request: Option<String>,
    /// The earliest time that a line of the log names.
    pub started: Option<i64>,
    /// The latest.
    pub ended: Option<i64>,
}

/// Where a sidecar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Place {
    /// Beside its log.
    Beside,
    /// Below the cache directory.
    Cache,
}

impl Receipt {
    /// Whether the log is, as far as stat can tell, still the one that was proved: it had been left alone before.
    pub fn holds_for(&self, log: &Identity) -> bool {
        Identity::from_bytes(&self.log) == *log && log.settled_before(self.proved_at)
    }

    /// Whether it tells of the log to its end: one of a log that was folded in part leaves open how long it was.
    pub(crate) fn is_of_all(&self, log: &LogFile) -> bool {
        self.length.is_some() || log.text_length().is_none()
    }
}

/// The receipts of this machine, by the log's path. Of thousands a call needs few: each is read when it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Receipts {
    file: PathBuf,
    kept: Arc<Table>,
    /// The system refused to read the file, which may well be there.
    unreadable: bool,
    changed: HashMap<PathBuf, Option<Receipt>>,
    /// The file is to be written even if nothing changed: it holds more than can be read.
    anew: bool,
}

/// The place of the receipts below a cache directory.
const FILE: &str = "receipts";

impl Receipts {
    /// Where the receipts are, below a cache directory.
    pub fn file(cache: &Path) -> PathBuf {
        cache.join(FILE)
    }

    /// What their file is worth by its own bytes, every one of them.
    pub fn worth(cache: &Path) -> Worth {
        match Table::at(&Receipts::file(cache)) {
            Ok(table) => table.worth(),
            Err(worth) => worth,
        }
    }

    /// Opens the receipts below a cache directory. Missing, damaged, of another version or not readable: none.
    pub fn load(cache: &Path) -> Receipts {
        Receipts::at(Receipts::file(cache))
    }

    fn at(file: PathBuf) -> Receipts {
        let kept = Table::open(&file);
        Receipts {
            file,
            unreadable: kept.is_err(),
            kept: Arc::new(kept.unwrap_or_default()),
            changed: HashMap::new(),
            anew: false,
        }
    }

    /// The receipts as they are saved now: those at hand, if no call saved others since. What could not be saved is still known.
    pub fn now(&self) -> Receipts {
        let known = self.kept.identity();
        let now = Identity::at(&self.file, Links::Refuse).ok();
        if known != now || self.unreadable {
            return Receipts {
                changed: self.changed.clone(),
                ..Receipts::at(self.file.clone())
            };
        }
        Receipts {
            file: self.file.clone(),
            kept: Arc::clone(&self.kept),
            unreadable: false,
            changed: self.changed.clone(),
            anew: false,
        }
    }

    /// Has the file written anew at the next save, with nothing in it but what can be read.
    pub fn renew(&mut self) {
        self.anew = true;
    }

    /// The receipt of a log.
    pub fn of(&self, log: &Path) -> Option<&Receipt> {
        match self.changed.get(log) {
            Some(changed) => changed.as_ref(),
            None => self.kept.of(log),
        }
    }

    /// A receipt, of whatever log, for the same content of a sidecar: what was moved is known by it.
    pub fn with_content(&self, content_root: &[u8; 32]) -> Option<&Receipt> {
        self.all()
            .map(|(_, receipt)| receipt)
            .find(|receipt| receipt.content_root == *content_root)
    }

    /// Every log known, with its receipt.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &Receipt)> {
        let kept = self
            .kept
            .all()
            .filter(|(path, _)| !self.changed.contains_key(*path));
        let changed = self
            .changed
            .iter()
            .filter_map(|(path, receipt)| Some((path.as_path(), receipt.as_ref()?)));
        kept.chain(changed)
    }

    /// Notes a log's receipt, to be saved.
    pub fn put(&mut self, log: &Path, receipt: Receipt) {
        if self.of(log) != Some(&receipt) {
            self.changed.insert(log.to_owned(), Some(receipt));
        }
    }

    /// Drops a log's receipt, to be saved.
    pub fn drop(&mut self, log: &Path) {
        if self.of(log).is_some() {
            self.changed.insert(log.to_owned(), None);
        }
    }

    /// Whether a log without a receipt has none: the file can be read, or there is none that means anything.
    pub fn is_readable(&self) -> bool {
        !self.unreadable && self.kept.is_readable()
    }

    /// Whether there is anything to save.
    pub fn is_changed(&self) -> bool {
        self.anew || !self.changed.is_empty()
    }

    /// Saves what changed, over what other processes saved meanwhile.
    ///
    /// # Errors
    /// If the cache cannot be written, what others saved cannot be read, or is a later program's: the receipts are then as
    /// they were, and nothing is lost but time.
    pub fn save(&mut self, locks: &Locks) -> Result<(), SidecarError> {
        if !self.is_changed() {
            return Ok(());
        }
        if let Some(folder) = self.file.parent() {
            memfold_disk::private_dir(folder).map_err(io::Error::other)?;
        }
        let _lock = locks.lock(&self.file, PATIENCE).map_err(io::Error::other)?;
        let now = match Table::at(&self.file) {
            Ok(now) => now,
            Err(Worth::Newer) => {
                return Err(SidecarError::NewerFormat {
                    what: "receipts of a later version".to_owned(),
                });
            }
            // What cannot be read at this moment is not to be replaced by less.
            Err(Worth::Unreadable(why)) => return Err(io::Error::other(why).into()),
            Err(_) => Table::default(),
        };
        let bytes = write(&now, &self.changed)?;
        publish(
            &self.file,
            Mode::Private,
            |out| out.write_all(&bytes),
            |written| {
                if written == bytes {
                    Ok(())
                } else {
                    Err(io::ErrorKind::InvalidData.into())
                }
            },
        )
        .map_err(io::Error::other)?;
        let kept = Table::open(&self.file);
        self.unreadable = kept.is_err();
        self.kept = Arc::new(kept.unwrap_or_default());
        self.changed.clear();
        self.anew = false;
        Ok(())
    }
}

/// The sidecar's path beside a log: `x.mem` for `x.jsonl`, `x.jsonl.zst` and `x.json`.
pub fn beside(log: &Path) -> PathBuf {
    let stem = match Form::of(log) {
        Some(Form::CompressedLines) => log.with_extension("").with_extension(""),
        _ => log.with_extension(""),
    };
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(".mem");
    stem.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memfold_disk::Mark;

    fn receipt(documents: u32) -> Receipt {
        Receipt {
            agent: "claude-code".to_owned(),
            log: [1; Identity::BYTES],
            proved_at: 2,
            length: Some(3),
            folded: 3,
            covered: 3,
            log_root: [4; 32],
            place: Place::Beside,
            sidecar: [5; Identity::BYTES],
            content_root: [6; 32],
            documents,
            turns: 1,
            task: Some("a task".to_owned()),
            parent: None,
            helper: None,
            cwd: None,
            title: None,
            request: None,
            started: None,
            ended: None,
        }
    }

    fn known(receipts: &Receipts) -> Vec<(String, u32)> {
        let mut known: Vec<_> = receipts
            .all()
            .map(|(path, receipt)| (path.display().to_string(), receipt.documents))
            .collect();
        known.sort();
        known
    }

    #[test]
    fn two_writers_keep_what_the_other_saved() {
        let dir = tempfile::tempdir().unwrap();
        let locks = Locks::new(dir.path().join("locks"));
        let mut one = Receipts::load(dir.path());
        let mut other = Receipts::load(dir.path());
        one.put(Path::new("/a"), receipt(1));
        one.put(Path::new("/b"), receipt(2));
        one.save(&locks).unwrap();
        other.put(Path::new("/c"), receipt(3));
        other.put(Path::new("/b"), receipt(4));
        other.save(&locks).unwrap();
        let expected = [("/a", 1), ("/b", 4), ("/c", 3)].map(|(path, n)| (path.to_owned(), n));
        assert_eq!(known(&other), expected);
        assert_eq!(known(&Receipts::load(dir.path())), expected);
        assert_eq!(one.of(Path::new("/b")).unwrap().documents, 2);
        one.drop(Path::new("/a"));
        assert_eq!(one.of(Path::new("/a")), None);
        one.save(&locks).unwrap();
        assert_eq!(known(&one), expected[1..]);
    }

    #[test]
    fn a_flipped_bit_costs_its_record_or_the_table_and_never_lies() {
        let dir = tempfile::tempdir().unwrap();
        let mut receipts = Receipts::load(dir.path());
        receipts.put(Path::new("/a"), receipt(1));
        receipts.put(Path::new("/b"), receipt(2));
        receipts
            .save(&Locks::new(dir.path().join("locks")))
            .unwrap();
        let file = dir.path().join(FILE);
        let whole = std::fs::read(&file).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            std::fs::write(&file, &bytes).unwrap();
            let receipts = Receipts::load(dir.path());
            let mut read = 0;
            for (path, number) in [("/a", 1), ("/b", 2)] {
                if let Some(found) = receipts.of(Path::new(path)) {
                    assert_eq!(*found, receipt(number), "byte {place}");
                    read += 1;
                }
            }
            assert!(read < 2, "byte {place}");
            assert!(
                matches!(
                    Receipts::worth(dir.path()),
                    Worth::Damaged(_) | Worth::Older
                ),
                "byte {place}"
            );
        }
        std::fs::write(&file, [&whole[..], &[0]].concat()).unwrap();
        assert!(matches!(Receipts::worth(dir.path()), Worth::Damaged(_)));
        std::fs::write(&file, &whole).unwrap();
        assert_eq!(Receipts::worth(dir.path()), Worth::Sound);
        for length in 0..whole.len() {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert!(
                matches!(Receipts::worth(dir.path()), Worth::Damaged(_)),
                "{length} bytes"
            );
            assert!(
                known(&Receipts::load(dir.path())).len() < 2,
                "{length} bytes"
            );
        }
    }

    #[test]
    fn a_later_programs_receipts_are_left_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(FILE);
        let later = [Mark::new(b"memrcpt5").bytes(), &b"whatever it is"[..]].concat();
        std::fs::write(&file, &later).unwrap();
        assert_eq!(Receipts::worth(dir.path()), Worth::Newer);
        let mut receipts = Receipts::load(dir.path());
        receipts.put(Path::new("/a"), receipt(1));
        let saved = receipts.save(&Locks::new(dir.path().join("locks")));
        assert!(matches!(saved, Err(SidecarError::NewerFormat { .. })));
        assert_eq!(std::fs::read(&file).unwrap(), later);
    }
}
