//! The conditions by which elements are selected.

use std::ops::Range;

use gpu_kernels::Predicate;

/// A condition by which elements are selected.
pub(in crate::cpu) trait Selection: Sync {
    /// Sets in `flags`, for each element in `range`, whether it is selected.
    fn flag(&self, range: Range<usize>, flags: &mut [bool]);
}

/// Selects elements for which a predicate holds.
pub(super) struct Satisfying<'a, T, P> {
    pub(super) predicate: P,
    pub(super) x: &'a [T],
}

impl<T: Copy + Sync, P: Predicate<T>> Selection for Satisfying<'_, T, P> {
    #[inline(always)]
    fn flag(&self, range: Range<usize>, flags: &mut [bool]) {
        for (flag, &x) in flags.iter_mut().zip(&self.x[range]) {
            *flag = self.predicate.holds(x);
        }
    }
}

/// Selects elements whose flag is set.
pub(super) struct Flagged<'a> {
    pub(super) flags: &'a [bool],
}

impl Selection for Flagged<'_> {
    #[inline(always)]
    fn flag(&self, range: Range<usize>, flags: &mut [bool]) {
        for (flag, &given) in flags.iter_mut().zip(&self.flags[range]) {
            *flag = given;
        }
    }
}

/// Selects the first element, and each one that differs from the one before it.
pub(super) struct Changes<'a, T> {
    pub(super) x: &'a [T],
}

impl<T: PartialEq + Sync> Selection for Changes<'_, T> {
    #[inline(always)]
    fn flag(&self, range: Range<usize>, flags: &mut [bool]) {
        let Some(before) = range.start.checked_sub(1) else {
            let Some((first, flags)) = flags.split_first_mut() else { return };
            *first = true;
            return self.flag(1..range.end, flags);
        };
        let (x, before) = (&self.x[range.clone()], &self.x[before..range.end - 1]);
        for ((flag, x), before) in flags.iter_mut().zip(x).zip(before) {
            *flag = x != before;
        }
    }
}
