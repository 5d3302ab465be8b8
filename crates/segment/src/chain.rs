//! Many byte strings that grow at once, in one arena: each a chain of chunks of doubling size, so that
//! a string of one posting costs 8 bytes and one of a million costs no copying. (Lucene's and tantivy's
//! in-memory postings are kept alike.)
//!
//! A full chunk's last four bytes move to the next chunk, and the place of that chunk takes theirs.

use crate::error::Error;

/// Chunks have `8 << level` bytes.
const FIRST: usize = 8;
const LAST_LEVEL: u8 = 8;
const LINK: usize = 4;
/// The bits of [`Chain::room`] that count bytes.
const LEFT: u16 = 0xfff;

/// One string. The default is the empty one, without a chunk.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chain {
    /// Where the first chunk begins; 0 if there is none.
    head: u32,
    /// Where the next byte goes.
    tail: u32,
    /// The bytes left in the last chunk, at most `8 << 8`, and its level in the four bits above.
    room: u16,
    /// Bytes of the owner's, which would else be padding.
    pub(crate) tag: [u8; 2],
}

impl Chain {
    pub(crate) fn tagged(tag: [u8; 2]) -> Self {
        Self {
            tag,
            ..Self::default()
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head == 0
    }

    #[inline(always)]
    pub(crate) fn has_room_for_two(&self) -> bool {
        self.left() >= 2
    }

    #[inline(always)]
    fn left(&self) -> u16 {
        self.room & LEFT
    }
}

#[derive(Debug)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
}

impl Arena {
    pub(crate) fn new() -> Self {
        // No chunk begins at 0.
        Self {
            bytes: vec![0; LINK],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.truncate(LINK);
    }

    /// Appends to a chain of this arena.
    #[inline]
    pub(crate) fn append(&mut self, chain: &mut Chain, data: &[u8]) -> Result<(), Error> {
        let tail = chain.tail as usize;
        if data.len() <= usize::from(chain.left())
            && let Some(place) = self.bytes.get_mut(tail..tail + data.len())
        {
            place.copy_from_slice(data);
            chain.tail += data.len() as u32;
            chain.room -= data.len() as u16;
            return Ok(());
        }
        self.append_across(chain, data)
    }

    /// Appends the first `len` of two bytes to a chain that has room for both.
    #[inline(always)]
    pub(crate) fn append_small(&mut self, chain: &mut Chain, bytes: [u8; 2], len: u8) {
        let tail = chain.tail as usize;
        if let Some(place) = self.bytes.get_mut(tail..tail + 2) {
            place.copy_from_slice(&bytes);
            chain.tail += u32::from(len);
            chain.room -= u16::from(len);
        }
    }

    fn append_across(&mut self, chain: &mut Chain, data: &[u8]) -> Result<(), Error> {
        for &byte in data {
            if chain.left() == 0 {
                self.grow(chain)?;
            }
            if let Some(place) = self.bytes.get_mut(chain.tail as usize) {
                *place = byte;
            }
            chain.tail += 1;
            chain.room -= 1;
        }
        Ok(())
    }

    fn grow(&mut self, chain: &mut Chain) -> Result<(), Error> {
        let level = if chain.is_empty() {
            0
        } else {
            (chain.room >> LEFT.count_ones()) as u8 + 1
        }
        .min(LAST_LEVEL);
        let room = |left: usize| u16::from(level) << LEFT.count_ones() | left as u16;
        let size = FIRST << level;
        let start = self.bytes.len();
        let place = u32::try_from(start + size).map_err(|_| Error::Full("4 GiB of postings"))?
            - size as u32;
        self.bytes.resize(start + size, 0);
        if chain.is_empty() {
            *chain = Chain {
                head: place,
                tail: place,
                room: room(size),
                tag: chain.tag,
            };
            return Ok(());
        }
        let end = chain.tail as usize;
        self.bytes.copy_within(end - LINK..end, start);
        if let Some(link) = self.bytes.get_mut(end - LINK..end) {
            link.copy_from_slice(&place.to_le_bytes());
        }
        *chain = Chain {
            tail: place + LINK as u32,
            room: room(size - LINK),
            ..*chain
        };
        Ok(())
    }

    /// Appends the bytes of a chain to `out`.
    pub(crate) fn read(&self, chain: &Chain, out: &mut Vec<u8>) {
        let (mut at, tail) = (chain.head as usize, chain.tail as usize);
        let mut level = 0;
        while at != 0 {
            let end = at + (FIRST << level);
            // Later chunks lie higher, and the first four bytes of one are never free.
            if (at..=end).contains(&tail) {
                return out.extend_from_slice(self.bytes.get(at..tail).unwrap_or_default());
            }
            out.extend_from_slice(self.bytes.get(at..end - LINK).unwrap_or_default());
            let link = self
                .bytes
                .get(end - LINK..end)
                .and_then(|link| link.first_chunk());
            at = link.map_or(0, |link| u32::from_le_bytes(*link) as usize);
            level = (level + 1).min(LAST_LEVEL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_record_wastes_nothing() {
        assert_eq!(size_of::<Chain>(), 12);
    }

    proptest! {
        #[test]
        fn chains_keep_apart(pieces in proptest::collection::vec((0usize..5, proptest::collection::vec(any::<u8>(), 1..12)), 0..2000)) {
            let mut arena = Arena::new();
            let mut chains = [Chain::default(); 5];
            let mut plain = vec![Vec::new(); 5];
            for (which, piece) in &pieces {
                arena.append(&mut chains[*which], piece).unwrap();
                plain[*which].extend_from_slice(piece);
            }
            for (chain, plain) in chains.iter().zip(&plain) {
                let mut out = Vec::new();
                arena.read(chain, &mut out);
                prop_assert_eq!(&out, plain);
            }
        }
    }
}
