//! The receipts' file: a table of rows by key, and records that are read one by one. Damage to a record costs that record.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use memfold_disk::{DiskError, Identity, Mark, Snapshot};
use memfold_fold::codec;
use sha2::{Digest, Sha256};

use super::Receipt;
use crate::SidecarError;
use crate::worth::Worth;

/// What a log's receipt is found by: half of the SHA-256 of its path.
pub(crate) type Key = [u8; 16];

pub(crate) fn key_of(log: &Path) -> Key {
    let digest = Sha256::digest(log.as_os_str().as_encoded_bytes());
    let mut key = Key::default();
    key.iter_mut().zip(digest).for_each(|(byte, of)| *byte = of);
    key
}

/// What the file begins with.
static MARK: LazyLock<Mark> = LazyLock::new(|| Mark::new(b"memrcpt4"));

/// The receipts as they lie in their file: the mark, the number of rows, the CRC-32 of it and of the rows, the rows sorted by
/// key; then the records, each the CRC-32 of the rest and a log's path with its receipt. `formats/receipts.md` is the page.
#[derive(Debug, Default)]
pub(super) struct Table {
    file: Option<Snapshot>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    key: Key,
    at: u64,
    length: u32,
    read: OnceLock<Option<Box<(PathBuf, Receipt)>>>,
}

/// The bytes of a row, and of what stands before the first.
const ROW: usize = 28;
const COUNT: usize = 4;
const HEAD: usize = Mark::BYTES + COUNT + 4;

impl Table {
    /// The table in a file; none if there is no file, or none that holds together.
    pub(super) fn open(file: &Path) -> io::Result<Table> {
        match Table::at(file) {
            Ok(table) => Ok(table),
            Err(Worth::Unreadable(why)) => Err(io::Error::other(why)),
            Err(_) => Ok(Table::default()),
        }
    }

    pub(super) fn at(path: &Path) -> Result<Table, Worth> {
        let file = Worth::open(path, *MARK)?;
        let rows = Table::rows(&file).map_err(|error| Worth::Unreadable(error.to_string()))?;
        let rows =
            rows.ok_or_else(|| Worth::Damaged("its rows' checksum does not match".to_owned()))?;
        Ok(Table {
            rows,
            file: Some(file),
        })
    }

    /// The file, as stat tells it.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.file.as_ref().map(Snapshot::identity)
    }

    /// What it is worth by its own bytes, every one of them.
    pub(super) fn worth(&self) -> Worth {
        let mut at = HEAD as u64 + (self.rows.len() as u64).saturating_mul(ROW as u64);
        let mut before = None;
        for row in &self.rows {
            if row.at != at || before >= Some(row.key) {
                return Worth::Damaged("its rows are out of order".to_owned());
            }
            if self
                .record(row)
                .is_none_or(|(path, _)| key_of(path) != row.key)
            {
                return Worth::Damaged(format!("the record at byte {at}"));
            }
            at = at.saturating_add(u64::from(row.length));
            before = Some(row.key);
        }
        match self.file.as_ref().is_some_and(|file| file.len() == at) {
            true => Worth::Sound,
            false => Worth::Damaged("another length than its rows say".to_owned()),
        }
    }

    fn rows(file: &Snapshot) -> io::Result<Option<Vec<Row>>> {
        let Some(head) = there(file.read_at(Mark::BYTES as u64, HEAD - Mark::BYTES))? else {
            return Ok(None);
        };
        let parse = || {
            let (count, rest) = head.split_first_chunk::<COUNT>()?;
            let rows = usize::try_from(u32::from_le_bytes(*count)).ok()?;
            let crc = u32::from_le_bytes(*rest.first_chunk()?);
            Some((*count, rows.checked_mul(ROW)?, crc))
        };
        let Some((count, length, crc)) = parse() else {
            return Ok(None);
        };
        let rows = there(file.read_at(HEAD as u64, length))?;
        Ok(rows
            .filter(|rows| checksum(count, rows) == crc)
            .map(|rows| {
                let rows = rows.as_chunks::<ROW>().0;
                rows.iter().filter_map(Row::of).collect()
            }))
    }

    pub(super) fn of(&self, log: &Path) -> Option<&Receipt> {
        let key = key_of(log);
        let place = self.rows.binary_search_by_key(&key, |row| row.key).ok()?;
        let (path, receipt) = self.record(self.rows.get(place)?)?;
        (path == log).then_some(receipt)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&Path, &Receipt)> {
        self.rows
            .iter()
            .filter_map(|row| self.record(row))
            .map(|(path, receipt)| (path.as_path(), receipt))
    }

    fn record<'t>(&self, row: &'t Row) -> Option<&'t (PathBuf, Receipt)> {
        if row.read.get().is_none() {
            // What the system refuses to read now is asked for again the next time.
            let bytes = self.bytes(row).ok()?;
            let read = || {
                let (path, receipt) =
                    codec::decode::<(Vec<u8>, Receipt)>(checked(&bytes?)?).ok()?;
                Some(Box::new((path_from(path)?, receipt)))
            };
            let _ = row.read.set(read());
        }
        row.read.get()?.as_deref()
    }

    /// Whether the system lets every record be read, whatever it is worth.
    pub(super) fn is_readable(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.all(|row| row.read.get().is_some() || self.bytes(row).is_ok())
    }

    /// A record's bytes; none if the file does not hold them.
    fn bytes(&self, row: &Row) -> io::Result<Option<Vec<u8>>> {
        match (&self.file, usize::try_from(row.length)) {
            (Some(file), Ok(length)) => there(file.read_at(row.at, length)),
            _ => Ok(None),
        }
    }
}

