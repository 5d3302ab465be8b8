//! What folders held when they were last listed, kept so that a walk need not list again a folder that stat finds as it was.
//! Relies on a folder's times, which a name that comes, goes or changes sets; what has those names is looked at all the same.
//! `formats/listings.md` is the file's page.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::lock::Locks;
use crate::mark::{Mark, Marked};
use crate::publish::{Mode, publish};
use crate::snapshot::Snapshot;
use crate::stat::{FileKind, Identity, Links};
use crate::{place, sweep};
pub(crate) use names::{Names, put_name, sorted};

mod names;

/// What the file begins with.
static MARK: LazyLock<Mark> = LazyLock::new(|| Mark::new(b"memlist1"));
/// No walk that believes listings asks for these: one lies beside every log.
const SIDECAR: &str = ".mem";
/// The mark, a checksum, how many folders.
const HEAD: usize = Mark::BYTES + 4 + 4;
/// A folder: device, inode, times, entries, the place and length of its names, how often it was not met.
const ROW: usize = 4 * 8 + 4 * 4;
/// The place of the file below a cache directory.
const FILE: &str = "listings";
/// A folder that no walk met while the file was written so often is gone, or not asked for any more.
const MISSED: u32 = 16;
/// What it costs to come to a folder, in names that are listed.
const FOLDER_COST: u64 = 16;
/// Listing so much costs more than the file does.
const WORTH: u64 = 1024;
/// What was listed again must be so much of all before the file is written for it: some folders change all the time.
const SHARE: u64 = 8;
/// And not for a minute after it was written.
const PAUSE_NS: i64 = 60_000_000_000;
/// Never more than this is kept.
const MOST: usize = 64 << 20;

/// A folder in one state, and where its names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    dev: u64,
    inode: u64,
    mtime_ns: i64,
    ctime_ns: i64,
    /// How many names it holds, of every kind.
    entries: u32,
    at: u32,
    length: u32,
    missed: u32,
}

/// A folder's device and inode.
type Key = (u64, u64);

/// A folder that was listed since, and its names.
type Anew = (Row, Arc<Vec<u8>>);

impl Row {
    fn key(&self) -> Key {
        (self.dev, self.inode)
    }

    fn is_in(&self, state: &Identity) -> bool {
        self.mtime_ns == state.mtime_ns && self.ctime_ns == state.ctime_ns
    }

    fn names(&self) -> Range<usize> {
        let at = self.at as usize;
        at..at.saturating_add(self.length as usize)
    }

    fn cost(&self) -> u64 {
        FOLDER_COST + u64::from(self.entries)
    }

    fn from_bytes(bytes: &[u8; ROW]) -> Row {
        let (eights, fours) = bytes.split_at(32);
        let eight = |place: usize| {
            let bytes = eights.as_chunks::<8>().0.get(place);
            bytes.copied().unwrap_or_default()
        };
        let four = |place: usize| {
            let bytes = fours.as_chunks::<4>().0.get(place);
            u32::from_le_bytes(bytes.copied().unwrap_or_default())
        };
        Row {
            dev: u64::from_le_bytes(eight(0)),
            inode: u64::from_le_bytes(eight(1)),
            mtime_ns: i64::from_le_bytes(eight(2)),
            ctime_ns: i64::from_le_bytes(eight(3)),
            entries: four(0),
            at: four(1),
            length: four(2),
            missed: four(3),
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.dev.to_le_bytes());
        out.extend_from_slice(&self.inode.to_le_bytes());
        out.extend_from_slice(&self.mtime_ns.to_le_bytes());
        out.extend_from_slice(&self.ctime_ns.to_le_bytes());
        for number in [self.entries, self.at, self.length, self.missed] {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// What is known of folders: by the file, and by the walks that were made with it.
#[derive(Clone, Debug, Default)]
pub struct Listings {
    /// The file's rows, by device and inode.
    rows: Vec<(Row, Met)>,
    /// The file.
    bytes: Vec<u8>,
    /// Folders that were listed since, with their names.
    anew: HashMap<Key, Anew>,
    /// The file, as stat told it.
    file: Option<Identity>,
    use_of_file: UseOfFile,
}

/// How a walk came to a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Met {
    #[default]
    NotYet,
    /// In the row's state.
    AsItWas,
    Changed,
}

/// What is done with the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum UseOfFile {
    #[default]
    Any,
    /// A later program wrote it: it stays as it is.
    Kept,
    /// It is neither read nor written.
    None,
}

impl Listings {
    /// Where they are, below a cache directory.
    pub fn file(cache: &Path) -> PathBuf {
        cache.join(FILE)
    }

