//! The catalogue: which logs a roll-up holds, each for one state of its file as stat tells it, and where its documents are.
//! Publishing it is what puts a roll-up in force; a shard that no catalogue names is left over.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use memfold_disk::{Identity, Mark, Marked};
use memfold_segment::Collection;
use sha2::{Digest, Sha256};

use crate::bytes::{Input, length};
use crate::error::RollupError;

/// What a catalogue begins with.
static MARK: LazyLock<Mark> = LazyLock::new(|| Mark::new(b"memroll2"));
const HEAD: usize = Mark::BYTES + 4 + 32 + 3 * 4;
const SHARD: usize = 28;
const LOG: usize = at::END;
const PLACE: usize = 4;

/// What made a roll-up: a hash of all that changes what the same logs give. Another's is not believed.
pub type Program = [u8; 32];

/// A log's place in a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub usize);

/// A shard's place in a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub usize);

/// A shard's name, by its head: that has the checksums of everything else, so a name is all that a catalogue need know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name([u8; 16]);

impl Name {
    /// The name of a shard of these bytes.
    pub fn of(bytes: &[u8]) -> Name {
        Name::of_head(bytes.get(..crate::shard::HEAD).unwrap_or(bytes))
    }

    pub(crate) fn of_head(head: &[u8]) -> Name {
        let mut name = Name([0; 16]);
        name.0
            .iter_mut()
            .zip(Sha256::digest(head))
            .for_each(|(byte, of)| *byte = of);
        name
    }

    /// Its file's name.
    pub fn file(&self) -> String {
        let name: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        name + ".shard"
    }
}

/// A shard as a catalogue names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardRow {
    /// Its name.
    pub name: Name,
    /// How many documents it holds.
    pub documents: u32,
    /// Its length in bytes.
    pub bytes: u64,
}

/// A log as a catalogue names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Where it is.
    pub path: PathBuf,
    /// Its state, as stat told it: the row is for this one alone.
    pub identity: Identity,
    /// Its agent's name.
    pub agent: String,
    /// The shard that holds its documents.
    pub shard: ShardId,
    /// Its first document there, and how many it has.
    pub first: u32,
    /// How many, those that do not count included.
    pub documents: u32,
    /// Of them, those that count.
    pub live: Collection,
    /// The latest time that a line of it names.
    pub ended: Option<i64>,
    /// Logs with the same number, not 0, have events in common: which copy counts was decided among them, so it holds only
    /// where all of them are as they were.
    pub component: u64,
    /// The task's id.
    pub task: String,
    /// Where the task worked.
    pub cwd: Option<String>,
}

/// An opened catalogue. Rows are read where they lie.
#[derive(Clone, Debug)]
pub struct Catalogue {
    bytes: Vec<u8>,
    shards: Vec<ShardRow>,
    logs: Range<usize>,
    places: Range<usize>,
    strings: Range<usize>,
    /// Device and inode of each log's file, in their order, once one is looked for: the rows lie too far apart to be
    /// searched where they are, thousands of times in a row.
    files: OnceLock<Vec<(u64, u64)>>,
}

/// Where a row's fields begin, after the log's state.
mod at {
    use memfold_disk::Identity;

    pub(super) const SHARD: usize = Identity::BYTES;
    pub(super) const FIRST: usize = SHARD + 4;
    pub(super) const DOCUMENTS: usize = FIRST + 4;
    pub(super) const LIVE: usize = DOCUMENTS + 4;
    pub(super) const LENGTH: usize = LIVE + 8;
    pub(super) const ENDED: usize = LENGTH + 8;
    pub(super) const COMPONENT: usize = ENDED + 8;
    pub(super) const PATH: usize = COMPONENT + 8;
    pub(super) const TASK: usize = PATH + 8;
    pub(super) const CWD: usize = TASK + 8;
    pub(super) const AGENT: usize = CWD + 8;
    pub(super) const END: usize = AGENT + 8;
}

