//! The time of a listing, and the work after which it is looked at again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// After how much work the clock is looked at; a pattern without `**` is one.
const STEP: u32 = 1 << 12;

/// When a listing ends, whatever is left of it.
#[derive(Debug)]
pub(super) struct Clock {
    until: Option<Instant>,
    over: AtomicBool,
}

impl Clock {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            // None, if no clock reaches it.
            until: Instant::now().checked_add(time),
            over: AtomicBool::new(false),
        }
    }

    /// Whether the time is over; once it was, it stays so.
    pub(super) fn is_over(&self) -> bool {
        if self.over.load(Ordering::Relaxed) {
            return true;
        }
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            self.over.store(true, Ordering::Relaxed);
        }
        over
    }

    /// The time that is left.
    pub(super) fn left(&self) -> Duration {
        self.until.map_or(Duration::MAX, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }
}

/// Work done since the clock was last looked at; once the time was over, all more is too much.
pub(super) struct Work<'a> {
    clock: &'a Clock,
    done: u32,
    late: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(clock: &'a Clock) -> Self {
        Self {
            clock,
            done: 0,
            late: false,
        }
    }

    /// Whether so much more is too much, as the time is over.
    pub(super) fn is_too_much(&mut self, cost: u32) -> bool {
        self.done = self.done.saturating_add(cost);
        if !self.late && self.done >= STEP {
            self.done = 0;
            self.late = self.clock.is_over();
        }
        self.late
    }
}
