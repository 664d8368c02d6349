//! Finish layer: accumulators that earlier launches left in device memory become results.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};

use crate::op::{Element, Op};
use crate::stored::{Storable, StoredOf};

/// The number of elements of each accumulator.
#[derive(Clone, Copy)]
pub(crate) enum Lens {
    /// The same for all.
    Same(u64),
    /// The difference of neighbouring offsets.
    Between(GlobalSlice<u64>),
}

impl Lens {
    /// Returns the number of elements of accumulator `i`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, i: u64) -> u64 {
        match self {
            Self::Same(len) => len,
            Self::Between(offsets) => offsets.read(i + 1).wrapping_sub(offsets.read(i)),
        }
    }
}

/// Finishes each accumulator and stores the result at its index in `out`. An accumulator of no elements counts as
/// [`Op::IDENTITY`], whatever the memory holds.
///
/// Called by: any threads, which take accumulators by a stride. Valid in: `out`, when the launch has ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn finish<T: Element, O: Op<T, Out: Storable>>(
    accs: GlobalSlice<O::Acc>,
    lens: Lens,
    out: GlobalCells<StoredOf<T, O>>,
) {
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let mut i = index_1d();
    while i < accs.len() {
        let len = lens.of(i);
        let acc = if len == 0 { O::IDENTITY } else { accs.read(i) };
        out.write(i, O::finish(acc, len).store());
        i += step;
    }
    let_next_launch_start();
}
