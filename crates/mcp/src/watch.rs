//! Watches a call at its work: says how far a long reading is, and stops it when its time is up, when the client took the call
//! back, or when the client is gone. What was folded stays.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use memfold::Progress;
use tokio::sync::mpsc::UnboundedSender;

/// A client is not told more often.
const BETWEEN: Duration = Duration::from_millis(150);

/// What a call may have to do before it can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A first fold of logs.
    Logs,
    /// Reading what changed in a repository.
    Files,
    /// The same, because it was asked for.
    Update,
}

impl Work {
    /// How long it may take. A client waits a minute for an answer, some no longer.
    fn longest(self) -> Duration {
        Duration::from_secs(match self {
            Work::Logs | Work::Files => 10,
            Work::Update => 50,
        })
    }

    /// What a client is told of it.
    pub(crate) fn told(self) -> &'static str {
        match self {
            Work::Logs => "reading logs for the first time",
            Work::Files | Work::Update => "reading changed files",
        }
    }
}

/// How far a reading is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) bytes: u64,
    pub(crate) of_bytes: u64,
    pub(crate) done: u64,
    pub(crate) of: u64,
}

/// Set when nobody waits for the answer any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Abandoned(Arc<AtomicBool>);

impl Abandoned {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Watches one call.
pub(crate) struct Watch {
    abandoned: Abandoned,
    until: Instant,
    told: UnboundedSender<Step>,
    last: Mutex<Option<Instant>>,
    bytes: AtomicU64,
    of_bytes: AtomicU64,
    done: AtomicU64,
    of: AtomicU64,
}

impl Watch {
    /// A watch that begins now.
    pub(crate) fn new(work: Work, abandoned: Abandoned, told: UnboundedSender<Step>) -> Watch {
        Watch {
            abandoned,
            until: Instant::now() + work.longest(),
            told,
            last: Mutex::default(),
            bytes: AtomicU64::new(0),
            of_bytes: AtomicU64::new(0),
            done: AtomicU64::new(0),
            of: AtomicU64::new(0),
        }
    }

    fn is_due(&self) -> bool {
        let Ok(mut last) = self.last.lock() else {
            return false;
        };
        let due = last.is_none_or(|last| last.elapsed() >= BETWEEN);
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}

impl Progress for Watch {
    fn begin(&self, logs: usize, bytes: u64) {
        self.of
            .store(u64::try_from(logs).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.of_bytes.store(bytes, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        let bytes = self
            .bytes
            .fetch_add(bytes, Ordering::Relaxed)
            .saturating_add(bytes);
        let done = self.done.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if self.is_due() {
            // A call that is over listens no more.
            let _ = self.told.send(Step {
                bytes,
                of_bytes: self.of_bytes.load(Ordering::Relaxed),
                done,
                of: self.of.load(Ordering::Relaxed),
            });
        }
    }

    fn end(&self) {}

    fn stop(&self) -> bool {
        self.abandoned.is_set() || Instant::now() >= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_taken_back_stops() {
        let (tell, _told) = tokio::sync::mpsc::unbounded_channel();
        let abandoned = Abandoned::default();
        let watch = Watch::new(Work::Logs, abandoned.clone(), tell);
        assert!(!watch.stop());
        abandoned.set();
        assert!(watch.stop());
    }

    #[test]
    fn a_client_is_told_at_once_and_then_now_and_then() {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let watch = Watch::new(Work::Logs, Abandoned::default(), tell);
        watch.begin(1000, 2000);
        for _ in 0..1000 {
            watch.advance(2);
        }
        let first = told.try_recv().unwrap();
        assert_eq!(
            (first.done, first.of, first.bytes, first.of_bytes),
            (1, 1000, 2, 2000)
        );
        let mut more = 0;
        while told.try_recv().is_ok() {
            more += 1;
        }
        assert!(more < 100, "{more}");
    }
}
