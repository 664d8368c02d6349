//! The exact sum against big integers, wherever rounding, carries or the limits of the range could go wrong.

use std::fmt::Debug;

use proptest::prelude::*;
use test_kernels::mix;
use warpfold::elements::is_free;
use warpfold::{Cpu, Element, ExactDot, ExactSum, Op, reference};
use warpfold_tests::oracle::{Dyadic, Exact, ExactProducts};
use warpfold_tests::{Bits, turn};

/// What the tests need of f32 and f64.
trait Float: Element + Dyadic + Bits + Debug + PartialOrd {
    const MANTISSA: u32;
    /// Biased exponent of infinity.
    const INFINITE: u64;
    const NAN: Self;
    fn of_bits(bits: u64) -> Self;
    /// The float with these fields, cut to their lengths.
    fn of_fields(negative: bool, exponent: u64, fraction: u64) -> Self {
        let fraction = fraction & ((1 << (Self::MANTISSA - 1)) - 1);
        let sign = u64::from(negative) << (8 * size_of::<Self>() - 1);
        Self::of_bits(sign | (exponent % Self::INFINITE) << (Self::MANTISSA - 1) | fraction)
    }
    /// 2 to the power of `log2`, counted from the least subnormal number.
    fn power(log2: u64) -> Self {
        let digits = u64::from(Self::MANTISSA) - 1;
        if log2 < digits {
            Self::of_fields(false, 0, 1 << log2)
        } else {
            Self::of_fields(false, log2 - digits + 1, 0)
        }
    }
    fn is_negative_zero(self) -> bool {
        self.into().to_bits() == (-0.0f64).to_bits()
    }
}
impl Float for f32 {
    const MANTISSA: u32 = 24;
    const INFINITE: u64 = 0xff;
    const NAN: f32 = f32::NAN;
    fn of_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
}
impl Float for f64 {
    const MANTISSA: u32 = 53;
    const INFINITE: u64 = 0x7ff;
    const NAN: f64 = f64::NAN;
    fn of_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

/// The exact sum of finite elements, rounded.
fn expected<T: Float>(x: &[T]) -> T {
    if x.iter().all(|x| x.is_negative_zero()) {
        T::nearest("-0")
    } else {
        Exact::of(x.iter().copied()).rounded()
    }
}

fn sum<T: Float>(x: &[T]) -> T
where
    ExactSum: Op<T, Out = T>,
{
    Cpu::new().reduce(ExactSum, x).unwrap()
}

/// One by one, in batches as by a thread of a GPU, and in batches as by the CPU.
fn check<T: Float>(x: &[T])
where
    ExactSum: Op<T, Out = T>,
{
    let expected = expected(x);
    assert_eq!(reference::reduce::<T, ExactSum>(x).bits(), expected.bits(), "one by one: {x:?}");
    assert_eq!(sum(x).bits(), expected.bits(), "CPU: {x:?}");
    let mut acc = <ExactSum as Op<T>>::IDENTITY;
    let (rows, rest) = x.as_chunks::<4>();
    let (batches, rows) = rows.as_chunks::<4>();
    for &batch in batches {
        acc = ExactSum.append_rows(acc, batch, 0, 0);
    }
    for &row in rows {
        acc = ExactSum.append_rows(acc, [row], 0, 0);
    }
    for &[x, y] in rest.as_chunks::<2>().0 {
        acc = ExactSum.append_rows(acc, [[x, y]], 0, 0);
    }
    for &x in rest.as_chunks::<2>().1 {
        acc = ExactSum.append(acc, x, 0);
    }
    assert_eq!(<ExactSum as Op<T>>::finish(acc, 0).bits(), expected.bits(), "batches of 16: {x:?}");
}

/// Random numbers with all exponents from `first` to `last` and both signs.
fn of_exponents<T: Float>(seed: u64, n: u64, first: u64, last: u64) -> Vec<T> {
    let number = |i| {
        let random = mix(seed ^ mix(i));
        T::of_fields(random & 1 != 0, first + mix(random) % (last - first + 1), random >> 8)
    };
    (0..n).map(number).collect()
}

/// Each number, and as many that cancel it except for the last bits, in a mixed order.
fn cancelling<T: Float>(seed: u64, n: u64) -> Vec<T> {
    let mut x = of_exponents::<T>(seed, n, 1, T::INFINITE - 1);
    let mut opposite: Vec<T> = x.iter().map(|x| T::nearest(&format!("{:e}", -(*x).into()))).collect();
    x.append(&mut opposite);
    x.extend(of_exponents::<T>(seed + 1, 3, 1, 3));
    let order = |i: usize| mix(seed ^ i as u64);
    let mut places: Vec<usize> = (0..x.len()).collect();
    places.sort_by_key(|&i| order(i));
    places.into_iter().map(|i| x[i]).collect()
}

fn specials<T: Float>()
where
    ExactSum: Op<T, Out = T>,
{
    let [zero, minus_zero, one] = ["0", "-0", "1"].map(T::nearest);
    let [infinity, minus_infinity] = ["inf", "-inf"].map(T::nearest);
    let (least, greatest) = (T::of_bits(1), T::of_fields(false, T::INFINITE - 1, u64::MAX));
    let minus = |x: T| T::nearest(&format!("{:e}", -x.into()));
    let cases: Vec<(Vec<T>, T)> = vec![
        (vec![], minus_zero),
        (vec![minus_zero], minus_zero),
        (vec![minus_zero; 300], minus_zero),
        (vec![zero], zero),
        (vec![minus_zero, zero], zero),
        ([vec![minus_zero; 300], vec![zero]].concat(), zero),
        (vec![one, minus(one)], zero),
        (vec![least, minus(least)], zero),
        (vec![minus_zero, least], least),
        (vec![minus(least); 3], minus(T::of_bits(3))),
        (vec![greatest, greatest, minus(greatest)], greatest),
        (vec![greatest, greatest], infinity),
        (vec![minus(greatest), minus(greatest)], minus_infinity),
        (vec![greatest, infinity], infinity),
        (vec![infinity; 200], infinity),
        (vec![minus_infinity, greatest, greatest], minus_infinity),
        (vec![infinity, minus_infinity], T::NAN),
        (vec![T::NAN, one], T::NAN),
        (vec![T::NAN, infinity], T::NAN),
        ([vec![one; 40], vec![infinity, minus_zero], vec![minus(one); 40]].concat(), infinity),
    ];
    for (x, expected) in cases {
        let is_nan = expected.partial_cmp(&expected).is_none();
        let expected = if is_nan { sum(&[T::NAN]) } else { expected };
        for x in [x.clone(), x.iter().rev().copied().collect()] {
            assert_eq!(sum(&x).bits(), expected.bits(), "{x:?}");
            assert_eq!(reference::reduce::<T, ExactSum>(&x).bits(), expected.bits(), "{x:?}");
            let acc = x
                .iter()
                .fold(ExactSum::IDENTITY, |acc, &x| ExactSum.append_rows(acc, [[x, minus_zero]], 0, 0));
            assert_eq!(<ExactSum as Op<T>>::finish(acc, 0).bits(), expected.bits(), "{x:?}");
        }
    }
    assert_eq!(sum(&[minus(T::NAN)]).bits(), sum(&[T::NAN]).bits());
    // The greatest finite number is 2^k - 2^(k - digits): adding half of the latter gives a tie, which rounds
    // to infinity.
    let top = T::INFINITE - 2 + u64::from(T::MANTISSA);
    let half = T::power(top - u64::from(T::MANTISSA) - 1);
    check(&[greatest, half]);
    assert_eq!(sum(&[greatest, half]), infinity);
    assert_eq!(sum(&[greatest, half, minus(least)]), greatest);
}

/// For every place of the leading bit: a tie to even downwards and upwards, and the least bit below or above
/// it.
fn ties<T: Float>()
where
    ExactSum: Op<T, Out = T>,
{
    let digits = u64::from(T::MANTISSA);
    let minus = |x: T| T::nearest(&format!("{:e}", -x.into()));
    let tops = digits..T::INFINITE + digits - 2;
    // The outermost, and a quarter of the others in each turn.
    let is_taken = |top: u64| turn::is_in_quarter(top) || top == tops.start || top + 1 == tops.end;
    for top in tops.clone().filter(|&top| is_taken(top)) {
        let (lead, last, half) = (T::power(top), T::power(top + 1 - digits), T::power(top - digits));
        for x in [vec![lead, half], vec![lead, last, half]] {
            for sticky in [None, Some(T::of_bits(1)), Some(minus(T::of_bits(1)))] {
                let x: Vec<T> = x.iter().copied().chain(sticky).collect();
                check(&x);
                check(&x.into_iter().map(minus).collect::<Vec<_>>());
            }
        }
    }
}

/// A carry through all words, and the borrow that reverses it.
fn carries<T: Float>()
where
    ExactSum: Op<T, Out = T>,
{
    let minus = |x: T| T::nearest(&format!("{:e}", -x.into()));
    let digits = u64::from(T::MANTISSA);
    let end = T::INFINITE + digits - 2;
    for start in 0..digits.min(40) {
        // All ones from `start` to the top, in pieces of one mantissa each.
        let mut ones: Vec<T> = (0..)
            .map(|i| start + i * digits)
            .take_while(|at| at + digits <= end)
            .map(|at| {
                let powers = (at..at + digits).map(T::power);
                Exact::of(powers).rounded()
            })
            .collect();
        check(&ones);
        ones.push(T::power(start));
        check(&ones);
        ones.push(minus(T::power(start)));
        check(&ones);
        let negative: Vec<T> = ones.iter().copied().map(minus).collect();
        check(&negative);
        check(&negative[..negative.len() - 1]);
    }
}

/// Doubled 63 times, like 2^63 elements: nothing wraps, and everything can be subtracted again.
fn lengths<T: Float>()
where
    ExactSum: Op<T, Out = T>,
{
    let greatest = T::of_fields(false, T::INFINITE - 1, u64::MAX);
    let doubled = |x: T| (0..63).fold(ExactSum.lift(x, 0), |acc, _| ExactSum::combine(acc, acc));
    let minus = |x: T| T::nearest(&format!("{:e}", -x.into()));
    let finish = <ExactSum as Op<T>>::finish;
    let (up, down) = (doubled(greatest), doubled(minus(greatest)));
    assert_eq!(finish(up, 0), T::nearest("inf"));
    assert_eq!(finish(down, 0), T::nearest("-inf"));
    let least = ExactSum.lift(T::of_bits(1), 0);
    let combine = <ExactSum as Op<T>>::combine;
    assert_eq!(finish(combine(combine(up, least), down), 0), T::of_bits(1));
    assert_eq!(finish(combine(up, down), 0).bits(), T::nearest("0").bits());
    // Small ones too: 2^63 of the least number are as many units.
    assert_eq!(finish(doubled(T::of_bits(1)), 0), T::power(63));
}

/// Every range of exponents, from a single one to all, at the bottom, in the middle and at the top.
fn spreads<T: Float>()
where
    ExactSum: Op<T, Out = T>,
{
    let last = T::INFINITE - 1;
    for spread in (0..80).chain([100, 200, last]) {
        let spread = spread.min(last);
        for first in [0, 1, (last - spread) / 2, last - spread] {
            for n in [1, 2, 5, 16, 17, 64, 130, 400] {
                check(&of_exponents::<T>(spread ^ n << 9, n, first, first + spread));
            }
        }
    }
    for seed in 0..20 {
        check(&cancelling::<T>(seed, 200));
    }
    // Equal exponents and signs, whose sum is as long as possible, and then the least number that could be
    // lost.
    for exponent in [1, 2, 30, last / 2, last - 12, last] {
        for n in [16, 128, 2000] {
            let mut x = vec![T::of_fields(false, exponent, u64::MAX); n];
            check(&x);
            for below in 0..130.min(exponent) {
                x[n / 2] = T::of_fields(below % 2 == 0, exponent - below, 1);
                check(&x);
            }
        }
    }
}

/// The accumulators of parts, merged in any order.
fn parts<T: Float>()
where
    ExactSum: Op<T, Out = T>,
{
    assert!(is_free::<T, ExactSum>());
    for seed in 0..10 {
        let x = cancelling::<T>(100 + seed, 3000);
        let expected = expected(&x);
        let mut parts = Vec::new();
        let mut rest = &x[..];
        while !rest.is_empty() {
            let (part, after) = rest.split_at((1 + mix(rest.len() as u64) as usize % 500).min(rest.len()));
            parts.push(Cpu::new().fold(ExactSum, part).unwrap());
            rest = after;
        }
        parts.sort_by_key(|acc| {
            mix(seed ^ u64::from(bytemuck::cast_slice::<_, u32>(std::slice::from_ref(acc))[0]))
        });
        let all = parts.into_iter().reduce(ExactSum::combine).unwrap();
        assert_eq!(<ExactSum as Op<T>>::finish(all, 0).bits(), expected.bits());
    }
}

macro_rules! for_both {
    ($($test:ident)*) => { $(
        mod $test {
            #[test]
            fn f32() {
                super::$test::<f32>();
            }
            #[test]
            fn f64() {
                super::$test::<f64>();
            }
        }
    )* };
}
for_both!(specials ties carries lengths spreads parts);

/// Each product and its opposite except one, rotated by `by`: the exact dot product, whole and from two parts.
fn dots<T: Float>(mut pairs: Vec<[T; 2]>, by: usize)
where
    [T; 2]: Element,
    ExactDot: Op<[T; 2], Out = T>,
{
    let minus = |x: T| T::nearest(&format!("{:e}", -x.into()));
    pairs.retain(|pair| pair.iter().all(|&x| x.into().is_finite()));
    let opposite: Vec<_> = pairs.iter().skip(1).map(|&[x, y]| [y, minus(x)]).collect();
    for mut pairs in [pairs.clone(), [pairs, opposite].concat()] {
        let exact = ExactProducts::of(pairs.iter().copied());
        let is_zero = |pair: &[T; 2]| pair.iter().any(|&x| -> bool { 0.0f64 == x.into() });
        // The oracle does not track the signs of zeros.
        pairs.retain(|pair| !is_zero(pair));
        let expected = if pairs.is_empty() { T::nearest("-0") } else { exact.rounded() };
        let turn = by.min(pairs.len());
        pairs.rotate_left(turn);
        let fold = |x: &[[T; 2]]| Cpu::new().fold(ExactDot, x).unwrap();
        let parts = ExactDot::combine(fold(&pairs[turn..]), fold(&pairs[..turn]));
        for acc in [fold(&pairs), parts] {
            assert_eq!(<ExactDot as Op<[T; 2]>>::finish(acc, 0).bits(), expected.bits(), "{pairs:?}");
        }
        assert_eq!(reference::reduce::<[T; 2], ExactDot>(&pairs).bits(), expected.bits(), "{pairs:?}");
    }
}

proptest! {
    #[test]
    fn any_f32_bits_add_up_exactly(bits in prop::collection::vec(any::<u32>(), 0..300)) {
        let x: Vec<f32> = bits.into_iter().map(f32::from_bits).filter(|x| x.is_finite()).collect();
        check(&x);
    }

    #[test]
    fn any_f64_bits_add_up_exactly(bits in prop::collection::vec(any::<u64>(), 0..300)) {
        let x: Vec<f64> = bits.into_iter().map(f64::from_bits).filter(|x| x.is_finite()).collect();
        check(&x);
    }

    /// Products of any bits, in any order and in parts.
    #[test]
    fn any_f32_products_add_up_exactly(bits in prop::collection::vec(any::<[u32; 2]>(), 0..100), by in 0usize..100) {
        dots(bits.into_iter().map(|pair| pair.map(f32::from_bits)).collect(), by);
    }

    #[test]
    fn any_f64_products_add_up_exactly(bits in prop::collection::vec(any::<[u64; 2]>(), 0..100), by in 0usize..100) {
        dots(bits.into_iter().map(|pair| pair.map(f64::from_bits)).collect(), by);
    }

    #[test]
    fn an_order_changes_nothing(x in prop::collection::vec(any::<f64>(), 0..300).prop_shuffle(), by in 0usize..300) {
        let mut turned = x.clone();
        turned.rotate_left(by.min(x.len()));
        turned.reverse();
        prop_assert_eq!(sum(&turned).bits(), sum(&x).bits());
    }
}
