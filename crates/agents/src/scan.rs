//! JSON by a scan of our own, at several times the speed of serde_json's: most of a line is skipped, or is one long string,
//! and both are a search for the next quote. It gives what serde_json gives or nothing: where a text is odd in any way,
//! serde_json reads it again and decides.

mod string;

use std::fmt;
use std::ops::Range;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use self::string::{escape, specials, unescaped};

/// Reads a value that is the whole of `json`.
///
/// # Errors
/// If serde_json has one.
pub(crate) fn read<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Result<T, serde_json::Error> {
    match scanned(json) {
        Some(value) => Ok(value),
        None => serde_json::from_slice(json),
    }
}

/// The value, unless there is any doubt.
fn scanned<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Option<T> {
    // Checked once for all strings: each is then a slice of the text.
    let text = simdutf8::basic::from_utf8(json).ok()?;
    let mut scan = Scan { text, at: 0 };
    let value = T::deserialize(&mut scan).ok()?;
    scan.peek().is_none().then_some(value)
}

/// The text is not what the scan knows for sure. serde_json can tell what it is.
#[derive(Debug)]
struct Doubt;

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not sure")
    }
}

impl std::error::Error for Doubt {}

impl de::Error for Doubt {
    fn custom<T: fmt::Display>(_: T) -> Doubt {
        Doubt
    }
}

/// Deeper lists and objects are not skipped here: one bit each says which of the two is open.
const DEEPEST: u32 = u64::BITS;
/// Longer numbers may not fit.
const DIGITS: usize = 18;

/// A scan under way.
struct Scan<'de> {
    text: &'de str,
    at: usize,
}

impl<'de> Scan<'de> {
    fn rest(&self) -> &'de [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.rest().first() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                next => return next.copied(),
            }
        }
    }

    /// Passes over a byte that must be the next.
    fn expect(&mut self, byte: u8) -> Result<(), Doubt> {
        if self.peek() != Some(byte) {
            return Err(Doubt);
        }
        self.at += 1;
        Ok(())
    }

    /// Passes over a string, and gives the place of its content and whether that has escapes.
    fn string(&mut self) -> Result<(Range<usize>, bool), Doubt> {
        self.expect(b'"')?;
        let start = self.at;
        let mut has_escapes = false;
        loop {
            // A block is looked at once, however many escapes it has.
            let block = self.rest();
            let (mut found, length) = specials(block);
            let mut next = length;
            while found != 0 {
                let place = found.trailing_zeros() as usize;
                let special = block.get(place..).unwrap_or_default();
                if special.first() == Some(&b'"') {
                    let end = self.at + place;
                    self.at = end + 1;
                    return Ok((start..end, has_escapes));
                }
                has_escapes = true;
                let past = place + escape(special).ok_or(Doubt)?;
                found &= u32::MAX.checked_shl(past as u32).unwrap_or(0);
                next = next.max(past);
            }
            if next == 0 {
                return Err(Doubt);
            }
            self.at += next;
        }
    }

    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Doubt> {
        let (place, has_escapes) = self.string()?;
        let content = self.text.get(place).ok_or(Doubt)?;
        if has_escapes {
            visitor.visit_string(unescaped(content).ok_or(Doubt)?)
        } else {
            visitor.visit_borrowed_str(content)
        }
    }

    /// Passes over a number.
    fn number(&mut self) -> Result<&'de str, Doubt> {
        let start = self.at;
        self.at += usize::from(self.rest().first() == Some(&b'-'));
        let starts_with_zero = self.rest().first() == Some(&b'0');
        if self.digits()? > 1 && starts_with_zero {
            return Err(Doubt);
        }
        if self.rest().first() == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let [b'e' | b'E', ..] = self.rest() {
            self.at += 1;
            self.at += usize::from(matches!(self.rest(), [b'+' | b'-', ..]));
            self.digits()?;
        }
        self.text.get(start..self.at).ok_or(Doubt)
    }

    fn digits(&mut self) -> Result<usize, Doubt> {
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        let digits = self.rest().iter().take_while(is_digit).count();
        self.at += digits;
        if digits > 0 { Ok(digits) } else { Err(Doubt) }
    }

    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Doubt> {
        let number = self.number()?;
        let is_whole = !number.contains(['.', 'e', 'E']) && number != "-0";
        if number.len() > DIGITS {
            return Err(Doubt);
        }
        if !is_whole {
            let number: f64 = number.parse().map_err(|_| Doubt)?;
            // serde_json has an error for what does not fit.
            if !number.is_finite() {
                return Err(Doubt);
            }
            visitor.visit_f64(number)
        } else if number.starts_with('-') {
            visitor.visit_i64(number.parse().map_err(|_| Doubt)?)
        } else {
            visitor.visit_u64(number.parse().map_err(|_| Doubt)?)
        }
    }

    /// Passes over `true`, `false` or `null`.
    fn word(&mut self, word: &str) -> Result<(), Doubt> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(Doubt);
        }
        self.at += word.len();
        Ok(())
    }

    /// Passes over a key and its colon.
    fn key(&mut self) -> Result<(), Doubt> {
        self.string()?;
        self.expect(b':')
    }

    /// Passes over a value, however much it holds.
    fn skip(&mut self) -> Result<(), Doubt> {
        let (mut open, mut objects) = (0, 0u64);
        loop {
            match self.peek().ok_or(Doubt)? {
                b'"' => {
                    self.string()?;
                }
                bracket @ (b'{' | b'[') => {
                    if open == DEEPEST {
                        return Err(Doubt);
                    }
                    self.at += 1;
                    open += 1;
                    objects = objects << 1 | u64::from(bracket == b'{');
                    match self.peek() {
                        Some(b'}' | b']') => {}
                        _ if bracket == b'{' => {
                            self.key()?;
                            continue;
                        }
                        _ => continue,
                    }
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => {
                    self.number()?;
                }
            }
            // Past a value, or at what closes an empty list: on to the next one.
            loop {
                if open == 0 {
                    return Ok(());
                }
                let in_object = objects & 1 == 1;
                match (self.peek(), in_object) {
                    (Some(b','), _) => {
                        self.at += 1;
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        open -= 1;
                        objects >>= 1;
                    }
                    _ => return Err(Doubt),
                }
            }
        }
    }

    /// What follows in a list or an object: whether there is one more, which the scan is then at.
    fn next(&mut self, closing: u8, is_first: bool) -> Result<bool, Doubt> {
        match self.peek() {
            Some(byte) if byte == closing => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !is_first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if is_first => Ok(true),
            _ => Err(Doubt),
        }
    }
}

