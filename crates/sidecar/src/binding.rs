//! What binds a sidecar to its log: SHA-256 of each block of the covered prefix, and a root over them, so that a growing
//! log rehashes only its last block and a rewrite is located. Relies on the caller to feed a log's bytes in order.

use std::io::{self, ErrorKind, Read};

use sha2::{Digest, Sha256};

use crate::bytes::Bytes;

/// The length of a block: every block of a log's text but the last is this long.
pub const BLOCK: u64 = 1 << 20;

/// What the root's hash begins with, so that it is never taken for the hash of something else.
const ROOT_DOMAIN: &[u8] = b"memfold log root 1\n";

/// How much is hashed at a time: what a core's own cache holds.
const PIECE: usize = 64 << 10;

/// How sure it is that a log's prefix is the one that a sidecar covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The file system says that the file is the one proved before. A hint, never proof by itself.
    Stat,
    /// The first and the last block were hashed: see [`Binding::edge`].
    Edge,
    /// Every block was hashed: see [`Binding::full`].
    Full,
}

/// What a look at a log's bytes showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The bytes looked at are those that were bound.
    Same,
    /// The first block, from 0, that is not.
    Differs {
        /// Its number.
        block: u64,
    },
    /// The log ends before the covered prefix does; what it has of whole blocks is the same.
    Short {
        /// The log's length.
        length: u64,
    },
}

/// The covered prefix of a log, by its hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The length of the prefix.
    pub covered: u64,
    /// SHA-256 of each block of the prefix; the last may be shorter than [`BLOCK`].
    pub blocks: Vec<[u8; 32]>,
    /// SHA-256 over a domain tag, the length and the blocks' hashes.
    pub root: [u8; 32],
}

impl Binding {
    /// The binding of a prefix by the hashes of its blocks; nothing if they are not as many as its length takes.
    pub fn new(covered: u64, blocks: Vec<[u8; 32]>) -> Option<Binding> {
        if u64::try_from(blocks.len()).ok()? != covered.div_ceil(BLOCK) {
            return None;
        }
        let mut hash = Sha256::new();
        hash.update(ROOT_DOMAIN);
        hash.update(covered.to_le_bytes());
        for block in &blocks {
            hash.update(block);
        }
        Some(Binding {
            covered,
            blocks,
            root: hash.finalize().into(),
        })
    }

