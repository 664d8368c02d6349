//! The time for each row: an equal part of the remaining time, so that rows share what others did not need.

use std::time::{Duration, Instant};

/// Time for a number of rows.
pub(crate) struct Budget {
    end: Instant,
    rows: u32,
}

impl Budget {
    /// `whole` time from now on, for `rows` rows.
    pub(crate) fn new(whole: Duration, rows: u32) -> Self {
        Self { end: Instant::now() + whole, rows }
    }

    /// The time for the next row.
    pub(crate) fn next(&mut self) -> Duration {
        let left = self.end.saturating_duration_since(Instant::now());
        let part = left / self.rows.max(1);
        self.rows = self.rows.saturating_sub(1);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_used_is_shared_and_what_is_over_is_over() {
        let whole = Duration::from_secs(1000);
        let mut budget = Budget::new(whole, 4);
        // Almost none of it is used here.
        for rows in (1..=4).rev() {
            let part = budget.next();
            assert!(
                part <= whole / rows && part > whole / rows - Duration::from_secs(10),
                "{rows}: {part:?}"
            );
        }
        let mut none = Budget::new(Duration::ZERO, 4);
        assert_eq!(none.next(), Duration::ZERO);
    }
}
