//! The launches that fold columns. They check that their arguments are memory the kernels may touch, as
//! [`rows`](crate::cuda::launch::rows) does for rows.

use gpu_kernels::arguments::{self, ColumnsOfFew};
use gpu_kernels::shapes::{are_columns_vectors, columns_blocks, columns_scratch, few_rows};
use gpu_kernels::{Element, tree};

use crate::cuda::launch::enqueue::{Input, Output};
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::rows::ranges;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::RowsKernel;
use crate::plan::columns::{Columns, ColumnsPlan};

/// Where a launch takes some of a matrix's columns, the first is a multiple of this: whole vectors of any element.
const STEP: u64 = tree::VECTOR_BYTES as u64;

/// Blocks that replace one block where each thread folds its columns alone. A block ends only when its last thread
/// does. Of 64, 128 and 256 threads, none is the fastest for all shapes (docs/tuning/gpu.md).
const PARTS_OF_A_BLOCK: u32 = 2;

impl Queue {
    /// Folds the columns of matrices, which begin at the first element of `input`, to `out`, matrix after matrix, in as
    /// many launches as keep each short. No number of the shape may be 0. `partials` must have 256 KiB.
    pub(crate) fn fold_columns<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        kernels: &Kernels,
        plan: ColumnsPlan,
        input: Input<'_, T>,
        shape: Columns,
        partials: Region<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let is_there = shape.len().is_some_and(|len| len <= input.len());
        if shape.columns == 0 || !is_there {
            return Err(Error::Plan {
                why: "columns are at least one, of at least one element, and within the input",
            });
        }
        // A part of the columns may be vectors where all are not; the plan is for all.
        let are_vectors = are_vectors::<T, O>(input.address(), shape);
        plan.check::<T, O>(shape)?;
        let row_bytes = shape.columns.saturating_mul(size_of::<T>() as u64);
        for (batch, batches) in ranges(shape.batches, row_bytes.saturating_mul(shape.rows)) {
            if batches > 1 {
                let some = Columns { batches, ..shape };
                let from = batch * shape.batch_pitch;
                let to = out.part(batch * shape.columns, batches * shape.columns, size_of::<O::Acc>())?;
                self.fold_some_columns(op, kernels, (plan, are_vectors), (input, from), some, partials, to)?;
                continue;
            }
            let step_bytes = shape.rows.saturating_mul(STEP * size_of::<T>() as u64);
            for (first, steps) in ranges(shape.columns.div_ceil(STEP), step_bytes) {
                let first = first * STEP;
                let columns = (steps * STEP).min(shape.columns - first);
                let some = Columns { batches: 1, columns, ..shape };
                let from = batch * shape.batch_pitch + first;
                let to = out.part(batch * shape.columns + first, columns, size_of::<O::Acc>())?;
                self.fold_some_columns(op, kernels, (plan, are_vectors), (input, from), some, partials, to)?;
            }
        }
        Ok(())
    }

    /// Folds columns that begin at element `first` of the input to `out`. The plan was checked for all columns.
    fn fold_some_columns<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        kernels: &Kernels,
        (plan, are_vectors): (ColumnsPlan, bool),
        (input, first): (Input<'_, T>, u64),
        shape: Columns,
        partials: Region<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let from = input.part(first, shape.len().unwrap_or(u64::MAX))?;
        let Columns { batches, rows, columns, batch_pitch, row_pitch } = shape;
        let (log2_down, log2_parts) = (plan.threads().ilog2(), plan.parts().ilog2());
        let blocks = columns_blocks::<T, O>((batches, columns), are_vectors, log2_down, log2_parts);
        let Some(blocks) = u32::try_from(blocks).ok().filter(|&blocks| blocks <= i32::MAX as u32) else {
            return Err(Error::Plan {
                why: "a launch has 1 to 2^31 - 1 blocks: let fewer threads share a column",
            });
        };
        let count = (batches * columns) << log2_parts;
        let to = if log2_parts == 0 { out } else { partials };
        let (to, _) = Output::Device(to).start::<O::Acc>(self, input.memory(), count)?;
        if log2_down == 0 && log2_parts == 0 && rows <= few_rows::<T, O>() {
            let arguments =
                ColumnsOfFew { input: from, batches, rows, columns, batch_pitch, row_pitch, out: to, op };
            let most = i32::MAX as u32;
            let (blocks, threads) =
                match blocks.checked_mul(PARTS_OF_A_BLOCK).filter(|&blocks| blocks <= most) {
                    Some(blocks) => (blocks, tree::THREADS as u32 / PARTS_OF_A_BLOCK),
                    None => (blocks, tree::THREADS as u32),
                };
            let scratch = columns_scratch::<T, O>(rows, threads, 0);
            let kernel = if are_vectors { O::ROWS.columns_of_few } else { O::ROWS.columns_of_few_unaligned };
            // SAFETY: as for columns of any length below. There is a thread for each vector of columns, and `rows` is
            // within the kernel's limit, checked above.
            return unsafe {
                self.launch_with_scratch(kernels, kernel, (blocks, threads, scratch), arguments)
            };
        }
        let arguments = arguments::Columns {
            input: from,
            batches,
            rows,
            columns,
            batch_pitch,
            row_pitch,
            log2_down,
            log2_parts,
            out: to,
            op,
        };
        let threads = tree::THREADS as u32;
        let scratch = columns_scratch::<T, O>(rows, threads, log2_down);
        let kernel = if are_vectors { O::ROWS.columns } else { O::ROWS.columns_unaligned };
        // SAFETY: `part` checked that the elements up to the last matrix's last are readable, and `start` that `to` has
        // an accumulator for each part. The caller checked the plan's threads and parts for this shape. There is a
        // block for each group of columns, by the same count of vectors as in the kernel. The queue keeps input and
        // output.
        unsafe { self.launch_with_scratch(kernels, kernel, (blocks, threads, scratch), arguments) }?;
        if log2_parts == 0 {
            return Ok(());
        }
        self.fold_partials(&O::FOLD.partials, kernels, (partials, count), plan.parts(), Output::Device(out))
    }
}

/// Returns whether the columns of matrices that begin at `address` are loaded by vectors.
pub(crate) fn are_vectors<T: Element, O: RowsKernel<T>>(address: u64, shape: Columns) -> bool {
    let (counts, pitches) = ((shape.batches, shape.columns), (shape.batch_pitch, shape.row_pitch));
    are_columns_vectors::<T, O>(address, counts, pitches)
}
