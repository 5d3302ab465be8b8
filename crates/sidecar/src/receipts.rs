//! Receipts: what this machine proved of a log and its sidecar, and when, so that a search need not prove it again.
//! Disposable: without them every sidecar is folded once more. They are also the catalogue of the logs known so far.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bincode::{Decode, Encode};
use memfold_disk::{Identity, Links, Locks, Mode, Snapshot, publish};
use memfold_fold::codec;
use memfold_log::Form;

use crate::SidecarError;

/// What the file begins with: a name and its version.
const MAGIC: &[u8; 8] = b"memrcpt1";
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
}

/// The receipts of this machine, by the log's path.
#[derive(Debug, Default)]
pub struct Receipts {
    file: PathBuf,
    known: HashMap<PathBuf, Receipt>,
    changed: HashMap<PathBuf, Option<Receipt>>,
}

/// The place of the receipts below a cache directory.
const FILE: &str = "receipts";

impl Receipts {
    /// Reads the receipts below a cache directory. Missing, damaged or of another version: none.
    pub fn load(cache: &Path) -> Receipts {
        let file = cache.join(FILE);
        let known = read(&file).unwrap_or_default();
        Receipts {
            file,
            known,
            changed: HashMap::new(),
        }
    }

    /// The receipt of a log.
    pub fn of(&self, log: &Path) -> Option<&Receipt> {
        self.known.get(log)
    }

    /// A receipt, of whatever log, for the same content of a sidecar: what was moved is known by it.
    pub fn with_content(&self, content_root: &[u8; 32]) -> Option<&Receipt> {
        self.known
            .values()
            .find(|receipt| receipt.content_root == *content_root)
    }

    /// Every log known, with its receipt.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &Receipt)> {
        self.known
            .iter()
            .map(|(path, receipt)| (path.as_path(), receipt))
    }

    /// Notes a log's receipt, to be saved.
    pub fn put(&mut self, log: &Path, receipt: Receipt) {
        if self.known.get(log) != Some(&receipt) {
            self.known.insert(log.to_owned(), receipt.clone());
            self.changed.insert(log.to_owned(), Some(receipt));
        }
    }

    /// Drops a log's receipt, to be saved.
    pub fn drop(&mut self, log: &Path) {
        if self.known.remove(log).is_some() {
            self.changed.insert(log.to_owned(), None);
        }
    }

    /// Whether there is anything to save.
    pub fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Saves what changed, over what other processes saved meanwhile.
    ///
    /// # Errors
    /// If the cache cannot be written: the receipts are then as they were, and nothing is lost but time.
    pub fn save(&mut self, locks: &Locks) -> Result<(), SidecarError> {
        if self.changed.is_empty() {
            return Ok(());
        }
        if let Some(folder) = self.file.parent() {
            memfold_disk::private_dir(folder).map_err(std::io::Error::other)?;
        }
        let _lock = locks
            .lock(&self.file, PATIENCE)
            .map_err(std::io::Error::other)?;
        let mut now = read(&self.file).unwrap_or_default();
        for (path, receipt) in self.changed.drain() {
            match receipt {
                Some(receipt) => now.insert(path, receipt),
                None => now.remove(&path),
            };
        }
        let bytes = write(&now)?;
        publish(
            &self.file,
            Mode::Private,
            |out| out.write_all(&bytes),
            |written| {
                if written == bytes {
                    Ok(())
                } else {
                    Err(std::io::ErrorKind::InvalidData.into())
                }
            },
        )
        .map_err(std::io::Error::other)?;
        self.known = now;
        Ok(())
    }
}

/// `MAGIC`, the CRC-32 of the rest, then the receipts as one record, sorted by path.
fn write(receipts: &HashMap<PathBuf, Receipt>) -> Result<Vec<u8>, SidecarError> {
    let mut rows: Vec<(Vec<u8>, &Receipt)> = receipts
        .iter()
        .map(|(path, receipt)| (path.as_os_str().as_encoded_bytes().to_vec(), receipt))
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let body = codec::encode(&rows).map_err(|error| SidecarError::Unwritable(error.to_string()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

fn read(file: &Path) -> Option<HashMap<PathBuf, Receipt>> {
    let snapshot = Snapshot::open(file, Links::Refuse).ok()?;
    parse(
        &snapshot
            .read_at(0, usize::try_from(snapshot.len()).ok()?)
            .ok()?,
    )
}

fn parse(bytes: &[u8]) -> Option<HashMap<PathBuf, Receipt>> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (crc, body) = rest.split_first_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return None;
    }
    let rows: Vec<(Vec<u8>, Receipt)> = codec::decode(body).ok()?;
    Some(
        rows.into_iter()
            .filter_map(|(path, receipt)| Some((path_from(path)?, receipt)))
            .collect(),
    )
}

#[cfg(unix)]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
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
