//! Every result is the exact one, rounded once.

use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;
use warpfold_exact::{Comoments, Dot, Moments, Sum};

use crate::reference::{Format, Known, Sums, nearest, nearest_root};

fn are_exact<T: Known>(pairs: &[(T, T)]) {
    let sums = Sums::of(pairs);
    let (x, y): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    let (n, one, unit) = (&sums.n, BigInt::from(1), T::EXPONENT);
    let same = |what: &str, found: Option<T::Float>, expected: Option<T::Float>| {
        let bits = |x: Option<T::Float>| x.map(Format::bits);
        assert_eq!(bits(found), bits(expected), "{what}: {found:?}, not {expected:?}, of {pairs:?}");
    };
    // The fractions have no -0.0, which special.rs tests.
    let unsigned = |x: T::Float| if x.into() == 0.0 { T::Float::of_magnitude(0) } else { x };
    let is_some = |least: usize| pairs.len() >= least;

    let mut moments = Moments::<T>::new();
    moments.extend_from_slice(&x);
    same("mean", moments.mean().map(unsigned), is_some(1).then(|| unsigned(nearest(&sums.x, n, unit))));
    let spread = sums.spread_of_x();
    let (divisor, of_sample) = (n * n, n * (n - 1));
    same("variance", moments.variance(), is_some(1).then(|| nearest(&spread, &divisor, 2 * unit)));
    same(
        "sample variance",
        moments.sample_variance(),
        is_some(2).then(|| nearest(&spread, &of_sample, 2 * unit)),
    );
    same("deviation", moments.std_dev(), is_some(1).then(|| nearest_root(&spread, &divisor, unit)));
    same(
        "sample deviation",
        moments.sample_std_dev(),
        is_some(2).then(|| nearest_root(&spread, &of_sample, unit)),
    );

    let mut dot = Dot::<T>::new();
    dot.extend_from_slices(&x, &y);
    same("dot", Some(unsigned(dot.value())), Some(unsigned(nearest(&sums.xy, &one, 2 * unit))));

    let mut comoments = Comoments::<T>::new();
    comoments.extend_from_slices(&x, &y);
    let both = sums.spread();
    same("covariance", comoments.covariance(), is_some(1).then(|| nearest(&both, &divisor, 2 * unit)));
    same(
        "sample covariance",
        comoments.sample_covariance(),
        is_some(2).then(|| nearest(&both, &of_sample, 2 * unit)),
    );
    let of_y = sums.spread_of_y();
    let has_line = spread != BigInt::ZERO;
    same("slope", comoments.slope(), has_line.then(|| nearest(&both, &spread, 0)));
    let level = &sums.y * &spread - &both * &sums.x;
    same("intercept", comoments.intercept(), has_line.then(|| nearest(&level, &(n * &spread), unit)));
    let correlation = (has_line && of_y != BigInt::ZERO).then(|| {
        let root: T::Float = nearest_root(&(&both * &both), &(&spread * &of_y), 0);
        if both < BigInt::ZERO { root.negated() } else { root }
    });
    same("correlation", comoments.correlation(), correlation);
    assert_eq!(comoments.x(), &moments);
}

fn pairs<T: Known>() -> impl Strategy<Value = Vec<(T, T)>> {
    vec((T::any_finite(), T::any_finite()), 0..12)
}

proptest! {
    // Those of the dependencies are compiled without optimisation.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn of_f32(pairs in pairs::<f32>()) {
        are_exact(&pairs);
    }

    #[test]
    fn of_f64(pairs in pairs::<f64>()) {
        are_exact(&pairs);
    }

    #[test]
    fn of_integers(a in pairs::<i64>(), b in pairs::<u64>(), c in pairs::<i128>(), d in pairs::<u128>()) {
        are_exact(&a);
        are_exact(&b);
        are_exact(&c);
        are_exact(&d);
    }

    #[test]
    fn sums_of_floats(x in vec(f64::any_finite(), 0..600), y in vec(f32::any_finite(), 0..600)) {
        sum_is_exact(&x, |sum| sum.value());
        sum_is_exact(&y, |sum| sum.value());
    }

    #[test]
    fn sums_of_integers_do_not_wrap(x in vec(i64::any_finite(), 0..20), y in vec(i128::any_finite(), 0..4), z in vec(u128::any_finite(), 0..4)) {
        let units = |x: &[i128]| x.iter().map(|&x| BigInt::from(x)).sum::<BigInt>();
        prop_assert_eq!(x.iter().collect::<Sum<i64>>().value(), x.iter().map(|&x| i128::from(x)).sum::<i128>());
        prop_assert_eq!(y.iter().collect::<Sum<i128>>().value(), i128::try_from(units(&y)).ok());
        let expected: BigInt = z.iter().map(|&x| BigInt::from(x)).sum();
        prop_assert_eq!(z.iter().collect::<Sum<u128>>().value(), u128::try_from(expected).ok());
    }
}

/// The sum in batches.
fn sum_is_exact<T: Known + Format>(x: &[T], value: impl Fn(&Sum<T>) -> T) {
    let mut sum = Sum::new();
    sum.extend_from_slice(x);
    let units = x.iter().map(|x| x.units()).sum::<BigInt>();
    let expected: T = nearest(&units, &BigInt::from(1), T::EXPONENT);
    let found = value(&sum);
    let is_zero = found.into() == 0.0 && expected.into() == 0.0;
    assert!(is_zero || found.bits() == expected.bits(), "{found:?}, not {expected:?}, of {x:?}");
    let each: Sum<T> = x.iter().collect();
    assert_eq!(each, sum, "{x:?}");
    sum.retract_slice(x);
    assert_eq!(sum, Sum::EMPTY, "{x:?}");
}

#[test]
fn sums_of_64_bits_saturate_once_their_counts_have_wrapped() {
    let (mut signed, mut unsigned) = (Sum::<i64>::new(), Sum::<u64>::new());
    for _ in 0..3 {
        signed.push_weighted(i64::MIN, i64::MAX);
        unsigned.push_weighted(u64::MAX, i64::MAX);
    }
    assert_eq!((signed.value(), unsigned.value()), (i128::MIN, i128::MAX));
    assert!(signed.count() < i64::MAX && unsigned.count() < i64::MAX);
}

#[test]
fn large_equal_integers_have_no_deviation() {
    let moments: Moments<i64> = (0..8).map(|i| 1_734_000_000_000_000_000 + i).collect();
    assert_eq!(moments.variance(), Some(5.25));
    assert_eq!(moments.sample_variance(), Some(6.0));
    assert_eq!(moments.std_dev(), Some(5.25f64.sqrt()));
}

#[test]
fn the_greatest_elements_fit_as_often_as_can_be_counted() {
    let mut comoments = Comoments::<f64>::new();
    comoments.push_weighted(f64::MAX, f64::MIN, i64::MAX - 1);
    comoments.push_weighted(f64::MIN, f64::MAX, 1);
    assert_eq!(comoments.correlation(), Some(-1.0));
    assert_eq!(comoments.slope(), Some(-1.0));
    assert_eq!(comoments.intercept(), Some(0.0));
    assert_eq!(comoments.x().mean(), Some(f64::MAX));
    let mut integers = Comoments::<u128>::new();
    integers.push_weighted(u128::MAX, 0, i64::MAX - 1);
    integers.push_weighted(0, u128::MAX, 1);
    assert_eq!(integers.correlation(), Some(-1.0));
    let mut dot = Dot::<i128>::new();
    dot.push_weighted(i128::MIN, i128::MIN, i64::MAX);
    assert_eq!(dot.value(), 2f64.powi(254 + 63));
}
