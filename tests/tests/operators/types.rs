//! Properties of single element types: conversions of every f16 and bf16, one rounding at the end, wrapping and
//! widening, complex products, keys.

use warpfold::{
    ArgMax, ArgMin, Complex, Cpu, Element, Max, Maximum, Min, Minimum, Op, Product, ProductIn, Sum, SumIn,
    bf16, f16, reference, rows,
};
use warpfold_tests::extremes::{self, Float, OfPairs};
use warpfold_tests::{Bits, Sample, turn};

/// By both backends of this test: the CPU and the reference.
fn fold<T: Element, O: Op<T, Out: Bits> + Default>(x: &[T]) -> O::Out {
    let out = Cpu::new().reduce(O::default(), x).unwrap();
    assert_eq!(out.bits(), reference::reduce::<T, O>(x).bits());
    out
}

/// The exact value of a 16-bit float with `mantissa` bits of mantissa, by its definition.
fn value(bits: u16, mantissa: u32) -> f64 {
    let exponents = 15 - mantissa;
    let (exponent, fraction) = ((bits & 0x7fff) >> mantissa, f64::from(bits & ((1 << mantissa) - 1)));
    let bias = (1 << (exponents - 1)) - 1;
    let fraction = fraction / f64::from(1 << mantissa);
    let magnitude = match i32::from(exponent) {
        0 => fraction * 2f64.powi(1 - bias),
        e if e == (1 << exponents) - 1 => {
            if fraction == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        e => (1.0 + fraction) * 2f64.powi(e - bias),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The nearest 16-bit float, ties to even, by a search among all of one sign. From half a step beyond the
/// greatest on it is infinity, as if the next float existed.
fn nearest(x: f32, mantissa: u32) -> u16 {
    let infinity = ((1u16 << (15 - mantissa)) - 1) << mantissa;
    if x.is_nan() {
        return infinity | 1 << (mantissa - 1);
    }
    let sign = u16::from(x.is_sign_negative()) << 15;
    let x = f64::from(x.abs());
    // Magnitudes ascend with their bits. The value after the greatest is used for infinity.
    let greatest = value(infinity - 1, mantissa);
    let step = greatest - value(infinity - 2, mantissa);
    let magnitude = |bits: u16| if bits == infinity { greatest + step } else { value(bits, mantissa) };
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if magnitude(middle) <= x { low = middle } else { high = middle }
    }
    if x >= magnitude(high) {
        return sign | high;
    }
    let (below, above) = (x - magnitude(low), magnitude(high) - x);
    sign | if below < above || (below == above && low % 2 == 0) { low } else { high }
}

/// Those whose mantissa has no, all or only the last of its bits, and a quarter of the others in each turn.
#[test]
fn every_short_float_is_exact_in_f32() {
    let is_edge = |bits: u16| [0x3ff, 0x7f].iter().any(|ones| [0, 1, *ones].contains(&(bits & ones)));
    for bits in (0..=u16::MAX).filter(|&bits| is_edge(bits) || turn::is_in_quarter(bits.into())) {
        for (found, expected) in [
            (SumIn::<f32>::default().lift(f16::from_bits(bits), 0), value(bits, 10)),
            (SumIn::<f32>::default().lift(bf16::from_bits(bits), 0), value(bits, 7)),
        ] {
            assert!(
                f64::from(found).to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{bits:#x}"
            );
        }
        // And back: NaN is canonical.
        let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
        let expected = if x.is_nan() { 0x7e00 } else { bits };
        assert_eq!(fold::<f16, Sum>(&[x]).to_bits(), expected, "{bits:#x}");
        assert_eq!(fold::<f16, Product>(&[x]).to_bits(), expected, "{bits:#x}");
        assert_eq!(fold::<f16, Min>(&[x]).unwrap().to_bits(), expected, "{bits:#x}");
        let expected = if y.is_nan() { 0x7fc0 } else { bits };
        assert_eq!(fold::<bf16, Sum>(&[y]).to_bits(), expected, "{bits:#x}");
        assert_eq!(fold::<bf16, Product>(&[y]).to_bits(), expected, "{bits:#x}");
        assert_eq!(fold::<bf16, Max>(&[y]).unwrap().to_bits(), expected, "{bits:#x}");
    }
}

fn check_rounding(bits: u32) {
    let x = f32::from_bits(bits);
    assert_eq!(<Sum as Op<f16>>::finish(x, 1).to_bits(), nearest(x, 10), "{bits:#x} to f16");
    assert_eq!(<Sum as Op<bf16>>::finish(x, 1).to_bits(), nearest(x, 7), "{bits:#x} to bf16");
}

#[test]
fn f32_is_rounded_to_nearest_even() {
    (0..=u32::MAX).step_by(9973).for_each(check_rounding);
    // Around every 16-bit float, and around the ties between them.
    for short in 0..=u16::MAX {
        for tie in [0, 1] {
            let f16s = f64::midpoint(value(short, 10), value(short.saturating_add(tie), 10)) as f32;
            for x in [f16s.to_bits(), (u32::from(short) << 16) + (u32::from(tie) << 15)] {
                (-2..=2).for_each(|step| check_rounding(x.wrapping_add_signed(step)));
            }
        }
    }
}

/// All 2^32: minutes.
#[test]
#[ignore = "minutes: cargo test --release -p warpfold-tests --test operators types:: -- --ignored"]
fn every_f32_is_rounded_to_nearest_even() {
    (0..=u32::MAX).for_each(check_rounding);
}

/// A sum that is a tie in f16 except for a small addend: rounding at each step would give another result.
#[test]
fn sums_are_rounded_once() {
    let f = f16::from_f32;
    // 2048 + 1 is a tie in f16, whose even neighbour is 2048; 2048 + 1 + 1 is 2050.
    assert_eq!(fold::<f16, Sum>(&[f(2048.0), f(1.0), f(1.0)]).to_f32(), 2050.0);
    assert_eq!(fold::<f16, Sum>(&[f(2048.0), f(1.0)]).to_f32(), 2048.0);
    assert_eq!(fold::<f16, Sum>(&[f(2048.0), f(1.0), f(0.001)]).to_f32(), 2050.0);
    // Beyond the range and back.
    assert_eq!(fold::<f16, Sum>(&[f16::MAX, f16::MAX, f16::MIN]), f16::MAX);
    assert_eq!(fold::<f16, Sum>(&[f16::MAX, f16::MAX]), f16::INFINITY);
    let b = bf16::from_f32;
    assert_eq!(fold::<bf16, Sum>(&[b(256.0), b(1.0), b(1.0)]).to_f32(), 258.0);
    assert_eq!(fold::<bf16, Sum>(&[b(256.0), b(1.0), b(0.001)]).to_f32(), 258.0);
    // Unrounded.
    assert_eq!(fold::<f16, SumIn<f32>>(&[f(2048.0), f(1.0)]), 2049.0);
    assert_eq!(fold::<bf16, SumIn<f32>>(&[b(256.0), b(1.0)]), 257.0);
    assert_eq!(fold::<f32, SumIn<f64>>(&[1.0, 1e-10]), 1.0 + f64::from(1e-10f32));
    assert_eq!(fold::<f32, ProductIn<f64>>(&[1e30, 1e30]), f64::from(1e30f32) * f64::from(1e30f32));
    // Empty input, and the sign of zero.
    assert_eq!(fold::<f16, Sum>(&[]).to_bits(), 0x8000);
    assert_eq!(fold::<bf16, Sum>(&[bf16::NEG_ZERO, bf16::ZERO]).to_bits(), 0);
    assert_eq!(fold::<f16, Sum>(&[f16::INFINITY, f16::NEG_INFINITY]).to_bits(), 0x7e00);
    // Subnormal numbers of both.
    let tiny = f16::from_bits(1);
    assert_eq!(fold::<f16, Sum>(&[tiny; 3]).to_bits(), 3);
    assert_eq!(fold::<bf16, Sum>(&[bf16::from_bits(1); 5]).to_bits(), 5);
}

#[test]
fn integers_widen_and_wrap() {
    for n in [1usize, 100, 70_000] {
        let n_wide = n as i64;
        assert_eq!(fold::<i8, Sum>(&vec![i8::MIN; n]), n_wide * i64::from(i8::MIN));
        assert_eq!(fold::<u8, Sum>(&vec![u8::MAX; n]), n as u64 * 255);
        assert_eq!(fold::<i16, Sum>(&vec![i16::MIN; n]), n_wide * i64::from(i16::MIN));
        assert_eq!(fold::<u16, Sum>(&vec![u16::MAX; n]), n as u64 * 65_535);
        assert_eq!(fold::<bool, Sum>(&vec![true; n]), n as u64);
        assert_eq!(fold::<i64, SumIn<i128>>(&vec![i64::MIN; n]), i128::from(n_wide) * i128::from(i64::MIN));
    }
    assert_eq!(fold::<u8, SumIn<u32>>(&[255; 300]), 300 * 255);
    assert_eq!(fold::<i32, SumIn<i32>>(&[i32::MAX, 1]), i32::MIN);
    assert_eq!(fold::<i128, Sum>(&[i128::MAX, 1]), i128::MIN);
    assert_eq!(fold::<u128, Product>(&[u128::MAX, u128::MAX]), 1);
    assert_eq!(fold::<u8, Product>(&[255; 9]), 255u64.wrapping_pow(9));
    assert_eq!(fold::<i16, Product>(&[]), 1);
    assert_eq!(fold::<u8, Sum>(&[]), 0);
}

#[test]
fn extremes_of_short_types() {
    assert_eq!(fold::<u8, Min>(&[3, 2, 255]), Some(2));
    assert_eq!(fold::<i8, Maximum>(&[i8::MIN]), Some(i8::MIN));
    assert_eq!(fold::<u16, ArgMax>(&[0; 3000]).unwrap().index, 0);
    assert_eq!(fold::<u8, ArgMin>(&[255; 3000]).unwrap().index, 0);
    assert_eq!(fold::<bool, ArgMax>(&[false, true, true]).unwrap().index, 1);
    assert_eq!(fold::<bool, Min>(&[true; 70]), Some(true));
    assert_eq!(fold::<i128, ArgMax>(&[i128::MIN; 700]).unwrap().index, 0);
    assert_eq!(fold::<u128, ArgMin>(&[u128::MAX, 1 << 100, 1 << 99, 1 << 99]).unwrap().index, 2);
    let nan = f16::from_bits(0xfc01);
    assert_eq!(fold::<f16, Min>(&[nan, f16::ONE]), Some(f16::ONE));
    assert_eq!(fold::<f16, Minimum>(&[nan, f16::ONE]).unwrap().to_bits(), 0x7e00);
    assert_eq!(fold::<f16, ArgMin>(&[nan; 500]).unwrap().index, 0);
    assert_eq!(fold::<bf16, Max>(&[bf16::from_bits(0x7f81), bf16::NEG_INFINITY]), Some(bf16::NEG_INFINITY));
    assert_eq!(fold::<bf16, Min>(&[bf16::ZERO, bf16::NEG_ZERO]).unwrap().to_bits(), 0x8000);
}

/// Every pair of f16 in both orders of arguments, compared by value.
#[test]
fn keys_order_as_values() {
    let all: Vec<u16> =
        (0..=u16::MAX).step_by(37).chain([0x7c00, 0xfc00, 0x8000, 0, 1, 0x8001, 0x7bff, 0xfbff]).collect();
    for &left in &all {
        for &right in &all {
            let (x, y) = (f16::from_bits(left), f16::from_bits(right));
            let lifted = |x| <Min as Op<f16>>::lift(Min, x, 0);
            if x.is_nan() || y.is_nan() {
                continue;
            }
            let values = (value(left, 10), x.is_sign_positive())
                .partial_cmp(&(value(right, 10), y.is_sign_positive()));
            assert_eq!(Some(lifted(x).cmp(&lifted(y))), values, "{left:#x} {right:#x}");
        }
    }
}

/// Each pair by the CPU alone and by the reference, and all as rows.
struct OnCpu;

impl extremes::Backend for OnCpu {
    fn pairs<T: Float, O: OfPairs<T>>(&self, x: &[T]) -> Vec<Option<T>> {
        let (pairs, _) = x.as_chunks::<2>();
        let alone: Vec<_> = pairs.iter().map(|pair| fold::<T, O>(pair)).collect();
        let as_rows = Cpu::new().reduce(O::default(), rows(x, [pairs.len(), 2])).unwrap();
        assert!(alone.iter().zip(&as_rows).all(|(alone, row)| alone.is_same(row)));
        alone
    }
}

/// Every pair of special values in both orders.
#[test]
fn extremes_of_special_values_are_the_standards() {
    extremes::check_all(&OnCpu);
}

/// The value used for 1 in complex products is an identity for every bit, which 1 + 0i is not.
#[test]
fn complex_products_have_an_identity() {
    fn check<F: Sample>()
    where
        Complex<F>: Element + Sample,
        Product: Op<Complex<F>, Out: Bits, Acc: Bits>,
    {
        let one = <Product as Op<Complex<F>>>::IDENTITY;
        for x in Complex::<F>::special() {
            let x = Product.lift(x, 0);
            assert_eq!(Product::combine(one, x).bits(), x.bits());
            assert_eq!(Product::combine(x, one).bits(), x.bits());
        }
        assert_eq!(Product::combine(one, one).bits(), one.bits());
    }
    check::<f32>();
    check::<f64>();
    // Even its own bits, as an element, are not mistaken for it.
    let mark = <Product as Op<Complex<f32>>>::IDENTITY;
    assert_eq!(fold::<Complex<f32>, Product>(&[mark]).bits(), "7fc00000,00000000");
    assert_eq!(fold::<Complex<f32>, Sum>(&[mark]).bits(), "7fc00000,00000000");
    assert_eq!(fold::<Complex<f32>, Product>(&[]), Complex::new(1.0, 0.0));
    assert_eq!(fold::<Complex<f64>, Sum>(&[]).bits(), "8000000000000000,8000000000000000");
}

/// (ac - bd) + (ad + bc)i, with operands for which a fused operation would give another result.
#[test]
fn complex_products_round_each_operation() {
    let d = 2f32.powi(-13);
    let (x, y) = (Complex::new(1.0 + d, 1.0), Complex::new(1.0 + d, 1.0 + 2.0 * d));
    // (1 + d)^2 - (1 + 2d): the square must be rounded to 1 + 2d before the subtraction, otherwise d^2 remains.
    assert_eq!(fold::<Complex<f32>, Product>(&[x, y]).re, 0.0);
    assert_ne!((1.0 + d).mul_add(1.0 + d, -1.0 - 2.0 * d), 0.0);
}
