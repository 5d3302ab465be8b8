//! Drives a fold over a log: frames it, hashes the same bytes in the same pass, and marks where whole turns end.

use std::io::Read;

use memfold_agents::Agent;
use memfold_fold::checkpoint::{Checkpoint, Covered, Records, Sealed};
use memfold_fold::document::Keys;
use memfold_fold::facts::LogFacts;
use memfold_fold::{Fold, Tail};
use memfold_log::{Form, Lines, Offset, Position};
use memfold_segment::Builder;

use crate::SidecarError;
use crate::binding::{Binder, Binding};
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
    drive(log, Fold::new(agent), Binder::new(), Position::START)
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
) -> Result<(Tail, LogFacts), SidecarError> {
    let mut fold = Fold::after(agent, covered, checkpoint, keys);
    let from = Position {
        offset: covered.end,
        seq: covered.next,
    };
    let mut lines = lines(log, from)?;
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
        Fold::new(agent),
        Binder::new(),
        Position::START,
        Some(covered.end),
    )?;
    Ok((folded.sealed, folded.binding))
}

fn drive(
    log: &LogFile,
    fold: Fold,
    binder: Binder,
    from: Position,
) -> Result<Folded, SidecarError> {
    drive_to(log, fold, binder, from, None)
}

/// Folds to the log's end, or until the whole turns reach `to`.
fn drive_to(
    log: &LogFile,
    mut fold: Fold,
    mut binder: Binder,
    from: Position,
    to: Option<Offset>,
) -> Result<Folded, SidecarError> {
    let mut lines = lines(log, from)?;
    let mut fault = None;
    while to.is_none_or(|to| fold.covered().end < to) {
        binder.line_start();
        let before = fold.covered();
        let line = match lines.next(&mut |bytes| binder.feed(bytes)) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) if error.compression().is_some() => {
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
    let end = lines.position();
    if log.form() == Form::CompressedLines
        && fault.is_none()
        && to.is_none_or(|to| fold.covered().end < to)
    {
        fold.end(Covered {
            end: end.offset,
            next: end.seq,
        });
        binder.mark_here();
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

fn lines(log: &LogFile, from: Position) -> Result<Lines<Box<dyn Read + '_>>, SidecarError> {
    let text = log
        .text(from.offset)
        .map_err(|error| SidecarError::of_log(&error))?;
    Ok(match log.text_length() {
        Some(length) => Lines::new(text, from, Offset(length)),
        None => Lines::to_end(text, from),
    })
}
