//! The kernels that fold columns, under the emulator: each column has the bits of the reference of that column alone.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{Columns, ColumnsOfFew, Partials};
use gpu_kernels::shapes::{
    are_columns_vectors, column_log2_threads, columns_at_once, columns_blocks, columns_scratch, few_rows,
};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{ArgMin, Element, ExactSum, Max, Op, PolynomialHash, Sum, Variance, reference, tree};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::{Bits, Sample, poison, samples};

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// Matrices: their number, rows and columns, the first element in the samples, and the distances in elements
/// between rows and between matrices.
#[derive(Clone, Copy, Debug)]
struct Shape {
    batches: usize,
    rows: usize,
    columns: usize,
    skipped: usize,
    row_gap: usize,
    batch_gap: usize,
}

impl Shape {
    fn row_pitch(self) -> usize {
        self.columns + self.row_gap
    }

    fn batch_pitch(self) -> usize {
        self.rows * self.row_pitch() + self.batch_gap
    }

    /// The number of elements from the first to the last.
    fn len(self) -> usize {
        (self.batches - 1) * self.batch_pitch() + (self.rows - 1) * self.row_pitch() + self.columns
    }

    /// The elements of every column, matrix after matrix.
    fn each_column<T: Copy>(self, x: &[T]) -> Vec<Vec<T>> {
        let column =
            |b, c| (0..self.rows).map(|r| x[b * self.batch_pitch() + r * self.row_pitch() + c]).collect();
        (0..self.batches).flat_map(|b| (0..self.columns).map(move |c| column(b, c))).collect()
    }

    fn are_vectors<T: Element, O: Op<T>>(self, x: &[T]) -> bool {
        are_columns_vectors::<T, O>(
            x.as_ptr().addr() as u64,
            (self.batches as u64, self.columns as u64),
            (self.batch_pitch() as u64, self.row_pitch() as u64),
        )
    }
}

/// The entry points of one pair of the catalogue, as the emulator calls them.
struct Kernels<T: Element, O: Op<T>> {
    columns: unsafe fn(Columns<T, O>),
    unaligned: unsafe fn(Columns<T, O>),
    of_few: unsafe fn(ColumnsOfFew<T, O>),
    of_few_unaligned: unsafe fn(ColumnsOfFew<T, O>),
    partials: unsafe fn(Partials<T, O>),
    op: O,
}

impl<T: Element, O: Op<T>> Kernels<T, O> {
    fn fold(&self, x: &[T], shape: Shape, (log2_down, log2_parts): (u32, u32), order: Order) -> Vec<O::Acc> {
        let count = shape.batches * shape.columns;
        let mut out = poison::<O::Acc>(count << log2_parts);
        let (input, to) = (x.as_ptr(), out.as_mut_ptr());
        let [batches, rows, columns] = [shape.batches, shape.rows, shape.columns].map(|n| n as u64);
        let (batch_pitch, row_pitch) = (shape.batch_pitch() as u64, shape.row_pitch() as u64);
        let are_vectors = shape.are_vectors::<T, O>(x);
        let kernel = if are_vectors { self.columns } else { self.unaligned };
        let blocks = columns_blocks::<T, O>((batches, columns), are_vectors, log2_down, log2_parts);
        Launch::new(blocks as u32, 256)
            .shared_bytes(columns_scratch::<T, O>(rows, 256, log2_down))
            .order(order)
            .register(x)
            .register(&raw const out[..])
            // SAFETY: both arrays live as long as the launch and have the lengths given.
            .run(|| unsafe {
                kernel(Columns {
                    input,
                    batches,
                    rows,
                    columns,
                    batch_pitch,
                    row_pitch,
                    log2_down,
                    log2_parts,
                    out: to,
                    op: self.op,
                })
            })
            .unwrap_or_else(|misuse| {
                panic!("{shape:?}, 2^{log2_down} threads, 2^{log2_parts} parts: {misuse}")
            });
        if log2_parts == 0 {
            return out;
        }
        let mut totals = poison::<O::Acc>(count);
        let (input, to) = (out.as_mut_ptr(), totals.as_mut_ptr());
        let (count, fan_in) = ((count as u64) << log2_parts, 1 << log2_parts);
        Launch::new(totals.len() as u32, 256)
            .order(order)
            .register(&raw const out[..])
            .register(&raw const totals[..])
            // SAFETY: both arrays live as long as the launch and have the lengths given.
            .run(|| unsafe { (self.partials)(Partials { input, count, fan_in, out: to, tag: 0 }) })
            .unwrap_or_else(|misuse| panic!("{shape:?}, joining: {misuse}"));
        totals
    }