/// No text at all, told from an empty one.
const NONE: (u32, u32) = (u32::MAX, 0);

impl Catalogue {
    /// The bytes of a catalogue. Rows are kept by shard and first document.
    ///
    /// # Errors
    /// If there is more than the format holds.
    pub fn encode(
        program: &Program,
        shards: &[ShardRow],
        logs: &[LogRow],
    ) -> Result<Vec<u8>, RollupError> {
        let mut logs: Vec<&LogRow> = logs.iter().collect();
        logs.sort_by(|a, b| (a.shard, a.first, &a.path).cmp(&(b.shard, b.first, &b.path)));
        let count =
            |count: usize| u32::try_from(count).map_err(|_| RollupError::TooLarge("2^32 rows"));
        let mut strings = Strings::default();
        let mut rows = Vec::with_capacity(logs.len().saturating_mul(LOG));
        for log in &logs {
            rows.extend_from_slice(&log.identity.to_bytes());
            for number in [count(log.shard.0)?, log.first, log.documents] {
                rows.extend_from_slice(&number.to_le_bytes());
            }
            rows.extend_from_slice(&log.live.documents.to_le_bytes());
            rows.extend_from_slice(&log.live.total_length.to_le_bytes());
            rows.extend_from_slice(&log.ended.unwrap_or(i64::MIN).to_le_bytes());
            rows.extend_from_slice(&log.component.to_le_bytes());
            let path = log.path.as_os_str().as_encoded_bytes();
            let texts = [
                strings.put(path)?,
                strings.put(log.task.as_bytes())?,
                match &log.cwd {
                    Some(cwd) => strings.shared(cwd.as_bytes())?,
                    None => NONE,
                },
                strings.shared(log.agent.as_bytes())?,
            ];
            for (at, length) in texts {
                rows.extend_from_slice(&at.to_le_bytes());
                rows.extend_from_slice(&length.to_le_bytes());
            }
        }
        let mut places: Vec<(Identity, u32)> = logs
            .iter()
            .zip(0u32..)
            .map(|(log, place)| (log.identity, place))
            .collect();
        places.sort_by_key(|(identity, place)| (identity.dev, identity.inode, *place));

        let mut rest = program.to_vec();
        for number in [
            count(shards.len())?,
            count(logs.len())?,
            length(&strings.bytes)?,
        ] {
            rest.extend_from_slice(&number.to_le_bytes());
        }
        for shard in shards {
            rest.extend_from_slice(&shard.name.0);
            rest.extend_from_slice(&shard.documents.to_le_bytes());
            rest.extend_from_slice(&shard.bytes.to_le_bytes());
        }
        rest.append(&mut rows);
        for (_, place) in places {
            rest.extend_from_slice(&place.to_le_bytes());
        }
        rest.append(&mut strings.bytes);
        let mut bytes = MARK.bytes().to_vec();
        bytes.extend_from_slice(&crc32fast::hash(&rest).to_le_bytes());
        bytes.append(&mut rest);
        Ok(bytes)
    }

