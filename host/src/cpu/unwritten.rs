//! Results that threads write, each to its own slots.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::memory;

/// Results that threads write, each to its own slots.
pub(crate) struct Unwritten<R> {
    results: Vec<R>,
    len: usize,
}

impl<R> Unwritten<R> {
    /// Allocates room for `len` results.
    pub(crate) fn new(len: usize) -> Result<Self, Error> {
        Ok(Self { results: memory::with_room(len)?, len })
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

/// The slots of results that threads write in any order.
pub(super) struct Places<'a, S> {
    first: *mut S,
    len: usize,
    slots: PhantomData<&'a mut [S]>,
}

// SAFETY: the slots are borrowed exclusively, only `put` and `put_all` access them, and its callers promise that no two calls access one slot.
unsafe impl<S: Send> Sync for Places<'_, S> {}

impl<'a, S> Places<'a, S> {
    pub(super) fn new(slots: &'a mut [S]) -> Self {
        Self { first: slots.as_mut_ptr(), len: slots.len(), slots: PhantomData }
    }

    /// Writes the result at `place`.
    ///
    /// # Safety
    /// No other call writes there.
    #[inline(always)]
    pub(super) unsafe fn put<R>(&self, place: usize, result: R)
    where
        S: Slot<R>,
    {
        assert!(place < self.len, "a result beyond the last");
        // SAFETY: the slot exists by the check above, `slots` borrows it, and no other call accesses it by the caller's promise.
        unsafe { &mut *self.first.add(place) }.put(result);
    }

    /// Writes neighbouring results, the first at `place`.
    ///
    /// # Safety
    /// No other call writes to any of the `N` places from `place` on.
    #[inline(always)]
    pub(super) unsafe fn put_all<R, const N: usize>(&self, place: usize, results: [R; N])
    where
        S: Slot<R>,
    {
        assert!(place.checked_add(N).is_some_and(|end| end <= self.len), "a result beyond the last");
        // SAFETY: the slots exist by the check above, `slots` borrows them, and no other call accesses them by the caller's promise.
        S::put_all(unsafe { &mut *self.first.add(place).cast::<[S; N]>() }, results);
    }
}

/// A slot for a result, with or without a previous one.
pub(super) trait Slot<R>: Send + Sized {
    /// Writes the result.
    fn put(&mut self, result: R);
    /// Writes a result to each slot.
    fn put_all<const N: usize>(slots: &mut [Self; N], results: [R; N]);
}

impl<R: Send> Slot<R> for R {
    #[inline(always)]
    fn put(&mut self, result: R) {
        *self = result;
    }
    #[inline(always)]
    fn put_all<const N: usize>(slots: &mut [R; N], results: [R; N]) {
        *slots = results;
    }
}

impl<R: Send> Slot<R> for MaybeUninit<R> {
    #[inline(always)]
    fn put(&mut self, result: R) {
        self.write(result);
    }
    #[inline(always)]
    fn put_all<const N: usize>(slots: &mut [Self; N], results: [R; N]) {
        let slots: *mut [Self; N] = slots;
        // SAFETY: a slot has the layout of its result, and may have any bytes.
        unsafe { slots.cast::<[R; N]>().write(results) };
    }
}

impl Cpu {
    /// Maps each element and its index to an element of a new array. All threads write: the first write to a page takes longer than
    /// any other.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    pub(super) fn map<T: Sync, R: Send>(
        &self,
        x: &[T],
        map: impl Fn(usize, &T) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
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
        Ok(unsafe { results.written() })
    }
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
            assert!(cpu.map(&[(); usize::MAX], |_, ()| 0_u8).is_err());
        }
    }
}
