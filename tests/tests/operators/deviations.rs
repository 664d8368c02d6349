//! Variances and deviations of integers are exact and rounded once: against big integers.

use num_bigint::{BigInt, BigUint};
use warpfold::elements::{Number, Real};
use warpfold::{Cpu, Op, SampleStdDev, SampleVariance, StdDev, Variance, reference};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::{Sample, in_quarter, samples};

use crate::integers::{is_nearest, is_nearest_root_of};

/// An integer whose deviations are an f64.
trait Integer: Sample + Number<Wide: Real> + Into<i128> {}
impl<T: Sample + Number<Wide: Real> + Into<i128>> Integer for T {}

/// An operator of this file.
trait Deviation<T: Integer>: Op<T, Out = Option<f64>> + Default {}
impl<T: Integer, O: Op<T, Out = Option<f64>> + Default> Deviation<T> for O {}

/// The exact sums from which a variance follows.
#[derive(Clone)]
struct Sums {
    len: u64,
    sum: BigInt,
    squares: BigInt,
}

impl Sums {
    fn of<T: Integer>(x: &[T]) -> Self {
        let exact = || x.iter().map(|&x| BigInt::from(x.into()));
        Self { len: x.len() as u64, sum: exact().sum(), squares: exact().map(|x| &x * &x).sum() }
    }

    /// The variance as a quotient of integers, divided by the number of elements less `fewer`.
    fn variance(&self, fewer: u64) -> (BigUint, BigUint) {
        let dividend = BigInt::from(self.len) * &self.squares - &self.sum * &self.sum;
        let dividend = dividend.to_biguint().expect("no variance is negative");
        (dividend, BigUint::from(self.len) * BigUint::from(self.len - fewer))
    }

    /// Checks a result of an operator that is divided by the number of elements less `fewer`.
    fn check(&self, fewer: u64, is_root: bool, found: Option<f64>, what: &str) {
        if self.len <= fewer {
            return assert_eq!(found, None, "{what} of {}", self.len);
        }
        let found = found.expect("a result of enough elements");
        let (dividend, divisor) = self.variance(fewer);
        let is_exact = if is_root { is_nearest_root_of } else { is_nearest };
        assert!(
            is_exact(found, &dividend, &divisor),
            "{what} of {}: {found:e} for {dividend} / {divisor}",
            self.len
        );
    }
}

/// The four operators, by what they divide and whether they take the root.
macro_rules! each {
    ($check:ident($($argument:expr),*)) => {
        $check::<T, Variance>($($argument),*, 0, false);
        $check::<T, SampleVariance>($($argument),*, 1, false);
        $check::<T, StdDev>($($argument),*, 0, true);
        $check::<T, SampleStdDev>($($argument),*, 1, true);
    };
}

fn of_array<T: Integer, O: Deviation<T>>(x: &[T], fewer: u64, is_root: bool) {
    let found = Cpu::new().reduce(O::default(), x).unwrap();
    Sums::of(x).check(fewer, is_root, found, std::any::type_name::<(O, T)>());
    let reference = reference::reduce::<T, O>(x);
    assert_eq!(found.map(f64::to_bits), reference.map(f64::to_bits), "{} elements", x.len());
}

/// `x` repeated up to 2^60 times, by accumulators that are combined with themselves.
fn of_repeated<T: Integer, O: Deviation<T>>(x: &[T], fewer: u64, is_root: bool) {
    let mut acc = reference::fold::<T, O>(O::default(), x);
    let mut sums = Sums::of(x);
    for _ in 0..63 - (x.len() as u64).ilog2() {
        acc = O::combine(acc, acc);
        sums = Sums { len: sums.len * 2, sum: sums.sum * 2, squares: sums.squares * 2 };
        sums.check(fewer, is_root, O::finish(acc, sums.len), std::any::type_name::<(O, T)>());
    }
}

fn are_exact<T: Integer>([min, zero, max]: [T; 3], small: impl Fn(T) -> T)
where
    Variance: Op<T, Out = Option<f64>>,
    SampleVariance: Op<T, Out = Option<f64>>,
    StdDev: Op<T, Out = Option<f64>>,
    SampleStdDev: Op<T, Out = Option<f64>>,
{
    for x in [
        &[][..],
        &[min],
        &[max],
        &[min, max],
        &[max, zero],
        &[max, max, zero],
        &[min, min, max],
        &[min, zero, max, max],
        &[max; 100],
        &[min; 70_000],
    ] {
        each!(of_array(x));
        if !x.is_empty() && x.len() < 100 {
            each!(of_repeated(x));
        }
    }
    for (family, n) in
        [(Ordinary, 2), (Ordinary, 3), (Special, 33), (SpecialOnly, 7), (Ordinary, 5000), (Special, 140_001)]
    {
        for seed in 0..if n < 100 { 20 } else { 1 } {
            let x = samples::<T>(family, 160 + seed, n);
            each!(of_array(&x));
            let small: Vec<T> = x.iter().map(|&x| small(x)).collect();
            each!(of_array(&small));
            let equal = vec![x[0]; x.len()];
            each!(of_array(&equal));
        }
    }
}

