//! The kernels that fold many rows at once, under the emulator: each row has the bits of the reference of that row alone.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{Partials, RowsByParts, WholeRows};
use gpu_kernels::shapes::{are_rows_vectors, do_warps_fold_rows, lanes_row_len};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{Element, Op, Sum, reference, tree};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::{Bits, Sample, in_turn, poison, samples, turn};

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// Rows of a matrix: how many, of how many elements, from which of the samples' elements on, and how many elements stand
/// between two.
#[derive(Clone, Copy, Debug)]
struct Shape {
    rows: usize,
    len: usize,
    skipped: usize,
    gap: usize,
}

impl Shape {
    fn pitch(self) -> usize {
        self.len + self.gap
    }

    fn elements<T>(self, all: &[T]) -> &[T] {
        &all[self.skipped..self.skipped + (self.rows - 1) * self.pitch() + self.len]
    }

    fn are_vectors<T>(self, all: &[T]) -> bool {
        are_rows_vectors::<T>(
            all[self.skipped..].as_ptr().addr() as u64,
            self.len as u64,
            self.pitch() as u64,
        )
    }
}

/// An entry point that folds whole rows.
type Whole<T, O> = unsafe fn(WholeRows<T, O>);

/// An entry point that folds parts of rows.
type InParts<T, O> = unsafe fn(RowsByParts<T, O>);

/// The entry points of one pair of the catalogue, as the emulator calls them.
struct Kernels<T: Element, O: Op<T>> {
    by_lanes: [Whole<T, O>; 2],
    by_warp: [InParts<T, O>; 2],
    /// Of one tile, and of several.
    by_tiles: [Whole<T, O>; 2],
    by_block: InParts<T, O>,
    partials: unsafe fn(Partials<T, O>),
    op: O,
}

impl<T: Element, O: Op<T>> Kernels<T, O> {
    fn whole(
        &self,
        kernel: Whole<T, O>,
        all: &[T],
        shape: Shape,
        (blocks, threads): (u32, u32),
        order: Order,
    ) -> Vec<O::Acc> {
        let (x, mut out) = (shape.elements(all), poison::<O::Acc>(shape.rows));
        let (input, to) = (x.as_ptr(), out.as_mut_ptr());
        let (rows, len, pitch) = (shape.rows as u64, shape.len as u64, shape.pitch() as u64);
        Launch::new(blocks, threads)
            .order(order)
            .register(x)
            .register(&raw const out[..])
            // SAFETY: both live as long as the launch, and the lengths are theirs.
            .run(|| unsafe { kernel(WholeRows { input, rows, len, pitch, out: to, op: self.op }) })
            .unwrap_or_else(|misuse| panic!("{shape:?}, {blocks} blocks of {threads}: {misuse}"));
        out
    }

    fn in_parts(
        &self,
        kernel: InParts<T, O>,
        all: &[T],
        shape: Shape,
        (log2_parts, blocks, threads): (u32, u32, u32),
        order: Order,
    ) -> Vec<O::Acc> {
        let (x, mut out) = (shape.elements(all), poison::<O::Acc>(shape.rows << log2_parts));
        let (input, to) = (x.as_ptr(), out.as_mut_ptr());
        let (rows, len, pitch) = (shape.rows as u64, shape.len as u64, shape.pitch() as u64);
        Launch::new(blocks, threads)
            .order(order)
            .register(x)
            .register(&raw const out[..])
            // SAFETY: both live as long as the launch, and the lengths are theirs.
            .run(|| unsafe {
                kernel(RowsByParts { input, rows, len, pitch, log2_parts, out: to, op: self.op })
            })
            .unwrap_or_else(|misuse| panic!("{shape:?}, {log2_parts}: {misuse}"));
        if log2_parts == 0 {
            return out;
        }
        let mut totals = poison::<O::Acc>(shape.rows);
        let (input, to) = (out.as_mut_ptr(), totals.as_mut_ptr());
        let (count, fan_in) = (rows << log2_parts, 1 << log2_parts);
        Launch::new(shape.rows as u32, 256)
            .order(order)
            .register(&raw const out[..])
            .register(&raw const totals[..])
            // SAFETY: both live as long as the launch, and the lengths are theirs.
            .run(|| unsafe { (self.partials)(Partials { input, count, fan_in, out: to, tag: 0 }) })
            .unwrap_or_else(|misuse| panic!("{shape:?}, joining: {misuse}"));
        totals
    }

