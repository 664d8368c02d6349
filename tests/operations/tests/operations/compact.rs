//! Compaction on the CPU: the results of a filter, bit for bit, with any number of threads.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proptest::prelude::*;
use test_kernels::mix;
use warpfold::{
    Above, Affine, Below, Cpu, Element, Error, IsNan, NonZero, Not, Predicate, Within, bf16, f16,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Sample, in_quarter, samples, sizes};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

fn assert_same<T: Element>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let bits = bytemuck::bytes_of::<T>;
    let at = found.iter().zip(expected).position(|(found, expected)| bits(found) != bits(expected));
    assert_eq!(at, None, "{what}: first element that differs");
}

/// All operations with a predicate, into a vector and into a slice.
fn check<T: Element, P: Predicate<T>>(cpus: &[Cpu], predicate: P, x: &[T]) {
    let (selected, rejected): (Vec<T>, Vec<T>) = x.iter().partition(|&&x| predicate.holds(x));
    let both = [&selected[..], &rejected[..]].concat();
    let flags: Vec<bool> = x.iter().map(|&x| predicate.holds(x)).collect();
    let blank: Vec<T> = x.iter().rev().copied().collect();
    for cpu in cpus {
        let what = format!("{} of {}, {cpu:?}", selected.len(), x.len());
        assert_same(&cpu.compact(predicate, x).unwrap(), &selected, &what);
        assert_same(&cpu.compact_by_flags(&flags, x).unwrap(), &selected, &what);
        assert_eq!(cpu.count(predicate, x).unwrap(), selected.len() as u64, "{what}");
        let (found, count) = cpu.partition(predicate, x).unwrap();
        assert_eq!(count, selected.len(), "{what}");
        assert_same(&found, &both, &what);
        // The rest of the slice is unchanged.
        let mut out = blank.clone();
        assert_eq!(cpu.compact_into(predicate, x, &mut out).unwrap(), selected.len());
        assert_same(&out, &[&selected[..], &blank[selected.len()..]].concat(), &what);
        let mut out = blank.clone();
        assert_eq!(cpu.compact_by_flags_into(&flags, x, &mut out).unwrap(), selected.len());
        assert_same(&out, &[&selected[..], &blank[selected.len()..]].concat(), &what);
    }
}

fn check_unique<T: Element + PartialEq>(cpus: &[Cpu], x: &[T]) {
    let expected: Vec<T> = x.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    for cpu in cpus {
        let what = format!("{} runs of {}, {cpu:?}", expected.len(), x.len());
        assert_same(&cpu.unique(x).unwrap(), &expected, &what);
        let mut out = x.to_vec();
        assert_eq!(cpu.unique_into(x, &mut out).unwrap(), expected.len());
        assert_same(&out, &[&expected[..], &x[expected.len()..]].concat(), &what);
    }
}

/// Half of the elements at every size; half, most, few and none for inputs of several threads.
fn every_size<T: Element + Sample + PartialOrd + Default>() {
    let several = (2 << 20) / size_of::<T>() + 77;
    let x = samples::<T>(Special, 1, several as u64);
    let above = Above { threshold: T::default() };
    for n in sizes::up_to::<T>(20_000) {
        check(&cpus()[..1], above, &x[..n as usize]);
        check_unique(&cpus()[..1], &x[..n as usize]);
    }
    check(&cpus()[1..], above, &x);
    check(&cpus()[1..2], NonZero, &x);
    check(&cpus()[1..2], IsNan, &x);
    check(&cpus()[..1], Not { predicate: Below { threshold: T::default() } }, &x[..1001]);
    check_unique(&cpus()[1..], &x);
}

#[test]
fn f32_elements() {
    every_size::<f32>();
}

#[test]
fn others_in_turn() {
    in_quarter!(0 => every_size::<f64>());
    in_quarter!(1 => every_size::<u8>());
    in_quarter!(2 => every_size::<i16>());
    in_quarter!(3 => every_size::<f16>());
    in_quarter!(0 => every_size::<bf16>());
    in_quarter!(1 => every_size::<i64>());
    in_quarter!(2 => every_size::<u128>());
}

