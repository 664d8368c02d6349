//! The promises of each operator, in one table, and the test of a row on any backend.
//!
//! A row has the operator's result for empty input and for any number of equal elements, its treatment of NaN,
//! and whether it commutes and is associative. The test adds the laws for all operators: the identity is exact
//! except for the bits of a NaN, which no result has, and `append` has the bits of `combine`, as has `append_if` where
//! the element is there.

use std::fmt::Debug;

use bytemuck::{AnyBitPattern, bytes_of};
use gpu_kernels::Atomic;
use num_bigint::BigUint;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestCaseResult, TestRunner};
use warpfold::kernels::Kernel;
use warpfold::{Element, Op};

use crate::data::Family::{Ordinary, Special};
use crate::data::sample;
use crate::golden::Backend;
use crate::{Bits, Sample, samples};

/// The promises of an operator over elements `T`.
pub struct Law<T: Element, O: Op<T>> {
    /// The result for empty input.
    pub nothing: O::Out,
    /// The result for this many equal elements.
    pub equal: fn(T, u64) -> O::Out,
    /// The treatment of NaN.
    pub nan: Nan,
    /// Whether the order of two accumulators matters.
    pub order: Order,
    /// Whether the grouping of three accumulators matters.
    pub grouping: Grouping,
}

/// The treatment of NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    /// No element can be NaN.
    Absent,
    /// Any NaN makes the result NaN.
    Wins,
    /// NaN is skipped; if all elements are NaN, the result is NaN.
    Skipped,
    /// NaN is an element like any other.
    Counts,
}

/// Whether the order of two accumulators matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// No: both orders have the same bits, and lanes may take strided elements.
    Commutes,
    /// Only for rounding: lanes take strided elements, and the tree fixes the bits.
    CommutesButForRounding,
    /// Yes: elements stay in their order.
    Kept,
}

/// Whether the grouping of three accumulators matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// No: all groupings have the same bits.
    Associates,
    /// Yes: the tree fixes the bits.
    ByTheTree,
}

/// A number whose NaN has one bit pattern in results.
pub trait Canonical: Copy {
    /// The same number as in a result.
    #[must_use]
    fn in_results(self) -> Self;
}

macro_rules! canonical {
    ($($int:ty),*; $($float:ty: $nan:literal),*) => {
        $( impl Canonical for $int { fn in_results(self) -> Self { self } } )*
        $( impl Canonical for $float {
            fn in_results(self) -> Self {
                // By the bits: the compiler may drop a choice between NaNs.
                let (bits, infinity) = (self.to_bits(), Self::INFINITY.to_bits());
                Self::from_bits(if bits << 1 > infinity << 1 { $nan } else { bits })
            }
        } )*
    };
}
canonical!(i32, u32, i64, u64; f32: 0x7fc0_0000, f64: 0x7ff8_0000_0000_0000);

/// `n` copies of `x`: the plainest way to compute a result for equal elements.
pub fn copies<T: Copy>(x: T, n: u64) -> impl Iterator<Item = T> {
    (0..n).map(move |_| x)
}

/// The norm of `n` equal integers: the root of their squares, rounded to nearest.
#[must_use]
pub fn root_of_squares(x: u128, n: u64) -> f64 {
    const UP: u32 = 160;
    let squares = (BigUint::from(x).pow(2) * n) << (2 * UP);
    let root = squares.sqrt();
    let is_more = &root * &root != squares;
    // 64 bits, and whether any lower bits are set, determine the rounding.
    let below = root.bits().saturating_sub(64);
    let top = &root >> below;
    let is_more = is_more || (&top << below) != root;
    let odd = u64::try_from(top).unwrap_or(u64::MAX) | u64::from(is_more);
    odd as f64 * 2f64.powi(below as i32 - UP as i32)
}

/// An accumulator as bytes.
type Acc = Vec<u8>;

/// [`Op::append_if`], over bytes.
type AppendIf<'a, T> = &'a dyn Fn(bool, &[u8], T, u64) -> Acc;

