//! Many rows at once, on the emulated driver: every plan's launches get the right arguments, and
//! nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{leaves_nothing, numbers};
use warpfold::{Cuda, Error, RowsPlan, Sum, rows};

/// The sums of the rows.
fn sums(x: &[i32], len: usize) -> Vec<i64> {
    x.chunks(len).map(|row| row.iter().copied().map(i64::from).sum()).collect()
}

#[test]
fn rows_take_every_plan() {
    leaves_nothing("rows_take_every_plan", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(24_000);
        let array = cuda.upload(&x).expect("an upload");
        for (count, len) in
            [(24_000, 1), (3000, 8), (800, 30), (24, 1000), (4, 6000), (2, 12_000), (1, 24_000)]
        {
            let expected = sums(&x, len);
            assert_eq!(
                cuda.reduce(Sum, rows(&array, [count, len])).expect("sums").to_vec().expect("sums"),
                expected,
                "{count} x {len}"
            );
            let mut out = cuda.results::<i32, Sum>(count).expect("room");
            for plan in [
                RowsPlan::Lanes { threads: 32, blocks: 2 },
                RowsPlan::Warp { threads: 96, blocks: 7, parts: 1 },
                RowsPlan::Block { threads: 256, blocks: 5, parts: 1 },
                RowsPlan::Block { threads: 512, blocks: 9, parts: 8 },
            ] {
                match stream.reduce_into(Sum, rows(&array, [count, len]).with_plan(plan), &mut out) {
                    Ok(()) => assert_eq!(out.to_vec().expect("sums"), expected, "{plan:?}, {count} x {len}"),
                    Err(Error::Plan { .. }) => {}
                    Err(error) => panic!("{plan:?}: {error}"),
                }
            }
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn arrays_and_results_of_unfinished_work_may_be_dropped() {
    leaves_nothing("arrays_and_results_of_unfinished_work_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        for (count, len) in [(7500, 8), (3, 20_000)] {
            let (mut kept, mut dropped) = (
                cuda.results::<i32, Sum>(count).expect("room"),
                cuda.results::<i32, Sum>(count).expect("room"),
            );
            let array = cuda.upload(&x).expect("an upload");
            stream.reduce_into(Sum, rows(&array, [count, len]), &mut dropped).expect("a launch");
            stream.reduce_into(Sum, rows(&array, [count, len]), &mut kept).expect("a launch");
            drop((array, dropped));
            assert_eq!(kept.to_vec().expect("sums"), sums(&x, len));
        }
    });
}

#[test]
fn a_graph_keeps_what_it_was_recorded_with() {
    leaves_nothing("a_graph_keeps_what_it_was_recorded_with", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let mut out = cuda.results::<i32, Sum>(3).expect("room");
        let mut graph = {
            let array = cuda.upload(&x).expect("an upload");
            cuda.prepare(Sum, rows(&array, [3, 20_000])).expect("kernels");
            stream
                .capture(|stream| stream.reduce_into(Sum, rows(&array, [3, 20_000]), &mut out))
                .expect("a graph")
        };
        assert_eq!(out.to_vec().expect("nothing yet"), [0; 3]);
        graph.launch(&stream).expect("a launch");
        graph.launch(&stream).expect("a launch");
        assert_eq!(out.to_vec().expect("sums"), sums(&x, 20_000));
    });
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    leaves_nothing("shapes_that_do_not_fit_are_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&[1i32; 12]).expect("an upload");
        for shape in [[0, 12], [5, 2], [usize::MAX, 3], [13, 1]] {
            let refused = cuda.reduce(Sum, rows(&array, shape));
            assert!(matches!(refused, Err(Error::Shape { given: 12, .. })), "{shape:?}: {refused:?}");
        }
        let mut out = cuda.results::<i32, Sum>(5).expect("room");
        let refused = stream.reduce_into(Sum, rows(&array, [4, 3]), &mut out);
        assert!(matches!(refused, Err(Error::Results { results: 4, room: 5 })), "{refused:?}");
        assert_eq!(out.to_vec().expect("nothing yet"), [0; 5]);
        let none = array.slice(3..3).expect("a slice");
        assert_eq!(cuda.reduce(Sum, rows(&none, [5, 0])).expect("sums").to_vec().expect("sums"), [0; 5]);
        assert_eq!(cuda.reduce(Sum, rows(&none, [0, 7])).expect("sums").to_vec().expect("sums"), []);
    });
}
