//! A JSON string's content: where it ends, which escapes it has, what it says.

use memchr::memchr;
use wide::u8x16;

/// Which of the next bytes of a string's content do not stand for themselves, the first one the lowest bit, and how many
/// were looked at: 32 where there are so many.
#[inline]
pub(super) fn specials(content: &[u8]) -> (u32, usize) {
    let special = |lane: &[u8; 16]| {
        let lane = u8x16::new(*lane);
        let control = lane.min(u8x16::splat(0x1f)).simd_eq(lane);
        let marks = lane.simd_eq(u8x16::splat(b'"')) | lane.simd_eq(u8x16::splat(b'\\'));
        (control | marks).to_bitmask()
    };
    let block = content.first_chunk::<32>().map(|block| block.as_chunks().0);
    if let Some([low, high]) = block {
        return (special(low) | special(high) << 16, 32);
    }
    let is_special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    let rest = content.iter().take(32);
    let length = rest.len();
    (
        rest.rev()
            .fold(0, |found, byte| found << 1 | u32::from(is_special(byte))),
        length,
    )
}

/// The length of the escape at the start of `text`, if it is one.
pub(super) fn escape(text: &[u8]) -> Option<usize> {
    match text {
        [
            b'\\',
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
            ..,
        ] => Some(2),
        [b'\\', b'u', hex @ ..] => {
            let hex = hex.first_chunk::<4>()?;
            hex.iter().all(u8::is_ascii_hexdigit).then_some(6)
        }
        _ => None,
    }
}

/// A string's content, whose escapes [`escape`] knows, without them; nothing if half a surrogate pair is among them.
pub(super) fn unescaped(content: &str) -> Option<String> {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    loop {
        let run = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (run, escape) = rest.split_at_checked(run)?;
        out.push_str(run);
        let (length, letter) = match escape.as_bytes() {
            [] => return Some(out),
            [_, b'n', ..] => (2, '\n'),
            [_, b't', ..] => (2, '\t'),
            [_, b'r', ..] => (2, '\r'),
            [_, b'b', ..] => (2, '\u{8}'),
            [_, b'f', ..] => (2, '\u{c}'),
            [_, b'u', ..] => match unit(escape)? {
                high @ 0xd800..0xdc00 => {
                    let low @ 0xdc00..0xe000 = unit(escape.get(6..)?)? else {
                        return None;
                    };
                    let letter = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (12, char::from_u32(letter)?)
                }
                unit => (6, char::from_u32(unit)?),
            },
            [_, itself, ..] => (2, char::from(*itself)),
            [_] => return None,
        };
        out.push(letter);
        rest = escape.get(length..)?;
    }
}

/// The number in a `\uXXXX`.
fn unit(escape: &str) -> Option<u32> {
    let hex = escape.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(hex, 16).ok()
}