/// An operator with any accumulator, as the tests of laws need it: they are compiled once per element type, not
/// per operator.
struct Erased<'a, T> {
    name: &'a str,
    is_commutative: bool,
    is_associative: bool,
    needs_len: bool,
    needs_index: bool,
    atomic: Option<Atomic>,
    finishes_empty: bool,
    identity: Acc,
    append: &'a dyn Fn(&[u8], T, u64) -> Acc,
    append_if: AppendIf<'a, T>,
    lift: &'a dyn Fn(T, u64) -> Acc,
    combine: &'a dyn Fn(&[u8], &[u8]) -> Acc,
    finish: &'a dyn Fn(&[u8], u64) -> String,
    /// The backend's result of these elements.
    fold: &'a dyn Fn(&[T]) -> String,
    /// The promised results.
    nothing: String,
    equal: &'a dyn Fn(T, u64) -> String,
    nan: Nan,
    order: Order,
    grouping: Grouping,
}

/// Tests a row: the operator's own promises, then the backend's results for edge cases.
///
/// # Panics
/// If a promise is not kept.
pub fn check<T, O>(backend: &impl Backend, name: &str, law: &Law<T, O>)
where
    T: Element + Sample + PartialEq + Debug,
    O: Kernel<T> + Default + Op<T, Out: Bits>,
{
    let op = O::default();
    let acc = |bytes: &[u8]| bytemuck::pod_read_unaligned::<O::Acc>(bytes);
    let erased = Erased {
        name,
        is_commutative: O::COMMUTATIVE,
        is_associative: O::ASSOCIATIVE,
        needs_len: O::NEEDS_LEN,
        needs_index: O::NEEDS_INDEX,
        atomic: O::ATOMIC,
        finishes_empty: O::FINISHES_EMPTY,
        identity: bytes_of(&O::IDENTITY).to_vec(),
        append: &|bytes, x, index| bytes_of(&op.append(acc(bytes), x, index)).to_vec(),
        append_if: &|is_there, bytes, x, index| {
            bytes_of(&op.append_if(is_there, acc(bytes), x, index)).to_vec()
        },
        lift: &|x, index| bytes_of(&op.lift(x, index)).to_vec(),
        combine: &|left, right| bytes_of(&O::combine(acc(left), acc(right))).to_vec(),
        finish: &|bytes, len| O::finish(acc(bytes), len).bits(),
        fold: &|x| backend.fold::<T, O>(x),
        nothing: law.nothing.bits(),
        equal: &|x, n| (law.equal)(x, n).bits(),
        nan: law.nan,
        order: law.order,
        grouping: law.grouping,
    };
    erased.operator_keeps_its_laws();
    erased.backend_keeps_the_edges();
}

