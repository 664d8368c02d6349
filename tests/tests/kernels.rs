//! The kernels themselves, under the emulator, against the recursive reference: the source that runs on a GPU.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{Block, Grid, Partials};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{Element, Op, reference, tree};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::{Bits, Sample, in_turn, poison, samples, turn};

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// The three entry points of one row, as the emulator calls them.
struct Row<T, O: Op<T>>
where
    T: Element,
{
    block: unsafe fn(Block<*const T, T, O>),
    grid: unsafe fn(Grid<*const T, T, O>),
    partials: unsafe fn(Partials<T, O>),
    op: O,
}

impl<T: Element, O: Op<T>> Row<T, O> {
    fn in_one_block(&self, x: &[T], threads: u32, order: Order) -> O::Acc {
        let mut out = poison::<O::Acc>(1);
        let (input, len, to) = (x.as_ptr(), x.len() as u64, out.as_mut_ptr());
        Launch::new(1, threads)
            .order(order)
            .register(x)
            .register(&raw const out[..])
            // SAFETY: both live as long as the launch, and the lengths are theirs.
            .run(|| unsafe { (self.block)(Block { input, len, base: 0, out: to, tag: 0, op: self.op }) })
            .unwrap_or_else(|misuse| panic!("block of {threads}, {len} elements: {misuse}"));
        out[0]
    }

