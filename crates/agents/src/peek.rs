//! A first look at a line, to tell whose log it is: its keys and short strings, two levels deep, up to where it breaks off.

use std::borrow::Cow;
use std::fmt;

use memfold_log::repair;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use crate::json::{Key, otherwise};

/// What was seen of a line before its end or its first fault.
#[derive(Debug, Default)]
pub(crate) struct Peek {
    keys: Vec<String>,
    texts: Vec<(String, String)>,
}

/// Longer strings tell nothing of whose a log is.
const LONGEST: usize = 64;

impl Peek {
    /// Looks at a line, which may be cut short. Where it needs mending to be read, it is looked at as mended.
    pub(crate) fn at(line: &[u8]) -> Peek {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let (peek, whole) = Peek::into(line);
        if whole {
            return peek;
        }
        match repair::json(line) {
            Cow::Owned(mended) => Peek::into(mended.as_bytes()).0,
            Cow::Borrowed(_) => peek,
        }
    }

    /// What is seen of a line, and whether that is all of it: what was seen before a fault counts.
    fn into(line: &[u8]) -> (Peek, bool) {
        let mut peek = Peek::default();
        let look = Look {
            below: "",
            peek: &mut peek,
        };
        let whole = look
            .deserialize(&mut serde_json::Deserializer::from_slice(line))
            .is_ok();
        (peek, whole)
    }

    /// The line has this key; `message.content` is a key of the object under `message`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|seen| seen == key)
    }

    /// The short string under a key, else an empty one.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.texts
            .iter()
            .find(|(seen, _)| seen == key)
            .map_or("", |(_, text)| text)
    }
}

struct Look<'p> {
    below: &'p str,
    peek: &'p mut Peek,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if text.len() <= LONGEST {
            self.peek
                .texts
                .push((self.below.to_owned(), text.to_owned()));
        }
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = object.next_key()? {
            let path = if self.below.is_empty() {
                key.into_owned()
            } else {
                format!("{}.{key}", self.below)
            };
            self.peek.keys.push(path.clone());
            if self.below.is_empty() {
                object.next_value_seed(Look {
                    below: &path,
                    peek: &mut *self.peek,
                })?;
            } else {
                object.next_value_seed(Leaf {
                    path,
                    peek: &mut *self.peek,
                })?;
            }
        }
        Ok(())
    }
    otherwise!(@scalars);
    otherwise!(@list);
}

/// A value at the second level: its string, or nothing.
struct Leaf<'p> {
    path: String,
    peek: &'p mut Peek,
}

impl<'de> DeserializeSeed<'de> for Leaf<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Leaf<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if text.len() <= LONGEST {
            self.peek.texts.push((self.path, text.to_owned()));
        }
        Ok(())
    }
    otherwise!(@scalars);
    otherwise!(@list);
    otherwise!(@object);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_two_levels() {
        let peek =
            Peek::at(br#"{"type":"user","message":{"role":"user","content":[{"x":1}]},"n":3}"#);
        assert!(peek.has("message.content") && peek.has("n") && !peek.has("x"));
        assert_eq!(
            (peek.text("type"), peek.text("message.role"), peek.text("n")),
            ("user", "user", "")
        );
    }

    #[test]
    fn a_cut_line_shows_what_it_has() {
        let peek = Peek::at(
            br#"{"type":"session_meta","payload":{"id":"a","base_instructions":{"text":"You are"#,
        );
        assert_eq!(peek.text("payload.id"), "a");
        assert!(!Peek::at(b"\0\0\0").has("type"));
    }

    #[test]
    fn a_line_that_needs_mending_shows_what_it_has() {
        let lone_surrogate = br#"{"message":{"content":"\ud800"},"type":"user"}"#;
        let not_utf8 = b"{\"message\":{\"content\":\"\xff\"},\"type\":\"user\",\"cut";
        for line in [&lone_surrogate[..], not_utf8] {
            assert_eq!(Peek::at(line).text("type"), "user");
        }
    }
}
