//! Drives a fold over a log: frames it, hashes the same bytes in the same pass, and marks where whole turns end.

use std::io::Read;

use memfold_agents::Agent;
use memfold_fold::checkpoint::{Checkpoint, Covered, Records, Sealed};
use memfold_fold::document::Keys;
use memfold_fold::facts::LogFacts;
use memfold_fold::past::Waypoint;
use memfold_fold::{Fold, Tail};
use memfold_log::{Offset, Position};
use memfold_segment::Builder;

use crate::SidecarError;
use crate::binding::{Binder, Binding};
use crate::frames::{Enough, Frames};
use crate::log_file::LogFile;

/// A log, folded.
pub struct Folded {
    /// What a sidecar holds: everything up to the last whole turn.
    pub sealed: Sealed,
    /// What follows it.
    pub tail: Tail,
    /// What the log says of itself, its tail included.
    pub facts: LogFacts,
    /// What binds `sealed` to the log.
    pub binding: Binding,
    /// Why the log could not be read to its end, if it could not: a compressed log cut short.
    pub fault: Option<String>,
}

/// Folds a log from its first line.
///
/// # Errors
/// If the log cannot be read. A fault after its first lines is told in [`Folded::fault`] instead.
pub fn fold_whole(log: &LogFile, agent: &'static dyn Agent) -> Result<Folded, SidecarError> {
    drive(
        log,
        agent,
        first(log, agent)?,
        Binder::new(),
        Position::START,
    )
}

/// A fold from a log's first record. What a whole-file log says around its messages comes before them, wherever it stands.
fn first(log: &LogFile, agent: &'static dyn Agent) -> Result<Fold, SidecarError> {
    let mut fold = Fold::new(agent);
    log.about(agent, |facts| {
        fold.about(facts);
        Enough::No
    })
    .map_err(|error| SidecarError::of_log(&error))?;
    Ok(fold)
}

/// Folds on where a sidecar's whole turns end, which must be proved to be the log's own.
///
/// # Errors
/// If the log cannot be read, or its last covered block is not the one that was bound.
pub fn fold_on(
    log: &LogFile,
    agent: &'static dyn Agent,
    records: Records,
    builder: Builder,
    binding: &Binding,
) -> Result<Folded, SidecarError> {
    let covered = records.covered;
    let mut binder = Binder::resume(binding);
    let again = binding.covered.saturating_sub(binder.position());
    let mut block = Vec::new();
    log.text(Offset(binder.position()))
        .and_then(|text| text.take(again).read_to_end(&mut block))
        .map_err(|error| SidecarError::of_log(&error))?;
    binder.feed(&block);
    binder.mark_here();
    if binder.binding() != *binding {
        return Err(SidecarError::LogChanged);
    }
    drive(
        log,
        agent,
        Fold::resume(agent, records, builder),
        binder,
        Position {
            offset: covered.end,
            seq: covered.next,
        },
    )
}

/// Folds what follows a sidecar's whole turns, for one search; with it, what the log says of itself to its end.
///
/// # Errors
/// If the log cannot be read.
pub fn fold_tail(
    log: &LogFile,
    agent: &'static dyn Agent,
    covered: Covered,
    checkpoint: Checkpoint,
    keys: &[Keys],
    waypoints: &[Waypoint],
) -> Result<(Tail, LogFacts), SidecarError> {
    let mut fold = Fold::after(agent, covered, checkpoint, keys, waypoints);
    let from = Position {
        offset: covered.end,
        seq: covered.next,
    };
    let mut lines = frames(log, agent, from)?;
    while let Some(line) = lines
        .next(&mut |_| {})
        .map_err(|error| SidecarError::of_log(&error))?
    {
        fold.line(&line)?;
    }
    let facts = fold.facts().clone();
    Ok((fold.into_tail()?, facts))
}

/// Folds a log again as far as a sidecar covers it, to be compared with the sidecar.
///
/// # Errors
/// If the log cannot be read.
pub fn fold_prefix(
    log: &LogFile,
    agent: &'static dyn Agent,
    covered: Covered,
) -> Result<(Sealed, Binding), SidecarError> {
    let folded = drive_to(
        log,
        agent,
        first(log, agent)?,
        Binder::new(),
        Position::START,
        Some(covered.end),
    )?;
    Ok((folded.sealed, folded.binding))
}

fn drive(
    log: &LogFile,
    agent: &'static dyn Agent,
    fold: Fold,
    binder: Binder,
    from: Position,
) -> Result<Folded, SidecarError> {
    drive_to(log, agent, fold, binder, from, None)
}

/// Folds to the log's end, or until the whole turns reach `to`.
fn drive_to(
    log: &LogFile,
    agent: &'static dyn Agent,
    mut fold: Fold,
    mut binder: Binder,
    from: Position,
    to: Option<Offset>,
) -> Result<Folded, SidecarError> {
    let mut lines = frames(log, agent, from)?;
    let mut fault = None;
    while to.is_none_or(|to| fold.covered().end < to) {
        let before = fold.covered();
        let sought = lines.seek(&mut |bytes| binder.feed(bytes));
        binder.line_start();
        let line = match sought.and_then(|()| lines.next(&mut |bytes| binder.feed(bytes))) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) if error.is_of_the_form() => {
                fault = Some(error.to_string());
                break;
            }
            Err(error) => return Err(SidecarError::of_log(&error)),
        };
        let start = line.start;
        fold.line(&line)?;
        let covered = fold.covered();
        if covered != before {
            if covered.end == start {
                binder.mark_start()
            } else {
                binder.mark_here()
            }
        }
    }
    let end = lines.end();
    if !log.form().grows() && fault.is_none() && to.is_none_or(|to| fold.covered().end < to) {
        fold.end(Covered {
            end: end.offset,
            next: end.seq,
        })?;
        if end.offset.0 == binder.position() {
            binder.mark_here();
        } else {
            // NULs at the end are no line, and not covered.
            binder.mark_start();
        }
    }
    let facts = fold.facts().clone();
    let (sealed, tail) = fold.finish()?;
    Ok(Folded {
        sealed,
        tail,
        facts,
        binding: binder.binding(),
        fault,
    })
}

fn frames<'l>(
    log: &'l LogFile,
    agent: &dyn Agent,
    from: Position,
) -> Result<Frames<'l>, SidecarError> {
    log.frames(agent, from)
        .map_err(|error| SidecarError::of_log(&error))
}