    /// By way of tagged words, as a host takes it that does not wait for the launch's end.
    fn in_one_block_tagged(&self, x: &[T], tag: u32) -> O::Acc {
        let mut words = vec![0xa5a5_a5a5_a5a5_a5a5u64; size_of::<O::Acc>() / 4];
        let (input, len, out) = (x.as_ptr(), x.len() as u64, words.as_mut_ptr().cast());
        Launch::new(1, 256)
            .register(x)
            .register(&raw const words[..])
            // SAFETY: both live as long as the launch, and the words are as many as the tagged value has.
            .run(|| unsafe { (self.block)(Block { input, len, base: 0, out, tag, op: self.op }) })
            .unwrap_or_else(|misuse| panic!("tagged, {len} elements: {misuse}"));
        assert!(words.iter().all(|word| (word >> 32) as u32 == tag), "{words:x?}");
        let halves: Vec<u32> = words.iter().map(|&word| word as u32).collect();
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(&halves))
    }

    /// With `fan_in` in passes, otherwise in one launch; twice, so that the second finds the ticket as the
    /// first left it.
    fn in_a_grid(&self, x: &[T], threads: u32, blocks: u32, fan_in: Option<u32>, order: Order) -> O::Acc {
        let n = x.len() as u64;
        let log2_tile = tree::tile_len::<T>(n).ilog2();
        let count = tree::tiles::<T>(n).div_ceil(u64::from(threads) / tree::THREADS as u64);
        let mut partials = poison::<O::Acc>(count as usize);
        let (mut ticket, mut out) = (vec![0u32], poison::<O::Acc>(1));
        let name = || format!("{blocks} x {threads}, {n} elements, {fan_in:?}, {order:?}");
        for _ in 0..2 {
            let arguments = Grid {
                input: x.as_ptr(),
                len: n,
                base: 0,
                log2_tile,
                partials: partials.as_mut_ptr(),
                ticket: if fan_in.is_none() { ticket.as_mut_ptr() } else { std::ptr::null_mut() },
                out: out.as_mut_ptr(),
                tag: 0,
                op: self.op,
            };
            Launch::new(blocks, threads)
                .order(order)
                .register(x)
                .register(&raw const partials[..])
                .register(&raw const ticket[..])
                .register(&raw const out[..])
                // SAFETY: all live as long as the launch, and the lengths are theirs.
                .run(|| unsafe { (self.grid)(arguments) })
                .unwrap_or_else(|misuse| panic!("{}: {misuse}", name()));
            assert_eq!(ticket[0], 0, "{}", name());
        }
        let Some(fan_in) = fan_in else { return out[0] };
        while partials.len() > 1 {
            let count = partials.len() as u64;
            let mut folded = poison::<O::Acc>(count.div_ceil(u64::from(fan_in)) as usize);
            let (input, out) = (partials.as_mut_ptr(), folded.as_mut_ptr());
            Launch::new(folded.len() as u32, 256)
                .order(order)
                .register(&raw const partials[..])
                .register(&raw const folded[..])
                // SAFETY: both live as long as the launch, and the lengths are theirs.
                .run(|| unsafe { (self.partials)(Partials { input, count, fan_in, out, tag: 0 }) })
                .unwrap_or_else(|misuse| panic!("{}, pass over {count}: {misuse}", name()));
            partials = folded;
        }
        partials[0]
    }

    /// In one block, or in a grid where there are more tiles than one block takes.
    fn fold(&self, x: &[T]) -> O::Acc {
        let order = ORDERS[x.len() % 4];
        match x.len() as u64 {
            0 => O::IDENTITY,
            n if n <= 16 * tree::tile_len::<T>(0) => self.in_one_block(x, 256, order),
            _ => self.in_a_grid(x, 256, 2, None, order),
        }
    }

    /// A few sizes, by every launch configuration or, unless `whole`, by some of them: each size by a third, and each shape
    /// with a third of the sizes. Sizes above a million take a quarter of the shapes in each turn.
    fn check(&self, sizes: &[u64], family: Family, whole: bool)
    where
        T: Sample,
        O::Out: Bits,
    {
        let longest = sizes.iter().copied().max().unwrap();
        // One element more in front, so that slices that are not aligned for vectors are there too.
        let all = samples::<T>(family, 21, longest + 1);
        for (i, &n) in sizes.iter().enumerate() {
            let x = &all[i % 2..i % 2 + n as usize];
            let expected = reference::reduce_by(self.op, x).bits();
            let order = ORDERS[i % 4];
            let bits = |acc| O::finish(acc, n).bits();
            let takes = |shape: usize| match n {
                0..=1_000_000 => whole || (i + shape).is_multiple_of(3),
                _ => turn::is_in_quarter(shape as u64),
            };
            if n <= 16 * tree::tile_len::<T>(0) {
                for (_, threads) in (0..).zip([256, 512, 1024]).filter(|&(shape, _)| takes(shape)) {
                    assert_eq!(
                        bits(self.in_one_block(x, threads, order)),
                        expected,
                        "{n} in a block of {threads}"
                    );
                }
                assert_eq!(bits(self.in_one_block_tagged(x, 1 + i as u32)), expected, "{n}, tagged");
            }
            let grids = [
                (256, 1, None),
                (256, 5, None),
                (512, 3, None),
                (1024, 2, None),
                (256, 3, Some(2)),
                (512, 2, Some(4096)),
            ];
            for (_, (threads, blocks, fan_in)) in (0..).zip(grids).filter(|&(shape, _)| takes(shape)) {
                let found = bits(self.in_a_grid(x, threads, blocks, fan_in, order));
                assert_eq!(found, expected, "{n} in {blocks} blocks of {threads}, {fan_in:?}");
            }
        }
    }
}

/// The pairs of this turn.
#[test]
fn catalogue() {
    macro_rules! every_row {
        ($($row:ident: $op:ty, $element:ty;)*) => {
            turn::check(&[$( (stringify!($row), in_turn!(takes_of_kernels, $row => || {
                let tile = tree::tile_len::<$element>(0);
                rows::$row().check(&[1, 31, 1000, tile + 1, 6 * tile - 3, 17 * tile + 5], Special, turn::is_turn_of(stringify!($row)));
            })) ),*]);
        };
    }
    warpfold_tests::for_each_sampled_kernel!(every_row);
}

/// The rows' kernels, named once: those of this turn are compiled where they are named.
mod rows {
    use std::any::{Any, TypeId};
    use std::collections::HashMap;

    use super::*;

    /// A reduction by the kernels of one row.
    pub(super) type Fold<T, O> = fn(O, &[T]) -> <O as Op<T>>::Acc;

    /// Reductions by their types.
    pub(super) type ByType = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

