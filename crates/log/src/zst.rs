//! Reads a zstd-compressed log as a stream, in bounded memory, and tells a frame that is cut from one that is damaged.

use std::io::{self, BufReader, ErrorKind, Read};

use zstd::stream::read::Decoder;

/// A window of 128 MiB at most, which is also what the `zstd` command accepts unless told otherwise. A frame's header asks
/// for its window; one that asks for more is refused rather than believed.
const WINDOW_LOG_MAX: u32 = 27;

/// The decompressed bytes of a zstd stream: any number of frames, one after another.
///
/// What precedes a fault is returned first; then comes an [`io::Error`] that holds a [`ZstdError`].
///
/// ```
/// use std::io::Read;
/// use memfold_log::Unzstd;
///
/// let packed = zstd::encode_all(&b"{\"n\":1}\n"[..], 3)?;
/// let mut text = String::new();
/// Unzstd::new(&packed[..])?.read_to_string(&mut text)?;
/// assert_eq!(text, "{\"n\":1}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Unzstd<R: Read> {
    decoder: Decoder<'static, BufReader<R>>,
}

impl<R: Read> Unzstd<R> {
    /// Reads nothing yet.
    pub fn new(reader: R) -> io::Result<Unzstd<R>> {
        let mut decoder = Decoder::new(reader)?;
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        Ok(Unzstd { decoder })
    }
}

impl<R: Read> Read for Unzstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(into).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => io::Error::new(ErrorKind::UnexpectedEof, ZstdError::Cut),
            // The decoder's own errors are of this kind; all others come from the reader below.
            ErrorKind::Other if error.raw_os_error().is_none() => io::Error::new(
                ErrorKind::InvalidData,
                ZstdError::Damaged(error.to_string()),
            ),
            _ => error,
        })
    }
}

/// Why a zstd stream could not be read on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZstdError {
    /// It ends inside a frame.
    #[error("the zstd frame is cut short")]
    Cut,
    /// It is no zstd stream, is damaged, or wants a window of more than 128 MiB. With what the decoder says.
    #[error("the zstd frame cannot be decoded: {0}")]
    Damaged(String),
}

impl ZstdError {
    /// The fault that a reader's error is about, if it is about one.
    pub fn within(error: &io::Error) -> Option<&ZstdError> {
        error.get_ref()?.downcast_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Lines, Position};

    /// Lines that do not compress to nothing, so that frames have several blocks.
    fn log(lines: u32) -> String {
        let mut state = 7u32;
        (0..lines)
            .map(|n| {
                let words: Vec<String> = (0..20)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        format!("{state:08x}")
                    })
                    .collect();
                format!("{{\"n\":{n},\"t\":\"{}\"}}\n", words.join(" "))
            })
            .collect()
    }

    fn read(packed: &[u8]) -> (Vec<u8>, Option<Error>) {
        let mut lines = Lines::to_end(Unzstd::new(packed).unwrap(), Position::START);
        let mut text = Vec::new();
        loop {
            match lines.next(&mut |_| {}) {
                Ok(Some(line)) => {
                    text.extend_from_slice(line.text().unwrap_or_default());
                    text.push(b'\n');
                }
                Ok(None) => return (text, None),
                Err(error) => {
                    assert!(
                        matches!(lines.next(&mut |_| {}), Ok(None)),
                        "nothing after an error"
                    );
                    return (text, Some(error));
                }
            }
        }
    }

    #[test]
    fn frames_one_after_another_and_skippable_ones() {
        let (first, second) = (log(300), log(40));
        let mut packed = zstd::encode_all(first.as_bytes(), 3).unwrap();
        packed.extend_from_slice(&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, b'x', b'y', b'z']);
        packed.extend(zstd::encode_all(second.as_bytes(), 19).unwrap());
        let (text, error) = read(&packed);
        assert!(error.is_none());
        assert_eq!(text, (first + &second).into_bytes());
    }

    #[test]
    fn a_cut_frame_gives_what_was_whole_and_says_so() {
        let text = log(20_000);
        let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
        for cut in [
            0,
            3,
            10,
            packed.len() / 3,
            packed.len() / 2,
            packed.len() - 5,
            packed.len() - 1,
        ] {
            let (seen, error) = read(&packed[..cut]);
            assert!(text.as_bytes().starts_with(&seen), "cut at {cut}");
            assert_eq!(
                error.as_ref().and_then(Error::compression),
                Some(&ZstdError::Cut),
                "cut at {cut}"
            );
            if cut > packed.len() / 3 {
                assert!(
                    seen.len() > text.len() / 5,
                    "cut at {cut}: {} of {}",
                    seen.len(),
                    text.len()
                );
            }
        }
    }

    #[test]
    fn damage_is_told_from_a_cut() {
        let (seen, error) = read(b"{\"n\":1}\n");
        assert!(seen.is_empty());
        assert!(matches!(
            error.as_ref().and_then(Error::compression),
            Some(ZstdError::Damaged(_))
        ));

        let mut packed = zstd::encode_all(log(10).as_bytes(), 3).unwrap();
        packed.extend_from_slice(b"not a frame");
        let (seen, error) = read(&packed);
        assert_eq!(seen, log(10).into_bytes());
        assert!(matches!(
            error.as_ref().and_then(Error::compression),
            Some(ZstdError::Damaged(_))
        ));
    }

    #[test]
    fn a_window_that_is_too_large_is_refused() {
        // A frame header that asks for a window of 2 GiB: exponent 21.
        let packed = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 0x01, 0x00, 0x00];
        let (_, error) = read(&packed);
        assert!(
            matches!(
                error.as_ref().and_then(Error::compression),
                Some(ZstdError::Damaged(_))
            ),
            "{error:?}"
        );
    }

    #[test]
    fn a_readers_own_error_stays_its_own() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::PermissionDenied.into())
            }
        }
        let mut lines = Lines::to_end(Unzstd::new(Broken).unwrap(), Position::START);
        let error = lines.next(&mut |_| {}).unwrap_err();
        assert!(error.compression().is_none());
        assert!(
            matches!(error, Error::Read { source, .. } if source.kind() == ErrorKind::PermissionDenied)
        );
    }
}
