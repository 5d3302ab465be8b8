//! How the engine tells that it is at work, and learns that it should stop.

/// Watches a call that folds many logs, or reads many files of a repository. Called from several threads.
pub trait Progress: Sync {
    /// So many logs of so many bytes are to be folded; or so many files to be read.
    fn begin(&self, logs: usize, bytes: u64);
    /// One of them is done.
    fn advance(&self, bytes: u64);
    /// All are done, or the rest was left.
    fn end(&self);
    /// Should the rest be left? What is done stays done.
    fn stop(&self) -> bool;
}

/// Watches nothing and never stops.
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _logs: usize, _bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn end(&self) {}
    fn stop(&self) -> bool {
        false
    }
}
