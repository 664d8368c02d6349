//! Norms and means of integers are exact and rounded once: against big integers. Deviations have a file of their own.

use num_bigint::BigUint;
use warpfold::elements::{Number, Real};
use warpfold::{
    Above, All, Any, ArgMax, ArgMin, ArgMinMax, BitAnd, BitOr, BitXor, Count, Cpu, First, Last, Max, Maximum,
    Mean, Min, MinMax, Minimum, NonZero, Norm1, Norm2, NormInf, Op, Product, SampleStdDev, Scan, StdDev, Sum,
    SumOfSquares, Variance, reference, runs,
};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::{Bits, Sample, in_quarter, samples};

/// The two numbers halfway between a positive float and its neighbours, as integers times a power of two; and
/// whether the float's last bit is 0, so that ties round to it.
fn between(x: f64) -> ([BigUint; 2], i32, bool) {
    let bits = x.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1) | 1 << 52, (bits >> 52) as i32 - 1075);
    // In quarters: below a power of two the neighbour is half as far.
    let below = if mantissa == 1 << 52 { 4 * mantissa - 1 } else { 4 * mantissa - 2 };
    ([BigUint::from(below), BigUint::from(4 * mantissa + 2)], exponent - 2, mantissa % 2 == 0)
}

/// Whether `x` is the nearest float to `dividend / divisor`, ties to even.
pub(crate) fn is_nearest(x: f64, dividend: &BigUint, divisor: &BigUint) -> bool {
    if *dividend == BigUint::ZERO {
        return x.to_bits() == 0;
    }
    let ([below, above], exponent, is_even) = between(x);
    let up = exponent.unsigned_abs();
    let (dividend, divisor) =
        if exponent < 0 { (dividend << up, divisor.clone()) } else { (dividend.clone(), divisor << up) };
    let (below, above) = (below * &divisor, above * &divisor);
    (below < dividend || (is_even && below == dividend))
        && (dividend < above || (is_even && above == dividend))
}

/// Whether `x` is the nearest float to the root of `dividend / divisor`, ties to even.
pub(crate) fn is_nearest_root_of(x: f64, dividend: &BigUint, divisor: &BigUint) -> bool {
    if *dividend == BigUint::ZERO {
        return x.to_bits() == 0;
    }
    let ([below, above], exponent, is_even) = between(x);
    let up = 2 * exponent.unsigned_abs();
    let (square, scale) =
        if exponent < 0 { (dividend << up, divisor.clone()) } else { (dividend.clone(), divisor << up) };
    let (below, above) = (&below * &below * &scale, &above * &above * &scale);
    (below < square || (is_even && below == square)) && (square < above || (is_even && above == square))
}

/// Whether `x` is the nearest float to the root of `square`, ties to even.
fn is_nearest_root(x: f64, square: &BigUint) -> bool {
    is_nearest_root_of(x, square, &BigUint::from(1u8))
}

fn norm_is_exact<T: Sample + Number<Wide: Real> + Into<i128>>(x: &[T])
where
    Norm2: Op<T, Out = f64>,
{
    let squares = x.iter().map(|&x| BigUint::from(x.into().unsigned_abs()).pow(2)).sum::<BigUint>();
    let found = Cpu::new().reduce(Norm2, x).unwrap();
    assert!(is_nearest_root(found, &squares), "{found:e} and the root of {squares}, {} elements", x.len());
    assert_eq!(found.to_bits(), reference::reduce::<T, Norm2>(x).to_bits());
}

fn mean_is_exact<T: Sample + Number<Wide: Real> + Into<i128>>(x: &[T])
where
    Mean: Op<T, Out = Option<f64>>,
{
    let sum = x.iter().map(|&x| x.into()).sum::<i128>();
    let found = Cpu::new().reduce(Mean, x).unwrap().unwrap();
    let len = BigUint::from(x.len());
    assert!(is_nearest(found.abs(), &BigUint::from(sum.unsigned_abs()), &len), "{found:e} and {sum} / {len}");
    assert!((found < 0.0) == (sum < 0) && (found != 0.0 || found.is_sign_positive()), "{found:e} and {sum}");
    assert_eq!(found.to_bits(), reference::reduce::<T, Mean>(x).unwrap().to_bits());
}

