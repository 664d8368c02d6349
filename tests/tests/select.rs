//! Selection of elements by their place in the sorted sequence, on the CPU: against the standard library's
//! sort.
#![cfg(second_half)]
#![allow(missing_docs)]

use std::sync::LazyLock;

use proptest::prelude::*;
use warpfold::elements::{SortKey, TotalOrder};
use warpfold::{Cpu, Error, Interpolation, NanGreatest, Order, bf16, f16};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::total::Total;
use warpfold_tests::{Bits, ORDERS, Sample, in_turn, samples, sizes, turn};

const HOW: [Interpolation; 5] = [
    Interpolation::Linear,
    Interpolation::Lower,
    Interpolation::Higher,
    Interpolation::Nearest,
    Interpolation::Midpoint,
];

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

/// The first elements of the sorted sequence, in both orders.
fn first_agree<T: TotalOrder + Total + Bits>(cpus: &[Cpu], x: &[T], ks: &[usize]) {
    for order in [Order::Ascending, Order::Descending] {
        let mut indices: Vec<usize> = (0..x.len()).collect();
        indices.sort_by(|&a, &b| x[a].total_in(order, &x[b]));
        for cpu in cpus {
            for &k in ks.iter().filter(|&&k| k <= x.len()) {
                let found =
                    if order == Order::Ascending { cpu.bottom_k(x, k) } else { cpu.top_k(x, k) }.unwrap();
                assert_eq!(found.len(), k);
                for (found, &index) in found.iter().zip(&indices) {
                    let same = bytemuck::bytes_of(&found.value) == bytemuck::bytes_of(&x[index]);
                    assert!(
                        same && found.index == index as u64,
                        "first {k} of {}, {order:?}, {cpu:?}: {} at {}, expected {} at {index}",
                        x.len(),
                        found.value.bits(),
                        found.index,
                        x[index].bits()
                    );
                }
            }
        }
    }
}

/// A quantile by its definition, for sorted numbers that are exact in f64.
fn defined(sorted: &[f64], q: f64, how: Interpolation) -> f64 {
    let h = (sorted.len() - 1) as f64 * q;
    let (below, above) = (sorted[h.floor() as usize], sorted[h.ceil() as usize]);
    match how {
        Interpolation::Linear if h.fract() < 0.5 => below + (above - below) * h.fract(),
        Interpolation::Linear => above - (above - below) * (1.0 - h.fract()),
        Interpolation::Lower => below,
        Interpolation::Higher => above,
        Interpolation::Nearest if h.fract() == 0.5 && h.floor() % 2.0 == 0.0 => below,
        Interpolation::Nearest => {
            if h.fract() < 0.5 {
                below
            } else {
                above
            }
        }
        Interpolation::Midpoint if below == above => below,
        Interpolation::Midpoint => above - (above - below) / 2.0,
    }
}

/// Quantiles of finite numbers.
fn quantiles_agree<T: SortKey<Quantile: Bits> + Total>(cpus: &[Cpu], x: &[T], qs: &[f64]) {
    let mut sorted = x.to_vec();
    sorted.sort_by(Total::total);
    let sorted: Vec<f64> = sorted.into_iter().map(T::to_f64).collect();
    for how in HOW {
        let expected: Vec<_> = qs.iter().map(|&q| T::from_f64(defined(&sorted, q, how)).bits()).collect();
        for cpu in cpus {
            let found: Vec<_> = cpu.quantiles(x, qs, how).unwrap().iter().map(Bits::bits).collect();
            assert_eq!(found, expected, "{} elements, {how:?}, {cpu:?}", x.len());
        }
    }
}

fn every_size<T: SortKey<Quantile: Bits> + Total + Sample + Bits>() {
    let several = ((2 << 20) / size_of::<T>()).min(600_000) + 77;
    let special = samples::<T>(Special, 1, several as u64);
    let ordinary = samples::<T>(Ordinary, 2, several as u64);
    for n in sizes::up_to::<T>(9_000) {
        let n = n as usize;
        first_agree(&cpus()[..1], &special[..n], &[0, 1, 2, 7, n / 2, n]);
        if n > 0 {
            quantiles_agree(&cpus()[..1], &ordinary[..n], &[0.5, 0.0, 1.0, 0.1, 0.9, 1.0 / 3.0, 0.999]);
        }
    }
    first_agree(&cpus()[1..], &special, &[1, 100, several / 3]);
    quantiles_agree(&cpus()[1..], &ordinary, &[0.25, 0.5, 0.75]);
    // Enough that the elements are sorted.
    let percents: Vec<f64> = (0..=100).map(|i| f64::from(i) / 100.0).collect();
    quantiles_agree(&cpus()[1..2], &ordinary, &percents);
}

/// f32 in every turn, three types in four turns, and one of the others per turn.
#[test]
fn every_type() {
    turn::check(&[
        ("f32", Some(every_size::<f32>)),
        ("f64", in_turn!(is_quarter_of, f64 => every_size::<f64>)),
        ("u64", in_turn!(is_quarter_of, u64 => every_size::<u64>)),
        ("bool", in_turn!(is_quarter_of, bool => every_size::<bool>)),
        ("f16", in_turn!(f16 => every_size::<f16>)),
        ("bf16", in_turn!(bf16 => every_size::<bf16>)),
        ("u8", in_turn!(u8 => every_size::<u8>)),
        ("i16", in_turn!(i16 => every_size::<i16>)),
        ("i32", in_turn!(i32 => every_size::<i32>)),
        ("i128", in_turn!(i128 => every_size::<i128>)),
    ]);
}