    /// Opens a catalogue that `program` made.
    ///
    /// # Errors
    /// If it is damaged, or another program's.
    pub fn open(bytes: Vec<u8>, program: &Program) -> Result<Catalogue, RollupError> {
        match MARK.tell(&bytes) {
            Marked::Ours => {}
            Marked::Older => return Err(RollupError::OtherVersion),
            Marked::Newer => return Err(RollupError::NewerVersion),
            Marked::Otherwise => {
                return Err(RollupError::Damaged("it does not begin as it should"));
            }
        }
        let mut input = Input(MARK.strip(&bytes).unwrap_or_default());
        let crc = input.u32()?;
        if crc32fast::hash(input.0) != crc {
            return Err(RollupError::Damaged("a checksum that does not match"));
        }
        if input.array::<32>()? != *program {
            return Err(RollupError::OtherVersion);
        }
        let mut count = || input.u32().map(|count| count as usize);
        let (shards, logs, strings) = (count()?, count()?, count()?);
        let mut at = HEAD;
        let mut section = |rows: usize, width: usize| {
            let end = rows
                .checked_mul(width)
                .and_then(|length| at.checked_add(length))
                .filter(|end| *end <= bytes.len())
                .ok_or(RollupError::Damaged("more rows than bytes"))?;
            Ok::<_, RollupError>(std::mem::replace(&mut at, end)..end)
        };
        let shards = section(shards, SHARD)?;
        let logs = section(logs, LOG)?;
        let places = section(logs.len() / LOG, PLACE)?;
        let strings = section(strings, 1)?;
        if at != bytes.len() {
            return Err(RollupError::Damaged("bytes after the last"));
        }
        let mut input = Input(bytes.get(shards).unwrap_or_default());
        let mut rows = Vec::new();
        while !input.0.is_empty() {
            rows.push(ShardRow {
                name: Name(input.array()?),
                documents: input.u32()?,
                bytes: input.u64()?,
            });
        }
        Ok(Catalogue {
            bytes,
            shards: rows,
            logs,
            places,
            strings,
            files: OnceLock::new(),
        })
    }

    /// What made it.
    pub fn program(bytes: &[u8]) -> Option<&Program> {
        MARK.strip(bytes)?.get(4..)?.first_chunk()
    }

    /// The shards.
    pub fn shards(&self) -> &[ShardRow] {
        &self.shards
    }

    /// How many logs there are.
    pub fn logs(&self) -> usize {
        self.logs.len() / LOG
    }

