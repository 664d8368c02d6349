//! Sorts on the CPU: the standard library's stable sort, bit for bit, with any number of threads.

use std::sync::LazyLock;

use proptest::prelude::*;
use warpfold::Order::{Ascending, Descending};
use warpfold::elements::TotalOrder;
use warpfold::{Cpu, Error, NanGreatest, Order, bf16, f16};
use warpfold_tests::data::Family::{Special, SpecialOnly};
use warpfold_tests::threads::with_threads;
use warpfold_tests::total::Total;
use warpfold_tests::{ORDERS, Sample, Sequence, in_turn, samples, sizes, turn};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

/// Keys alone, with values and as indices.
fn check<T: TotalOrder + Total>(cpus: &[Cpu], x: &[T], what: &str) {
    for order in [Ascending, Descending] {
        let mut indices: Vec<usize> = (0..x.len()).collect();
        indices.sort_by(|&a, &b| x[a].total_in(order, &x[b]));
        let expected: Vec<T> = indices.iter().map(|&i| x[i]).collect();
        for cpu in cpus {
            let what = format!("{what}, {} elements, {order:?}, {cpu:?}", x.len());
            let same = |found: &[T]| {
                bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(&expected)
            };
            let mut keys = x.to_vec();
            cpu.sort(&mut keys, order).unwrap();
            assert!(same(&keys), "{what}");
            assert!(cpu.argsort(x, order).unwrap() == indices, "{what}, indices");
            let mut keys = x.to_vec();
            let mut values: Vec<[u32; 3]> = (0..x.len() as u32).map(|i| [i, !i, 7]).collect();
            cpu.sort_pairs(&mut keys, &mut values, order).unwrap();
            assert!(same(&keys), "{what}, pairs");
            assert!(values.iter().zip(&indices).all(|(value, &i)| value[0] as usize == i), "{what}, values");
        }
    }
}

fn every_size<T: TotalOrder + Total + Sample>() {
    let several = ((2 << 20) / size_of::<T>()).min(600_000) + 77;
    let x = samples::<T>(Special, 1, several.max(9_000) as u64);
    for n in sizes::up_to::<T>(9_000) {
        check(&cpus()[..1], &x[..n as usize], "ordinary and special");
    }
    check(&cpus()[..1], &samples::<T>(SpecialOnly, 2, 999), "special");
    check(&cpus()[1..], &x[..several], "of several threads");
}

/// Ranks of 1 to 16 bytes: f32 and u32 in every turn, three types in four turns, and one of the others per turn.
#[test]
fn every_type() {
    turn::check(&[
        ("f32", Some(every_size::<f32>)),
        ("f64", in_turn!(is_quarter_of, f64 => every_size::<f64>)),
        ("u32", Some(every_size::<u32>)),
        ("i64", in_turn!(is_quarter_of, i64 => every_size::<i64>)),
        ("bool", in_turn!(is_quarter_of, bool => every_size::<bool>)),
        ("f16", in_turn!(f16 => every_size::<f16>)),
        ("bf16", in_turn!(bf16 => every_size::<bf16>)),
        ("i8", in_turn!(i8 => every_size::<i8>)),
        ("i16", in_turn!(i16 => every_size::<i16>)),
        ("i32", in_turn!(i32 => every_size::<i32>)),
        ("i128", in_turn!(i128 => every_size::<i128>)),
        ("u8", in_turn!(u8 => every_size::<u8>)),
        ("u16", in_turn!(u16 => every_size::<u16>)),
        ("u64", in_turn!(u64 => every_size::<u64>)),
        ("u128", in_turn!(u128 => every_size::<u128>)),
    ]);
}

/// Inputs for which sorts by pivots are slow: a quarter of them in each turn.
#[test]
fn sorted_reversed_equal_organ_pipes_and_killers() {
    const N: u64 = 300_001;
    let killer = |i: u64, _: u64| match i {
        // Musser, Introspective Sorting and Selection Algorithms, 1997: against medians of three.
        i if i >= N / 2 => 2 * (i - N / 2 + 1),
        i if i % 2 == 0 => i + 1,
        i => N / 2 + i,
    };
    let all = ORDERS.into_iter().chain([("killer", killer as Sequence)]).zip(0..);
    for ((name, at), _) in all.filter(|&(_, i)| turn::is_in_quarter(i)) {
        let x: Vec<u64> = (0..N).map(|i| at(i, N)).collect();
        check(&cpus()[1..], &x, name);
        let x: Vec<f32> = x.iter().map(|&x| x as f32 - 1000.0).collect();
        check(&cpus()[..1], &x, name);
    }
}

/// Every value of 16 bits, and long arrays of floats with many NaNs.
#[test]
fn nans_that_are_greatest() {
    let all = || (0..=u16::MAX).map(|i| i.wrapping_mul(40_503));
    check(cpus(), NanGreatest::wrap_slice(&all().map(f16::from_bits).collect::<Vec<_>>()), "all f16");
    check(cpus(), NanGreatest::wrap_slice(&all().map(bf16::from_bits).collect::<Vec<_>>()), "all bf16");
    for n in [7, 100, 9_000] {
        check(&cpus()[..1], NanGreatest::wrap_slice(&samples::<f32>(Special, 4, n)), "f32");
        check(&cpus()[..1], NanGreatest::wrap_slice(&samples::<f64>(SpecialOnly, 5, n)), "f64");
    }
    check(&cpus()[1..], NanGreatest::wrap_slice(&samples::<f32>(Special, 6, 600_000)), "of several threads");
}

/// 0.0 / 0.0, which has a sign on x86, is where NumPy and polars have it.
#[test]
fn a_nan_that_was_computed_is_last_if_it_is_greatest() {
    let zero = std::hint::black_box(0.0_f32);
    for nan in [zero / zero, -(zero / zero)] {
        let mut x = [2.0, nan, f32::INFINITY, 1.0];
        assert_eq!(Cpu::new().argsort(NanGreatest::wrap_slice(&x), Ascending).unwrap(), [3, 0, 2, 1]);
        assert_eq!(Cpu::new().argsort(NanGreatest::wrap_slice(&x), Descending).unwrap(), [1, 2, 0, 3]);
        Cpu::new().sort(NanGreatest::wrap_slice_mut(&mut x), Ascending).unwrap();
        assert!(x[..3] == [1.0, 2.0, f32::INFINITY] && x[3].to_bits() == nan.to_bits());
        let mut pairs = [2, 1, 3, 0];
        Cpu::new().sort_pairs(NanGreatest::wrap_slice_mut(&mut x), &mut pairs, Descending).unwrap();
        assert_eq!(pairs, [0, 3, 1, 2]);
    }
}

#[test]
fn edges() {
    let cpu = Cpu::new();
    let error = cpu.sort_pairs(&mut [1, 2], &mut ['a'], Order::Ascending).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 2, right: 1 }), "{error:?}");
    assert!(cpu.argsort(&[0.0_f32; 0], Descending).unwrap().is_empty());
    let (mut keys, mut nothing) = ([3_u8, 1, 2], [(); 3]);
    cpu.sort_pairs(&mut keys, &mut nothing, Order::default()).unwrap();
    assert_eq!(keys, [1, 2, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_floats(bits: Vec<u32>) {
        let x: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        check(&cpus()[..1], &x, "any floats");
    }

    #[test]
    fn any_few_values(x in prop::collection::vec(0_i64..5, 0..9_000)) {
        check(&cpus()[..1], &x, "few values");
    }
}
