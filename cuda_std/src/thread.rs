//! Indices, dimensions, barriers and fences of a thread.

use crate::imp;

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        #[must_use]
        pub fn $name() -> u32 {
            imp::$name()
        }
    )* };
}
indices!(
    /// This thread's index in its block, x.
    thread_idx_x,
    /// This thread's index in its block, y.
    thread_idx_y,
    /// This thread's index in its block, z.
    thread_idx_z,
    /// This block's index in the grid, x.
    block_idx_x,
    /// This block's index in the grid, y.
    block_idx_y,
    /// This block's index in the grid, z.
    block_idx_z,
    /// Threads per block, x.
    block_dim_x,
    /// Threads per block, y.
    block_dim_y,
    /// Threads per block, z.
    block_dim_z,
    /// Blocks in the grid, x.
    grid_dim_x,
    /// Blocks in the grid, y.
    grid_dim_y,
    /// Blocks in the grid, z.
    grid_dim_z,
);

/// Returns this thread's index in a one-dimensional grid, in 64 bits: a grid may have 2^31 - 1 blocks of 1024 threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub fn index_1d() -> u64 {
    block_idx_x() as u64 * block_dim_x() as u64 + thread_idx_x() as u64
}

/// Waits until every thread of the block has called this. What they wrote to shared and global memory before is then
/// visible to all of them (`__syncthreads`).
///
/// Called by every thread of the block, at the same call. On the device a missing thread hangs the block; the emulator
/// reports it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn sync_threads() {
    imp::barrier();
}

/// Does [`sync_threads`] and returns whether `predicate` holds in every thread of the block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub fn sync_threads_and(predicate: bool) -> bool {
    imp::barrier_and(predicate)
}

/// Does [`sync_threads`] and returns whether `predicate` holds in any thread of the block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub fn sync_threads_or(predicate: bool) -> bool {
    imp::barrier_or(predicate)
}

/// Does [`sync_threads`] and returns the number of threads of the block in which `predicate` holds.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub fn sync_threads_count(predicate: bool) -> u32 {
    imp::barrier_count(predicate)
}

/// Orders this thread's memory accesses before and after it, as seen by its block (`__threadfence_block`).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn block_fence() {
    imp::fence_block();
}

/// Orders this thread's memory accesses before and after it, as seen by the grid (`__threadfence`). A grid runs on one
/// device, so this equals [`device_fence`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn grid_fence() {
    imp::fence_device();
}

/// Orders this thread's memory accesses before and after it, as seen by the device (`__threadfence`).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn device_fence() {
    imp::fence_device();
}

/// Orders this thread's memory accesses before and after it, as seen by the host and other devices
/// (`__threadfence_system`).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn system_fence() {
    imp::fence_system();
}

/// Suspends this thread for between 0 and 2 * `nanoseconds`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn nanosleep(nanoseconds: u32) {
    imp::nanosleep(nanoseconds);
}

/// Returns `value` in a way that the compiler cannot see through. Used for the end of a loop that must not be unrolled:
/// unrolled code of a large body is many times as long, and the driver compiles it when the kernel is first used.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub fn unknown(value: u32) -> u32 {
    imp::unknown(value)
}

/// Returns `value` in a way that the compiler cannot see through, anew at each call. So what is computed from it is
/// computed again, instead of being kept in registers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub fn anew(value: u32) -> u32 {
    imp::anew(value)
}
