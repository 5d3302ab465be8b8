//! A moment, as whoever calls gives it: nothing of the index asks a clock what time it is, so that tests need none.

use std::time::Duration;

use memfold_log::Timestamp;
use serde::{Deserialize, Serialize};

/// Nanoseconds since 1970.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// What the machine's clock says.
    pub fn now() -> Moment {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanoseconds = since.ok().map(|since| since.as_nanos());
        Moment(
            nanoseconds
                .and_then(|ns| i64::try_from(ns).ok())
                .unwrap_or(0),
        )
    }

    /// The moment so much later.
    pub fn after(self, time: Duration) -> Moment {
        let time = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        Moment(self.0.saturating_add(time))
    }

    /// Whether it is at least so long after another. A moment that lies ahead, since a clock was set back, says nothing: it is
    /// taken as past.
    pub(crate) fn is_past(self, then: Moment, time: Duration) -> bool {
        self < then || then.after(time) <= self
    }

    /// As a log records it.
    pub(crate) fn time(self) -> Timestamp {
        Timestamp(self.0 / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_back_delays_nothing() {
        let hour = Duration::from_secs(3600);
        let then = Moment(0).after(hour);
        assert!(!then.after(hour / 2).is_past(then, hour));
        assert!(then.after(hour).is_past(then, hour));
        assert!(Moment(0).is_past(then, hour));
    }
}
