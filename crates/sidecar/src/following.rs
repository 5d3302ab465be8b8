//! What follows a sidecar's whole turns, and what a log says of itself to its end: folded for a search, and kept in the cache
//! for the next one of the unchanged log.

use memfold_agents::Agent;
use memfold_fold::Tail;
use memfold_fold::card::Card;
use memfold_fold::facts::LogFacts;

use crate::SidecarError;
use crate::fold_log::fold_tail;
use crate::keeper::{Keeper, now};
use crate::keeping::Kept;
use crate::learned::Learned;
use crate::log_file::LogFile;
use crate::receipts::Receipts;
use crate::stop::Stop;
use crate::tails::{self, Origin};

/// So many cards are read at once where the first turn's is looked for: as many as a sidecar packs together.
const FIRST_CARDS: u32 = 16;

/// A tail of fewer bytes of log is folded again as fast as it is read.
fn is_worth_keeping(length: u64) -> bool {
    length >= tails::WORTH
}

/// Folds what follows a sidecar's whole turns.
pub(crate) fn fold_after(
    log: &LogFile,
    agent: &'static dyn Agent,
    sidecar: &Kept,
    stop: Stop<'_>,
) -> Result<(Tail, LogFacts), SidecarError> {
    fold_tail(
        log,
        agent,
        sidecar.header().covered,
        sidecar.checkpoint()?,
        &sidecar.keys()?,
        &sidecar.waypoints()?,
        stop,
    )
}

/// Whether a log's own receipt tells what this very log says of itself to its end.
pub(crate) fn is_known(log: &LogFile, sidecar: &Kept, receipts: &Receipts) -> bool {
    receipts.of(log.path()).is_some_and(|own| {
        own.content_root == sidecar.header().content_root
            && own.log == log.identity().to_bytes()
            && own.is_of_all(log)
    })
}

impl Keeper {
    /// What follows a sidecar's whole turns: as it was kept for this very log, else folded and kept. With it, what the log
    /// says of itself to its end, unless its own receipt knows that of this very log: that of another log with the same
    /// whole turns, or of this one when it was longer, says what other lines said.
    pub(crate) fn tail(
        &self,
        log: &LogFile,
        agent: &'static dyn Agent,
        sidecar: &Kept,
        receipts: &Receipts,
        stop: Stop<'_>,
    ) -> Result<(Option<Tail>, Option<Learned>), SidecarError> {
        let header = sidecar.header();
        let Some(length) = log
            .text_length()
            .and_then(|length| length.checked_sub(header.covered.end.0))
        else {
            return Ok((None, None));
        };
        let is_known = is_known(log, sidecar, receipts);
        if is_known && length == 0 {
            return Ok((None, None));
        }
        let origin = Origin {
            log: log.identity().to_bytes(),
            content_root: header.content_root,
        };
        let kept = self.tail_path(log.path());
        // A log written to a moment ago may change again with no trace in what stat says.
        let settled = is_worth_keeping(length) && log.identity().settled_before(now());
        let kept_tail = settled.then(|| tails::load(&kept, &origin)).flatten();
        let (tail, facts) = match kept_tail {
            Some(kept) => kept,
            None => {
                let (tail, facts) = fold_after(log, agent, sidecar, stop)?;
                if settled {
                    // Not kept is folded again.
                    let _ = tails::save(&kept, &origin, &tail, &facts);
                }
                (tail, facts)
            }
        };
        let learned = match is_known {
            true => None,
            false => Some(Learned {
                facts,
                request: request_of(sidecar, &tail)?,
            }),
        };
        Ok((tells(&tail).then_some(tail), learned))
    }

    /// Puts a tail that was folded anew in the place of whatever was kept of the log. Whether there is one now.
    pub(crate) fn keep_tail(
        &self,
        log: &LogFile,
        sidecar: &Kept,
        tail: &Tail,
        facts: &LogFacts,
    ) -> bool {
        let header = sidecar.header();
        let after = log
            .text_length()
            .and_then(|length| length.checked_sub(header.covered.end.0));
        let origin = Origin {
            log: log.identity().to_bytes(),
            content_root: header.content_root,
        };
        after.is_some_and(is_worth_keeping)
            && log.identity().settled_before(now())
            && tails::save(&self.tail_path(log.path()), &origin, tail, facts).is_ok()
    }
}

/// Whether a tail says anything to a search: events of its own, or that the task went back behind others.
pub(crate) fn tells(tail: &Tail) -> bool {
    !tail.documents.is_empty() || !tail.waypoints.is_empty()
}

/// The title of a log's first turn.
pub(crate) fn request_of(sidecar: &Kept, tail: &Tail) -> Result<Option<String>, SidecarError> {
    let mut from = 0;
    while from < sidecar.header().cards {
        let cards = sidecar.cards(from..from.saturating_add(FIRST_CARDS))?;
        if let Some(request) = request_in(cards.iter()) {
            return Ok(Some(request));
        }
        from = from.saturating_add(FIRST_CARDS);
    }
    Ok(request_in(tail.cards.iter()))
}

/// The title of the first turn among some cards.
pub(crate) fn request_in<'c>(mut cards: impl Iterator<Item = &'c Card>) -> Option<String> {
    cards
        .find(|card| card.turn > 0)
        .map(|card| card.title.clone())
}
