//! Elements of a slice at any position, each loaded alone.

use super::GlobalSlice;
use crate::imp;

/// The elements of a slice, `N` at a time at any position, each loaded alone. [`GlobalSlice::neighbours`] makes it.
#[derive(Clone, Copy)]
pub struct Neighbours<T, const N: usize> {
    slice: GlobalSlice<T>,
}

impl<T: Copy> GlobalSlice<T> {
    /// Returns the slice as `N` neighbours at any position, each loaded alone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn neighbours<const N: usize>(self) -> Neighbours<T, N> {
        Neighbours { slice: self }
    }
}

impl<T: Copy, const N: usize> Neighbours<T, N> {
    /// Returns the `N` elements at `first`, or the slice's last `N` if some are beyond the end: one address, and
    /// constant distances from it. Traps (on the host: panics) if the slice is empty.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(self, first: u64) -> [T; N] {
        if self.slice.len < N as u64 {
            return core::array::from_fn(|i| self.slice.read_or_last(first.saturating_add(i as u64)));
        }
        let first = first.min(self.slice.len - N as u64);
        let address = self.slice.start.wrapping_add(first as usize);
        // SAFETY: `N` elements from `first` are within the slice by the lines above; the caller of `new` promised it.
        core::array::from_fn(|i| unsafe { imp::load(address.wrapping_add(i)) })
    }

    /// Returns the `N` elements at `first`, with the last element in place of those beyond the end. `elements` is what
    /// [`read`](Self::read) returned for the same `first`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn settle(self, mut elements: [T; N], first: u64) -> [T; N] {
        if first.saturating_add(N as u64) > self.slice.len {
            // Only at the slice's end: elements are read again, from the last to the first, and shifted in.
            let mut i = N as u64;
            while i > 0 {
                i -= 1;
                let element = self.slice.read_or_last(first.saturating_add(i));
                elements = core::array::from_fn(|at| if at == 0 { element } else { elements[at - 1] });
            }
        }
        elements
    }
}
