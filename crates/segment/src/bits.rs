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

/// The inverse of [`pack`]. `bytes` has the length that [`packed_len`] says; what is missing reads as 0.
pub(crate) fn unpack(bytes: &[u8], width: u32, values: &mut [u32; LANE]) {
    let mut words = bytes.as_chunks::<4>().0.iter();
    let mask = (1u64 << width) - 1;
    let mut bits = 0u64;
    let mut filled = 0;
    for value in values {
        if filled < width {
            let word = words.next().map_or(0, |word| u32::from_le_bytes(*word));
            bits |= u64::from(word) << filled;
            filled += 32;
        }
        *value = (bits & mask) as u32;
        bits >>= width;
        filled -= width;
    }
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