    /// Every log's place, by shard and first document.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowId> + use<> {
        (0..self.logs()).map(RowId)
    }

    /// The place of a log in this very state. `path` must be as it was when the catalogue was written.
    pub fn find(&self, path: &Path, identity: &Identity) -> Option<RowId> {
        let wanted = (identity.dev, identity.inode);
        let files = self.files.get_or_init(|| {
            let rows = (0..self.logs()).map_while(|place| self.place(place));
            rows.map(|row| self.file_of(row)).collect()
        });
        let first = files.partition_point(|file| *file < wanted);
        // Links give one file several paths.
        let alike = files.iter().skip(first);
        let alike = alike.take_while(|file| **file == wanted).count();
        (first..first.saturating_add(alike))
            .filter_map(|place| self.place(place))
            .find(|row| {
                self.identity(*row).as_ref() == Some(identity)
                    && self.text_at(*row, at::PATH) == path.as_os_str().as_encoded_bytes()
            })
    }

    /// The device and the inode of a log's file: the first two fields of its state.
    fn file_of(&self, row: RowId) -> (u64, u64) {
        (self.u64(row, 0), self.u64(row, 8))
    }

    fn place(&self, place: usize) -> Option<RowId> {
        let places = self.bytes.get(self.places.clone())?;
        let bytes = places.get(place.checked_mul(PLACE)?..)?.first_chunk()?;
        Some(RowId(u32::from_le_bytes(*bytes) as usize))
    }

    /// The bytes of a row's field.
    fn field<const N: usize>(&self, row: RowId, at: usize) -> Option<&[u8; N]> {
        let rows = self.bytes.get(self.logs.clone())?;
        let row = row.0.checked_mul(LOG)?;
        rows.get(row..row.checked_add(LOG)?)?
            .get(at..)?
            .first_chunk()
    }

    fn u32(&self, row: RowId, at: usize) -> u32 {
        self.field(row, at)
            .map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    fn u64(&self, row: RowId, at: usize) -> u64 {
        self.field(row, at)
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn text_at(&self, row: RowId, at: usize) -> &[u8] {
        self.text((self.u32(row, at), self.u32(row, at + 4)))
    }

    fn string_at(&self, row: RowId, at: usize) -> &str {
        std::str::from_utf8(self.text_at(row, at)).unwrap_or_default()
    }

    fn text(&self, (at, length): (u32, u32)) -> &[u8] {
        let strings = self.bytes.get(self.strings.clone()).unwrap_or_default();
        let at = at as usize;
        at.checked_add(length as usize)
            .and_then(|end| strings.get(at..end))
            .unwrap_or_default()
    }

    /// A log's state.
    pub fn identity(&self, row: RowId) -> Option<Identity> {
        self.field(row, 0).map(Identity::from_bytes)
    }

    /// Where a log is.
    pub fn path(&self, row: RowId) -> PathBuf {
        path_from(self.text_at(row, at::PATH))
    }

    /// A log's agent, by name.
    pub fn agent(&self, row: RowId) -> &str {
        self.string_at(row, at::AGENT)
    }

    /// A log's task.
    pub fn task(&self, row: RowId) -> &str {
        self.string_at(row, at::TASK)
    }

    /// The same, not looked at.
    pub fn task_bytes(&self, row: RowId) -> &[u8] {
        self.text_at(row, at::TASK)
    }

    /// Where a log's task worked.
    pub fn cwd(&self, row: RowId) -> Option<&str> {
        (self.u32(row, at::CWD) != NONE.0).then(|| self.string_at(row, at::CWD))
    }

    /// Whether two logs are of one agent and one working directory, as far as the places of these texts tell: they are
    /// written once for all logs.
    pub fn are_alike(&self, one: RowId, other: RowId) -> bool {
        let texts = |row| {
            (
                self.field::<8>(row, at::CWD),
                self.field::<8>(row, at::AGENT),
            )
        };
        texts(one) == texts(other)
    }

    /// The latest time that a log names.
    pub fn ended(&self, row: RowId) -> Option<i64> {
        let ended = i64::from_le_bytes(*self.field(row, at::ENDED)?);
        (ended != i64::MIN).then_some(ended)
    }

    /// The number of the logs with which a log has events in common; 0 if it has none.
    pub fn component(&self, row: RowId) -> u64 {
        self.u64(row, at::COMPONENT)
    }

    /// The shard of a log.
    pub fn shard_of(&self, row: RowId) -> Option<ShardId> {
        let shard = self.field(row, at::SHARD)?;
        Some(ShardId(u32::from_le_bytes(*shard) as usize))
    }

    /// A log's documents in its shard.
    pub fn documents(&self, row: RowId) -> Range<u32> {
        let first = self.u32(row, at::FIRST);
        first..first.saturating_add(self.u32(row, at::DOCUMENTS))
    }

    /// Of a log's documents, those that count.
    pub fn live(&self, row: RowId) -> Collection {
        Collection {
            documents: self.u64(row, at::LIVE),
            total_length: self.u64(row, at::LENGTH),
        }
    }

    /// A whole row.
    pub fn log(&self, row: RowId) -> Option<LogRow> {
        let documents = self.documents(row);
        Some(LogRow {
            path: self.path(row),
            identity: self.identity(row)?,
            agent: self.agent(row).to_owned(),
            shard: self.shard_of(row)?,
            first: documents.start,
            documents: documents.end - documents.start,
            live: self.live(row),
            ended: self.ended(row),
            component: self.component(row),
            task: self.task(row).to_owned(),
            cwd: self.cwd(row).map(str::to_owned),
        })
    }

    /// Whether two are the same, byte for byte.
    pub fn is(&self, other: &Catalogue) -> bool {
        self.bytes == other.bytes
    }
}

/// Texts, one after another; those that many rows have, once.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    shared: HashMap<Vec<u8>, (u32, u32)>,
}

impl Strings {
    fn put(&mut self, text: &[u8]) -> Result<(u32, u32), RollupError> {
        let place = (length(&self.bytes)?, length(text)?);
        self.bytes.extend_from_slice(text);
        Ok(place)
    }

