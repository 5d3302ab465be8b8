//! Logs made ready: each with a sidecar that may be believed and the tail that follows it.
//! One log's fault is a note, never the end of the call; many logs are folded newest first, on all cores.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use memfold_disk::{Identity, Links};
use memfold_fold::Tail;
use memfold_fold::card::Card;
use memfold_fold::document::{Document, Keys, Link};
use memfold_fold::past::Past;
use memfold_sidecar::{
    Done, Keeping, Kept, LogFile, Need, Place, Receipts, SidecarError, Stop, to_the_end,
};
use rayon::prelude::*;

use crate::about::About;
use crate::catalogue::{LogEntry, place_of};
use crate::engine::Memfold;
use crate::progress::Progress;

/// A log that may be searched and read.
pub(crate) struct Ready {
    pub(crate) entry: LogEntry,
    pub(crate) file: LogFile,
    pub(crate) sidecar: Kept,
    pub(crate) tail: Option<Tail>,
    pub(crate) about: About,
    past: OnceLock<Past>,
    /// The card of the sidecar that was read last: hits of a turn stand together, and cards are packed.
    last_card: Mutex<Option<(u32, Card)>>,
    /// Some part of the sidecar could not be read, or does not fit the log.
    doubted: AtomicBool,
    /// It was folded again in this call.
    pub(crate) mended: bool,
    /// A later program made the sidecar that lies in its place.
    pub(crate) outdated: bool,
}

impl Ready {
    fn new(entry: LogEntry, file: LogFile, keeping: Keeping, about: About) -> Ready {
        let outdated = keeping.verdict.is_later();
        Ready {
            entry,
            file,
            sidecar: keeping.sidecar,
            tail: keeping.tail,
            about,
            past: OnceLock::new(),
            last_card: Mutex::default(),
            doubted: AtomicBool::new(false),
            mended: false,
            outdated,
        }
    }