impl<T: Element + Sample + PartialEq + Debug> Erased<'_, T> {
    /// The identity, `append`, the order, the grouping, and what `finish` needs.
    fn operator_keeps_its_laws(&self) {
        let (name, identity, combine) = (self.name, &self.identity[..], self.combine);
        assert_eq!(self.finishes_empty, !self.nothing.contains("none"), "{name}: FINISHES_EMPTY");
        assert_eq!(self.is_commutative, self.order != Order::Kept, "{name}: COMMUTATIVE");
        assert_eq!(self.is_associative, self.grouping == Grouping::Associates, "{name}: ASSOCIATIVE");

        // Among these are NaNs with all kinds of bits: quiet, signalling, of both signs, with payloads.
        let special = T::special().into_iter().chain(T::nans());
        let mut accs: Vec<_> = special.zip(0..).map(|(x, i)| (self.lift)(x, i)).collect();
        accs.extend((100..110).map(|i| (self.lift)(sample::<T>(Ordinary, 71, i), i)));
        accs.push(identity.to_vec());
        let singles = accs.clone();
        accs.extend(singles.iter().flat_map(|a| singles.iter().map(move |b| combine(a, b))));
        for acc in &accs {
            let is_same = [1, 2, 1 << 40].map(|len| (self.finish)(acc, len) == (self.finish)(acc, 0));
            assert!(self.needs_len || is_same == [true; 3], "{name}: NEEDS_LEN, {acc:x?}");
            let (left, right) = (combine(identity, acc), combine(acc, identity));
            assert!(same_bits::<T>(&left, acc), "{name}: combine(IDENTITY, {acc:x?})");
            assert!(same_bits::<T>(&right, acc), "{name}: combine({acc:x?}, IDENTITY)");
            // NaN bits may have changed, but not the bits of a result.
            for len in [1, 2, 1 << 40] {
                let result = (self.finish)(acc, len);
                assert_eq!((self.finish)(&left, len), result, "{name}: combine(IDENTITY, {acc:x?})");
                assert_eq!((self.finish)(&right, len), result, "{name}: combine({acc:x?}, IDENTITY)");
            }
            for (&x, index) in T::special().iter().zip(1000..) {
                let (appended, combined) =
                    ((self.append)(acc, x, index), combine(acc, &(self.lift)(x, index)));
                assert!(same_bits::<T>(&appended, &combined), "{name}: append({acc:x?}, {x:?})");
                for (is_there, expected) in [(true, &combined), (false, acc)] {
                    let found = (self.append_if)(is_there, acc, x, index);
                    assert!(
                        same_bits::<T>(&found, expected),
                        "{name}: append_if({is_there}, {acc:x?}, {x:?})"
                    );
                }
            }
        }

        if let Some(atomic) = self.atomic {
            self.atomic_combines(atomic, &singles);
        }

        let reads = T::special().iter().any(|&x| (self.lift)(x, 0) != (self.lift)(x, 1 << 40));
        assert_eq!(self.needs_index, reads, "{name}: NEEDS_INDEX");

        // An accumulator of one to four elements, some of them special, at indices from `first` on.
        let acc = |seed: u64, first: u64| {
            let x = (0..=seed % 4).map(|i| (sample::<T>(Special, seed, i), first + i));
            x.fold(identity.to_vec(), |acc, (x, index)| (self.append)(&acc, x, index))
        };
        let commutes = |a: u64, b: u64, _: u64| {
            let (a, b) = (acc(a, 10), acc(b, 20));
            same_bits::<T>(&combine(&a, &b), &combine(&b, &a))
        };
        let associates = |a: u64, b: u64, c: u64| {
            let (a, b, c) = (acc(a, 10), acc(b, 20), acc(c, 30));
            same_bits::<T>(&combine(&combine(&a, &b), &c), &combine(&a, &combine(&b, &c)))
        };
        if self.order == Order::Commutes {
            holds(name, "commutes", &commutes);
        } else {
            assert!((0..2000).any(|i| !commutes(i, !i, 0)), "{name}: its order does not matter after all");
        }
        if self.grouping == Grouping::Associates {
            holds(name, "is associative", &associates);
        } else {
            assert!((0..2000).any(|i| !associates(i, !i, i ^ 0xa5a5)), "{name}: it is associative after all");
        }
    }

    /// The atomic instruction does with the integers of accumulators what `combine` does with the accumulators.
    fn atomic_combines(&self, atomic: Atomic, accs: &[Vec<u8>]) {
        let (name, bits) = (self.name, 8 * self.identity.len() as u32);
        let integer = |acc: &[u8]| {
            let mut integer = [0; 8];
            let bytes = acc.iter().zip(&self.identity).map(|(byte, of_none)| byte ^ of_none);
            integer.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            u64::from_le_bytes(integer)
        };
        for (a, b) in accs.iter().flat_map(|a| accs.iter().map(move |b| (a, b))) {
            let (one, other) = (integer(a), integer(b));
            let both = match atomic {
                Atomic::Add => one.wrapping_add(other) & (u64::MAX >> (64 - bits)),
                Atomic::Max => one.max(other),
                Atomic::Or => one | other,
                Atomic::Xor => one ^ other,
            };
            assert_eq!(integer(&(self.combine)(a, b)), both, "{name}: ATOMIC, {a:x?} and {b:x?}");
        }
        for acc in accs {
            assert_eq!((self.finish)(acc, 1), (self.finish)(acc, 1 << 40), "{name}: ATOMIC, {acc:x?}");
        }
    }

    /// Empty input, equal elements, and NaN among others.
    fn backend_keeps_the_edges(&self) {
        let (name, fold) = (self.name, self.fold);
        assert_eq!(fold(&[]), self.nothing, "{name} of nothing");
        #[allow(clippy::eq_op)] // NaN alone differs from itself.
        let is_nan = |x: &T| x != x;
        let nans = T::nans();
        assert_eq!(nans.is_empty(), !T::special().iter().any(is_nan), "{name}: {nans:?}");
        // Two equal floats have an exact sum; more of them only if they are infinite or NaN.
        let is_exact = |x: &T| nans.is_empty() || is_nan(x) || is_infinite(x);
        for x in T::special() {
            for n in NUMBERS.into_iter().filter(|&n| n <= 2 || is_exact(&x)) {
                assert_eq!(fold(&vec![x; n as usize]), (self.equal)(x, n), "{name} of {n} times {x:?}");
            }
        }
        match self.nan {
            Nan::Absent => assert!(nans.is_empty(), "{name}: {nans:?}"),
            Nan::Counts => {}
            Nan::Wins | Nan::Skipped => {
                assert!(!nans.is_empty(), "{name}: no element can be NaN");
                for n in [2, 33, 5000] {
                    let without = samples::<T>(Ordinary, 72, n);
                    let of_nan = fold(&vec![nans[0]; n as usize]);
                    assert!(of_nan.contains(canonical_bits::<T>()), "{name} of {n} NaNs: {of_nan}");
                    // NaN with all kinds of bits, after the other elements and before them.
                    let mut all: Vec<T> = nans.iter().copied().cycle().take(n as usize).collect();
                    assert_eq!(fold(&all), of_nan, "{name} of {n} NaNs");
                    all.reverse();
                    assert_eq!(fold(&all), of_nan, "{name} of {n} NaNs");
                    for (i, &nan) in nans.iter().enumerate() {
                        let place = (n as usize * i / nans.len() + i) % n as usize;
                        let mut x = without.clone();
                        x.insert(place, nan);
                        let expected = if self.nan == Nan::Wins { of_nan.clone() } else { fold(&without) };
                        assert_eq!(
                            value_of(&fold(&x)),
                            value_of(&expected),
                            "{name}: {nan:?} at {place} of {n}"
                        );
                    }
                }
            }
        }
    }
}

