//! Little-endian fields taken from the front of a slice.

/// The next `N` bytes, or nothing where fewer are left.
pub(crate) fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (field, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*field)
}

/// The next `u32`.
pub(crate) fn u32(bytes: &mut &[u8]) -> Option<u32> {
    array(bytes).map(u32::from_le_bytes)
}

/// The next `u64`.
pub(crate) fn u64(bytes: &mut &[u8]) -> Option<u64> {
    array(bytes).map(u64::from_le_bytes)
}
