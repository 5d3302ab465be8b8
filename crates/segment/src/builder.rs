//! Counts the words of documents, and remembers who holds what in little memory: 40 bytes a term, and
//! one or two a posting.
//!
//! A term's posting in the document it was last seen in lies open in its record; it is closed, as the
//! same varints that the file has, when the term is seen in a later one.

use std::hint::select_unpredictable;
use std::ops::Range;

use crate::bytes::Bytes;
use crate::chain::Arena;
use crate::encode::put_segment;
use crate::error::Error;
use crate::hash::{HashKey, INLINE, number};
use crate::interner::{Interner, Record, Sought};
use crate::list::{Small, read_short, short_until};
use crate::reader::Reader;
use crate::source::{Encoded, Section, Source};
use crate::{DocId, MAX_QUANTITY, Posting};

/// Counts words of documents and encodes them as a segment.
///
/// ```
/// use memfold_segment::{Builder, DocId, Posting, Reader};
///
/// let mut builder = Builder::new();
/// builder.add(b"fold", 2);
/// builder.add(b"log", 1);
/// assert_eq!(builder.finish_document()?, DocId(0));
///
/// let encoded = builder.encode(0..1, &|_| {})?;
/// let reader = Reader::open(&encoded)?;
/// let mut postings = Vec::new();
/// reader.postings(b"fold", &mut postings)?;
/// assert_eq!(postings, [Posting { doc: DocId(0), frequency: 2 }]);
/// # Ok::<(), memfold_segment::Error>(())
/// ```
///
/// What comes out depends on the documents alone: not on the order in which words were first seen, nor
/// on whether the builder was resumed on the way.
#[derive(Debug)]
pub struct Builder {
    interner: Interner,
    closed: Arena,
    /// The lengths of the closed documents.
    lengths: Vec<u32>,
    /// The length of the open document.
    length: u32,
    /// Short words of the open document that are not counted yet, each with how often.
    waiting: Vec<(Sought, u32)>,
    /// What `add` could not say. It stays: a document that lacks a word must not be encoded.
    fault: Option<Error>,
}

