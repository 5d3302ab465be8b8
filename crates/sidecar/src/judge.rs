//! What a sidecar is worth against its log: opened, looked at as far as no receipt vouches for it, and given a verdict.
//! Relies on [`Receipts`] for what this machine proved before, on the binding for everything else.

use std::io;
use std::path::{Path, PathBuf};

use memfold_agents::Agent;
use memfold_disk::{Identity, Links, Snapshot};
use memfold_fold::Parameters;
use memfold_log::{Form, Offset, ZstdError};
use sha2::{Digest, Sha256};

use crate::binding::Proof;
use crate::bytes::Bytes;
use crate::keeping::{Kept, Store};
use crate::log_file::LogFile;
use crate::receipts::{Receipt, Receipts, beside};
use crate::stop::{Stop, Stoppable};
use crate::verdict::Verdict;
use crate::{Sidecar, SidecarError, verify_bytes};

/// What was found of a sidecar.
pub(crate) struct Examined {
    pub(crate) verdict: Verdict,
    /// The sidecar, where it can be read.
    pub(crate) sidecar: Option<Kept>,
    /// What stat says of it.
    pub(crate) identity: Option<Identity>,
}

/// What a sidecar is worth against its log.
///
/// # Errors
/// Only if it is to stop before that is known.
pub(crate) fn examine(
    log: &LogFile,
    agent: &'static dyn Agent,
    path: &Path,
    receipts: &Receipts,
    stop: Stop<'_>,
) -> Result<Examined, SidecarError> {
    let nothing = |verdict| Examined {
        verdict,
        sidecar: None,
        identity: None,
    };
    let file = match Snapshot::open(path, Links::Refuse) {
        Ok(file) => file,
        Err(error) if error.is_not_found() => return Ok(nothing(Verdict::Missing)),
        Err(error) => {
            return Ok(nothing(Verdict::Unreadable {
                why: error.to_string(),
            }));
        }
    };
    let identity = file.identity();
    let judged = Sidecar::open(Store::File(file)).and_then(|sidecar| {
        let verdict = judge(log, agent, &sidecar, identity, receipts, stop)?;
        Ok((verdict, sidecar))
    });
    match judged {
        Ok((verdict, sidecar)) => Ok(Examined {
            verdict,
            sidecar: Some(sidecar),
            identity: Some(identity),
        }),
        Err(SidecarError::Stopped) => Err(SidecarError::Stopped),
        Err(error) => Ok(Examined {
            verdict: verdict_of(error),
            sidecar: None,
            identity: Some(identity),
        }),
    }
}

/// What a sidecar that can be opened is worth against its log.
fn judge(
    log: &LogFile,
    agent: &'static dyn Agent,
    sidecar: &Kept,
    identity: Identity,
    receipts: &Receipts,
    stop: Stop<'_>,
) -> Result<Verdict, SidecarError> {
    let header = sidecar.header();
    let receipt = receipts.of(log.path());
    let ours = Parameters::of(agent);
    if header.form != log.form() {
        // A host that compresses a log leaves the sidecar of the plain one behind.
        return Ok(
            if others(log, header.form).iter().any(|other| other.exists()) {
                Verdict::OtherForm
            } else {
                Verdict::Orphan
            },
        );
    }
    if header.fold.version > ours.version {
        return Ok(Verdict::NewerFold {
            version: header.fold.version,
        });
    }
    let of_this_file = receipt.filter(|receipt| {
        Identity::from_bytes(&receipt.sidecar) == identity
            && receipt.content_root == header.content_root
    });
    if of_this_file.is_none() {
        // Changed since, or never seen here: every byte is looked at before one is believed.
        verify_bytes(&whole(sidecar)?)?;
    }
    if header.fold != ours {
        // Another agent's log is folded by other rules, too.
        return Ok(if is_replaced(log, agent, sidecar)? {
            Verdict::LogReplaced
        } else {
            Verdict::FoldChanged {
                from: header.fold.version,
                to: ours.version,
            }
        });
    }
    let unchanged = of_this_file.is_some_and(|receipt| receipt.holds_for(&log.identity()));
    if !unchanged && let Some(verdict) = against_log(log, agent, sidecar, stop)? {
        return Ok(verdict);
    }
    if let Some(length) = receipt.filter(|_| unchanged).and_then(|known| known.length) {
        log.is_as_long_as(length);
    }
    let Some(known) = known_content(receipts, log, sidecar) else {
        return Ok(Verdict::Unproven);
    };
    let (before, now) = match log.text_length() {
        Some(length) => (known.folded, length),
        None => (Identity::from_bytes(&known.log).size, log.identity().size),
    };
    Ok(match receipt {
        // What was cut had not been covered: the sidecar holds for what is left.
        _ if now < before && log.form().grows() => Verdict::LogTruncated {
            covered: header.covered.end.0,
            length: now,
        },
        _ if before != now => Verdict::Appended {
            from: before,
            to: now,
        },
        None => Verdict::Moved,
        Some(_) => Verdict::Current,
    })
}

