//! Plans for the columns of matrices: how many threads share a column, and in how many parts. A plan never changes a
//! bit of a result.

use gpu_kernels::shapes::{
    MAX_FAN_IN, MOST_ACC_BYTES, column_log2_threads, columns_at_once, columns_blocks, few_rows,
};
use gpu_kernels::{Element, Op, tree};

use crate::error::Error;

/// A plan for folding columns of one length. It fits any number of columns that its parts allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnsPlan {
    threads: u32,
    parts: u32,
}

/// Matrices of one shape: element (b, r, c) is at index `b * batch_pitch + r * row_pitch + c`.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "columns are planned for GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) batches: u64,
    pub(crate) rows: u64,
    pub(crate) columns: u64,
    pub(crate) batch_pitch: u64,
    pub(crate) row_pitch: u64,
}

impl ColumnsPlan {
    /// Creates a plan by which `threads` threads of a block of 256 share a column, or one of its `parts`. With several
    /// parts, a second launch folds them. Both numbers are powers of two; whether they fit the columns is checked when
    /// the plan is used.
    ///
    /// ```
    /// use warpfold::plans::ColumnsPlan;
    ///
    /// let plan = ColumnsPlan::new(16, 2);
    /// assert_eq!((plan.threads(), plan.parts()), (16, 2));
    /// ```
    #[must_use]
    pub fn new(threads: u32, parts: u32) -> Self {
        Self { threads, parts }
    }

    /// Returns the number of threads of a block that share a column.
    #[must_use]
    pub fn threads(self) -> u32 {
        self.threads
    }

    /// Returns the number of parts that a column is folded in.
    #[must_use]
    pub fn parts(self) -> u32 {
        self.parts
    }

    /// Returns the plan for columns on a device with `multiprocessors` multiprocessors. Each holds `resident` blocks of
    /// the kernel at once. `are_vectors`: whether the columns can be loaded by vectors.
    ///
    /// Columns of few rows have a thread each, if there are enough of them
    /// ([measured](gpu_kernels::shapes::few_rows)). Otherwise neighbouring threads read two lines of 128 bytes side by
    /// side if they can. While there are too few blocks for the device, first more threads share each column, then
    /// columns are cut into parts, and only then do threads read fewer bytes side by side (docs/tuning/gpu.md).
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "columns are planned for GPUs"))]
    pub(crate) fn for_residents<T: Element, O: Op<T>>(
        shape: Columns,
        are_vectors: bool,
        multiprocessors: u32,
        resident: u32,
    ) -> Self {
        let wanted = u64::from(multiprocessors.max(1)) * u64::from(resident.max(1)) * WAVES;
        let at_once = columns_at_once::<T, O>(are_vectors);
        let strips = shape.columns.div_ceil(at_once as u64).saturating_mul(shape.batches);
        // What a thread reads beside its neighbour's.
        let strip_bytes = (if are_vectors { at_once } else { 1 } * size_of::<T>()) as u64;
        let blocks = |log2_threads, log2_parts| {
            let counts = (shape.batches, shape.columns);
            columns_blocks::<T, O>(counts, are_vectors, log2_threads, log2_parts)
        };
        let across = |log2_threads: u32| tree::THREADS as u64 >> log2_threads;

        // Each thread may have its columns alone if there are columns for half of the resident
        // threads.
        if shape.rows <= few_rows::<T, O>() && blocks(0, 0) >= wanted / 4 - wanted / 64 {
            return Self { threads: 1, parts: 1 };
        }
        let (mut threads, most) = column_log2_threads::<T, O>(shape.rows);
        while threads < most && across(threads) / 2 >= strips {
            threads += 1;
        }
        let tiles = tree::tiles::<T>(shape.rows).next_power_of_two();
        let mut parts = 0;
        // A sixteenth less is enough. Otherwise 512 blocks, 16 fewer than two per resident block, would become 1024
        // blocks. These take longer.
        let is_enough = |threads, parts| blocks(threads, parts) >= wanted - wanted / 16;
        while threads < most && !is_enough(threads, parts) && across(threads) * strip_bytes > 2 * LINE_BYTES {
            threads += 1;
        }
        while 1 << parts < tiles && !is_enough(threads, parts) && shape.fit_parts::<T, O>(2 << parts) {
            parts += 1;
        }
        while threads < most && !is_enough(threads, parts) && across(threads) * strip_bytes > SECTOR_BYTES {
            threads += 1;
        }
        Self { threads: 1 << threads, parts: 1 << parts }
    }

    /// Fails unless columns of this shape can be folded by this plan.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "columns are launched on GPUs"))]
    pub(crate) fn check<T: Element, O: Op<T>>(self, shape: Columns) -> Result<(), Error> {
        let refuse = |why| Err(Error::Plan { why });
        let (fewest, most) = column_log2_threads::<T, O>(shape.rows);
        let is_alone = self.threads == 1 && self.parts == 1 && shape.rows <= few_rows::<T, O>();
        let is_shared = self.threads.is_power_of_two() && (fewest..=most).contains(&self.threads.ilog2());
        if !is_alone && !is_shared {
            return refuse(
                "the threads that share a column are a power of two, and as many as its lanes need; or one, for few rows",
            );
        }
        let (parts, tiles) = (u64::from(self.parts), tree::tiles::<T>(shape.rows).next_power_of_two());
        if !self.parts.is_power_of_two() || parts > tiles {
            return refuse("the parts of a column are a power of two, and at least a tile each");
        }
        if parts > 1 && !shape.fit_parts::<T, O>(parts) {
            return refuse("the parts of all columns together have accumulators of 256 KiB at most");
        }
        Ok(())
    }
}

