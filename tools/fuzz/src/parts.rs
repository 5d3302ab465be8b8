//! A file in parts: cut at a mark, so that bytes put in or taken out move nothing in the other parts.

use memchr::memmem;

/// What stands between two parts.
pub const MARK: &[u8] = b"-8<-";

/// The parts, one at least.
pub fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut from = 0;
    for at in memmem::find_iter(bytes, MARK) {
        parts.push(&bytes[from..at]);
        from = at + MARK.len();
    }
    parts.push(&bytes[from..]);
    parts
}

/// One input of these parts.
pub fn join(parts: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().map(AsRef::as_ref).collect();
    assert!(
        parts.iter().all(|part| memmem::find(part, MARK).is_none()),
        "a part holds the mark"
    );
    parts.join(MARK)
}

/// A part as a section of its own; an empty one where there is none.
pub(crate) fn section(parts: &[&[u8]], number: usize) -> Vec<u8> {
    parts.get(number).copied().unwrap_or_default().to_vec()
}

/// The bytes from `at` on, `N` of them; zeros where there are none.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    let held = bytes.get(at..).unwrap_or_default();
    array
        .iter_mut()
        .zip(held)
        .for_each(|(byte, of)| *byte = *of);
    array
}
