//! What was read of a file, with the state it was in when it was opened.

use memfold_disk::Identity;
use sha2::{Digest, Sha256};

use crate::path::TreePath;

/// A file's bytes, and which file it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// Its identity before the first byte was read: if it changed meanwhile, its identity now is another one.
    pub identity: Identity,
    /// Where it lies in the tree, if a link led there.
    pub led_to: Option<TreePath>,
}

/// Why bytes are no text to index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// There is a NUL near its beginning, as git tells binary files.
    Binary,
    /// It is not UTF-8.
    NotUtf8,
}

/// Where git looks for a NUL.
const LOOKED_AT: usize = 8000;

impl Content {
    /// Its text, if it is one.
    pub fn text(&self) -> Result<&str, NotText> {
        let beginning = self.bytes.get(..LOOKED_AT).unwrap_or(&self.bytes);
        if beginning.contains(&0) {
            return Err(NotText::Binary);
        }
        simdutf8::basic::from_utf8(&self.bytes).map_err(|_| NotText::NotUtf8)
    }

    /// The SHA-256 of its bytes as they lie on the disk.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf8_without_a_nul_near_its_beginning() {
        let content = |bytes: &[u8]| Content {
            bytes: bytes.to_vec(),
            identity: Identity {
                dev: 1,
                inode: 2,
                size: 3,
                mtime_ns: 4,
                ctime_ns: 5,
            },
            led_to: None,
        };
        assert_eq!(content("fn ä() {}".as_bytes()).text(), Ok("fn ä() {}"));
        assert_eq!(content(b"").text(), Ok(""));
        assert_eq!(content(b"a\0b").text(), Err(NotText::Binary));
        assert_eq!(content(b"a\xff").text(), Err(NotText::NotUtf8));
        let mut late = vec![b'a'; LOOKED_AT];
        late.push(0);
        assert!(content(&late).text().is_ok());
    }
}