/// Inputs for which selection by pivots is slow, and inputs whose digits distinguish least.
#[test]
fn sorted_reversed_equal_organ_pipes_and_killers() {
    const N: u64 = 300_001;
    for (_, at) in ORDERS {
        let x: Vec<u64> = (0..N).map(|i| at(i, N)).collect();
        first_agree(&cpus()[1..], &x, &[1, 100, 300_000]);
        quantiles_agree(cpus(), &x, &[0.5, 0.1, 0.9]);
    }
}

#[test]
fn nan_passes_through_and_infinities_are_numbers() {
    for cpu in cpus() {
        for nan in f32::nans() {
            let x = [1.0, nan, 3.0];
            let found = cpu.quantiles(&x, &[0.0, 0.5, 1.0], Interpolation::Lower).unwrap();
            assert!(found.iter().all(|x| x.to_bits() == 0x7fc0_0000), "{found:?}");
        }
        let ends = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(cpu.median(&ends).unwrap().to_bits(), f64::NAN.to_bits() & !(1 << 63));
        assert_eq!(cpu.quantiles(&ends, &[0.0, 1.0], Interpolation::Linear).unwrap(), ends);
        assert_eq!(cpu.median(&[1.0, f64::INFINITY]).unwrap(), f64::INFINITY);
        assert_eq!(cpu.median(&[-0.0_f32]).unwrap().to_bits(), 1 << 31);
    }
    let top = Cpu::new().top_k(&[1.0, f32::NAN, f32::INFINITY, -f32::NAN], 2).unwrap();
    assert_eq!(top.iter().map(|at| at.index).collect::<Vec<_>>(), [1, 2]);
}

/// The first elements; and quantiles, which are NaN only where they lie among NaNs.
#[test]
fn nans_that_are_greatest() {
    let all = || (0..=u16::MAX).map(|i| i.wrapping_mul(40_503));
    let (f16s, bf16s): (Vec<f16>, Vec<bf16>) =
        (all().map(f16::from_bits).collect(), all().map(bf16::from_bits).collect());
    let ks = [0, 1, 254, 255, 2047, 5000, 65_536];
    first_agree(cpus(), NanGreatest::wrap_slice(&f16s), &ks);
    first_agree(cpus(), NanGreatest::wrap_slice(&bf16s), &ks);
    first_agree(cpus(), NanGreatest::wrap_slice(&samples::<f32>(Special, 1, 600_000)), &[1, 100, 200_000]);
    first_agree(&cpus()[..1], NanGreatest::wrap_slice(&samples::<f64>(Special, 1, 999)), &[1, 10, 999]);

    let zero = std::hint::black_box(0.0_f64);
    for cpu in cpus() {
        for nan in f64::nans().into_iter().chain([zero / zero]) {
            let x = [nan, 3.0, 1.0, nan, 2.0];
            let x = NanGreatest::wrap_slice(&x);
            assert_eq!(cpu.top_k(x, 3).unwrap().iter().map(|at| at.index).collect::<Vec<_>>(), [0, 3, 1]);
            assert_eq!(cpu.median(x).unwrap(), 3.0);
            let found = cpu.quantiles(x, &[0.0, 0.125, 0.5, 0.625, 1.0], Interpolation::Linear).unwrap();
            let canonical = f64::NAN.to_bits() & !(1 << 63);
            assert_eq!(found[..3], [1.0, 1.5, 3.0]);
            assert!(found[3..].iter().all(|x| x.to_bits() == canonical), "{found:?}");
            assert!(cpu.median(&[1.0, nan, 2.0]).unwrap().is_nan());
        }
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let x = [1.0_f32, 2.0];
    let cpu = Cpu::new();
    assert!(matches!(cpu.top_k(&x, 3), Err(Error::TooFew { wanted: 3, len: 2 })));
    assert!(matches!(cpu.bottom_k(&x[..0], 1), Err(Error::TooFew { wanted: 1, len: 0 })));
    assert!(matches!(cpu.median(&x[..0]), Err(Error::NoElements)));
    for q in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let error = cpu.quantiles(&x, &[0.5, q], Interpolation::Linear).unwrap_err();
        assert!(matches!(error, Error::Quantile { .. }), "{error:?}");
    }
    assert!(cpu.quantiles(&x, &[], Interpolation::Linear).unwrap().is_empty());
}

proptest! {
    #[test]
    fn any_floats(bits in prop::collection::vec(any::<u32>(), 1..300), k in 0_usize..300) {
        let x: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        first_agree(&cpus()[..1], &x, &[k, x.len()]);
    }

    #[test]
    fn any_quantiles(x in prop::collection::vec(-1000_i32..1000, 1..300), q in 0.0..=1.0) {
        quantiles_agree(&cpus()[..1], &x, &[q]);
    }
}