    /// Folds each column by one thread, in blocks of `threads`.
    fn fold_few(&self, x: &[T], shape: Shape, threads: u32, order: Order) -> Vec<O::Acc> {
        let mut out = poison::<O::Acc>(shape.batches * shape.columns);
        let (input, to) = (x.as_ptr(), out.as_mut_ptr());
        let [batches, rows, columns] = [shape.batches, shape.rows, shape.columns].map(|n| n as u64);
        let (batch_pitch, row_pitch) = (shape.batch_pitch() as u64, shape.row_pitch() as u64);
        let are_vectors = shape.are_vectors::<T, O>(x);
        let kernel = if are_vectors { self.of_few } else { self.of_few_unaligned };
        let strips = columns.div_ceil(columns_at_once::<T, O>(are_vectors) as u64) * batches;
        let blocks = strips.div_ceil(u64::from(threads));
        Launch::new(blocks as u32, threads)
            .shared_bytes(columns_scratch::<T, O>(rows, threads, 0))
            .order(order)
            .register(x)
            .register(&raw const out[..])
            // SAFETY: both arrays live as long as the launch and have the lengths given.
            .run(|| unsafe {
                let op = self.op;
                kernel(ColumnsOfFew { input, batches, rows, columns, batch_pitch, row_pitch, out: to, op })
            })
            .unwrap_or_else(|misuse| panic!("{shape:?}, {threads} threads: {misuse}"));
        out
    }

    /// Checks columns of `rows` elements, with few and many threads per column, whole and in parts.
    fn check(&self, rows: &[usize], family: Family)
    where
        T: Sample,
        O::Out: Bits,
    {
        let longest = rows.iter().copied().max().unwrap_or(0);
        let all = samples::<T>(family, 34, (longest * 40).max(20_000) as u64);
        // Vectors of the columns, if there are any, begin where the samples do.
        let aligned = (0..16).find(|&i| (all[i..].as_ptr().addr()).is_multiple_of(16)).unwrap_or(0);
        let (mut seen, mut few) = ([0; 2], 0);
        for (i, &rows) in rows.iter().enumerate() {
            for kind in 0..3 {
                let columns = match kind {
                    _ if rows > 2000 => [1 + i % 3, 16, 5][kind],
                    0 => 1 + i % 20,
                    1 => 16 * (1 + i % 5),
                    _ => 64 + i % 7,
                };
                let shape = Shape {
                    batches: if rows > 200 { 1 + i % 2 } else { [1, 3, 5][(i + kind) % 3] },
                    rows,
                    columns,
                    skipped: if kind == 1 { aligned } else { aligned + 1 + i % 2 },
                    row_gap: [i % 4, 16 * (i % 2), 0][kind],
                    batch_gap: [i % 5, 32 * (i % 2), 0][kind],
                };
                if shape.skipped + shape.len() > all.len() {
                    continue;
                }
                let x = &all[shape.skipped..][..shape.len()];
                let are_vectors = shape.are_vectors::<T, O>(x);
                seen[usize::from(are_vectors)] += 1;
                let expected: Vec<String> = shape
                    .each_column(x)
                    .iter()
                    .map(|column| reference::reduce_by(self.op, column).bits())
                    .collect();
                let finished = |accs: Vec<O::Acc>| -> Vec<String> {
                    accs.into_iter().map(|acc| O::finish(acc, rows as u64).bits()).collect()
                };
                if rows as u64 <= few_rows::<T, O>() {
                    let found = finished(self.fold_few(x, shape, [64, 32, 256][kind], ORDERS[i % 4]));
                    assert!(found == expected, "{shape:?}, alone: {found:?} and not {expected:?}");
                    few += 1;
                }
                let (fewest, most) = column_log2_threads::<T, O>(rows as u64);
                let tiles = tree::tiles::<T>(rows as u64).next_power_of_two();
                let downs = [fewest, most, fewest + (most - fewest) / 2];
                // Columns of many rows once each, since they take most of the time.
                let downs = if rows > 2000 { &downs[i % 3..][..1] } else { &downs[..] };
                for &down in downs {
                    let parts = if kind == 1 { 0 } else { tiles.ilog2().min(i as u32 % 3) };
                    let accs = self.fold(x, shape, (down, parts), ORDERS[(i + kind) % 4]);
                    let found = finished(accs);
                    assert!(
                        found == expected,
                        "{shape:?}, 2^{down} threads, 2^{parts} parts: {found:?} and not {expected:?}"
                    );
                }
            }
        }
        assert!(seen[0] > 2 && (seen[1] > 2 || columns_at_once::<T, O>(true) == 1), "{seen:?}");
        assert!(few > 5, "{few}");
    }
}

