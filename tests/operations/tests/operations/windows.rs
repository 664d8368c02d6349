//! Windows on the CPU: the bits of a reduction of each window alone, with any number of threads.

use std::sync::LazyLock;

use proptest::prelude::*;
use warpfold::{
    ArgMax, Cpu, Element, Error, ExactCorrelation, ExactCovariance, ExactDot, ExactMean,
    ExactSampleCovariance, ExactSampleStdDev, ExactSampleVariance, ExactStdDev, ExactSum, ExactVariance,
    Last, Max, Mean, Min, Op, Sum, Variance, View, along, operator, reference, windows,
};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, samples, turn};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

/// Compares with each window folded by itself, as a row of a view, and some with the reference.
fn check<T: Element, O: Op<T, Out: Bits>>(op: O, x: &[T], len: usize, step: usize) {
    let what = format!("windows of {len} of {} elements, {step} apart", x.len());
    let count = x.windows(len).step_by(step).len();
    let apart = View::strided(x, 0, &[count, len], &[step.min(x.len()).cast_signed(), 1]).unwrap();
    let apart: Vec<_> = cpus()[0].reduce(op, along(apart, &[1])).unwrap().iter().map(Bits::bits).collect();
    for cpu in cpus() {
        let found = cpu.reduce(op, windows(x, len).step(step)).unwrap();
        assert_eq!(found.len(), count, "{what}");
        let differs = found.iter().zip(&apart).position(|(found, apart)| found.bits() != *apart);
        assert_eq!(differs, None, "the first of {what} that differs, {cpu:?}");
    }
    for i in (0..count).step_by(count / 20 + 1) {
        let expected = O::finish(reference::fold(op, &x[i * step..][..len]), len as u64);
        assert_eq!(apart[i], expected.bits(), "{i} of {what}");
    }
}

/// Lengths around the powers of two, the lanes of f32 and f64, and several tiles. Of those that cost most, a quarter in each turn.
fn lengths() -> impl Iterator<Item = usize> {
    let short = [4, 8, 16, 64, 512, 1024].into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]);
    let long = [2048, 4096, 8192].into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]);
    let long = long.chain([3000, 5000, 14_000]).zip(0..).filter(|&(_, i)| turn::is_in_quarter(i));
    (1..=9).chain(short).chain([100, 1000]).chain(long.map(|(len, _)| len))
}

fn every_length<T: Element + Sample, O: Op<T, Out: Bits> + Default>(most: usize) {
    let x = samples::<T>(Ordinary, 41, 17_001);
    for len in lengths() {
        check(O::default(), &x[..(len + most).min(x.len())], len, 1);
    }
    for (len, step) in
        [(1, 2), (7, 3), (100, 7), (100, 100), (100, 250), (1030, 40), (5000, 33), (9000, 2000)]
    {
        check(O::default(), &x, len, step);
    }
    check(O::default(), &samples::<T>(Special, 42, 3000), 5, 1);
    check(O::default(), &samples::<T>(Special, 43, 3000), 100, 1);
}

#[test]
fn float_sums_share_the_subtrees_of_each_window() {
    every_length::<f32, Sum>(2500);
    every_length::<f64, Mean>(2500);
}

#[test]
fn other_types_and_longer_accumulators() {
    every_length::<u8, Sum>(300);
    every_length::<f32, Variance>(300);
    every_length::<f32, (Sum, Max)>(300);
    check(ExactSum, &samples::<f64>(Ordinary, 44, 3000), 50, 1);
}

/// Windows that are long beside the step, of all kinds of floats: NaN, infinities and zeros of both signs leave as they came.
fn exact<T: Element, O: Op<T, Out: Bits> + Default>(sample: impl Fn(Family, u64) -> Vec<T>, most: usize) {
    // Numbers after a few of another kind: an infinity is forgotten once it has left.
    let mut x = sample(Special, 30);
    x.extend(sample(Ordinary, most as u64 - 30));
    for (len, step) in [(1, 1), (2, 1), (17, 1), (16, 8), (33, 5), (most / 2, most / 20)] {
        check(O::default(), &x, len, step);
    }
    check(O::default(), &sample(Special, 60), 7, 1);
}

fn pairs<T: Sample>(family: Family, n: u64) -> Vec<[T; 2]> {
    samples(family, 51, n).into_iter().zip(samples(family, 52, n)).map(|(x, y)| [x, y]).collect()
}

