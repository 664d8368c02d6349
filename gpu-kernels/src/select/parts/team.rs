//! Teams: the threads that select from one part, a warp or a block.

use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_dim_x, sync_threads, sync_threads_or, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};

use crate::warp;

/// The threads that select from one part, and how many places of their memory are taken.
pub(super) trait Team {
    /// Returns this thread's number in the team.
    fn thread(&self) -> u32;
    /// Returns the number of threads.
    fn threads(&self) -> u32;
    /// Waits for all threads, and makes visible what they did to memory.
    fn sync(&self);
    /// Does [`sync`](Self::sync), and returns whether `predicate` holds in any thread.
    fn any(&self, predicate: bool) -> bool;
    /// Takes places for this warp, and returns the first.
    ///
    /// Called by: every lane of the warp, with the same number. Valid in: every lane.
    fn take(&mut self, places: u32) -> u32;
    /// Returns how many places are taken. A [`sync`](Self::sync) is between this and a change.
    fn taken(&self) -> u32;
    /// Sets how many places are taken.
    fn set_taken(&mut self, places: u32);
}

/// A warp.
pub(super) struct Warp {
    pub(super) taken: u32,
}

impl Team for Warp {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn thread(&self) -> u32 {
        lane_id()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn threads(&self) -> u32 {
        WARP_SIZE
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sync(&self) {
        warp::sync();
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn any(&self, predicate: bool) -> bool {
        warp::any(predicate)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take(&mut self, places: u32) -> u32 {
        let first = self.taken;
        self.taken += places;
        first
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn taken(&self) -> u32 {
        self.taken
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn set_taken(&mut self, places: u32) {
        self.taken = places;
    }
}

/// A block.
pub(super) struct Block {
    /// One cell: the number of places that are taken.
    pub(super) taken: SharedSlice<u32>,
}

impl Team for Block {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn thread(&self) -> u32 {
        thread_idx_x()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn threads(&self) -> u32 {
        block_dim_x()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sync(&self) {
        sync_threads();
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn any(&self, predicate: bool) -> bool {
        sync_threads_or(predicate)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take(&mut self, places: u32) -> u32 {
        let first = if lane_id() == 0 && places > 0 { self.taken.fetch_add(0, places) } else { 0 };
        warp::of_lane(first, 0)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn taken(&self) -> u32 {
        self.taken.read(0)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn set_taken(&mut self, places: u32) {
        if thread_idx_x() == 0 {
            self.taken.write(0, places);
        }
    }
}