    /// Hashes the whole covered prefix, which is the start of what `log` gives. Stops at the first block that differs.
    ///
    /// # Errors
    /// If `log` cannot be read.
    pub fn full(&self, mut log: impl Read) -> io::Result<Proof> {
        let mut piece = vec![0; PIECE];
        for (number, expected) in (0u64..).zip(&self.blocks) {
            let start = number.saturating_mul(BLOCK);
            let length = self.covered.saturating_sub(start).min(BLOCK);
            let mut hash = Sha256::new();
            let mut left = length;
            while left > 0 {
                let most = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
                let read = match log.read(piece.get_mut(..most).unwrap_or_default()) {
                    Ok(0) => {
                        return Ok(Proof::Short {
                            length: start.saturating_add(length.saturating_sub(left)),
                        });
                    }
                    Ok(read) => read.min(most),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                hash.update(piece.get(..read).unwrap_or_default());
                left = left.saturating_sub(u64::try_from(read).unwrap_or(left));
            }
            if <[u8; 32]>::from(hash.finalize()) != *expected {
                return Ok(Proof::Differs { block: number });
            }
        }
        Ok(Proof::Same)
    }

    /// Hashes the first and the last block of the covered prefix only: tells a log that was replaced or cut and has grown
    /// again, and no rewrite in between.
    ///
    /// # Errors
    /// If `log` cannot be read.
    pub fn edge(&self, log: &impl Bytes) -> io::Result<Proof> {
        if log.length() < self.covered {
            return Ok(Proof::Short {
                length: log.length(),
            });
        }
        let last = u64::try_from(self.blocks.len())
            .unwrap_or(0)
            .saturating_sub(1);
        for (number, expected) in (0u64..).zip(&self.blocks) {
            if number != 0 && number != last {
                continue;
            }
            let start = number.saturating_mul(BLOCK);
            let length = self.covered.saturating_sub(start).min(BLOCK);
            let block = log.read_at(start, usize::try_from(length).unwrap_or(0))?;
            if <[u8; 32]>::from(Sha256::digest(&block)) != *expected {
                return Ok(Proof::Differs { block: number });
            }
        }
        Ok(Proof::Same)
    }
}

/// Hashes a log as it is framed, and gives the binding of any prefix that was marked, without a second reading.
///
/// ```
/// use memfold_sidecar::binding::{Binder, Proof};
///
/// let mut binder = Binder::new();
/// binder.line_start();
/// binder.feed(b"one\n");
/// binder.mark_here();
/// binder.line_start();
/// binder.feed(b"two\n");
/// let binding = binder.binding();
/// assert_eq!(binding.covered, 4);
/// assert_eq!(binding.full(&b"one\nother"[..]).unwrap(), Proof::Same);
/// ```
#[derive(Clone, Debug)]
pub struct Binder {
    /// Hashes of the blocks that are full.
    blocks: Vec<[u8; 32]>,
    here: Mark,
    line: Mark,
    covered: Mark,
}

/// A place in the log, with the hash of its block so far.
#[derive(Clone, Debug)]
struct Mark {
    position: u64,
    block: Sha256,
}

impl Default for Binder {
    fn default() -> Binder {
        Binder::new()
    }
}

impl Binder {
    /// A binder at a log's start.
    pub fn new() -> Binder {
        Binder::at(0, Vec::new())
    }

    /// A binder that goes on from a binding's last full block. The caller feeds the log's bytes from
    /// [`Binder::position`]; where it comes to `binding.covered`, it can prove the last block by
    /// [`Binder::mark_here`] and `binder.binding() == *binding`.
    pub fn resume(binding: &Binding) -> Binder {
        let full = binding.covered / BLOCK;
        let blocks: Vec<_> = binding
            .blocks
            .iter()
            .copied()
            .take(usize::try_from(full).unwrap_or(usize::MAX))
            .collect();
        let position = u64::try_from(blocks.len())
            .unwrap_or(0)
            .saturating_mul(BLOCK);
        Binder::at(position, blocks)
    }

    fn at(position: u64, blocks: Vec<[u8; 32]>) -> Binder {
        let here = Mark {
            position,
            block: Sha256::new(),
        };
        Binder {
            blocks,
            line: here.clone(),
            covered: here.clone(),
            here,
        }
    }

    /// How much of the log has been fed: where the next bytes are from.
    pub fn position(&self) -> u64 {
        self.here.position
    }

