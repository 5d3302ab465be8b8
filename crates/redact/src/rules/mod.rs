//! The rules, in rooms by family. Each row names the document its shape follows; none is taken from another project's
//! rule file. To add a kind: a row here, a line in `tests/labelled/`, and a new `VERSION`.

mod ai;
mod azure;
mod cicd;
mod cloud;
mod commands;
mod data;
mod forges;
mod generic;
mod hashes;
mod keys;
mod messaging;
mod observability;
mod payments;
mod registries;
mod services;
mod urls;

use crate::rule::Rule;

/// All the rooms. The order matters only between two patterns that match the same bytes: the first one names them.
pub(crate) const ROOMS: &[&[Rule]] = &[
    forges::RULES,
    registries::RULES,
    cicd::RULES,
    cloud::RULES,
    azure::RULES,
    data::RULES,
    ai::RULES,
    payments::RULES,
    messaging::RULES,
    observability::RULES,
    services::RULES,
    hashes::RULES,
    keys::RULES,
    urls::RULES,
    commands::RULES,
    generic::RULES,
];

/// The room of the names, for those who need no other.
pub(crate) const GENERIC: &[Rule] = generic::RULES;

/// A UUID in lower case, as a pattern.
macro_rules! uuid {
    () => {
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    };
}
pub(crate) use uuid;
