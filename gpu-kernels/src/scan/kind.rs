//! Which elements an output of a scan is of.

/// Which elements output `i` of a scan is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Elements 0 to `i`, element `i` among them.
    Inclusive,
    /// Elements before `i`: none for output 0.
    Exclusive,
}

impl Kind {
    /// Elements that output `index` is of.
    #[inline(always)]
    #[must_use]
    pub const fn len_at(self, index: u64) -> u64 {
        match self {
            Self::Inclusive => index.wrapping_add(1),
            Self::Exclusive => index,
        }
    }
}
