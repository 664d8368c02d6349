//! What a pass writes to memory.

use cuda_std::global::GlobalCells;

/// Elements whose places a thread looks up before it writes them.
pub(crate) const AT_ONCE: usize = 6;

/// Where a pass writes: its keys, or the values beside them.
pub(crate) trait Output<T>: Copy {
    /// Writes each of `elements`, at most [`AT_ONCE`], to the place beside it.
    fn scatter(self, places: &[u64], elements: &[T]);

    /// Returns whether anything is written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_some(self) -> bool {
        true
    }

    /// Looks at the `count` keys of a tile, `key_at` each rank, before they are written.
    ///
    /// Called by: every one of the block's `threads` threads.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn look(self, _thread: u32, _threads: u32, _count: u32, _key_at: impl Fn(u32) -> T) {}
}

impl<T: Copy> Output<T> for GlobalCells<T> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn scatter(self, places: &[u64], elements: &[T]) {
        GlobalCells::scatter(self, places, elements);
    }
}
