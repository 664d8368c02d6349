//! Rung 1: one atomic addition per element.
//!
//! **Changes:** nothing yet; it is the loop that a CPU would run, with one thread per iteration. **Why it is slow:** all
//! threads add to one address, where the additions queue up. **Look at:** atomics, one per element. For floats the order of
//! additions is that in which threads happen to arrive: two runs need not give the same bits.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::thread::index_1d;

use super::addend::Addend;

/// Adds each element to `total`, which starts at zero. One thread per element.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn per_element<T: Addend>(input: GlobalSlice<T>, total: AtomicCells<T>) {
    let index = index_1d();
    if index < input.len() {
        total.add(0, input.read(index));
    }
}
