//! Each family of operators against an obvious computation.

use proptest::prelude::*;
use warpfold::reference::{reduce, reduce_by};
use warpfold::*;
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

/// Unit roundoff of f32.
const U: f64 = (f32::EPSILON / 2.0) as f64;

/// Values of 20 binades are multiples of 2^-33, so they are exact in fixed point.
fn exact(x: &[f32]) -> f64 {
    // The quotient is rounded to 53 bits, which is exact enough to compare f32 results with.
    x.iter().map(|&x| (f64::from(x) * 2f64.powi(33)) as i128).sum::<i128>() as f64 / 2f64.powi(33)
}

fn magnitudes(x: &[f32]) -> f64 {
    x.iter().map(|&x| f64::from(x).abs()).sum()
}

/// The error bound of a sum over the tree.
fn bound(x: &[f32]) -> f64 {
    tree::depth::<f32>(x.len() as u64) as f64 * U * magnitudes(x)
}

fn ordinary<T: Sample>(seed: u64, n: usize) -> Vec<T> {
    samples(Ordinary, seed, n as u64)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn variances_agree_with_two_passes(seed: u64, n in 2usize..20_000, centre in -1e4f32..1e4) {
        let x: Vec<f32> = ordinary::<f32>(seed, n).iter().map(|&x| x + centre).collect();
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
        let squares = x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        let variance = squares / n as f64;
        let condition = (1.0 + mean * mean / variance).sqrt();
        let allowed = 4.0 * tree::depth::<f32>(n as u64).max(1) as f64 * U * condition;
        let found = f64::from(reduce::<f32, Variance>(&x).unwrap());
        prop_assert!((found / variance - 1.0).abs() <= allowed, "{found} {variance}");
        let found = f64::from(reduce::<f32, SampleStdDev>(&x).unwrap());
        prop_assert!((found / (squares / (n - 1) as f64).sqrt() - 1.0).abs() <= allowed, "{found}");
    }

    #[test]
    fn means_are_near_the_exact_mean(seed: u64, n in 1usize..20_000) {
        let x = ordinary::<f32>(seed, n);
        let found = f64::from(reduce::<f32, Mean>(&x).unwrap());
        let expected = exact(&x) / n as f64;
        prop_assert!((found - expected).abs() <= bound(&x) / n as f64 + 2.0 * U * expected.abs(), "{found} {expected}");
        let x = ordinary::<i32>(seed, n);
        let expected = x.iter().map(|&x| i64::from(x)).sum::<i64>() as f64 / n as f64;
        prop_assert_eq!(reduce::<i32, Mean>(&x), Some(expected));
    }

    #[test]
    fn norms_are_near_the_exact_norms(seed: u64, n in 1usize..5000) {
        let x = ordinary::<f32>(seed, n);
        let depth = tree::depth::<f32>(n as u64) as f64 + 3.0;
        let near = |found: f32, expected: f64| (f64::from(found) / expected - 1.0).abs() <= depth * U;
        let squares: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        prop_assert!(near(reduce::<f32, SumOfSquares>(&x), squares));
        prop_assert!(near(reduce::<f32, Norm2>(&x), squares.sqrt()));
        prop_assert!(near(reduce::<f32, Norm1>(&x), magnitudes(&x)));
        let greatest = x.iter().fold(0f32, |greatest, x| greatest.max(x.abs()));
        prop_assert_eq!(reduce::<f32, NormInf>(&x), greatest);
        let x = ordinary::<i32>(seed, n);
        prop_assert_eq!(reduce::<i32, Norm1>(&x), x.iter().map(|x| u64::from(x.unsigned_abs())).sum::<u64>());
        prop_assert_eq!(reduce::<i32, NormInf>(&x), x.iter().map(|x| u64::from(x.unsigned_abs())).max().unwrap());
    }

    #[test]
    fn squares_from_a_centre_are_squares_of_differences(seed: u64, n in 0usize..5000, centre in -100f32..100.0) {
        let x = ordinary::<f32>(seed, n);
        let moved: Vec<f32> = x.iter().map(|x| x - centre).collect();
        let found = reduce_by(CentredSquares { centre }, &x);
        prop_assert_eq!(found.bits(), reduce::<f32, SumOfSquares>(&moved).bits());
    }

    #[test]
    fn accurate_sums_keep_their_bound(seed: u64, n in 1usize..50_000) {
        let mut x = ordinary::<f32>(seed, n);
        // Cancels to a small part of the summands.
        x.extend(ordinary::<f32>(seed, n).iter().map(|x| -x));
        x.extend(ordinary::<f32>(!seed, 3));
        let (found, expected) = (f64::from(reduce::<f32, AccurateSum>(&x)), exact(&x));
        let depth = tree::depth::<f32>(x.len() as u64) as f64;
        let allowed = U * expected.abs() + 2.0 * (depth * U).powi(2) * magnitudes(&x);
        prop_assert!((found - expected).abs() <= allowed, "{found} {expected} {allowed}");
    }

    #[test]
    fn extremes_are_those_of_their_operators(seed: u64, n in 0usize..5000) {
        let x = samples::<f32>(Special, seed, n as u64);
        let of = |extremes: Option<Extremes<f32>>| (extremes.map(|e| e.min).bits(), extremes.map(|e| e.max).bits());
        prop_assert_eq!(of(reduce::<f32, MinMax>(&x)), (reduce::<f32, Min>(&x).bits(), reduce::<f32, Max>(&x).bits()));
        let places = reduce::<f32, ArgMinMax>(&x);
        prop_assert_eq!(places.map(|at| at.min).bits(), reduce::<f32, ArgMin>(&x).bits());
        prop_assert_eq!(places.map(|at| at.max).bits(), reduce::<f32, ArgMax>(&x).bits());
    }

    #[test]
    fn bits_are_those_of_a_loop(seed: u64, n in 0usize..70) {
        let x = ordinary::<u64>(seed, n);
        prop_assert_eq!(reduce::<u64, BitAnd>(&x), x.iter().fold(!0, |all, x| all & x));
        prop_assert_eq!(reduce::<u64, BitOr>(&x), x.iter().fold(0, |all, x| all | x));
        prop_assert_eq!(reduce::<u64, BitXor>(&x), x.iter().fold(0, |all, x| all ^ x));
        let x: Vec<bool> = x.iter().map(|x| x % 64 < n as u64).collect();
        prop_assert_eq!(reduce::<bool, BitXor>(&x), x.iter().filter(|&&x| x).count() % 2 == 1);
        prop_assert_eq!(reduce::<bool, BitAnd>(&x), x.iter().all(|&x| x));
        prop_assert_eq!(reduce::<bool, All>(&x), x.iter().all(|&x| x));
        prop_assert_eq!(reduce::<bool, Any>(&x), x.iter().any(|&x| x));
        prop_assert_eq!(reduce::<bool, BitOr>(&x), x.iter().any(|&x| x));
    }

    #[test]
    fn counts_are_those_of_a_filter(seed: u64, n in 0usize..5000, least in -3f32..0.0, greatest in 0f32..3.0) {
        let x = samples::<f32>(Special, seed, n as u64);
        let count = |holds: &dyn Fn(f32) -> bool| x.iter().filter(|&&x| holds(x)).count() as u64;
        let above = Count { predicate: Above { threshold: least } };
        prop_assert_eq!(reduce_by(above, &x), count(&|x| x > least));
        let below = Count { predicate: Below { threshold: greatest } };
        prop_assert_eq!(reduce_by(below, &x), count(&|x| x < greatest));
        let within = Count { predicate: Within { ends: [least, greatest] } };
        prop_assert_eq!(reduce_by(within, &x), count(&|x| least <= x && x <= greatest));
        prop_assert_eq!(Cpu::new().reduce(within, &x).unwrap(), reduce_by(within, &x));
        prop_assert_eq!(reduce::<f32, Count<IsNan>>(&x), count(&f32::is_nan));
        prop_assert_eq!(reduce::<f32, Count<NonZero>>(&x), count(&|x| x != 0.0));
    }

    #[test]
    fn a_tuple_is_its_parts(seed: u64, n in 0usize..20_000) {
        let x = samples::<f32>(Special, seed, n as u64);
        let (min, at, sum, variance) = reduce::<f32, (Min, ArgMax, Sum, Variance)>(&x);
        prop_assert_eq!(min.bits(), reduce::<f32, Min>(&x).bits());
        prop_assert_eq!(at.bits(), reduce::<f32, ArgMax>(&x).bits());
        prop_assert_eq!(sum.bits(), reduce::<f32, Sum>(&x).bits());
        prop_assert_eq!(variance.bits(), reduce::<f32, Variance>(&x).bits());
        let (count, all) = reduce_by((Count { predicate: Above { threshold: 0.5 } }, All), &x);
        prop_assert_eq!(count, x.iter().filter(|&&x| x > 0.5).count() as u64);
        prop_assert_eq!(all, x.iter().all(|&x| x != 0.0));
    }

    #[test]
    fn ends_are_the_slices(seed: u64, n in 0usize..20_000) {
        let x = samples::<f64>(Special, seed, n as u64);
        prop_assert_eq!(reduce::<f64, First>(&x).bits(), x.first().copied().bits());
        prop_assert_eq!(reduce::<f64, Last>(&x).bits(), x.last().copied().bits());
    }

    #[test]
    fn maps_are_applied_in_their_order(seed: u64, n in 0usize..20_000, start: u32) {
        let x = ordinary::<Affine<u32>>(seed, n);
        let applied = x.iter().fold(start, |x, map| map.apply(x));
        prop_assert_eq!(reduce::<_, Compose>(&x).apply(start), applied);
    }

    #[test]
    fn matrices_are_multiplied_in_their_order(seed: u64, n in 0usize..20_000, start: [u64; 2]) {
        let x = ordinary::<Matrix2<u64>>(seed, n);
        // Multiplies a row vector from the left by one matrix after the other.
        let times = |[a, b]: [u64; 2], m: &Matrix2<u64>| {
            [0, 1].map(|j| a.wrapping_mul(m.rows[0][j]).wrapping_add(b.wrapping_mul(m.rows[1][j])))
        };
        prop_assert_eq!(times(start, &reduce::<_, MatrixProduct>(&x)), x.iter().fold(start, times));
    }
}

