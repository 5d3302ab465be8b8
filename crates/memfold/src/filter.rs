//! Filters: which events may be answered with. Applied before ranking; what they leave out still counts in frequencies.

use memfold_fold::card::{Card, Listing};

use crate::ready::Ready;
use crate::request::Filter;
use crate::segments::{Chosen, Segments};

/// Whether anything is left out.
pub(crate) fn is_any(filter: &Filter) -> bool {
    !filter.agents.is_empty() || is_by_event(filter)
}

fn is_by_event(filter: &Filter) -> bool {
    !filter.kinds.is_empty()
        || filter.since.is_some()
        || filter.until.is_some()
        || filter.path.is_some()
}

/// The documents that pass. A log that cannot be filtered is left out, and that is noted.
pub(crate) fn passing_filter(
    logs: &[Ready],
    segments: &Segments<'_>,
    filter: &Filter,
    notes: &mut Vec<String>,
) -> Chosen {
    let by_event = !filter.kinds.is_empty()
        || filter.since.is_some()
        || filter.until.is_some()
        || filter.path.is_some();
    let tables: Vec<Option<Vec<bool>>> = logs
        .iter()
        .map(|log| {
            let agent = log.entry.agent;
            let by_agent = filter.agents.is_empty()
                || filter
                    .agents
                    .iter()
                    .any(|name| name == agent.name() || name == agent.short_name());
            if !by_agent {
                return Some(Vec::new());
            }
            if !by_event {
                return None;
            }
            Some(passing(log, filter).unwrap_or_else(|error| {
                notes.push(format!(
                    "{}: not filtered, so left out: {error}",
                    log.entry.path.display()
                ));
                Vec::new()
            }))
        })
        .collect();
    segments.chosen(&tables)
}

/// Which of a log's events pass a filter.
fn passing(log: &Ready, filter: &Filter) -> Result<Vec<bool>, memfold_sidecar::SidecarError> {
    let cards: Option<Vec<bool>> = match &filter.path {
        Some(path) => Some(
            log.all_cards()?
                .iter()
                .map(|card| names(card, path))
                .collect(),
        ),
        None => None,
    };
    Ok(log
        .all_documents()?
        .iter()
        .map(|document| {
            let time_passes = match document.time {
                Some(time) => {
                    filter.since.is_none_or(|since| time >= since.0)
                        && filter.until.is_none_or(|until| time < until.0)
                }
                None => filter.since.is_none() && filter.until.is_none(),
            };
            let card_passes = cards.as_ref().is_none_or(|cards| {
                usize::try_from(document.card)
                    .ok()
                    .and_then(|card| cards.get(card))
                    .copied()
                    .unwrap_or(false)
            });
            let kind_passes = filter.kinds.is_empty() || filter.kinds.contains(&document.kind);
            time_passes && card_passes && kind_passes
        })
        .collect())
}

/// Whether a card names a file that is, ends with, or lies below a path.
fn names(card: &Card, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let one = |named: &String| {
        named == path
            || named
                .strip_suffix(path)
                .is_some_and(|before| before.ends_with('/'))
            || named
                .strip_prefix(path)
                .is_some_and(|after| after.starts_with('/'))
            || named.contains(&format!("/{path}/"))
    };
    let all = |listing: &Listing| listing.named.iter().any(one);
    all(&card.read) || all(&card.edited)
}