    fn shared(&mut self, text: &[u8]) -> Result<(u32, u32), RollupError> {
        if let Some(place) = self.shared.get(text) {
            return Ok(*place);
        }
        let place = self.put(text)?;
        self.shared.insert(text.to_owned(), place);
        Ok(place)
    }
}

#[cfg(unix)]
fn path_from(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path_from(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn identity(inode: u64) -> Identity {
        Identity {
            dev: 1,
            inode,
            size: inode * 10,
            mtime_ns: -3,
            ctime_ns: 4,
        }
    }

    fn row(number: u32) -> LogRow {
        LogRow {
            path: format!("/logs/{number}.jsonl").into(),
            // Two paths of one file are among them.
            identity: identity(u64::from(number / 2)),
            agent: "codex".to_owned(),
            shard: ShardId(number as usize % 3),
            first: number,
            documents: 2,
            live: Collection {
                documents: 1,
                total_length: 7,
            },
            ended: (!number.is_multiple_of(4)).then_some(i64::from(number) - 5),
            component: u64::from(number % 5),
            task: format!("task {number}"),
            cwd: (!number.is_multiple_of(3)).then(|| "/work".to_owned()),
        }
    }

    fn made(logs: u32) -> (Vec<u8>, Vec<ShardRow>, Vec<LogRow>) {
        let shards: Vec<ShardRow> = (0..3)
            .map(|number| ShardRow {
                name: Name([number; 16]),
                documents: 100,
                bytes: 200,
            })
            .collect();
        let rows: Vec<LogRow> = (0..logs).map(row).collect();
        (
            Catalogue::encode(&[7; 32], &shards, &rows).unwrap(),
            shards,
            rows,
        )
    }

    #[test]
    fn what_was_written_is_read() {
        let (bytes, shards, rows) = made(12);
        let catalogue = Catalogue::open(bytes.clone(), &[7; 32]).unwrap();
        assert_eq!(catalogue.shards(), shards);
        for expected in &rows {
            let found = catalogue.find(&expected.path, &expected.identity).unwrap();
            assert_eq!(catalogue.log(found).as_ref(), Some(expected));
            let changed = Identity {
                size: 1,
                ..expected.identity
            };
            assert_eq!(catalogue.find(&expected.path, &changed), None);
            assert_eq!(
                catalogue.find(Path::new("/other"), &expected.identity),
                None
            );
        }
        let order: Vec<_> = catalogue
            .rows()
            .map(|row| (catalogue.shard_of(row), catalogue.documents(row).start))
            .collect();
        assert!(order.is_sorted());
        assert!(matches!(
            Catalogue::open(bytes, &[8; 32]),
            Err(RollupError::OtherVersion)
        ));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_refused() {
        let (bytes, ..) = made(5);
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1 << (place % 8);
            assert!(Catalogue::open(bytes, &[7; 32]).is_err(), "byte {place}");
        }
        for length in 0..bytes.len() {
            let cut = bytes[..length].to_vec();
            assert!(Catalogue::open(cut, &[7; 32]).is_err(), "{length} bytes");
        }
    }

    proptest! {
        /// Behind a right checksum too, whatever a catalogue holds is read without a panic.
        #[test]
        fn any_rows_at_all(mut bytes in proptest::collection::vec(any::<u8>(), 12..400), counts in any::<[u8; 3]>()) {
            let (whole, ..) = made(2);
            bytes.splice(..0, whole[..HEAD].iter().copied());
            for (place, count) in counts.into_iter().enumerate() {
                bytes[HEAD - 12 + place * 4] = count % 8;
            }
            let crc = crc32fast::hash(&bytes[16..]);
            bytes[12..16].copy_from_slice(&crc.to_le_bytes());
            if let Ok(catalogue) = Catalogue::open(bytes, &[7; 32]) {
                for row in catalogue.rows() {
                    catalogue.log(row);
                    catalogue.find(&catalogue.path(row), &catalogue.identity(row).unwrap());
                }
            }
        }
    }
}
