//! Scans over all ranks: each rank has the outputs of its part, with the bits of one scan over the whole.

use std::fmt::Debug;

use test_kernels::{Ordered, Strided, mix};
use warpfold::scan_tree::tree::{group_len, row_len, tile_len};
use warpfold::{
    AccurateSum, ArgMin, Cpu, Element, Error, Max, Op, RankFault, Scan, Sum, formula, operator, segments,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_whole, bits, cuts, ending, possible};
use super::ranks::on_each;

cases!(
    the_tree_is_that_of_the_whole,
    floats_and_places,
    formulas,
    groups_of_tiles,
    long_arrays,
    segments_cut_anywhere,
    wrong_calls_are_refused
);

/// Divisions at the ends of a scan's rows and tiles, beside them, and several in one tile.
fn scan_cuts<T>(n: usize) -> Vec<Vec<std::ops::Range<usize>>> {
    let (tile, row) = (tile_len::<T>(), row_len::<T>());
    let ends = [
        vec![tile],
        vec![tile - 1, tile, tile, tile + 1, 2 * tile - 1],
        vec![5, row, row + 1, 2 * tile + row / 2, 2 * tile + row / 2 + 3],
    ];
    cuts::<T>(n).into_iter().chain(possible(ends.iter().map(|ends| ending(ends, n)))).collect()
}

fn agrees<T: Element + bytemuck::CheckedBitPattern, O: Op<T, Out: Bits> + Debug>(
    op: O,
    x: &[T],
    scan: Scan<O::Acc>,
) {
    let expected = Cpu::new().scan(op, x, scan).unwrap();
    for cut in scan_cuts::<T>(x.len()) {
        let found = on_each(&cut, |world, part| bits(&world.scan(op, &x[part], scan).unwrap()));
        assert_whole(&found, &expected, &cut, &format!("{op:?} of {} in {cut:?}", x.len()));
    }
}

fn agrees_at<T: Element + Sample + bytemuck::CheckedBitPattern, O: Op<T, Out: Bits> + Debug>(op: O) {
    let tile = tile_len::<T>() as u64;
    for n in [0, 1, tile, 5 * tile + 77] {
        agrees(op, &samples::<T>(Ordinary, n, n), Scan::inclusive());
    }
    let x = samples::<T>(Special, 3, 3 * tile + 9);
    agrees(op, &x, Scan::exclusive().from(op.lift(x[0], 5), 6));
}

fn the_tree_is_that_of_the_whole() {
    agrees_at::<u32, _>(Strided::default());
    agrees_at::<u32, _>(Ordered::default());
}

fn floats_and_places() {
    agrees_at::<f32, _>(AccurateSum);
    agrees_at::<f32, _>(ArgMin);
    agrees_at::<i8, _>(Sum);
}

fn formulas() {
    agrees_at::<f32, _>(Sum.of(formula!(|v: f32| -> Option<f32> { v.gt(0.25).then_some(v * v) })));
    agrees_at::<u64, _>(operator!(1, formula!(|a: u64, b| a * 31 + (b ^ (a >> 7)))));
}

/// More tiles than a group, and whole groups on one rank.
fn groups_of_tiles() {
    type Wide = [u64; 9];
    let n = 3 * group_len::<Wide>() + 5 * tile_len::<Wide>() + 7;
    let x: Vec<Wide> = (0..n as u64).map(|i| [mix(i); 9]).collect();
    let expected = Cpu::new().scan(Chained, &x, Scan::inclusive()).unwrap();
    let ends = [vec![n / 2], vec![1000, n - 999], vec![n / 7, n / 7, n / 3, n / 3 + 1, n / 3 * 2, n - 1]];
    for cut in possible(ends.map(|ends| ending(&ends, n))) {
        let found =
            on_each(&cut, |world, part| bits(&world.scan(Chained, &x[part], Scan::inclusive()).unwrap()));
        assert_whole(&found, &expected, &cut, &format!("{cut:?}"));
    }
}

/// A hash of wide elements that is neither associative nor commutative.
#[derive(Clone, Copy, Debug)]
struct Chained;

impl Op<[u64; 9]> for Chained {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    const COMMUTATIVE: bool = false;
    fn lift(self, x: [u64; 9], index: u64) -> u64 {
        (x[0] ^ mix(index)) | 1
    }
    fn combine(left: u64, right: u64) -> u64 {
        match (left, right) {
            (0, other) | (other, 0) => other,
            _ => mix(left.rotate_left(7) ^ right) | 1,
        }
    }
    fn finish(acc: u64, len: u64) -> u64 {
        acc ^ len
    }
}

/// Several threads on each rank.
fn long_arrays() {
    let n = (1 << 21) + 4321;
    let x = samples::<u32>(Ordinary, 3, n as u64);
    let expected = Cpu::new().scan(Ordered::default(), &x, Scan::inclusive()).unwrap();
    for ends in [vec![n / 2 + 5], vec![n - 100]] {
        let cut = ending(&ends, n);
        let found = on_each(&cut, |world, part| {
            bits(&world.scan(Ordered::default(), &x[part], Scan::inclusive()).unwrap())
        });
        assert_whole(&found, &expected, &cut, &format!("{cut:?}"));
    }
}

fn segments_agree<O: Op<u32, Out: Bits> + Debug>(op: O) {
    let tile = tile_len::<u32>() as u64;
    for n in [1, 5 * tile + 100] {
        let x = samples::<u32>(Ordinary, 7, n);
        let few: Vec<u64> =
            [3, 3, 10, tile, tile + 5, tile + 5, 4 * tile + 1].map(|at: u64| at.min(n)).to_vec();
        let many: Vec<u64> = (0..=n / 97).map(|segment| segment * 97).collect();
        for offsets in [few, many, vec![0, n], vec![n], vec![]] {
            let expected = Cpu::new().scan(op, segments(&x, &offsets), Scan::inclusive()).unwrap();
            for cut in scan_cuts::<u32>(x.len()) {
                let found = on_each(&cut, |world, part| {
                    bits(&world.scan(op, segments(&x[part], &offsets), Scan::inclusive()).unwrap())
                });
                assert_whole(&found, &expected, &cut, &format!("{op:?} by {offsets:?} in {cut:?}"));
            }
        }
    }
}

fn segments_cut_anywhere() {
    segments_agree(Ordered::default());
    segments_agree(ArgMin);
}

/// All ranks have the same error, or one that names the wrong rank; they can continue.
fn wrong_calls_are_refused() {
    let x = [1.0f32; 10];
    let found = on_each(&ending(&[10, 20], 30), |world, _| {
        let none = world.scan(Max, &x, Scan::exclusive());
        assert!(matches!(none, Err(Error::NoInitialValue)), "{none:?}");
        let beyond = world.scan(Sum, segments(&x, &[0, 31]), Scan::inclusive());
        assert!(matches!(beyond, Err(Error::Offset { at: 1, .. })), "{beyond:?}");
        let init = if world.rank() == 2 { 1.0 } else { 0.0 };
        let other = world.scan(Sum, &x, Scan::inclusive().from(init, 0));
        assert!(
            matches!(other, Err(Error::Rank { rank: 2, fault: RankFault::Disagrees { .. } })),
            "{other:?}"
        );
        world.scan(Sum, &x, Scan::inclusive()).unwrap()[9].bits()
    });
    assert_eq!(found, [10.0_f32, 20.0, 30.0].map(|sum| sum.bits()));
}