#[test]
fn exact_operators_take_back_what_leaves_a_window() {
    exact::<f32, ExactSum>(|family, n| samples(family, 50, n), 800);
    exact::<f64, ExactSum>(|family, n| samples(family, 50, n), 800);
    exact::<f32, ExactMean>(|family, n| samples(family, 50, n), 200);
    exact::<f64, ExactMean>(|family, n| samples(family, 50, n), 200);
    exact::<f32, ExactVariance>(|family, n| samples(family, 50, n), 200);
    exact::<f64, ExactSampleVariance>(|family, n| samples(family, 50, n), 100);
    exact::<f32, ExactSampleStdDev>(|family, n| samples(family, 50, n), 200);
    exact::<f64, ExactStdDev>(|family, n| samples(family, 50, n), 100);
    exact::<[f32; 2], ExactDot>(pairs::<f32>, 200);
    exact::<[f64; 2], ExactDot>(pairs::<f64>, 100);
    exact::<[f32; 2], ExactCovariance>(pairs::<f32>, 100);
    exact::<[f64; 2], ExactSampleCovariance>(pairs::<f64>, 60);
    exact::<[f32; 2], ExactCorrelation>(pairs::<f32>, 100);
}

#[test]
fn threads_share_the_windows_of_exact_operators() {
    let x = samples::<f64>(Ordinary, 53, 600_000);
    check(ExactSum, &x, 1000, 60);
}

#[test]
fn extremes_of_long_windows_cross_a_border() {
    every_length::<f32, Max>(2500);
    every_length::<i64, Min>(2500);
}

#[test]
fn an_associative_operator_keeps_the_order() {
    every_length::<i32, Last>(300);
}

#[test]
fn indices_count_from_the_first_element_of_a_window() {
    let x = samples::<f32>(Special, 47, 3000);
    for (len, step) in [(1, 1), (7, 1), (1030, 1), (100, 30)] {
        check(ArgMax, &x, len, step);
    }
}

#[test]
fn an_operator_that_is_neither_keeps_the_order_and_its_tree() {
    let x = samples::<f64>(Ordinary, 45, 6000);
    let op = operator!(0.0, |a: f64, b| if a == 0.0 {
        b
    } else if b == 0.0 {
        a
    } else {
        a * 0.5 + b
    });
    for len in [1, 2, 3, 100, 4097] {
        check(op, &x, len, 1);
    }
}

#[test]
fn threads_share_the_windows_of_a_long_array() {
    let x = samples::<f32>(Ordinary, 46, 1_500_000);
    check(Sum, &x, 10, 1);
    check(Sum, &x, 1500, 30);
    check(Max, &x, 3000, 50);
    check(Max, &x, 1_400_000, 7001);
}

#[test]
fn there_is_no_window_of_fewer_elements() {
    let cpu = &cpus()[1];
    assert_eq!(cpu.reduce(Sum, windows(&[0_i32; 0], 1)).unwrap(), []);
    assert_eq!(cpu.reduce(Max, windows(&[1, 2, 3], 4)).unwrap(), []);
    assert_eq!(cpu.reduce(Sum, windows(&[1, 2, 3], usize::MAX).step(usize::MAX)).unwrap(), []);
    assert_eq!(cpu.reduce(Sum, windows(&[1, 2, 3], 3).step(usize::MAX)).unwrap(), [6_i64]);
    for (len, step) in [(0, 1), (2, 0)] {
        let error = cpu.reduce(Sum, windows(&[1, 2, 3], len).step(step)).unwrap_err();
        assert!(matches!(error, Error::Window { len: l, step: s } if (l, s) == (len, step)), "{error}");
    }
}

#[test]
fn an_array_with_missing_elements_is_refused() {
    let x: warpfold::Elements<f64> = [Some(1.0), None, Some(2.0)].into_iter().collect();
    let error = cpus()[0].reduce(Sum, windows(&x, 1)).unwrap_err();
    assert!(matches!(error, Error::Missing { missing: 1, first: 1, .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_windows(seed: u64, n in 0_u64..4000, len in 1_usize..1500, step in 1_usize..40) {
        let x = samples::<f32>(Ordinary, seed, n);
        check(Sum, &x, len, step);
        check(Max, &x, len, step);
    }
}
