//! Values that one thread of a launch posts and that threads of other blocks wait for.

use core::marker::PhantomData;

use bytemuck::Pod;

use crate::imp;

/// The mark beside each word of a posted value.
const POSTED: u64 = 1 << 32;

/// Places in global memory for values. One thread of a launch posts each value, at most once, while others look for it.
///
/// A value travels in words of 32 bits, each stored with a mark as one word of 64 bits. A reader sees a word together
/// with its mark or not at all, so it needs no fence to know that all words have arrived. Loads and stores are relaxed,
/// at device scope: they order no other memory (PTX ISA, memory consistency model, strong operations).
///
/// A kernel that waits for a post must prove that the posting block runs or has run, whatever the other blocks do.
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
    /// Words of 64 bits per value.
    pub const WORDS: usize = {
        assert!(size_of::<A>().is_multiple_of(4), "a value travels in words of 4 bytes");
        size_of::<A>() / 4
    };

    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned, and readable and writable for [`WORDS`](Self::WORDS) words for each of `count` values. Only
    /// such handles access the words during the launch, and all were zero at its start.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(start: *mut u64, count: u64) -> Self {
        Self { start, count, _value: PhantomData }
    }

    /// Posts `value` at `index`. Traps (on the host: panics) if `index >= count`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn post(self, index: u64, value: A) {
        if index >= self.count {
            imp::out_of_bounds();
        }
        for word in 0..Self::WORDS {
            let bits: u32 = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&value)[4 * word..4 * word + 4]);
            // SAFETY: `index` is below `count` by the check above; the caller of `new` promised the words.
            unsafe { imp::store_relaxed(self.place(index, word), POSTED | u64::from(bits)) }
        }
    }

    /// Returns the value posted at `index`, if all of it has arrived. Traps (on the host: panics) if `index >= count`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn look(self, index: u64) -> Option<A> {
        if index >= self.count {
            imp::out_of_bounds();
        }
        let (mut value, mut is_there) = (A::zeroed(), true);
        for word in 0..Self::WORDS {
            // SAFETY: `index` is below `count` by the check above; the caller of `new` promised the words.
            let bits = unsafe { imp::load_relaxed(self.place(index, word)) };
            is_there &= bits >= POSTED;
            bytemuck::bytes_of_mut(&mut value)[4 * word..4 * word + 4]
                .copy_from_slice(bytemuck::bytes_of(&(bits as u32)));
        }
        is_there.then_some(value)
    }

    /// Returns the values posted at `first`, `first + step` and so on: `N` values with one check, loaded together and
    /// at constant distances. Returns `None` unless the first `wanted` values have arrived; the rest may be anything.
    /// Traps (on the host: panics) if one of the `N` places is beyond the end.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
                // SAFETY: the last place is below `count` by the check above; the caller of `new` promised the words.
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

    /// Returns the address of a word of a value. All first words are contiguous, then all second words, so that loads
    /// of neighbouring values coalesce.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self, index: u64, word: usize) -> *mut u64 {
        self.start.wrapping_add((word as u64 * self.count + index) as usize)
    }
}
