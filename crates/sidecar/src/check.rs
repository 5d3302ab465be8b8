//! The full check of what is derived of a log: a sidecar is believed once folding the log again gives its content, and what
//! the receipt and the kept tail say is then held against it. Changes nothing.

use std::path::Path;

use memfold_agents::Agent;
use memfold_fold::facts::LogFacts;
use memfold_fold::{Parameters, Tail};

use crate::fold_log::{fold_prefix, fold_whole};
use crate::following::{fold_after, request_of};
use crate::judge::{against_log, examine, verdict_of, whole};
use crate::keeping::{Kept, Store};
use crate::log_file::LogFile;
use crate::receipts::{Receipt, Receipts};
use crate::stop::to_the_end;
use crate::tails;
use crate::verdict::Verdict;
use crate::worth::Worth;
use crate::{Sidecar, SidecarError, encode, verify_bytes};

/// What a full check found of all that is derived of a log.
pub struct Checked {
    /// What its sidecar is worth.
    pub verdict: Verdict,
    /// The sidecar, where folding the log again gives its content.
    pub proved: Option<Proved>,
    /// What its receipt says of this very log and is not so.
    pub misstated: Option<String>,
    /// What its kept tail is worth.
    pub tail: Worth,
}

/// A sidecar that holds what the log says, with what follows it.
pub struct Proved {
    /// The sidecar.
    pub sidecar: Kept,
    /// What follows its whole turns, just folded.
    pub tail: Tail,
    /// What the log says of itself to its end.
    pub facts: LogFacts,
}

impl Checked {
    fn of(verdict: Verdict, tail: &Path) -> Checked {
        Checked {
            verdict,
            proved: None,
            misstated: None,
            tail: tails::read(tail).err().unwrap_or(Worth::Sound),
        }
    }
}

/// Checks a sidecar in full: its bytes, the log's, and that folding the log again gives the same content; then what the
/// receipt and the kept tail say.
///
/// # Errors
/// If the log cannot be read or folded.
pub(crate) fn verify(
    log: &LogFile,
    agent: &'static dyn Agent,
    path: &Path,
    tail_path: &Path,
    receipts: &Receipts,
) -> Result<Checked, SidecarError> {
    let examined = examine(log, agent, path, receipts, &to_the_end)?;
    let Some(sidecar) = examined.sidecar else {
        return Ok(Checked::of(examined.verdict, tail_path));
    };
    let verdict = match of_content(log, agent, &sidecar, examined.verdict)? {
        Content::Proved(verdict) => verdict,
        Content::Otherwise(verdict) => return Ok(Checked::of(verdict, tail_path)),
    };
    let (tail, facts) = if log.form().grows() {
        fold_after(log, agent, &sidecar, &to_the_end)?
    } else {
        let folded = fold_whole(log, agent)?;
        (folded.tail, folded.facts)
    };
    let receipt = receipts
        .of(log.path())
        .filter(|receipt| receipt.holds_for(&log.identity()) && receipt.is_of_all(log));
    let misstated = match receipt {
        Some(receipt) => misstated(receipt, agent, &sidecar, &tail, &facts)?,
        None => None,
    };
    let kept = match tails::read(tail_path) {
        Err(worth) => worth,
        Ok(kept) => {
            let is_of_this = kept.origin.log == log.identity().to_bytes()
                && kept.origin.content_root == sidecar.header().content_root;
            if !is_of_this {
                Worth::Stale
            } else if tails::says(&kept, &tail, &facts) {
                Worth::Sound
            } else {
                Worth::Damaged("folding the log again gives another tail".to_owned())
            }
        }
    };
    Ok(Checked {
        verdict,
        proved: Some(Proved {
            sidecar,
            tail,
            facts,
        }),
        misstated,
        tail: kept,
    })
}

/// Whether a sidecar holds what folding the log again gives.
enum Content {
    Proved(Verdict),
    /// It does not, or that cannot be told.
    Otherwise(Verdict),
}

fn of_content(
    log: &LogFile,
    agent: &'static dyn Agent,
    sidecar: &Kept,
    verdict: Verdict,
) -> Result<Content, SidecarError> {
    if !matches!(
        verdict,
        Verdict::Current
            | Verdict::Appended { .. }
            | Verdict::LogTruncated { .. }
            | Verdict::Moved
            | Verdict::Unproven
    ) {
        return Ok(Content::Otherwise(verdict));
    }
    if let Err(error) = whole(sidecar).and_then(|bytes| verify_bytes(&bytes)) {
        return Ok(Content::Otherwise(verdict_of(error)));
    }
    if let Some(verdict) = against_log(log, agent, sidecar, &to_the_end)? {
        return Ok(Content::Otherwise(verdict));
    }
    if !log.form().grows() && matches!(verdict, Verdict::Appended { .. }) {
        // Such a log is folded to its end, and where that was no fold of the longer one stops.
        return Ok(Content::Otherwise(verdict));
    }
    let (sealed, binding) = fold_prefix(log, agent, sidecar.header().covered)?;
    let again = Sidecar::open(Store::Memory(encode(
        &sealed,
        Parameters::of(agent),
        &binding,
        log.form(),
    )?))?;
    if again.header().content_root != sidecar.header().content_root {
        return Ok(Content::Otherwise(Verdict::Damaged {
            section: crate::Tag::HEAD,
            what: "folding the log again gives another content".to_owned(),
        }));
    }
    Ok(Content::Proved(verdict))
}

/// What a receipt says of a log in this very state and is not so.
fn misstated(
    receipt: &Receipt,
    agent: &'static dyn Agent,
    sidecar: &Kept,
    tail: &Tail,
    facts: &LogFacts,
) -> Result<Option<String>, SidecarError> {
    let header = sidecar.header();
    if receipt.content_root != header.content_root {
        // Of another sidecar than lies here: that one is not believed for it.
        return Ok(None);
    }
    let turns = sidecar.checkpoint()?.turn;
    let says = [
        ("agent", receipt.agent == agent.name()),
        ("root", receipt.log_root == header.log_root),
        ("covered length", receipt.covered == header.covered.end.0),
        ("events", receipt.documents == header.documents),
        ("turns", receipt.turns == turns),
        ("task", receipt.task == facts.task),
        ("parent", receipt.parent == facts.parent),
        ("helper", receipt.helper == facts.helper),
        ("working directory", receipt.cwd == facts.cwd),
        ("title", receipt.title == facts.title),
        ("request", receipt.request == request_of(sidecar, tail)?),
        ("first time", receipt.started == facts.started),
        ("last time", receipt.ended == facts.ended),
    ];
    let wrong = says.iter().find(|(_, is_so)| !is_so);
    Ok(wrong.map(|(what, _)| format!("its {what} is another than the log's")))
}