    /// Every kernel that takes rows of each of `lens` elements.
    fn check(&self, lens: &[usize], family: Family)
    where
        T: Sample,
        O::Out: Bits,
    {
        let longest = lens.iter().copied().max().unwrap_or(0).max(ELEMENTS);
        let all = samples::<T>(family, 33, longest as u64 + 200);
        // Vectors of the rows, where there are any, begin where the samples do.
        let aligned = (0..16).find(|&i| (all[i..].as_ptr().addr()).is_multiple_of(16)).unwrap_or(0);
        let mut seen = [0; 2];
        for (i, &len) in lens.iter().enumerate() {
            for (skipped, gap) in [(aligned, 0), (aligned + 1, i % 2)] {
                let shape = Shape { rows: (ELEMENTS / len).clamp(1, 67), len, skipped, gap };
                let x = shape.elements(&all);
                let expected: Vec<String> = x
                    .chunks(shape.pitch())
                    .map(|row| reference::reduce_by(self.op, &row[..len]).bits())
                    .collect();
                let check = |accs: Vec<O::Acc>, how: &str| {
                    let found: Vec<String> =
                        accs.into_iter().map(|acc| O::finish(acc, len as u64).bits()).collect();
                    assert!(found == expected, "{shape:?}, {how}: {found:?} and not {expected:?}");
                };
                let order = ORDERS[i % 4];
                let are_vectors = shape.are_vectors(&all);
                let launch = if gap == 0 { (3, 64) } else { (1, 256) };
                if len as u64 <= lanes_row_len::<T, O>(are_vectors) {
                    seen[usize::from(are_vectors)] += 1;
                    if are_vectors {
                        check(self.whole(self.by_lanes[0], &all, shape, launch, order), "lanes of a warp");
                    }
                    if len as u64 <= lanes_row_len::<T, O>(false) && (!are_vectors || i % 2 == 0) {
                        check(self.whole(self.by_lanes[1], &all, shape, launch, order), "any lanes");
                    }
                }
                let tiles = tree::tiles::<T>(len as u64).next_power_of_two();
                let (log2_parts, threads) = match (tiles, skipped == aligned) {
                    (1, _) => (0, 256),
                    (_, true) => (1, 256),
                    (2, false) => (0, 512),
                    _ => (1, 512),
                };
                let launch = (log2_parts, 2, threads);
                check(self.in_parts(self.by_block, &all, shape, launch, order), "blocks");
                if len > 20 || i % 2 == 0 {
                    let log2_parts = if i % 3 == 0 { 0 } else { tiles.ilog2() };
                    let launch = (log2_parts, 2, if gap == 0 { 32 } else { 96 });
                    if are_vectors {
                        check(self.in_parts(self.by_warp[0], &all, shape, launch, order), "warps");
                    }
                    if !are_vectors || i % 2 == 1 {
                        check(self.in_parts(self.by_warp[1], &all, shape, launch, order), "any warps");
                    }
                    let (blocks, launch) = (launch.1, launch.2);
                    if do_warps_fold_rows::<T, O>() && tiles == 1 {
                        check(self.whole(self.by_tiles[0], &all, shape, (blocks, launch), order), "a tile");
                    }
                    if do_warps_fold_rows::<T, O>() && tiles <= 32 {
                        check(self.whole(self.by_tiles[1], &all, shape, (blocks, launch), order), "tiles");
                    }
                }
            }
        }
        assert!(seen[0] > 2, "{seen:?}");
        assert!(
            seen[1] > 1 || tree::vector_len::<T>() * size_of::<T>() != 16 || tree::vector_len::<T>() == 1
        );
    }
}

/// Elements in all rows of a launch, unless one has more.
const ELEMENTS: usize = 1500;

/// Lengths at which a row's lanes, pieces and loads change, and beyond.
fn lengths<T: Element, O: Op<T>>() -> Vec<usize> {
    let v = tree::vector_len::<T>();
    let (scalars, vectors) = (lanes_row_len::<T, O>(false) as usize, lanes_row_len::<T, O>(true) as usize);
    let tile = tree::tile_len::<T>(0) as usize;
    let mut lens = vec![1, 3, 5 * v, 33, scalars, vectors, tile - 2 * v, 2 * tile + 7];
    lens.sort_unstable();
    lens.dedup();
    lens
}

