//! Where results arrive on the host: the last launch of a reduction writes them there, and the host watches.
//!
//! A launch is told where, and a *tag*. It stores each 32 bits of the accumulator as one 64-bit word with the tag in
//! its upper half. Such a store is seen whole or not at all, so a word with the expected tag carries its own proof, and
//! the host needs neither a fence nor a call to the driver to read it.
//!
//! **What may be let go when the words are there.** The launch may still be leaving the device: its code, its scratch
//! memory and this page stay with the queue until a wait. Its input may go: every element was loaded before the words
//! could be computed, and the driver frees device memory only once the device's work has ended (CUDA C++ Programming
//! Guide, "Stream Ordered Memory Allocator": `cudaFree` synchronises all streams).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gpu_kernels::shape::MOST_ACC_BYTES;

use cust::memory::{LockedWords, Memory};
use cust::stream::{Observer, StreamHandle};

use crate::Accumulator;
use crate::cuda::launch::Context;
use crate::error::Error;

/// 64-bit words of a result at most.
const WORDS: usize = MOST_ACC_BYTES / 4;

/// Bytes from one result to the next: whole cache lines, so that the device's writes to one do not disturb who watches
/// another.
const STRIDE: usize = 8 * WORDS;

/// Results of a page: two of the 4 KiB that the driver pins at least.
const RESULTS: usize = 64;

/// Page-locked memory for the results of many launches.
#[derive(Debug)]
pub(in crate::cuda::launch) struct Page {
    words: LockedWords,
    states: [State; RESULTS],
}

/// What the host knows of one place. The queue's thread alone starts launches; others only look, and let go.
#[derive(Debug, Default)]
struct State {
    /// Whether somebody wants what is there, or is to be.
    claimed: AtomicBool,
    /// Whether a launch may still write here.
    started: AtomicBool,
    /// That launch's tag: another one each time, never 0.
    tag: AtomicU32,
    /// Words that it writes.
    words: AtomicU32,
    /// What it reads.
    input: Mutex<Option<Arc<Memory>>>,
}

/// The result of one launch, or the place for it. Dropping or leaking it frees nothing that is in use.
#[derive(Debug)]
pub(in crate::cuda) struct Reply {
    page: Arc<Page>,
    index: usize,
    pub(in crate::cuda::launch) handle: Arc<StreamHandle>,
}

impl State {
    /// Lets go what the launch reads.
    fn let_go(&self) {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.started.store(false, Ordering::Relaxed);
        // Not under the lock: the last owner's drop calls the driver.
        drop(input);
    }
}

impl Page {
    /// Allocates it. None of its words has a tag.
    pub(in crate::cuda::launch) fn new(context: &Arc<Context>) -> Result<Arc<Self>, Error> {
        let states = std::array::from_fn(|_| State::default());
        Ok(Arc::new(Self { words: LockedWords::new(context, RESULTS * STRIDE)?, states }))
    }

    /// A place that nobody wants and no launch will write to. To be called by the queue's thread.
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

    /// The words at a place, if all `words` have the tag.
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
    /// Lets go what launches on the queue have read.
    fn work_ended(&self) {
        self.states.iter().filter(|state| state.started.load(Ordering::Relaxed)).for_each(State::let_go);
    }
}

impl Reply {
    /// Says that a launch is to write an accumulator here after reading `input`: the place's address, and the tag.
    pub(in crate::cuda::launch) fn start<A: Accumulator>(&self, input: &Arc<Memory>) -> (*mut A, u32) {
        const { assert!(size_of::<A>().is_multiple_of(4) && size_of::<A>() <= 4 * WORDS) }
        let state = self.state();
        let tag = state.tag.load(Ordering::Relaxed).wrapping_add(1).max(1);
        if tag == 1 {
            // All tags are used again from here on: none of an earlier round may be left, in words that shorter results
            // since then did not touch. No launch is writing: the place was free.
            let words = self.page.words.words(self.index * (STRIDE / size_of::<u64>()));
            words.iter().take(WORDS).for_each(|word| word.store(0, Ordering::Relaxed));
        }
        state.tag.store(tag, Ordering::Relaxed);
        state.words.store((size_of::<A>() / 4) as u32, Ordering::Relaxed);
        *state.input.lock().unwrap_or_else(PoisonError::into_inner) = Some(input.clone());
        state.started.store(true, Ordering::Relaxed);
        let address = self.page.words.address() + (self.index * STRIDE) as u64;
        (std::ptr::without_provenance_mut(address as usize), tag)
    }

    /// Whether it is written on this queue.
    pub(in crate::cuda::launch) fn is_of(&self, handle: &Arc<StreamHandle>) -> bool {
        Arc::ptr_eq(&self.handle, handle)
    }

    /// The result, if it is there. Makes no call to the driver, but to free an input that nobody else has.
    pub(in crate::cuda) fn look<A: Accumulator>(&self) -> Option<A> {
        let words = self.page.look(self.index, size_of::<A>() / 4)?;
        if self.state().started.load(Ordering::Relaxed) {
            self.state().let_go();
        }
        Some(bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&words.map(u32::to_le))[..size_of::<A>()]))
    }

    /// The result, if it is there; fails if it never will be.
    pub(in crate::cuda) fn ask<A: Accumulator>(&self) -> Result<Option<A>, Error> {
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
