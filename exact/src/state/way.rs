//! Whether elements come or go.

/// Whether elements are pushed or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Pushed.
    Push,
    /// Taken back.
    Retract,
}

impl Way {
    /// Returns `count` or its negative.
    #[inline]
    pub(super) fn of(self, count: i64) -> i64 {
        if self == Self::Push { count } else { count.wrapping_neg() }
    }
}
