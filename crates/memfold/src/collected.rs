//! The logs of one search, in the order of ties: some opened one by one, the others served by the roll-up and opened only
//! where an event of theirs is shown.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::sync::Arc;

use memfold_disk::in_order;
use memfold_rollup::RowId;
use memfold_sidecar::Receipts;

use crate::catalogue::LogEntry;
use crate::engine::Memfold;
use crate::progress::Progress;
use crate::ready::{Batch, Ready};
use crate::rollup::{Rollup, Serving, row_of};

/// The logs of one search.
pub(crate) struct Collected {
    /// Opened one by one.
    pub(crate) own: Vec<Ready>,
    /// Answered for by the roll-up.
    pub(crate) serving: Option<Serving>,
    opened: Vec<OnceCell<Result<Box<Ready>, String>>>,
    order: Vec<Which>,
    /// A shard could not be read: nothing of the roll-up is believed.
    failed: Cell<bool>,
    /// Logs that were left, since the call was to stop.
    pub(crate) left: usize,
    /// Logs that could not be read.
    pub(crate) unreadable: usize,
}

/// A log of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// By its place among those opened one by one.
    Own(usize),
    /// By its place among those that the roll-up serves.
    Served(usize, RowId),
}

impl Memfold {
    /// Makes logs ready for a search: what the roll-up may answer for is left to it.
    pub(crate) fn collect(
        &self,
        mut logs: Vec<LogEntry>,
        rollup: Option<Arc<Rollup>>,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
        progress: &dyn Progress,
    ) -> Collected {
        let serving = rollup.and_then(|rollup| Serving::of(rollup, &mut logs));
        let mut collected = Collected {
            own: Vec::new(),
            serving,
            opened: Vec::new(),
            order: Vec::new(),
            failed: Cell::new(false),
            left: 0,
            unreadable: 0,
        };
        collected.add(self.ready(logs, receipts, progress), notes);
        let sharing = match &mut collected.serving {
            Some(serving) => serving.release_sharing(&collected.own),
            None => Ok(Vec::new()),
        };
        match sharing {
            Ok(sharing) => {
                if !sharing.is_empty() {
                    collected.add(self.ready(sharing, receipts, progress), notes);
                }
            }
            Err(_) => self.without_rollup(&mut collected, receipts, notes, progress),
        }
        collected.arrange();
        collected
    }

    /// Opens one by one whatever the roll-up was to answer for, and removes it.
    pub(crate) fn without_rollup(
        &self,
        collected: &mut Collected,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
        progress: &dyn Progress,
    ) {
        self.drop_rollup();
        collected.failed.set(false);
        if let Some(serving) = collected.serving.take() {
            collected.add(self.ready(serving.logs, receipts, progress), notes);
        }
        collected.arrange();
    }

    /// Opens one by one the logs of which the roll-up showed an event that could not be read. Whether there was any.
    pub(crate) fn release_doubted(
        &self,
        collected: &mut Collected,
        receipts: &mut Receipts,
        notes: &mut Vec<String>,
        progress: &dyn Progress,
    ) -> bool {
        let Some(serving) = &mut collected.serving else {
            return false;
        };
        let doubted: HashSet<RowId> = serving
            .logs
            .iter()
            .zip(&collected.opened)
            .filter(|(_, opened)| match opened.get() {
                Some(Ok(ready)) => ready.is_doubted(),
                Some(Err(_)) => true,
                None => false,
            })
            .filter_map(|(log, _)| row_of(log))
            .collect();
        let released = serving.release(&doubted);
        if released.is_empty() {
            return false;
        }
        collected.add(self.ready(released, receipts, progress), notes);
        for ready in &collected.own {
            if ready
                .entry
                .rolled
                .as_ref()
                .is_some_and(|rolled| doubted.contains(&rolled.row))
            {
                ready.doubt();
            }
        }
        collected.arrange();
        true
    }

