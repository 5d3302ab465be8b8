//! Credential shapes in text, replaced by `[redacted:kind]`.
//!
//! Everything that is cut into words, put on a card or shown goes through [`redact`] first. Hashes, ids and paths stay:
//! they are what people search for. How it works, in the order of what it costs:
//!
//! 1. `keywords`: one filter over the text, made by the compiler, says where a keyword of a rule may stand. Most text
//!    costs nothing more, and nothing is built at start.
//! 2. At a keyword, what it announces is tried there and nowhere else: a token's `pattern`, the value given to a
//!    secret's `name`, the userinfo of a `url`, the lines of an armoured `block`, a header, a command's flag.
//! 3. Beside a name, and only there, the `value` is weighed: random, chosen by a person, a word, code, a stand-in.
//!
//! A finding never spans a line end, so the number of lines stays. Time is linear in the text: a run of a token's own
//! bytes is read once, and each name, URL, block and command line is left behind before the next one is read.
//!
//! `README.md` beside this crate tells how it was measured, also against the crates that do the same.

mod assignment;
mod block;
mod command;
mod edge;
mod find;
mod http;
mod keywords;
mod name;
mod pattern;
mod rule;
mod rules;
mod url;
mod value;

pub use find::{Finding, find};
pub use rule::{Argument, Rule, Shape};

use std::borrow::Cow;

/// The version of the rules, part of every sidecar's fold parameters. Whatever changes what is redacted raises it.
pub const VERSION: u32 = 1;

/// The text with every known credential shape replaced by `[redacted:kind]`; the text itself if there is none.
///
/// The number of lines stays, and redacting twice is redacting once.
///
/// ```
/// let log = "GET / with password=S3cure!pw from 10.0.0.7";
/// assert_eq!(memfold_redact::redact(log), "GET / with password=[redacted:password] from 10.0.0.7");
/// assert_eq!(memfold_redact::redact("fixed in 3f786850e387550fdab836ed7e6dc881de23001b"), "fixed in 3f786850e387550fdab836ed7e6dc881de23001b");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(mut clean) = redact_once(text) else {
        return Cow::Borrowed(text);
    };
    // What stood beside a credential can be told for one where its placeholder stands. Each pass leaves less to find.
    for _ in 1..PASSES {
        match redact_once(&clean) {
            Some(cleaner) => clean = cleaner,
            None => break,
        }
    }
    Cow::Owned(clean)
}

/// So many passes are made at most: one and another nearly always, and time stays linear whatever the text.
const PASSES: usize = 8;

fn redact_once(text: &str) -> Option<String> {
    let findings = find(text);
    if findings.is_empty() {
        return None;
    }
    let mut clean = String::with_capacity(text.len());
    let mut kept = 0;
    for Finding { range, kind } in findings {
        clean.push_str(text.get(kept..range.start).unwrap_or_default());
        clean.push_str(find::OPENING);
        clean.push_str(kind);
        clean.push(']');
        kept = range.end;
    }
    clean.push_str(text.get(kept..).unwrap_or_default());
    Some(clean)
}

/// All the rules: their kinds, how each is told, and the document its shape follows.
///
/// ```
/// assert!(memfold_redact::rules().any(|rule| rule.kind() == "github-pat" && rule.keywords() == ["ghp_"]));
/// ```
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::ROOMS.iter().copied().flatten()
}