/// Checks that `law` holds for any three seeds. A failure's message has the least failing seeds and the run's
/// own seed, which `PROPTEST_RNG_SEED` repeats.
fn holds(name: &str, claim: &str, law: &dyn Fn(u64, u64, u64) -> bool) {
    let any = proptest::num::u64::ANY;
    // Drawn here, so that it can be shown; the variable overrides it.
    let seed = match Config::default().rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), name),
    };
    let config = Config { failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    let test = |(a, b, c)| -> TestCaseResult {
        if law(a, b, c) { Ok(()) } else { Err(TestCaseError::fail("other bits")) }
    };
    if let Err(failure) = TestRunner::new(config).run(&(any, any, any), test) {
        panic!("{name} {claim}: {failure} (PROPTEST_RNG_SEED={seed})");
    }
}

/// Whether two accumulators have the same bits, except for NaN bits.
fn same_bits<T: Sample + PartialEq>(left: &[u8], right: &[u8]) -> bool {
    #[allow(clippy::eq_op)] // NaN alone differs from itself.
    let has_nan = T::special().iter().any(|x| x != x);
    if left == right || !has_nan {
        return left == right;
    }
    // As floats of the element's size: counts and indices are never NaN.
    fn words<F: Canonical + AnyBitPattern>(bytes: &[u8]) -> impl Iterator<Item = F> {
        bytes.chunks(size_of::<F>()).map(|word| bytemuck::pod_read_unaligned::<F>(word).in_results())
    }
    if size_of::<T>() == 8 {
        words::<f64>(left).map(f64::to_bits).eq(words::<f64>(right).map(f64::to_bits))
    } else {
        words::<f32>(left).map(f32::to_bits).eq(words::<f32>(right).map(f32::to_bits))
    }
}

