//! Reads a segment through positional reads: the table once, then one dictionary block for a word, and
//! one long list if the word has one. Nothing is used before its checksum was compared.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use crate::Posting;
use crate::block::{self, List};
use crate::bytes::Bytes;
use crate::entries::Entries;
use crate::error::Error;
use crate::lengths::Lengths;
use crate::list;
use crate::norms::Norms;
use crate::pieces::{Piece, Pieces, Place};
use crate::source::{Section, Source};
use crate::table::{Header, Table};

/// An open segment.
///
/// Opening reads and checks the table, some hundredth of the segment. A word then costs one read of
/// some hundred bytes, and a second one if 128 documents or more hold it.
#[derive(Debug)]
pub struct Reader<S> {
    source: S,
    /// The table, unless the source lends it whenever it is asked.
    table: Option<Vec<u8>>,
    header: Header,
    /// The lengths, checked, once they were read.
    lengths: OnceLock<Vec<u8>>,
    /// Blocks and long lists, checked: a query's terms are often neighbours (`scrub-env`, `scrub_env`), and so are queries.
    pieces: Pieces,
    norms: Norms,
}

impl<S: Source> Reader<S> {
    /// Opens a segment.
    ///
    /// # Errors
    /// If the table cannot be read, is damaged, or names other lengths than the sections have.
    pub fn open(source: S) -> Result<Self, Error> {
        let bytes = read(&source, Section::Terms, 0, source.len(Section::Terms))?;
        let header = Table::open(&bytes)?.header;
        let table = match bytes {
            Cow::Borrowed(_) => None,
            Cow::Owned(bytes) => Some(bytes),
        };
        for (section, len) in [
            (Section::Blocks, header.blocks_len),
            (Section::Postings, header.postings_len),
        ] {
            if source.len(section) != len {
                return Err(Error::Damaged {
                    section,
                    at: source.len(section),
                    what: "another length than the table says",
                });
            }
        }
        Lengths::width(header.documents, source.len(Section::Lengths))?;
        Ok(Self {
            source,
            table,
            header,
            lengths: OnceLock::new(),
            pieces: Pieces::default(),
            norms: Norms::default(),
        })
    }

    /// How many documents there are.
    pub fn documents(&self) -> u32 {
        self.header.documents
    }

    /// The sum of the documents' lengths.
    pub fn total_length(&self) -> u64 {
        self.header.total_length
    }

    /// How many different terms there are.
    pub fn distinct_terms(&self) -> u32 {
        self.header.terms
    }

    /// The same segment, its source wrapped by another that gives the same bytes.
    pub fn map_source<T: Source>(self, wrap: impl FnOnce(S) -> T) -> Reader<T> {
        Reader {
            source: wrap(self.source),
            table: self.table,
            header: self.header,
            lengths: self.lengths,
            pieces: self.pieces,
            norms: self.norms,
        }
    }