    /// Notes that the sidecar cannot be read, or does not fit the log.
    pub(crate) fn doubt(&self) {
        self.doubted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_doubted(&self) -> bool {
        self.doubted.load(Ordering::Relaxed)
    }

    /// Whether the log should be folded again, which is done once.
    pub(crate) fn is_to_be_mended(&self) -> bool {
        self.is_doubted() && !self.mended
    }

    /// What was read of the sidecar, noting whether it could be.
    fn noted<T>(&self, read: Result<T, SidecarError>) -> Result<T, SidecarError> {
        if read.as_ref().is_err_and(|error| !error.is_of_the_log()) {
            self.doubt();
        }
        read
    }

    /// The ranked events of the sidecar; those of the tail are numbered after them.
    pub(crate) fn sealed_documents(&self) -> u32 {
        self.sidecar.header().documents
    }

    pub(crate) fn documents(&self) -> u32 {
        let tail = self.tail.as_ref().map_or(0, |tail| tail.documents.len());
        self.sealed_documents()
            .saturating_add(u32::try_from(tail).unwrap_or(u32::MAX))
    }

    /// A document's row, by its number in the log.
    pub(crate) fn document(&self, number: u32) -> Result<Document, SidecarError> {
        match number.checked_sub(self.sealed_documents()) {
            None => self.noted(self.sidecar.document(number)),
            Some(after) => self
                .tail
                .as_ref()
                .and_then(|tail| tail.documents.get(usize::try_from(after).ok()?))
                .cloned()
                .ok_or_else(|| SidecarError::Log(format!("there is no document {number}"))),
        }
    }

    /// The rows of a range of documents, as far as there are any.
    pub(crate) fn documents_in(&self, range: Range<u32>) -> Result<Vec<Document>, SidecarError> {
        let sealed = self.sealed_documents();
        let mut documents = self.noted(
            self.sidecar
                .documents(range.start.min(sealed)..range.end.min(sealed)),
        )?;
        let place =
            |number: u32| usize::try_from(number.saturating_sub(sealed)).unwrap_or(usize::MAX);
        let tail = self.tail.iter().flat_map(|tail| &tail.documents);
        documents.extend(
            tail.take(place(range.end))
                .skip(place(range.start))
                .cloned(),
        );
        Ok(documents)
    }

    /// Every document's row.
    pub(crate) fn all_documents(&self) -> Result<Vec<Document>, SidecarError> {
        self.documents_in(0..self.documents())
    }

    pub(crate) fn keys(&self) -> Result<Vec<Keys>, SidecarError> {
        let mut keys = self.noted(self.sidecar.keys())?;
        keys.extend(self.tail.iter().flat_map(|tail| &tail.keys));
        Ok(keys)
    }

    /// What later lines of the log left of its past.
    pub(crate) fn past(&self) -> &Past {
        self.past.get_or_init(|| {
            let sealed = self.noted(self.sidecar.waypoints()).unwrap_or_default();
            let tail = self.tail.iter().flat_map(|tail| &tail.waypoints);
            Past::of(sealed.iter().chain(tail))
        })
    }

    /// A card, by its number in the log.
    pub(crate) fn card(&self, number: u32) -> Result<Card, SidecarError> {
        match &self.tail {
            Some(tail) if number >= tail.first_card => tail
                .cards
                .get(usize::try_from(number - tail.first_card).unwrap_or(usize::MAX))
                .cloned()
                .ok_or_else(|| SidecarError::Log(format!("there is no card {number}"))),
            _ => self.sealed_card(number),
        }
    }

    fn sealed_card(&self, number: u32) -> Result<Card, SidecarError> {
        let Ok(mut last) = self.last_card.lock() else {
            return self.noted(self.sidecar.card(number));
        };
        if let Some((_, card)) = last.as_ref().filter(|(known, _)| *known == number) {
            return Ok(card.clone());
        }
        let card = self.noted(self.sidecar.card(number))?;
        Ok(last.insert((number, card)).1.clone())
    }

    pub(crate) fn all_cards(&self) -> Result<Vec<Card>, SidecarError> {
        let mut cards = self.noted(self.sidecar.cards(0..self.sidecar.header().cards))?;
        cards.extend(self.tail.iter().flat_map(|tail| tail.cards.iter().cloned()));
        Ok(cards)
    }

    /// Whether a card's turn is not whole yet.
    pub(crate) fn is_open(&self, card: u32) -> bool {
        self.tail.as_ref().is_some_and(|tail| {
            u32::try_from(tail.cards.len())
                .ok()
                .and_then(|cards| tail.first_card.checked_add(cards)?.checked_sub(1))
                == Some(card)
        })
    }

    /// The calls that a result answers.
    pub(crate) fn calls_of(&self, result: u64) -> Result<Vec<Link>, SidecarError> {
        let mut links = self.noted(self.sidecar.links_of_result(result))?;
        links.extend(self.tail_links(|link| link.result_seq == result));
        Ok(links)
    }

    /// The results of a reply's calls.
    pub(crate) fn results_of(&self, reply: u64) -> Result<Vec<Link>, SidecarError> {
        let mut links = self.noted(self.sidecar.links_of_call(reply))?;
        links.extend(self.tail_links(|link| link.call_seq == reply));
        Ok(links)
    }

    fn tail_links(&self, wanted: impl Fn(&Link) -> bool) -> Vec<Link> {
        self.tail
            .iter()
            .flat_map(|tail| &tail.links)
            .filter(|link| wanted(link))
            .cloned()
            .collect()
    }

    /// The document of a line, with its number.
    pub(crate) fn document_of(&self, seq: u64) -> Result<Option<(u32, Document)>, SidecarError> {
        if let Some(found) = self.noted(self.sidecar.document_of(seq))? {
            return Ok(Some(found));
        }
        let tail = self.tail.as_ref().map_or(&[][..], |tail| &tail.documents);
        Ok(tail
            .iter()
            .position(|document| document.seq == seq)
            .and_then(|place| {
                let number = self
                    .sealed_documents()
                    .checked_add(u32::try_from(place).ok()?)?;
                Some((number, tail.get(place)?.clone()))
            }))
    }
}

/// What became of many logs.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) ready: Vec<Ready>,
    pub(crate) notes: Vec<String>,
    /// Logs that were left, since the call was to stop.
    pub(crate) left: usize,
    /// Logs that could not be read.
    pub(crate) unreadable: usize,
}

