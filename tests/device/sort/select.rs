//! Selection: the first elements in an order, medians and quantiles, with the bits and the order of the CPU
//! backend.

use bytemuck::{CheckedBitPattern, NoUninit};
use test_kernels::mix;
use warpfold::elements::{RankedNumber, SortKey};
use warpfold::{At, Cpu, DeviceArray, Error, Interpolation, NanGreatest, bf16, f16};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::turn::is_in_sixteenth;
use warpfold_tests::{
    Bits, ORDERS, Sample, Sequence, cuda, is_emulated, on_gpu_or_emulated, samples, sizes, takes_case,
};

/// A type that can be copied from a device.
trait Downloaded: RankedNumber + CheckedBitPattern<Bits: NoUninit> {}
impl<T: RankedNumber + CheckedBitPattern<Bits: NoUninit>> Downloaded for T {}

fn bytes<T: NoUninit>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

/// Compares the first elements of slices of a device, in both orders, with the CPU's: from any element, whole
/// or in part.
fn first_agree<T: Downloaded>(x: &[T], ks: &[usize]) {
    let on_device = cuda().upload(x).unwrap();
    let is_long = is_emulated() && x.len() > 2500;
    for &first in if is_long { &[1][..] } else { on_gpu_or_emulated(&[0, 1, 7][..], &[0, 1]) } {
        let Some(x) = x.get(first..) else { continue };
        let slice = on_device.slice(first..).unwrap();
        for &k in ks.iter().filter(|&&k| k <= x.len()) {
            let what = format!("the first {k} of {} of {} bytes from {first}", x.len(), size_of::<T>());
            let of_cpu = [Cpu::new().top_k(x, k).unwrap(), Cpu::new().bottom_k(x, k).unwrap()];
            let arrays = [cuda().top_k(slice, k), cuda().bottom_k(slice, k)];
            for (arrays, expected) in arrays.into_iter().zip(of_cpu) {
                are(arrays.unwrap(), &expected, &what);
            }
        }
    }
}

/// Fails unless these are the expected values and indices.
fn are<T: Downloaded>((values, indices): (DeviceArray<T>, DeviceArray<u64>), expected: &[At<T>], what: &str) {
    let (values, indices) = (values.to_vec().unwrap(), indices.to_vec().unwrap());
    assert!(indices.into_iter().eq(expected.iter().map(|at| at.index)), "{what}, indices");
    let expected: Vec<T> = expected.iter().map(|at| at.value).collect();
    assert!(bytes(&values) == bytes(&expected), "{what}, values");
}

/// From more elements than a block sorts up to all: of every width, with many equal ones and with none.
fn many_agree<T: Downloaded>(case: u64, of: impl Fn(u64) -> T) {
    for n in on_gpu_or_emulated(&[2049_u64, 70_000, 300_007][..], &[2049, 70_000]) {
        let n = *n;
        for (values, of_values) in [1, 3, 1000, u64::MAX].into_iter().zip(0..) {
            let number = 4 * case + of_values;
            if !takes_case(number) || is_emulated() && n > 2049 && !is_in_sixteenth(number) {
                continue;
            }
            let x: Vec<T> = (0..n).map(|i| of(mix(i) % values)).collect();
            let n = n as usize;
            let ks = [2048, 2049, 65_536, n / 3, n - 1, n];
            first_agree(&x, on_gpu_or_emulated(&ks[..], &[2048, 2049, n / 3][..]));
        }
    }
}

#[test]
fn many_of_every_width() {
    many_agree(0, |x| x as u8);
    many_agree(1, |x| f16::from_bits(x as u16));
    many_agree(2, |x| x as i16);
    many_agree(3, |x| x as u32);
    many_agree(4, |x| f32::from_bits(x as u32));
    many_agree(5, |x| (x as i64).rotate_left(17));
    many_agree(6, f64::from_bits);
}

/// The selected elements end among equal ones, near the beginning and near the end.
#[test]
fn many_end_among_equals() {
    let n = on_gpu_or_emulated(6_000_011_u64, 140_011);
    for (part, case) in [2, 7, 1000].into_iter().zip(0..) {
        if !takes_case(case) {
            continue;
        }
        let x: Vec<i32> = (0..n).map(|i| (i % part) as i32 - 1).collect();
        for k in on_gpu_or_emulated(&[2049, 65_536, 1_000_000, n / 2, n - 70_000][..], &[2049, n / 2]) {
            first_agree(&x, &[*k as usize]);
        }
        let x: Vec<i64> = x.iter().map(|&x| i64::from(x) << 33).collect();
        first_agree(&x, on_gpu_or_emulated(&[65_536, 1_000_000], &[65_536]));
    }
}

