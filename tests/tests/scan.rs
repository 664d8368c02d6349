//! Scans on the CPU: the bits of the reference at every size, with any number of threads, and the promises of
//! each call.
#![cfg(second_half)]
#![allow(missing_docs)]

use std::sync::LazyLock;

use test_kernels::{Ordered, Strided, mix};
use warpfold::scan_tree::{Kind, reference, tree};
use warpfold::{
    ArgMin, Complex, Compose, Cpu, Element, Error, ExactSum, Matrix2, MatrixProduct, Max, Mean, Op, Scan,
    Sum, SumIn, Variance, segments,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, in_quarter, samples, sizes};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

fn assert_same<O: Bits>(found: &[O], expected: &[O], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let at = found.iter().zip(expected).position(|(found, expected)| !found.is_same(expected));
    assert_eq!(
        at.map(|at| (at, found[at].bits(), expected[at].bits())),
        None,
        "{what}: (output, found, expected)"
    );
}

fn scan_of<A>(kind: Kind, init: Option<(A, u64)>) -> Scan<A> {
    let scan = match kind {
        Kind::Inclusive => Scan::inclusive(),
        Kind::Exclusive => Scan::exclusive(),
    };
    match init {
        Some((init, before)) => scan.from(init, before),
        None => scan,
    }
}

/// Whether the first output would be the result for empty input, which the operator does not have.
fn lacks_first<T: Element, O: Op<T>>(kind: Kind) -> bool {
    kind == Kind::Exclusive && !O::FINISHES_EMPTY
}

/// Both kinds of scan of the first `n` elements of `x`, without an initial value and with the accumulator of
/// the last elements.
fn scans_agree<T: Element, O: Op<T, Out: Bits + Send> + Default>(cpus: &[Cpu], x: &[T], n: usize) {
    let x = &x[..n];
    let init = x.iter().rev().take(3).fold(O::IDENTITY, |acc, &x| O::default().append(acc, x, 5));
    for (kind, init) in [
        (Kind::Inclusive, None),
        (Kind::Exclusive, None),
        (Kind::Inclusive, Some((init, 3))),
        (Kind::Exclusive, Some((init, 3))),
    ] {
        if init.is_none() && lacks_first::<T, O>(kind) {
            for cpu in cpus {
                let refused = cpu.scan(O::default(), x, scan_of(kind, init));
                assert!(matches!(refused, Err(Error::NoInitialValue)), "{n} elements, {cpu:?}");
            }
            continue;
        }
        let expected = reference::scan_by(O::default(), x, kind, init.unwrap_or((O::IDENTITY, 0)));
        for cpu in cpus {
            let found = cpu.scan(O::default(), x, scan_of(kind, init)).unwrap();
            assert_same(
                &found,
                &expected,
                &format!("{n} elements, {kind:?}, from {}, {cpu:?}", init.is_some()),
            );
        }
    }
}

fn every_size<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>(limit: u64) {
    let x = samples::<T>(Special, 1, limit);
    for n in sizes::of_scan::<T>(limit) {
        scans_agree::<T, O>(&cpus()[..1], &x, n as usize);
    }
}

#[test]
fn runs_of_16() {
    every_size::<f32, Sum>(20_000);
    every_size::<u32, Ordered>(20_000);
    in_quarter!(0 => every_size::<u8, Sum>(20_000));
    in_quarter!(1 => every_size::<f32, ArgMin>(20_000));
    in_quarter!(2 => every_size::<f32, ExactSum>(6000));
}

#[test]
fn shorter_runs() {
    every_size::<f64, Sum>(20_000);
    in_quarter!(3 => every_size::<f64, Variance>(20_000));
    in_quarter!(0 => every_size::<Complex<f64>, Sum>(10_000));
    in_quarter!(1 => every_size::<Matrix2<u64>, MatrixProduct>(5000));
    in_quarter!(2 => every_size::<Matrix2<u128>, MatrixProduct>(3000));
}

