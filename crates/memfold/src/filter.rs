//! Filters: which events may be answered with. Applied before ranking; what they leave out still counts in frequencies.

use std::collections::HashMap;

use memfold_fold::card::{Card, Listing};
use memfold_fold::document::DocumentKind;
use memfold_rollup::RollupError;

use crate::catalogue::LogEntry;
use crate::collected::Collected;
use crate::ready::Ready;
use crate::request::Filter;
use crate::segments::{Choice, Chosen, Part, Segments, Slots, part_of};

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
pub(crate) fn passing_filter<'a>(
    logs: &Collected,
    segments: &'a Segments<'a>,
    filter: &Filter,
    notes: &mut Vec<String>,
) -> Chosen<'a> {
    let mut tables: HashMap<usize, Vec<bool>> = HashMap::new();
    let parts = segments.parts.iter().map(|part| match part {
        _ if !is_any(filter) => Choice::All,
        Part::Log {
            log,
            first,
            documents,
        } => match logs.own(*log) {
            Some(ready) if !by_agent(&ready.entry, filter) => Choice::Table(Vec::new()),
            Some(_) if !is_by_event(filter) => Choice::All,
            Some(ready) => {
                let table = tables.entry(*log).or_insert_with(|| {
                    passing(ready, filter).unwrap_or_else(|error| {
                        notes.push(format!(
                            "{}: not filtered, so left out: {error}",
                            ready.entry.path.display()
                        ));
                        Vec::new()
                    })
                });
                Choice::Table(part_of(table, *first, *documents))
            }
            None => Choice::Table(Vec::new()),
        },
        Part::Shard(slots) => {
            Choice::Table(passing_in_shard(slots, logs, filter).unwrap_or_else(|_| {
                logs.fail();
                Vec::new()
            }))
        }
    });
    Chosen {
        parts: parts.collect(),
    }
}

fn by_agent(entry: &LogEntry, filter: &Filter) -> bool {
    let agent = entry.agent;
    filter.agents.is_empty()
        || filter
            .agents
            .iter()
            .any(|name| name == agent.name() || name == agent.short_name())
}

fn by_kind_and_time(kind: DocumentKind, time: Option<i64>, filter: &Filter) -> bool {
    let time_passes = match time {
        Some(time) => {
            filter.since.is_none_or(|since| time >= since.0)
                && filter.until.is_none_or(|until| time < until.0)
        }
        None => filter.since.is_none() && filter.until.is_none(),
    };
    time_passes && (filter.kinds.is_empty() || filter.kinds.contains(&kind))
}

/// Which of a shard's events pass a filter, which is not by path: no shard knows of cards.
fn passing_in_shard(
    slots: &Slots<'_>,
    logs: &Collected,
    filter: &Filter,
) -> Result<Vec<bool>, RollupError> {
    let columns = match is_by_event(filter) {
        true => Some((slots.shard.shard.kinds()?, slots.shard.shard.times()?)),
        false => None,
    };
    let mut table = vec![false; usize::try_from(slots.shard.shard.documents()).unwrap_or(0)];
    let of_agent = slots.logs.iter().filter(|slot| {
        logs.entry(slot.log)
            .is_some_and(|entry| by_agent(entry, filter))
    });
    for slot in of_agent {
        let first = usize::try_from(slot.first).unwrap_or(usize::MAX);
        let documents = usize::try_from(slot.documents).unwrap_or(usize::MAX);
        for (place, passes) in table.iter_mut().enumerate().skip(first).take(documents) {
            *passes = match &columns {
                Some((kinds, times)) => kinds
                    .get(place)
                    .zip(times.get(place))
                    .is_some_and(|(kind, time)| by_kind_and_time(*kind, *time, filter)),
                None => true,
            };
        }
    }
    Ok(table)
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
            let card_passes = cards.as_ref().is_none_or(|cards| {
                usize::try_from(document.card)
                    .ok()
                    .and_then(|card| cards.get(card))
                    .copied()
                    .unwrap_or(false)
            });
            card_passes && by_kind_and_time(document.kind, document.time, filter)
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
