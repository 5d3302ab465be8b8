//! Flat records as bytes: bincode with fixed-width little-endian integers, bounded, and consumed to the last byte.
//! The one room in which bincode is called.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::{Decode, Encode};

use crate::FoldError;

/// The most bytes that one record or group of records may take, encoded.
pub const LIMIT: usize = 64 << 20;

/// Little-endian, fixed-width integers, and no more memory claimed than `CLAIM` bytes.
fn configuration<const CLAIM: usize>() -> Configuration<LittleEndian, Fixint, Limit<CLAIM>> {
    bincode::config::standard()
        .with_fixed_int_encoding()
        .with_limit::<CLAIM>()
}

/// A record's bytes.
///
/// # Errors
/// If the record is larger than [`LIMIT`].
pub fn encode<T: Encode>(record: &T) -> Result<Vec<u8>, FoldError> {
    bincode::encode_to_vec(record, configuration::<LIMIT>())
        .map_err(|error| FoldError::Encode(error.to_string()))
}

/// The record that `bytes` hold, all of them. Claims at most a fixed multiple of the bytes' own length in memory,
/// whatever counts they hold: a record takes at most eight times its encoded size (a list of empty lists, the worst).
///
/// # Errors
/// If the bytes are not such a record, or hold more than it.
pub fn decode<T: Decode<()>>(bytes: &[u8]) -> Result<T, FoldError> {
    let (record, used) = decode_first(bytes)?;
    match bytes.len().checked_sub(used) {
        Some(0) => Ok(record),
        rest => Err(FoldError::TrailingBytes(rest.unwrap_or(0))),
    }
}

/// The record at `place`, from 0, of a list of `count` records that `bytes` hold. Those after it are not looked at.
///
/// # Errors
/// If the bytes are not such a list as far as that record, or there is none.
pub fn decode_one<T: Decode<()>>(bytes: &[u8], count: u64, place: usize) -> Result<T, FoldError> {
    let none = |what: &str| FoldError::Decode(what.to_owned());
    let (counted, mut rest) = bytes
        .split_first_chunk()
        .ok_or_else(|| none("no count of records"))?;
    if u64::from_le_bytes(*counted) != count || u64::try_from(place).is_ok_and(|at| at >= count) {
        return Err(none("another count of records"));
    }
    for _ in 0..place {
        let (_, used) = decode_first::<T>(rest)?;
        rest = rest.get(used..).unwrap_or_default();
    }
    Ok(decode_first(rest)?.0)
}

/// The record that `bytes` begin with, and how many of them it takes.
fn decode_first<T: Decode<()>>(bytes: &[u8]) -> Result<(T, usize), FoldError> {
    // bincode takes its limit as a constant, so the claim is the next of a few sizes.
    let decoded = match bytes.len() {
        0..=0x400 => bincode::decode_from_slice(bytes, configuration::<0x2000>()),
        0x401..=0x4000 => bincode::decode_from_slice(bytes, configuration::<0x2_0000>()),
        0x4001..=0x4_0000 => bincode::decode_from_slice(bytes, configuration::<0x20_0000>()),
        0x4_0001..=0x40_0000 => bincode::decode_from_slice(bytes, configuration::<0x200_0000>()),
        0x40_0001..=LIMIT => bincode::decode_from_slice(bytes, configuration::<{ LIMIT * 8 }>()),
        larger => {
            return Err(FoldError::Decode(format!(
                "{larger} bytes are more than a record takes"
            )));
        }
    };
    decoded.map_err(|error| FoldError::Decode(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_of_a_list() {
        let list: Vec<(u32, String)> = vec![
            (1, "one".to_owned()),
            (2, String::new()),
            (3, "three".to_owned()),
        ];
        let bytes = encode(&list).unwrap();
        for (place, record) in list.iter().enumerate() {
            let one: (u32, String) = decode_one(&bytes, 3, place).unwrap();
            assert_eq!(one, *record);
        }
        assert!(decode_one::<(u32, String)>(&bytes, 3, 3).is_err());
        assert!(decode_one::<(u32, String)>(&bytes, 2, 0).is_err());
        assert!(decode_one::<(u32, String)>(&bytes[..7], 3, 0).is_err());
        assert!(decode_one::<(u32, String)>(&bytes[..bytes.len() - 1], 3, 2).is_err());
    }
}