/// Cases beyond the error bounds: overflow, cancellation, and the least input with a result.
#[test]
fn edges() {
    let (inf, max) = (f32::INFINITY, f32::MAX);
    assert_eq!(reduce::<f32, AccurateSum>(&[inf, 1.0]), inf);
    assert_eq!(reduce::<f32, AccurateSum>(&[max, max]), inf);
    assert_eq!(reduce::<f32, AccurateSum>(&[inf, -inf]).to_bits(), 0x7fc0_0000);
    assert_eq!(reduce::<f32, AccurateSum>(&[-0.0]).to_bits(), (-0.0f32).to_bits());
    // 4 rows of lane 0: added one by one, the small ones are lost in a plain sum.
    let mut x = vec![0.0f32; 4 * tree::lanes::<f32>()];
    for (row, value) in [1.0, 1e-8, 1e-8, -1.0].into_iter().enumerate() {
        x[row * tree::lanes::<f32>()] = value;
    }
    assert_eq!((reduce::<f32, Sum>(&x), reduce::<f32, AccurateSum>(&x)), (0.0, 2e-8));

    assert_eq!(reduce::<f32, Norm2>(&[max]), inf);
    assert_eq!(reduce::<f32, Norm2>(&[1e-30]), 0.0);
    assert_eq!(reduce::<f64, Norm2>(&[3.0, -4.0]), 5.0);
    assert_eq!(reduce::<i32, NormInf>(&[i32::MIN, 5]), 1 << 31);
    assert_eq!(reduce::<i64, Norm1>(&[i64::MIN, i64::MIN]), 0, "2^64 wraps");
    assert_eq!(reduce::<i64, Mean>(&[i64::MAX, 1]), Some((1_i64 << 62) as f64), "the sum does not wrap");

    assert_eq!(reduce::<f64, Variance>(&[1.0, 2.0, 3.0, 4.0]), Some(1.25));
    assert_eq!(reduce::<f64, SampleVariance>(&[5.0]), None);
    assert_eq!(
        reduce::<f32, Variance>(&[1_000_001.0, 1e6, 999_999.0, 1e6]),
        Some(0.5),
        "squares would cancel"
    );
    assert_eq!(
        reduce::<f32, Variance>(&[max, -max]).unwrap().to_bits(),
        0x7fc0_0000,
        "the difference overflows"
    );
    assert_eq!(reduce::<f32, StdDev>(&[1.0, inf]).unwrap().to_bits(), 0x7fc0_0000);
}

