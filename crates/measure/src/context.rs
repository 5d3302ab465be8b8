//! What the main agent of a log, or one of its helpers, has done, and what is left in its window.

use std::collections::HashMap;

use crate::named::Named;

/// So many searches wait for the file that is read after them.
const WAITING: usize = 64;

/// A call that was made.
pub(crate) struct Made {
    pub(crate) seq: u64,
    /// The line of its result, once there is one.
    pub(crate) result: Option<u64>,
    /// Its result left the window.
    pub(crate) elided: bool,
    pub(crate) tool: String,
    /// Of a search: which kind, and where its result's files are named from.
    pub(crate) search: Option<Searched>,
    /// Another log said it before.
    pub(crate) copied: bool,
    pub(crate) context: usize,
}

/// What is known of a search until its result comes.
pub(crate) struct Searched {
    pub(crate) kind: crate::Kind,
    pub(crate) folder: Option<String>,
    pub(crate) places: Vec<String>,
}

/// A search by an expression that waits for the file that is read after it.
pub(crate) struct Waiting {
    pub(crate) call: usize,
    pub(crate) words: String,
    pub(crate) alternatives: usize,
    pub(crate) named: Option<Named>,
}

/// A run of searches.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) searches: u64,
    /// Those that no other log said before.
    pub(crate) new: u64,
    pub(crate) words: Vec<String>,
}

/// What one context did.
#[derive(Default)]
pub(crate) struct Context {
    /// Lines before this one left the window.
    pub(crate) window: u64,
    /// The calls whose results are in it.
    pub(crate) shown: Vec<usize>,
    /// The last call of the same tool and arguments.
    pub(crate) last: HashMap<u64, usize>,
    /// The last read of a file: its call, and the hash of that.
    pub(crate) read: HashMap<String, (usize, u64)>,
    pub(crate) run: Run,
    waiting: Vec<Waiting>,
}

impl Context {
    /// Waits for the file that is read after a search.
    pub(crate) fn wait(&mut self, search: Waiting) {
        if self.waiting.len() >= WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push(search);
    }

    /// Takes what a search's result names.
    pub(crate) fn found(&mut self, call: usize, named: Named) {
        let mut waiting = self.waiting.iter_mut();
        if let Some(search) = waiting.find(|search| search.call == call) {
            search.named = Some(named);
        }
    }

    /// The searches that found a file that is read now, and wait no longer.
    pub(crate) fn followed(&mut self, path: &str) -> Vec<Waiting> {
        let found =
            |search: &mut Waiting| search.named.as_ref().is_some_and(|named| named.holds(path));
        self.waiting.extract_if(.., found).collect()
    }

    /// The person asks for something else.
    pub(crate) fn give_up(&mut self) {
        self.waiting.clear();
    }
}