    /// Where the bytes come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    pub(crate) fn norms(&self) -> &Norms {
        &self.norms
    }

    /// The length of every document: one read, the first time.
    ///
    /// # Errors
    /// If they cannot be read or are damaged.
    pub fn lengths(&self) -> Result<Lengths<'_>, Error> {
        if let Some(bytes) = self.lengths.get() {
            return Lengths::checked(bytes, &self.header);
        }
        let bytes = self.read(Section::Lengths, 0, self.source.len(Section::Lengths))?;
        match Lengths::open(bytes, &self.header)?.into_bytes() {
            Cow::Borrowed(bytes) => Lengths::checked(bytes, &self.header),
            Cow::Owned(bytes) => Lengths::checked(self.lengths.get_or_init(|| bytes), &self.header),
        }
    }

    /// Appends a term's postings to `out`, in the order of documents, and returns how many they are: 0 if
    /// the segment does not hold the term.
    ///
    /// # Errors
    /// If what the answer rests on cannot be read or is damaged; `out` is then as it was.
    pub fn postings(&self, term: &[u8], out: &mut Vec<Posting>) -> Result<u32, Error> {
        let table = self.table()?;
        let table = self.parts(&table)?;
        let Some(index) = table.find(term) else {
            return Ok(0);
        };
        let row = table.row(index)?;
        let bytes = self.piece(row.place())?;
        match block::find(row, &bytes, self.header.documents, term)? {
            Some(list) => self.decode(&list, row.at, &bytes, |place| self.piece(place), out),
            None => Ok(0),
        }
    }

    /// Bytes, checked: those that are kept, if they are.
    fn piece(&self, place: Place) -> Result<Piece<'_>, Error> {
        if let Some(known) = self.pieces.get(&place) {
            return Ok(Piece::Read(known));
        }
        Ok(match self.checked(place)? {
            Cow::Borrowed(bytes) => Piece::Lent(bytes),
            Cow::Owned(bytes) => Piece::Read(self.pieces.keep(place, bytes)),
        })
    }

    /// Bytes, read and checked.
    pub(crate) fn checked(&self, place: Place) -> Result<Cow<'_, [u8]>, Error> {
        let bytes = self.read(place.section, place.at, place.len)?;
        if crc32fast::hash(&bytes) == place.crc {
            Ok(bytes)
        } else {
            Err(Error::Damaged {
                section: place.section,
                at: place.at,
                what: "its checksum does not match",
            })
        }
    }

    /// Calls `each` with the terms that begin with `prefix` and their postings, in order, `limit` terms
    /// at most. Returns whether there were more.
    ///
    /// # Errors
    /// If a block cannot be read or is damaged. `each` may have been called by then.
    pub fn prefix(
        &self,
        prefix: &[u8],
        limit: usize,
        mut each: impl FnMut(&[u8], &[Posting]),
    ) -> Result<bool, Error> {
        let table = self.table()?;
        // No term before this block begins with the prefix: they all sort before its key.
        let first = self.parts(&table)?.find(prefix).unwrap_or(0);
        let mut entries = Entries::from(self, first)?;
        let mut postings = Vec::new();
        let mut found = 0;
        while let Some(term) = entries.advance()? {
            if term.starts_with(prefix) {
                if found == limit {
                    return Ok(true);
                }
                found += 1;
                postings.clear();
                entries.postings(&mut postings)?;
                each(entries.term(), &postings);
            } else if term > prefix {
                break;
            }
        }
        Ok(false)
    }

    /// Every term with the number of documents that hold it, in order. Reads the whole segment.
    ///
    /// # Errors
    /// If the table cannot be read again; the items tell of damage, and end with it.
    pub fn terms(&self) -> Result<impl Iterator<Item = Result<(Vec<u8>, u32), Error>> + '_, Error> {
        let mut entries = Some(self.entries()?);
        let mut postings = Vec::new();
        Ok(std::iter::from_fn(move || {
            let item = match entries.as_mut()?.next(&mut postings) {
                Ok(Some(term)) => return Some(Ok((term.to_vec(), postings.len() as u32))),
                Ok(None) => None,
                Err(error) => Some(Err(error)),
            };
            entries = None;
            item
        }))
    }

    /// A strict walk over the whole dictionary.
    pub(crate) fn entries(&self) -> Result<Entries<'_, S>, Error> {
        Entries::from(self, 0)
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn table(&self) -> Result<Cow<'_, [u8]>, Error> {
        match &self.table {
            Some(table) => Ok(Cow::Borrowed(table)),
            None => self.read(Section::Terms, 0, self.source.len(Section::Terms)),
        }
    }

    /// The parts of a table that was checked at opening.
    pub(crate) fn parts<'a>(&self, table: &'a [u8]) -> Result<Table<'a>, Error> {
        Table::of(
            table
                .split_last_chunk::<4>()
                .map_or(&[], |(content, _)| content),
        )
    }

    /// Appends the postings of a list whose block begins at `at` and has `bytes`; `read` gives those of a long one, checked.
    pub(crate) fn decode<B: Deref<Target = [u8]>>(
        &self,
        list: &List,
        at: u64,
        bytes: &[u8],
        read: impl FnOnce(Place) -> Result<B, Error>,
        out: &mut Vec<Posting>,
    ) -> Result<u32, Error> {
        let start = out.len();
        let result = match *list {
            List::One(posting) => {
                out.push(posting);
                Ok(())
            }
            List::Short(ref range) => self.decode_short(range.start, range.end, at, bytes, out),
            List::Long {
                count,
                at,
                len,
                crc,
            } => read(Place {
                section: Section::Postings,
                at,
                len,
                crc,
            })
            .and_then(|bytes| {
                let input = &mut Bytes::new(Section::Postings, at, &bytes);
                list::read_long(input, count, self.header.documents, out)
            }),
        };
        match result {
            Ok(()) => Ok((out.len() - start) as u32),
            Err(error) => {
                out.truncate(start);
                Err(error)
            }
        }
    }

    fn decode_short(
        &self,
        start: u64,
        end: u64,
        at: u64,
        bytes: &[u8],
        out: &mut Vec<Posting>,
    ) -> Result<(), Error> {
        let before = out.len();
        // The entry was read from these bytes, so the range lies in them.
        let list = bytes
            .get((start - at) as usize..(end - at) as usize)
            .unwrap_or_default();
        let mut input = Bytes::new(Section::Blocks, start, list);
        list::read_short(&mut input, 0, self.header.documents, out)?;
        if (2..list::LONG).contains(&(out.len() - before)) {
            Ok(())
        } else {
            Err(input.damaged("a short list of too few or too many postings"))
        }
    }

    pub(crate) fn read(&self, section: Section, at: u64, len: u64) -> Result<Cow<'_, [u8]>, Error> {
        read(&self.source, section, at, len)
    }
}

/// Asks for bytes only where the section has them: a length in a file buys no memory by itself.
fn read<S: Source>(
    source: &S,
    section: Section,
    at: u64,
    len: u64,
) -> Result<Cow<'_, [u8]>, Error> {
    let damaged = |what| Error::Damaged { section, at, what };
    if at
        .checked_add(len)
        .is_none_or(|end| end > source.len(section))
    {
        return Err(damaged("past the end of the section"));
    }
    let len =
        usize::try_from(len).map_err(|_| damaged("more bytes than this machine can address"))?;
    let bytes = source
        .read(section, at, len)
        .map_err(|source| Error::Read {
            section,
            at,
            len,
            source,
        })?;
    if bytes.len() == len {
        Ok(bytes)
    } else {
        Err(damaged("another number of bytes than was asked for"))
    }
}
