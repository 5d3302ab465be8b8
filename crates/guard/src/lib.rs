//! Whether a file of a tree may be read, and the one way to read it. Relies on `memfold-disk` for the root out of which no
//! path leads; the rest of a decision is a function of names, of the person's rules and of a [`Budget`].
//!
//! In reading order: [`TreePath`] names a file of a tree. [`Denylist`] says by name alone what is never read: keys, tokens,
//! other tools' secrets, git's own folder. [`Rules`] adds what a person configured: more of that list, and checkers that may
//! refuse or ask. [`Guard`] holds a root and its rules, and reads: its answer is the content or a [`Refusal`], and either
//! makes a [`Decision`] for the index's log. Nobody is ever asked: a read that would ask is refused, and recorded as such.
//!
//! The rules come from the person's configuration and never from the tree. What is checked is what is read: names are
//! checked again where a link led, and bytes come from the descriptor that was looked at.

mod budget;
mod checkers;
mod config;
mod content;
mod decision;
mod denylist;
mod error;
mod guard;
mod path;
mod patterns;
pub mod program;
mod rules;

pub use budget::{Budget, Limits};
pub use checkers::{Checker, Then};
pub use content::{Content, NotText};
pub use decision::{Action, Decision, Refusal, Special, Spent, Verdict};
pub use denylist::Denylist;
pub use error::GuardError;
pub use guard::Guard;
pub use path::{BadPath, TreePath};
pub use patterns::{BadPattern, Patterns};
pub use rules::{RuleName, Rules, RulesVersion};
