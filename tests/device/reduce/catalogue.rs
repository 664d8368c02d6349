//! Every pair of the catalogue, and the tree itself, at all sizes of the list and with every launch configuration.

use super::configs;
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{ArgMin, Cpu, Element, ExactSum, First, Kernel, Op, Sum, bf16, reference, tree};
use warpfold_tests::cuda;
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::golden::{self, Backend};
use warpfold_tests::{Bits, Sample, samples, sizes};

/// Compares with the reference at every size up to `limit`, with every launch configuration.
fn check<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(limit: u64) {
    let stream = cuda().stream().unwrap();
    for (seed, family) in [(1, Ordinary), (2, Special), (3, SpecialOnly)] {
        let all = samples::<T>(family, seed, limit);
        let device = cuda().upload(&all).unwrap();
        for n in sizes::up_to::<T>(limit) {
            let expected = reference::reduce::<T, O>(&all[..n as usize]).bits();
            let slice = device.slice(0..n as usize).unwrap();
            assert_eq!(
                stream.reduce(O::default(), &slice).unwrap().bits(),
                expected,
                "{n} elements, {family:?}"
            );
            for plan in configs::plans::<T>(n) {
                let found = configs::fold::<T, O>(&stream, &plan, &slice);
                assert_eq!(found.as_ref().unwrap_or(&expected), &expected, "{family:?}, {plan}");
            }
        }
    }
}

macro_rules! every_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            check::<$element, $op>(300_000);
        }
    )* };
}
gpu_kernels::for_each_kernel!(every_row);

#[test]
fn fingerprints_equal_the_cpus() {
    check::<u32, Strided>((1 << 23) + 5000);
    check::<u32, Ordered>((1 << 23) + 5000);
    check::<u32, MatrixProduct>((1 << 23) + 5000);
}

/// Requirement 3: the tree at every size up to 20,000.
#[test]
fn fingerprints_at_every_small_size() {
    let all = samples::<u32>(Ordinary, 4, 20_000);
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    for n in 0..=all.len() {
        let slice = device.slice(0..n).unwrap();
        let expected = Cpu::new().reduce(Strided::default(), &all[..n]).unwrap();
        assert_eq!(stream.reduce(Strided::default(), &slice).unwrap(), expected, "{n}");
        if n % 13 == 0 {
            for plan in configs::plans::<u32>(n as u64) {
                let found = configs::fold::<u32, Strided>(&stream, &plan, &slice);
                assert_eq!(found.unwrap_or_else(|| expected.bits()), expected.bits(), "{plan}");
            }
        }
    }
}

struct OnGpu;

impl Backend for OnGpu {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        cuda().reduce(O::default(), &cuda().upload(x).unwrap()).unwrap().bits()
    }
}

#[test]
fn gpu_gives_the_golden_bits() {
    golden::assert_all_kept(&golden::lines(&OnGpu));
}

/// Every kernel that folds one array, with operators of every kind: with an order of their own, free, with a
/// large accumulator, not commutative. Only a few short runs, since compute-sanitizer makes each take many
/// times as long.
#[test]
fn sanitize_reduce() {
    fn check<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>() {
        let tile = tree::tile_len::<T>(0);
        let all = samples::<T>(Special, 31, 33 * tile + 6);
        let device = cuda().upload(&all).unwrap();
        let stream = cuda().stream().unwrap();
        for (offset, n) in [(0, 1), (1, 1000), (0, 5 * tile + 3), (1, 33 * tile + 5)] {
            let range = offset..offset + n as usize;
            let expected = reference::reduce::<T, O>(&all[range.clone()]).bits();
            let slice = device.slice(range).unwrap();
            assert_eq!(stream.reduce(O::default(), &slice).unwrap().bits(), expected, "{n} elements");
            for plan in configs::plans::<T>(n) {
                let found = configs::fold::<T, O>(&stream, &plan, &slice);
                assert_eq!(found.as_ref().unwrap_or(&expected), &expected, "{plan}");
            }
        }
    }
    check::<f32, Sum>();
    check::<i32, Sum>();
    check::<bf16, ArgMin>();
    check::<f32, ExactSum>();
    check::<u8, First>();
    check::<u32, Ordered>();
    check::<u32, MatrixProduct>();
}