/// So many words are looked up together.
const BATCH: usize = 64;

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// A builder without documents.
    pub fn new() -> Self {
        Self::with_key(HashKey::random())
    }

    pub(crate) fn with_key(key: HashKey) -> Self {
        Self {
            interner: Interner::new(key),
            closed: Arena::new(),
            lengths: Vec::new(),
            length: 0,
            waiting: Vec::with_capacity(BATCH),
            fault: None,
        }
    }

    /// Forgets everything but the memory, which the next log may use.
    pub fn clear(&mut self) {
        self.interner.clear();
        self.closed.clear();
        self.lengths.clear();
        self.length = 0;
        self.waiting.clear();
        self.fault = None;
    }

    /// Adds `count` occurrences of a term to the open document. Nothing if `count` is 0.
    ///
    /// A term has 1 to 255 bytes. A fault is told by [`finish_document`](Self::finish_document).
    pub fn add(&mut self, term: &[u8], count: u32) {
        match term.split_first() {
            Some((&space, word)) => self.add_in(space, word, count),
            None if count == 0 => {}
            None => {
                self.fault.get_or_insert(Error::TermLength(0));
            }
        }
    }

    /// The same for the term that is the byte `space` and then `word`, which need not be put together for that.
    pub fn add_in(&mut self, space: u8, word: &[u8], count: u32) {
        if word.len() <= INLINE {
            self.add_short(space, number(word), word.len(), count);
        } else if count > 0 {
            self.length = quantity(self.length, count);
            self.add_long(space, word, count);
        }
    }

    /// The same for a word of `len` bytes, 16 at most, which are those of `word` from the lowest on. All above them are 0.
    #[inline(always)]
    pub fn add_short(&mut self, space: u8, word: u128, len: usize, count: u32) {
        if count == 0 {
            return;
        }
        self.length = quantity(self.length, count);
        let sought = self.interner.sought(space, word, len);
        self.waiting.push((sought, count.min(MAX_QUANTITY)));
        if self.waiting.len() == BATCH {
            self.settle();
        }
    }

    #[cold]
    fn add_long(&mut self, space: u8, word: &[u8], count: u32) {
        let doc = self.documents();
        let record = self.interner.record(space, word);
        let added = record.and_then(|record| count_in(record, &mut self.closed, doc, count));
        if let Err(error) = added {
            self.fault.get_or_insert(error);
        }
    }

    /// Counts the words that wait. What is looked up in one table is looked up for all of them before the next: so the
    /// machine waits for many places of memory at once, and not for each by itself.
    #[inline(never)]
    fn settle(&mut self) {
        let doc = self.documents();
        let mut guesses = [0; BATCH];
        for (guess, (sought, _)) in guesses.iter_mut().zip(&self.waiting) {
            *guess = self.interner.guess(sought);
        }
        for (&guess, (sought, count)) in guesses.iter().zip(&self.waiting) {
            let added = match self.interner.at(guess, sought) {
                Some(record) => count_in(record, &mut self.closed, doc, *count),
                None => self
                    .interner
                    .short_record(sought)
                    .and_then(|record| count_in(record, &mut self.closed, doc, *count)),
            };
            if let Err(error) = added {
                self.fault.get_or_insert(error);
            }
        }
        self.waiting.clear();
    }

    /// Closes the open document, an empty one too, and returns its number. Numbers go up by one.
    ///
    /// The document's length is the sum of its counts, at most 2^31-1.
    ///
    /// # Errors
    /// If a term had no or too many bytes, or a limit was reached: then this and every later call, and
    /// `encode`, tells so until [`clear`](Self::clear).
    pub fn finish_document(&mut self) -> Result<DocId, Error> {
        self.settle();
        self.sound()?;
        if self.documents() == u32::MAX {
            return Err(Error::Full("2^32-1 documents"));
        }
        let doc = DocId(self.documents());
        self.lengths.push(std::mem::take(&mut self.length));
        Ok(doc)
    }

    fn sound(&self) -> Result<(), Error> {
        match self.fault {
            None => Ok(()),
            Some(Error::TermLength(len)) => Err(Error::TermLength(len)),
            Some(Error::Full(what)) => Err(Error::Full(what)),
            Some(_) => Err(Error::Full("the builder failed before")),
        }
    }

    /// How many documents are closed.
    pub fn documents(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// A builder that holds what a segment holds, its documents numbered as they were: going on from
    /// there gives the bytes that building everything at once gives.
    ///
    /// The terms are those of the segment, so one that was encoded with a `rename` is gone on with by
    /// [`append`](Self::append), not by adding raw terms: stemming a stem may change it.
    ///
    /// # Errors
    /// If the segment cannot be read or is damaged.
    pub fn resume<S: Source>(reader: &Reader<S>) -> Result<Self, Error> {
        Self::new().append(reader)
    }

    /// Adds the documents of a segment after those that are here. The open document must be empty.
    ///
    /// # Errors
    /// If the segment cannot be read or is damaged (the builder, half filled, is gone), or does not fit.
    pub fn append<S: Source>(mut self, reader: &Reader<S>) -> Result<Self, Error> {
        self.sound()?;
        if self.length > 0 {
            return Err(Error::Full("a document is open"));
        }
        let base = self.documents();
        if base.checked_add(reader.documents()).is_none() {
            return Err(Error::Full("2^32-1 documents"));
        }
        let mut postings = Vec::new();
        let mut entries = reader.entries()?;
        while let Some(term) = entries.next(&mut postings)? {
            let (&space, word) = term.split_first().ok_or(Error::TermLength(0))?;
            let record = self.interner.record(space, word)?;
            for posting in &postings {
                open(
                    record,
                    &mut self.closed,
                    base + posting.doc.0,
                    posting.frequency,
                )?;
            }
        }
        self.lengths.extend(reader.lengths()?.iter());
        Ok(self)
    }

    /// Encodes the documents of `range` that there are, numbered from 0.
    ///
    /// `rename` puts in a term's place the one that the dictionary is to have (its stem, say). Terms that become one are
    /// merged, their frequencies added up to 2^31-1.
    ///
    /// # Errors
    /// If a term was, or was renamed to, none of 1 to 255 bytes, or a section grows past 4 GiB.
    pub fn encode(
        &self,
        range: Range<u32>,
        rename: &dyn Fn(&mut Vec<u8>),
    ) -> Result<Encoded, Error> {
        self.sound()?;
        let end = range.end.min(self.documents());
        put_segment(self, range.start.min(end)..end, rename)
    }

    pub(crate) fn lengths(&self, range: Range<u32>) -> &[u32] {
        self.lengths
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    pub(crate) fn records(&self) -> &[Record] {
        self.interner.records()
    }

    /// Appends a record's term to `out`.
    pub(crate) fn put_term(&self, record: &Record, out: &mut Vec<u8>) {
        self.interner.put_term(record, out);
    }

    /// The short list of the postings in the first `end` documents, encoded in `scratch`, of a record that has closed ones, if
    /// it has several there: closed postings are kept as a list has them.
    pub(crate) fn put_list<'s>(
        &self,
        record: &Record,
        end: u32,
        scratch: &'s mut Vec<u8>,
    ) -> Result<Option<&'s [u8]>, Error> {
        scratch.clear();
        self.closed.read(&record.closed, scratch);
        if record.doc < end {
            let last = Small::posting(record.doc - record.next, record.frequency);
            scratch.extend_from_slice(last.bytes());
            return Ok(Some(scratch));
        }
        let (count, len) = short_until(scratch, end)?;
        scratch.truncate(len);
        Ok((count > 1).then_some(scratch))
    }

    /// Appends the postings of a record that lie in `range`, renumbered. `scratch` is for reuse.
    pub(crate) fn put_postings(
        &self,
        record: &Record,
        range: &Range<u32>,
        scratch: &mut Vec<u8>,
        out: &mut Vec<Posting>,
    ) -> Result<(), Error> {
        let start = out.len();
        if !record.closed.is_empty() {
            scratch.clear();
            self.closed.read(&record.closed, scratch);
            // Our own bytes: an error here would be a fault of the arena.
            read_short(
                &mut Bytes::new(Section::Postings, 0, scratch),
                0,
                u32::MAX,
                out,
            )?;
        }
        out.push(Posting {
            doc: DocId(record.doc),
            frequency: record.frequency,
        });
        let mut kept = start;
        for at in start..out.len() {
            if let Some(&posting) = out.get(at)
                && range.contains(&posting.doc.0)
                && let Some(place) = out.get_mut(kept)
            {
                *place = Posting {
                    doc: DocId(posting.doc.0 - range.start),
                    ..posting
                };
                kept += 1;
            }
        }
        out.truncate(kept);
        Ok(())
    }
}