impl<'de> Deserializer<'de> for &mut Scan<'de> {
    type Error = Doubt;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        match self.peek().ok_or(Doubt)? {
            b'"' => self.visit_string(visitor),
            b'{' => {
                self.at += 1;
                let mut members = Within::new(self);
                let value = visitor.visit_map(&mut members)?;
                members.is_over.then_some(value).ok_or(Doubt)
            }
            b'[' => {
                self.at += 1;
                let mut elements = Within::new(self);
                let value = visitor.visit_seq(&mut elements)?;
                elements.is_over.then_some(value).ok_or(Doubt)
            }
            b't' => self.word("true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word("false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word("null").and_then(|()| visitor.visit_unit()),
            _ => self.visit_number(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        match self.peek() {
            Some(b'n') => self.word("null").and_then(|()| visitor.visit_none()),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Doubt> {
        self.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier
    }
}

/// Inside a list or an object.
struct Within<'s, 'de> {
    scan: &'s mut Scan<'de>,
    is_first: bool,
    is_over: bool,
}

impl<'s, 'de> Within<'s, 'de> {
    fn new(scan: &'s mut Scan<'de>) -> Self {
        Within {
            scan,
            is_first: true,
            is_over: false,
        }
    }

    fn next(&mut self, closing: u8) -> Result<bool, Doubt> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        self.is_over = !self.scan.next(closing, is_first)?;
        Ok(!self.is_over)
    }
}

impl<'de> MapAccess<'de> for &mut Within<'_, 'de> {
    type Error = Doubt;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Doubt> {
        if !self.next(b'}')? {
            return Ok(None);
        }
        if self.scan.peek() != Some(b'"') {
            return Err(Doubt);
        }
        seed.deserialize(&mut *self.scan).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Doubt> {
        self.scan.expect(b':')?;
        seed.deserialize(&mut *self.scan)
    }
}

impl<'de> SeqAccess<'de> for &mut Within<'_, 'de> {
    type Error = Doubt;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Doubt> {
        if !self.next(b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.scan).map(Some)
    }
}

#[cfg(test)]
mod tests;
