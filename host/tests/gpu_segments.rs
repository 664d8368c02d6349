//! Segments, on the emulated driver: the launches get the right arguments, wrong offsets are
//! reported, and nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{fail, leaves_nothing, numbers};
use warpfold::{Cuda, Error, Sum, rows, segments};

/// The sums of the segments.
fn sums(x: &[i32], offsets: &[u32]) -> Vec<i64> {
    let sum = |ends: &[u32]| x[ends[0] as usize..ends[1] as usize].iter().copied().map(i64::from).sum();
    offsets.windows(2).map(sum).collect()
}

#[test]
fn segments_now_later_and_in_a_graph() {
    leaves_nothing("segments_now_later_and_in_a_graph", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let given = [3u32, 3, 10, 5000, 5001, 40_000, 60_000];
        let array = cuda.upload(&x).expect("an upload");
        let offsets = cuda.upload(&given).expect("an upload");
        let wide = cuda.upload(&given.map(i64::from)).expect("an upload");
        let expected = sums(&x, &given);
        assert_eq!(
            cuda.reduce(Sum, segments(&array, &offsets)).expect("sums").to_vec().expect("sums"),
            expected
        );
        assert_eq!(
            cuda.reduce(Sum, segments(&array, &wide)).expect("sums").to_vec().expect("sums"),
            expected
        );
        let mut out = cuda.results::<i32, Sum>(6).expect("room");
        for _ in 0..3 {
            stream.reduce_into(Sum, segments(&array, &offsets), &mut out).expect("launches");
        }
        assert_eq!(out.to_vec().expect("sums"), expected);
        cuda.prepare(Sum, segments(&array, &offsets)).expect("kernels");
        let mut later = cuda.results::<i32, Sum>(6).expect("room");
        let mut graph = stream
            .capture(|stream| stream.reduce_into(Sum, segments(&array, &offsets), &mut later))
            .expect("a graph");
        drop((array, offsets, wide));
        for _ in 0..2 {
            graph.launch(&stream).expect("a launch");
            assert_eq!(later.to_vec().expect("sums"), expected);
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// More results than are copied to the host at once, read piece by piece; twice, with the same memory.
#[test]
fn many_results_arrive_in_order() {
    leaves_nothing("many_results_arrive_in_order", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(200_000);
        let array = cuda.upload(&x).expect("an upload");
        for count in [1u32 << 16, (1 << 16) + 1, 170_001, 20_000] {
            let given: Vec<u32> = (0..=count).map(|at| at + at / 7 - (at % 3).min(at / 7)).collect();
            let offsets = cuda.upload(&given).expect("an upload");
            let found = cuda.reduce(Sum, segments(&array, &offsets));
            assert!(found.expect("sums").to_vec().expect("sums") == sums(&x, &given), "{count}");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn wrong_offsets_are_told_by_whoever_asks() {
    leaves_nothing("wrong_offsets_are_told_by_whoever_asks", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&numbers(100).0).expect("an upload");
        for (given, wrong) in [([0i32, 50, 49], 2), ([0, 50, 101], 2), ([-1, 50, 60], 0)] {
            let offsets = cuda.upload(&given).expect("an upload");
            let is_told =
                |error: Option<Error>| matches!(error, Some(Error::Offset { at, .. }) if at == wrong);
            let now = cuda.reduce(Sum, segments(&array, &offsets));
            assert!(is_told(now.err()), "{given:?}");
            let mut out = cuda.results::<i32, Sum>(2).expect("room");
            stream.reduce_into(Sum, segments(&array, &offsets), &mut out).expect("launches");
            drop(offsets);
            assert!(is_told(out.to_vec().err()), "{given:?}");
            assert!(is_told(out.finished().err()), "{given:?}");
        }
        let mut out = cuda.results::<i32, Sum>(3).expect("room");
        let offsets = cuda.upload(&[0u32, 1]).expect("an upload");
        let answer = stream.reduce_into(Sum, segments(&array, &offsets), &mut out);
        assert!(matches!(answer, Err(Error::Results { results: 1, room: 3 })), "{answer:?}");
    });
}

/// For each of the three kernels: none is launched before all are loaded.
#[test]
fn a_kernel_that_does_not_load_leaves_results_as_they_were() {
    leaves_nothing("a_kernel_that_does_not_load_leaves_results_as_they_were", || {
        let (x, _) = numbers(20_001);
        for kernel in 1..=3 {
            let cuda = Cuda::open(0).expect("the device");
            let stream = cuda.stream().expect("a stream");
            let array = cuda.upload(&x).expect("an upload");
            let offsets = cuda.upload(&[0u32, 9000, 9005, 20_001]).expect("an upload");
            let mut out = cuda.results::<i32, Sum>(3).expect("room");
            stream.reduce_into(Sum, rows(&array, [3, 6667]), &mut out).expect("a launch");
            let before = out.to_vec().expect("sums");
            assert_eq!(before, sums(&x, &[0, 6667, 13_334, 20_001]));
            fail("cuModuleLoadDataEx", kernel, 2);
            assert!(stream.reduce_into(Sum, segments(&array, &offsets), &mut out).is_err(), "{kernel}");
            assert_eq!(out.to_vec().expect("sums"), before, "written without kernel {kernel}");
        }
    });
}
