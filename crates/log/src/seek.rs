//! Finds the messages' array in a JSON document and the beginning of each message in it, in constant memory.

use crate::clip::{End, until_quote};

/// Passes over the bytes of a document up to the next message of the array at a path.
pub(crate) struct Seek {
    path: Vec<Vec<u8>>,
    place: Place,
    depth: u64,
    /// How many keys of the path lead to the open object whose keys are looked at: the one at depth `on_path + 1`.
    on_path: usize,
    /// A string that comes now is a key of that object.
    key_comes: bool,
    /// The last such key is the path's next.
    named: bool,
    /// The key so far, while it may still be the path's next.
    key: Vec<u8>,
    found: bool,
    /// The array is behind, or cannot come.
    past: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the document: white space, a byte order mark.
    Before,
    /// Outside the array.
    Between,
    /// In a string outside the array.
    Within { key: bool, escaped: bool },
    /// In the array, between two messages.
    Array,
}

/// What was passed over, and why it stopped.
pub(crate) struct Step {
    pub(crate) used: usize,
    /// What was passed over belongs to the document without its messages.
    pub(crate) kept: bool,
    /// Without one there is more to feed, the bytes not used first.
    pub(crate) event: Option<Event>,
}

pub(crate) enum Event {
    /// The next byte begins a message.
    Message,
    /// A bracket closes that none opened.
    Unopened,
}

impl Seek {
    pub(crate) fn new(path: &[&str]) -> Seek {
        Seek {
            path: path.iter().map(|key| key.as_bytes().to_vec()).collect(),
            place: Place::Before,
            depth: 0,
            on_path: 0,
            key_comes: false,
            named: false,
            key: Vec::new(),
            found: false,
            past: false,
        }
    }

    pub(crate) fn found(&self) -> bool {
        self.found
    }

    /// The document is closed, or has not begun.
    pub(crate) fn is_whole(&self) -> bool {
        self.depth == 0 && matches!(self.place, Place::Before | Place::Between)
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Step {
        match self.place {
            Place::Before => {
                let used = bytes.iter().position(|byte| {
                    !(byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF))
                });
                if used.is_some() {
                    self.place = Place::Between;
                }
                Step {
                    used: used.unwrap_or(bytes.len()),
                    kept: false,
                    event: None,
                }
            }
            Place::Array => {
                let used = bytes
                    .iter()
                    .position(|byte| !(byte.is_ascii_whitespace() || *byte == b','));
                let next = used.and_then(|at| bytes.get(at));
                let event = match next {
                    Some(b']') => {
                        self.place = Place::Between;
                        None
                    }
                    Some(_) => Some(Event::Message),
                    None => None,
                };
                Step {
                    used: used.unwrap_or(bytes.len()),
                    kept: false,
                    event,
                }
            }
            Place::Between | Place::Within { .. } => self.outside(bytes),
        }
    }

    fn outside(&mut self, bytes: &[u8]) -> Step {
        let mut used = 0;
        let mut event = None;
        while let Some(rest) = bytes.get(used..)
            && let Some(&byte) = rest.first()
            && event.is_none()
            && self.place != Place::Array
        {
            if let Place::Within { key, escaped } = self.place {
                used += self.string(rest, key, escaped);
                continue;
            }
            match byte {
                b'"' => {
                    let key = self.key_comes && self.at_path();
                    self.key.clear();
                    self.place = Place::Within {
                        key,
                        escaped: false,
                    };
                }
                b'{' | b'[' => self.open(byte),
                b'}' | b']' if self.depth == 0 => {
                    event = Some(Event::Unopened);
                    continue;
                }
                b'}' | b']' => self.close(),
                b',' => {
                    self.key_comes = true;
                    self.named = false;
                }
                b':' => self.key_comes = false,
                _ => {}
            }
            used += 1;
        }
        Step {
            used,
            kept: true,
            event,
        }
    }

    /// Passes over a string, or what is there of it.
    fn string(&mut self, rest: &[u8], key: bool, escaped: bool) -> usize {
        let (content, end) = until_quote(rest, escaped);
        let wanted = self.path.get(self.on_path);
        if key {
            // One byte more than the key wanted is enough to know that it is another.
            let room = wanted.map_or(0, |wanted| {
                (wanted.len() + 1).saturating_sub(self.key.len())
            });
            self.key.extend(rest.iter().take(content.min(room)));
        }
        match end {
            End::Quote => {
                self.named = key && wanted == Some(&self.key);
                self.place = Place::Between;
                content + 1
            }
            End::Run { escaped } => {
                self.place = Place::Within { key, escaped };
                content
            }
        }
    }

    /// The open value is the object in which the path's next key is looked for.
    fn at_path(&self) -> bool {
        !self.past && !self.path.is_empty() && self.depth == self.on_path as u64 + 1
    }

    fn open(&mut self, byte: u8) {
        let last = self.on_path + 1 == self.path.len();
        let leads = self.at_path() && self.named;
        let array = if self.path.is_empty() {
            self.depth == 0 && !self.past
        } else {
            leads && last
        };
        if self.depth == 0 && byte == b'[' && !self.path.is_empty() {
            self.past = true;
        }
        if array && byte == b'[' {
            self.found = true;
            self.past = true;
            self.place = Place::Array;
        } else if leads && !last && byte == b'{' {
            self.on_path += 1;
        }
        self.depth += 1;
        self.key_comes = byte == b'{';
        self.named = false;
    }

    fn close(&mut self) {
        self.depth -= 1;
        if self.on_path > 0 && self.depth == self.on_path as u64 {
            self.on_path -= 1;
        }
        self.named = false;
    }
}
