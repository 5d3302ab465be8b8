//! Opens a sidecar and reads of it, by position, what is asked and no more. Every byte is under a checksum that is checked
//! before the byte is believed; what one part says of another, [`crate::verify_bytes`] checks before a sidecar is published.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use memfold_fold::card::Card;
use memfold_fold::checkpoint::{Checkpoint, Records, Sealed};
use memfold_fold::document::{Document, Keys, Link};
use memfold_fold::past::Waypoint;
use memfold_segment::Encoded;

use crate::binding::Binding;
use crate::bytes::Bytes;
use crate::container::KEYS;
use crate::error::SidecarError;
use crate::fields;
use crate::header::{Head, Header, Row, Tag};
use crate::records::{Index, Record};
use crate::words::Words;

/// What is read at first: the head of every sidecar of this format, and most indexes.
const FIRST_READ: u64 = 4096;

/// An open sidecar, read from a file, a map or memory. No writer, lock, log or folder of ours is needed: whoever has a `.mem`
/// reads it. That it is the log's own, its [`binding`](Sidecar::binding) proves against the log's bytes.
///
/// ```
/// use memfold_segment::Reader;
/// use memfold_sidecar::{Sidecar, verify_bytes};
///
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/golden/v1/small.mem");
/// let bytes = std::fs::read(file)?;
/// // Every part is checked when it is read; this checks all of them, and what one says of another.
/// verify_bytes(&bytes)?;
/// let sidecar = Sidecar::open(bytes)?;
/// for card in sidecar.cards(0..sidecar.header().cards)? {
///     println!("turn {}, lines {}-{}: {}", card.turn, card.first_seq, card.last_seq, card.title);
/// }
/// // The events of a word, by the lines of the log that hold them. Stems begin with `s`, whole names with `n`.
/// let words = Reader::open(sidecar.words()?)?;
/// let term = words.terms()?.next().ok_or("no words")??.0;
/// let mut postings = Vec::new();
/// words.postings(&term, &mut postings)?;
/// for posting in &postings {
///     let event = sidecar.document(posting.doc.0)?;
///     println!("line {}, {} times", event.seq, posting.frequency);
/// }
/// # assert!(!postings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// One that was just written:
///
/// ```
/// # use memfold_fold::{Parameters, checkpoint::{Checkpoint, Covered, Sealed}};
/// # use memfold_log::{Form, Offset, Seq};
/// use memfold_sidecar::{Sidecar, binding::Binder, encode};
///
/// # let sealed = Sealed {
/// #     covered: Covered { end: Offset(0), next: Seq::FIRST },
/// #     checkpoint: Checkpoint::default(),
/// #     documents: Vec::new(), keys: Vec::new(), links: Vec::new(), cards: Vec::new(), waypoints: Vec::new(),
/// #     segment: memfold_segment::Builder::new().encode(0..0, &|_| {})?,
/// # };
/// # let fold = Parameters { version: 1, hash: [0; 32] };
/// let bytes = encode(&sealed, fold, &Binder::new().binding(), Form::Lines)?;
/// let sidecar = Sidecar::open(bytes)?;
/// assert_eq!(sidecar.header().documents, 0);
/// assert_eq!(sidecar.checkpoint()?, sealed.checkpoint);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sidecar<B> {
    bytes: B,
    head: Head,
    documents: OnceLock<Index>,
    links: OnceLock<Index>,
    cards: OnceLock<Index>,
}

impl<B: Bytes> Sidecar<B> {
    /// Opens a sidecar: one read, and a second if its head is longer than any that this program writes.
    ///
    /// # Errors
    /// If the head is not a sidecar's, or of a format that is not read here.
    pub fn open(bytes: B) -> Result<Sidecar<B>, SidecarError> {
        let length = bytes.length();
        let head = {
            let first = bytes.read_at(0, usize::try_from(length.min(FIRST_READ)).unwrap_or(0))?;
            let head_length = Head::measure(&first, length)?;
            match first.get(..head_length) {
                Some(head) => Head::parse(head, length)?,
                None => Head::parse(&bytes.read_at(0, head_length)?, length)?,
            }
        };
        Ok(Sidecar {
            bytes,
            head,
            documents: OnceLock::new(),
            links: OnceLock::new(),
            cards: OnceLock::new(),
        })
    }

