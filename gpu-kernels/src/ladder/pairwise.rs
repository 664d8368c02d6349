//! Rung 2: pairs of neighbours through global memory, a launch per level.
//!
//! **Changes:** a tree instead of a queue. Each launch halves the array into the other one of two buffers, which the host
//! swaps. The end of a launch is the only barrier that it needs. **Why it is slow:** all levels together move the array
//! three times through memory, and a launch costs more than the last levels' work. **Look at:** launches, log2 of n; and
//! sectors: a warp's lanes read every other element, so each load touches twice the sectors that it has use for, and the
//! second load touches them again.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::index_1d;

use super::addend::{Addend, element};

/// Writes the sum of elements 2i and 2i + 1 to `out[i]`; an odd one at the end goes alone. A thread per pair.
#[inline(always)]
pub fn halve<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let pair = index_1d();
    // Of nothing the sum is zero, and somebody has to write it.
    if pair < input.len().div_ceil(2).max(1) {
        out.write(pair, element(input, 2 * pair).plus(element(input, 2 * pair + 1)));
    }
}
