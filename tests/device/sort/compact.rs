//! Compaction and partition: the bits and the order of the CPU backend.

use bytemuck::AnyBitPattern;
use test_kernels::mix;
use warpfold::elements::{ByRank, RankedNumber};
use warpfold::{Above, Below, Cpu, Error, IsNan, NanGreatest, NonZero, Not, Within, bf16, f16};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Sample, cuda, is_emulated, on_gpu_or_emulated, samples, sizes};

/// Compares slices of a device with the CPU's results: from any element, whole or in part.
fn check<T: RankedNumber + AnyBitPattern, P: ByRank<T>>(predicate: P, x: &[T]) {
    let bytes = |x: &[T]| bytemuck::cast_slice::<T, u8>(x).to_vec();
    let on_device = cuda().upload(x).unwrap();
    let is_long = is_emulated() && x.len() > 5000;
    for &first in if is_long { &[1][..] } else { &[0, 1, 7] } {
        let Some(x) = x.get(first..) else { continue };
        let slice = on_device.slice(first..).unwrap();
        let what = format!("{} elements of {} bytes from {first}", x.len(), size_of::<T>());
        let found = cuda().compact(predicate, slice).unwrap().to_vec().unwrap();
        assert!(bytes(&found) == bytes(&Cpu::new().compact(predicate, x).unwrap()), "{what}");
        let (found, count) = cuda().partition(predicate, slice).unwrap();
        let (expected, of_cpu) = Cpu::new().partition(predicate, x).unwrap();
        assert_eq!(count, of_cpu, "{what}");
        assert!(bytes(&found.to_vec().unwrap()) == bytes(&expected), "{what}");
    }
}

fn every_size<T: RankedNumber + AnyBitPattern + Sample + bytemuck::Pod>() {
    let x = samples::<T>(Special, 81, on_gpu_or_emulated(3_000_000, 20_003));
    // The elements of a tile.
    let tile = 16_384 / size_of::<T>().max(4);
    let emulated = vec![0, 1, 2, 33, tile - 1, tile, tile + 1, 3 * tile + 77];
    let all = sizes::up_to::<T>(300_000).into_iter().map(|n| n as usize).collect();
    for n in on_gpu_or_emulated(all, emulated) {
        check(Above { threshold: T::default() }, &x[..n]);
    }
    check(Above { threshold: T::default() }, &x);
    check(Not { predicate: Below { threshold: x[5] } }, &x);
    check(NonZero, &x);
    check(IsNan, &x);
    let [least, most] = T::numbers();
    check(Within { ends: [least, most] }, &x);
}

#[test]
fn numbers_of_every_size() {
    every_size::<u8>();
    every_size::<i8>();
    every_size::<i16>();
    every_size::<u16>();
    every_size::<f16>();
    every_size::<bf16>();
    every_size::<i32>();
    every_size::<u32>();
    every_size::<f32>();
    every_size::<i64>();
    every_size::<f64>();
}

/// Bounds below and between, with floats of every kind on either side, and NaNs that are greatest.
#[test]
fn floats_within_and_outside_of_bounds() {
    let x = samples::<f32>(Special, 85, 20_003);
    check(Within { ends: [-1.5, 1.0] }, &x);
    check(Not { predicate: Within { ends: [-1.5, -0.0] } }, &x);
    check(Above { threshold: -0.0 }, &x);
    check(Below { threshold: f32::NAN }, &x);
    let signed: Vec<i64> = (0..20_003).map(|i| mix(i) as i64).collect();
    check(Below { threshold: 78 }, &signed);
    check(Not { predicate: Within { ends: [-5, i64::MAX] } }, &signed);
    let x = NanGreatest::wrap_slice(&x);
    check(IsNan, x);
    check(NonZero, x);
    check(Above { threshold: NanGreatest(-20.0) }, x);
    let x: Vec<_> = samples::<f16>(Special, 86, 20_003).into_iter().map(NanGreatest).collect();
    check(Below { threshold: NanGreatest(f16::ONE) }, &x);
}

/// One in a hundred, half, all but one in a hundred, none and all, each several times: nothing remains from one
/// launch to the next.
#[test]
fn every_selectivity() {
    let (n, short, turns) = on_gpu_or_emulated((20_000_003, 3_000_000, 3), (100_003, 20_000, 2));
    let x: Vec<u32> = (0..n).map(|i| mix(i) as u32).collect();
    for share in [0.0, 0.01, 0.5, 0.99, 1.0] {
        let threshold = (share * f64::from(u32::MAX)) as u32;
        for _ in 0..turns {
            check(Below { threshold }, &x[..short]);
        }
        check(Below { threshold }, &x);
    }
}

