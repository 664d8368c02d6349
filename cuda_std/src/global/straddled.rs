//! Elements of a slice at any position, loaded by the two aligned vectors that contain them.

use core::marker::PhantomData;

use bytemuck::NoUninit;

use super::{GlobalSlice, VECTOR_BYTES, Vector};
use crate::imp;

/// The elements of a slice, `V` at a time at any position. [`GlobalSlice::straddled_vectors`] makes it.
///
/// Vectors begin at multiples of 16 bytes, wherever the slice begins. Vector 0 contains the slice's first element.
#[derive(Clone, Copy)]
pub struct StraddledVectors<T, const V: usize> {
    slice: GlobalSlice<T>,
    /// Elements of vector 0 that lie before the slice.
    before: u32,
    /// Number of the first vector that is wholly within the slice, and of the last: if there are any.
    first: u32,
    last: u64,
    has_any: bool,
}

impl<T: NoUninit> GlobalSlice<T> {
    /// Returns the slice as `V` elements at any position, loaded by the two aligned vectors that contain them. Returns
    /// `None` unless `V` elements are 16 bytes in all and 1 or 2 each; larger elements cost less as
    /// [neighbours](Self::neighbours).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn straddled_vectors<const V: usize>(self) -> Option<StraddledVectors<T, V>> {
        let size = size_of::<T>();
        if V * size != VECTOR_BYTES || size > 2 {
            return None;
        }
        let before = self.start.addr() % VECTOR_BYTES / size;
        let end = (before as u64 + self.len) / V as u64;
        let first = u64::from(before > 0);
        let (last, has_any) = (end.saturating_sub(1), end > first);
        Some(StraddledVectors { slice: self, before: before as u32, first: first as u32, last, has_any })
    }
}

impl<T: NoUninit, const V: usize> StraddledVectors<T, V> {
    /// Returns the two vectors that contain the `V` elements at `first`. If those are not both within the slice,
    /// returns others, or `None` if no vector is. Lanes of a warp do not diverge, so several loads are under way before
    /// the first is waited for.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(self, first: u64) -> Option<[Vector<T, V>; 2]> {
        let (number, next, _) = self.place(first);
        let read = |number: u64| {
            let number = number.clamp(u64::from(self.first), self.last);
            let address =
                self.slice.start.wrapping_sub(self.before as usize).wrapping_add(number as usize * V);
            // SAFETY: `straddled_vectors` checked that the vectors from `first` to `last` are within the slice,
            // aligned, and 16 bytes; the caller of `new` promised the slice.
            unsafe { Vector::load(address) }
        };
        self.has_any.then(|| [read(number), read(next)])
    }

    /// Returns the `V` elements at `first`, with the last element in place of those beyond the end. The two vectors are
    /// what [`read`](Self::read) returned for the same `first`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn join(self, vectors: Option<[Vector<T, V>; 2]>, first: u64) -> Vector<T, V> {
        let (number, next, skipped) = self.place(first);
        let is_within = number >= u64::from(self.first) && next <= self.last;
        let bytes = skipped * size_of::<T>() as u32;
        let words = match vectors {
            // Whole elements are skipped, so these are elements too, whatever slice the vectors are of.
            Some([low, high]) if is_within => shifted(low.words, high.words, bytes),
            _ => self.read_one_by_one(first),
        };
        Vector { words, of: PhantomData }
    }

    /// Returns the number of the vector that contains element `first`, the next number if that vector is needed too
    /// (otherwise the same), and the count of elements before `first` in the vector.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self, first: u64) -> (u64, u64, u32) {
        let at = first.wrapping_add(u64::from(self.before));
        let (number, skipped) = (at / V as u64, at as u32 % V as u32);
        (number, number + u64::from(skipped > 0), skipped)
    }

    /// Reads elements one by one and shifts each into the words. It is a loop to keep the code short, since few threads
    /// of a launch come here.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_one_by_one(self, first: u64) -> [u32; 4] {
        let size = 8 * size_of::<T>() as u32;
        let moved = |low: u32, high: u32| low >> size | high << (32 - size);
        let mut words = [0; 4];
        let mut i = 0;
        while i < V as u32 {
            let element = bits(self.slice.read_or_last(first.saturating_add(u64::from(i))));
            let [a, b, c, d] = words;
            words = [moved(a, b), moved(b, c), moved(c, d), moved(d, element)];
            i = imp::unknown(i + 1);
        }
        words
    }
}

/// Returns the bits of an element of 1 or 2 bytes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn bits<T: NoUninit>(element: T) -> u32 {
    // SAFETY: each arm copies exactly the bytes of the element, and none of them is padding.
    unsafe {
        match size_of::<T>() {
            1 => u32::from(core::mem::transmute_copy::<T, u8>(&element)),
            2 => u32::from(core::mem::transmute_copy::<T, u16>(&element)),
            _ => 0,
        }
    }
}

/// Returns 16 bytes from byte `bytes`, which is below 16: shifted by two words, by one word, and by bits, because
/// registers cannot be indexed.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn shifted([a, b, c, d]: [u32; 4], [e, f, g, h]: [u32; 4], bytes: u32) -> [u32; 4] {
    let two = |near: u32, far: u32| if bytes & 8 == 0 { near } else { far };
    let [a, b, c, d, e, f] = [two(a, c), two(b, d), two(c, e), two(d, f), two(e, g), two(f, h)];
    let one = |near: u32, far: u32| if bytes & 4 == 0 { near } else { far };
    let [a, b, c, d, e] = [one(a, b), one(b, c), one(c, d), one(d, e), one(e, f)];
    let moved = |low: u32, high: u32| ((u64::from(high) << 32 | u64::from(low)) >> (bytes % 4 * 8)) as u32;
    [moved(a, b), moved(b, c), moved(c, d), moved(d, e)]
}
