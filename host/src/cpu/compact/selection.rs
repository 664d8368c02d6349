//! Which elements are selected.

use std::ops::Range;

use gpu_kernels::Predicate;

/// What selects elements.
pub(in crate::cpu) trait Selection: Sync {
    /// Whether each of these elements is selected, in order.
    fn of(&self, range: Range<usize>) -> impl Iterator<Item = bool>;
}

/// Those that a predicate holds of.
pub(super) struct Satisfying<'a, T, P> {
    pub(super) predicate: P,
    pub(super) x: &'a [T],
}

impl<T: Copy + Sync, P: Predicate<T>> Selection for Satisfying<'_, T, P> {
    #[inline(always)]
    fn of(&self, range: Range<usize>) -> impl Iterator<Item = bool> {
        self.x[range].iter().map(|&x| self.predicate.holds(x))
    }
}

/// Those with a flag.
pub(super) struct Flagged<'a> {
    pub(super) flags: &'a [bool],
}

impl Selection for Flagged<'_> {
    #[inline(always)]
    fn of(&self, range: Range<usize>) -> impl Iterator<Item = bool> {
        self.flags[range].iter().copied()
    }
}

/// Those that differ from the one before them, and the first.
pub(super) struct Changes<'a, T> {
    pub(super) x: &'a [T],
}

impl<T: PartialEq + Sync> Selection for Changes<'_, T> {
    #[inline(always)]
    fn of(&self, range: Range<usize>) -> impl Iterator<Item = bool> {
        let is_first = (range.start == 0 && !range.is_empty()).then_some(true);
        let pairs = &self.x[range.start.saturating_sub(1)..range.end];
        is_first.into_iter().chain(pairs.windows(2).map(|pair| pair[0] != pair[1]))
    }
}