/// Quantities of the text add up to [`MAX_QUANTITY`] and stay there.
pub(crate) fn quantity(a: u32, b: u32) -> u32 {
    a.saturating_add(b).min(MAX_QUANTITY)
}

/// Counts a term in a document that is not before the last one of its record.
#[inline(always)]
fn count_in(record: &mut Record, closed: &mut Arena, doc: u32, count: u32) -> Result<(), Error> {
    // Whether a word is new to its document cannot be foretold. So where the posting before it is a small one, it is written in
    // any case, and nothing but its length tells.
    let gap = record.doc - record.next;
    if gap < 64 && (1..130).contains(&record.frequency) && record.closed.has_room_for_two() {
        let (is_new, often) = (record.doc != doc, record.frequency > 1);
        let posting = [
            (gap << 1) as u8 | u8::from(often),
            record.frequency.wrapping_sub(2) as u8,
        ];
        let len = u8::from(is_new) << u8::from(often);
        closed.append_small(&mut record.closed, posting, len);
        record.next = select_unpredictable(is_new, record.doc + 1, record.next);
        let before = select_unpredictable(is_new, 0, record.frequency);
        record.frequency = quantity(before, count);
        record.doc = doc;
        return Ok(());
    }
    count_large(record, closed, doc, count)
}

#[inline(never)]
fn count_large(record: &mut Record, closed: &mut Arena, doc: u32, count: u32) -> Result<(), Error> {
    if record.doc == doc && record.frequency > 0 {
        record.frequency = quantity(record.frequency, count);
        return Ok(());
    }
    open(record, closed, doc, count.min(MAX_QUANTITY))
}

/// Opens a posting in a document after all that the record has, and closes the one before it.
fn open(record: &mut Record, closed: &mut Arena, doc: u32, frequency: u32) -> Result<(), Error> {
    if record.frequency > 0 {
        let posting = Small::posting(record.doc - record.next, record.frequency);
        closed.append(&mut record.closed, posting.bytes())?;
        record.next = record.doc + 1;
    }
    record.doc = doc;
    record.frequency = frequency;
    Ok(())
}
