//! The full check: every byte, every rule of `formats/segment.md`. A segment that passes has the bytes
//! that a writer of its documents writes.

use crate::MAX_QUANTITY;
use crate::error::Error;
use crate::reader::Reader;
use crate::source::{Section, Source};

/// What a sound segment holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Documents.
    pub documents: u32,
    /// Different terms.
    pub terms: u32,
    /// Pairs of a term and a document that holds it.
    pub postings: u64,
    /// Terms whose lists lie in a section of their own.
    pub long_lists: u32,
    /// The sum of the documents' lengths.
    pub total_length: u64,
}

impl<S: Source> Reader<S> {
    /// Reads every byte and checks every rule.
    ///
    /// # Errors
    /// The first fault found.
    pub fn verify(&self) -> Result<Stats, Error> {
        let lengths = self.lengths()?;
        lengths.verify(self.total_length())?;
        let mut sums = vec![0u64; lengths.iter().len()];
        let mut stats = Stats {
            documents: self.documents(),
            total_length: self.total_length(),
            ..Stats::default()
        };
        let mut postings = Vec::new();
        let mut entries = self.entries()?;
        while entries.next(&mut postings)?.is_some() {
            stats.terms += 1;
            stats.postings += postings.len() as u64;
            for posting in &postings {
                if let Some(sum) = sums.get_mut(posting.doc.0 as usize) {
                    *sum += u64::from(posting.frequency);
                }
            }
        }
        stats.long_lists = entries.long_lists();
        for (doc, (sum, length)) in sums.into_iter().zip(lengths.iter()).enumerate() {
            if sum.min(u64::from(MAX_QUANTITY)) != u64::from(length) {
                let (section, at) = (Section::Lengths, doc as u64);
                return Err(Error::Damaged {
                    section,
                    at,
                    what: "a length that is not the sum of the frequencies",
                });
            }
        }
        Ok(stats)
    }
}
