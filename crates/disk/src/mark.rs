//! What a derived file begins with: its format's name, the version, and a checksum of both. Relies on the checksum to tell
//! a newer program's file, which is left as it is, from one whose version was damaged.

/// The beginning of a file of one format and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    bytes: [u8; Mark::BYTES],
}

/// Whose a file is, as its mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marked {
    /// It is of this format and version.
    Ours,
    /// An earlier program wrote it.
    Older,
    /// A later program wrote it: it is not to be written over.
    Newer,
    /// It is damaged, or of something else.
    Otherwise,
}

impl Mark {
    /// How many bytes it takes.
    pub const BYTES: usize = 12;

    /// The mark of a name whose last byte is the version, a digit.
    pub fn new(name: &[u8; 8]) -> Mark {
        let mut bytes = [0; Mark::BYTES];
        let (head, sum) = bytes.split_at_mut(name.len());
        head.copy_from_slice(name);
        sum.copy_from_slice(&crc32fast::hash(name).to_le_bytes());
        Mark { bytes }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; Mark::BYTES] {
        &self.bytes
    }

    /// What follows the mark, if `file` begins with it.
    pub fn strip<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        file.strip_prefix(&self.bytes)
    }

    /// Whose a file is that begins so.
    ///
    /// ```
    /// use memfold_disk::{Mark, Marked};
    ///
    /// let ours = Mark::new(b"memtail3");
    /// assert_eq!(ours.tell(Mark::new(b"memtail4").bytes()), Marked::Newer);
    /// assert_eq!(ours.tell(b"memtail4, its checksum damaged"), Marked::Otherwise);
    /// ```
    pub fn tell(&self, file: &[u8]) -> Marked {
        if self.strip(file).is_some() {
            return Marked::Ours;
        }
        let Some((name, rest)) = file.split_first_chunk::<8>() else {
            return Marked::Otherwise;
        };
        let [.., ours] = *self.name();
        let [.., version] = *name;
        let same = name.iter().zip(self.name()).take(7).all(|(a, b)| a == b);
        if !same || !version.is_ascii_digit() {
            return Marked::Otherwise;
        }
        match version.cmp(&ours) {
            // The first versions had no checksum here; whatever it is, it is made anew.
            std::cmp::Ordering::Less => Marked::Older,
            std::cmp::Ordering::Greater if rest.starts_with(&Mark::new(name).sum()) => {
                Marked::Newer
            }
            _ => Marked::Otherwise,
        }
    }

    fn name(&self) -> &[u8; 8] {
        self.bytes.first_chunk().unwrap_or(&[0; 8])
    }

    fn sum(&self) -> [u8; 4] {
        self.bytes.last_chunk().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_never_makes_a_newer_file() {
        let ours = Mark::new(b"memroll2");
        assert_eq!(ours.tell(ours.bytes()), Marked::Ours);
        for place in 0..Mark::BYTES {
            for bit in 0..8 {
                let mut bytes = *ours.bytes();
                bytes[place] ^= 1 << bit;
                let told = ours.tell(&bytes);
                assert!(
                    !matches!(told, Marked::Ours | Marked::Newer),
                    "{place} {bit}"
                );
            }
        }
    }

    #[test]
    fn versions_are_ordered_and_names_are_not() {
        let ours = Mark::new(b"memroll2");
        for (name, told) in [
            (b"memroll1", Marked::Older),
            (b"memroll3", Marked::Newer),
            (b"memroll9", Marked::Newer),
            (b"memtail3", Marked::Otherwise),
            (b"memrollx", Marked::Otherwise),
        ] {
            assert_eq!(ours.tell(Mark::new(name).bytes()), told);
        }
        for short in [&b""[..], b"memroll", b"memroll2"] {
            assert_eq!(ours.tell(short), Marked::Otherwise);
        }
    }
}
