//! Finds where a JSON value ends, by its brackets and quotes alone.

use crate::clip::{End, until_quote};
use crate::framer::Record;

/// A JSON value as a record; it begins with the first byte given.
pub(crate) struct Value {
    depth: u64,
    place: Place,
}

enum Place {
    Start,
    Between,
    Within {
        escaped: bool,
    },
    /// A number, or a word.
    Scalar,
}

impl Value {
    pub(crate) fn new() -> Value {
        Value {
            depth: 0,
            place: Place::Start,
        }
    }
}

impl Record for Value {
    fn end(&mut self, fresh: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            let rest = fresh.get(at..).unwrap_or_default();
            let &first = rest.first()?;
            match self.place {
                Place::Start => {
                    at += 1;
                    self.place = match first {
                        b'{' | b'[' => {
                            self.depth = 1;
                            Place::Between
                        }
                        b'"' => Place::Within { escaped: false },
                        _ => Place::Scalar,
                    };
                }
                Place::Scalar => {
                    let ends = |byte: &u8| {
                        matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace()
                    };
                    return rest.iter().position(ends).map(|more| at + more);
                }
                Place::Within { escaped } => match until_quote(rest, escaped) {
                    (content, End::Quote) => {
                        at += content + 1;
                        if self.depth == 0 {
                            return Some(at);
                        }
                        self.place = Place::Between;
                    }
                    (_, End::Run { escaped }) => {
                        self.place = Place::Within { escaped };
                        return None;
                    }
                },
                Place::Between => {
                    at += rest
                        .iter()
                        .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))?
                        + 1;
                    match fresh.get(at - 1) {
                        Some(b'"') => self.place = Place::Within { escaped: false },
                        Some(b'{' | b'[') => self.depth += 1,
                        _ => {
                            self.depth -= 1;
                            if self.depth == 0 {
                                return Some(at);
                            }
                        }
                    }
                }
            }
        }
    }

    fn text<'a>(&self, run: &'a [u8], _first: bool) -> &'a [u8] {
        run
    }
}
