//! Reductions of one array, and of a pair of arrays.

use test_kernels::{Ordered, Strided};
use warpfold::{
    AccurateSum, ArgMin, Cpu, Dot, Element, ExactCorrelation, ExactStdDev, ExactSum, MatrixProduct, Mean, Op,
    Sum, Variance, formula, operator, tree, zip,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples, turn};

use super::cuts::{assert_all, cuts, ending};
use super::ranks::on_each;

cases!(
    the_tree_is_that_of_the_whole_if_lanes_stride,
    the_tree_is_that_of_the_whole_if_lanes_take_runs,
    sums_of_floats,
    sums_with_carried_errors,
    free_operators,
    products_of_matrices,
    formulas,
    pairs,
    exact_results_of_permuted_parts,
    long_arrays,
    large_accumulators
);

/// Reduces `x` with every division into parts.
fn agrees<T: Element, O: Op<T, Out: Bits> + std::fmt::Debug>(op: O, x: &[T]) {
    let expected = Cpu::new().reduce(op, x).unwrap().bits();
    for cut in cuts::<T>(x.len()) {
        let found = on_each(&cut, |world, part| world.reduce(op, &x[part]).unwrap().bits());
        assert_all(&found, &expected, &format!("{op:?} of {} in {cut:?}", x.len()));
    }
}

/// Lengths around a vector, a row of lanes and tiles.
fn lengths<T>() -> Vec<u64> {
    let (lanes, tile) = (tree::lanes::<T>() as u64, tree::tile_len::<T>(0));
    vec![0, 1, 5, 1000, lanes + 1, tile - 1, tile, tile + 1, 3 * tile + 7, 11 * tile + 2 * lanes + 3]
}

fn agrees_at<T: Element + Sample, O: Op<T, Out: Bits> + std::fmt::Debug>(op: O) {
    for n in lengths::<T>() {
        agrees(op, &samples::<T>(Ordinary, n, n));
    }
    agrees(op, &samples::<T>(Special, 7, 5000));
}

fn the_tree_is_that_of_the_whole_if_lanes_stride() {
    agrees_at::<u32, _>(Strided::default());
}

fn the_tree_is_that_of_the_whole_if_lanes_take_runs() {
    agrees_at::<u32, _>(Ordered::default());
}

fn sums_of_floats() {
    agrees_at::<f64, _>((Mean, Variance));
}

fn sums_with_carried_errors() {
    agrees_at::<f32, _>(AccurateSum);
}

fn free_operators() {
    agrees_at::<f32, _>(ArgMin);
    agrees_at::<i8, _>(Sum);
}

fn products_of_matrices() {
    agrees_at::<warpfold::Matrix2<i32>, _>(MatrixProduct);
}

/// An index counts from the first element of the whole.
fn formulas() {
    let least = 0.25;
    agrees_at::<f32, _>(
        Variance.of(formula!(|v: f32; least: f32| -> Option<f32> { v.gt(least).then_some(v) })),
    );
    agrees_at::<f64, _>(operator!(0.0, formula!(|a: f64, b| a * 0.5 - b)));
    agrees_at::<u32, _>(Sum.of(formula!(|v: u32, index: Index| v * (index / 5).to::<u32>())));
}

fn pairs() {
    for n in lengths::<[f32; 2]>() {
        let (x, y) = (samples::<f32>(Ordinary, n, n), samples::<f32>(Ordinary, n + 1, n));
        let expected = Cpu::new().reduce(Dot, zip(&x, &y)).unwrap().bits();
        for cut in cuts::<[f32; 2]>(x.len()) {
            let found = on_each(&cut, |world, part| {
                world.reduce(Dot, zip(&x[part.clone()], &y[part])).unwrap().bits()
            });
            assert_all(&found, &expected, &format!("Dot of {n} in {cut:?}"));
        }
    }
}

/// Exact operators have the bits of any cut, and of its parts in any order.
fn exact_results_of_permuted_parts() {
    let n = 3 * tree::tile_len::<f64>(0) as usize + 7;
    let (x, y) = (samples::<f64>(Special, 5, n as u64), samples::<f64>(Ordinary, 6, n as u64));
    let (cpu, first) = (Cpu::new(), n / 2);
    // With and without numbers that decide all alone.
    for x in [&x, &y] {
        let sum = cpu.reduce(ExactSum, x).unwrap().bits();
        let deviation = cpu.reduce(ExactStdDev, &x[first..]).unwrap().bits();
        let correlation = cpu.reduce(ExactCorrelation, zip(x, &y)).unwrap().bits();
        for cut in cuts::<f64>(n) {
            for turned in 0..cut.len().min(3) {
                let mut parts = cut.clone();
                parts.rotate_left(turned);
                parts.swap(0, cut.len() / 2);
                let what = format!("{parts:?}");
                let found = on_each(&parts, |world, part| world.reduce(ExactSum, &x[part]).unwrap().bits());
                assert_all(&found, &sum, &what);
                let found = on_each(&parts, |world, part| {
                    let part = part.start.max(first)..part.end.max(first);
                    world.reduce(ExactStdDev, &x[part]).unwrap().bits()
                });
                assert_all(&found, &deviation, &what);
                let found = on_each(&parts, |world, part| {
                    world.reduce(ExactCorrelation, zip(&x[part.clone()], &y[part])).unwrap().bits()
                });
                assert_all(&found, &correlation, &what);
            }
        }
    }
}

/// Tiles of 32 rows, folded by several threads of each rank; one cut in each turn.
fn long_arrays() {
    let n = (1 << 24) + 54_321;
    let tile = tree::tile_len::<f32>(n) as usize;
    let x = samples::<f32>(Ordinary, 3, n);
    let n = x.len();
    let expected = Cpu::new().reduce(AccurateSum, &x).unwrap().bits();
    let all = [
        vec![n / 2],
        vec![tile * 70 + 12_345, tile * 70 + 12_346, n - 3],
        vec![n / 3, n / 3 * 2 + 1],
        vec![tile * 33 - 1, n / 2 / tile * tile],
    ];
    for (ends, _) in all.into_iter().zip(0..).filter(|&(_, case)| turn::is_in_quarter(case)) {
        let cut = ending(&ends, n);
        let found = on_each(&cut, |world, part| world.reduce(AccurateSum, &x[part]).unwrap().bits());
        assert_all(&found, &expected, &format!("{cut:?}"));
    }
}

/// Sums of 300 numbers at once: a thread's stack has room for only a few.
#[derive(Clone, Copy, Debug)]
struct Powers;

impl Op<f32> for Powers {
    type Acc = [f32; 300];
    type Out = [f32; 300];
    const IDENTITY: [f32; 300] = [-0.0; 300];
    const COMMUTATIVE: bool = true;
    fn lift(self, x: f32, _: u64) -> [f32; 300] {
        std::array::from_fn(|i| x * (i + 1) as f32)
    }
    fn combine(left: [f32; 300], right: [f32; 300]) -> [f32; 300] {
        std::array::from_fn(|i| left[i] + right[i])
    }
    fn finish(acc: [f32; 300], _: u64) -> [f32; 300] {
        acc
    }
}

fn large_accumulators() {
    let x = samples::<f32>(Ordinary, 3, 10_000);
    let expected = Cpu::new().reduce(Powers, &x).unwrap().bits();
    for ends in [vec![5000], vec![4096, 4100, 9000]] {
        let cut = ending(&ends, x.len());
        let found = on_each(&cut, |world, part| world.reduce(Powers, &x[part]).unwrap().bits());
        assert_all(&found, &expected, &format!("{cut:?}"));
    }
}
