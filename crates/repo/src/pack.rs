//! A pack: the words of contents, each once, whichever trees and paths have it. Immutable; named by its bytes. `formats/repository.md`
//! is its page.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use memfold_segment::{Encoded, Part, Reader, Section, Source, merge};
use sha2::{Digest, Sha256};

use crate::RepoError;
use crate::content::{ContentHash, Counted, Lines, WordCounter};
use crate::sections::{Input, Magic, ReadAt, Sections, Store, encode};

pub(crate) const MAGIC: &Magic = b"mempack1";

/// A row for each content, ascending by hash: the hash, its first document, how many it has.
const CONTENTS: usize = 0;
/// The lines of each document: first and last.
const LINES: usize = 1;
const WORDS: [(Section, usize); 4] = [
    (Section::Terms, 2),
    (Section::Blocks, 3),
    (Section::Postings, 4),
    (Section::Lengths, 5),
];
pub(crate) const SECTIONS: usize = 6;
const CONTENT: usize = 40;
const LINE: usize = 8;

fn number_of(section: Section) -> usize {
    let row = WORDS.iter().find(|(of, _)| *of == section);
    row.map_or(SECTIONS, |(_, number)| *number)
}

/// Where a content's chunks are in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) content: ContentHash,
    pub(crate) first: u32,
    pub(crate) chunks: u32,
}

/// A pack that is made.
#[derive(Default)]
pub(crate) struct PackBuilder {
    words: WordCounter,
    contents: Vec<Place>,
    lines: Vec<Lines>,
}

impl PackBuilder {
    /// Adds a content that is in no pack yet. `redacted` is what it is the hash of.
    pub(crate) fn add(
        &mut self,
        content: ContentHash,
        redacted: &str,
    ) -> Result<Counted, RepoError> {
        let first = self.words.documents();
        let counted = self.words.add_text(redacted)?;
        self.contents.push(Place {
            content,
            first,
            chunks: self.words.documents() - first,
        });
        self.lines.extend_from_slice(&counted.lines);
        Ok(counted)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// The pack's bytes.
    pub(crate) fn finish(self) -> Result<Vec<u8>, RepoError> {
        let words = self.words.encode()?;
        Ok(bytes_of(self.contents, &self.lines, &words))
    }
}

pub(crate) fn bytes_of(mut contents: Vec<Place>, lines: &[Lines], words: &Encoded) -> Vec<u8> {
    contents.sort_unstable_by_key(|place| place.content);
    let mut rows = Vec::with_capacity(contents.len() * CONTENT);
    for place in &contents {
        rows.extend_from_slice(&place.content.0);
        rows.extend_from_slice(&place.first.to_le_bytes());
        rows.extend_from_slice(&place.chunks.to_le_bytes());
    }
    let mut ends = Vec::with_capacity(lines.len() * LINE);
    for lines in lines {
        ends.extend_from_slice(&lines.start.to_le_bytes());
        ends.extend_from_slice(&lines.end.to_le_bytes());
    }
    encode(
        MAGIC,
        [
            &rows,
            &ends,
            &words.terms,
            &words.blocks,
            &words.postings,
            &words.lengths,
        ],
    )
}

/// A pack's name, by its bytes.
pub(crate) fn name_of(bytes: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let name: String = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    name + ".pack"
}

/// An open pack.
pub(crate) struct Pack<B = Store> {
    sections: Arc<Sections<B, SECTIONS>>,
    contents: Vec<Place>,
    first: FirstBits,
    pub(crate) words: Reader<PackWords<B>>,
}

impl<B: ReadAt> Pack<B> {
    pub(crate) fn open(bytes: B) -> Result<Pack<B>, RepoError> {
        let sections = Arc::new(Sections::open(bytes, MAGIC)?);
        let words = Reader::open(PackWords(Arc::clone(&sections)))?;
        let documents = words.documents();
        if sections.length(LINES) != u64::from(documents) * LINE as u64 {
            return Err(RepoError::Damaged("lines of other documents"));
        }
        let contents = places(&sections.section(CONTENTS)?, documents)?;
        Ok(Pack {
            sections,
            first: FirstBits::of(&contents),
            contents,
            words,
        })
    }

