//! The launches that compute running sums of integers. They check that their arguments are memory the kernels may
//! touch, as [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use gpu_kernels::arguments::{Sums, Totals};
use gpu_kernels::groups::shapes::SCAN_THREADS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::Portions;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{SCAN, SCAN_TOTALS};

/// Most integers that one block sums alone: a launch costs about as much. To be measured: one block against three
/// launches.
const ONE_BLOCK: u64 = 8192;

/// Integers that a block sums at a time.
const SCAN_TILE: u64 = 1024;

/// Most blocks that sum, so that one block can sum their totals.
const MOST_SCAN_BLOCKS: u32 = 1024;

/// The number of totals for which a scan's memory has room.
pub(crate) const SCAN_TOTALS_LEN: usize = MOST_SCAN_BLOCKS as usize + 1;

impl Queue {
    /// Replaces each of `len` integers, at least 1, by the sum of the integers before it, and writes the sum of
    /// all behind them. `totals` must have room for 1025.
    pub(crate) fn scan(
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
        let (input, to) = (self.opened(cells, len)?, self.opened(totals, blocks.into())?);
        let arguments = Totals { input, len, portion, totals: to };
        // SAFETY: `opened` checked that `len` integers are readable and that there is room for one per block. The queue
        // keeps both.
        unsafe { self.launch(kernels, SCAN_TOTALS, blocks, SCAN_THREADS, arguments) }?;
        let of_totals = Portions { len: u64::from(blocks), portion: u64::from(blocks), blocks: 1 };
        self.scan_portions(kernels, totals, of_totals, None)?;
        self.scan_portions(kernels, cells, portions, Some(totals))
    }

    /// Enqueues the last launch of a scan. `before` has the sum of the integers before each block's, unless there is only one
    /// block.
    fn scan_portions(
        &self,
        kernels: &Kernels,
        cells: Region<'_>,
        Portions { len, portion, blocks }: Portions,
        before: Option<Region<'_>>,
    ) -> Result<(), Error> {
        let cells = self.opened(cells, len.saturating_add(1))?;
        let before = self.opened_if(before, blocks.into())?;
        let arguments = Sums { cells, len, portion, before };
        // SAFETY: `opened` checked the room for `len + 1` integers. `opened_if` checked that there is a readable sum per
        // block; without `before` there is one block, as `scan` calls it. The queue keeps both.
        unsafe { self.launch(kernels, SCAN, blocks, SCAN_THREADS, arguments) }
    }
}
