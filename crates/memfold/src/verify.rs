//! The full check: every sidecar against its log, folded again; then the receipts, the kept tails and the roll-up against
//! what that gave. Changes nothing, and names each file that is wrong with the command that mends it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use memfold_disk::{Identity, Links, Listings, Marked, Walk, walk};
use memfold_log::Form;
use memfold_rollup::RollupError;
use memfold_sidecar::{
    Checked, Keeper, Need, Place, Receipts, SidecarError, Verdict, Worth, beside, parted_from,
};
use rayon::prelude::*;

use crate::answer::{FoldReport, FoldRow, KeptKind, KeptRow};
use crate::cache::{self, Lying};
use crate::catalogue::{FOLDER_LIMITS, Found, LogEntry, place_of};
use crate::engine::Memfold;
use crate::error::Error;
use crate::progress::Progress;
use crate::rollup::Rollup;
use crate::said::{Fault, Said};
use crate::upkeep::failed;

/// What is said of a file of a log of which there is no receipt.
const UNKNOWN: &str = "of a log that is not known; a rebuild removes it";

/// What a check found of one log.
struct Looked {
    row: FoldRow,
    kept: Vec<KeptRow>,
    /// What the log says, where the roll-up speaks of it.
    said: Option<Said>,
}

impl Memfold {
    /// Checks what is derived of logs in full: every byte of a sidecar, the log's hashes, and that folding again gives the
    /// same; that receipts, kept tails and the roll-up say what the logs do. Where no path is named, the repository's index
    /// too. Changes nothing.
    ///
    /// # Errors
    /// As [`Memfold::fold`].
    pub fn verify(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<FoldReport, Error> {
        let receipts = self.receipts();
        let Found {
            logs,
            mut notes,
            walked,
            ..
        } = self.listing_anew(|| self.named(paths, &receipts))?;
        let orphans = self.orphans(paths, &logs, Need::Search);
        let rollup = self.open_rollup();
        let mut places = HashMap::new();
        let work: Vec<(LogEntry, Place)> = logs
            .into_iter()
            .map(|entry| {
                let place = match (place_of(&entry, &mut places), receipts.of(&entry.path)) {
                    (Place::Beside, Some(receipt)) => receipt.place,
                    (place, _) => place,
                };
                (entry, place)
            })
            .collect();
        progress.begin(work.len(), work.iter().map(|(entry, _)| entry.bytes).sum());
        let looked: Vec<Looked> = work
            .par_iter()
            .filter_map(|(entry, place)| {
                if progress.stop() {
                    return None;
                }
                let looked = self.look(entry, *place, &receipts, rollup.as_ref().ok());
                progress.advance(entry.bytes);
                Some(looked)
            })
            .collect();
        progress.end();
        if looked.len() < work.len() {
            notes.push(format!(
                "{} logs were not reached",
                work.len() - looked.len()
            ));
        }
        let (mut rows, mut kept, mut said) = (orphans, Vec::new(), Vec::new());
        for of_log in looked {
            rows.push(of_log.row);
            kept.extend(of_log.kept);
            said.extend(of_log.said);
        }
        let verified: HashSet<PathBuf> = work.into_iter().map(|(entry, _)| entry.path).collect();
        match cache::lying(&self.dirs().cache) {
            Ok(lying) => {
                kept.extend(self.look_around(&lying, &receipts, &verified, &rollup));
                kept.extend(self.look_at_listings(&walked));
            }
            Err(error) => notes.push(format!(
                "{}: nothing can be kept there: {error}",
                self.dirs().cache.display()
            )),
        }
        if let Ok(rollup) = &rollup {
            let (told, behind) = look_at_rollup(rollup, &said);
            kept.extend(told);
            if behind > 0 {
                notes.push(format!(
                    "the roll-up has {behind} logs in another state than they are in: they are opened one by one"
                ));
            }
        }
        for row in kept.iter_mut().filter(|row| row.wrong) {
            row.mend = mending(paths);
        }
        if paths.is_empty() {
            match self.verify_repo() {
                Ok(of_index) => kept.extend(of_index),
                Err(error) => {
                    notes.push(format!("the repository's index was not checked: {error}"))
                }
            }
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        kept.sort_by(|a, b| (&a.path, &a.found).cmp(&(&b.path, &b.found)));
        let wrong = rows.iter().filter(|row| row.wrong).count()
            + kept.iter().filter(|row| row.wrong).count();
        Ok(FoldReport {
            schema: 1,
            logs: rows,
            kept,
            sums: Vec::new(),
            notes,
            wrong,
        })
    }

    /// One log, with what is kept of it.
    fn look(
        &self,
        entry: &LogEntry,
        place: Place,
        receipts: &Receipts,
        rollup: Option<&Rollup>,
    ) -> Looked {
        let log = entry.open();
        let checked = match self.keeper().verify(&log, entry.agent, place, receipts) {
            Ok(checked) => checked,
            Err(error) => {
                return Looked {
                    row: FoldRow {
                        wrong: true,
                        ..failed(entry, &error)
                    },
                    kept: Vec::new(),
                    said: None,
                };
            }
        };
        let Checked {
            verdict,
            proved,
            misstated,
            tail,
        } = checked;
        let mut kept = Vec::new();
        if let Some(what) = misstated {
            let path = Receipts::file(&self.dirs().cache);
            let what = format!("{}: {what}", entry.path.display());
            kept.push(wrong(path, KeptKind::Receipts, what));
        }
        let [_, tail_path] = self.keeper().kept_elsewhere(&entry.path);
        kept.extend(of_worth(tail_path, KeptKind::Tail, &tail));
        let is_rolled =
            rollup.is_some_and(|rollup| rollup.find(&entry.path, &entry.identity).is_some());
        let said = is_rolled.then(|| -> Result<Said, SidecarError> {
            match proved {
                Some(proved) => Said::of(entry, &proved),
                None => Said::of(entry, &self.keeper().folded(&log, entry.agent)?),
            }
        });
        Looked {
            row: self.verified(entry, place, &verdict),
            kept,
            // A log that cannot be folded has said so already.
            said: said.and_then(Result::ok),
        }
    }

    /// What lies in the cache folder beside that: files of other logs by their own bytes alone, and leftovers.
    fn look_around(
        &self,
        lying: &[Lying],
        receipts: &Receipts,
        verified: &HashSet<PathBuf>,
        rollup: &Result<Rollup, RollupError>,
    ) -> Vec<KeptRow> {
        let own: HashSet<PathBuf> = self.kept_of(verified.iter().map(PathBuf::as_path));
        let known: HashSet<PathBuf> = self.kept_of(receipts.all().map(|(log, _)| log));
        let named: HashSet<PathBuf> = rollup.iter().flat_map(Rollup::files).collect();
        let mut rows = Vec::new();
        for Lying {
            path,
            kind,
            instead,
        } in lying
        {
            let row = |found: &str| KeptRow {
                path: path.clone(),
                kind: *kind,
                found: found.to_owned(),
                done: "nothing".to_owned(),
                wrong: false,
                mend: Vec::new(),
            };
            let of = parted_from(path).unwrap_or_else(|| path.clone());
            let is_known = own.contains(&of) || known.contains(&of);
            match (kind, instead) {
                (KeptKind::Other, _) => rows.push(row("not memfold's; left as it is")),
                (KeptKind::SetAside, _) => rows.push(row("set aside; a rebuild removes it")),
                (KeptKind::Temporary, _) => {
                    rows.push(row(
                        "being written, or left over: a rebuild removes it then",
                    ));
                }
                (_, Some(instead)) => rows.push(wrong(path.clone(), *kind, *instead)),
                (KeptKind::Receipts, None) => {
                    rows.extend(of_worth(
                        path.clone(),
                        *kind,
                        &Receipts::worth(&self.dirs().cache),
                    ));
                }
                (KeptKind::Catalogue, None) => match rollup {
                    Ok(_) => {}
                    Err(RollupError::OtherVersion) => {
                        rows.push(row("another version's; a search makes it anew"));
                    }
                    Err(error @ RollupError::NewerVersion) => rows.push(row(&error.to_string())),
                    Err(error) => rows.push(wrong(path.clone(), *kind, error.to_string())),
                },
                // Whose they are, a catalogue that cannot be read would say.
                (KeptKind::Shard, None) if matches!(rollup, Err(RollupError::NewerVersion)) => {}
                (KeptKind::Shard, None) if !named.contains(path) => {
                    rows.push(row("left over; a rebuild removes it"));
                }
                (KeptKind::Tail, None) if !own.contains(path) => {
                    let worth = Keeper::tail_worth(path);
                    match worth {
                        Worth::Sound if !is_known => rows.push(row(UNKNOWN)),
                        _ => rows.extend(of_worth(path.clone(), *kind, &worth)),
                    }
                }
                (KeptKind::Sidecar, None) if !is_known => rows.push(row(UNKNOWN)),
                _ => {}
            }
        }
        rows
    }

    /// Whether what is kept of folders is what they hold.
    fn look_at_listings(&self, walked: &[PathBuf]) -> Option<KeptRow> {
        let cache = &self.dirs().cache;
        let path = || Listings::file(cache);
        match Listings::check(cache) {
            Ok(None) => None,
            Ok(Some(mut known)) => {
                let other = walked.iter().find(|folder| {
                    let there: Vec<PathBuf> = logs_below(walk(*folder, FOLDER_LIMITS));
                    logs_below(walk(*folder, FOLDER_LIMITS).knowing(&mut known)) != there
                        // Not if something came or went just now.
                        && there == logs_below(walk(*folder, FOLDER_LIMITS))
                })?;
                let what = format!("{}: it holds other names", other.display());
                Some(wrong(path(), KeptKind::Listings, what))
            }
            Err(Marked::Older) => of_worth(path(), KeptKind::Listings, &Worth::Older),
            Err(Marked::Newer) => of_worth(path(), KeptKind::Listings, &Worth::Newer),
            Err(Marked::Ours | Marked::Otherwise) => {
                Some(wrong(path(), KeptKind::Listings, "damaged"))
            }
        }
    }

    /// Where what is kept of logs elsewhere than beside them lies.
    pub(crate) fn kept_of<'l>(&self, logs: impl Iterator<Item = &'l Path>) -> HashSet<PathBuf> {
        logs.flat_map(|log| self.keeper().kept_elsewhere(log))
            .collect()
    }

    fn verified(&self, entry: &LogEntry, place: Place, verdict: &Verdict) -> FoldRow {
        let path = match place {
            Place::Beside => beside(&entry.path),
            Place::Cache => self.keeper().kept_in_cache(&entry.path, entry.agent),
        };
        let wrong = match verdict {
            // Missing or behind is said, not wrong; so is what another version of the program has to judge, and what answers
            // nothing.
            Verdict::Current
            | Verdict::Appended { .. }
            | Verdict::Missing
            | Verdict::Orphan
            | Verdict::Moved
            | Verdict::Unproven => false,
            Verdict::FoldChanged { .. }
            | Verdict::NewerFold { .. }
            | Verdict::NewerFormat { .. } => false,
            Verdict::OlderFormat { .. } | Verdict::OtherForm => false,
            Verdict::LogTruncated { covered, length } => length < covered,
            Verdict::LogRewritten { .. } | Verdict::LogReplaced => true,
            Verdict::Damaged { .. } | Verdict::Unreadable { .. } => true,
        };
        FoldRow {
            path: entry.path.clone(),
            verdict: verdict.word(),
            found: verdict.to_string(),
            done: "nothing".to_owned(),
            wrong,
            bytes: entry.bytes,
            sidecar_bytes: Identity::at(path, Links::Refuse)
                .ok()
                .map(|identity| identity.size),
            events: None,
            turns: None,
            mend: match wrong {
                true => mending(std::slice::from_ref(&entry.path)),
                false => Vec::new(),
            },
        }
    }
}

impl Rollup {
    /// The files that it consists of.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let shards = self.catalogue.shards().iter();
        shards.map(|shard| self.path_of(shard)).collect()
    }
}

