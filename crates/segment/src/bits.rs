//! 128 numbers in the fewest bits that hold the greatest of them. 128 numbers of `w` bits fill exactly
//! `16 w` bytes, so no bit is left over.

/// How many numbers are packed together.
pub(crate) const LANE: usize = 128;

/// The bits that the greatest number needs.
pub(crate) fn width(values: &[u32; LANE]) -> u32 {
    32 - values
        .iter()
        .fold(0, |all, value| all | value)
        .leading_zeros()
}

/// The bytes that `LANE` numbers of `width` bits fill.
pub(crate) fn packed_len(width: u32) -> usize {
    width as usize * (LANE / 8)
}

/// Appends the numbers, lowest bits first. None may need more than `width` bits.
pub(crate) fn pack(values: &[u32; LANE], width: u32, out: &mut Vec<u8>) {
    let mut bits = 0u64;
    let mut filled = 0;
    for &value in values {
        bits |= u64::from(value) << filled;
        filled += width;
        if filled >= 32 {
            out.extend_from_slice(&(bits as u32).to_le_bytes());
            bits >>= 32;
            filled -= 32;
        }
    }
}

/// Numbers that fill whole words together: 32 of `w` bits make `w` words.
const GROUP: usize = 32;

/// The inverse of [`pack`]. `bytes` has the length that [`packed_len`] says; what is missing reads as 0.
pub(crate) fn unpack(bytes: &[u8], width: u32, values: &mut [u32; LANE]) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                $($width => unpack_as::<$width>(bytes, values),)*
                _ => *values = [0; LANE],
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

/// Knowing the width, the compiler knows where each number lies: nothing is left but loads and shifts.
fn unpack_as<const WIDTH: usize>(bytes: &[u8], values: &mut [u32; LANE]) {
    let (words, _) = bytes.as_chunks::<4>();
    let (groups, _) = words.as_chunks::<WIDTH>();
    let (parts, _) = values.as_chunks_mut::<GROUP>();
    for (at, part) in parts.iter_mut().enumerate() {
        let words = groups.get(at).copied().unwrap_or([[0; 4]; WIDTH]);
        macro_rules! numbers {
            ($($number:literal)*) => {
                *part = [$(number::<WIDTH, $number>(&words)),*]
            };
        }
        // Written out: left to itself, the compiler makes a loop of it, with a branch that nobody can foretell.
        numbers!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
}

#[inline(always)]
fn number<const WIDTH: usize, const NUMBER: usize>(words: &[[u8; 4]; WIDTH]) -> u32 {
    let word = |at: usize| words.get(at).map_or(0, |word| u32::from_le_bytes(*word));
    let (at, bit) = (NUMBER * WIDTH / 32, NUMBER * WIDTH % 32);
    // A number's rest is in the next word.
    let rest = match bit + WIDTH > 32 {
        true => word(at + 1) << (32 - bit),
        false => 0,
    };
    (word(at) >> bit | rest) & u32::MAX >> (32 - WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_number_takes_the_lowest_bits() {
        let mut values = [0; LANE];
        (values[0], values[1], values[2]) = (5, 2, 7);
        assert_eq!(width(&values), 3);
        let mut out = Vec::new();
        pack(&values, 3, &mut out);
        assert_eq!(out.len(), packed_len(3));
        assert_eq!(out[..2], [0b1101_0101, 0b1]);
    }

    proptest! {
        #[test]
        fn unpack_undoes_pack(seed in proptest::collection::vec(any::<u32>(), LANE), shift in 0u32..=32) {
            let mut values = [0; LANE];
            for (value, any) in values.iter_mut().zip(&seed) {
                *value = any.checked_shr(shift).unwrap_or(0);
            }
            for width in width(&values)..=32 {
                let mut out = Vec::new();
                pack(&values, width, &mut out);
                prop_assert_eq!(out.len(), packed_len(width));
                let mut back = [1; LANE];
                unpack(&out, width, &mut back);
                prop_assert_eq!(back, values);
            }
        }
    }
}
