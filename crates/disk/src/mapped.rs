//! The one map, and the one `unsafe`: a temporary file that this process has just written, looked at
//! before it gets its name. Relies on [`Temporary`] being made by `create_new` alone. No log and no
//! published file is ever mapped.
#![allow(unsafe_code)]

use std::io;

use memmap2::MmapOptions;

use crate::temporary::Temporary;

/// Shows `look` the `len` bytes of a temporary file, which must be all that it holds.
pub(crate) fn with_bytes<R>(
    temporary: &Temporary<'_>,
    len: u64,
    look: impl FnOnce(&[u8]) -> R,
) -> io::Result<R> {
    // Beyond the end of a file a map has nothing behind it: SIGBUS.
    if temporary.stat()?.identity.size != len {
        return Err(io::Error::other(
            "another program changed it while it was being written",
        ));
    }
    let len = usize::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    // SAFETY: the bytes of a map must not change, nor the file become shorter, while the map lives.
    // - The map lives until `look` returns, and `look` gets no more than a shared slice.
    // - This process writes the file only through `Sink`, which borrows `Temporary` and is gone.
    // - No other process has it open: it was made with O_EXCL under a random name, mode 0600, and
    //   memfold never opens a file of that pattern. A sweep may remove its name; that leaves the
    //   bytes where they are. To change them, another process of this user would have to look for
    //   the name and write to it on purpose; such a one can as well write to our memory.
    // - It is synced before it is mapped, so every block it needs has been given to it.
    let map = unsafe { MmapOptions::new().len(len).map(temporary.file()) }?;
    Ok(look(&map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::Folder;
    use crate::testing::folder;
    use std::io::Write;

    #[test]
    fn shows_what_was_written_and_nothing_of_another_length() {
        let place = folder();
        let folder = Folder::open(place.path()).unwrap();
        let temporary = Temporary::create(&folder).unwrap();
        assert_eq!(with_bytes(&temporary, 0, <[u8]>::len).unwrap(), 0);
        temporary.file().write_all(b"abc").unwrap();
        assert_eq!(with_bytes(&temporary, 3, <[u8]>::to_vec).unwrap(), b"abc");
        assert!(with_bytes(&temporary, 2, <[u8]>::len).is_err());
        assert!(with_bytes(&temporary, 4, <[u8]>::len).is_err());
    }
}
