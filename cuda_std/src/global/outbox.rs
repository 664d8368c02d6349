//! A value for the host, which may read it while the launch runs.

use bytemuck::Pod;

use crate::imp;

/// A place in the host's memory for one value, which the host may read while the launch still runs.
///
/// The value travels in words of 32 bits, each stored with a tag as one word of 64 bits. The host sees a word together
/// with its tag or not at all, so it needs no fence to know which words have arrived. With tag 0 the place is an
/// ordinary cell, which the host or a later launch reads after the launch has ended.
#[derive(Clone, Copy)]
pub struct Outbox<T> {
    place: *mut T,
    tag: u32,
}

impl<T: Pod> Outbox<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// Without a tag, `place` is aligned and writable for a `T`. With one, it is aligned to 8 and writable for 8 bytes
    /// per 4 bytes of `T`, and the host reads it by atomic loads of 64 bits. One thread of the launch writes it, once;
    /// nothing else does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(place: *mut T, tag: u32) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(4), "a value travels in words of 4 bytes") }
        Self { place, tag }
    }

    /// Writes the value.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write(self, value: T) {
        if self.tag == 0 {
            // SAFETY: the caller of `new` promised the place.
            return unsafe { imp::store(self.place, value) };
        }
        for i in 0..size_of::<T>() / 4 {
            let word: u32 = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&value)[4 * i..4 * i + 4]);
            // SAFETY: the caller of `new` promised 8 bytes for each word.
            unsafe {
                imp::store_for_host(
                    self.place.cast::<u64>().add(i),
                    u64::from(self.tag) << 32 | u64::from(word),
                );
            }
        }
    }
}
