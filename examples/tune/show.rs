//! The saved plans as text.

use std::fmt::Write as _;

use warpfold::plans::Tuning;

use crate::catalogue::{Folds, Operator, Visitor};
use crate::datum::Datum;
use crate::failure::Failure;
use crate::report::size;

/// Prints the rows of a tuning.
pub(crate) struct Show {
    tuning: Tuning,
    lines: String,
}

impl Show {
    pub(crate) fn new(tuning: Tuning) -> Self {
        Self { tuning, lines: String::new() }
    }

    /// The source of the tuning, and its visited rows.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}", self.tuning, self.lines)
    }
}

impl Visitor for Show {
    type Shared<T: Datum> = ();

    fn enter<T: Datum>(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn pair<T: Datum, O: Folds<T>>(&mut self, (): &(), operator: Operator) -> Result<(), Failure> {
        for class in size_of::<T>().ilog2()..=36 {
            let Some(tuned) = self.tuning.get::<T, O>((1 << class) / size_of::<T>() as u64) else { continue };
            let (usual, found) = (tuned.default_ns as f64 / 1e3, tuned.tuned_ns as f64 / 1e3);
            let stale = if tuned.stale { "  stale: kernels or default plans have changed" } else { "" };
            let _ = writeln!(
                self.lines,
                "  {:8} {:4} {:>8}  {:26} {usual:>10.3} us before, {found:>10.3} us so{stale}",
                operator.name(),
                T::NAME,
                size(class),
                tuned.config.to_string(),
            );
        }
        Ok(())
    }
}