    /// Takes the log's next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = BLOCK - self.here.position % BLOCK;
            let (now, later) = bytes
                .split_at_checked(usize::try_from(room).unwrap_or(usize::MAX))
                .unwrap_or((bytes, &[]));
            self.here.block.update(now);
            self.here.position = self
                .here
                .position
                .saturating_add(u64::try_from(now.len()).unwrap_or(0));
            if self.here.position.is_multiple_of(BLOCK) {
                self.blocks.push(self.here.block.finalize_reset().into());
            }
            bytes = later;
        }
    }

    /// Remembers this place as the start of the next line.
    pub fn line_start(&mut self) {
        self.line = self.here.clone();
    }

    /// The covered prefix ends where the present line starts.
    pub fn mark_start(&mut self) {
        self.covered = self.line.clone();
    }

    /// The covered prefix ends here.
    pub fn mark_here(&mut self) {
        self.covered = self.here.clone();
    }

    /// The binding of the marked prefix (at first an empty one; after [`Binder::resume`], the full blocks).
    pub fn binding(&self) -> Binding {
        let covered = self.covered.position;
        let full = usize::try_from(covered / BLOCK).unwrap_or(usize::MAX);
        let mut blocks: Vec<_> = self.blocks.iter().copied().take(full).collect();
        if !covered.is_multiple_of(BLOCK) {
            blocks.push(self.covered.block.clone().finalize().into());
        }
        // As many blocks as the length takes, by construction.
        Binding::new(covered, blocks).unwrap_or(Binding {
            covered: 0,
            blocks: Vec::new(),
            root: [0; 32],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(length: usize) -> Vec<u8> {
        (0..length).map(|n| (n * 31 % 251) as u8).collect()
    }

    /// The binding of a prefix, the long way.
    fn plain(prefix: &[u8]) -> Binding {
        let blocks: Vec<_> = prefix
            .chunks(BLOCK as usize)
            .map(|block| Sha256::digest(block).into())
            .collect();
        Binding::new(prefix.len() as u64, blocks).unwrap()
    }

    #[test]
    fn marks_bind_what_was_fed_before_them() {
        let text = log(3 * BLOCK as usize + 17);
        for cut in [
            0,
            1,
            BLOCK as usize - 1,
            BLOCK as usize,
            BLOCK as usize + 1,
            3 * BLOCK as usize,
            text.len(),
        ] {
            let mut binder = Binder::new();
            binder.feed(&text[..cut]);
            binder.line_start();
            binder.feed(&text[cut..]);
            binder.mark_start();
            assert_eq!(binder.binding(), plain(&text[..cut]), "{cut}");
            binder.mark_here();
            assert_eq!(binder.binding(), plain(&text));
        }
    }

    #[test]
    fn a_difference_is_located() {
        let text = log(3 * BLOCK as usize + 17);
        let binding = plain(&text);
        assert_eq!(binding.full(&text[..]).unwrap(), Proof::Same);
        assert_eq!(binding.edge(&text.as_slice()).unwrap(), Proof::Same);
        for (at, block, seen_at_edge) in [
            (0, 0, true),
            (BLOCK as usize, 1, false),
            (text.len() - 1, 3, true),
        ] {
            let mut other = text.clone();
            other[at] ^= 1;
            assert_eq!(binding.full(&other[..]).unwrap(), Proof::Differs { block });
            let edge = if seen_at_edge {
                Proof::Differs { block }
            } else {
                Proof::Same
            };
            assert_eq!(binding.edge(&other.as_slice()).unwrap(), edge);
        }
        let cut = &text[..BLOCK as usize + 5];
        assert_eq!(
            binding.full(cut).unwrap(),
            Proof::Short { length: BLOCK + 5 }
        );
        assert_eq!(
            binding.edge(&cut).unwrap(),
            Proof::Short { length: BLOCK + 5 }
        );
    }

    #[test]
    fn the_length_is_bound() {
        let mut blocks = plain(b"abc").blocks;
        assert_ne!(
            Binding::new(2, blocks.clone()).unwrap().root,
            plain(b"abc").root
        );
        blocks.push([0; 32]);
        assert_eq!(Binding::new(3, blocks), None);
        assert_eq!(Binding::new(u64::MAX, Vec::new()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn however_it_is_fed_and_resumed(
            length in 0usize..(2 * BLOCK as usize + 99),
            covered in 0usize..(2 * BLOCK as usize + 99),
            step in 1usize..300_000,
        ) {
            let text = log(length);
            let covered = covered.min(length);
            let bound = plain(&text[..covered]);
            let mut binder = Binder::resume(&bound);
            let from = binder.position() as usize;
            prop_assert!(from <= covered && covered - from < BLOCK as usize);
            binder.feed(&text[from..covered]);
            binder.mark_here();
            prop_assert_eq!(binder.binding(), bound);
            for piece in text[covered..].chunks(step) {
                binder.line_start();
                binder.feed(piece);
            }
            binder.mark_here();
            prop_assert_eq!(binder.binding(), plain(&text));
        }
    }
}