/// What is wrong with the roll-up; with it, how many of the logs it has are in another state by now.
fn look_at_rollup(rollup: &Rollup, said: &[Said]) -> (Vec<KeptRow>, usize) {
    let mut faults = rollup.faults();
    let broken: HashSet<_> = faults.iter().map(|fault| fault.shard).collect();
    let disagreements = rollup.disagreements(said);
    faults.extend(
        disagreements
            .into_iter()
            .filter(|fault| !broken.contains(&fault.shard)),
    );
    let is_behind = |row: &memfold_rollup::RowId| {
        let now = Identity::at(rollup.catalogue.path(*row), Links::Follow);
        now.ok() != rollup.catalogue.identity(*row)
    };
    let behind = rollup.catalogue.rows().filter(is_behind).count();
    let told = faults.into_iter().map(|Fault { shard, what }| {
        let row = shard.and_then(|shard| rollup.catalogue.shards().get(shard.0));
        match row {
            Some(row) => wrong(rollup.path_of(row), KeptKind::Shard, what),
            None => wrong(rollup.file(), KeptKind::Catalogue, what),
        }
    });
    (told.collect(), behind)
}

fn wrong(path: PathBuf, kind: KeptKind, found: impl Into<String>) -> KeptRow {
    KeptRow {
        path,
        kind,
        found: found.into(),
        done: "nothing".to_owned(),
        wrong: true,
        mend: Vec::new(),
    }
}

/// A row for what a file is worth, if there is anything to say of it.
fn of_worth(path: PathBuf, kind: KeptKind, worth: &Worth) -> Option<KeptRow> {
    let is_wrong = match worth {
        Worth::Sound | Worth::Missing => return None,
        Worth::Damaged(_) | Worth::Unreadable(_) => true,
        Worth::Stale | Worth::Older | Worth::Newer => false,
    };
    Some(KeptRow {
        wrong: is_wrong,
        ..wrong(path, kind, worth.to_string())
    })
}

/// The logs that a walk finds, by their names.
fn logs_below(walk: Walk<'_>) -> Vec<PathBuf> {
    let logs = walk.files(|name| Form::of(Path::new(name)).is_some());
    logs.flatten().map(|log| log.path).collect()
}

/// The command that mends what a check of these paths found.
fn mending(paths: &[PathBuf]) -> Vec<String> {
    let mut command = vec!["memfold".to_owned(), "rebuild".to_owned()];
    let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    command.extend(paths.iter().map(|path| whole(path).display().to_string()));
    command
}