/// Compares quantiles.
fn quantiles_agree<T: RankedNumber + SortKey<Quantile: Bits>>(x: &[T]) {
    let is_long = is_emulated() && x.len() > 20_000;
    let qs = [0.5, 1.0 / 3.0, 0.0, 1.0, 0.1, 0.9, 0.999];
    let qs = on_gpu_or_emulated(&qs[..], if is_long { &qs[1..3] } else { &qs[..3] });
    let on_device = cuda().upload(x).unwrap();
    let all = [Interpolation::Linear, Interpolation::Higher, Interpolation::Midpoint, Interpolation::Nearest];
    for &how in if is_long { &all[..1] } else { on_gpu_or_emulated(&all[..], &all[2..]) } {
        let bits = |found: Vec<T::Quantile>| -> Vec<_> { found.iter().map(Bits::bits).collect() };
        let found = cuda().quantiles(&on_device, qs, how).unwrap();
        assert!(
            bits(found) == bits(Cpu::new().quantiles(x, qs, how).unwrap()),
            "{how:?} of {} of {} bytes",
            x.len(),
            size_of::<T>()
        );
    }
    let found = cuda().median(&on_device).unwrap();
    assert!(found.bits() == Cpu::new().median(x).unwrap().bits(), "the median of {}", x.len());
}

fn every_size<T: Downloaded + SortKey<Quantile: Bits> + Sample>(case: u64) {
    let n = on_gpu_or_emulated(3_000_000, 70_001);
    let special = samples::<T>(Special, 91, n);
    let ordinary = samples::<T>(Ordinary, 92, n);
    let all = sizes::up_to::<T>(100_000).into_iter().map(|n| n as usize).filter(|n| n % 3 == 0 || *n < 70);
    let sizes = on_gpu_or_emulated(all.collect(), vec![0, 1, 33, 3000]);
    for n in sizes {
        first_agree(&special[..n], on_gpu_or_emulated(&[0, 1, 100, n][..], &[0, 100, n]));
        if n > 0 {
            quantiles_agree(&ordinary[..n]);
        }
    }
    if !takes_case(case) {
        return;
    }
    first_agree(
        &special,
        on_gpu_or_emulated(&[1, 2, 1000, 2048, 2049, 65_536, 100_000][..], &[1, 2048, 2049]),
    );
    first_agree(&ordinary, on_gpu_or_emulated(&[1, 50, 2048, 70_000], &[50]));
    quantiles_agree(&special);
    quantiles_agree(&ordinary);
}

#[test]
fn numbers_of_4_bytes() {
    every_size::<f32>(0);
    every_size::<u32>(1);
    every_size::<i32>(2);
}

#[test]
fn numbers_of_8_bytes() {
    every_size::<f64>(3);
    every_size::<i64>(4);
    every_size::<u64>(5);
}

#[test]
fn short_numbers() {
    every_size::<f16>(6);
    every_size::<bf16>(7);
    every_size::<i16>(8);
    every_size::<u8>(9);
    every_size::<bool>(10);
}

/// NaNs that are greatest: few, and nearly all.
#[test]
fn nans_that_are_greatest() {
    fn check<T: Copy + Sample>(is_nan: impl Fn(T) -> bool, seed: u64)
    where
        NanGreatest<T>: Downloaded + SortKey<Quantile: Bits>,
    {
        let x = samples::<T>(Special, seed, on_gpu_or_emulated(1_000_000, 5000));
        let nan = x.iter().copied().find(|&x| is_nan(x)).unwrap();
        let mostly = (0..).zip(&x).map(|(i, &x)| if mix(i).is_multiple_of(5) { x } else { nan }).collect();
        for x in [x, mostly] {
            let x: Vec<NanGreatest<T>> = x.into_iter().map(NanGreatest).collect();
            first_agree(&x, on_gpu_or_emulated(&[1, 1000, 2049, 5000][..], &[1, 2049]));
            quantiles_agree(&x);
        }
    }
    check(|x: f16| x.is_nan(), 93);
    check(|x: bf16| x.is_nan(), 94);
    check(|x: f32| x.is_nan(), 95);
    check(|x: f64| x.is_nan(), 96);
}

