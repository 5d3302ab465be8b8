//! Bytes of a segment that were read and checked, kept for the next search: one of logs that stay open makes no system call
//! and computes no checksum for what an earlier one has read.
//!
//! They are held in memory of our own. A map of the file would be a fault of the process once somebody cuts the file short.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use crate::source::Section;

/// A segment keeps so many bytes, then begins anew.
const MOST: usize = 1 << 20;

/// Checked bytes.
pub(crate) enum Piece<'a> {
    /// The source's own.
    Lent(&'a [u8]),
    /// Read from it.
    Read(Arc<Vec<u8>>),
}

impl Deref for Piece<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Piece::Lent(bytes) => bytes,
            Piece::Read(bytes) => bytes,
        }
    }
}

/// Where bytes lie in a segment, and what they must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) section: Section,
    pub(crate) at: u64,
    pub(crate) len: u64,
    pub(crate) crc: u32,
}

/// The pieces that are kept.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// By where they begin. Those of other lengths and checksums are other pieces, which only a forged file has.
    pieces: HashMap<Beginning, (Place, Arc<Vec<u8>>), BuildHasherDefault<Mixed>>,
    bytes: usize,
}

/// Where a piece begins, and in which section.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Beginning(u64);

impl Place {
    fn beginning(&self) -> Beginning {
        Beginning(self.at << 1 | u64::from(self.section == Section::Postings))
    }
}

/// The hash of a [`Beginning`]. Which pieces are asked for, queries say, not the file: nobody can make many collide.
#[derive(Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 divided by the golden ratio: neighbours come to lie far apart.
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl Pieces {
    pub(crate) fn get(&self, place: &Place) -> Option<Arc<Vec<u8>>> {
        let kept = self.0.lock().ok()?;
        let (known, bytes) = kept.pieces.get(&place.beginning())?;
        (known == place).then(|| Arc::clone(bytes))
    }

    /// Keeps bytes whose checksum was compared.
    pub(crate) fn keep(&self, place: Place, bytes: Vec<u8>) -> Arc<Vec<u8>> {
        let bytes = Arc::new(bytes);
        if let Ok(mut kept) = self.0.lock()
            && bytes.len() <= MOST
        {
            if kept.bytes.saturating_add(bytes.len()) > MOST {
                *kept = Kept::default();
            }
            kept.bytes += bytes.len();
            let piece = (place, Arc::clone(&bytes));
            if let Some((_, other)) = kept.pieces.insert(place.beginning(), piece) {
                kept.bytes -= other.len();
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at: u64, len: u64) -> Place {
        Place {
            section: Section::Blocks,
            at,
            len,
            crc: 7,
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_of_its_place() {
        let pieces = Pieces::default();
        pieces.keep(place(0, 3), vec![1, 2, 3]);
        assert_eq!(pieces.get(&place(0, 3)).unwrap()[..], [1, 2, 3]);
        for other in [
            place(0, 2),
            place(1, 3),
            Place {
                crc: 8,
                ..place(0, 3)
            },
            Place {
                section: Section::Postings,
                ..place(0, 3)
            },
        ] {
            assert!(pieces.get(&other).is_none(), "{other:?}");
        }
        let half = MOST / 2;
        for at in 0..5 {
            pieces.keep(place(at, half as u64), vec![0; half]);
            let kept = pieces.0.lock().unwrap();
            let held: usize = kept.pieces.values().map(|(_, bytes)| bytes.len()).sum();
            assert!(held == kept.bytes && held <= MOST);
        }
        pieces.keep(place(9, MOST as u64 + 1), vec![0; MOST + 1]);
        assert!(pieces.get(&place(9, MOST as u64 + 1)).is_none());
    }
}