#[test]
fn deviations_of_every_integer_are_exact() {
    in_quarter!(0 => are_exact::<i8>([i8::MIN, 0, i8::MAX], |x| x / (i8::MAX / 3)));
    in_quarter!(1 => are_exact::<u8>([u8::MIN, 1, u8::MAX], |x| x / (u8::MAX / 3)));
    in_quarter!(2 => are_exact::<i16>([i16::MIN, 0, i16::MAX], |x| x / (i16::MAX / 3)));
    in_quarter!(3 => are_exact::<u16>([u16::MIN, 1, u16::MAX], |x| x / (u16::MAX / 3)));
    in_quarter!(2 => are_exact::<i32>([i32::MIN, 0, i32::MAX], |x| x / (i32::MAX / 3)));
    in_quarter!(3 => are_exact::<u32>([u32::MIN, 1, u32::MAX], |x| x / (u32::MAX / 3)));
    in_quarter!(0 => are_exact::<i64>([i64::MIN, 0, i64::MAX], |x| x / (i64::MAX / 3)));
    in_quarter!(1 => are_exact::<u64>([u64::MIN, 1, u64::MAX], |x| x / (u64::MAX / 3)));
}

#[test]
fn deviations_around_a_large_mean_are_not_lost() {
    let times: Vec<i64> = (0..1000).map(|i| 1_734_000_000_000_000_000 + i % 100).collect();
    assert_eq!(Cpu::new().reduce(StdDev, &times).unwrap(), Some(833.25f64.sqrt()));
    assert_eq!(Cpu::new().reduce(Variance, &times).unwrap(), Some(833.25));
    let large = [u64::MAX, u64::MAX - 500, u64::MAX - 1000];
    assert_eq!(Cpu::new().reduce(Variance, &large).unwrap(), Some(500_000.0 / 3.0));
    assert_eq!(Cpu::new().reduce(StdDev, &large).unwrap(), Some(408.248_290_463_863_04));
    assert_eq!(Cpu::new().reduce(SampleVariance, &large).unwrap(), Some(250_000.0));
    assert_eq!(Cpu::new().reduce(SampleStdDev, &large).unwrap(), Some(500.0));
}

/// Results halfway between two floats, which round to even, and results just beside.
#[test]
fn deviations_halfway_between_floats_are_rounded_to_even() {
    type T = i64;
    for odd in [(1i64 << 27) - 1, (1 << 53) + 1, (1 << 53) + 3, (1 << 54) - 1, (1 << 60) + (1 << 7)] {
        for [left, right] in [[-odd, odd], [-odd, odd + 1], [1 - odd, odd], [-odd - 2, odd], [-odd, odd - 2]]
        {
            each!(of_array(&[left, right]));
            each!(of_array(&[left, right, left, right]));
            each!(of_array(&[left, left, right]));
        }
    }
    assert_eq!(reference::reduce::<i64, StdDev>(&[-(1 << 53) - 1, (1 << 53) + 1]), Some(2f64.powi(53)));
}

/// No accumulator of any bits makes `finish` panic or loop.
#[test]
fn deviations_of_any_accumulator_end() {
    let words = [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef];
    for (seed, len) in (0..625).flat_map(|seed| [0, 1, 2, u64::MAX, 1 << 63, 3].map(|len| (seed, len))) {
        let word = |place: u32| words[seed / 5usize.pow(place) % 5];
        let bytes = [word(0), word(1), word(2), word(3), word(0)];
        let narrow =
            *bytemuck::from_bytes(&bytemuck::cast_slice(&bytes)[..size_of::<<StdDev as Op<u32>>::Acc>()]);
        let wide =
            *bytemuck::from_bytes(&bytemuck::cast_slice(&bytes)[..size_of::<<StdDev as Op<i64>>::Acc>()]);
        let narrow = <StdDev as Op<u32>>::finish(narrow, len);
        let wide = <SampleStdDev as Op<i64>>::finish(wide, len);
        assert!(narrow.is_none_or(|x| x >= 0.0) && wide.is_none_or(|x| x >= 0.0), "{narrow:?} {wide:?}");
    }
}
