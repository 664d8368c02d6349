//! Inclusive and exclusive scans.

/// Which elements output `i` of a scan covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Elements 0 to `i`, including element `i`.
    Inclusive,
    /// Elements before `i`: none for output 0.
    Exclusive,
}

impl Kind {
    /// Returns the number of elements that output `index` covers.
    #[inline(always)]
    #[must_use]
    pub const fn len_at(self, index: u64) -> u64 {
        match self {
            Self::Inclusive => index.wrapping_add(1),
            Self::Exclusive => index,
        }
    }
}