#[test]
fn weights_that_cancel_give_no_mean() {
    for (x, weights) in [([1.0_f64, 2.0], [1.0, -1.0]), ([0.0, 0.0], [0.0, 0.0]), ([3.0, 4.0], [-0.0, 0.0])] {
        let mean = Auto::new().reduce(WeightedMean, zip(&x, &weights)).unwrap();
        assert_eq!(mean.map(f64::to_bits), Some(f64::NAN.to_bits()), "{x:?} by {weights:?}");
    }
}

/// If parts of the error exceed the largest float, the sum is the plain one.
#[test]
fn accurate_sums_beside_the_largest_float_are_finite() {
    let (x, y) = (-1.5 * 2f64.powi(971), f64::MAX);
    assert_eq!(reduce::<f64, AccurateSum>(&[x, y]), x + y);
    assert_eq!(reduce::<f64, AccurateSum>(&[y, x]), x + y);
    let (x, y) = (-1.5 * 2f32.powi(104), f32::MAX);
    assert_eq!(reduce::<f32, AccurateSum>(&[x, y]), x + y);
    assert_eq!(reduce::<f32, AccurateSum>(&[y, x]), x + y);
}

/// Operators that use the number of elements also count the elements of the initial value.
#[test]
fn an_initial_value_counts_for_its_elements() {
    fn joined<O: Op<f64, Out: Bits> + Default>(x: &[f64], y: &[f64]) -> O::Out {
        let init = Cpu::new().fold(O::default(), x).unwrap();
        let both = after_fold(init, x.len() as u64, y);
        let on_cpu = Cpu::new().reduce(O::default(), both).unwrap();
        let wherever = Auto::new().reduce(O::default(), both).unwrap();
        assert_eq!(on_cpu.bits(), wherever.bits());
        on_cpu
    }
    assert_eq!(joined::<Sum>(&[0.0, 10.0], &[5.0]), 15.0);
    assert_eq!(joined::<Mean>(&[0.0, 10.0], &[5.0]), Some(5.0));
    assert_eq!(joined::<Variance>(&[0.0, 10.0], &[5.0]), Some(50.0 / 3.0));
    assert_eq!(joined::<Min>(&[0.0, 10.0], &[]), Some(0.0));
    assert_eq!(joined::<Max>(&[], &[5.0]), Some(5.0));
    assert_eq!(joined::<NormInf>(&[-3.0], &[]), 3.0);
    assert_eq!(joined::<ArgMax>(&[0.0, 10.0], &[]).map(|at| at.index), Some(1));
    assert_eq!(joined::<Maximum>(&[], &[]), None);
}