    /// Where a content is, if it is here.
    pub(crate) fn find(&self, content: &ContentHash) -> Option<Place> {
        self.contents.get(self.number(content)?).copied()
    }

    /// Its place among the contents.
    pub(crate) fn number(&self, content: &ContentHash) -> Option<usize> {
        let range = self.first.range(content);
        let alike = self.contents.get(range.clone())?;
        let at = alike.binary_search_by(|place| place.content.cmp(content));
        at.ok()?.checked_add(range.start)
    }

    /// Where its bytes are.
    pub(crate) fn store(&self) -> &B {
        self.sections.bytes()
    }

    pub(crate) fn contents(&self) -> &[Place] {
        &self.contents
    }

    /// The lines of every document.
    pub(crate) fn lines(&self) -> Result<Vec<Lines>, RepoError> {
        let rows = self.line_rows()?;
        let documents = 0..self.words.documents();
        Ok(documents.filter_map(|document| rows.at(document)).collect())
    }

    /// The same, for whoever asks for those of a few.
    pub(crate) fn line_rows(&self) -> Result<LineRows<'_>, RepoError> {
        self.sections.section(LINES).map(LineRows)
    }

    /// Checks every byte, and every rule of the words.
    pub(crate) fn verify(&self) -> Result<(), RepoError> {
        self.lines()?;
        apart(&self.contents)?;
        (0..SECTIONS).try_for_each(|number| self.sections.section(number).map(drop))?;
        self.words.verify()?;
        Ok(())
    }
}

/// The lines of documents, as a pack has them.
pub(crate) struct LineRows<'p>(Cow<'p, [u8]>);

impl LineRows<'_> {
    /// Those of a document, if there is one of that number.
    pub(crate) fn at(&self, document: u32) -> Option<Lines> {
        let (rows, _) = self.0.as_chunks::<LINE>();
        let mut input = Input(rows.get(document as usize)?);
        Some(Lines {
            start: input.u32().ok()?,
            end: input.u32().ok()?,
        })
    }
}

/// Where the contents begin that have the same first bits: hashes are as good as random, so a few have, however many there
/// are. Every file of a tree is looked for at every search.
#[derive(Debug)]
struct FirstBits {
    bits: u32,
    /// For each value of the bits the number of the first content that has no lower one, and at the end how many there are.
    starts: Vec<usize>,
}

impl FirstBits {
    fn of(contents: &[Place]) -> FirstBits {
        let bits = contents
            .len()
            .checked_ilog2()
            .unwrap_or(0)
            .min(u64::BITS / 2);
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (number, place) in contents.iter().enumerate() {
            let value = first_bits(&place.content, bits);
            while starts.len() <= value {
                starts.push(number);
            }
        }
        starts.resize((1 << bits) + 1, contents.len());
        FirstBits { bits, starts }
    }

    fn range(&self, content: &ContentHash) -> Range<usize> {
        let value = first_bits(content, self.bits);
        let at = |value| self.starts.get(value).copied().unwrap_or(0);
        at(value)..at(value.saturating_add(1))
    }
}

fn first_bits(content: &ContentHash, bits: u32) -> usize {
    let first = content.0.first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(first)
        .checked_shr(u64::BITS - bits)
        .map_or(0, |value| usize::try_from(value).unwrap_or(usize::MAX))
}

fn places(rows: &[u8], documents: u32) -> Result<Vec<Place>, RepoError> {
    let (rows, rest) = rows.as_chunks::<CONTENT>();
    let mut places: Vec<Place> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut input = Input(row);
        let place = Place {
            content: ContentHash(input.array()?),
            first: input.u32()?,
            chunks: input.u32()?,
        };
        let ends = place.first.checked_add(place.chunks);
        let ascends = places
            .last()
            .is_none_or(|last| last.content < place.content);
        if !ascends || ends.is_none_or(|end| end > documents) {
            return Err(RepoError::Damaged("a content out of its place"));
        }
        places.push(place);
    }
    match rest.is_empty() {
        true => Ok(places),
        false => Err(RepoError::Damaged("a content that ends too early")),
    }
}