fn norms_and_means_are_exact<T>(small: impl Fn(T) -> T)
where
    T: Sample + Number<Wide: Real> + Into<i128>,
    Norm2: Op<T, Out = f64>,
    Mean: Op<T, Out = Option<f64>>,
{
    for (family, n) in
        [(Ordinary, 1), (Ordinary, 2), (Special, 33), (SpecialOnly, 7), (Ordinary, 5000), (Special, 70_001)]
    {
        for seed in 0..if n < 100 { 200 } else { 1 } {
            let x = samples::<T>(family, 60 + seed, n);
            norm_is_exact(&x);
            mean_is_exact(&x);
            // Sums of small elements are exact in f64.
            let small: Vec<T> = x.iter().map(|&x| small(x)).collect();
            norm_is_exact(&small);
            mean_is_exact(&small);
        }
    }
}

#[test]
fn norms_and_means_of_every_integer() {
    in_quarter!(0 => norms_and_means_are_exact::<i8>(|x| x / (i8::MAX / 3)));
    in_quarter!(1 => norms_and_means_are_exact::<u8>(|x| x / (u8::MAX / 3)));
    in_quarter!(2 => norms_and_means_are_exact::<i16>(|x| x / (i16::MAX / 3)));
    in_quarter!(3 => norms_and_means_are_exact::<u16>(|x| x / (u16::MAX / 3)));
    in_quarter!(2 => norms_and_means_are_exact::<i32>(|x| x / (i32::MAX / 3)));
    in_quarter!(3 => norms_and_means_are_exact::<u32>(|x| x / (u32::MAX / 3)));
    in_quarter!(0 => norms_and_means_are_exact::<i64>(|x| x / (i64::MAX / 3)));
    in_quarter!(1 => norms_and_means_are_exact::<u64>(|x| x / (u64::MAX / 3)));
}

#[test]
fn what_wrapped_does_not() {
    assert_eq!(reference::reduce::<i32, Norm2>(&[i32::MIN; 8]), (8.0f64).sqrt() * 2f64.powi(31));
    assert_eq!(reference::reduce::<i64, Norm2>(&[1 << 32]), 2f64.powi(32));
    assert_eq!(reference::reduce::<i64, Norm2>(&[i64::MIN; 4]), 2f64.powi(64));
    assert_eq!(reference::reduce::<u64, Norm2>(&[u64::MAX; 16]), 2f64.powi(66));
    assert_eq!(reference::reduce::<i64, Mean>(&[i64::MAX; 2]), Some(2f64.powi(63)));
    assert_eq!(reference::reduce::<i64, Mean>(&[i64::MIN; 3]), Some(-(2f64.powi(63))));
    assert_eq!(reference::reduce::<u64, Mean>(&[u64::MAX; 5]), Some(2f64.powi(64)));
    assert_eq!(reference::reduce::<bool, Mean>(&[true, false, true, true]), Some(0.75));
}

/// The greatest sums of these numbers of elements, and quotients and roots halfway between two floats.
#[test]
fn the_ends_and_the_middle() {
    let mean = |sum: i128, len: u64| <Mean as Op<i64>>::finish(sum, len).unwrap();
    let unsigned = |sum: u128, len: u64| <Mean as Op<u64>>::finish(sum, len).unwrap();
    assert_eq!(mean(i128::MIN, u64::MAX), -(2f64.powi(63)));
    let half = (1i128 << 53) + 1;
    for (sum, len) in [
        (half, 1),
        (half + 2, 1),
        (half * 3, 3),
        (half * 1000 + 1, 1000),
        (half * 1000 - 1, 1000),
        // Only bits below the 64 highest ones tell on which side of the middle the quotient is.
        ((half << 40) * 1000 + 1, 1000),
        ((half << 40) * 1000 - 1, 1000),
        ((half << 40) * 1000 + (1 << 39), 1000),
        ((half << 60) * 7 - 3, 7),
        (1, u64::MAX),
        (1, 3),
        (i128::MAX, 1),
        (i128::MAX, u64::MAX),
        (i128::MAX, 7),
        (1 << 126, 3),
    ] {
        let found = mean(sum, len);
        assert!(is_nearest(found, &BigUint::from(sum.unsigned_abs()), &BigUint::from(len)), "{sum} / {len}");
        assert_eq!(mean(-sum, len), -found);
        assert_eq!(unsigned(sum.unsigned_abs(), len), found);
    }
    for (sum, len) in [(u128::MAX, 1), (u128::MAX, u64::MAX), (u128::MAX - 1, 3), (u128::MAX << 64, u64::MAX)]
    {
        assert!(is_nearest(unsigned(sum, len), &BigUint::from(sum), &BigUint::from(len)), "{sum} / {len}");
    }
    let norm = |words: [u64; 3]| <Norm2 as Op<i64>>::finish(words, 1);
    for words in [
        [0; 3],
        [1, 0, 0],
        [2, 0, 0],
        [1 << 53, 0, 0],
        [(1 << 53) + 1, 0, 0],
        [u64::MAX, 0, 0],
        [0, 1, 0],
        [1, 1, 0],
        [u64::MAX, u64::MAX, 0],
        [0, 0, 1],
        [1, 0, 1],
        [0, 1, 1],
        [u64::MAX; 3],
        [0, 0, 1 << 63],
        [1, 0, 1 << 62],
        [u64::MAX, 0, 3],
        [0, u64::MAX, 2],
    ] {
        let square =
            words.iter().rev().fold(BigUint::ZERO, |all, &word| (all << 64u32) + BigUint::from(word));
        assert!(is_nearest_root(norm(words), &square), "{words:x?}: {:e}", norm(words));
    }
    // Squares of numbers halfway between two floats, plus and minus one.
    for odd in
        [(1u128 << 53) + 1, (1 << 53) + 3, (1 << 54) - 1, (1 << 60) + (1 << 7), (1 << 60) + 3 * (1 << 7)]
    {
        for square in [odd * odd - 1, odd * odd, odd * odd + 1] {
            let words = [square as u64, (square >> 64) as u64, 0];
            assert!(is_nearest_root(norm(words), &BigUint::from(square)), "{square}");
            // The same times 2^64, with slightly smaller and larger values.
            for low in [0, 1, u64::MAX] {
                let words = [low, square as u64, (square >> 64) as u64];
                let square = (BigUint::from(square) << 64u32) + BigUint::from(low);
                assert!(is_nearest_root(norm(words), &square), "{square}");
            }
        }
    }
}

