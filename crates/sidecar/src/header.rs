//! The head of a sidecar: magic, versions, counts, roots and the section table, all under one checksum.
//! Its first 16 bytes and its last 4 keep their places in every format version, so that a newer format is told from damage.

use std::fmt;

use memfold_fold::Parameters;
use memfold_fold::checkpoint::Covered;
use memfold_log::{Form, Offset, Seq};
use sha2::{Digest, Sha256};

use crate::error::SidecarError;
use crate::fields;

/// The format's version. Of the fold that filled a sidecar, [`Header::fold`] says the version.
pub const FORMAT: u32 = 1;

/// What every sidecar begins with. As PNG's: a high bit, then line ends that a transfer as text would change.
pub const MAGIC: [u8; 8] = *b"\x89MEM\r\n\x1a\n";

/// Magic, format version, header length.
const PREFIX: usize = 16;
/// From the magic to the section table.
const FIXED: usize = 176;
/// One row of the section table.
const ROW: usize = 32;
/// What follows the section table: four zero bytes and the checksum.
const CLOSING: usize = 8;
/// The longest head that is read.
const LONGEST: usize = 64 << 10;
/// What every section starts at a multiple of, and what the file's length is a multiple of.
pub(crate) const ALIGNMENT: u64 = 8;
/// The row's flag of a section without which the file cannot be understood.
const REQUIRED: u32 = 1;

/// The name of a section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub [u8; 4]);

impl Tag {
    /// The header and the section table, in errors.
    pub const HEAD: Tag = Tag(*b"HEAD");
    /// SHA-256 of each block of the log's covered prefix.
    pub const BLKH: Tag = Tag(*b"BLKH");
    /// Cards of turns.
    pub const CARD: Tag = Tag(*b"CARD");
    /// The fold's state at the end of the last whole turn.
    pub const CKPT: Tag = Tag(*b"CKPT");
    /// The segment's document lengths.
    pub const DLEN: Tag = Tag(*b"DLEN");
    /// A row for each document.
    pub const DOCS: Tag = Tag(*b"DOCS");
    /// The documents' keys.
    pub const KEYS: Tag = Tag(*b"KEYS");
    /// Calls and their results.
    pub const LINK: Tag = Tag(*b"LINK");
    /// Lines that later ones can go back to, and where the task went back. Only there if there are any.
    pub const PAST: Tag = Tag(*b"PAST");
    /// The segment's postings.
    pub const POST: Tag = Tag(*b"POST");
    /// The segment's blocks of terms.
    pub const TBLK: Tag = Tag(*b"TBLK");
    /// The segment's directory of terms.
    pub const TERM: Tag = Tag(*b"TERM");

    /// Every section of this format, in the table's order.
    pub(crate) const ALL: [Tag; 11] = [
        Tag::BLKH,
        Tag::CARD,
        Tag::CKPT,
        Tag::DLEN,
        Tag::DOCS,
        Tag::KEYS,
        Tag::LINK,
        Tag::PAST,
        Tag::POST,
        Tag::TBLK,
        Tag::TERM,
    ];
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a sidecar says of itself as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which fold filled it.
    pub fold: Parameters,
    /// How much of the log it covers.
    pub covered: Covered,
    /// How many documents it holds.
    pub documents: u32,
    /// How many cards it holds.
    pub cards: u32,
    /// The documents' lengths in words, added up.
    pub words: u64,
    /// Which of the files that share the sidecar's name it was folded from.
    pub form: Form,
    /// The root of the hashes of the covered prefix.
    pub log_root: [u8; 32],
    /// The root of the hashes of the sections' contents: the sidecar's identity, whatever zstd made of it.
    pub content_root: [u8; 32],
}

impl Header {
    /// Everything between the lengths and the content's root: the part of the header that the root covers.
    fn identity(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED);
        bytes.extend(self.fold.version.to_le_bytes());
        bytes.extend(self.fold.hash);
        bytes.extend(self.covered.end.0.to_le_bytes());
        bytes.extend(self.covered.next.get().to_le_bytes());
        bytes.extend(u64::from(self.documents).to_le_bytes());
        bytes.extend(u64::from(self.cards).to_le_bytes());
        bytes.extend(self.words.to_le_bytes());
        bytes.extend(form_code(self.form).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.log_root);
        bytes
    }
}

fn form_code(form: Form) -> u32 {
    match form {
        Form::Lines => 0,
        Form::CompressedLines => 1,
        Form::Document => 2,
        Form::Rows => 3,
        Form::Markdown => 4,
    }
}

fn form_of(code: u32) -> Option<Form> {
    match code {
        0 => Some(Form::Lines),
        1 => Some(Form::CompressedLines),
        2 => Some(Form::Document),
        3 => Some(Form::Rows),
        4 => Some(Form::Markdown),
        _ => None,
    }
}

