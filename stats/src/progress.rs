//! A progress bar for long work.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// A bar on standard error that appears if work takes long. Nothing is drawn if standard error is not a
/// terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: Cell<bool>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let template =
            "{msg:12} [{bar:32}] {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style.progress_chars("=> "));
        Self { bar, start: Instant::now(), shown: Cell::new(false) }
    }

    /// Starts a stage that will [pass](Self::passed) `bytes` bytes.
    pub(crate) fn stage(&self, name: &'static str, bytes: u64) {
        self.bar.reset();
        self.bar.set_length(bytes);
        self.bar.set_message(name);
    }

    /// Reports that the stage processed more bytes.
    pub(crate) fn passed(&self, bytes: u64) {
        if !self.shown.get() && self.start.elapsed() > PATIENCE {
            self.shown.set(true);
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(bytes);
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
