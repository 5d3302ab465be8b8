//! What a keeper learns of a log, and the receipt that remembers it: of a log that was just folded, or of one whose sidecar was
//! found to hold.

use memfold_agents::Agent;
use memfold_disk::Identity;
use memfold_fold::Tail;
use memfold_fold::checkpoint::Sealed;
use memfold_fold::facts::LogFacts;

use crate::following::request_in;
use crate::judge::known_content;
use crate::keeping::Kept;
use crate::log_file::LogFile;
use crate::receipts::{Place, Receipt, Receipts};

/// What a log says of itself to its end.
pub(crate) struct Learned {
    pub(crate) facts: LogFacts,
    /// The title of its first turn.
    pub(crate) request: Option<String>,
}

/// The receipt of what was just found to hold, if that is news.
pub(crate) fn renewed(
    log: &LogFile,
    sidecar: &Kept,
    identity: Option<Identity>,
    place: Place,
    receipts: &Receipts,
    proved_at: i64,
) -> Option<Receipt> {
    let known = known_content(receipts, log, sidecar)?;
    let sidecar = identity?.to_bytes();
    let own = receipts.of(log.path()).is_some();
    let is_same = known.holds_for(&log.identity()) && known.is_of_all(log);
    if own && is_same && known.sidecar == sidecar {
        return None;
    }
    Some(Receipt {
        log: log.identity().to_bytes(),
        length: log.text_length(),
        proved_at,
        sidecar,
        place,
        ..known.clone()
    })
}

/// The receipt of a fold; where its sidecar is, is filled in once it is there.
pub(crate) fn receipt_of(
    sealed: &Sealed,
    tail: &Tail,
    facts: LogFacts,
    agent: &'static dyn Agent,
    log: &LogFile,
    proved_at: i64,
) -> Receipt {
    let mut receipt = Receipt {
        agent: agent.name().to_owned(),
        log: log.identity().to_bytes(),
        proved_at,
        length: log.text_length(),
        folded: log.text_length().unwrap_or(sealed.covered.end.0),
        covered: sealed.covered.end.0,
        log_root: [0; 32],
        place: Place::Beside,
        sidecar: [0; Identity::BYTES],
        content_root: [0; 32],
        documents: u32::try_from(sealed.documents.len()).unwrap_or(u32::MAX),
        turns: sealed.checkpoint.turn,
        request: request_in(sealed.cards.iter().chain(&tail.cards)),
        task: None,
        parent: None,
        helper: None,
        cwd: None,
        title: None,
        started: None,
        ended: None,
    };
    learn(&mut receipt, facts);
    receipt
}

/// The receipt of a log that was folded in part: how long it was is said by none but a receipt of all of it.
pub(crate) fn as_far_as_it_is_folded(receipt: Receipt) -> Receipt {
    Receipt {
        length: None,
        folded: receipt.covered,
        ..receipt
    }
}

/// Notes what a log says of itself, to its end.
pub(crate) fn learn(receipt: &mut Receipt, facts: LogFacts) {
    receipt.task = facts.task;
    receipt.parent = facts.parent;
    receipt.helper = facts.helper;
    receipt.cwd = facts.cwd;
    receipt.title = facts.title;
    receipt.started = facts.started;
    receipt.ended = facts.ended;
}