/// Where a section's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) tag: Tag,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) crc: u32,
}

impl Row {
    /// Where the section's padding ends.
    pub(crate) fn end(&self) -> Option<u64> {
        self.offset
            .checked_add(self.length)?
            .checked_next_multiple_of(ALIGNMENT)
    }
}

/// A checked head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) header: Header,
    pub(crate) rows: Vec<Row>,
}

impl Head {
    /// A head's length, before its bytes are known.
    pub(crate) fn length(sections: usize) -> usize {
        FIXED
            .saturating_add(ROW.saturating_mul(sections))
            .saturating_add(CLOSING)
    }

    /// The bytes of a head over sections that end at `file_length`.
    pub(crate) fn write(&self, file_length: u64) -> Result<Vec<u8>, SidecarError> {
        let length = Head::length(self.rows.len());
        let too_long = || SidecarError::Unwritable(format!("{} sections", self.rows.len()));
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend(u32::try_from(length).map_err(|_| too_long())?.to_le_bytes());
        bytes.extend(file_length.to_le_bytes());
        bytes.extend(
            u32::try_from(self.rows.len())
                .map_err(|_| too_long())?
                .to_le_bytes(),
        );
        bytes.extend(self.header.identity());
        bytes.extend(self.header.content_root);
        for row in &self.rows {
            bytes.extend(row.tag.0);
            bytes.extend(REQUIRED.to_le_bytes());
            bytes.extend(row.offset.to_le_bytes());
            bytes.extend(row.length.to_le_bytes());
            bytes.extend(row.crc.to_le_bytes());
            bytes.extend([0; 4]);
        }
        bytes.extend([0; 4]);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// How many bytes the head of a file of `file_length` bytes has, by its first ones.
    pub(crate) fn measure(first: &[u8], file_length: u64) -> Result<usize, SidecarError> {
        if !first
            .iter()
            .zip(&MAGIC)
            .all(|(found, expected)| found == expected)
            || first.is_empty()
        {
            return Err(SidecarError::NotASidecar);
        }
        let mut rest = first
            .get(MAGIC.len()..PREFIX)
            .ok_or_else(|| damaged("the file ends in it"))?;
        let _version = fields::u32(&mut rest);
        let length = fields::u32(&mut rest)
            .and_then(|length| usize::try_from(length).ok())
            .unwrap_or(usize::MAX);
        if !(PREFIX.saturating_add(CLOSING)..=LONGEST).contains(&length)
            || !length.is_multiple_of(8)
        {
            return Err(damaged(format!("a length of {length}")));
        }
        if u64::try_from(length).is_ok_and(|length| length > file_length) {
            return Err(damaged("the file ends in it"));
        }
        Ok(length)
    }

    /// The head that `bytes`, as many as [`Head::measure`] says, hold.
    pub(crate) fn parse(bytes: &[u8], file_length: u64) -> Result<Head, SidecarError> {
        let (summed, crc) = bytes
            .split_last_chunk::<4>()
            .ok_or_else(|| damaged("too short"))?;
        if crc32fast::hash(summed) != u32::from_le_bytes(*crc) {
            return Err(damaged("its checksum"));
        }
        let mut rest = summed.get(MAGIC.len()..).unwrap_or_default();
        // The checksum holds, so that another version here is one, and no damage.
        match fields::u32(&mut rest) {
            Some(FORMAT) => {}
            Some(version) if version > FORMAT => {
                return Err(SidecarError::NewerFormat {
                    what: format!("format {version}"),
                });
            }
            version => {
                return Err(SidecarError::OlderFormat {
                    version: version.unwrap_or(0),
                });
            }
        }
        let short = || damaged("too short");
        let _length = fields::u32(&mut rest).ok_or_else(short)?;
        let said = fields::u64(&mut rest).ok_or_else(short)?;
        if said != file_length {
            return Err(damaged(format!(
                "the file has {file_length} bytes of {said}"
            )));
        }
        let sections = fields::u32(&mut rest).ok_or_else(short)?;
        let header = header(&mut rest)?;
        let sections = usize::try_from(sections).unwrap_or(usize::MAX);
        if bytes.len() != Head::length(sections) {
            return Err(damaged(format!(
                "{sections} sections in {} bytes",
                bytes.len()
            )));
        }
        let (table, closing) = rest
            .split_at_checked(ROW.saturating_mul(sections))
            .ok_or_else(short)?;
        if closing != [0; 4] {
            return Err(damaged("padding that is not zero"));
        }
        let start = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(Head {
            header,
            rows: rows(table, start, file_length)?,
        })
    }

    /// Where a section is.
    pub(crate) fn row(&self, tag: Tag) -> Result<&Row, SidecarError> {
        self.rows
            .iter()
            .find(|row| row.tag == tag)
            .ok_or_else(|| SidecarError::damaged(tag, "it is missing"))
    }
}

fn header(rest: &mut &[u8]) -> Result<Header, SidecarError> {
    let short = || damaged("too short");
    let version = fields::u32(rest).ok_or_else(short)?;
    let hash = fields::array(rest).ok_or_else(short)?;
    let end = Offset(fields::u64(rest).ok_or_else(short)?);
    let next = fields::u64(rest).ok_or_else(short)?;
    let documents = fields::u64(rest).ok_or_else(short)?;
    let cards = fields::u64(rest).ok_or_else(short)?;
    let words = fields::u64(rest).ok_or_else(short)?;
    let form = fields::u32(rest).ok_or_else(short)?;
    if fields::u32(rest).ok_or_else(short)? != 0 {
        return Err(damaged("padding that is not zero"));
    }
    Ok(Header {
        fold: Parameters { version, hash },
        covered: Covered {
            end,
            next: Seq::new(next).ok_or_else(|| damaged("a line number of 0"))?,
        },
        documents: u32::try_from(documents)
            .map_err(|_| damaged(format!("{documents} documents")))?,
        cards: u32::try_from(cards).map_err(|_| damaged(format!("{cards} cards")))?,
        words,
        form: form_of(form).ok_or_else(|| SidecarError::NewerFormat {
            what: format!("log of form {form}"),
        })?,
        log_root: fields::array(rest).ok_or_else(short)?,
        content_root: fields::array(rest).ok_or_else(short)?,
    })
}

/// The rows of a section table, of sections that fill the file from `start` to `file_length`.
fn rows(table: &[u8], start: u64, file_length: u64) -> Result<Vec<Row>, SidecarError> {
    let mut rows: Vec<Row> = Vec::with_capacity(table.len() / ROW);
    let mut expected = start;
    for mut fields in table.chunks(ROW) {
        let short = || damaged("too short");
        let tag = Tag(fields::array(&mut fields).ok_or_else(short)?);
        let flags = fields::u32(&mut fields).ok_or_else(short)?;
        let row = Row {
            tag,
            offset: fields::u64(&mut fields).ok_or_else(short)?,
            length: fields::u64(&mut fields).ok_or_else(short)?,
            crc: fields::u32(&mut fields).ok_or_else(short)?,
        };
        if fields::u32(&mut fields).ok_or_else(short)? != 0 {
            return Err(damaged("padding that is not zero"));
        }
        if rows.last().is_some_and(|before| before.tag >= tag) {
            return Err(damaged(format!("section {tag} is out of order")));
        }
        if row.offset != expected {
            return Err(damaged(format!(
                "section {tag} does not follow the one before it"
            )));
        }
        expected = row
            .end()
            .filter(|end| *end <= file_length)
            .ok_or_else(|| damaged(format!("section {tag} is out of bounds")))?;
        match (Tag::ALL.contains(&tag), flags) {
            (true, REQUIRED) | (false, 0) => {}
            (true, _) => return Err(damaged(format!("section {tag} has the flags {flags}"))),
            (false, _) => {
                return Err(SidecarError::NewerFormat {
                    what: format!("section {tag}"),
                });
            }
        }
        rows.push(row);
    }
    if expected != file_length {
        return Err(damaged("bytes that no section holds"));
    }
    for tag in Tag::ALL.into_iter().filter(|tag| *tag != Tag::PAST) {
        if !rows.iter().any(|row| row.tag == tag) {
            return Err(SidecarError::damaged(tag, "it is missing"));
        }
    }
    Ok(rows)
}

fn damaged(what: impl Into<String>) -> SidecarError {
    SidecarError::damaged(Tag::HEAD, what)
}

/// The root over a sidecar's content, taken up section by section in the table's order.
#[derive(Clone)]
pub(crate) struct ContentRoot(Sha256);

impl ContentRoot {
    /// The root over a header that has yet to hold it.
    pub(crate) fn new(header: &Header) -> ContentRoot {
        let mut hash = Sha256::new();
        hash.update(b"memfold sidecar content 1\n");
        hash.update(header.identity());
        ContentRoot(hash)
    }

    /// Takes up the next section.
    pub(crate) fn add(&mut self, tag: Tag, content: Content) {
        self.0.update(tag.0);
        self.0.update(content.length.to_le_bytes());
        self.0.update(content.hash);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// A section's content, uncompressed, by its length and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) length: u64,
    pub(crate) hash: [u8; 32],
}

impl Content {
    /// The content of a section that is stored as it is: of every one whose records are not grouped.
    pub(crate) fn of(bytes: &[u8]) -> Content {
        Content {
            length: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            hash: Sha256::digest(bytes).into(),
        }
    }
}
