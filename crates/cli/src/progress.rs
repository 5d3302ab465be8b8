//! A bar on standard error while many logs are folded, or files read. Its ticking thread ends with the fold.
//!
//! Ctrl-C ends the process as it ends any other: a sidecar is published whole or not at all, so what is folded stays
//! and the next call goes on from there.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memfold::Progress;

use crate::numbers;

/// Less than this is folded before an eye could read the bar.
const WORTH_A_BAR: u64 = 8 << 20;

/// Watches a fold for a person, or for nobody.
pub(crate) struct Bar {
    shown: bool,
    /// What is done, and to what.
    work: (&'static str, &'static str),
    bar: Mutex<Option<ProgressBar>>,
    logs: AtomicUsize,
    done: AtomicUsize,
}

impl Bar {
    /// A bar, drawn only on a terminal and only if it is not unwanted.
    pub(crate) fn new(quiet: bool) -> Bar {
        Bar::of(quiet, ("folding", "log"))
    }

    /// A bar for a repository's files.
    pub(crate) fn reading(quiet: bool) -> Bar {
        Bar::of(quiet, ("reading", "file"))
    }

    fn of(quiet: bool, work: (&'static str, &'static str)) -> Bar {
        let shown = !quiet && std::io::stderr().is_terminal();
        Bar {
            shown,
            work,
            bar: Mutex::new(None),
            logs: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn message(&self) -> String {
        let (done, logs) = (
            self.done.load(Ordering::Relaxed),
            self.logs.load(Ordering::Relaxed),
        );
        format!(
            "{} of {}",
            numbers::count(done as u64),
            numbers::len(logs, self.work.1)
        )
    }
}

impl Progress for Bar {
    fn begin(&self, logs: usize, bytes: u64) {
        self.logs.store(logs, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        if !self.shown || bytes < WORTH_A_BAR {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
        let template = format!(
            "{} {{msg}}  {{bar:24}}  {{bytes}} of {{total_bytes}}, {{eta}} left (Ctrl-C keeps what is done)",
            self.work.0
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("━━─"));
        }
        bar.set_message(self.message());
        bar.enable_steady_tick(Duration::from_millis(120));
        *self.lock() = Some(bar);
    }

    fn advance(&self, bytes: u64) {
        self.done.fetch_add(1, Ordering::Relaxed);
        if let Some(bar) = self.lock().as_ref() {
            bar.set_message(self.message());
            bar.inc(bytes);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.lock().take() {
            bar.disable_steady_tick();
            bar.finish_and_clear();
        }
    }

    fn stop(&self) -> bool {
        false
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_counted_whether_or_not_a_bar_is_shown() {
        let bar = Bar::new(true);
        bar.begin(1200, 1 << 30);
        bar.advance(5);
        assert_eq!(bar.message(), "1 of 1,200 logs");
        assert!(bar.lock().is_none());
        bar.end();
        assert!(!bar.stop());
    }
}