/// The receipt of a sidecar's content: this log's own, or that of the log it was moved with.
pub(crate) fn known_content<'r>(
    receipts: &'r Receipts,
    log: &LogFile,
    sidecar: &Kept,
) -> Option<&'r Receipt> {
    let header = sidecar.header();
    receipts
        .of(log.path())
        .filter(|receipt| receipt.content_root == header.content_root)
        .or_else(|| receipts.with_content(&header.content_root))
        .filter(|receipt| receipt.log_root == header.log_root)
}

/// Compares the log with what the sidecar covers; nothing if it is the same.
pub(crate) fn against_log(
    log: &LogFile,
    agent: &'static dyn Agent,
    sidecar: &Kept,
    stop: Stop<'_>,
) -> Result<Option<Verdict>, SidecarError> {
    let binding = sidecar.binding()?;
    let unreadable = |error: io::Error| SidecarError::of_log(&error);
    let cut = |length| Verdict::LogTruncated {
        covered: binding.covered,
        length,
    };
    let proof = log.text(Offset(0)).and_then(|text| {
        let mut text = Stoppable { text, stop };
        let proof = binding.full(&mut text)?;
        if log.form() == Form::Rows {
            // How long it is shows at its end.
            io::copy(&mut text, &mut io::sink())?;
        }
        Ok(proof)
    });
    Ok(match proof {
        Ok(Proof::Same) => None,
        // What a compressed log was cut to is not known before it is folded again.
        Err(error) if ZstdError::within(&error) == Some(&ZstdError::Cut) => {
            Some(cut(log.identity().size))
        }
        Err(error) => return Err(unreadable(error)),
        Ok(_) if is_replaced(log, agent, sidecar)? => Some(Verdict::LogReplaced),
        Ok(Proof::Short { length }) => Some(cut(length)),
        Ok(Proof::Differs { block }) => Some(match log.text_length() {
            // A log cut inside the block that differs: told apart by what is left of it.
            Some(length) if length < binding.covered => cut(length),
            _ => Verdict::LogRewritten { block },
        }),
    })
}

/// Whether the log's first line is another than the one that was folded. A log cut within its first line has none.
fn is_replaced(
    log: &LogFile,
    agent: &'static dyn Agent,
    sidecar: &Kept,
) -> Result<bool, SidecarError> {
    let first = sidecar.checkpoint()?.first_line;
    let mut frames = log
        .frames(agent, memfold_log::Position::START)
        .map_err(|error| SidecarError::of_log(&error))?;
    let line = match frames.next(&mut |_| {}) {
        Ok(line) => line,
        Err(error) if error.is_of_the_form() => None,
        Err(error) => return Err(SidecarError::of_log(&error)),
    };
    Ok(line
        .filter(memfold_log::Line::is_whole_object)
        .and_then(|line| line.text())
        .is_some_and(|text| first != [0; 32] && <[u8; 32]>::from(Sha256::digest(text)) != first))
}

/// The other files that the sidecar of a log could be of, in another form.
fn others(log: &LogFile, form: Form) -> Vec<PathBuf> {
    let stem = beside(log.path()).with_extension("");
    let endings: &[&str] = match form {
        Form::Lines => &["jsonl"],
        Form::CompressedLines => &["jsonl.zst", "jsonl.zstd"],
        Form::Document => &["json"],
        Form::Markdown => &["md"],
        Form::Rows => &[],
    };
    let named = |ending: &&str| {
        let mut name = stem.clone().into_os_string();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    };
    endings.iter().map(named).collect()
}

pub(crate) fn verdict_of(error: SidecarError) -> Verdict {
    match error {
        SidecarError::NewerFormat { what } => Verdict::NewerFormat { what },
        SidecarError::OlderFormat { version } => Verdict::OlderFormat { version },
        SidecarError::Damaged { section, what } => Verdict::Damaged { section, what },
        SidecarError::NotASidecar => Verdict::Damaged {
            section: crate::Tag::HEAD,
            what: "it does not begin as a sidecar does".to_owned(),
        },
        other => Verdict::Unreadable {
            why: other.to_string(),
        },
    }
}

/// All bytes of a sidecar.
pub(crate) fn whole(sidecar: &Kept) -> Result<Vec<u8>, SidecarError> {
    let bytes = sidecar.bytes();
    let length = usize::try_from(bytes.length()).map_err(|_| SidecarError::NotASidecar)?;
    Ok(bytes.read_at(0, length)?.into_owned())
}

/// What a newer program left in a place, which is not to be written over by a fold of version `ours`.
pub(crate) fn newer_than(path: &Path, ours: u32) -> Option<Verdict> {
    let file = Snapshot::open(path, Links::Refuse).ok()?;
    match Sidecar::open(Store::File(file)) {
        Ok(sidecar) if sidecar.header().fold.version > ours => Some(Verdict::NewerFold {
            version: sidecar.header().fold.version,
        }),
        Err(SidecarError::NewerFormat { what }) => Some(Verdict::NewerFormat { what }),
        _ => None,
    }
}