/// Orders that ruin a pivot or a sample, and equal elements. The first of equal elements count.
#[test]
fn sorted_reversed_equal_and_organ_pipes() {
    let n = on_gpu_or_emulated(5_000_011, 70_003);
    let ks = on_gpu_or_emulated(&[1, 100, 2048, 30_000][..], &[100, 3000]);
    for ((_, at), case) in ORDERS.into_iter().zip(0..) {
        if !takes_case(case) {
            continue;
        }
        let x: Vec<u64> = (0..n).map(|i| at(i, n)).collect();
        first_agree(&x, ks);
        quantiles_agree(&x);
        let x: Vec<u32> = x.iter().map(|&x| x as u32).collect();
        first_agree(&x, ks);
    }
}

/// Inputs whose sample sees only the least elements: more are candidates than there is room for.
#[test]
fn what_a_sample_does_not_see() {
    // In a slice from 1 on, a piece of 8 elements of 4 bytes begins at every 97th.
    let x: Vec<u32> = (0..400_000).map(|i| if (i + 96) % 97 < 8 { 7 } else { 1_000_000 + i }).collect();
    first_agree(&x, &[1]);
    // A piece of 4 elements of 8 bytes at every 790th.
    if !is_emulated() {
        let unseen: Sequence = |i, _| if i % 790 < 4 { 0 } else { mix(i) };
        let x: Vec<u64> = (0..5_000_011).map(|i| unseen(i, 0)).collect();
        first_agree(&x, &[1, 100, 2048, 30_000]);
        quantiles_agree(&x);
    }
}

/// The same call has the same result every time, though candidates come in any order.
#[test]
fn every_run_is_the_same() {
    let (n, runs) = on_gpu_or_emulated((20_000_003, 20), (70_003, 4));
    let x: Vec<u32> = (0..n).map(|i| (mix(i) % 1000) as u32).collect();
    let on_device = cuda().upload(&x).unwrap();
    for k in [100, 5000] {
        let right = Cpu::new().top_k(&x, k).unwrap();
        for _ in 0..runs {
            are(cuda().top_k(&on_device, k).unwrap(), &right, "once more");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let x = cuda().upload(&[2.0_f32, 1.0, 3.0]).unwrap();
    let (all, none) = (x.as_slice(), x.slice(1..1).unwrap());
    assert!(matches!(cuda().top_k(all, 4), Err(Error::TooFew { wanted: 4, len: 3 })));
    assert!(matches!(cuda().bottom_k(none, 1), Err(Error::TooFew { wanted: 1, len: 0 })));
    let (values, indices) = cuda().bottom_k(none, 0).unwrap();
    assert!(values.is_empty() && indices.is_empty());
    assert!(matches!(cuda().median(none), Err(Error::NoElements)));
    for q in [-0.1, 1.1, f64::NAN] {
        let refused = cuda().quantiles(all, &[q], Interpolation::Linear);
        assert!(matches!(refused, Err(Error::Quantile { .. })), "{refused:?}");
    }
    assert!(cuda().quantiles(all, &[], Interpolation::Linear).unwrap().is_empty());
}

/// Beyond 2^32 elements, where indices have more than 32 bits.
#[test]
fn more_elements_than_32_bits_count() {
    if is_emulated() {
        return; // Its kernels would read them for hours.
    }
    let n = (1_usize << 32) + 7;
    let mut x = vec![0_u8; n];
    for at in (0..n).step_by(99_991) {
        x[at] = (at % 251) as u8;
    }
    x[n - 1] = 255;
    x[n - 2] = 255;
    let on_device = cuda().upload(&x).unwrap();
    for k in [1, 3, 300, 3000] {
        let right = Cpu::new().top_k(&x, k).unwrap();
        are(cuda().top_k(&on_device, k).unwrap(), &right, &k.to_string());
    }
    assert_eq!(cuda().median(&on_device).unwrap(), 0.0);
}

/// Every kernel that selects, by word size: see `sanitize_reduce`.
#[test]
fn sanitize_selection() {
    fn check<T: Downloaded + SortKey<Quantile: Bits> + Sample>() {
        let x = samples::<T>(Special, 33, 70_001);
        first_agree(&x, on_gpu_or_emulated(&[1, 100, 3000], &[100, 3000]));
        quantiles_agree(&samples::<T>(Ordinary, 34, 70_001));
    }
    // On the emulated device one of them: `every_size` has all.
    let all: [fn(); 4] = [check::<u8>, check::<bf16>, check::<f32>, check::<f64>];
    all.into_iter().zip(0..).filter(|&(_, case)| takes_case(case)).for_each(|(check, _)| check());
}