impl Memfold {
    /// Makes logs ready for a search, newest first.
    pub(crate) fn ready(
        &self,
        entries: Vec<LogEntry>,
        receipts: &mut Receipts,
        progress: &dyn Progress,
    ) -> Batch {
        let mut batch = Batch::default();
        let (mut not_kept, mut why_not) = (0usize, None);
        for KeptLog {
            entry,
            file,
            keeping,
        } in self.keep_all(entries, receipts, Need::Search, progress)
        {
            match keeping {
                None | Some(Err(SidecarError::Stopped)) => batch.left += 1,
                // The next call goes on from there.
                Some(Ok(keeping)) if keeping.stopped => {
                    batch.left += 1;
                    if let Some(receipt) = &keeping.receipt {
                        receipts.put(&entry.path, receipt.clone());
                    }
                }
                Some(Ok(keeping)) => {
                    if let Done::InMemory(why) = &keeping.done {
                        not_kept += 1;
                        why_not.get_or_insert_with(|| why.clone());
                    }
                    let ready = self.kept(entry, file, keeping, receipts, &mut batch.notes);
                    batch.ready.push(ready);
                }
                // Deleted since it was found: as if it had been a moment earlier.
                Some(Err(_)) if is_gone(&entry) => {}
                Some(Err(error)) => {
                    batch.unreadable += 1;
                    batch
                        .notes
                        .push(format!("{}: {error}", entry.path.display()));
                }
            }
        }
        if let Some(why) = why_not {
            batch.notes.push(format!(
                "for this search alone {not_kept} {} folded, no sidecar could be kept: {why}",
                if not_kept == 1 {
                    "log was"
                } else {
                    "logs were"
                }
            ));
        }
        self.save(receipts, &mut batch.notes);
        batch
    }

    /// One log that a receipt vouches for, opened to show an event of it.
    pub(crate) fn open_one(
        &self,
        entry: &LogEntry,
        receipts: &Receipts,
    ) -> Result<Ready, SidecarError> {
        let file = entry.open();
        let place = self.sidecar_place(entry);
        let keeping = self.keeper().keep(
            &file,
            entry.agent,
            place,
            receipts,
            Need::Search,
            &to_the_end,
        )?;
        let about = self.placed(entry, self.about(entry, &keeping, receipts));
        Ok(Ready::new(entry.clone(), file, keeping, about))
    }

    /// A log as it was kept.
    pub(crate) fn kept(
        &self,
        entry: LogEntry,
        file: LogFile,
        keeping: Keeping,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
    ) -> Ready {
        let about = self.placed(&entry, self.about(&entry, &keeping, receipts));
        if let Some(receipt) = &keeping.receipt {
            receipts.put(&entry.path, receipt.clone());
        }
        // That a sidecar is a later program's is said once for all logs.
        let said = usize::from(keeping.verdict.is_later());
        notes.extend(keeping.notes.iter().skip(said).cloned());
        Ready::new(entry, file, keeping, about)
    }

    fn about(&self, entry: &LogEntry, keeping: &Keeping, receipts: &Receipts) -> About {
        let receipt = keeping
            .receipt
            .as_ref()
            .or_else(|| receipts.of(&entry.path));
        if let Some(session) = &entry.session {
            return About::of_session(entry, &session.facts, receipt);
        }
        match (&keeping.facts, receipt) {
            // Folded, and no receipt of it can be kept: one that is there tells of other lines.
            (Some(facts), _) => About::new(entry, facts),
            (None, Some(receipt)) => About::of_receipt(entry, receipt),
            (None, None) => keeping
                .sidecar
                .checkpoint()
                .map(|checkpoint| About::new(entry, &checkpoint.facts))
                .unwrap_or_else(|_| About::of(entry, None, None, None)),
        }
    }

    fn save_now_and_then(&self, kept: &KeptLog, saved: &Mutex<(Receipts, Instant)>) {
        let Some(Ok(Keeping {
            receipt: Some(receipt),
            ..
        })) = &kept.keeping
        else {
            return;
        };
        let Ok(mut saved) = saved.lock() else { return };
        saved.0.put(&kept.entry.path, receipt.clone());
        if saved.1.elapsed() >= SAVE_EVERY {
            // Not saved now, it is saved at the end of the call.
            let _ = saved.0.save(self.locks());
            saved.1 = Instant::now();
        }
    }