/// Numbers of rows at which a column's lanes, bands and tiles change.
fn edges<T: Element>() -> Vec<usize> {
    let (lanes, tile) = (tree::lanes::<T>(), tree::tile_len::<T>(0) as usize);
    vec![lanes - 1, lanes, lanes + 1, tile - 1, tile, tile + 1, 2 * tile + 1]
}

macro_rules! each_row {
    ($($row:ident: $op:ty, $element:ty, $rows:expr, $family:expr;)*) => { $(
        #[test]
        fn $row() {
            Kernels::<$element, $op> {
                op: <$op>::default(),
                columns: gpu_kernels::entry::rows::$row::columns,
                unaligned: gpu_kernels::entry::rows::$row::columns_unaligned,
                of_few: gpu_kernels::entry::rows::$row::columns_of_few,
                of_few_unaligned: gpu_kernels::entry::rows::$row::columns_of_few_unaligned,
                partials: gpu_kernels::entry::$row::partials,
            }
            .check(&$rows, $family);
        }
    )* };
}
each_row! {
    reduce_sum_f32: Sum, f32, [1, 2, 8, 9, 40, 65, 1000, 1024, 1500, 4097, 8193], Special;
    reduce_variance_f64: Variance, f64, [1, 3, 8, 17, 511, 700, 4097], Ordinary;
    reduce_sum_u8: Sum, u8, [1, 7, 33, 1000, 16_385], Special;
    reduce_exact_sum_f32: ExactSum, f32, [1, 9, 100], Special;
    reduce_max_f32: Max, f32, [1, 3, 8, 9, 40, 64, 1500], Special;
    reduce_argmin_f32: ArgMin, f32, [1, 5, 8, 17, 64, 700, 1500], Special;
    reduce_polynomial_hash_u8: PolynomialHash, u8, [1, 5, 16, 33, 1000, 16_385], Ordinary;
}

macro_rules! each_test_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        /// The tree itself, at all kinds of lengths.
        #[test]
        fn $row() {
            let mut rows: Vec<usize> = (1..=40).step_by(1).chain([63, 64, 65, 127, 129, 255, 257, 511, 513]).collect();
            rows.extend(edges::<$element>());
            rows.extend([12_289, 20_000]);
            Kernels::<$element, $op> {
                op: <$op>::default(),
                columns: test_kernels::kernels::rows::$row::columns,
                unaligned: test_kernels::kernels::rows::$row::columns_unaligned,
                of_few: test_kernels::kernels::rows::$row::columns_of_few,
                of_few_unaligned: test_kernels::kernels::rows::$row::columns_of_few_unaligned,
                partials: test_kernels::kernels::$row::partials,
            }
            .check(&rows, Ordinary);
        }
    )* };
}
each_test_row! {
    reduce_strided_u32: Strided, u32;
    reduce_ordered_u32: Ordered, u32;
    reduce_matrix_u32: MatrixProduct, u32;
}