    macro_rules! rows {
        ($($row:ident: $op:ty, $element:ty;)*) => {
            $(
                #[inline(never)]
                pub(super) fn $row() -> Row<$element, $op> {
                    Row {
                        op: <$op>::default(),
                        block: gpu_kernels::entry::$row::block,
                        grid: gpu_kernels::entry::$row::grid,
                        partials: gpu_kernels::entry::$row::partials,
                    }
                }
            )*

            /// Those of this turn.
            pub(super) fn all() -> ByType {
                let folds: [Option<Box<dyn Any + Send + Sync>>; _] = [$( in_turn!(takes_of_kernels, $row => {
                    let fold: Fold<$element, $op> = |op, x| Row { op, ..$row() }.fold(x);
                    Box::new(fold)
                }) ),*];
                folds.into_iter().flatten().map(|fold| ((*fold).type_id(), fold)).collect()
            }
        };
    }
    warpfold_tests::for_each_sampled_kernel!(rows);
}

macro_rules! every_test_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        /// The tree itself: every edge of a vector, a warp, a tile, a span; and where tiles have grown.
        #[test]
        fn $row() {
            let row = Row::<$element, $op> {
                op: <$op>::default(),
                block: test_kernels::kernels::$row::block,
                grid: test_kernels::kernels::$row::grid,
                partials: test_kernels::kernels::$row::partials,
            };
            row.check(
                &[1, 2, 3, 4, 5, 127, 128, 1023, 1024, 1025, 4095, 4096, 4097, 8191, 8192, 8193, 16_384, 16_385, 65_535,
                  65_536, 65_537, 100_003, (1 << 23) + 4099],
                Ordinary,
                true,
            );
        }
    )* };
}
every_test_row! {
    reduce_strided_u32: Strided, u32;
    reduce_ordered_u32: Ordered, u32;
    reduce_matrix_u32: MatrixProduct, u32;
}

/// The table of laws, by the kernels.
mod laws {
    use std::any::TypeId;
    use std::sync::LazyLock;

    use super::rows::{ByType, Fold};
    use super::samples;
    use warpfold::*;
    use warpfold_tests::golden::Backend;
    use warpfold_tests::laws::Grouping::*;
    use warpfold_tests::laws::Nan::*;
    use warpfold_tests::laws::Order::*;
    use warpfold_tests::laws::{Canonical, Law, copies};
    use warpfold_tests::{Bits, Sample, for_each_law, law_tests};

    fn find<T: Element + 'static, O: Op<T>>() -> Option<&'static Fold<T, O>> {
        static FOLDS: LazyLock<ByType> = LazyLock::new(super::rows::all);
        FOLDS.get(&TypeId::of::<Fold<T, O>>())?.downcast_ref()
    }

    /// By the kernels of an operator that is in the catalogue, and in this turn.
    fn fold<T: Element + 'static, O: Op<T>>(op: O, x: &[T]) -> O::Acc {
        match find::<T, O>() {
            Some(fold) => fold(op, x),
            None => panic!("{} is not in this turn", std::any::type_name::<O>()),
        }
    }

    struct Emulated;

    impl Backend for Emulated {
        fn has<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self) -> bool {
            find::<T, O>().is_some()
        }

        fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
            O::finish(fold(O::default(), x), x.len() as u64).bits()
        }
    }

    fn backend() -> Emulated {
        Emulated
    }

    for_each_law!(law_tests);

    /// An operator's parameters reach the kernels.
    #[test]
    fn parameters_reach_the_kernels() {
        for n in [1, 1000, 100_003] {
            let x = samples::<f32>(super::Special, 9, n);
            macro_rules! equal {
                ($op:expr) => {
                    assert_eq!(fold($op, &x).bits(), reference::fold($op, &x).bits(), "{:?}, {n}", $op);
                };
            }
            equal!(Count { predicate: Above { threshold: 0.75f32 } });
            equal!(Count { predicate: Below { threshold: -0.75f32 } });
            equal!(Count { predicate: Within { ends: [-3.5f32, 12.25] } });
        }
        let x = samples::<f32>(super::Ordinary, 9, 100_003);
        let op = CentredSquares { centre: 1.625f32 };
        assert_eq!(fold(op, &x).bits(), reference::fold(op, &x).bits());
    }
}