/// The other operators of integers, at the limits of the types.
#[test]
fn other_operators_at_the_ends() {
    let ends = [i64::MIN, i64::MAX, i64::MIN];
    assert_eq!(reference::reduce::<i64, NormInf>(&ends), 1 << 63);
    assert_eq!(reference::reduce::<i64, Norm1>(&ends[..1]), 1 << 63);
    assert_eq!(reference::reduce::<i64, Norm1>(&ends[..2]), u64::MAX);
    assert_eq!(reference::reduce::<i64, Norm1>(&ends), (1 << 63) - 1, "documented to wrap");
    assert_eq!(reference::reduce::<i32, Norm1>(&[i32::MIN; 3]), 3 << 31);
    assert_eq!(reference::reduce::<i32, SumOfSquares>(&[i32::MIN; 3]), 3 << 62);
    assert_eq!(reference::reduce::<i64, SumOfSquares>(&[1 << 32]), 0, "documented to wrap");
    assert_eq!(reference::reduce::<i64, Sum>(&[i64::MAX, 1]), i64::MIN, "documented to wrap");
    assert_eq!(reference::reduce::<i64, Variance>(&[i64::MAX; 2]), Some(0.0));
    assert_eq!(reference::reduce::<i64, Variance>(&[i64::MIN, i64::MAX]), Some(2f64.powi(126)));
    assert_eq!(reference::reduce::<i64, StdDev>(&[i64::MIN, i64::MAX]), Some(2f64.powi(63)));
    assert_eq!(reference::reduce::<u64, Variance>(&[0, u64::MAX]), Some(2f64.powi(126)));
    assert_eq!(reference::reduce::<i64, Min>(&ends), Some(i64::MIN));
    assert_eq!(reference::reduce::<i64, Max>(&ends), Some(i64::MAX));
    assert_eq!(reference::reduce::<i64, ArgMin>(&ends).map(|at| at.index), Some(0));
    assert_eq!(reference::reduce::<i64, ArgMax>(&ends).map(|at| at.index), Some(1));
}

/// On 64-bit targets, usize and isize are u64 and i64: the kernels of these fold them.
#[cfg(target_pointer_width = "64")]
mod native {
    use super::*;
    use gpu_kernels::{OfNativeIntegers, Storable};

