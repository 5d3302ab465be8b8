//! Keys that tell an event from its copies: forks, resumes, compactions and streaming write the same event again.

use memfold_log::event::{Event, Part};
use sha2::{Digest, Sha256};

use crate::document::{DocumentKind, Keys};

/// How much of a part's start and of its end the key covers, with its length. Parts of one message differ there.
const EDGE: usize = 512;

/// The keys of an event of this kind. Two events that share one are the same.
pub fn keys(kind: DocumentKind, event: &Event<'_>) -> Keys {
    Keys {
        id: event.identity.id.as_deref().map_or(0, |id| {
            let mut hash = Sha256::new();
            hash.update(b"id\0");
            hash.update(id.as_bytes());
            first_eight(hash)
        }),
        origin: event.identity.origin.as_deref().map_or(0, |origin| {
            let mut hash = Sha256::new();
            hash.update(b"origin\0");
            hash.update([kind as u8]);
            hash.update(origin.as_bytes());
            for part in &event.parts {
                match part {
                    Part::Text(text) => add(&mut hash, b't', text),
                    Part::Call(call) => {
                        add(&mut hash, b'c', &call.id);
                        add(&mut hash, b'a', &call.arguments);
                    }
                    Part::Output(output) => {
                        add(&mut hash, b'r', &output.call);
                        add(&mut hash, b'o', &output.text);
                    }
                }
            }
            first_eight(hash)
        }),
    }
}

fn add(hash: &mut Sha256, tag: u8, text: &str) {
    let bytes = text.as_bytes();
    hash.update([0, tag]);
    hash.update((bytes.len() as u64).to_le_bytes());
    let head = bytes.get(..EDGE).unwrap_or(bytes);
    hash.update(head);
    if bytes.len() > EDGE {
        hash.update(bytes.get(bytes.len() - EDGE..).unwrap_or_default());
    }
}

/// 64 bits, and never 0, which stands for no key.
pub(crate) fn first_eight(hash: Sha256) -> u64 {
    let digest: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(digest) {
        *to = from;
    }
    u64::from_le_bytes(first).max(1)
}
