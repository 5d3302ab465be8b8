//! How much may be read: bytes of a file, bytes in all, time. Counted while reading, whatever stat said before.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::decision::{Refusal, Spent};

/// How much one call may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub bytes: u64,
    /// How long all of it may take.
    pub time: Duration,
}

impl Limits {
    /// The largest file that is indexed.
    pub const FILE_BYTES: u64 = 1 << 20;
}

/// What is left of the limits of a call; shared by the threads that read for it.
#[derive(Debug)]
pub struct Budget {
    file_bytes: u64,
    left: AtomicU64,
    until: Option<Instant>,
}

impl Budget {
    /// All of it, from now.
    pub fn new(limits: Limits) -> Self {
        Self {
            file_bytes: limits.file_bytes,
            left: AtomicU64::new(limits.bytes),
            // A time that no clock reaches is no limit.
            until: Instant::now().checked_add(limits.time),
        }
    }

    /// The most bytes of one file.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The time that is left; `None` if there is none.
    pub fn time_left(&self) -> Option<Duration> {
        match self.until {
            None => Some(Duration::MAX),
            Some(until) => until
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero()),
        }
    }

    /// Takes bytes that were read; refuses where there were not so many left, or no time.
    pub(crate) fn spend(&self, bytes: u64) -> Result<(), Refusal> {
        if self.time_left().is_none() {
            return Err(Refusal::Budget { of: Spent::Time });
        }
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            })
            .map(|_| ())
            .map_err(|_| Refusal::Budget { of: Spent::Bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Limits = Limits {
        file_bytes: 10,
        bytes: 10,
        time: Duration::MAX,
    };

    #[test]
    fn what_is_spent_is_gone_and_too_much_is_not_taken() {
        let budget = Budget::new(ALL);
        assert_eq!(budget.spend(7), Ok(()));
        assert_eq!(budget.spend(4), Err(Refusal::Budget { of: Spent::Bytes }));
        assert_eq!(budget.spend(3), Ok(()));
        assert_eq!(budget.spend(0), Ok(()));
    }

    #[test]
    fn no_time_is_no_budget() {
        let time = Duration::ZERO;
        let budget = Budget::new(Limits { time, ..ALL });
        assert_eq!(budget.spend(0), Err(Refusal::Budget { of: Spent::Time }));
    }
}