    /// A log of the search, opened.
    pub(crate) fn opened<'c>(
        &self,
        collected: &'c Collected,
        log: usize,
        receipts: &Receipts,
    ) -> Option<Result<&'c Ready, &'c str>> {
        Some(match collected.order.get(log)? {
            Which::Own(place) => Ok(collected.own.get(*place)?),
            Which::Served(place, _) => {
                let entry = collected.serving.as_ref()?.logs.get(*place)?;
                let opened = collected.opened.get(*place)?.get_or_init(|| {
                    self.open_one(entry, receipts)
                        .map(Box::new)
                        .map_err(|error| error.to_string())
                });
                opened.as_deref().map_err(String::as_str)
            }
        })
    }
}

impl Collected {
    fn add(&mut self, batch: Batch, notes: &mut Vec<String>) {
        self.own.extend(batch.ready);
        notes.extend(batch.notes);
        self.left += batch.left;
        self.unreadable += batch.unreadable;
    }

    /// Puts the logs in the order of ties: the newer task first, then by path.
    pub(crate) fn arrange(&mut self) {
        let served = self
            .serving
            .as_ref()
            .map_or(0, |serving| serving.logs.len());
        self.opened = (0..served).map(|_| OnceCell::new()).collect();
        let mut order: Vec<(std::cmp::Reverse<Option<i64>>, Which)> = Vec::new();
        if let Some(serving) = &self.serving {
            order.extend(serving.logs.iter().enumerate().filter_map(|(place, log)| {
                let row = row_of(log)?;
                let ended = serving.rollup.catalogue.ended(row);
                Some((std::cmp::Reverse(ended), Which::Served(place, row)))
            }));
        }
        order.extend(
            self.own
                .iter()
                .enumerate()
                .map(|(place, ready)| (std::cmp::Reverse(ready.about.ended), Which::Own(place))),
        );
        // No two have one path, so nothing is to be kept in the order that it had.
        order.sort_unstable_by(|(ended, which), (other, that)| {
            ended
                .cmp(other)
                .then_with(|| match (self.entry_of(*which), self.entry_of(*that)) {
                    (Some(entry), Some(other)) => in_order(&entry.path, &other.path),
                    (entry, other) => entry.is_some().cmp(&other.is_some()),
                })
        });
        self.order = order.into_iter().map(|(_, which)| which).collect();
    }

    /// The logs, in order.
    pub(crate) fn order(&self) -> &[Which] {
        &self.order
    }

    fn entry_of(&self, which: Which) -> Option<&LogEntry> {
        match which {
            Which::Own(place) => self.own.get(place).map(|ready| &ready.entry),
            Which::Served(place, _) => self.serving.as_ref()?.logs.get(place),
        }
    }

    /// What was found of a log.
    pub(crate) fn entry(&self, log: usize) -> Option<&LogEntry> {
        self.entry_of(*self.order.get(log)?)
    }

    /// A log that was opened on its own.
    pub(crate) fn own(&self, log: usize) -> Option<&Ready> {
        match self.order.get(log)? {
            Which::Own(place) => self.own.get(*place),
            Which::Served(..) => None,
        }
    }

    /// A log's task.
    pub(crate) fn task(&self, log: usize) -> &str {
        std::str::from_utf8(self.task_bytes(log)).unwrap_or_default()
    }

    /// The same, not looked at: of thousands, hardly one is asked for.
    pub(crate) fn task_bytes(&self, log: usize) -> &[u8] {
        let own = |place: &usize| Some(self.own.get(*place)?.about.task.as_bytes());
        let served = |row: &RowId| Some(self.serving.as_ref()?.rollup.catalogue.task_bytes(*row));
        match self.order.get(log) {
            Some(Which::Own(place)) => own(place).unwrap_or_default(),
            Some(Which::Served(_, row)) => served(row).unwrap_or_default(),
            None => &[],
        }
    }

    /// Notes that a part of the roll-up cannot be read.
    pub(crate) fn fail(&self) {
        self.failed.set(true);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.get()
    }
}