/// Beyond a group, several threads work.
#[test]
fn many_groups_by_many_threads() {
    let group = tree::group_len::<f32>();
    let x = samples::<f32>(Ordinary, 2, 2 * group as u64 + 5000);
    for n in [group - 1, group, group + 1, 2 * group + 1, x.len()] {
        scans_agree::<f32, Sum>(cpus(), &x, n);
    }
    let x = samples::<u32>(Ordinary, 3, group as u64 + 70_000);
    scans_agree::<u32, Ordered>(cpus(), &x, x.len());
    scans_agree::<u32, Strided>(cpus(), &x, x.len());
    // A group of 2^18 elements of a free operator: tiles are folded in any order.
    in_quarter!(3 => {
        let x = samples::<i128>(Ordinary, 4, tree::group_len::<i128>() as u64 + 3000);
        scans_agree::<i128, Sum>(cpus(), &x, x.len());
    });
}

/// An output does not depend on the number of following elements.
#[test]
fn a_longer_scan_begins_with_the_shorter_one() {
    let n = tree::group_len::<f32>() + 100_000;
    let x = samples::<f32>(Ordinary, 5, n as u64);
    let all = cpus()[2].scan(Sum, &x, Scan::inclusive()).unwrap();
    for i in 0..20 {
        let m = mix(i) as usize % n;
        let shorter = cpus()[i as usize % 3].scan(Sum, &x[..m], Scan::inclusive()).unwrap();
        assert_same(&shorter, &all[..m], &format!("{m} of {n}"));
    }
}

/// Scans one element after the other.
fn in_order<T: Element, O: Op<T> + Default>(x: &[T]) -> Vec<O::Out> {
    let mut acc = O::IDENTITY;
    let outs = x.iter().zip(0..).map(|(&x, index)| {
        acc = O::default().append(acc, x, index);
        O::finish(acc, index + 1)
    });
    outs.collect()
}

fn is_as_in_order<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>(n: u64) {
    assert!(O::ASSOCIATIVE);
    let x = samples::<T>(Special, 6, n);
    let found = cpus()[1].scan(O::default(), &x, Scan::inclusive()).unwrap();
    assert_same(&found, &in_order::<T, O>(&x), &format!("{n} elements"));
}

#[test]
fn associative_operators_have_the_bits_of_a_loop() {
    is_as_in_order::<i32, Sum>(2_200_000);
    in_quarter!(0 => is_as_in_order::<i32, SumIn<i32>>(300_000));
    in_quarter!(2 => is_as_in_order::<f32, Max>(300_000));
    in_quarter!(3 => is_as_in_order::<f64, ArgMin>(300_000));
    in_quarter!(2 => is_as_in_order::<warpfold::Affine<u64>, Compose>(300_000));
    in_quarter!(1 => is_as_in_order::<Matrix2<u64>, MatrixProduct>(100_000));
}

#[test]
fn outputs_may_take_the_elements_places() {
    let x = samples::<f32>(Special, 7, 1_200_000);
    for n in [0, 1, 5000, x.len()] {
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let expected = reference::scan_by(Sum, &x[..n], kind, (1.5, 1));
            for cpu in cpus() {
                let mut y = x[..n].to_vec();
                cpu.scan(Sum, &mut y, scan_of(kind, Some((1.5, 1)))).unwrap();
                assert_same(&y, &expected, &format!("{n} elements, {kind:?}, {cpu:?}"));
            }
        }
    }
}

/// Offsets of segments of every kind: empty, short, as long as a tile, and a few very long ones.
fn mixed(limit: usize) -> Vec<usize> {
    let mut offsets = vec![3];
    for segment in 0.. {
        let random = mix(segment) as usize;
        let len = match random % 64 {
            0..8 => 0,
            8..50 => random / 64 % 12,
            50..60 => random / 64 % 700,
            60..63 => random / 64 % 9000,
            _ => random / 64 % 40_000,
        };
        let end = offsets[offsets.len() - 1] + len;
        if end > limit {
            return offsets;
        }
        offsets.push(end);
    }
    offsets
}