    /// Keeps the sidecar of one log. Where the log changed since it was looked at, it is looked at again.
    pub(crate) fn keep_as_it_is_now(
        &self,
        mut entry: LogEntry,
        mut file: LogFile,
        place: Place,
        receipts: &Receipts,
        need: Need,
        stop: Stop<'_>,
    ) -> KeptLog {
        let mut looks = 0;
        loop {
            let keeping = self
                .keeper()
                .keep(&file, entry.agent, place, receipts, need, stop);
            looks += 1;
            let now = match &keeping {
                Err(error) if error.is_of_the_log() && looks < LOOKS => {
                    Identity::at(&entry.path, Links::Follow).ok()
                }
                _ => None,
            };
            match now.filter(|now| *now != entry.identity) {
                Some(now) => {
                    entry.identity = now;
                    entry.rolled = None;
                    file = entry.open();
                }
                None => {
                    return KeptLog {
                        entry,
                        file,
                        keeping: Some(keeping),
                    };
                }
            }
        }
    }

    /// Keeps the sidecars of logs; nothing for a log that was left, since the call was to stop.
    pub(crate) fn keep_all(
        &self,
        mut entries: Vec<LogEntry>,
        receipts: &Receipts,
        need: Need,
        progress: &dyn Progress,
    ) -> Vec<KeptLog> {
        memfold_disk::allow_open_files(entries.len().saturating_mul(2));
        entries
            .sort_by_key(|entry| std::cmp::Reverse((entry.identity.mtime_ns, entry.path.clone())));
        let mut places = HashMap::new();
        let work: Vec<(LogEntry, LogFile, Place)> = entries
            .into_iter()
            .map(|entry| {
                let place = place_of(&entry, &mut places);
                (entry.clone(), entry.open(), place)
            })
            .collect();
        let unproved: Vec<&LogEntry> = work
            .iter()
            .map(|(entry, ..)| entry)
            .filter(|entry| !is_proved(entry, receipts, need))
            .collect();
        let bytes = unproved.iter().map(|entry| entry.bytes).sum();
        let keep = |(entry, file, place): (LogEntry, LogFile, Place)| {
            self.keep_as_it_is_now(entry, file, place, receipts, need, &|| progress.stop())
        };
        if unproved.is_empty() {
            return work.into_iter().map(keep).collect();
        }
        progress.begin(unproved.len(), bytes);
        drop(unproved);
        // Saved on the way: whoever stops the call finds again what it has done.
        let saved = Mutex::new((self.receipts(), Instant::now()));
        let next = AtomicUsize::new(0);
        let slots: Vec<_> = work.into_iter().map(|job| Mutex::new(Some(job))).collect();
        // Each thread takes the newest log that is left, so that what is stopped early has the newest.
        let mut done: Vec<_> = (0..rayon::current_num_threads())
            .into_par_iter()
            .flat_map_iter(|_| {
                std::iter::from_fn(|| {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let job = slots.get(number)?.lock().ok()?.take()?;
                    Some((number, job))
                })
                .map(|(number, job)| {
                    if progress.stop() {
                        return (
                            number,
                            KeptLog {
                                entry: job.0,
                                file: job.1,
                                keeping: None,
                            },
                        );
                    }
                    let counted = !is_proved(&job.0, receipts, need);
                    let size = job.0.bytes;
                    let kept = keep(job);
                    if counted {
                        progress.advance(size);
                    }
                    self.save_now_and_then(&kept, &saved);
                    (number, kept)
                })
                .collect::<Vec<_>>()
            })
            .collect();
        progress.end();
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, kept)| kept).collect()
    }
}

/// A log with what became of its sidecar; nothing if the log was left, since the call was to stop.
pub(crate) struct KeptLog {
    pub(crate) entry: LogEntry,
    pub(crate) file: LogFile,
    pub(crate) keeping: Option<Result<Keeping, SidecarError>>,
}

/// How often a log that changes while it is read is looked at.
pub(crate) const LOOKS: usize = 4;

/// Whether a log is not there any more.
pub(crate) fn is_gone(entry: &LogEntry) -> bool {
    matches!(Identity::at(&entry.path, Links::Follow), Err(error) if error.is_not_found())
}

/// How often a long call saves the receipts of what it has done.
const SAVE_EVERY: Duration = Duration::from_secs(1);

fn is_proved(entry: &LogEntry, receipts: &Receipts, need: Need) -> bool {
    need != Need::Rebuild
        && receipts.of(&entry.path).is_some_and(|receipt| {
            receipt.holds_for(&entry.identity)
                || Identity::from_bytes(&receipt.log) == entry.identity
        })
}