    fn is_the_same<A, B, O>(native: &[A], fixed: &[B])
    where
        A: warpfold::Element,
        B: warpfold::Element,
        O: OfNativeIntegers
            + Default
            + warpfold::kernels::RowsKernel<A>
            + warpfold::kernels::RowsKernel<B>
            + Op<A, Acc = <O as Op<B>>::Acc, Out: Bits + Storable>
            + Op<B, Out: Bits + Storable>,
    {
        let name = std::any::type_name::<O>();
        assert_eq!(<O as Op<A>>::COMMUTATIVE, <O as Op<B>>::COMMUTATIVE, "{name}");
        assert_eq!(<O as Op<A>>::ASSOCIATIVE, <O as Op<B>>::ASSOCIATIVE, "{name}");
        assert_eq!(<O as Op<A>>::NEEDS_LEN, <O as Op<B>>::NEEDS_LEN, "{name}");
        let bytes = |acc: <O as Op<B>>::Acc| bytemuck::bytes_of(&acc).to_vec();
        assert_eq!(bytes(<O as Op<A>>::IDENTITY), bytes(<O as Op<B>>::IDENTITY), "{name}");
        for n in [0, 1, 2, native.len()] {
            let found = reference::fold::<A, O>(O::default(), &native[..n]);
            let expected = reference::fold::<B, O>(O::default(), &fixed[..n]);
            assert_eq!(bytes(found), bytes(expected), "{name} of {n}");
            let stored = |found| bytemuck::bytes_of(&found).to_vec();
            let (found, expected) =
                (<O as Op<A>>::finish(found, n as u64), <O as Op<B>>::finish(expected, n as u64));
            assert_eq!(found.bits(), expected.bits(), "{name} of {n}");
            assert_eq!(stored(found.store()), bytemuck::bytes_of(&expected.store()), "{name} of {n}");
        }
    }

    macro_rules! operators {
        ($($op:ty),*) => {
            operators!(usize, u64: $($op),*);
            operators!(isize, i64: $($op),*);
        };
        ($native:ty, $fixed:ty: $($op:ty),*) => {
            let fixed = samples::<$fixed>(Special, 90, 20_011);
            let native: Vec<$native> = fixed.iter().map(|&x| x as $native).collect();
            $( is_the_same::<$native, $fixed, $op>(&native, &fixed); )*
        };
    }

    #[test]
    fn every_operator() {
        in_quarter!(0 => { operators!(Sum, Min, ArgMin, SumOfSquares, Mean, BitAnd, (Min, Max, Sum)); });
        in_quarter!(1 => { operators!(Product, Max, ArgMax, Norm1, Variance, BitOr, (Min, Max, Mean)); });
        in_quarter!(2 => { operators!(Minimum, MinMax, Norm2, SampleStdDev, BitXor, First, Count<NonZero>); });
        in_quarter!(3 => { operators!(Maximum, ArgMinMax, NormInf, All, Any, Last); });
    }

    #[test]
    fn every_operation() {
        let cpu = Cpu::new();
        let x: Vec<isize> = samples::<isize>(Special, 91, 5000);
        let mut sorted = x.clone();
        sorted.sort_unstable();
        let mut found = x.clone();
        cpu.sort(&mut found, warpfold::Order::Ascending).unwrap();
        assert_eq!(found, sorted);
        let above = Above { threshold: 7isize };
        assert_eq!(
            cpu.reduce(Count { predicate: above }, &x).unwrap(),
            x.iter().filter(|&&x| x > 7).count() as u64
        );
        let sums = cpu.scan(Sum, &[1_usize, 2, 3], Scan::exclusive()).unwrap();
        assert_eq!(sums, [0, 1, 3]);
        let (keys, sums) = cpu.reduce(Sum, runs(&[5, 5, 1], &[2_isize, -3, 9])).unwrap();
        assert_eq!((keys, sums), (vec![5, 1], vec![-1, 9]));
    }
}

#[test]
fn the_ends_of_any_plain_data() {
    let x: Vec<[u8; 3]> = (0..100_000u32).map(|i| [i as u8, (i >> 8) as u8, (i >> 16) as u8]).collect();
    assert_eq!(Cpu::new().reduce(First, &x).unwrap(), Some([0; 3]));
    assert_eq!(Cpu::new().reduce(Last, &x).unwrap(), x.last().copied());
    assert_eq!(Cpu::new().reduce(Last, &[[0_u8; 3]; 0]).unwrap(), None);
    assert_eq!(Cpu::new().reduce(Last, &[1, u128::MAX - 5]).unwrap(), Some(u128::MAX - 5));
    assert_eq!(Cpu::new().reduce(First, &[-1_i8, 5]).unwrap(), Some(-1));
    assert_eq!(Cpu::new().reduce(Last, &[true, false]).unwrap(), Some(false));
    let z = warpfold::Complex::new(-0.0f64, f64::from_bits(0x7ff0_0000_0000_0001));
    assert_eq!(Cpu::new().reduce(Last, &[z]).unwrap().map(|z| z.bits()), Some(z.bits()));
}
