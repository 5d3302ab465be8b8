//! A block of 64 bytes as bit masks: where runs and the pieces of names start and end is counted from bits instead of
//! looked for byte by byte, since a branch that is hard to predict at the end of every word is most of what a loop over
//! bytes costs. The vectors are those that every machine of a target has, so nothing is asked at run time.

use wide::u8x16;

pub(crate) const BLOCK: usize = 64;

/// The classes of a block's bytes, one bit a byte, the first lowest. What is in none of them separates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) lower: u64,
    pub(crate) upper: u64,
    pub(crate) digit: u64,
    /// `-` and `_`.
    pub(crate) join: u64,
    /// `_` alone.
    pub(crate) underscore: u64,
    /// Bytes of characters outside ASCII.
    pub(crate) wide: u64,
}

impl Block {
    pub(crate) fn new(bytes: &[u8; BLOCK]) -> Block {
        let is_within = |lane: u8x16, first: u8, last: u8| {
            let past_first = lane - u8x16::splat(first);
            past_first
                .min(u8x16::splat(last - first))
                .simd_eq(past_first)
        };
        let underscore = mask(bytes, |lane| lane.simd_eq(u8x16::splat(b'_')));
        Block {
            lower: mask(bytes, |lane| is_within(lane, b'a', b'z')),
            upper: mask(bytes, |lane| is_within(lane, b'A', b'Z')),
            digit: mask(bytes, |lane| is_within(lane, b'0', b'9')),
            join: mask(bytes, |lane| lane.simd_eq(u8x16::splat(b'-'))) | underscore,
            underscore,
            // Only the highest bit of each lane is looked at.
            wide: mask(bytes, |lane| lane),
        }
    }

    /// The bytes that may be of a run in ASCII.
    pub(crate) fn run(&self) -> u64 {
        self.lower | self.upper | self.digit | self.join
    }

    /// Of the run whose bits are `run`, where its pieces start: after a join, at a capital after a small letter or digit,
    /// and at the last of several capitals when a small letter follows it (`HTTPServer`: http, server).
    pub(crate) fn pieces(&self, run: u64) -> u64 {
        let letters = run & !self.join;
        let upper = run & self.upper;
        let after_small = upper & ((run & (self.lower | self.digit)) << 1);
        let last_capital = upper & (upper << 1) & ((run & self.lower) >> 1);
        let after_join = letters & !(letters << 1);
        after_join | after_small | last_capital
    }

    /// Whether two underscores stand on each side of the name at `start..end` of a run, as in `__init__`.
    pub(crate) fn is_dunder(&self, run: u64, start: u32, end: u32) -> bool {
        let run = run & self.underscore;
        start >= 2 && end + 2 <= u64::BITS && run >> (start - 2) & run >> end & 3 == 3
    }
}

/// The bits from this one on.
pub(crate) fn from_bit(bit: usize) -> u64 {
    let bit = u32::try_from(bit).unwrap_or(u32::MAX);
    u64::MAX.checked_shl(bit).unwrap_or(0)
}

/// A bit for each byte whose highest bit `of` sets.
#[inline(always)]
fn mask(bytes: &[u8; BLOCK], of: impl Fn(u8x16) -> u8x16) -> u64 {
    let mut packed = 0;
    for (place, lane) in bytes.as_chunks::<16>().0.iter().enumerate() {
        packed |= u64::from(of(u8x16::new(*lane)).to_bitmask()) << (16 * place);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_start_where_names_say() {
        let pieces = |name: &str| {
            let mut bytes = [0; BLOCK];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            let block = Block::new(&bytes);
            let starts = block.pieces(block.run());
            (0..BLOCK)
                .filter(|at| starts >> at & 1 == 1)
                .collect::<Vec<_>>()
        };
        assert_eq!(pieces("word"), [0]);
        assert_eq!(pieces("Word"), [0]);
        assert_eq!(pieces("WORD"), [0]);
        assert_eq!(pieces("HTTPServer"), [0, 4]);
        assert_eq!(pieces("_max__resultTokens-"), [1, 6, 12]);
        assert_eq!(pieces("A1B2c"), [0, 2]);
    }

    proptest! {
        #[test]
        fn every_bit_is_its_bytes_class(bytes in proptest::collection::vec(any::<u8>(), BLOCK)) {
            let block = Block::new(&bytes.clone().try_into().unwrap());
            for (place, b) in bytes.iter().enumerate() {
                let bit = |mask: u64| mask >> place & 1 == 1;
                prop_assert_eq!(bit(block.lower), b.is_ascii_lowercase());
                prop_assert_eq!(bit(block.upper), b.is_ascii_uppercase());
                prop_assert_eq!(bit(block.digit), b.is_ascii_digit());
                prop_assert_eq!(bit(block.join), matches!(b, b'-' | b'_'));
                prop_assert_eq!(bit(block.underscore), *b == b'_');
                prop_assert_eq!(bit(block.wide), !b.is_ascii());
            }
        }
    }
}
