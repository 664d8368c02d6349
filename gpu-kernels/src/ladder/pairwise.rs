//! Rung 2: pairs of neighbours through global memory, one launch per level.
//!
//! **Changes:** a tree instead of a queue. Each launch halves the array, from one of two buffers into the other; the host swaps
//! them. The only barrier is the end of the launch. **Why it is slow:** all levels together move the array three times through
//! memory, and a launch costs more than the work of the last levels. **Look at:** launches, log2 of n; and sectors: a warp's
//! lanes read every other element, so each load touches twice the sectors that it uses, and the second load touches them again.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::index_1d;

use super::addend::{Addend, element};

/// Writes the sum of elements 2i and 2i + 1 to `out[i]`; an odd element at the end is copied. One thread per pair.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn halve<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let pair = index_1d();
    // The sum of empty input is zero, and one thread has to write it.
    if pair < input.len().div_ceil(2).max(1) {
        out.write(pair, element(input, 2 * pair).plus(element(input, 2 * pair + 1)));
    }
}
