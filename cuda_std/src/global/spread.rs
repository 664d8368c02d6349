//! Elements of a slice far apart, at the same distances from any first one.

use super::GlobalSlice;
use crate::imp;

/// The elements of a slice, `N` at a time, at the same distances from any first one. [`GlobalSlice::spread`] makes it.
#[derive(Clone, Copy)]
pub struct Spread<T, const N: usize> {
    slice: GlobalSlice<T>,
    step: u64,
    last: u64,
}

impl<T: Copy> GlobalSlice<T> {
    /// Returns the slice as `N` elements at any position, each `step` behind the one before it, but at most `last` behind the
    /// first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn spread<const N: usize>(self, step: u64, last: u64) -> Spread<T, N> {
        Spread { slice: self, step, last }
    }
}

impl<T: Copy, const N: usize> Spread<T, N> {
    /// Returns the distance between neighbours, but for those that are at most [`GlobalSlice::spread`]'s `last` behind the first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn step(self) -> u64 {
        self.step
    }

    /// Returns how far behind the first element the one with this number is.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn distance(self, number: usize) -> u64 {
        self.step.wrapping_mul(number as u64).min(self.last)
    }

    /// Returns the `N` elements whose first is at `first`: that many loads behind one check. Traps (on the host: panics) if they
    /// are not all there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(self, first: u64) -> [T; N] {
        let [elements] = self.read_column(first, 0);
        elements
    }

    /// Returns `M` times [`N` elements](Self::read), whose first are at `first`, `first + step` and so on, behind one check.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read_column<const M: usize>(self, first: u64, step: u64) -> [[T; N]; M] {
        const { assert!(N > 0 && M > 0 && M <= 8) }
        // A step within a slice in memory is so short that eight of them can be counted.
        let steps = step.wrapping_mul(M as u64 - 1);
        let len = self.slice.len;
        if step > len || steps > len || self.last >= len - steps || first >= len - steps - self.last {
            imp::out_of_bounds();
        }
        let start = self.slice.start.wrapping_add(first as usize);
        core::array::from_fn(|m| {
            let start = start.wrapping_add(m * step as usize);
            // SAFETY: the last one of all is within the slice by the lines above, and none is further behind `first`; `new`'s
            // caller promised the slice.
            core::array::from_fn(|n| unsafe { imp::load(start.wrapping_add(self.distance(n) as usize)) })
        })
    }
}