fn segments_agree<T: Element + Sample, O: Op<T, Out: Bits + Send + Clone> + Default>(
    x: &[T],
    offsets: &[usize],
) {
    for kind in [Kind::Inclusive, Kind::Exclusive] {
        let untouched = O::finish(O::default().lift(x[0], 77), 1);
        let mut expected = vec![untouched.clone(); x.len()];
        for ends in offsets.windows(2) {
            let outs = reference::scan::<T, O>(&x[ends[0]..ends[1]], kind);
            expected[ends[0]..ends[1]].clone_from_slice(&outs);
        }
        for cpu in cpus() {
            let mut found = vec![untouched.clone(); x.len()];
            let done = cpu.scan_into(O::default(), segments(x, offsets), &mut found, scan_of(kind, None));
            if lacks_first::<T, O>(kind) {
                assert!(matches!(done, Err(Error::NoInitialValue)), "{} offsets, {cpu:?}", offsets.len());
                continue;
            }
            done.unwrap();
            assert_same(&found, &expected, &format!("{} offsets, {kind:?}, {cpu:?}", offsets.len()));
        }
    }
}

#[test]
fn each_segment_as_if_it_were_alone() {
    let x = samples::<f32>(Special, 8, 900_000);
    segments_agree::<f32, Sum>(&x, &mixed(x.len()));
    in_quarter!(1 => segments_agree::<f32, ArgMin>(&x[..100_000], &mixed(100_000)));
    let y = samples::<u32>(Ordinary, 8, 1_500_000);
    // One that all threads scan together, among segments of 3.
    let long: Vec<_> = (0..1000).map(|i| 3 * i).chain((0..1000).map(|i| 1_400_000 + 3 * i)).collect();
    segments_agree::<u32, Ordered>(&y, &long);
    segments_agree::<u32, Ordered>(&y[..5000], &mixed(4000));
    segments_agree::<u32, Ordered>(&y[..50], &[]);
    segments_agree::<u32, Ordered>(&y[..50], &[50; 9]);
}

#[test]
fn segments_in_place_from_a_value() {
    let mut x = [1, 2, 3, 4, 5, 6, 7_i64];
    cpus()[0].scan(Sum, segments(&mut x, &[1, 3, 3, 6]), Scan::exclusive().from(10, 1)).unwrap();
    assert_eq!(x, [1, 10, 12, 10, 14, 19, 7]);
}

#[test]
fn the_initial_value_counts() {
    let cpu = &cpus()[0];
    let means = cpu.scan(Mean, &[6.0, 8.0], Scan::inclusive().from(6.0, 3)).unwrap();
    assert_eq!(means, [Some(3.0), Some(4.0)]);
    let means = cpu.scan(Mean, &[6.0, 8.0], Scan::exclusive().from(2.0, 1)).unwrap();
    assert_eq!(means, [Some(2.0), Some(4.0)]);
    assert_eq!(cpu.scan(Max, &[0; 0], Scan::inclusive().from(Max.lift(7, 0), 1)).unwrap(), []);
    let found = cpu.scan(Max, &[3, 9], Scan::exclusive().from(Max.lift(7, 0), 1)).unwrap();
    assert_eq!(found, [Some(7), Some(7)]);
}

#[test]
fn wrong_lengths_and_offsets_are_refused() {
    let cpu = &cpus()[0];
    let error = cpu.scan_into(Sum, &[1_i32, 2, 3], &mut [0; 2], Scan::inclusive()).unwrap_err();
    assert!(matches!(error, Error::Results { results: 3, room: 2 }), "{error:?}");
    assert!(error.to_string().contains("3 results") && error.to_string().contains("room for 2"), "{error}");
    let mut outs = [9; 3];
    for offsets in [[0, 2, 1], [0, 1, 4], [-1, 0, 1]] {
        let error =
            cpu.scan_into(Sum, segments(&[1_i32, 2, 3], &offsets), &mut outs, Scan::inclusive()).unwrap_err();
        assert!(matches!(error, Error::Offset { .. }), "{error:?}");
    }
    assert_eq!(outs, [9; 3]);
}
