//! A call that is to stop after so many looks.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use memfold::Progress;

/// Stops whatever it watches when it was asked so often.
pub struct StopsAfter(AtomicUsize);

impl StopsAfter {
    /// When it was asked `times` times.
    pub fn asked(times: usize) -> StopsAfter {
        StopsAfter(AtomicUsize::new(times))
    }
}

impl Progress for StopsAfter {
    fn begin(&self, _logs: usize, _bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn end(&self) {}
    fn stop(&self) -> bool {
        let left = |left: usize| left.checked_sub(1);
        self.0.fetch_update(Relaxed, Relaxed, left).is_err()
    }
}
