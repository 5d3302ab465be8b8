//! The upkeep of sidecars: fold and forget, and what `verify` and `rebuild` need besides. Each says, log by log, what it
//! found and what it did.

use std::collections::{HashMap, HashSet};
use std::iter;
use std::path::{Path, PathBuf};

use memfold_disk::{Identity, Limits, Links, walk};
use memfold_sidecar::{Bytes, Done, Keeping, Need, Place, Receipts, SidecarError, Verdict, beside};

use crate::answer::{FoldReport, FoldRow, Forgotten};
use crate::cache::kept_apart;
use crate::catalogue::{Found, LogEntry, place_in, place_of};
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::Progress;
use crate::ready::KeptLog;
use crate::request::Logs;

const FOLDER_LIMITS: Limits = Limits {
    depth: 24,
    entries: 2_000_000,
};

impl Memfold {
    /// Brings sidecars up to date: of the paths given (logs or folders), else of the project's logs.
    ///
    /// # Errors
    /// If a path cannot be read. Faults of single logs are rows of the report.
    pub fn fold(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<FoldReport, Error> {
        let mut receipts = self.receipts();
        let found = self.named(paths, &receipts)?;
        let mut notes = found.notes.clone();
        let mut rows = self.orphans(paths, &found.logs, Need::Fold);
        let mut left = 0;
        for KeptLog {
            entry,
            keeping: kept,
            ..
        } in self.keep_all(found.logs.clone(), &receipts, Need::Fold, progress)
        {
            match kept {
                None => left += 1,
                Some(Ok(keeping)) => {
                    rows.push(row_of(&entry, &keeping));
                    notes.extend(keeping.notes);
                    if let Some(receipt) = keeping.receipt {
                        receipts.put(&entry.path, receipt);
                    }
                }
                Some(Err(error)) => rows.push(failed(&entry, &error)),
            }
        }
        if left > 0 {
            notes.push(format!("{left} older logs were not reached"));
        }
        // Not before what was moved has been known by the receipt of where it was.
        self.forget_gone(&mut receipts, &mut rows);
        self.save(&mut receipts, &mut notes);
        self.sweep_leftovers(&found, &receipts);
        if !progress.stop() {
            self.roll_folded(&found, &receipts, progress);
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(FoldReport {
            schema: 1,
            logs: rows,
            kept: Vec::new(),
            sums: Vec::new(),
            notes,
            wrong: 0,
        })
    }

    /// The logs that a call names.
    pub(crate) fn named(&self, paths: &[PathBuf], receipts: &Receipts) -> Result<Found, Error> {
        let logs = if paths.is_empty() {
            Logs::Project
        } else {
            Logs::Below(paths.to_vec())
        };
        let mut found = self.find(&logs, receipts)?;
        if found.logs.is_empty() {
            found.notes.push(match paths {
                [] => format!("no agent's log of {} was found", self.project().display()),
                _ => "no agent's log was found there".to_owned(),
            });
        }
        Ok(found)
    }

    /// Sidecars whose log is gone answer nothing, and go: those beside the named logs and below the named folders. In a work
    /// tree nothing is ours: what lies there came with a clone.
    pub(crate) fn orphans(&self, paths: &[PathBuf], logs: &[LogEntry], need: Need) -> Vec<FoldRow> {
        let mut rows = Vec::new();
        let mut places = HashMap::new();
        let files = || logs.iter().filter(|log| log.session.is_none());
        let known: HashSet<PathBuf> = files().map(|log| beside(&log.path)).collect();
        let mut folders: HashSet<PathBuf> = files()
            .filter_map(|log| Some(log.path.parent()?.to_owned()))
            .collect();
        let mut seen = HashSet::new();
        for path in paths.iter().filter(|path| path.is_dir()) {
            let Ok(real) = memfold_disk::resolve(path) else {
                continue;
            };
            for file in walk(&real, FOLDER_LIMITS)
                .files(|name| Path::new(name).extension().is_some_and(|end| end == "mem"))
                .flatten()
            {
                folders.extend(file.path.parent().map(Path::to_owned));
            }
        }
        for folder in folders {
            for file in walk(
                &folder,
                Limits {
                    depth: 1,
                    ..FOLDER_LIMITS
                },
            )
            .files(|name| Path::new(name).extension().is_some_and(|end| end == "mem"))
            .flatten()
            {
                // What is kept in the cache has its log elsewhere.
                if !known.contains(&file.path)
                    && !memfold_disk::is_below(&file.path, &self.dirs().cache)
                    && !has_log(&file.path)
                    && place_in(file.path.parent().unwrap_or(&folder), &mut places) == Place::Beside
                    && is_ours(&file.path)
                    && seen.insert(file.path.clone())
                {
                    rows.push(orphan(file.path, need));
                }
            }
        }
        rows
    }

    /// Drops what is remembered and kept of logs that are gone. How many there were.
    pub(crate) fn forget_gone(&self, receipts: &mut Receipts, rows: &mut Vec<FoldRow>) -> usize {
        let lost = self.lost_sessions(receipts);
        let gone: Vec<PathBuf> = receipts
            .all()
            .filter(|(log, _)| {
                lost.contains(*log)
                    || matches!(Identity::at(log, Links::Follow), Err(error) if error.is_not_found())
            })
            .map(|(log, _)| log.to_owned())
            .collect();
        if gone.is_empty() {
            return 0;
        }
        let mut apart = kept_apart(&self.dirs().cache);
        for log in &gone {
            let [cached, tail] = self.keeper().kept_elsewhere(log);
            let apart = apart.remove(&cached).unwrap_or_default();
            for sidecar in iter::once(cached).chain(apart).filter(|path| is_ours(path)) {
                rows.push(orphan(sidecar, Need::Fold));
            }
            // Disposable and never named to anyone.
            let _ = memfold_disk::remove(tail);
            receipts.drop(log);
        }
        gone.len()
    }

    /// Removes the sidecars of the project's logs and what else memfold wrote about them. Logs stay.
    ///
    /// # Errors
    /// If the stores cannot be read.
    pub fn forget_sessions(&self) -> Result<Forgotten, Error> {
        let mut receipts = self.receipts();
        let found = self.find(&Logs::Project, &receipts)?;
        let mut forgotten = Forgotten {
            schema: 1,
            sidecars: 0,
            files: 0,
            bytes: 0,
            notes: found.notes.clone(),
        };
        let mut places = HashMap::new();
        let mut touched = HashSet::new();
        let mut apart = kept_apart(&self.dirs().cache);
        for entry in &found.logs {
            let sidecar = beside(&entry.path);
            let [cached, tail] = self.keeper().kept_elsewhere(&entry.path);
            let mut ours = vec![(aside(&cached), false)];
            for sidecar in apart.remove(&cached).unwrap_or_default() {
                ours.extend([(aside(&sidecar), false), (sidecar, true)]);
            }
            ours.push((cached, true));
            if place_of(entry, &mut places) == Place::Beside {
                ours.extend([(aside(&sidecar), false), (sidecar, true)]);
            }
            ours.retain(|(path, _)| is_ours(path));
            ours.extend(tail.is_file().then_some((tail, false)));
            for (path, is_sidecar) in ours {
                let bytes = Identity::at(&path, Links::Refuse).map_or(0, |identity| identity.size);
                match memfold_disk::remove(&path) {
                    Ok(()) => {
                        touched.extend(path.parent().map(Path::to_owned));
                        forgotten.bytes += bytes;
                        *(if is_sidecar {
                            &mut forgotten.sidecars
                        } else {
                            &mut forgotten.files
                        }) += 1;
                    }
                    Err(error) => forgotten.notes.push(error.to_string()),
                }
            }
            receipts.drop(&entry.path);
        }
        self.drop_rollup();
        self.drop_listings();
        self.save(&mut receipts, &mut forgotten.notes);
        self.sweep_leftovers(&found, &receipts);
        for folder in touched {
            if let Err(error) = memfold_disk::sync_names(&folder) {
                forgotten.notes.push(format!(
                    "what was removed may be back after a loss of power: {error}"
                ));
            }
        }
        Ok(forgotten)
    }
}

pub(crate) fn row_of(entry: &LogEntry, keeping: &Keeping) -> FoldRow {
    let header = keeping.sidecar.header();
    FoldRow {
        path: entry.path.clone(),
        verdict: keeping.verdict.word(),
        found: keeping.verdict.to_string(),
        done: keeping.done.to_string(),
        wrong: false,
        bytes: entry.bytes,
        sidecar_bytes: match keeping.done {
            Done::InMemory(_) => None,
            _ => Some(keeping.sidecar.bytes().length()),
        },
        events: Some(header.documents),
        turns: keeping
            .sidecar
            .checkpoint()
            .ok()
            .map(|checkpoint| checkpoint.turn),
        mend: Vec::new(),
    }
}

pub(crate) fn failed(entry: &LogEntry, error: &SidecarError) -> FoldRow {
    FoldRow {
        path: entry.path.clone(),
        verdict: "unreadable",
        found: error.to_string(),
        done: format!("failed: {error}"),
        wrong: false,
        bytes: entry.bytes,
        sidecar_bytes: None,
        events: None,
        turns: None,
        mend: Vec::new(),
    }
}

/// A sidecar whose log is gone: removed, unless it is only looked at.
fn orphan(sidecar: PathBuf, need: Need) -> FoldRow {
    let bytes = Identity::at(&sidecar, Links::Refuse)
        .ok()
        .map(|identity| identity.size);
    let done = match need {
        Need::Fold | Need::Rebuild => {
            let damaged = aside(&sidecar);
            if is_ours(&damaged) {
                // It is of the same log; that it stays would be told by nothing.
                let _ = memfold_disk::remove(damaged);
            }
            match memfold_disk::remove(&sidecar) {
                Ok(()) => "removed".to_owned(),
                Err(error) => format!("failed: {error}"),
            }
        }
        Need::Search | Need::Again => "nothing".to_owned(),
    };
    FoldRow {
        path: sidecar,
        verdict: Verdict::Orphan.word(),
        found: Verdict::Orphan.to_string(),
        done,
        wrong: false,
        bytes: 0,
        sidecar_bytes: bytes,
        events: None,
        turns: None,
        mend: Vec::new(),
    }
}

/// Where a sidecar lies once it was found damaged.
pub(crate) fn aside(sidecar: &Path) -> PathBuf {
    let mut name = sidecar.to_owned().into_os_string();
    name.push(".damaged");
    PathBuf::from(name)
}

/// Whether a sidecar has a log beside it in any form.
fn has_log(sidecar: &Path) -> bool {
    let stem = sidecar.with_extension("");
    ["jsonl", "jsonl.zst", "jsonl.zstd", "json"]
        .iter()
        .any(|end| {
            let mut name = stem.as_os_str().to_owned();
            name.push(".");
            name.push(end);
            Path::new(&name).exists()
        })
}

/// Whether a file is one of our sidecars, damaged or not: nothing else is ever removed. It is if it begins as a file of ours
/// does, if its section table begins where ours do, or if there is nothing in it.
pub(crate) fn is_ours(path: &Path) -> bool {
    let Ok(file) = memfold_disk::Snapshot::open(path, Links::Refuse) else {
        return false;
    };
    let head = usize::try_from(file.len().min(HEAD)).unwrap_or(0);
    let Ok(head) = file.read_at(0, head) else {
        return false;
    };
    let magic = memfold_sidecar::MAGIC;
    let begins = head.iter().zip(&magic).all(|(byte, ours)| byte == ours);
    let has_table = head
        .get(FIRST_TAG..)
        .is_some_and(|table| table.starts_with(b"BLKH"));
    let is_empty = file.len() <= HEAD && head.iter().all(|byte| *byte == 0);
    begins
        || has_table
        || is_empty
        || [&b"memshrd"[..], b"memroll", b"memtail", b"memrcpt"]
            .iter()
            .any(|ours| head.starts_with(ours))
}

/// So much of a file tells whether it is ours.
const HEAD: u64 = 4096;
/// Where a sidecar's section table begins, with the tag of a section that every one has first.
const FIRST_TAG: usize = 176;