#[test]
fn flags_beside_elements_of_every_size() {
    let n = on_gpu_or_emulated(1_000_003, 40_003);
    let flags: Vec<bool> = (0..n as u64).map(|i| mix(i).is_multiple_of(3)).collect();
    let others: Vec<bool> = flags.iter().map(|flag| !flag).collect();
    let on_flags = cuda().upload(&flags).unwrap();
    macro_rules! sizes {
        ($($element:ty),*) => { $(
            let x = samples::<$element>(Special, 82, n as u64);
            let on_device = cuda().upload(&x).unwrap();
            for (first, first_flag) in [(0, 0), (1, 0), (0, 3)] {
                let len = n - 7;
                let range = first..first + len;
                let on_device = on_device.slice(range.clone()).unwrap();
                let on_flags = on_flags.slice(first_flag..first_flag + len).unwrap();
                let select = |flags: &[bool]| {
                    Cpu::new().compact_by_flags(&flags[first_flag..first_flag + len], &x[range.clone()]).unwrap()
                };
                let found = cuda().compact_by_flags(&on_flags, &on_device).unwrap().to_vec().unwrap();
                let bytes = |x: &[$element]| bytemuck::cast_slice::<$element, u8>(x).to_vec();
                assert!(bytes(&found) == bytes(&select(&flags)), "{} bytes", size_of::<$element>());
                let (found, _) = cuda().partition_by_flags(&on_flags, &on_device).unwrap();
                let expected = [select(&flags), select(&others)].concat();
                assert!(bytes(&found.to_vec().unwrap()) == bytes(&expected), "{} bytes", size_of::<$element>());
            }
        )* };
    }
    sizes!(u8, i16, f32, u64, u128);
    let triples = cuda().upload(&vec![[1_u32; 3]; n]).unwrap();
    let refused = cuda().compact_by_flags(&on_flags, &triples);
    assert!(matches!(refused, Err(Error::Plan { .. })), "{refused:?}");
    let few = cuda().upload(&[1_u32; 3]).unwrap();
    let refused = cuda().compact_by_flags(&on_flags, &few);
    assert!(matches!(refused, Err(Error::Lengths { left, right: 3 }) if left == n as u64), "{refused:?}");
}

/// Runs of every length, starting at any element.
#[test]
fn the_first_of_each_run() {
    let n = on_gpu_or_emulated(2_000_003, 20_003);
    for run in [1, 2, 3, 4095, 4096, n / 2] {
        let x: Vec<u32> = (0..n).map(|i| (mix(i / run) % 3) as u32).collect();
        let on_device = cuda().upload(&x).unwrap();
        for first in [0, 1, 77] {
            let slice = on_device.slice(first..).unwrap();
            let found = cuda().unique(slice).unwrap().to_vec().unwrap();
            assert!(found == Cpu::new().unique(&x[first..]).unwrap(), "runs of {run} from {first}");
        }
        let long: Vec<u64> = x.iter().map(|&x| u64::from(x) << 40).collect();
        let on_device = cuda().upload(&long).unwrap();
        let found = cuda().unique(&on_device).unwrap().to_vec().unwrap();
        assert!(found == Cpu::new().unique(&long).unwrap(), "runs of {run}");
        let longest: Vec<u128> = x.iter().map(|&x| u128::from(x) << 77).collect();
        let on_device = cuda().upload(&longest).unwrap();
        let found = cuda().unique(&on_device).unwrap().to_vec().unwrap();
        assert!(found == Cpu::new().unique(&longest).unwrap(), "runs of {run}");
    }
}

/// More than 2^32 elements of 16 bits. Few are selected, so that the CPU's result is small.
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
    x[n - 1] = 9;
    let on_device = cuda().upload(&x).unwrap();
    let found = cuda().compact(NonZero, &on_device).unwrap().to_vec().unwrap();
    assert!(found == Cpu::new().compact(NonZero, &x).unwrap());
}

/// The count stays on the device, and a graph replays the launch.
#[test]
fn into_memory_of_the_stream() {
    let x = samples::<f32>(Special, 83, on_gpu_or_emulated(500_000, 20_000));
    let on_device = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    let (mut out, mut count) = (cuda().values::<f32>(x.len()).unwrap(), cuda().values::<u64>(1).unwrap());
    let not_nan = Not { predicate: IsNan };
    let expected = Cpu::new().compact(not_nan, &x).unwrap();
    stream.compact_into(not_nan, &on_device, (&mut out, &mut count)).unwrap();
    let mut graph =
        stream.capture(|stream| stream.compact_into(not_nan, &on_device, (&mut out, &mut count))).unwrap();
    for _ in 0..3 {
        assert_eq!(count.to_vec().unwrap(), [expected.len() as u64]);
        let found = out.to_vec().unwrap();
        assert!(
            bytemuck::cast_slice::<f32, u8>(&found[..expected.len()])
                == bytemuck::cast_slice::<f32, u8>(&expected)
        );
        graph.launch(&stream).unwrap();
    }
    let mut short = cuda().values::<f32>(x.len() - 1).unwrap();
    let refused = stream.compact_into(NonZero, &on_device, (&mut short, &mut count));
    assert!(matches!(refused, Err(Error::Room { needed, .. }) if needed == x.len() as _), "{refused:?}");
    let none = on_device.slice(3..3).unwrap();
    stream.compact_into(NonZero, none, (&mut out, &mut count)).unwrap();
    assert_eq!(count.to_vec().unwrap(), [0]);
    assert!(cuda().compact(NonZero, none).unwrap().is_empty());
}

/// Every kernel that compacts, by element size: see `sanitize_reduce`.
#[test]
fn sanitize_compact() {
    let x: Vec<u32> = (0..50_003).map(|i| mix(i) as u32).collect();
    check(Below { threshold: 1 << 31 }, &x);
    check(Not { predicate: IsNan }, &samples::<f32>(Special, 84, 50_003));
    let flags: Vec<bool> = (0..50_003_u64).map(|i| mix(i).is_multiple_of(3)).collect();
    let on_flags = cuda().upload(&flags).unwrap();
    let long: Vec<u64> = x.iter().map(|&x| u64::from(x) << 30).collect();
    let on_device = cuda().upload(&long).unwrap();
    let found = cuda().compact_by_flags(&on_flags, &on_device).unwrap();
    assert!(found.to_vec().unwrap() == Cpu::new().compact_by_flags(&flags, &long).unwrap());
    let runs: Vec<u64> = long.iter().map(|x| x % 3).collect();
    let found = cuda().unique(&cuda().upload(&runs).unwrap()).unwrap().to_vec().unwrap();
    assert!(found == Cpu::new().unique(&runs).unwrap());
}
