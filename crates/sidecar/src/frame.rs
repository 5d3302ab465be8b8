//! Bytes in one zstd frame, or as they are where a frame would gain nothing or would grow too far when it is read.
//! Relies on the caller to hold the two lengths and the checksum; contexts are kept per thread.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

use memfold_fold::codec;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe;

/// zstd's own default: the higher levels gain under 2% on groups of this size.
const LEVEL: i32 = 3;
/// A frame may grow to this many times its own length, and [`GROWTH_ALLOWANCE`] more.
const GROWTH: usize = 256;
/// What a frame may hold however small it is.
const GROWTH_ALLOWANCE: usize = 4096;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The most that `stored` bytes may hold.
fn most(stored: usize) -> usize {
    stored
        .saturating_mul(GROWTH)
        .saturating_add(GROWTH_ALLOWANCE)
        .min(codec::LIMIT)
}

/// The bytes as they are stored: shorter than `raw`, or equal to it.
pub(crate) fn pack(raw: &[u8]) -> io::Result<Cow<'_, [u8]>> {
    let frame = COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(LEVEL)?),
        };
        compressor.compress(raw)
    })?;
    Ok(
        if frame.len() < raw.len() && raw.len() <= most(frame.len()) {
            Cow::Owned(frame)
        } else {
            Cow::Borrowed(raw)
        },
    )
}

/// The `length` bytes that `stored` holds. Nothing is allocated for a length that `stored` cannot justify.
pub(crate) fn unpack(stored: Cow<'_, [u8]>, length: usize) -> Result<Cow<'_, [u8]>, String> {
    if stored.len() == length {
        return Ok(stored);
    }
    if stored.len() > length || length > most(stored.len()) {
        return Err(format!("{} bytes are said to hold {length}", stored.len()));
    }
    // Without this, zstd would take several frames, or none, for one.
    if zstd_safe::find_frame_compressed_size(&stored) != Ok(stored.len()) {
        return Err("not one whole frame".to_owned());
    }
    let raw = DECOMPRESSOR
        .with_borrow_mut(|kept| {
            let decompressor = match kept {
                Some(decompressor) => decompressor,
                None => kept.insert(Decompressor::new()?),
            };
            let mut raw = Vec::with_capacity(length);
            decompressor.decompress_to_buffer(&stored, &mut raw)?;
            Ok::<_, io::Error>(raw)
        })
        .map_err(|error| format!("a frame cannot be unpacked: {error}"))?;
    if raw.len() == length {
        Ok(Cow::Owned(raw))
    } else {
        Err(format!("{} bytes where {length} should be", raw.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_does_not_shrink_is_stored_as_it_is() {
        assert_eq!(pack(b"").unwrap(), Cow::Borrowed(b""));
        assert_eq!(pack(b"short").unwrap(), Cow::Borrowed(b"short"));
        let text = b"once more and once more and once more and once more ".repeat(20);
        let packed = pack(&text).unwrap().into_owned();
        assert!(packed.len() < text.len());
        assert_eq!(unpack(packed.into(), text.len()).unwrap(), text);
    }

    #[test]
    fn what_shrinks_too_far_is_stored_as_it_is() {
        let zeroes = vec![0; 4 << 20];
        assert_eq!(pack(&zeroes).unwrap().len(), zeroes.len());
        let frame = zstd::bulk::compress(&zeroes, LEVEL).unwrap();
        assert!(
            unpack(frame.into(), zeroes.len())
                .unwrap_err()
                .contains("said to hold")
        );
    }

    #[test]
    fn one_frame_and_nothing_else() {
        let text = b"again and again and again and again and again and again".repeat(9);
        let frame = zstd::bulk::compress(&text, LEVEL).unwrap();
        assert_eq!(unpack(frame.clone().into(), text.len()).unwrap(), text);
        assert!(unpack(frame.clone().into(), text.len() + 1).is_err());
        assert!(unpack(frame.clone().into(), text.len() - 1).is_err());
        assert!(unpack(frame.repeat(2).into(), text.len() * 2).is_err());
        let skippable = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0];
        assert!(unpack([&skippable[..], &frame].concat().into(), text.len()).is_err());
    }

    proptest! {
        #[test]
        fn there_and_back(raw in proptest::collection::vec(0u8..4, 0..5000)) {
            let packed = pack(&raw).unwrap().into_owned();
            prop_assert!(packed.len() <= raw.len());
            prop_assert_eq!(unpack(packed.into(), raw.len()).unwrap(), raw);
        }

        #[test]
        fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), length in 0usize..10_000) {
            let mut framed = vec![0x28, 0xB5, 0x2F, 0xFD];
            framed.extend(bytes);
            let stored = framed.len();
            if let Ok(raw) = unpack(framed.into(), length) {
                prop_assert!(raw.len() == length && length <= most(stored));
            }
        }
    }
}