    /// Opens the listings below a cache directory, every byte of them looked at. Nothing if there are none.
    ///
    /// # Errors
    /// As [`Listings::of`]; what cannot be read is damaged.
    pub fn check(cache: &Path) -> Result<Option<Listings>, Marked> {
        let bytes = match Snapshot::open(Listings::file(cache), Links::Refuse) {
            Ok(file) => read(&file).ok_or(Marked::Otherwise)?,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(_) => return Err(Marked::Otherwise),
        };
        let known = Listings::of(bytes)?;
        match known.are_sound() {
            true => Ok(Some(known)),
            false => Err(Marked::Otherwise),
        }
    }

    /// Opens the listings below a cache directory. Missing, damaged, of another version or not readable: none.
    pub fn load(cache: &Path) -> Listings {
        let path = Listings::file(cache);
        let Ok(file) = Snapshot::open(&path, Links::Refuse) else {
            return Listings::default();
        };
        let known = match read(&file).map(Listings::of) {
            Some(Ok(known)) => known,
            Some(Err(Marked::Newer)) => Listings {
                use_of_file: UseOfFile::Kept,
                ..Listings::default()
            },
            // No sync was waited for when it was written.
            Some(Err(Marked::Otherwise)) if place::remove(&path).is_ok() => {
                return Listings::default();
            }
            _ => Listings::default(),
        };
        Listings {
            file: Some(file.identity()),
            ..known
        }
    }

    /// None, whatever the file says; and nothing is written.
    pub fn without_file() -> Listings {
        Listings {
            use_of_file: UseOfFile::None,
            ..Listings::default()
        }
    }

    /// The listings as the file has them now: those at hand, if no call wrote others since.
    pub fn now(self, cache: &Path) -> Listings {
        let is_current = || Identity::at(Listings::file(cache), Links::Refuse).ok() == self.file;
        if self.use_of_file == UseOfFile::None || is_current() {
            self
        } else {
            Listings::load(cache)
        }
    }

    /// What the bytes of a file say; else whose they are.
    ///
    /// # Errors
    /// If they are another version's, damaged, or break a rule of the format.
    pub fn of(bytes: Vec<u8>) -> Result<Listings, Marked> {
        match MARK.tell(&bytes) {
            Marked::Ours => {}
            other => return Err(other),
        }
        let rows = Listings::rows_of(&bytes).ok_or(Marked::Otherwise)?;
        Ok(Listings {
            rows,
            bytes,
            ..Listings::default()
        })
    }

    fn rows_of(bytes: &[u8]) -> Option<Vec<(Row, Met)>> {
        let (sum, rest) = MARK.strip(bytes)?.split_first_chunk::<4>()?;
        if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
            return None;
        }
        let count = u32::from_le_bytes(*rest.first_chunk()?) as usize;
        let names = count.checked_mul(ROW)?.checked_add(HEAD)?;
        let rows = bytes.get(HEAD..names)?.as_chunks::<ROW>().0;
        let in_file = |row: &[u8; ROW]| {
            let row = Row::from_bytes(row);
            let at = u32::try_from(names).ok()?.checked_add(row.at)?;
            let row = Row { at, ..row };
            (row.names().end <= bytes.len()).then_some((row, Met::NotYet))
        };
        let rows = rows.iter().map(in_file).collect::<Option<Vec<_>>>()?;
        let are_in_order = rows.is_sorted_by(|(one, _), (next, _)| one.key() < next.key());
        are_in_order.then_some(rows)
    }

    /// Whether every name of every folder is one that is kept, and each folder's names are in order. A walk looks at those
    /// alone that it comes to.
    fn are_sound(&self) -> bool {
        self.rows.iter().all(|(row, _)| {
            let mut names = Names::Known(row.names());
            let mut last: Option<Vec<u8>> = None;
            let mut count = 0u32;
            while let Some((name, kind)) = names.next(&self.bytes) {
                let is_kept = kind != FileKind::Unknown && !Listings::leave_out(name);
                let name = name.as_encoded_bytes();
                if !is_kept || last.as_deref().is_some_and(|last| last >= name) {
                    return false;
                }
                last = Some(name.to_owned());
                count = count.saturating_add(1);
            }
            names.is_at_its_end() && count <= row.entries
        })
    }

    /// Whether a file's name is of no use to any walk that believes listings.
    pub(crate) fn leave_out(name: &OsStr) -> bool {
        name.as_encoded_bytes().ends_with(SIDECAR.as_bytes())
    }