/// Elements that are not numbers, by flags and by a user's predicate.
#[test]
fn elements_of_several_words() {
    #[derive(Clone, Copy)]
    struct Odd;
    impl Predicate<Affine<i32>> for Odd {
        fn holds(self, x: Affine<i32>) -> bool {
            bytemuck::bytes_of(&x)[0] % 2 == 1
        }
    }
    let x = samples::<Affine<i32>>(Ordinary, 2, 700_000);
    check(cpus(), Odd, &x);
    check(cpus(), Odd, &x[..1001]);
}

/// Runs across the parts of threads, and one that is longer than several parts.
#[test]
fn runs_of_every_length() {
    let n = (2 << 20) / 4 + 5;
    for run in [1, 3, 1 << 18, (1 << 18) + 1, 1 << 21] {
        let x: Vec<u32> = (0..n).map(|i| (mix(i / run) % 3) as u32).collect();
        check_unique(cpus(), &x);
    }
}

#[test]
fn zeros_and_nan_in_runs() {
    let x = [0.0, -0.0, f32::NAN, f32::NAN, -0.0, 0.0, 1.0, 1.0];
    let bits: Vec<u32> = Cpu::new().unique(&x).unwrap().iter().map(|x| x.to_bits()).collect();
    let nan = f32::NAN.to_bits();
    assert_eq!(bits, [0, nan, nan, 1 << 31, 1.0_f32.to_bits()]);
}

#[test]
fn a_slice_that_is_too_short_is_left_alone() {
    let n = 1_000_000;
    let x: Vec<i32> = (0..n).collect();
    for cpu in cpus() {
        let mut out = vec![-7; 999];
        let found = cpu.compact_into(Above { threshold: n - 1001 }, &x, &mut out);
        assert!(matches!(found, Err(Error::Room { needed: 1000, room: 999 })), "{found:?}");
        let found = cpu.unique_into(&x, &mut out);
        assert!(matches!(found, Err(Error::Room { needed: 1_000_000, room: 999 })), "{found:?}");
        let found = cpu.partition_into(Above { threshold: 0 }, &x, &mut out);
        assert!(matches!(found, Err(Error::Room { needed: 1_000_000, room: 999 })), "{found:?}");
        assert_eq!(out, [-7; 999]);
        let found = cpu.compact_into(Above { threshold: n - 1000 }, &x, &mut out).unwrap();
        assert_eq!((found, out[0], out[998]), (999, n - 999, n - 1));
    }
    let error = Cpu::new().compact_by_flags(&[true], &[1, 2]).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 1, right: 2 }), "{error:?}");
}

#[test]
fn of_nothing_nothing() {
    let cpu = Cpu::new();
    assert!(cpu.compact(IsNan, &[0.0_f32; 0]).unwrap().is_empty());
    assert!(cpu.unique(&[0_u8; 0]).unwrap().is_empty());
    assert_eq!(cpu.partition(NonZero, &[0_u8; 0]).unwrap(), (vec![], 0));
}

proptest! {
    #[test]
    fn any_floats_within_any_bounds(bits: Vec<u32>, ends: [f32; 2]) {
        let x: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        check(&cpus()[..1], Within { ends }, &x);
        check(&cpus()[..1], Not { predicate: Within { ends } }, &x);
        check_unique(&cpus()[..1], &x);
    }
}

/// Calls of [`Fewer`].
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Holds for the first 50,000 calls, so for fewer elements when they are moved than when they are counted.
#[derive(Clone, Copy)]
struct Fewer;

impl Predicate<u32> for Fewer {
    fn holds(self, _: u32) -> bool {
        CALLS.fetch_add(1, Relaxed) < 50_000
    }
}

#[test]
fn a_predicate_that_answers_otherwise_later_gives_elements_of_the_input() {
    const N: usize = 40_000;
    let x: Vec<u32> = (7..).take(N).collect();
    let is_of_input =
        |found: &[u32]| found.len() == N && found.iter().all(|found| (7..40_007).contains(found));
    assert!(is_of_input(&Cpu::new().compact(Fewer, &x).unwrap()));
    CALLS.store(0, Relaxed);
    let (parted, count) = Cpu::new().partition(Fewer, &x).unwrap();
    assert!(count == N && is_of_input(&parted));
}
