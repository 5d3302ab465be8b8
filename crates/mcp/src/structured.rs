//! The structure beside an answer's text, where it was asked for: the command's JSON, no more of it than the text shows.

use memfold::{Answer, Recalled};
use serde::Serialize;
use serde_json::{Value, json};

use crate::tools::Scope;

/// A search's answer.
pub(crate) fn search(answer: &Answer) -> Value {
    serde_json::to_value(answer).unwrap_or_else(|_| nothing_found(Scope::Earlier, ""))
}

/// An answer about the repository.
pub(crate) fn repository(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or_else(|_| nothing_found(Scope::Repo, ""))
}

/// A search that found nothing, and why.
pub(crate) fn nothing_found(scope: Scope, why: &str) -> Value {
    json!({ "schema": 1, "scope": scope.name(), "weak": false, "complete": false, "results": [], "notes": [why] })
}

/// Events as they are shown.
pub(crate) fn events(events: &[Recalled]) -> Value {
    json!({ "schema": 1, "events": events, "notes": [] })
}

/// No event, and why.
pub(crate) fn no_event(why: &str) -> Value {
    json!({ "schema": 1, "events": [], "notes": [why] })
}