impl Columns {
    /// Creates the columns of one matrix without gaps.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "columns are launched on GPUs"))]
    pub(crate) fn of_matrix(rows: u64, columns: u64) -> Self {
        Self { batches: 1, rows, columns, batch_pitch: 0, row_pitch: columns }
    }

    /// Returns the number of elements from the first to the last, or `None` on overflow.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "columns are launched on GPUs"))]
    pub(crate) fn len(self) -> Option<u64> {
        let rows = self.rows.checked_sub(1)?.checked_mul(self.row_pitch)?;
        let batches = self.batches.checked_sub(1)?.checked_mul(self.batch_pitch)?;
        rows.checked_add(batches)?.checked_add(self.columns)
    }

    /// Returns whether there is room for the accumulators of `parts` parts of each column.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "columns are planned for GPUs"))]
    fn fit_parts<T: Element, O: Op<T>>(self, parts: u64) -> bool {
        let accs = self.batches.saturating_mul(self.columns).saturating_mul(parts);
        parts <= MAX_FAN_IN
            && accs.saturating_mul(size_of::<O::Acc>() as u64) <= MAX_FAN_IN * MOST_ACC_BYTES as u64
    }
}

/// Blocks per resident block. With 1, nothing would follow the blocks that end first.
const WAVES: u64 = 2;

