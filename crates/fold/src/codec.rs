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
    let (record, used) = decoded.map_err(|error| FoldError::Decode(error.to_string()))?;
    match bytes.len().checked_sub(used) {
        Some(0) => Ok(record),
        rest => Err(FoldError::TrailingBytes(rest.unwrap_or(0))),
    }
}
