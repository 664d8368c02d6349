//! Reductions of one array, and of a pair of arrays, divided in every way.

use std::fmt::Debug;

use bytemuck::{CheckedBitPattern, NoUninit};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::kernels::Kernel;
use warpfold::{
    Above, AccurateSum, ArgMin, Cpu, Dot, Element, First, Max, Mean, Min, Op, Sum, Variance, formula,
    operator, tree, zip,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_all, cuts, ending};
use super::devices::{Whole, device};
use super::ranks::on_each;

/// Lengths around a vector, a row of lanes and tiles.
fn lengths<T>() -> Vec<u64> {
    let (lanes, tile) = (tree::lanes::<T>() as u64, tree::tile_len::<T>(0));
    vec![0, 1, 5, 1000, lanes + 1, tile - 1, tile, tile + 1, 3 * tile + 7, 21 * tile + 2 * lanes + 3]
}

/// Reduces `x` with every division into parts: aligned and unaligned ones, and with one in host memory.
fn agrees<T, O>(op: O, x: &[T])
where
    T: Element + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + Op<T, Out: Bits> + Debug,
{
    let expected = Cpu::new().reduce(op, x).unwrap().bits();
    let whole = Whole::new(x);
    for cut in cuts::<T>(x.len()) {
        let what = format!("{op:?} of {} in {cut:?}", x.len());
        let found = on_each(&cut, |world, part| world.reduce(op, whole.part(world, part)).unwrap().bits());
        assert_all(&found, &expected, &what);
        let found = on_each(&cut, |world, part| match world.rank() % 3 {
            1 => world.reduce(op, &x[part]).unwrap().bits(),
            _ => world.reduce(op, &device(world).upload(&x[part]).unwrap()).unwrap().bits(),
        });
        assert_all(&found, &expected, &format!("{what}, some in host memory"));
    }
}

fn agrees_at<T, O>(op: O)
where
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + Op<T, Out: Bits> + Debug,
{
    for n in lengths::<T>() {
        agrees(op, &samples::<T>(Ordinary, n, n));
    }
    agrees(op, &samples::<T>(Special, 7, 5000));
}

#[test]
fn the_tree_is_that_of_the_whole_if_lanes_stride() {
    agrees_at::<u32, _>(Strided::default());
}

#[test]
fn the_tree_is_that_of_the_whole_if_lanes_take_runs() {
    agrees_at::<u32, _>(Ordered::default());
}

#[test]
fn products_of_matrices() {
    agrees_at::<u32, _>(MatrixProduct);
}

#[test]
fn sums_of_floats() {
    agrees_at::<f32, _>(Sum);
    agrees_at::<f64, _>(Variance);
}

#[test]
fn sums_with_carried_errors() {
    agrees_at::<f32, _>(AccurateSum);
}

/// Indices of extremes count from the first element of the whole.
#[test]
fn free_operators() {
    agrees_at::<f32, _>(ArgMin);
    agrees_at::<i8, _>(Sum);
    agrees_at::<u64, _>(First);
}

/// An index counts from the first element of the whole.
#[test]
fn formulas() {
    let least = 0.25;
    agrees_at::<f32, _>(
        Variance.of(formula!(|v: f32; least: f32| -> Option<f32> { v.gt(least).then_some(v) })),
    );
    agrees_at::<f64, _>(operator!(0.0, formula!(|a: f64, b| a * 0.5 - b)));
    agrees_at::<u32, _>(Sum.of(formula!(|v: u32, index: Index| v * (index / 5).to::<u32>())));
}

#[test]
fn counts() {
    let x = samples::<f32>(Special, 3, 20_000);
    let above = Above { threshold: 0.5f32 };
    let expected = Cpu::new().count(above, &x).unwrap();
    let whole = Whole::new(&x);
    for cut in cuts::<f32>(x.len()) {
        let found =
            on_each(&cut, |world, part| world.count(above, whole.part(world, part)).unwrap().to_string());
        assert_all(&found, &expected.to_string(), &format!("{cut:?}"));
    }
}

