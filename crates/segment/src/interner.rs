//! Terms to records. The hot path of a fold: a word is looked up for each word of the text.
//!
//! An open-addressed table of 8-byte slots: the term's hash above, its record's number plus one below.
//! A wrong record is looked at once in thousands of words. Short terms lie in their records, so the
//! usual word touches one slot and one record, and copies nothing.

use std::ops::Deref;

use crate::chain::Chain;
use crate::error::Error;
use crate::hash::{HashKey, INLINE, unwords, words};

/// One term and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The first word of the term.
    first: u64,
    /// The last word of a short term; where in the arena a long one lies.
    last: u64,
    /// The document in which the term was last seen, and how often there.
    pub(crate) doc: u32,
    pub(crate) frequency: u32,
    /// One more than the last document in `closed`.
    pub(crate) next: u32,
    /// The postings before the last. Its tag is the term's length.
    pub(crate) closed: Chain,
}

impl Record {
    fn len(&self) -> usize {
        usize::from(self.closed.tag)
    }
}

#[derive(Debug)]
pub(crate) struct Interner {
    key: HashKey,
    slots: Vec<u64>,
    records: Vec<Record>,
    /// The terms that do not fit in their records.
    arena: Vec<u8>,
}

const FIRST_SLOTS: usize = 1 << 12;

impl Interner {
    pub(crate) fn new(key: HashKey) -> Self {
        Self {
            key,
            slots: vec![0; FIRST_SLOTS],
            records: Vec::new(),
            arena: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(FIRST_SLOTS, 0);
        self.records.clear();
        self.arena.clear();
    }

    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    /// The record of a term, made if there is none. A new record has the frequency 0.
    #[inline]
    pub(crate) fn record(&mut self, term: &[u8]) -> Result<&mut Record, Error> {
        let words = words(term);
        let hash = self.key.hash(term, words);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        // The table is never full, so an empty slot ends the walk.
        while let Some(&slot) = self.slots.get(at)
            && slot != 0
        {
            let index = slot as u32 as usize - 1;
            if (slot >> 32) as u32 == hash && self.is(index, term, words) {
                return self.records.get_mut(index).ok_or(Error::Full("terms"));
            }
            at = (at + 1) & mask;
        }
        self.insert(term, words, hash, at)
    }

    #[inline]
    fn is(&self, index: usize, term: &[u8], (first, last): (u64, u64)) -> bool {
        self.records.get(index).is_some_and(|record| {
            record.len() == term.len()
                && record.first == first
                && if term.len() <= INLINE {
                    record.last == last
                } else {
                    self.long(record) == term
                }
        })
    }

    fn long(&self, record: &Record) -> &[u8] {
        let at = record.last as usize;
        self.arena.get(at..at + record.len()).unwrap_or_default()
    }

    #[cold]
    fn insert(
        &mut self,
        term: &[u8],
        (first, last): (u64, u64),
        hash: u32,
        at: usize,
    ) -> Result<&mut Record, Error> {
        let tag = match u8::try_from(term.len()) {
            Ok(len) if len > 0 => len,
            _ => return Err(Error::TermLength(term.len())),
        };
        let last = if term.len() <= INLINE {
            last
        } else {
            self.arena.extend_from_slice(term);
            (self.arena.len() - term.len()) as u64
        };
        let index = self.records.len();
        let below = u32::try_from(index + 1).map_err(|_| Error::Full("2^32 terms"))?;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = u64::from(hash) << 32 | u64::from(below);
        }
        let closed = Chain::tagged(tag);
        self.records.push(Record {
            first,
            last,
            doc: 0,
            frequency: 0,
            next: 0,
            closed,
        });
        // Two thirds full at most.
        if self.records.len() * 3 > self.slots.len() * 2 {
            self.grow();
        }
        self.records.get_mut(index).ok_or(Error::Full("terms"))
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for &slot in self.slots.iter().filter(|&&slot| slot != 0) {
            let mut at = (slot >> 32) as usize & mask;
            while slots.get(at).is_some_and(|&taken| taken != 0) {
                at = (at + 1) & mask;
            }
            if let Some(place) = slots.get_mut(at) {
                *place = slot;
            }
        }
        self.slots = slots;
    }

    /// A record's term.
    pub(crate) fn term(&self, record: &Record) -> Text<'_> {
        if record.len() <= INLINE {
            Text::Short(
                unwords((record.first, record.last), record.len()),
                record.len(),
            )
        } else {
            Text::Long(self.long(record))
        }
    }
}

/// A term's bytes, put together or borrowed.
pub(crate) enum Text<'a> {
    Short([u8; INLINE], usize),
    Long(&'a [u8]),
}

impl Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Text::Short(bytes, len) => bytes.get(..*len).unwrap_or_default(),
            Text::Long(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_record_has_forty_bytes() {
        assert_eq!(size_of::<Record>(), 40);
    }

    #[test]
    fn a_term_has_one_record() {
        // One key sends everything to few slots, so that walking and growing are tried hard.
        for key in [HashKey::random(), HashKey::fixed(0)] {
            let mut interner = Interner::new(key);
            let terms: BTreeSet<Vec<u8>> = (0..20_000u32)
                .map(|n| n.to_string().repeat(1 + n as usize % 9).into_bytes())
                .map(|mut t| {
                    t.truncate(255);
                    t
                })
                .collect();
            for round in 0..2 {
                for term in &terms {
                    let record = interner.record(term).unwrap();
                    assert_eq!(record.frequency, round);
                    record.frequency += 1;
                }
            }
            assert_eq!(interner.records().len(), terms.len());
            let mut back = BTreeSet::new();
            for record in interner.records() {
                back.insert(interner.term(record).to_vec());
            }
            assert_eq!(back, terms);
        }
    }

    #[test]
    fn terms_have_1_to_255_bytes() {
        let mut interner = Interner::new(HashKey::random());
        assert!(interner.record(b"").is_err());
        assert!(interner.record(&[b'a'; 255]).is_ok());
        assert!(interner.record(&[b'a'; 256]).is_err());
        assert_eq!(interner.records().len(), 1);
    }
}