/// Numbers of equal elements: one, two, and a little more than a tile of 1-byte elements.
const NUMBERS: [u64; 3] = [1, 2, 17_003];

/// Whether `x` is a float's infinity, of either sign.
fn is_infinite<T: Debug>(x: &T) -> bool {
    format!("{x:?}").ends_with("inf")
}

/// The canonical NaN's bits, for the element's size.
const fn canonical_bits<T>() -> &'static str {
    if size_of::<T>() == 8 { "7ff8000000000000" } else { "7fc00000" }
}

/// The bits without indices, which change if a NaN is skipped.
fn value_of(bits: &str) -> String {
    let parts = bits.split("..").map(|part| part.split('@').next().unwrap_or_default());
    parts.collect::<Vec<_>>().join("..")
}

/// The table: expands `$check! { row: Operator, [elements], law; ... }`, in which `T` is the element.
///
/// What is in scope: everything of `warpfold` and of this module.
#[macro_export]
macro_rules! for_each_law {
    ($check:ident) => {
        $check! {
            sum_of_integers: Sum, [i32, u32, i64, u64], Law {
                nothing: 0, equal: |x, n| copies(x, n).fold(0, |sum, x| sum.wrapping_add(x.into())),
                nan: Absent, order: Commutes, grouping: Associates };
            sum_of_floats: Sum, [f32, f64], Law {
                nothing: -0.0, equal: |x, n| copies(x, n).sum::<T>().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            product_of_integers: Product, [i32, u32, i64, u64], Law {
                nothing: 1, equal: |x, n| copies(x, n).fold(1, |product, x| product.wrapping_mul(x.into())),
                nan: Absent, order: Commutes, grouping: Associates };
            product_of_floats: Product, [f32, f64], Law {
                nothing: 1.0, equal: |x, n| copies(x, n).product::<T>().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            min_of_integers: Min, [i32, u32, i64, u64], Law {
                nothing: None, equal: |x, _| Some(x), nan: Absent, order: Commutes, grouping: Associates };
            min_of_floats: Min, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(x.in_results()),
                nan: Skipped, order: Commutes, grouping: Associates };
            max_of_integers: Max, [i32, u32, i64, u64], Law {
                nothing: None, equal: |x, _| Some(x), nan: Absent, order: Commutes, grouping: Associates };
            max_of_floats: Max, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(x.in_results()),
                nan: Skipped, order: Commutes, grouping: Associates };
            minimum_of_integers: Minimum, [i32, u32, i64, u64], Law {
                nothing: None, equal: |x, _| Some(x), nan: Absent, order: Commutes, grouping: Associates };
            minimum_of_floats: Minimum, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(x.in_results()),
                nan: Wins, order: Commutes, grouping: Associates };
            maximum_of_integers: Maximum, [i32, u32, i64, u64], Law {
                nothing: None, equal: |x, _| Some(x), nan: Absent, order: Commutes, grouping: Associates };
            maximum_of_floats: Maximum, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(x.in_results()),
                nan: Wins, order: Commutes, grouping: Associates };
            argmin_of_integers: ArgMin, [i32, u32, i64, u64], Law {
                nothing: None, equal: |value, _| Some(At { index: 0, value }),
                nan: Absent, order: Commutes, grouping: Associates };
            argmin_of_floats: ArgMin, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(At { index: 0, value: x.in_results() }),
                nan: Skipped, order: Commutes, grouping: Associates };
            argmax_of_integers: ArgMax, [i32, u32, i64, u64], Law {
                nothing: None, equal: |value, _| Some(At { index: 0, value }),
                nan: Absent, order: Commutes, grouping: Associates };
            argmax_of_floats: ArgMax, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(At { index: 0, value: x.in_results() }),
                nan: Skipped, order: Commutes, grouping: Associates };
            sum_of_squares_of_integers: SumOfSquares, [i32, u32, i64, u64], Law {
                nothing: 0, equal: |x, n| n.wrapping_mul((x as u64).wrapping_mul(x as u64)),
                nan: Absent, order: Commutes, grouping: Associates };
            sum_of_squares_of_floats: SumOfSquares, [f32, f64], Law {
                nothing: 0.0, equal: |x, n| copies(x * x, n).sum::<T>().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            norm1_of_integers: Norm1, [i32, u32, i64, u64], Law {
                nothing: 0, equal: |x, n| n.wrapping_mul(i128::from(x).unsigned_abs() as u64),
                nan: Absent, order: Commutes, grouping: Associates };
            norm1_of_floats: Norm1, [f32, f64], Law {
                nothing: 0.0, equal: |x, n| copies(x.abs(), n).sum::<T>().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            norm2_of_integers: Norm2, [i32, u32, i64, u64], Law {
                nothing: 0.0, equal: |x, n| $crate::laws::root_of_squares(i128::from(x).unsigned_abs(), n),
                nan: Absent, order: Commutes, grouping: Associates };
            norm2_of_floats: Norm2, [f32, f64], Law {
                nothing: 0.0, equal: |x, n| copies(x * x, n).sum::<T>().sqrt().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            norm_inf_of_integers: NormInf, [i32, u32, i64, u64], Law {
                nothing: 0, equal: |x, _| i128::from(x).unsigned_abs() as u64,
                nan: Absent, order: Commutes, grouping: Associates };
            norm_inf_of_floats: NormInf, [f32, f64], Law {
                nothing: 0.0, equal: |x, _| x.abs().in_results(),
                nan: Wins, order: Commutes, grouping: Associates };
            centred_squares: CentredSquares<T>, [f32, f64], Law {
                nothing: 0.0, equal: |x, n| copies(x * x, n).sum::<T>().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            mean_of_integers: Mean, [i32, u32, i64, u64], Law {
                nothing: None, equal: |x, _| Some(x as f64),
                nan: Absent, order: Commutes, grouping: Associates };
            mean_of_floats: Mean, [f32, f64], Law {
                nothing: None, equal: |x, n| Some((copies(x, n).sum::<T>() / n as T).in_results()),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            variance_of_integers: Variance, [i32, u32, i64, u64], Law {
                nothing: None, equal: |_, _| Some(0.0),
                nan: Absent, order: Commutes, grouping: Associates };
            variance_of_floats: Variance, [f32, f64], Law {
                nothing: None, equal: |x, _| Some((x - x).in_results()),
                nan: Wins, order: CommutesButForRounding, grouping: ByTheTree };
            sample_variance_of_integers: SampleVariance, [i32, u32, i64, u64], Law {
                nothing: None, equal: |_, n| (n > 1).then_some(0.0),
                nan: Absent, order: Commutes, grouping: Associates };
            sample_variance_of_floats: SampleVariance, [f32, f64], Law {
                nothing: None, equal: |x, n| (n > 1).then_some((x - x).in_results()),
                nan: Wins, order: CommutesButForRounding, grouping: ByTheTree };
            std_dev_of_integers: StdDev, [i32, u32, i64, u64], Law {
                nothing: None, equal: |_, _| Some(0.0),
                nan: Absent, order: Commutes, grouping: Associates };
            std_dev_of_floats: StdDev, [f32, f64], Law {
                nothing: None, equal: |x, _| Some((x - x).in_results()),
                nan: Wins, order: CommutesButForRounding, grouping: ByTheTree };
            sample_std_dev_of_integers: SampleStdDev, [i32, u32, i64, u64], Law {
                nothing: None, equal: |_, n| (n > 1).then_some(0.0),
                nan: Absent, order: Commutes, grouping: Associates };
            sample_std_dev_of_floats: SampleStdDev, [f32, f64], Law {
                nothing: None, equal: |x, n| (n > 1).then_some((x - x).in_results()),
                nan: Wins, order: CommutesButForRounding, grouping: ByTheTree };
            accurate_sum: AccurateSum, [f32, f64], Law {
                nothing: -0.0, equal: |x, n| copies(x, n).sum::<T>().in_results(),
                nan: Wins, order: Commutes, grouping: ByTheTree };
            min_max_of_integers: MinMax, [i32, u32, i64, u64], Law {
                nothing: None, equal: |x, _| Some(Extremes { min: x, max: x }),
                nan: Absent, order: Commutes, grouping: Associates };
            min_max_of_floats: MinMax, [f32, f64], Law {
                nothing: None, equal: |x, _| Some(Extremes { min: x.in_results(), max: x.in_results() }),
                nan: Skipped, order: Commutes, grouping: Associates };
            arg_min_max: ArgMinMax, [i32, i64], Law {
                nothing: None,
                equal: |value, _| Some(Extremes { min: At { index: 0, value }, max: At { index: 0, value } }),
                nan: Absent, order: Commutes, grouping: Associates };
            arg_min_max_of_floats: ArgMinMax, [f32, f64], Law {
                nothing: None,
                equal: |x, _| {
                    let at = At { index: 0, value: x.in_results() };
                    Some(Extremes { min: at, max: at })
                },
                nan: Skipped, order: Commutes, grouping: Associates };
            bit_and: BitAnd, [i32, u32, i64, u64], Law {
                nothing: !0, equal: |x, _| x, nan: Absent, order: Commutes, grouping: Associates };
            bit_or: BitOr, [i32, u32, i64, u64], Law {
                nothing: T::default(), equal: |x, _| x, nan: Absent, order: Commutes, grouping: Associates };
            bit_xor: BitXor, [i32, u32, i64, u64], Law {
                nothing: T::default(), equal: |x, n| if n % 2 == 1 { x } else { T::default() },
                nan: Absent, order: Commutes, grouping: Associates };
            all: All, [i32, u32, i64, u64, bool], Law {
                nothing: true, equal: |x, _| x != T::default(),
                nan: Absent, order: Commutes, grouping: Associates };
            any: Any, [i32, u32, i64, u64, bool], Law {
                nothing: false, equal: |x, _| x != T::default(),
                nan: Absent, order: Commutes, grouping: Associates };
            count_of_not_zero: Count<NonZero>, [i32, u32, i64, u64, f32, f64], Law {
                nothing: 0, equal: |x, n| if x == T::default() { 0 } else { n },
                nan: Counts, order: Commutes, grouping: Associates };
            count_of_nan: Count<IsNan>, [f32, f64], Law {
                nothing: 0, equal: |x, n| if x.is_nan() { n } else { 0 },
                nan: Counts, order: Commutes, grouping: Associates };
            count_above: Count<Above<T>>, [f32, f64], Law {
                nothing: 0, equal: |x, n| if x > T::default() { n } else { 0 },
                nan: Counts, order: Commutes, grouping: Associates };
            count_below: Count<Below<T>>, [f32, f64], Law {
                nothing: 0, equal: |x, n| if x < T::default() { n } else { 0 },
                nan: Counts, order: Commutes, grouping: Associates };
            count_within: Count<Within<T>>, [i32, i64, f32, f64], Law {
                nothing: 0, equal: |x, n| if x == T::default() { n } else { 0 },
                nan: Counts, order: Commutes, grouping: Associates };
            min_max_sum_of_integers: (Min, Max, Sum), [i32, i64], Law {
                nothing: (None, None, 0),
                equal: |x, n| (Some(x), Some(x), i64::from(x).wrapping_mul(n as i64)),
                nan: Absent, order: Commutes, grouping: Associates };
            min_max_sum_of_floats: (Min, Max, Sum), [f32, f64], Law {
                nothing: (None, None, -0.0),
                equal: |x, n| (Some(x.in_results()), Some(x.in_results()), copies(x, n).sum::<T>().in_results()),
                nan: Counts, order: Commutes, grouping: ByTheTree };
            min_max_mean_of_integers: (Min, Max, Mean), [i32, i64], Law {
                nothing: (None, None, None),
                equal: |x, _| (Some(x), Some(x), Some(x as f64)),
                nan: Absent, order: Commutes, grouping: Associates };
            min_max_mean_of_floats: (Min, Max, Mean), [f32, f64], Law {
                nothing: (None, None, None),
                equal: |x, n| {
                    let mean = (copies(x, n).sum::<T>() / n as T).in_results();
                    (Some(x.in_results()), Some(x.in_results()), Some(mean))
                },
                nan: Counts, order: Commutes, grouping: ByTheTree };
            min_max_variance_of_floats: (Min, Max, Variance), [f32, f64], Law {
                nothing: (None, None, None),
                equal: |x, _| (Some(x.in_results()), Some(x.in_results()), Some((x - x).in_results())),
                nan: Counts, order: CommutesButForRounding, grouping: ByTheTree };
            mean_variance_of_floats: (Mean, Variance), [f32, f64], Law {
                nothing: (None, None),
                equal: |x, n| (Some((copies(x, n).sum::<T>() / n as T).in_results()), Some((x - x).in_results())),
                nan: Counts, order: CommutesButForRounding, grouping: ByTheTree };
            mean_stddev_of_floats: (Mean, StdDev), [f32, f64], Law {
                nothing: (None, None),
                equal: |x, n| (Some((copies(x, n).sum::<T>() / n as T).in_results()), Some((x - x).in_results())),
                nan: Counts, order: CommutesButForRounding, grouping: ByTheTree };
            sum_and_squares_of_floats: (Sum, SumOfSquares), [f32, f64], Law {
                nothing: (-0.0, 0.0),
                equal: |x, n| (copies(x, n).sum::<T>().in_results(), copies(x * x, n).sum::<T>().in_results()),
                nan: Counts, order: Commutes, grouping: ByTheTree };
            first: First, [i32, u32, i64, u64, f32, f64], Law {
                nothing: None, equal: |x, _| Some(x), nan: Counts, order: Kept, grouping: Associates };
            last: Last, [i32, u32, i64, u64, f32, f64], Law {
                nothing: None, equal: |x, _| Some(x), nan: Counts, order: Kept, grouping: Associates };
            compose: Compose, [Affine<u32>, Affine<u64>], Law {
                nothing: Affine::new(1, 0),
                equal: |map, n| copies(map, n).fold(Affine::new(1, 0), |all, map| {
                    Affine::new(map.scale.wrapping_mul(all.scale), map.apply(all.shift))
                }),
                nan: Absent, order: Kept, grouping: Associates };
            matrix_product: MatrixProduct, [Matrix2<u32>, Matrix2<u64>], Law {
                nothing: Matrix2 { rows: [[1, 0], [0, 1]] },
                equal: |x, n| copies(x, n).fold(Matrix2 { rows: [[1, 0], [0, 1]] }, |all, x| {
                    let entry = |i: usize, j: usize| {
                        let ([above, below], [left, right]) = (x.rows, all.rows[i]);
                        left.wrapping_mul(above[j]).wrapping_add(right.wrapping_mul(below[j]))
                    };
                    Matrix2 { rows: [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]] }
                }),
                nan: Absent, order: Kept, grouping: Associates };
            polynomial_hash: PolynomialHash, [u8], Law {
                nothing: 0,
                equal: |x, n| copies(u64::from(x) + 1, n).fold(0, |hash: u64, x| {
                    hash.wrapping_mul(PolynomialHash::BASE).wrapping_add(x)
                }),
                nan: Absent, order: Kept, grouping: Associates };
        }
    };
}

/// Generates a test per row, on the backend that a function `backend` in scope returns.
#[macro_export]
macro_rules! law_tests {
    ($($row:ident: $op:ty, [$($element:ty),*], $law:expr;)*) => { $(
        #[test]
        fn $row() {
            let backend = backend();
            $({
                type T = $element;
                let name = concat!(stringify!($row), " of ", stringify!($element));
                if $crate::golden::Backend::has::<T, $op>(&backend) {
                    $crate::laws::check::<T, $op>(&backend, name, &$law);
                }
            })*
        }
    )* };
}
