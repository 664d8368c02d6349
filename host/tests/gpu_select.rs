//! Selection, on the emulated driver: the launches get the right arguments, further passes decide
//! what one pass does not, and nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use bytemuck::{CheckedBitPattern, NoUninit};
use emulated::{leaves_nothing, numbers};
use warpfold::{Cpu, Cuda, Error, Interpolate, Interpolation, NanGreatest, RankedNumber, bf16, f16};

/// The first elements of `x` in both orders must be the CPU's.
fn check_first<T: RankedNumber + CheckedBitPattern<Bits: NoUninit>>(cuda: &Cuda, x: &[T], ks: &[usize]) {
    let cpu = Cpu::new();
    let on = cuda.upload(x).expect("an upload");
    // Long arrays take long.
    for first in if x.len() > 100_000 { 1..2 } else { 0..2 } {
        let (on, x) = (on.slice(first..).expect("a slice"), &x[first..]);
        for &k in ks.iter().filter(|&&k| k <= x.len()) {
            let of_cpu = [cpu.top_k(x, k).expect("elements"), cpu.bottom_k(x, k).expect("elements")];
            let arrays = [cuda.top_k(on, k), cuda.bottom_k(on, k)];
            for (arrays, expected) in arrays.into_iter().zip(of_cpu) {
                let what = format!("the first {k} of {} of {} bytes", x.len(), size_of::<T>());
                let (values, indices) = arrays.expect("arrays");
                let right: Vec<u64> = expected.iter().map(|at| at.index).collect();
                assert!(indices.to_vec().expect("a copy") == right, "{what}, indices");
                let right: Vec<T> = expected.iter().map(|at| at.value).collect();
                let values = values.to_vec().expect("a copy");
                let bytes_of = |values: &[T]| bytemuck::cast_slice::<T, u8>(values).to_vec();
                assert!(bytes_of(&values) == bytes_of(&right), "{what}, values");
            }
        }
    }
}

/// The first elements of `x` in both orders, and quantiles, must be the CPU's.
fn check<T>(cuda: &Cuda, x: &[T], ks: &[usize])
where
    T: RankedNumber + CheckedBitPattern<Bits: NoUninit> + Interpolate<Out: Into<f64>>,
{
    check_first(cuda, x, ks);
    let cpu = Cpu::new();
    let on = cuda.upload(x).expect("an upload");
    let (on, x) = (on.slice(1..).expect("a slice"), &x[1..]);
    let bits = |found: Vec<T::Out>| found.into_iter().map(|x| x.into().to_bits()).collect::<Vec<u64>>();
    let qs = [0.0, 0.123, 0.5001];
    for how in [Interpolation::Linear, Interpolation::Nearest] {
        let found = cuda.quantiles(on, &qs, how).expect("quantiles");
        assert_eq!(bits(found), bits(cpu.quantiles(x, &qs, how).expect("quantiles")), "of {}", x.len());
    }
    let found = cuda.median(on).expect("a median").into();
    assert_eq!(found.to_bits(), cpu.median(x).expect("a median").into().to_bits());
}