/// Bytes of a cache line, and the least that the caches load.
const LINE_BYTES: u64 = 128;
const SECTOR_BYTES: u64 = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{Affine, ArgMin, Compose, PolynomialHash, Sum, Variance};

    fn plan<T: Element, O: Op<T>>(batches: u64, rows: u64, columns: u64, are_vectors: bool) -> ColumnsPlan {
        let shape = Columns { batches, rows, columns, batch_pitch: rows * columns, row_pitch: columns };
        ColumnsPlan::for_residents::<T, O>(shape, are_vectors, 132, 2)
    }

    fn holds<T: Element, O: Op<T>>() {
        for rows in [1, 2, 7, 8, 9, 64, 100, 1000, 1025, 4096, 4097, 1 << 16, (1 << 22) + 1, 1 << 30] {
            for columns in [1, 2, 3, 8, 31, 1000, 4096, 1 << 17, 1 << 25] {
                for batches in [1, 3, 1000] {
                    for are_vectors in [false, true] {
                        let shape = Columns { batches, rows, columns, batch_pitch: 0, row_pitch: 0 };
                        for resident in [1, 3, 8] {
                            let plan = ColumnsPlan::for_residents::<T, O>(shape, are_vectors, 132, resident);
                            let checked = plan.check::<T, O>(shape);
                            assert!(checked.is_ok(), "{shape:?}, {plan:?}: {checked:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_shape_has_a_plan_that_holds() {
        holds::<f32, Sum>();
        holds::<u8, Sum>();
        holds::<f64, ArgMin>();
        holds::<f64, Variance>();
        holds::<u8, PolynomialHash>();
        holds::<Affine<u64>, Compose>();
    }

    /// Large matrices of all proportions give enough blocks for a large device, and columns of few rows get one thread
    /// each.
    #[test]
    fn there_is_work_for_the_whole_device() {
        for (rows, columns) in [(24, 3), (22, 5), (20, 8), (16, 12), (12, 16), (6, 22), (3, 25)] {
            let plan = plan::<f32, Sum>(1, 1 << rows, 1 << columns, true);
            let (threads, parts) = (plan.threads.ilog2(), plan.parts.ilog2());
            let blocks = columns_blocks::<f32, Sum>((1, 1 << columns), true, threads, parts);
            assert!(blocks >= 495, "2^{rows} x 2^{columns}: {plan:?}, {blocks} blocks");
            // The elements that threads read side by side.
            let across = (tree::THREADS as u64 / u64::from(plan.threads) * 4).min(1 << columns);
            assert!(across >= 8 && (columns < 5 || across >= 32), "2^{rows} x 2^{columns}: {plan:?}");
            assert!(!(8..16).contains(&columns) || across == 64, "2^{rows} x 2^{columns}: {plan:?}");
        }
        assert_eq!(plan::<f32, Sum>(1, 8, 1 << 25, true), ColumnsPlan::new(1, 1));
        assert_eq!(plan::<f32, Sum>(1, 64, 1 << 22, true), ColumnsPlan::new(1, 1));
    }

    /// Shapes that were measured ([`ColumnsPlan::for_residents`]) and others, of 2^rows x 2^columns f32.
    #[test]
    fn plans_change_where_their_rules_say() {
        for (rows, columns, are_vectors, threads, parts) in [
            // 512 blocks, two lines side by side if there are enough columns.
            (24, 3, true, 128, 512),
            (22, 5, true, 32, 512),
            (20, 8, true, 16, 128),
            (16, 12, true, 16, 8),
            (12, 16, true, 8, 1),
            (6, 22, true, 1, 1),
            // A thread each, as long as half of those that are resident have one.
            (10, 18, true, 1, 1),
            (10, 17, false, 1, 1),
            (10, 16, true, 8, 1),
            // Fewer threads where columns are not vectors, so that more read side by side.
            (16, 12, false, 8, 16),
            // Too few columns for the device: as many threads as a column can use, then parts.
            (0, 0, true, 1, 1),
            (10, 0, true, 128, 1),
            (20, 0, true, 128, 256),
            (30, 0, true, 128, 512),
            // A sector side by side at least.
            (10, 10, true, 128, 1),
            (10, 10, false, 32, 1),
        ] {
            let plan = plan::<f32, Sum>(1, 1 << rows, 1 << columns, are_vectors);
            assert_eq!((plan.threads(), plan.parts()), (threads, parts), "2^{rows} x 2^{columns}");
        }
        assert_eq!(plan::<u8, Sum>(1, 1 << 20, 256, true), ColumnsPlan::new(64, 64));
        // Sums of integers are free: one thread may fold a column, and two lines side by side come before parts.
        assert_eq!(plan::<i32, Sum>(1, 1 << 20, 256, true), ColumnsPlan::new(16, 128));
    }

    #[test]
    fn impossible_plans_are_refused() {
        for (threads, parts, rows, columns) in [
            (0, 1, 8, 1),
            (3, 1, 64, 1),
            (2, 1, 8, 1),
            (512, 1, 1 << 20, 1),
            (2, 1, 1 << 20, 1),
            (16, 0, 1 << 20, 1),
            (16, 3, 1 << 20, 1),
            (16, 2, 4096, 1),
            (16, 512, 1 << 20, 1),
            (16, 2, 1 << 20, 1 << 16),
        ] {
            let shape = Columns::of_matrix(rows, columns);
            let plan = ColumnsPlan::new(threads, parts);
            assert!(plan.check::<f32, Sum>(shape).is_err(), "{plan:?}, {rows} x {columns}");
        }
        let shape = Columns::of_matrix(1 << 20, 1 << 15);
        assert!(ColumnsPlan::new(16, 2).check::<f32, Sum>(shape).is_ok());
        assert!(ColumnsPlan::new(4, 2).check::<f32, Sum>(shape).is_ok());
        assert!(ColumnsPlan::new(1, 1).check::<f32, Sum>(Columns::of_matrix(1024, 1)).is_ok());
        assert!(ColumnsPlan::new(1, 1).check::<f32, Sum>(Columns::of_matrix(1025, 1)).is_err());
    }

    #[test]
    fn elements_are_counted_from_the_first_to_the_last() {
        let shape = Columns { batches: 3, rows: 4, columns: 5, batch_pitch: 100, row_pitch: 7 };
        assert_eq!(shape.len(), Some(200 + 21 + 5));
        assert_eq!(Columns { batch_pitch: u64::MAX, ..shape }.len(), None);
        assert_eq!(Columns { rows: 0, ..shape }.len(), None);
    }
}
