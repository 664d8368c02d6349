//! Places on the host where results arrive: the last launch of a reduction writes a result there, and the host polls
//! it.
//!
//! A launch is given the slot and a *tag*. It stores each 32 bits of the accumulator as one 64-bit word with the tag
//! in its upper half. A store of a word is seen whole or not at all, so a word with the expected tag proves its own
//! arrival, and the host needs neither a fence nor a call to the driver to read it.
//!
//! **What may be released when the words have arrived.** The launch may still be leaving the device, so its code, its
//! scratch memory and this page stay with the queue until a wait. Its input may be released: every element was loaded
//! before the words could be computed, and the driver frees device memory only once the device's work has ended (CUDA
//! C++ Programming Guide, "Stream Ordered Memory Allocator": `cudaFree` synchronises all streams).

use std::ffi::c_void;
use std::sync::Arc;

use cuda_std::memory::{Pointer, Writable};
use gpu_kernels::Accumulator;
use gpu_kernels::shapes::MOST_ACC_BYTES;

use cust::memory::{LockedWords, Memory};
use cust::stream::{Observer, StreamHandle};

use crate::cuda::launch::Context;
use crate::cuda::launch::queue::RESULTS;
use crate::error::Error;
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use crate::sync::{Mutex, PoisonError};

/// Most 64-bit words of a result.
const WORDS: usize = MOST_ACC_BYTES / 4;

/// Bytes from one result to the next: whole cache lines, so that the device's writes to one do not disturb threads that
/// poll another.
const STRIDE: usize = 8 * WORDS;

/// Page-locked memory for the results of many launches.
#[derive(Debug)]
pub(in crate::cuda::launch) struct Page {
    words: LockedWords,
    states: [State; RESULTS],
}

/// The host's state of one slot. Only the queue's thread starts launches; other threads only poll and release.
#[derive(Debug, Default)]
struct State {
    /// Whether a [`Reply`] still wants the result.
    claimed: AtomicBool,
    /// Whether a launch may still write here.
    started: AtomicBool,
    /// The tag of that launch: a new one each time, never 0.
    tag: AtomicU32,
    /// Number of words that the launch writes.
    words: AtomicU32,
    /// The memory that the launch reads.
    input: Mutex<Option<Arc<Memory>>>,
}

/// The result of one launch, or the slot where it will arrive. Dropping or leaking it frees nothing that is in use.
#[derive(Debug)]
pub(crate) struct Reply {
    page: Arc<Page>,
    index: usize,
    pub(in crate::cuda::launch) handle: Arc<StreamHandle>,
}

impl State {
    /// Releases the memory that the launch reads.
    fn let_go(&self) {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.started.store(false, Ordering::Relaxed);
        // Dropped outside the lock, because dropping the last owner calls the driver.
        drop(input);
    }
}

impl Page {
    /// Allocates a page. None of its words has a tag.
    pub(in crate::cuda::launch) fn new(context: &Arc<Context>) -> Result<Arc<Self>, Error> {
        let states = std::array::from_fn(|_| State::default());
        Ok(Arc::new(Self { words: LockedWords::new(context, RESULTS * STRIDE)?, states }))
    }

    /// Claims a slot that no reply wants and no launch will write. Only the queue's thread may call this.
    pub(in crate::cuda::launch) fn claim(self: &Arc<Self>, handle: &Arc<StreamHandle>) -> Option<Reply> {
        let index = (0..RESULTS).find(|&index| self.is_free(index))?;
        self.states[index].claimed.store(true, Ordering::Relaxed);
        Some(Reply { page: self.clone(), index, handle: handle.clone() })
    }

    fn is_free(&self, index: usize) -> bool {
        let state = &self.states[index];
        if state.claimed.load(Ordering::Acquire) {
            return false;
        }
        if state.started.load(Ordering::Relaxed) {
            let words = state.words.load(Ordering::Relaxed) as usize;
            if self.look(index, words).is_none() {
                return false;
            }
            state.let_go();
        }
        true
    }

    /// Returns the words at a slot, if the first `words` have the tag.
    fn look(&self, index: usize, words: usize) -> Option<[u32; WORDS]> {
        let tag = self.states[index].tag.load(Ordering::Relaxed);
        let first = index * (STRIDE / size_of::<u64>());
        let mut found = [0; WORDS];
        for (found, word) in found.iter_mut().take(words).zip(self.words.words(first)) {
            let word = word.load(Ordering::Acquire);
            if (word >> 32) as u32 != tag {
                return None;
            }
            *found = word as u32;
        }
        Some(found)
    }
}

impl Observer for Page {
    /// Releases what launches on the queue have read.
    fn work_ended(&self) {
        self.states.iter().filter(|state| state.started.load(Ordering::Relaxed)).for_each(State::let_go);
    }
}

impl Reply {
    /// Prepares the slot for a launch that reads `input` and writes an accumulator of `bytes` here, at most
    /// [`MOST_ACC_BYTES`]. Returns the slot's address and the tag.
    pub(in crate::cuda::launch) fn start(
        &self,
        bytes: usize,
        input: &Arc<Memory>,
    ) -> (Writable<c_void>, u32) {
        let state = self.state();
        let tag = state.tag.load(Ordering::Relaxed).wrapping_add(1).max(1);
        if tag == 1 {
            // Tags repeat from here on. Words that shorter results have not touched since could have a tag of an
            // earlier round, so all are cleared. No launch is writing: the slot was free.
            let words = self.page.words.words(self.index * (STRIDE / size_of::<u64>()));
            words.iter().take(WORDS).for_each(|word| word.store(0, Ordering::Relaxed));
        }
        state.tag.store(tag, Ordering::Relaxed);
        state.words.store((bytes / 4) as u32, Ordering::Relaxed);
        *state.input.lock().unwrap_or_else(PoisonError::into_inner) = Some(input.clone());
        state.started.store(true, Ordering::Relaxed);
        let address = self.page.words.address() + (self.index * STRIDE) as u64;
        // SAFETY: the slot has aligned room for every accumulator with tags.
        (unsafe { Writable::new(std::ptr::without_provenance_mut(address as usize)) }, tag)
    }

    /// Returns whether the result is written on this queue.
    pub(in crate::cuda::launch) fn is_of(&self, handle: &Arc<StreamHandle>) -> bool {
        Arc::ptr_eq(&self.handle, handle)
    }

    /// Returns the result if it has arrived. Calls the driver only to free an input that has no other owner.
    pub(crate) fn look<A: Accumulator>(&self) -> Option<A> {
        let words = self.page.look(self.index, size_of::<A>() / 4)?;
        if self.state().started.load(Ordering::Relaxed) {
            self.state().let_go();
        }
        Some(bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&words.map(u32::to_le))[..size_of::<A>()]))
    }

    /// Returns the result if it has arrived. Fails if it never will.
    pub(crate) fn ask<A: Accumulator>(&self) -> Result<Option<A>, Error> {
        if let Some(acc) = self.look() {
            return Ok(Some(acc));
        }
        if self.handle.has_ended()? { self.look().map(Some).ok_or(Error::NoResult) } else { Ok(None) }
    }

    fn state(&self) -> &State {
        &self.page.states[self.index]
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.state().claimed.store(false, Ordering::Release);
    }
}
