//! The launches that fold many rows. They check that their arguments are memory the kernels may touch, as
//! [`fold`](crate::cuda::launch::fold) does for one input.

use gpu_kernels::Element;
use gpu_kernels::arguments::{RowsByParts, WholeRows};
use gpu_kernels::shapes::are_rows_vectors;

use crate::cuda::launch::enqueue::{Input, Output};
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::RowsKernel;
use crate::plan::MAX_LAUNCH_BYTES;
use crate::plan::rows::{Kind, RowsPlan};

impl Queue {
    /// Folds `rows` rows of `len` elements, `pitch` apart, to `out`, in as many launches as keep each short. The rows
    /// must take up all of `input`, and there must be at least one row and one element. `partials` must have 256 KiB.
    pub(crate) fn fold_rows<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        kernels: &Kernels,
        plan: RowsPlan,
        input: Input<'_, T>,
        (rows, len, pitch): (u64, u64, u64),
        partials: Region<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let apart = rows.checked_sub(1).and_then(|others| others.checked_mul(pitch));
        if len == 0 || apart.and_then(|apart| apart.checked_add(len)) != Some(input.len()) {
            return Err(Error::Plan {
                why: "rows are at least one, of at least one element, and all of the input",
            });
        }
        plan.check::<T, O>(rows, len, are_rows_vectors::<T>(input.address(), len, pitch))?;
        for (first, rows) in ranges(rows, len.saturating_mul(size_of::<T>() as u64)) {
            self.fold_range(op, kernels, plan, input, (first, rows, len, pitch), partials, out)?;
        }
        Ok(())
    }

    /// Folds `rows` rows from row `first` on to their results in `out`. The plan was checked for all rows.
    fn fold_range<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        kernels: &Kernels,
        plan: RowsPlan,
        input: Input<'_, T>,
        (first, rows, len, pitch): (u64, u64, u64, u64),
        partials: Region<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let from = input.part(first * pitch, (rows - 1) * pitch + len)?;
        let out = Output::Device(out.part(first, rows, size_of::<O::Acc>())?);
        let (to, _) = out.start::<O::Acc>(self, input.memory(), rows)?;
        let are_vectors = are_rows_vectors::<T>(input.address(), len, pitch);
        let whole = |entry, threads, blocks| {
            let arguments = WholeRows { input: from, rows, len, pitch, out: to, op };
            // SAFETY: `part` checked that the rows' elements are readable, and `start` that there is room for an
            // accumulator of each. The caller checked that the rows are short enough for the plan, and `of_tiles` that
            // they are for its kernel. A range begins with a whole row, so its rows are aligned to vectors if all are.
            // The queue keeps both.
            unsafe { self.launch(kernels, entry, blocks, threads, arguments) }
        };
        let (entry, threads, blocks, parts) = match plan {
            RowsPlan::Lanes { threads, blocks } => {
                let entry = if are_vectors { O::ROWS.by_lanes } else { O::ROWS.by_lanes_unaligned };
                return whole(entry, threads, blocks);
            }
            RowsPlan::Warp { threads, blocks, parts } => {
                match Kind::of_tiles::<T, O>(len) {
                    Some(Kind::Tile) if parts == 1 => return whole(O::ROWS.by_tile, threads, blocks),
                    Some(Kind::Tiles) if parts == 1 => return whole(O::ROWS.by_tiles, threads, blocks),
                    _ => {}
                }
                (
                    if are_vectors { O::ROWS.by_warp } else { O::ROWS.by_warp_unaligned },
                    threads,
                    blocks,
                    parts,
                )
            }
            RowsPlan::Block { threads, blocks, parts } => (O::ROWS.by_block, threads, blocks, parts),
        };
        let count = rows.saturating_mul(u64::from(parts));
        let to = match parts {
            1 => to,
            _ => Output::Device(partials).start::<O::Acc>(self, input.memory(), count)?.0,
        };
        let arguments = RowsByParts { input: from, rows, len, pitch, log2_parts: parts.ilog2(), out: to, op };
        // SAFETY: `part` checked that the rows' elements are readable, and `start` that there is room for an
        // accumulator of each part. The caller checked that each part has a tile at least, and
        // one for each group of a block where the kernel needs it. The queue keeps both.
        unsafe { self.launch(kernels, entry, blocks, threads, arguments) }?;
        if parts == 1 {
            return Ok(());
        }
        self.fold_partials(&O::FOLD.partials, kernels, (partials, count), parts, out)
    }
}

/// Returns the launches for rows of `row_bytes`, as (first row, number): few enough rows that no launch runs long. A
/// longer row is one launch: a GPU that holds it reads it in a fraction of a second.
pub(super) fn ranges(rows: u64, row_bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let step = (MAX_LAUNCH_BYTES / row_bytes.max(1)).max(1);
    (0..rows.div_ceil(step)).map(move |range| (range * step, step.min(rows - range * step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_are_all_rows() {
        for (rows, row_bytes) in
            [(1, 1), (1, 1 << 40), (5, 40 << 30), (1 << 36, 4), ((1 << 33) + 7, 24), (1000, 1 << 27)]
        {
            let mut next = 0;
            for (first, number) in ranges(rows, row_bytes) {
                assert_eq!(first, next);
                assert!(
                    number == 1 || (number > 0 && number * row_bytes <= MAX_LAUNCH_BYTES),
                    "{rows} of {row_bytes}"
                );
                next += number;
            }
            assert_eq!(next, rows);
        }
    }
}
