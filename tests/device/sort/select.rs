//! Selection: the first elements in an order, medians and quantiles, with the bits and the order of the CPU
//! backend.

use bytemuck::{CheckedBitPattern, NoUninit};
use test_kernels::mix;
use warpfold::{At, Cpu, DeviceArray, Interpolate, Interpolation, RankedNumber, bf16, f16};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, ORDERS, Sample, Sequence, cuda, samples, sizes};

/// A type that can be copied from a device.
trait Downloaded: RankedNumber + Bits + CheckedBitPattern<Bits: NoUninit> {}
impl<T: RankedNumber + Bits + CheckedBitPattern<Bits: NoUninit>> Downloaded for T {}

/// Compares the first elements of slices of a device, in both orders, with the CPU's: from any element, whole
/// or in part.
fn first_agree<T: Downloaded>(x: &[T], ks: &[usize]) {
    let on_device = cuda().upload(x).unwrap();
    for first in [0, 1, 7] {
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
    assert!(values.iter().map(Bits::bits).eq(expected.iter().map(|at| at.value.bits())), "{what}, values");
}

/// From more elements than a block sorts up to all: of every width, with many equal ones and with none.
fn many_agree<T: Downloaded>(of: impl Fn(u64) -> T) {
    for n in [2049_u64, 70_000, 300_007] {
        for values in [1, 3, 1000, u64::MAX] {
            let x: Vec<T> = (0..n).map(|i| of(mix(i) % values)).collect();
            let n = n as usize;
            let ks = [2048, 2049, 65_536, n / 3, n - 1, n];
            first_agree(&x, &ks);
        }
    }
}

#[test]
fn many_of_every_width() {
    many_agree(|x| x as u8);
    many_agree(|x| f16::from_bits(x as u16));
    many_agree(|x| x as i16);
    many_agree(|x| x as u32);
    many_agree(|x| f32::from_bits(x as u32));
    many_agree(|x| (x as i64).rotate_left(17));
    many_agree(f64::from_bits);
}

/// The selected elements end among equal ones, near the beginning and near the end.
#[test]
fn many_end_among_equals() {
    let n = 6_000_011_u64;
    for part in [2, 7, 1000] {
        let x: Vec<i32> = (0..n).map(|i| (i % part) as i32 - 1).collect();
        for k in [2049, 65_536, 1_000_000, n / 2, n - 70_000] {
            first_agree(&x, &[k as usize]);
        }
        let x: Vec<i64> = x.iter().map(|&x| i64::from(x) << 33).collect();
        first_agree(&x, &[65_536, 1_000_000]);
    }
}

/// Compares quantiles.
fn quantiles_agree<T: RankedNumber + Interpolate<Out: Bits>>(x: &[T]) {
    let qs = [0.5, 0.0, 1.0, 0.1, 0.9, 1.0 / 3.0, 0.999];
    let on_device = cuda().upload(x).unwrap();
    for how in [Interpolation::Linear, Interpolation::Higher, Interpolation::Midpoint] {
        let bits = |found: Vec<T::Out>| -> Vec<_> { found.iter().map(Bits::bits).collect() };
        let found = cuda().quantiles(&on_device, &qs, how).unwrap();
        assert!(
            bits(found) == bits(Cpu::new().quantiles(x, &qs, how).unwrap()),
            "{how:?} of {} of {} bytes",
            x.len(),
            size_of::<T>()
        );
    }
    let found = cuda().median(&on_device).unwrap();
    assert!(found.bits() == Cpu::new().median(x).unwrap().bits(), "the median of {}", x.len());
}

fn every_size<T: Downloaded + Interpolate<Out: Bits> + Sample>() {
    let special = samples::<T>(Special, 91, 3_000_000);
    let ordinary = samples::<T>(Ordinary, 92, 3_000_000);
    for n in sizes::up_to::<T>(100_000).into_iter().map(|n| n as usize).filter(|n| n % 3 == 0 || *n < 70) {
        first_agree(&special[..n], &[0, 1, 100, n]);
        if n > 0 {
            quantiles_agree(&ordinary[..n]);
        }
    }
    first_agree(&special, &[1, 2, 1000, 2048, 2049, 65_536, 100_000]);
    first_agree(&ordinary, &[1, 50, 2048, 70_000]);
    quantiles_agree(&special);
    quantiles_agree(&ordinary);
}

#[test]
fn numbers_of_4_bytes() {
    every_size::<f32>();
    every_size::<u32>();
    every_size::<i32>();
}

#[test]
fn numbers_of_8_bytes() {
    every_size::<f64>();
    every_size::<i64>();
    every_size::<u64>();
}

#[test]
fn short_numbers() {
    every_size::<f16>();
    every_size::<bf16>();
    every_size::<i16>();
    every_size::<u8>();
    every_size::<bool>();
}

/// Orders that ruin a pivot or a sample, and equal elements, of which the first count.
#[test]
fn sorted_reversed_equal_organ_pipes_and_unseen() {
    const N: u64 = 5_000_011;
    // At the places where a sample is taken for elements of 8 bytes there is only the least element.
    let unseen = |i: u64, _: u64| if i % 790 < 4 { 0 } else { mix(i) };
    for at in ORDERS.map(|(_, at)| at).into_iter().chain([unseen as Sequence]) {
        let x: Vec<u64> = (0..N).map(|i| at(i, N)).collect();
        first_agree(&x, &[1, 100, 2048, 30_000]);
        quantiles_agree(&x);
        let x: Vec<u32> = x.iter().map(|&x| x as u32).collect();
        first_agree(&x, &[1, 100, 2048, 30_000]);
    }
}

/// The same call has the same result every time, though candidates come in any order.
#[test]
fn every_run_is_the_same() {
    let x: Vec<u32> = (0..20_000_003).map(|i| (mix(i) % 1000) as u32).collect();
    let on_device = cuda().upload(&x).unwrap();
    for k in [100, 5000] {
        let right = Cpu::new().top_k(&x, k).unwrap();
        for _ in 0..20 {
            are(cuda().top_k(&on_device, k).unwrap(), &right, "once more");
        }
    }
}

/// Beyond 2^32 elements, where indices have more than 32 bits.
#[test]
fn more_elements_than_32_bits_count() {
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
    fn check<T: Downloaded + Interpolate<Out: Bits> + Sample>() {
        let x = samples::<T>(Special, 33, 70_001);
        first_agree(&x, &[1, 100, 3000]);
        quantiles_agree(&samples::<T>(Ordinary, 34, 70_001));
    }
    check::<u8>();
    check::<bf16>();
    check::<f32>();
    check::<f64>();
}