/// Accumulators of every family can be in a tuple.
#[test]
fn tuples_take_accumulators_of_every_family() {
    let x = ordinary::<f32>(5, 1000);
    let (sum, exact) = reduce::<f32, (Sum, ExactSum)>(&x);
    assert_eq!((sum, exact), (reduce::<f32, Sum>(&x), reduce::<f32, ExactSum>(&x)));
    let x = ordinary::<Complex<f32>>(6, 8);
    let (sum, product) = reduce::<_, (Sum, Product)>(&x);
    assert_eq!((sum, product), (reduce::<_, Sum>(&x), reduce::<_, Product>(&x)));
    let maps: Vec<Affine<u32>> = ordinary(7, 100);
    assert_eq!(reduce::<_, (Compose, Compose)>(&maps).0, reduce::<_, Compose>(&maps));
}

/// Predicates at their ends and of NaN, negated, and as closures.
#[test]
fn predicates_hold_up_to_their_ends() {
    fn held<P: Predicate<f32>>(predicate: P) -> Vec<bool> {
        let x = [1.0, 2.0, 3.0, f32::NAN];
        let counts = x.map(|x| reduce_by(Count { predicate }, &[x]));
        assert_eq!(reduce_by(Count { predicate }, &x), counts.iter().sum::<u64>());
        counts.iter().map(|&count| count == 1).collect()
    }
    assert_eq!(held(Above { threshold: 2.0 }), [false, false, true, false]);
    assert_eq!(held(Below { threshold: 2.0 }), [true, false, false, false]);
    assert_eq!(held(Within { ends: [1.0, 2.0] }), [true, true, false, false]);
    assert_eq!(held(Not { predicate: Above { threshold: 2.0 } }), [true, true, false, true]);
    assert_eq!(held(|x: f32| x >= 2.0), [false, true, true, false]);
    assert_eq!(held(IsNan), [false, false, false, true]);
}