/// A few, by one pass; all of a short array, of one and of two leaves; those up to a digit.
#[test]
fn few_many_and_all() {
    leaves_nothing("few_many_and_all", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(70_002);
        for ks in [&[0, 1, 2049][..], &[70_001]] {
            check_first(&cuda, &x, ks);
        }
        check_first(&cuda, &x.iter().map(|&x| x as u8).collect::<Vec<_>>(), &[3000]);
        check_first(&cuda, &x.iter().map(|&x| f64::from(x) - 500.0).collect::<Vec<_>>(), &[9, 3000]);
        check_first(&cuda, &x[..2500], &[2100, 2499]);
        check_first(&cuda, &x[..2500].iter().map(|&x| -i64::from(x)).collect::<Vec<_>>(), &[2100]);
        // More candidates than there is room for: in a slice from 1 on, a piece of the sample begins at every
        // 97th element.
        let x: Vec<u32> = (0..400_000).map(|i| if (i + 96) % 97 < 8 { 7 } else { 1_000_000 + i }).collect();
        check_first(&cuda, &x, &[1]);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn every_type() {
    leaves_nothing("every_type", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(70_001);
        let ks = [100, 2049];
        check(&cuda, &x, &ks);
        check(&cuda, &x.iter().map(|&x| x as u8).collect::<Vec<_>>(), &ks);
        check(&cuda, &x.iter().map(|&x| x % 3 == 0).collect::<Vec<_>>(), &[1, 3000]);
        check(&cuda, &x.iter().map(|&x| x as i16).collect::<Vec<_>>(), &ks);
        check(&cuda, &x.iter().map(|&x| i64::from(x) << 33).collect::<Vec<_>>(), &[2049]);
        check(&cuda, &x.iter().map(|&x| u64::MAX - x as u64).collect::<Vec<_>>(), &[7]);
        let floats = |x: i32| [0.0, -0.0, f32::INFINITY, x as f32 - 500.0][x as usize % 4];
        let floats: Vec<f32> = x.iter().map(|&x| floats(x)).collect();
        check(&cuda, &floats, &ks);
        check(&cuda, &floats[..9_000], &[8_998, 8_999, 9_000]);
        check(&cuda, &floats[..20], &[1, 20]);
        check(&cuda, &floats.iter().map(|&x| f64::from(x) / 3.0).collect::<Vec<_>>(), &[100]);
        check(&cuda, &floats.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>(), &[5, 5000]);
        let mut with_nan = floats;
        with_nan[777] = -f32::NAN;
        with_nan[60_000] = f32::from_bits(0x7fc0_0123);
        check(&cuda, &with_nan, &[2049]);
        check(&cuda, &with_nan[..1000], &[1]);
        // NaNs that are greatest: few, nearly all, and of 2 and 8 bytes.
        check(&cuda, NanGreatest::wrap_slice(&with_nan), &ks);
        check(&cuda, NanGreatest::wrap_slice(&with_nan[..1000]), &[1, 1000]);
        let nan = |x: &f32| {
            f32::from_bits(x.to_bits() | if !x.to_bits().is_multiple_of(5) { 0x7f80_0001 } else { 0 })
        };
        let mostly: Vec<f32> = with_nan.iter().map(nan).collect();
        check(&cuda, NanGreatest::wrap_slice(&mostly), &[2049]);
        check(&cuda, &mostly.iter().map(|&x| NanGreatest(f64::from(x) / 3.0)).collect::<Vec<_>>(), &[100]);
        check(&cuda, &mostly.iter().map(|&x| NanGreatest(bf16::from_f32(x))).collect::<Vec<_>>(), &[5, 5000]);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// Inputs whose greatest elements the sample misses, more of them than there is room for; and many equal ones.
#[test]
fn what_a_sample_does_not_see() {
    leaves_nothing("what_a_sample_does_not_see", || {
        let cuda = Cuda::open(0).expect("the device");
        let n = 400_000;
        // For elements of 4 bytes a piece of 8 begins at every 97th: those are low.
        for low in [0_u32, 7] {
            let x: Vec<u32> =
                (0..n).map(|i| if i % 97 < 8 { low } else { 1_000_000 + i * 7919 % 100_003 }).collect();
            check(&cuda, &x, &[10, 3000]);
        }
        check(&cuda, &vec![5_u32; n as usize], &[2048]);
        check(&cuda, &(0..n).map(|i| i / 1000).collect::<Vec<u32>>(), &[5000]);
        // The selection ends among equal elements with others after them, and among the least and the greatest.
        let of_three: Vec<i16> = (0..n as usize).map(|i| [i16::MIN, -1, -1, i16::MAX][i % 4]).collect();
        check(&cuda, &of_three, &[65_536]);
        check(&cuda, &of_three.iter().map(|&x| i64::from(x) << 40).collect::<Vec<_>>(), &[110_000]);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn what_cannot_be_is_refused() {
    leaves_nothing("what_cannot_be_is_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let x = cuda.upload(&[2.0_f32, 1.0, 3.0]).expect("an upload");
        let (all, none) = (x.as_slice(), x.slice(1..1).expect("a slice"));
        assert!(matches!(cuda.top_k(all, 4), Err(Error::TooFew { wanted: 4, len: 3 })));
        assert!(matches!(cuda.bottom_k(none, 1), Err(Error::TooFew { wanted: 1, len: 0 })));
        let (values, indices) = cuda.bottom_k(none, 0).expect("no elements");
        assert!(values.is_empty() && indices.is_empty());
        assert!(matches!(cuda.median(none), Err(Error::NoElements)));
        for q in [-0.1, 1.1, f64::NAN] {
            let refused = cuda.quantiles(all, &[q], Interpolation::Linear);
            assert!(matches!(refused, Err(Error::Quantile { .. })), "{refused:?}");
        }
        assert!(cuda.quantiles(all, &[], Interpolation::Linear).expect("none").is_empty());
    });
}