#[test]
fn several_at_once() {
    agrees_at::<f64, _>((Min, Max, Mean));
}

#[test]
fn pairs() {
    for n in lengths::<[f32; 2]>() {
        let (x, y) = (samples::<f32>(Ordinary, n, n), samples::<f32>(Ordinary, n + 1, n));
        let expected = Cpu::new().reduce(Dot, zip(&x, &y)).unwrap().bits();
        let (whole_x, whole_y) = (Whole::new(&x), Whole::new(&y));
        for cut in cuts::<[f32; 2]>(x.len()) {
            let what = format!("Dot of {n} in {cut:?}");
            let found = on_each(&cut, |world, part| {
                let (x, y) = (whole_x.part(world, part.clone()), whole_y.part(world, part));
                world.reduce(Dot, zip(x, y)).unwrap().bits()
            });
            assert_all(&found, &expected, &what);
            // One array aligned for vectors, and the other not.
            let found = on_each(&cut, |world, part| {
                let y = device(world).upload(&y[part.clone()]).unwrap();
                world.reduce(Dot, zip(whole_x.part(world, part), y.as_slice())).unwrap().bits()
            });
            assert_all(&found, &expected, &what);
        }
    }
}

/// Tiles of many rows. Parts have whole tiles, a few elements, or neither begin nor end at a tile.
fn long_arrays_agree<T, O>(op: O, n: u64)
where
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + Op<T, Out: Bits> + Debug,
{
    let tile = tree::tile_len::<T>(n) as usize;
    let x = samples::<T>(Ordinary, 3, n);
    let n = x.len();
    let expected = Cpu::new().reduce(op, &x).unwrap().bits();
    let whole = &device(&warpfold::World::threads(1)[0]).upload(&x).unwrap();
    for ends in [
        vec![],
        vec![n / 2],
        vec![tile * 70 + 12_345, tile * 70 + 12_346, n - 3],
        vec![n / 3, n / 3 * 2 + 1],
        vec![tile * 9, tile * 9 + tile / 2, tile * 10, tile * 10, tile * 11 - 1, tile * 40 + 1, n - tile],
    ] {
        let cut = ending(&ends, n);
        // One array. All ranks have slices of it.
        let found = on_each(&cut, |world, part| world.reduce(op, whole.slice(part).unwrap()).unwrap().bits());
        assert_all(&found, &expected, &format!("{op:?} of {n} in {cut:?}"));
    }
}

#[test]
fn long_arrays() {
    long_arrays_agree::<f32, _>(Sum, (1 << 24) + 54_321);
    long_arrays_agree::<f32, _>(AccurateSum, (1 << 22) + 7);
    long_arrays_agree::<u32, _>(Ordered::default(), (1 << 24) + 54_321);
    long_arrays_agree::<u8, _>(Sum, 1 << 26);
}

/// A few short runs of every kind, for compute-sanitizer.
#[test]
fn sanitize_world() {
    let x = samples::<u32>(Ordinary, 5, 50_003);
    let whole = Whole::new(&x);
    let cut = ending(&[17_001, 17_002, 40_000], x.len());
    let (strided, ordered) = (Strided::default(), Ordered::default());
    let expected = [
        Cpu::new().reduce(strided, &x).unwrap().bits(),
        Cpu::new().reduce(ordered, &x).unwrap().bits(),
        Cpu::new().reduce(ArgMin, &x).unwrap().bits(),
    ]
    .join(" ");
    let found = on_each(&cut, |world, part| {
        let x = whole.part(world, part);
        [
            world.reduce(strided, x).unwrap().bits(),
            world.reduce(ordered, x).unwrap().bits(),
            world.reduce(ArgMin, x).unwrap().bits(),
        ]
        .join(" ")
    });
    assert_all(&found, &expected, "");
}
