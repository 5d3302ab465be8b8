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
use crate::stop::{Stop, to_the_end};

/// After so many bytes of a log it is asked whether to go on.
const STRETCH: u64 = 256 << 10;

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
    /// The call had its time: what is folded is a beginning of the log, and the tail no tail.
    pub stopped: bool,
}

/// Folds a log from its first line.
///
/// # Errors
/// If the log cannot be read. A fault after its first lines is told in [`Folded::fault`] instead.
pub fn fold_whole(log: &LogFile, agent: &'static dyn Agent) -> Result<Folded, SidecarError> {
    fold_until(log, agent, &to_the_end)
}

/// Folds a log from its first line until it is to stop. What is folded then goes on to be folded by [`fold_on`].
///
/// # Errors
/// As [`fold_whole`]; and [`SidecarError::Stopped`] if no whole turn was folded by then, or the log is of a form that cannot
/// be folded in parts.
pub fn fold_until(
    log: &LogFile,
    agent: &'static dyn Agent,
    stop: Stop<'_>,
) -> Result<Folded, SidecarError> {
    drive(
        log,
        agent,
        first(log, agent)?,
        Binder::new(),
        Position::START,
        stop,
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
/// If the log cannot be read, or its last covered block is not the one that was bound; and as [`fold_until`].
pub fn fold_on(
    log: &LogFile,
    agent: &'static dyn Agent,
    records: Records,
    builder: Builder,
    binding: &Binding,
    stop: Stop<'_>,
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
        stop,
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
    stop: Stop<'_>,
) -> Result<(Tail, LogFacts), SidecarError> {
    let mut fold = Fold::after(agent, covered, checkpoint, keys, waypoints);
    let from = Position {
        offset: covered.end,
        seq: covered.next,
    };
    let mut lines = frames(log, agent, from)?;
    let mut stretch = Stretch::from(from.offset);
    while let Some(line) = lines
        .next(&mut |_| {})
        .map_err(|error| SidecarError::of_log(&error))?
    {
        if stretch.is_over(line.start) && stop() {
            return Err(SidecarError::Stopped);
        }
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
        &to_the_end,
    )?;
    Ok((folded.sealed, folded.binding))
}

fn drive(
    log: &LogFile,
    agent: &'static dyn Agent,
    fold: Fold,
    binder: Binder,
    from: Position,
    stop: Stop<'_>,
) -> Result<Folded, SidecarError> {
    drive_to(log, agent, fold, binder, from, None, stop)
}

/// Where a log is read to, by stretches after which it is asked whether to go on.
struct Stretch(Offset);

impl Stretch {
    fn from(start: Offset) -> Stretch {
        Stretch(Offset(start.0.saturating_add(STRETCH)))
    }

    /// Whether a line that starts there begins another.
    fn is_over(&mut self, start: Offset) -> bool {
        let over = start >= self.0;
        if over {
            *self = Stretch::from(start);
        }
        over
    }
}

/// Folds to the log's end, until the whole turns reach `to`, or until it is to stop.
fn drive_to(
    log: &LogFile,
    agent: &'static dyn Agent,
    mut fold: Fold,
    mut binder: Binder,
    from: Position,
    to: Option<Offset>,
    stop: Stop<'_>,
) -> Result<Folded, SidecarError> {
    let mut lines = frames(log, agent, from)?;
    let (mut fault, mut stopped) = (None, false);
    let mut stretch = Stretch::from(from.offset);
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
        if stretch.is_over(start) && stop() {
            stopped = true;
            break;
        }
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
    // Only of a plain log is it known how much of it there is, and so that a part is none but a part.
    let in_parts = log.form().grows() && log.text_length().is_some();
    if stopped && (!in_parts || fold.covered().end <= from.offset) {
        return Err(SidecarError::Stopped);
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
        stopped,
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
