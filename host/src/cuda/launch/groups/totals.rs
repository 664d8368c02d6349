//! The launches that sum integers up, with arguments that are checked to be what the kernels may touch: as
//! [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use std::ptr;

use gpu_kernels::arguments::{Sums, Totals};
use gpu_kernels::moves::groups::shape::SCAN_THREADS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::Portions;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{SCAN, SCAN_TOTALS};

/// Integers that one block sums up alone: a launch costs about as much. To be measured: one block against three launches.
const ONE_BLOCK: u64 = 8192;

/// Integers of a block's turn.
const SCAN_TILE: u64 = 1024;

/// The most blocks that sum up, so that one block sums up their totals.
const MOST_SCAN_BLOCKS: u32 = 1024;

/// Numbers that the totals of a scan have room for.
pub(in crate::cuda) const SCAN_TOTALS_LEN: usize = MOST_SCAN_BLOCKS as usize + 1;

impl Queue {
    /// Replaces each of `len` integers, at least 1, by the sum of those before it, and writes the sum of all behind them.
    /// `totals` has room for 1025.
    pub(in crate::cuda) fn scan(
        &self,
        kernels: &Kernels,
        cells: Region<'_>,
        len: u64,
        totals: Region<'_>,
    ) -> Result<(), Error> {
        if len <= ONE_BLOCK {
            return self.scan_portions(kernels, cells, Portions { len, portion: len, blocks: 1 }, None);
        }
        let portions = Portions::new(len, SCAN_TILE, MOST_SCAN_BLOCKS)?;
        let Portions { len, portion, blocks } = portions;
        let (input, totals_at) =
            (self.opened::<u64>(cells, len)?, self.opened::<u64>(totals, blocks.into())?);
        let arguments = Totals { input, len, portion, totals: totals_at };
        // SAFETY: as many readable integers as there are and room for one per block, checked above; the queue keeps both.
        unsafe { self.launch(kernels, SCAN_TOTALS, blocks, SCAN_THREADS, arguments) }?;
        let of_totals = Portions { len: u64::from(blocks), portion: u64::from(blocks), blocks: 1 };
        self.scan_portions(kernels, totals, of_totals, None)?;
        self.scan_portions(kernels, cells, portions, Some(totals))
    }

    /// The last launch of a scan: `before` has the sum of the integers before each block's, unless there is one block.
    fn scan_portions(
        &self,
        kernels: &Kernels,
        cells: Region<'_>,
        Portions { len, portion, blocks }: Portions,
        before: Option<Region<'_>>,
    ) -> Result<(), Error> {
        let cells = self.opened::<u64>(cells, len.saturating_add(1))?;
        let before = before.map_or(Ok(ptr::null_mut()), |before| before.array_of::<u64>(blocks.into()))?;
        let arguments = Sums { cells, len, portion, before };
        // SAFETY: room for as many integers as there are and one, and a readable sum per block, or none of one block, as `scan`
        // calls it; checked above; the queue keeps both, `before` since the launch before.
        unsafe { self.launch(kernels, SCAN, blocks, SCAN_THREADS, arguments) }
    }
}