/// What was read, or nothing if it is not there to be read. That the system refuses is another thing: it says nothing about
/// what is there.
fn there<T>(read: Result<T, DiskError>) -> io::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(DiskError::PastEnd { .. } | DiskError::Shrunk { .. }) => Ok(None),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The checksum of the number of rows and of the rows.
fn checksum(count: [u8; COUNT], rows: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&count);
    hasher.update(rows);
    hasher.finalize()
}

impl Row {
    fn of(bytes: &[u8; ROW]) -> Option<Row> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (at, rest) = rest.split_first_chunk()?;
        Some(Row {
            key: *key,
            at: u64::from_le_bytes(*at),
            length: u32::from_le_bytes(*rest.first_chunk()?),
            read: OnceLock::new(),
        })
    }
}

/// A record's bytes, behind their checksum.
fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (crc, record) = bytes.split_first_chunk()?;
    (crc32fast::hash(record) == u32::from_le_bytes(*crc)).then_some(record)
}

/// The file of what is kept, changed as `changed` says. What is not changed is copied as it lies.
pub(super) fn write(
    kept: &Table,
    changed: &HashMap<PathBuf, Option<Receipt>>,
) -> Result<Vec<u8>, SidecarError> {
    let mut records: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
    for row in &kept.rows {
        let bytes = kept.bytes(row)?;
        if let Some(bytes) = bytes.filter(|bytes| checked(bytes).is_some()) {
            records.insert(row.key, bytes);
        }
    }
    let unwritable = |what: &dyn ToString| SidecarError::Unwritable(what.to_string());
    for (path, receipt) in changed {
        let key = key_of(path);
        let Some(receipt) = receipt else {
            records.remove(&key);
            continue;
        };
        let record = codec::encode(&(path.as_os_str().as_encoded_bytes(), receipt))
            .map_err(|error| unwritable(&error))?;
        let mut bytes = crc32fast::hash(&record).to_le_bytes().to_vec();
        bytes.extend(record);
        records.insert(key, bytes);
    }
    let count = u32::try_from(records.len()).map_err(|error| unwritable(&error))?;
    let mut at = HEAD as u64 + u64::from(count) * ROW as u64;
    let mut rows = Vec::with_capacity(records.len().saturating_mul(ROW));
    for (key, record) in &records {
        let length = u32::try_from(record.len()).map_err(|error| unwritable(&error))?;
        rows.extend_from_slice(key);
        rows.extend_from_slice(&at.to_le_bytes());
        rows.extend_from_slice(&length.to_le_bytes());
        at = at.saturating_add(u64::from(length));
    }
    let mut bytes = MARK.bytes().to_vec();
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&checksum(count.to_le_bytes(), &rows).to_le_bytes());
    bytes.append(&mut rows);
    records
        .values()
        .for_each(|record| bytes.extend_from_slice(record));
    Ok(bytes)
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
