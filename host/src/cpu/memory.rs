//! Memory for large arrays.

use std::convert::Infallible;
use std::mem::MaybeUninit;

use super::{Cpu, TASK_BYTES, share};

/// Least bytes of an array that requests large pages: two of them.
const LARGE: usize = 4 << 20;

/// Returns an empty array with room for `len` elements, or `None` if there is not enough memory.
pub(crate) fn with_room<T>(len: usize) -> Option<Vec<T>> {
    let mut array = Vec::new();
    array.try_reserve_exact(len).ok()?;
    ask_for_large_pages(array.spare_capacity_mut());
    Some(array)
}

/// Results that threads write, each to its own slots.
pub(crate) struct Unwritten<R> {
    results: Vec<R>,
    len: usize,
}

impl<R> Unwritten<R> {
    /// Allocates room for `len` results. Returns `None` if there is not enough memory.
    pub(crate) fn new(len: usize) -> Option<Self> {
        Some(Self { results: with_room(len)?, len })
    }

    /// Returns the memory for the results.
    pub(crate) fn slots(&mut self) -> &mut [MaybeUninit<R>] {
        &mut self.results.spare_capacity_mut()[..self.len]
    }

    /// Returns the results.
    ///
    /// # Safety
    /// Every result has been written.
    pub(crate) unsafe fn written(mut self) -> Vec<R> {
        // SAFETY: `new` reserved room for `len` results, and the caller promises that all are written.
        unsafe { self.results.set_len(self.len) };
        self.results
    }
}

/// A slot for a result, with or without a previous one.
pub(super) trait Slot<R>: Send {
    /// Writes the result.
    fn put(&mut self, result: R);
}

impl<R: Send> Slot<R> for R {
    #[inline(always)]
    fn put(&mut self, result: R) {
        *self = result;
    }
}

impl<R: Send> Slot<R> for MaybeUninit<R> {
    #[inline(always)]
    fn put(&mut self, result: R) {
        self.write(result);
    }
}

impl Cpu {
    /// Maps each element and its index to an element of a new array, or returns `None` if there is not enough memory. All threads
    /// write: the first write to a page takes longer than any other.
    pub(super) fn map<T: Sync, R: Send>(
        &self,
        x: &[T],
        map: impl Fn(usize, &T) -> R + Sync,
    ) -> Option<Vec<R>> {
        let mut results = Unwritten::new(x.len())?;
        let len = (TASK_BYTES / size_of::<T>().max(size_of::<R>()).max(1)).max(1);
        let parts = x.chunks(len).zip(results.slots().chunks_mut(len)).zip((0..).step_by(len));
        let helpers = self.threads_for(x.len().saturating_mul(size_of::<T>().max(size_of::<R>()))) - 1;
        let Ok(()) = share(self.pool.as_deref(), helpers, parts, |((x, slots), start)| {
            for ((x, slot), i) in x.iter().zip(slots).zip(start..) {
                slot.write(map(i, x));
            }
            Ok::<_, Infallible>(())
        });
        // SAFETY: the parts above are all elements, each with its slot, and `share` returns after all are done.
        Some(unsafe { results.written() })
    }
}

/// Requests pages of 2 MiB where the system gives them on request. The first write to a page is an interrupt, and an
/// access to a page that was not used lately costs a search of the page tables; large pages make both rarer.
///
/// Linux, `madvise(2)`, `MADV_HUGEPAGE`. NumPy does the same.
/// [2-core Xeon (Sapphire Rapids), Linux 6.18, a copy of 64 MiB to a new array: 39 ms in pages of 4 KiB, 23 in large
/// ones.]
fn ask_for_large_pages<T>(room: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    if size_of_val(room) >= LARGE {
        const PAGE: usize = 4096;
        let (start, end) = (room.as_mut_ptr().addr(), room.as_mut_ptr_range().end.addr());
        let (first, behind) = (start.next_multiple_of(PAGE), end - end % PAGE);
        // SAFETY: the pages lie within `room`, which only this array uses; the advice changes no byte. A system without
        // such pages refuses the advice, which also changes nothing.
        unsafe {
            libc::madvise(room.as_mut_ptr().with_addr(first).cast(), behind - first, libc::MADV_HUGEPAGE)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (room, LARGE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_and_its_index_are_mapped_or_there_is_no_memory() {
        let x: Vec<u32> = (0..1_000_000).rev().collect();
        for threads in [1, 3] {
            let cpu = Cpu::with_threads(threads).unwrap();
            let mapped = cpu.map(&x, |i, &x| (x, i)).unwrap();
            assert!(mapped.iter().enumerate().all(|(i, &pair)| pair == (999_999 - i as u32, i)));
            assert_eq!(mapped.len(), x.len());
            assert!(cpu.map(&[(); usize::MAX], |_, ()| 0_u8).is_none());
        }
    }
}
