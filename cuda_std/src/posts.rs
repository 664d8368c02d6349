//! Values that one thread of a launch posts and threads of other blocks wait for.

use core::marker::PhantomData;

use bytemuck::Pod;

use crate::imp;

/// What stands beside each word of a value that was posted.
const POSTED: u64 = 1 << 32;

/// Places for values in global memory, each of which one thread of a launch posts, at most once, while others look for it.
///
/// A value travels in words of 32 bits, each with a mark in one store of 64: whoever looks sees a word and its mark or neither,
/// so no fence is needed to know that all words are there. Loads and stores are relaxed, at device scope: they order no other
/// memory (PTX ISA, memory consistency model, strong operations).
///
/// Who waits for a post has to know that the poster runs, or has run, whatever else does: that is the kernel's to prove.
///
/// ```
/// use cuda_std::emulator::{Launch, Order};
/// use cuda_std::posts::Posts;
/// use cuda_std::thread::{block_idx_x, nanosleep};
///
/// let mut words = [0u64; 8];
/// let start = words.as_mut_ptr();
/// // Each of four blocks posts one more than the block before it. They run in order here, so nobody waits in vain.
/// Launch::new(4, 1).order(Order::InOrder).run(|| {
///     // SAFETY: there are two zeroed words for each of four u64s, and they live as long as the launch.
///     let posts = unsafe { Posts::<u64>::new(start, 4) };
///     let block = u64::from(block_idx_x());
///     let before = if block == 0 { 7 << 32 } else {
///         loop {
///             match posts.look(block - 1) {
///                 Some(value) => break value,
///                 None => nanosleep(100),
///             }
///         }
///     };
///     posts.post(block, before + 1);
/// })?;
/// assert_eq!(words.map(|word| word as u32), [1, 2, 3, 4, 7, 7, 7, 7]);
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[derive(Clone, Copy)]
pub struct Posts<A> {
    start: *mut u64,
    count: u64,
    _value: PhantomData<A>,
}

impl<A: Pod> Posts<A> {
    /// Words of 64 bits that a value takes.
    pub const WORDS: usize = {
        assert!(size_of::<A>().is_multiple_of(4), "a value travels in words of 4 bytes");
        size_of::<A>() / 4
    };

    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned, readable and writable for [`WORDS`](Self::WORDS) words for each of `count` values, which nothing
    /// but such handles touches during the launch, and which were all zero at its start.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(start: *mut u64, count: u64) -> Self {
        Self { start, count, _value: PhantomData }
    }

    /// Posts `value` at `index`. Traps (on the host: panics) if `index >= count`.
    #[inline(always)]
    #[track_caller]
    pub fn post(self, index: u64, value: A) {
        if index >= self.count {
            imp::out_of_bounds();
        }
        for word in 0..Self::WORDS {
            let bits: u32 = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&value)[4 * word..4 * word + 4]);
            // SAFETY: within the words by the lines above; `new`'s caller promised them.
            unsafe { imp::store_relaxed(self.place(index, word), POSTED | u64::from(bits)) }
        }
    }

    /// What was posted at `index`, if all of it is there. Traps (on the host: panics) if `index >= count`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn look(self, index: u64) -> Option<A> {
        if index >= self.count {
            imp::out_of_bounds();
        }
        let (mut value, mut is_there) = (A::zeroed(), true);
        for word in 0..Self::WORDS {
            // SAFETY: within the words by the lines above; `new`'s caller promised them.
            let bits = unsafe { imp::load_relaxed(self.place(index, word)) };
            is_there &= bits >= POSTED;
            bytemuck::bytes_of_mut(&mut value)[4 * word..4 * word + 4]
                .copy_from_slice(bytemuck::bytes_of(&(bits as u32)));
        }
        is_there.then_some(value)
    }

    /// What was posted at `first`, `first + step` and so on: `N` values behind one check, loaded at constant distances and all
    /// at once; `None` unless the first `wanted` of them are there. The others are any. Traps (on the host: panics) if there
    /// are not so many places.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn look_column<const N: usize>(self, first: u64, step: u32, wanted: u32) -> Option<[A; N]> {
        const { assert!(N > 0) }
        let steps = u64::from(step) * (N as u64 - 1);
        if steps >= self.count || first >= self.count - steps {
            imp::out_of_bounds();
        }
        let (mut values, mut are_there) = ([A::zeroed(); N], true);
        for word in 0..Self::WORDS {
            let start = self.place(first, word);
            let words: [u64; N] = core::array::from_fn(|i| {
                // SAFETY: within the words by the lines above; `new`'s caller promised them.
                unsafe { imp::load_relaxed(start.wrapping_add(i * step as usize)) }
            });
            for (i, (&bits, value)) in words.iter().zip(&mut values).enumerate() {
                are_there &= bits >= POSTED || i as u32 >= wanted;
                bytemuck::bytes_of_mut(value)[4 * word..4 * word + 4]
                    .copy_from_slice(bytemuck::bytes_of(&(bits as u32)));
            }
        }
        are_there.then_some(values)
    }

    /// Where a word of a value is: all first words stand side by side, then all second ones, so that neighbours are loaded
    /// together.
    #[inline(always)]
    fn place(self, index: u64, word: usize) -> *mut u64 {
        self.start.wrapping_add((word as u64 * self.count + index) as usize)
    }
}