/// The pairs of this turn.
#[test]
fn catalogue() {
    macro_rules! every_row {
        ($($row:ident: $op:ty, $element:ty;)*) => {
            turn::check(&[$( (stringify!($row), in_turn!(takes_of_many_kernels, $row => || Kernels::<$element, $op> {
                op: <$op>::default(),
                by_lanes: [
                    gpu_kernels::entry::rows::$row::by_lanes,
                    gpu_kernels::entry::rows::$row::by_lanes_unaligned,
                ],
                by_warp: [
                    gpu_kernels::entry::rows::$row::by_warp,
                    gpu_kernels::entry::rows::$row::by_warp_unaligned,
                ],
                by_tiles: [gpu_kernels::entry::rows::$row::by_tile, gpu_kernels::entry::rows::$row::by_tiles],
                by_block: gpu_kernels::entry::rows::$row::by_block,
                partials: gpu_kernels::entry::$row::partials,
            }
            .check(&lengths::<$element, $op>(), Special))) ),*]);
        };
    }
    warpfold_tests::for_each_sampled_rows_kernel!(every_row);
}

macro_rules! every_test_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        /// The tree itself, at lengths of every kind.
        #[test]
        fn $row() {
            let mut lens: Vec<usize> = (1..=70).chain(120..=136).chain(250..=264).chain([511, 512, 513, 516]).collect();
            lens.extend(lengths::<$element, $op>());
            lens.extend([767, 1023, 1024, 1028, 2047, 3073, 4092, 4095, 4096, 4097, 12_289, 16_385]);
            Kernels::<$element, $op> {
                op: <$op>::default(),
                by_lanes: [
                    test_kernels::kernels::rows::$row::by_lanes,
                    test_kernels::kernels::rows::$row::by_lanes_unaligned,
                ],
                by_warp: [
                    test_kernels::kernels::rows::$row::by_warp,
                    test_kernels::kernels::rows::$row::by_warp_unaligned,
                ],
                by_tiles: [test_kernels::kernels::rows::$row::by_tile, test_kernels::kernels::rows::$row::by_tiles],
                by_block: test_kernels::kernels::rows::$row::by_block,
                partials: test_kernels::kernels::$row::partials,
            }
            .check(&lens, Ordinary);
        }
    )* };
}
every_test_row! {
    reduce_strided_u32: Strided, u32;
    reduce_ordered_u32: Ordered, u32;
    reduce_matrix_u32: MatrixProduct, u32;
}

/// The catalogue has these kernels in some turns alone, and for the test kernels' operators it is empty.
#[test]
fn rows_of_tiles_by_a_warp_each() {
    use gpu_kernels::entry::{reduce_sum_f32, rows};
    const { assert!(do_warps_fold_rows::<f32, Sum>()) };
    let kernels = Kernels::<f32, Sum> {
        op: Sum,
        by_lanes: [rows::reduce_sum_f32::by_lanes, rows::reduce_sum_f32::by_lanes_unaligned],
        by_warp: [rows::reduce_sum_f32::by_warp, rows::reduce_sum_f32::by_warp_unaligned],
        by_tiles: [rows::reduce_sum_f32::by_tile, rows::reduce_sum_f32::by_tiles],
        by_block: rows::reduce_sum_f32::by_block,
        partials: reduce_sum_f32::partials,
    };
    let lens =
        [1, 4, 21, 64, 256, 512, 513, 1023, 1024, 1025, 1536, 2047, 2048, 3073, 3584, 3585, 4092, 4095, 4096];
    kernels.check(&lens, Special);
    // Several rows, so that the first elements of one are near the last ones of another.
    for (len, skipped, gap) in [
        (1025, 1, 0),
        (2047, 2, 1),
        (4093, 3, 0),
        (4095, 1, 0),
        (4096, 0, 0),
        (4096, 1, 4),
        (4097, 1, 0),
        (8195, 2, 0),
        (9000, 3, 1),
    ] {
        let shape = Shape { rows: 3, len, skipped, gap };
        let all = samples::<f32>(Ordinary, 34, 3 * len as u64 + 20);
        let x = shape.elements(&all);
        let expected: Vec<String> =
            x.chunks(shape.pitch()).map(|row| reference::reduce_by(Sum, &row[..len]).bits()).collect();
        for (kernel, name) in kernels.by_tiles.into_iter().zip(["a tile", "tiles"]) {
            if len <= 4096 || name == "tiles" {
                let found = kernels.whole(kernel, &all, shape, (2, 64), Order::Shuffled(5));
                let found: Vec<String> = found.into_iter().map(|acc| acc.bits()).collect();
                assert_eq!(found, expected, "{shape:?}, {name}");
            }
        }
    }
}
