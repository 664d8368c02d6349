//! Global memory that a kernel writes.

use bytemuck::Pod;

use super::VECTOR_BYTES;
use crate::imp;

/// Elements that a kernel writes. It may read back what other blocks wrote before they took a
/// [ticket](crate::atomic::Ticket).
#[derive(Clone, Copy)]
pub struct GlobalCells<T> {
    start: *mut T,
    len: u64,
}

impl<T: Copy> GlobalCells<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned, and writable for every index used. Every index is below `len`. Nothing but the launch
    /// accesses those cells meanwhile, and every bit pattern is a valid `T`. Each cell is written by at most one thread
    /// of the launch, or by several in an order that barriers or [tickets](crate::atomic::Ticket) establish. It is read
    /// only after such an order with its writer.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(start: *mut T, len: u64) -> Self {
        Self { start, len }
    }

    /// Writes `value` at `index`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write(self, index: u64, value: T) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the cells.
        unsafe { imp::store(self.start.add(index as usize), value) }
    }

    /// Writes each of `values` at the index beside it, with one check for all. Traps (on the host: panics) if one of
    /// these is `len` or more, or if there are not as many of both.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn scatter(self, indices: &[u64], values: &[T]) {
        // Its sign tells whether an index or its distance from the end is negative. LLVM would make four instructions of each
        // comparison.
        let mut signs = 0;
        for index in indices {
            signs |= index | self.len.wrapping_sub(1).wrapping_sub(*index);
        }
        if indices.len() != values.len() || (signs as i64) < 0 {
            imp::out_of_bounds();
        }
        for (&index, &value) in indices.iter().zip(values) {
            // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the cells.
            unsafe { imp::store(self.start.add(index as usize), value) }
        }
    }

    /// Returns what a block wrote at `index` before it took its ticket. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read_handed_over(self, index: u64) -> T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the cells.
        unsafe { imp::load_handed_over(self.start.add(index as usize)) }
    }
}

impl<T: Pod> GlobalCells<T> {
    /// Returns the cells as vectors of 16 bytes. Cells at the end that make no whole vector belong to none. Returns `None` unless the cells
    /// are aligned for vectors of `V` elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn vectors<const V: usize>(self) -> Option<GlobalCells<[u32; 4]>> {
        let is_aligned = V * size_of::<T>() == VECTOR_BYTES && self.start.addr().is_multiple_of(VECTOR_BYTES);
        // The same cells, whose bits are words: what the caller of `new` promised holds for them.
        is_aligned.then(|| GlobalCells { start: self.start.cast(), len: self.len / V as u64 })
    }

    /// Writes `values` from `first` on: by stores of 16 bytes, if the size and the alignment of the destination allow
    /// it. Traps (on the host: panics) unless all are below `len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write_neighbours<const N: usize>(self, first: u64, values: [T; N]) {
        if first > self.len || self.len - first < N as u64 {
            imp::out_of_bounds();
        }
        let bytes = bytemuck::bytes_of(&values);
        // SAFETY: all indices are below `len` by the check above; the caller of `new` promised the cells.
        unsafe {
            let place = self.start.add(first as usize);
            if bytes.len().is_multiple_of(VECTOR_BYTES) && place.addr().is_multiple_of(VECTOR_BYTES) {
                for (i, vector) in bytes.chunks_exact(VECTOR_BYTES).enumerate() {
                    let words =
                        core::array::from_fn(|w| bytemuck::pod_read_unaligned(&vector[4 * w..4 * w + 4]));
                    imp::store_words(place.cast::<[u32; 4]>().add(i), words);
                }
            } else {
                for (i, value) in values.into_iter().enumerate() {
                    imp::store(place.add(i), value);
                }
            }
        }
    }
}

impl GlobalCells<[u32; 4]> {
    /// Writes `vectors` at `first`, `first + step` and so on, each by one store, with one check and at constant
    /// distances. Traps (on the host: panics) unless all are below `len` and the cells are aligned to 16 bytes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write_column<const N: usize>(self, first: u64, step: u32, vectors: [[u32; 4]; N]) {
        const { assert!(N > 0) }
        let steps = u64::from(step) * (N as u64 - 1);
        if steps >= self.len || first >= self.len - steps || !self.start.addr().is_multiple_of(VECTOR_BYTES) {
            imp::out_of_bounds();
        }
        let start = self.start.wrapping_add(first as usize);
        for (i, words) in vectors.into_iter().enumerate() {
            // SAFETY: the last index is below `len` by the check above, and the others are less; the caller of `new`
            // promised the cells.
            unsafe { imp::store_words(start.wrapping_add(i * step as usize), words) }
        }
    }
}
