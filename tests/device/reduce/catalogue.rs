//! Pairs of the catalogue, and the tree itself, at sizes of the list and with every launch configuration.

use super::configs;
use super::pairs::Device;
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::kernels::Kernel;
use warpfold::{ArgMin, Cpu, Element, ExactSum, First, Op, Sum, bf16, reference, tree};
use warpfold_tests::data::Family::{self, Ordinary, Special, SpecialOnly};
use warpfold_tests::{
    Bits, Sample, cuda, each_pair, golden, is_emulated, on_gpu_or_emulated, samples, sizes, turn,
};

/// Compares with the reference at these sizes, of slices that begin at the first and at the second element, with the launch
/// configurations whose size and number are taken.
fn check<T, O>(sizes: &[u64], families: &[Family], takes: impl Fn(usize, usize) -> bool)
where
    T: Element + Sample,
    O: Kernel<T> + Default + Op<T, Out: Bits>,
{
    let stream = cuda().stream().unwrap();
    let longest = sizes.iter().copied().max().unwrap_or(0);
    for (seed, &family) in (1..).zip(families) {
        let all = samples::<T>(family, seed, longest + 1);
        let device = cuda().upload(&all).unwrap();
        for (i, &n) in sizes.iter().enumerate() {
            let range = i % 2..i % 2 + n as usize;
            let expected = reference::reduce::<T, O>(&all[range.clone()]).bits();
            let slice = device.slice(range).unwrap();
            assert_eq!(
                stream.reduce(O::default(), &slice).unwrap().bits(),
                expected,
                "{n} elements, {family:?}"
            );
            for (number, plan) in configs::plans::<T>(n).into_iter().enumerate() {
                if takes(i, number) {
                    let found = configs::fold::<T, O>(&stream, &plan, &slice);
                    assert_eq!(found.as_ref().unwrap_or(&expected), &expected, "{family:?}, {plan}");
                }
            }
        }
    }
}

/// On the emulated device a few sizes, each with a third of the configurations: the longest of 17 tiles, or of 5 where these are long.
fn pair<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>() {
    if is_emulated() {
        let tile = tree::tile_len::<T>(0);
        let sizes = [1, 31, 1000, tile + 1, 3 * tile - 3, (17 * tile).min(80_000) + 5];
        return check::<T, O>(&sizes, &[Special], |i, number| (i + number).is_multiple_of(3));
    }
    check::<T, O>(&sizes::up_to::<T>(300_000), &[Ordinary, Special, SpecialOnly], |_, _| true);
}

each_pair! {
    pair of gpu_kernels::for_each_kernel, or takes_of_kernels of warpfold_tests::for_each_sampled_kernel
}

/// The tree itself: every edge of a vector, a warp, a tile, a span; and where tiles have grown.
#[test]
fn fingerprints_equal_the_cpus() {
    const GROWN: u64 = (1 << 23) + 5000;
    fn check_each<O: Kernel<u32> + Default + Op<u32, Out: Bits>>(name: &str) {
        if is_emulated() {
            let edges = [127, 128, 1023, 1024, 4095, 4096, 4097, 8191, 8192, 8193, 16_384, 16_385, 65_537];
            let sizes: Vec<u64> = [1, 2, 3, 4, 5].into_iter().chain(edges).collect();
            check::<u32, O>(&sizes, &[Ordinary], |i, number| (i + number).is_multiple_of(3));
            // Half a minute.
            if turn::is_next_of(&["strided", "ordered", "matrices"], name) {
                check::<u32, O>(&[GROWN], &[Ordinary], |_, _| false);
            }
            return;
        }
        check::<u32, O>(&sizes::up_to::<u32>(GROWN), &[Ordinary, Special, SpecialOnly], |_, _| true);
    }
    check_each::<Strided>("strided");
    check_each::<Ordered>("ordered");
    check_each::<MatrixProduct>("matrices");
}

/// Requirement 3: the tree at every size up to 20,000; on the emulated device at a sixteenth, by turn, up to 5000.
#[test]
fn fingerprints_at_every_small_size() {
    let all = samples::<u32>(Ordinary, 4, on_gpu_or_emulated(20_000, 5000));
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    let sizes = (0..=all.len()).filter(|&n| !is_emulated() || turn::is_in_sixteenth(n as u64));
    for n in sizes {
        let slice = device.slice(0..n).unwrap();
        let expected = Cpu::new().reduce(Strided::default(), &all[..n]).unwrap();
        assert_eq!(stream.reduce(Strided::default(), &slice).unwrap(), expected, "{n}");
        if n % on_gpu_or_emulated(13, 130) == 0 {
            for plan in configs::plans::<u32>(n as u64) {
                let found = configs::fold::<u32, Strided>(&stream, &plan, &slice);
                assert_eq!(found.unwrap_or_else(|| expected.bits()), expected.bits(), "{plan}");
            }
        }
    }
}

#[test]
fn the_device_gives_the_golden_bits() {
    let lines = golden::lines(&Device { longest: on_gpu_or_emulated(u64::MAX, 20_000) });
    if cfg!(feature = "catalogue") && !is_emulated() {
        return golden::assert_all_kept(&lines);
    }
    golden::assert_kept(&lines);
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
        let longest = on_gpu_or_emulated(33, 9) * tile + 5;
        for (i, (offset, n)) in [(0, 1), (1, 1000), (0, 5 * tile + 3), (1, longest)].into_iter().enumerate() {
            let range = offset..offset + n as usize;
            let expected = reference::reduce::<T, O>(&all[range.clone()]).bits();
            let slice = device.slice(range).unwrap();
            assert_eq!(stream.reduce(O::default(), &slice).unwrap().bits(), expected, "{n} elements");
            // On the emulated device a third for each size.
            for (number, plan) in configs::plans::<T>(n).into_iter().enumerate() {
                if is_emulated() && !(i + number).is_multiple_of(3) {
                    continue;
                }
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