    /// Where the sidecar is read from.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }

    /// What the sidecar says of itself.
    pub fn header(&self) -> &Header {
        &self.head.header
    }

    /// The tags of the sections, with the lengths of their stored bytes.
    pub fn sections(&self) -> impl Iterator<Item = (Tag, u64)> {
        self.head.rows.iter().map(|row| (row.tag, row.length))
    }

    /// The stored bytes of a section, whole.
    ///
    /// # Errors
    /// If they cannot be read, or are not those that were written.
    pub fn section(&self, tag: Tag) -> Result<Cow<'_, [u8]>, SidecarError> {
        let row = self.head.row(tag)?;
        let damaged = |what: &str| SidecarError::damaged(tag, what);
        let padded = row
            .end()
            .and_then(|end| end.checked_sub(row.offset))
            .ok_or_else(|| damaged("out of bounds"))?;
        let size = |length: u64| usize::try_from(length).map_err(|_| damaged("larger than memory"));
        let (length, padded) = (size(row.length)?, size(padded)?);
        let mut bytes = self.bytes.read_at(row.offset, padded)?;
        if bytes
            .get(length..)
            .is_none_or(|padding| padding.iter().any(|byte| *byte != 0))
        {
            return Err(damaged("padding that is not zero"));
        }
        match &mut bytes {
            Cow::Borrowed(held) => *held = held.get(..length).unwrap_or_default(),
            Cow::Owned(held) => held.truncate(length),
        }
        if crc32fast::hash(&bytes) != row.crc {
            return Err(damaged("its checksum"));
        }
        Ok(bytes)
    }

    /// The segment, as a source that reads of it what a search needs.
    ///
    /// # Errors
    /// Never for a sidecar that was opened.
    pub fn words(&self) -> Result<Words<&B>, SidecarError> {
        Words::new(&self.bytes, |tag| self.head.row(tag).copied())
    }

    /// A document's row; `n` counts from 0.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn document(&self, n: u32) -> Result<Document, SidecarError> {
        self.record(self.document_index()?, n)
    }

    /// The rows of a range of documents. What lies past the last one is left out.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn documents(&self, range: Range<u32>) -> Result<Vec<Document>, SidecarError> {
        self.records(self.document_index()?, range)
    }

    /// The document whose event is a line of the log, with its number.
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub fn document_of(&self, seq: u64) -> Result<Option<(u32, Document)>, SidecarError> {
        let index = self.document_index()?;
        for group in index.groups_of(seq..seq.saturating_add(1)) {
            let first = index.first_record(group);
            for (number, document) in (first..).zip(self.group::<Document>(index, group)?) {
                if document.seq == seq {
                    return Ok(u32::try_from(number).ok().map(|number| (number, document)));
                }
            }
        }
        Ok(None)
    }

    /// A card; `n` counts from 0.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn card(&self, n: u32) -> Result<Card, SidecarError> {
        self.record(self.card_index()?, n)
    }

    /// A range of cards. What lies past the last one is left out.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn cards(&self, range: Range<u32>) -> Result<Vec<Card>, SidecarError> {
        self.records(self.card_index()?, range)
    }

    /// The cards of a turn: one, and one for each continuation, with the number of the first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn cards_of(&self, turn: u32) -> Result<(u32, Vec<Card>), SidecarError> {
        let turn = u64::from(turn);
        let (number, cards) =
            self.keyed::<Card>(self.card_index()?, turn..turn.saturating_add(1))?;
        Ok((u32::try_from(number).unwrap_or(u32::MAX), cards))
    }

    /// Every link, in the order of the results.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn links(&self) -> Result<Vec<Link>, SidecarError> {
        self.records(self.link_index()?, 0..u32::MAX)
    }

    /// The links whose result is on a line.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn links_of_result(&self, seq: u64) -> Result<Vec<Link>, SidecarError> {
        Ok(self
            .keyed::<Link>(self.link_index()?, seq..seq.saturating_add(1))?
            .1)
    }

    /// The links of the calls that a reply on a line makes. Results follow their calls at any distance, so that every
    /// link from there on is read: 40 bytes for each, before packing.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn links_of_call(&self, seq: u64) -> Result<Vec<Link>, SidecarError> {
        let (_, mut links) = self.keyed::<Link>(self.link_index()?, seq..u64::MAX)?;
        links.retain(|link| link.call_seq == seq);
        Ok(links)
    }

    /// The documents' keys.
    ///
    /// # Errors
    /// If they cannot be read, or are not as many as the documents.
    pub fn keys(&self) -> Result<Vec<Keys>, SidecarError> {
        let bytes = self.section(Tag::KEYS)?;
        let (rows, rest) = bytes.as_chunks::<KEYS>();
        if !rest.is_empty() || u32::try_from(rows.len()) != Ok(self.head.header.documents) {
            return Err(SidecarError::damaged(
                Tag::KEYS,
                format!("{} bytes", bytes.len()),
            ));
        }
        let key = |mut row: &[u8]| {
            Some(Keys {
                id: fields::u64(&mut row)?,
                origin: fields::u64(&mut row)?,
            })
        };
        Ok(rows.iter().filter_map(|row| key(row)).collect())
    }

    /// The fold's state at the end of the covered prefix, the log's facts in it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn checkpoint(&self) -> Result<Checkpoint, SidecarError> {
        self.record(&self.index::<Checkpoint>(1)?, 0)
    }

    /// Lines that later ones can go back to, and where the task went back; none in most logs.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn waypoints(&self) -> Result<Vec<Waypoint>, SidecarError> {
        if !self.head.rows.iter().any(|row| row.tag == Tag::PAST) {
            return Ok(Vec::new());
        }
        self.records(&self.index::<Waypoint>(None)?, 0..u32::MAX)
    }

    /// What binds the sidecar to its log.
    ///
    /// # Errors
    /// If it cannot be read, or is not what the header's root is over.
    pub fn binding(&self) -> Result<Binding, SidecarError> {
        let bytes = self.section(Tag::BLKH)?;
        let (blocks, rest) = bytes.as_chunks::<32>();
        let header = &self.head.header;
        match Binding::new(header.covered.end.0, blocks.to_vec()) {
            Some(binding) if rest.is_empty() && binding.root == header.log_root => Ok(binding),
            _ => Err(SidecarError::damaged(
                Tag::BLKH,
                "another root than the header's",
            )),
        }
    }

    /// What a fold goes on from, its words apart (see [`Sidecar::words`]).
    ///
    /// # Errors
    /// If any of it cannot be read.
    pub fn decode_records(&self) -> Result<Records, SidecarError> {
        Ok(Records {
            covered: self.head.header.covered,
            checkpoint: self.checkpoint()?,
            documents: self.documents(0..u32::MAX)?,
            keys: self.keys()?,
            links: self.links()?,
            cards: self.cards(0..u32::MAX)?,
            waypoints: self.waypoints()?,
        })
    }

    /// Everything that [`crate::encode`] was given.
    ///
    /// # Errors
    /// If any of it cannot be read.
    pub fn decode_sealed(&self) -> Result<Sealed, SidecarError> {
        let Records {
            covered,
            checkpoint,
            documents,
            keys,
            links,
            cards,
            waypoints,
        } = self.decode_records()?;
        let segment = Encoded {
            terms: self.section(Tag::TERM)?.into_owned(),
            blocks: self.section(Tag::TBLK)?.into_owned(),
            postings: self.section(Tag::POST)?.into_owned(),
            lengths: self.section(Tag::DLEN)?.into_owned(),
            documents: self.head.header.documents,
            total_length: self.head.header.words,
        };
        Ok(Sealed {
            covered,
            checkpoint,
            documents,
            keys,
            links,
            cards,
            waypoints,
            segment,
        })
    }

    pub(crate) fn document_index(&self) -> Result<&Index, SidecarError> {
        self.kept::<Document>(&self.documents, Some(u64::from(self.head.header.documents)))
    }

    pub(crate) fn card_index(&self) -> Result<&Index, SidecarError> {
        self.kept::<Card>(&self.cards, Some(u64::from(self.head.header.cards)))
    }

    pub(crate) fn link_index(&self) -> Result<&Index, SidecarError> {
        self.kept::<Link>(&self.links, None)
    }

    /// The index, read once.
    fn kept<'a, T: Record>(
        &self,
        kept: &'a OnceLock<Index>,
        records: Option<u64>,
    ) -> Result<&'a Index, SidecarError> {
        match kept.get() {
            Some(index) => Ok(index),
            None => {
                let index = self.index::<T>(records)?;
                Ok(kept.get_or_init(|| index))
            }
        }
    }

    /// Reads the index of a section of records, which must be as many as is said.
    pub(crate) fn index<T: Record>(
        &self,
        records: impl Into<Option<u64>>,
    ) -> Result<Index, SidecarError> {
        let row = self.head.row(T::TAG)?;
        let first = self.part(
            row,
            0,
            usize::try_from(row.length.min(FIRST_READ)).unwrap_or(0),
        )?;
        let length = Index::measure(T::TAG, &first, row.length)?;
        let index = match first.get(..length) {
            Some(bytes) => Index::parse(T::TAG, bytes, row.length)?,
            None => Index::parse(T::TAG, &self.part(row, 0, length)?, row.length)?,
        };
        match records.into() {
            Some(expected) if index.records != expected => Err(SidecarError::damaged(
                T::TAG,
                format!("{} records where {expected} should be", index.records),
            )),
            _ => Ok(index),
        }
    }

    /// The bytes of a group, unpacked.
    pub(crate) fn raw_group<T: Record>(
        &self,
        index: &Index,
        group: usize,
    ) -> Result<Cow<'_, [u8]>, SidecarError> {
        let row = self.head.row(T::TAG)?;
        index.raw(group, |at, length| self.part(row, at, length))
    }

    fn group<T: Record>(&self, index: &Index, group: usize) -> Result<Vec<T>, SidecarError> {
        index.records(group, &self.raw_group::<T>(index, group)?)
    }

    fn record<T: Record>(&self, index: &Index, n: u32) -> Result<T, SidecarError> {
        let (group, place) = index.place(u64::from(n));
        if u64::from(n) >= index.records {
            return Err(SidecarError::damaged(
                T::TAG,
                format!("record {n} of {}", index.records),
            ));
        }
        index.one(group, &self.raw_group::<T>(index, group)?, place)
    }

    fn records<T: Record>(&self, index: &Index, range: Range<u32>) -> Result<Vec<T>, SidecarError> {
        let (start, end) = (
            u64::from(range.start),
            u64::from(range.end).min(index.records),
        );
        if start >= end {
            return Ok(Vec::new());
        }
        let (first, skip) = index.place(start);
        let (last, _) = index.place(end.saturating_sub(1));
        let mut records = Vec::new();
        for group in first..=last {
            records.append(&mut self.group(index, group)?);
        }
        records.truncate(
            usize::try_from(end.saturating_sub(index.first_record(first))).unwrap_or(usize::MAX),
        );
        Ok(records.split_off(skip.min(records.len())))
    }

    /// The records whose keys are in a range, with the number of the first.
    fn keyed<T: Record>(
        &self,
        index: &Index,
        keys: Range<u64>,
    ) -> Result<(u64, Vec<T>), SidecarError> {
        let groups = index.groups_of(keys.clone());
        let mut first = index.first_record(groups.start);
        let mut found = Vec::new();
        for group in groups {
            for record in self.group::<T>(index, group)? {
                if record.key() < keys.start {
                    first = first.saturating_add(1);
                } else if record.key() < keys.end {
                    found.push(record);
                }
            }
        }
        Ok((first, found))
    }

    /// A part of a section, which checks itself.
    fn part(&self, row: &Row, at: u64, length: usize) -> Result<Cow<'_, [u8]>, SidecarError> {
        let end = u64::try_from(length)
            .ok()
            .and_then(|length| at.checked_add(length));
        match (end, row.offset.checked_add(at)) {
            (Some(end), Some(from)) if end <= row.length => Ok(self.bytes.read_at(from, length)?),
            _ => Err(SidecarError::damaged(row.tag, "a part out of bounds")),
        }
    }

    pub(crate) fn head(&self) -> &Head {
        &self.head
    }
}
