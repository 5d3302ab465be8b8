//! A bare pass of serde_json over logs: every line into types that borrow its strings, the fields that hold text and no
//! others. The least that a program which reads these logs by serde_json does; what a peer is charged for reading is never
//! more than this (`building.rs`).

use std::borrow::Cow;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Result;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    payload: Option<Payload<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow)]
    arguments: Option<Cow<'a, str>>,
    #[serde(borrow)]
    output: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

/// A string or blocks: told by the first byte, since serde's untagged enums read everything twice.
struct Content<'a>(Option<Cow<'a, str>>, Vec<Block<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Content<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or blocks")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Self::Value, E> {
                Ok(Content(Some(Cow::Borrowed(text)), Vec::new()))
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Self::Value, E> {
                Ok(Content(Some(Cow::Owned(text.to_owned())), Vec::new()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut blocks: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(block) = blocks.next_element()? {
                    all.push(block);
                }
                Ok(Content(None, all))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Content<'_> {
    fn length(&self) -> usize {
        let blocks: usize = self.1.iter().map(Block::length).sum();
        self.0.as_ref().map_or(0, |text| text.len()) + blocks
    }
}

impl Block<'_> {
    fn length(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.len())
            + self.input.map_or(0, |input| input.get().len())
            + self.content.as_ref().map_or(0, Content::length)
    }
}

/// Parses all logs. Returns how long their texts are.
pub(crate) fn parse(logs: &[PathBuf]) -> Result<usize> {
    let mut length = 0;
    for log in logs {
        for line in fs::read(log)?.split(|byte| *byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else {
                continue;
            };
            let message = line.message.and_then(|message| message.content);
            length += message.as_ref().map_or(0, Content::length);
            if let Some(payload) = line.payload {
                let arguments = payload.arguments.as_ref().map_or(0, |text| text.len());
                let contents = [payload.content, payload.output];
                length += arguments
                    + contents
                        .iter()
                        .flatten()
                        .map(Content::length)
                        .sum::<usize>();
            }
        }
    }
    Ok(black_box(length))
}