/// Whether no two contents have a chunk in common. A search need not ask: it would find one file less.
fn apart(contents: &[Place]) -> Result<(), RepoError> {
    let mut ranges: Vec<Range<u32>> = contents
        .iter()
        .map(|place| place.first..place.first.saturating_add(place.chunks))
        .filter(|range| !range.is_empty())
        .collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let overlap = |pair: &[Range<u32>]| matches!(pair, [one, other] if one.end > other.start);
    match ranges.windows(2).any(overlap) {
        true => Err(RepoError::Damaged("a chunk of two contents")),
        false => Ok(()),
    }
}

/// One pack of several, with the contents that are to be kept. Of one that several have, the first one's words are taken.
pub(crate) fn merged<B: ReadAt>(
    packs: &[&Pack<B>],
    kept: &dyn Fn(&ContentHash) -> bool,
) -> Result<Vec<u8>, RepoError> {
    let mut contents = Vec::new();
    let mut lines = Vec::new();
    let mut live: Vec<Vec<bool>> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut first = 0u32;
    for pack in packs {
        let documents = pack.words.documents();
        let mut counts = vec![false; documents as usize];
        for place in pack.contents() {
            if kept(&place.content) && known.insert(place.content) {
                contents.push(Place {
                    first: first.saturating_add(place.first),
                    ..*place
                });
                let range = place.first as usize..(place.first as usize + place.chunks as usize);
                counts
                    .get_mut(range)
                    .into_iter()
                    .flatten()
                    .for_each(|counts| *counts = true);
            }
        }
        lines.extend(pack.lines()?);
        live.push(counts);
        first = first
            .checked_add(documents)
            .ok_or(RepoError::TooLarge("2^32 chunks"))?;
    }
    let parts: Vec<Part<'_, PackWords<B>>> = packs
        .iter()
        .zip(&live)
        .map(|(pack, live)| Part {
            segment: &pack.words,
            live: Some(live),
        })
        .collect();
    Ok(bytes_of(contents, &lines, &merge(&parts)?))
}

/// Checks a pack's bytes.
pub(crate) fn verify_bytes(bytes: &[u8]) -> Result<(), RepoError> {
    Pack::open(bytes)?.verify()
}

/// The words of a pack, as a segment reads them.
#[derive(Debug)]
pub(crate) struct PackWords<B>(Arc<Sections<B, SECTIONS>>);

impl<B: ReadAt> Source for PackWords<B> {
    fn read(&self, section: Section, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        self.0.part(number_of(section), at, len)
    }

    fn len(&self, section: Section) -> u64 {
        self.0.length(number_of(section))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content() -> impl Strategy<Value = ContentHash> {
        // Few first bytes, so that many are alike, as no hash would be.
        let hash = (prop::array::uniform2(0u8..3), any::<[u8; 30]>());
        hash.prop_map(|(first, rest)| {
            let mut hash = [0; 32];
            hash[..2].copy_from_slice(&first);
            hash[2..].copy_from_slice(&rest);
            ContentHash(hash)
        })
    }

    proptest! {
        #[test]
        fn first_bits_lead_to_all_that_have_them(
            own in prop_oneof![
                prop::collection::btree_set(content(), 0..40),
                prop::collection::btree_set(any::<[u8; 32]>().prop_map(ContentHash), 0..40),
            ],
            other in content(),
        ) {
            let places: Vec<Place> = own.iter().map(|content| Place { content: *content, first: 0, chunks: 1 }).collect();
            let first = FirstBits::of(&places);
            prop_assert!(first.starts.len() <= 2 * places.len().max(1));
            for (number, content) in own.iter().enumerate() {
                prop_assert!(first.range(content).contains(&number));
            }
            prop_assert!(places.get(first.range(&other)).is_some());
        }
    }

    #[test]
    fn a_chunk_of_two_contents_is_damage() {
        let place = |content, first, chunks| Place {
            content: ContentHash([content; 32]),
            first,
            chunks,
        };
        for (places, sound) in [
            (vec![place(1, 1, 2), place(2, 0, 1), place(3, 1, 0)], true),
            (vec![place(1, 1, 2), place(2, 2, 1)], false),
            (vec![place(1, 0, 3), place(2, 1, 1)], false),
        ] {
            assert_eq!(apart(&places).is_ok(), sound, "{places:?}");
        }
    }
}
