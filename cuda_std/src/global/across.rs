//! Elements of a slice at any position, loaded by the aligned vectors that contain them.

use core::marker::PhantomData;

use bytemuck::NoUninit;

use super::{GlobalSlice, VECTOR_BYTES, Vector};
use crate::imp;

/// Some elements of a slice, and the vectors, aligned to 16 bytes, that contain them. [`GlobalSlice::across`] makes it.
///
/// Places are counted from the first vector's first element, which may lie before the elements. The elements have the
/// places from [`shift`](Self::shift) up to, but not including, [`end`](Self::end).
#[derive(Clone, Copy)]
pub struct Across<T, const V: usize> {
    start: *const T,
    shift: u32,
    end: u32,
}

impl<T: NoUninit> GlobalSlice<T> {
    /// Returns the `len` elements from `first` on, by vectors of `V`. Returns `None` unless a vector has 16 bytes,
    /// elements are aligned to their size, and all vectors are wholly within the slice: elements beside the wanted ones
    /// are loaded too.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn across<const V: usize>(self, first: u64, len: u32) -> Option<Across<T, V>> {
        let (size, address) = (size_of::<T>(), self.start.addr());
        if V * size != VECTOR_BYTES || !address.is_multiple_of(size) || len == 0 || len > u32::MAX / 2 {
            return None;
        }
        let before = (address % VECTOR_BYTES / size) as u32;
        let shift = (first as u32).wrapping_add(before) % V as u32;
        let end = shift + len;
        let vectors_end = u64::from(end.next_multiple_of(V as u32) - shift);
        if first < u64::from(shift) || first > self.len || self.len - first < vectors_end {
            return None;
        }
        let start = self.start.wrapping_add(first as usize).wrapping_sub(shift as usize);
        Some(Across { start, shift, end })
    }
}

impl<T: NoUninit, const V: usize> Across<T, V> {
    /// Returns the place of the first element: less than `V`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn shift(self) -> u32 {
        self.shift
    }

    /// Returns the place after the last element.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn end(self) -> u32 {
        self.end
    }

    /// Returns the element at `place`. Traps (on the host: panics) if `place >= end`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(self, place: u32) -> T {
        if place >= self.end {
            imp::out_of_bounds();
        }
        // SAFETY: the place is in one of the vectors by the check above. `across` checked that they are aligned and within
        // the slice; the caller of `new` promised the slice.
        unsafe { imp::load(self.start.wrapping_add(place as usize)) }
    }

    /// Returns a vector of copies of `element`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn filled(self, element: T) -> Vector<T, V> {
        // SAFETY: `across` checked that a vector has 16 bytes, and elements have no padding. They are valid.
        let words = unsafe { core::mem::transmute_copy::<[T; V], [u32; 4]>(&[element; V]) };
        Vector { words, of: PhantomData }
    }

    /// Returns the vectors from the one that contains `place` on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn from(self, place: u32) -> VectorsFrom<T, V> {
        let place = place & !(V as u32 - 1);
        VectorsFrom { start: self.start.wrapping_add(place as usize), left: self.end.saturating_sub(place) }
    }
}

/// The vectors from one on. [`Across::from`] makes it.
#[derive(Clone, Copy)]
pub struct VectorsFrom<T, const V: usize> {
    start: *const T,
    /// Elements from the first vector's first place to the end.
    left: u32,
}

impl<T: NoUninit, const V: usize> VectorsFrom<T, V> {
    /// Returns the first vector, the one `step` elements further, and so on: `N` loads with one check. `step` is a
    /// multiple of `V`. Traps (on the host: panics) if the last vector has no element.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read_column<const N: usize>(self, step: u32) -> [Vector<T, V>; N] {
        const { assert!(N > 0) }
        if !step.is_multiple_of(V as u32) || u64::from(step) * (N as u64 - 1) >= u64::from(self.left) {
            imp::out_of_bounds();
        }
        core::array::from_fn(|i| {
            // SAFETY: by the check above the last vector has an element, and so have those before it: as for
            // `Across::read`.
            unsafe { Vector::load(self.start.wrapping_add(i * step as usize)) }
        })
    }

    /// Returns the vector `distance` elements further, or `other` if it has no element or `distance` is not a multiple
    /// of `V`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read_or(self, distance: u32, other: Vector<T, V>) -> Vector<T, V> {
        if distance >= self.left || !distance.is_multiple_of(V as u32) {
            return other;
        }
        // SAFETY: by the check above the vector has an element: as for `Across::read`.
        unsafe { Vector::load(self.start.wrapping_add(distance as usize)) }
    }
}
