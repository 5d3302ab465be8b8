//! A bounded cursor over a section's bytes. Every decoder reads through it, so that no read can leave
//! the bytes at hand and every error says where it stopped.

use crate::error::Error;
use crate::source::Section;

pub(crate) struct Bytes<'a> {
    section: Section,
    /// Where in its section the bytes end.
    end: u64,
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(section: Section, at: u64, bytes: &'a [u8]) -> Self {
        Self {
            section,
            end: at.saturating_add(bytes.len() as u64),
            rest: bytes,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Where in its section the next byte lies.
    pub(crate) fn at(&self) -> u64 {
        self.end - self.rest.len() as u64
    }

    #[cold]
    pub(crate) fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged {
            section: self.section,
            at: self.at(),
            what,
        }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        match self.rest.split_at_checked(len) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(self.damaged("ends too early")),
        }
    }

    /// Passes over bytes that were seen in [`rest`](Self::rest).
    #[inline]
    pub(crate) fn pass(&mut self, len: usize) {
        self.rest = self.rest.get(len..).unwrap_or_default();
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                Ok(byte)
            }
            None => Err(self.damaged("ends too early")),
        }
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        match self.rest.split_first_chunk() {
            Some((&bytes, rest)) => {
                self.rest = rest;
                Ok(u32::from_le_bytes(bytes))
            }
            None => Err(self.damaged("ends too early")),
        }
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        let low = self.u32()?;
        let high = self.u32()?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    /// An LEB128 number in its shortest form; any other form is damage, or two encodings would mean one.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Error> {
        let first = self.u8()?;
        if first < 0x80 {
            Ok(u64::from(first))
        } else {
            self.long_varint(first)
        }
    }

    fn long_varint(&mut self, first: u8) -> Result<u64, Error> {
        let mut value = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(self.damaged("a number of more than 64 bits"));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return if byte == 0 {
                    Err(self.damaged("a number with a needless byte"))
                } else {
                    Ok(value)
                };
            }
            shift += 7;
            if shift > 63 {
                return Err(self.damaged("a number of more than 64 bits"));
            }
        }
    }
}

/// Appends `value` as LEB128.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<u64, Error> {
        Bytes::new(Section::Blocks, 0, bytes).varint()
    }

    #[test]
    fn known_numbers() {
        for (value, bytes) in [
            (0, &[0][..]),
            (127, &[127]),
            (128, &[0x80, 1]),
            (300, &[0xac, 2]),
            (u64::MAX, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        ] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(out, bytes);
            assert_eq!(read(bytes).unwrap(), value);
        }
    }

    #[test]
    fn rejects_long_forms_overflow_and_early_ends() {
        for bytes in [
            &[0x80, 0][..],
            &[0xff],
            &[],
            &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
            &[0x80; 11],
        ] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_that_are_read_are_the_shortest_form(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            let mut cursor = Bytes::new(Section::Blocks, 0, &bytes);
            if let Ok(value) = cursor.varint() {
                let mut out = Vec::new();
                put_varint(&mut out, value);
                prop_assert_eq!(&out[..], &bytes[..bytes.len() - cursor.rest.len()]);
            }
        }
    }
}
