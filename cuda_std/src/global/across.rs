//! Elements of a slice by the vectors that they lie across, wherever they begin.

use super::{GlobalSlice, VECTOR_BYTES, Vector};
use crate::imp;

/// Some elements of a slice, and the vectors at multiples of 16 bytes that they lie across; [`GlobalSlice::across`] makes it.
///
/// Places are counted from the first vector's first element, which may stand before the elements: they are those from
/// [`shift`](Self::shift) up to, not including, [`end`](Self::end).
#[derive(Clone, Copy)]
pub struct Across<T, const V: usize> {
    start: *const T,
    shift: u32,
    end: u32,
}

impl<T: Copy> GlobalSlice<T> {
    /// The `len` elements from `first` on by vectors of `V`. `None` unless those are 16 bytes, elements lie at multiples of
    /// their size, and all of the vectors are wholly within the slice: what stands beside the elements is loaded too.
    #[inline(always)]
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

impl<T: Copy, const V: usize> Across<T, V> {
    /// The place of the first element: less than `V`.
    #[inline(always)]
    #[must_use]
    pub fn shift(self) -> u32 {
        self.shift
    }

    /// The place behind the last element.
    #[inline(always)]
    #[must_use]
    pub fn end(self) -> u32 {
        self.end
    }

    /// The first vector.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn first(self) -> Vector<T, V> {
        // SAFETY: `across` saw that every vector that an element is in is 16 bytes, aligned and within the slice, and that
        // there is an element; `new`'s caller promised the slice.
        unsafe { Vector::load(self.start) }
    }

    /// The element at a place. Traps (on the host: panics) if there is none.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read(self, place: u32) -> T {
        if place >= self.end {
            imp::out_of_bounds();
        }
        // SAFETY: it is in a vector of `across`, by the line above: as for `first`.
        unsafe { imp::load(self.start.wrapping_add(place as usize)) }
    }

    /// The vectors from the one on that `place`, rounded down to a multiple of `V`, is in.
    #[inline(always)]
    #[must_use]
    pub fn from(self, place: u32) -> VectorsFrom<T, V> {
        let place = place & !(V as u32 - 1);
        VectorsFrom { start: self.start.wrapping_add(place as usize), left: self.end.saturating_sub(place) }
    }
}

/// Vectors from one on; [`Across::from`] makes it.
#[derive(Clone, Copy)]
pub struct VectorsFrom<T, const V: usize> {
    start: *const T,
    /// Elements from the first place on.
    left: u32,
}

impl<T: Copy, const V: usize> VectorsFrom<T, V> {
    /// The first vector, the one `step` elements on, and so on: `N` loads behind one check. Traps (on the host: panics) if
    /// the last of them has no element. `step` is a multiple of `V`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_column<const N: usize>(self, step: u32) -> [Vector<T, V>; N] {
        const { assert!(N > 0) }
        if !step.is_multiple_of(V as u32) || u64::from(step) * (N as u64 - 1) >= u64::from(self.left) {
            imp::out_of_bounds();
        }
        core::array::from_fn(|i| {
            // SAFETY: an element is in the last one, and so in those before it, by the lines above: as for `Across::first`.
            unsafe { Vector::load(self.start.wrapping_add(i * step as usize)) }
        })
    }

    /// The vector `distance` elements on, a multiple of `V`, or `other` if no element is in it.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_or(self, distance: u32, other: Vector<T, V>) -> Vector<T, V> {
        if distance >= self.left || !distance.is_multiple_of(V as u32) {
            return other;
        }
        // SAFETY: an element is in it, by the line above: as for `Across::first`.
        unsafe { Vector::load(self.start.wrapping_add(distance as usize)) }
    }
}
