//! What is counted. Every count adds up over logs but the longest run.

use std::collections::BTreeMap;

use memfold_agents::seek::By;
use serde::Serialize;

/// A kind of search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `grep`, `rg`, `ag`, `git grep` in a shell, over files.
    ShellGrep,
    /// The host's search of files' text.
    ToolGrep,
    /// `find`, `fd`, `rg --files` in a shell.
    ShellNames,
    /// The host's search of files' names.
    ToolNames,
    /// A ranked search of the repository that is not memfold's.
    Ranked,
    /// memfold's search of the repository.
    Repo,
    /// memfold's search of the conversation that asks.
    Conversation,
    /// A search of earlier tasks, memfold's or an agent's own.
    Earlier,
}

impl Kind {
    /// Every kind, in the order of tables.
    pub const ALL: [Kind; 8] = [
        Kind::ShellGrep,
        Kind::ToolGrep,
        Kind::ShellNames,
        Kind::ToolNames,
        Kind::Ranked,
        Kind::Repo,
        Kind::Conversation,
        Kind::Earlier,
    ];

    /// Whether it is a search by a regular expression.
    pub fn is_of_expressions(self) -> bool {
        matches!(self, Kind::ShellGrep | Kind::ToolGrep)
    }

    /// Whether it is a search that memfold offers.
    pub fn is_of_memory(self) -> bool {
        matches!(self, Kind::Repo | Kind::Conversation | Kind::Earlier)
    }
}

impl From<By> for Kind {
    fn from(by: By) -> Kind {
        match by {
            By::ShellText => Kind::ShellGrep,
            By::ToolText => Kind::ToolGrep,
            By::ShellNames => Kind::ShellNames,
            By::ToolNames => Kind::ToolNames,
            By::Ranked => Kind::Ranked,
            By::Repository => Kind::Repo,
            By::Conversation => Kind::Conversation,
            By::Earlier => Kind::Earlier,
        }
    }
}

/// What was counted in some logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many logs.
    pub logs: u64,
    /// Calls of tools.
    pub calls: u64,
    /// Their results.
    pub results: u64,
    /// The results' bytes, as text.
    pub result_bytes: u64,
    /// Searches, by their kind. A call that searches in several ways is one search, of the first kind in [`Kind::ALL`].
    pub searches: BTreeMap<Kind, Found>,
    /// Searches by regular expressions.
    pub expressions: Expressions,
    /// Searches in a row.
    pub runs: Runs,
    /// What left the models' windows.
    pub window: Window,
    /// Calls made again after their result had left the window.
    pub repeated: Repeated,
    /// Events read back.
    pub recalls: Recalls,
    /// Files read.
    pub reads: Reads,
}

/// Searches of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Calls.
    pub calls: u64,
    /// Their results' bytes.
    pub bytes: u64,
}

/// Searches by regular expressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expressions {
    /// All of them.
    pub searches: u64,
    /// Those that list three or more guessed names.
    pub alternations: u64,
}

/// Runs of three or more searches, with no other call and no message of the person between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// Runs.
    pub runs: u64,
    /// The searches in them.
    pub searches: u64,
    /// The most searches in one.
    pub longest: u64,
}

/// What left the models' windows, as the logs say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Compactions: all before them left.
    pub compactions: u64,
    /// Times that a host cleared single results.
    pub clearings: u64,
    /// The logs in which either happened.
    pub logs: u64,
    /// Results that left.
    pub results: u64,
}

/// Calls with the same tool and arguments as an earlier one whose result had left the window. Reads of a file that was
/// edited since are not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repeated {
    /// All of them.
    pub calls: u64,
    /// Those that read files.
    pub reads: u64,
}

/// Events read back by their seq.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recalls {
    /// All of them.
    pub calls: u64,
    /// Of events that had left the window.
    pub elided: u64,
    /// Of events that were in it.
    pub in_window: u64,
    /// Of other tasks' events.
    pub earlier: u64,
}

/// Files read, a call and a file at a time; those in a shell by `cat`, `sed -n`, `head` and the like too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reads {
    /// All reads.
    pub reads: u64,
    /// Reads of a file that was read before; what follows says why, the first that holds.
    pub again: u64,
    /// It was edited since.
    pub edited: u64,
    /// What was read of it had left the window.
    pub elided: u64,
    /// By the same call.
    pub same: u64,
    /// Other lines of it.
    pub other: u64,
}

impl Tally {
    /// Adds what was counted in other logs.
    pub fn add(&mut self, other: &Tally) {
        let Tally {
            logs,
            calls,
            results,
            result_bytes,
            searches,
            expressions,
            runs,
            window,
            repeated,
            recalls,
            reads,
        } = other;
        sum(&mut self.logs, *logs);
        sum(&mut self.calls, *calls);
        sum(&mut self.results, *results);
        sum(&mut self.result_bytes, *result_bytes);
        for (kind, found) in searches {
            let own = self.searches.entry(*kind).or_default();
            sum(&mut own.calls, found.calls);
            sum(&mut own.bytes, found.bytes);
        }
        sum(&mut self.expressions.searches, expressions.searches);
        sum(&mut self.expressions.alternations, expressions.alternations);
        sum(&mut self.runs.runs, runs.runs);
        sum(&mut self.runs.searches, runs.searches);
        self.runs.longest = self.runs.longest.max(runs.longest);
        sum(&mut self.window.compactions, window.compactions);
        sum(&mut self.window.clearings, window.clearings);
        sum(&mut self.window.logs, window.logs);
        sum(&mut self.window.results, window.results);
        sum(&mut self.repeated.calls, repeated.calls);
        sum(&mut self.repeated.reads, repeated.reads);
        sum(&mut self.recalls.calls, recalls.calls);
        sum(&mut self.recalls.elided, recalls.elided);
        sum(&mut self.recalls.in_window, recalls.in_window);
        sum(&mut self.recalls.earlier, recalls.earlier);
        sum(&mut self.reads.reads, reads.reads);
        sum(&mut self.reads.again, reads.again);
        sum(&mut self.reads.edited, reads.edited);
        sum(&mut self.reads.elided, reads.elided);
        sum(&mut self.reads.same, reads.same);
        sum(&mut self.reads.other, reads.other);
    }

    /// Searches of a kind.
    pub fn of(&self, kind: Kind) -> Found {
        self.searches.get(&kind).copied().unwrap_or_default()
    }

    /// Searches of all kinds.
    pub fn all_searches(&self) -> Found {
        let mut all = Found::default();
        for found in self.searches.values() {
            sum(&mut all.calls, found.calls);
            sum(&mut all.bytes, found.bytes);
        }
        all
    }

    /// Searches that memfold offers, whoever made them.
    pub fn memory_searches(&self) -> u64 {
        let mut calls = 0;
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_of_memory()) {
            sum(&mut calls, self.of(kind).calls);
        }
        calls
    }
}

/// Adds, and stays at the most.
pub(crate) fn sum(total: &mut u64, more: u64) {
    *total = total.saturating_add(more);
}
