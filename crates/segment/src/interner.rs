//! Terms to records. The hot path of a fold: a word is looked up for each word of the text.
//!
//! An open-addressed table of 8-byte slots: the term's hash above, its record's number plus one below.
//! A wrong record is looked at once in thousands of words. Short terms lie in their records, so the
//! usual word touches one slot and one record, and copies nothing.

use std::hint::select_unpredictable;

use crate::block::LONGEST;
use crate::chain::Chain;
use crate::error::Error;
use crate::hash::{HashKey, INLINE, number};
use crate::{DocId, Posting};

/// One term and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// The halves of a short word, the first one the lower; of a long one where in the arena it lies, and 0.
    word: [u64; 2],
    /// The document in which the term was last seen, and how often there.
    pub(crate) doc: u32,
    pub(crate) frequency: u32,
    /// One more than the last document in `closed`.
    pub(crate) next: u32,
    /// The postings before the last. Its tag is the term's space and the length of its word.
    pub(crate) closed: Chain,
}

impl Record {
    /// Whether it has no posting but the last.
    pub(crate) fn is_open_only(&self) -> bool {
        self.closed.is_empty()
    }

    /// Its last posting, if that is in the first `end` documents.
    pub(crate) fn last_before(&self, end: u32) -> Option<Posting> {
        (self.doc < end).then_some(Posting {
            doc: DocId(self.doc),
            frequency: self.frequency,
        })
    }

    fn space(&self) -> u8 {
        let [space, _] = self.closed.tag;
        space
    }

    /// The length of the word.
    fn len(&self) -> usize {
        let [_, len] = self.closed.tag;
        usize::from(len)
    }

    /// Whether it is a short word's.
    #[inline(always)]
    fn is(&self, sought: &Sought) -> bool {
        // One answer of three comparisons: a word that is not the one is too rare to branch for.
        let ([a, b], [c, d]) = (self.word, sought.word);
        (self.closed.tag == sought.tag) & (a == c) & (b == d)
    }
}

/// What a term is looked for by. A short word can be made of it again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sought {
    word: [u64; 2],
    hash: u32,
    /// As in a record.
    tag: [u8; 2],
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

    /// The record of the term that is the byte `space` and then `word`, made if there is none. A new record has the
    /// frequency 0.
    pub(crate) fn record(&mut self, space: u8, word: &[u8]) -> Result<&mut Record, Error> {
        if word.len() <= INLINE {
            return self.short_record(&self.sought(space, number(word), word.len()));
        }
        let len = u8::try_from(word.len()).ok();
        let Some(len) = len.filter(|_| word.len() < LONGEST) else {
            return Err(Error::TermLength(word.len() + 1));
        };
        let sought = Sought {
            word: [0; 2],
            hash: self.key.hash_long(space, word),
            tag: [space, len],
        };
        self.record_of(&sought, word)
    }

    /// What a short word is looked for by.
    #[inline(always)]
    pub(crate) fn sought(&self, space: u8, word: u128, len: usize) -> Sought {
        Sought {
            word: [word as u64, (word >> 64) as u64],
            hash: self.key.hash(space, word),
            tag: [space, len as u8],
        }
    }

    /// Where the record of a short word is most likely: what the first two slots say. No such place if they are empty.
    #[inline(always)]
    pub(crate) fn guess(&self, sought: &Sought) -> usize {
        let mask = self.slots.len() - 1;
        let at = sought.hash as usize & mask;
        let slot = |at: usize| self.slots.get(at).copied().unwrap_or_default();
        let (first, second) = (slot(at), slot((at + 1) & mask));
        let slot = select_unpredictable((first >> 32) as u32 == sought.hash, first, second);
        (slot as u32 as usize).wrapping_sub(1)
    }

    /// The record in the place that was guessed, if it is the short word's.
    #[inline(always)]
    pub(crate) fn at(&mut self, guess: usize, sought: &Sought) -> Option<&mut Record> {
        self.records
            .get_mut(guess)
            .filter(|record| record.is(sought))
    }

    /// The record of a short word, made if there is none.
    pub(crate) fn short_record(&mut self, sought: &Sought) -> Result<&mut Record, Error> {
        self.record_of(sought, &[])
    }

    /// Walks from the word's first slot to its record. `long` is the word if it is a long one.
    fn record_of(&mut self, sought: &Sought, long: &[u8]) -> Result<&mut Record, Error> {
        let mask = self.slots.len() - 1;
        let mut at = sought.hash as usize & mask;
        // The table is never full, so an empty slot ends the walk.
        while let Some(&slot) = self.slots.get(at)
            && slot != 0
        {
            let index = slot as u32 as usize - 1;
            if (slot >> 32) as u32 == sought.hash && self.is(index, sought, long) {
                return self.records.get_mut(index).ok_or(Error::Full("terms"));
            }
            at = (at + 1) & mask;
        }
        self.insert(sought, long, at)
    }

    fn is(&self, index: usize, sought: &Sought, long: &[u8]) -> bool {
        self.records.get(index).is_some_and(|record| {
            if long.is_empty() {
                record.is(sought)
            } else {
                record.closed.tag == sought.tag && self.long(record) == long
            }
        })
    }

    fn long(&self, record: &Record) -> &[u8] {
        let [at, _] = record.word.map(|half| half as usize);
        self.arena.get(at..at + record.len()).unwrap_or_default()
    }

    #[cold]
    fn insert(&mut self, sought: &Sought, long: &[u8], at: usize) -> Result<&mut Record, Error> {
        let mut word = sought.word;
        if !long.is_empty() {
            word = [self.arena.len() as u64, 0];
            self.arena.extend_from_slice(long);
        }
        let index = self.records.len();
        let below = u32::try_from(index + 1).map_err(|_| Error::Full("2^32 terms"))?;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = u64::from(sought.hash) << 32 | u64::from(below);
        }
        let closed = Chain::tagged(sought.tag);
        self.records.push(Record {
            word,
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

    /// Appends a record's term to `out`.
    pub(crate) fn put_term(&self, record: &Record, out: &mut Vec<u8>) {
        out.push(record.space());
        if record.len() <= INLINE {
            let word = record.word.map(u64::to_le_bytes);
            let word = word.as_flattened().get(..record.len());
            out.extend_from_slice(word.unwrap_or_default());
        } else {
            out.extend_from_slice(self.long(record));
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
                    let (space, word) = term.split_first().unwrap();
                    let record = interner.record(*space, word).unwrap();
                    assert_eq!(record.frequency, round);
                    record.frequency += 1;
                }
            }
            assert_eq!(interner.records().len(), terms.len());
            let mut back = BTreeSet::new();
            for record in interner.records() {
                let mut term = Vec::new();
                interner.put_term(record, &mut term);
                back.insert(term);
            }
            assert_eq!(back, terms);
        }
    }

    #[test]
    fn terms_have_at_most_255_bytes() {
        let mut interner = Interner::new(HashKey::random());
        assert!(interner.record(b's', b"").is_ok());
        assert!(interner.record(b's', &[b'a'; 254]).is_ok());
        assert!(interner.record(b's', &[b'a'; 255]).is_err());
        assert_eq!(interner.records().len(), 2);
    }
}