    /// The names of a folder that is in the state in which it was listed, and how many entries that was. They are in order.
    pub(crate) fn known(&mut self, state: &Identity) -> Option<(Names, usize)> {
        let key = (state.dev, state.inode);
        if let Some((row, names)) = self.anew.get(&key) {
            let names = || Names::Own(Arc::clone(names), 0);
            return row.is_in(state).then(|| (names(), row.entries as usize));
        }
        let place = self.rows.binary_search_by_key(&key, |(row, _)| row.key());
        let (row, met) = self.rows.get_mut(place.ok()?)?;
        if !row.is_in(state) {
            *met = Met::Changed;
            return None;
        }
        *met = Met::AsItWas;
        Some((Names::Known(row.names()), row.entries as usize))
    }

    /// Notes what a folder held that stat found in a state that no later change can leave as it is.
    pub(crate) fn note(&mut self, state: &Identity, entries: usize, names: &Arc<Vec<u8>>) {
        let (Ok(entries), Ok(length)) = (u32::try_from(entries), u32::try_from(names.len())) else {
            return;
        };
        let row = Row {
            dev: state.dev,
            inode: state.inode,
            mtime_ns: state.mtime_ns,
            ctime_ns: state.ctime_ns,
            entries,
            at: 0,
            length,
            missed: 0,
        };
        self.anew.insert(row.key(), (row, Arc::clone(names)));
    }

    /// The bytes into which what [`Listings::known`] gave leads.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether so much was listed that the next walk should not have to do it again.
    fn is_worth_saving(&self, now_ns: i64) -> bool {
        let anew: u64 = self.anew.values().map(|(row, _)| row.cost()).sum();
        let met = self.rows.iter().filter(|(_, met)| *met == Met::AsItWas);
        let known: u64 = met.map(|(row, _)| row.cost()).sum();
        let rests = |file: Identity| file.mtime_ns.saturating_add(PAUSE_NS) < now_ns;
        self.use_of_file == UseOfFile::Any
            && anew >= WORTH
            && anew.saturating_mul(SHARE) >= known
            && self.file.is_none_or(rests)
    }

    /// Writes the file, if what was listed is worth it. What cannot be written costs the next walk its time, and nothing else.
    pub fn save(&mut self, cache: &Path, locks: &Locks) {
        if !self.is_worth_saving(sweep::now_ns()) {
            return;
        }
        let file = Listings::file(cache);
        let (Ok(()), Ok(Some(_lock))) = (place::private_dir(cache), locks.try_lock(&file)) else {
            return;
        };
        let Some(bytes) = self.encode() else { return };
        let written = publish(
            &file,
            Mode::Disposable,
            |out| out.write_all(&bytes),
            |written| match written == bytes {
                true => Ok(()),
                false => Err(io::ErrorKind::InvalidData.into()),
            },
        );
        if written.is_ok() {
            *self = Listings::load(cache);
        }
    }

    /// The bytes of the file: what was listed anew, and what was known but for what changed or was not met for long.
    fn encode(&self) -> Option<Vec<u8>> {
        let known = self.rows.iter().filter_map(|(row, met)| {
            let missed = match met {
                Met::NotYet => row.missed.saturating_add(1),
                Met::AsItWas => 0,
                Met::Changed => return None,
            };
            let stays = missed < MISSED && !self.anew.contains_key(&row.key());
            let names = self.bytes.get(row.names())?;
            stays.then_some((Row { missed, ..*row }, names))
        });
        let anew = self
            .anew
            .values()
            .map(|(row, names)| (*row, names.as_slice()));
        let mut rows: Vec<(Row, &[u8])> = known.chain(anew).collect();
        rows.sort_unstable_by_key(|(row, _)| row.key());
        let mut names = Vec::new();
        let mut rest = u32::try_from(rows.len()).ok()?.to_le_bytes().to_vec();
        for (row, of_folder) in rows {
            let at = u32::try_from(names.len()).ok()?;
            names.extend_from_slice(of_folder);
            Row { at, ..row }.put(&mut rest);
        }
        rest.append(&mut names);
        let mut bytes = MARK.bytes().to_vec();
        bytes.extend_from_slice(&crc32fast::hash(&rest).to_le_bytes());
        bytes.append(&mut rest);
        (bytes.len() <= MOST).then_some(bytes)
    }
}

fn read(file: &Snapshot) -> Option<Vec<u8>> {
    let length = usize::try_from(file.len()).ok()?;
    (length <= MOST).then(|| file.read_at(0, length).ok())?
}

#[cfg(test)]
mod tests;
