//! Elements that no pass carries: their places are sorted in their stead, and they go once to where those stand.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};

use crate::warp;
use crate::word::Word;

/// Places of elements in memory.
#[derive(Clone, Copy)]
pub(crate) enum Places {
    /// Of fewer than 2^32 elements.
    Word(GlobalSlice<u32>),
    /// Of more.
    Long(GlobalSlice<u64>),
}

impl Places {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(self) -> u64 {
        match self {
            Self::Word(places) => places.len(),
            Self::Long(places) => places.len(),
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read_or_last(self, index: u64) -> u64 {
        match self {
            Self::Word(places) => u64::from(places.read_or_last(index)),
            Self::Long(places) => places.read_or_last(index),
        }
    }
}

/// Copies the element, of `words` words, at each of `places` to `out`, one after the other.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn gather<W: Word>(input: GlobalSlice<W>, places: Places, words: u32, out: GlobalCells<W>) {
    let lane = lane_id();
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let mut first = index_1d() - u64::from(lane);
    // Every lane of a warp has the same `first`.
    while first < places.len() {
        let place = places.read_or_last(first + u64::from(lane));
        let mut turn = 0;
        while turn < words {
            let number = turn * WARP_SIZE + lane;
            let (element, word) = (number / words, number % words);
            let from = warp::of_lane(place, element);
            if first + u64::from(element) < places.len() {
                let value = input.read(from * u64::from(words) + u64::from(word));
                out.write(first * u64::from(words) + u64::from(number), value);
            }
            turn += 1;
        }
        first += step;
    }
    let_next_launch_start();
}

/// Writes to each of `len` cells its own number.
///
/// Called by: every thread of every block. Valid in: `out`, when the launch has ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn number<P: Copy>(out: GlobalCells<P>, len: u64, place: impl Fn(u64) -> P) {
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let mut at = index_1d();
    while at < len {
        out.write(at, place(at));
        at += step;
    }
    let_next_launch_start();
}
