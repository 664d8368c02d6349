//! Many rows at once, against the driver of `fake_driver.c`: that every plan's launches do what they are for, and that
//! nothing is freed too early.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/fake_driver/mod.rs"]
mod fake_driver;

use fake_driver::{leaves_nothing, numbers};
use warpfold::{Cuda, Error, RowsPlan, Sum};

/// The sums of the rows.
fn sums(x: &[i32], len: usize) -> Vec<i64> {
    x.chunks(len).map(|row| row.iter().copied().map(i64::from).sum()).collect()
}

#[test]
fn rows_take_every_plan() {
    leaves_nothing("rows_take_every_plan", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(600_000);
        let array = cuda.upload(&x).expect("an upload");
        for (rows, len) in
            [(600_000, 1), (75_000, 8), (20_000, 30), (600, 1000), (100, 6000), (2, 300_000), (1, 600_000)]
        {
            let expected = sums(&x, len);
            let whole = array.as_slice();
            assert_eq!(
                cuda.reduce_rows::<i32, Sum>(&whole, [rows, len]).expect("sums"),
                expected,
                "{rows} x {len}"
            );
            let mut out = cuda.results::<i32, Sum>(rows).expect("room");
            for plan in [
                RowsPlan::Lanes { threads: 32, blocks: 2 },
                RowsPlan::Warp { threads: 96, blocks: 7, parts: 1 },
                RowsPlan::Block { threads: 256, blocks: 5, parts: 1 },
                RowsPlan::Block { threads: 512, blocks: 9, parts: 8 },
            ] {
                match stream.reduce_rows_into_with_plan(plan, &whole, [rows, len], &mut out) {
                    Ok(()) => assert_eq!(out.get().expect("sums"), expected, "{plan:?}, {rows} x {len}"),
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
        for (rows, len) in [(7500, 8), (3, 20_000)] {
            let (mut kept, mut dropped) = (
                cuda.results::<i32, Sum>(rows).expect("room"),
                cuda.results::<i32, Sum>(rows).expect("room"),
            );
            let array = cuda.upload(&x).expect("an upload");
            stream.reduce_rows_into(&array.as_slice(), [rows, len], &mut dropped).expect("a launch");
            stream.reduce_rows_into(&array.as_slice(), [rows, len], &mut kept).expect("a launch");
            drop((array, dropped));
            assert_eq!(kept.get().expect("sums"), sums(&x, len));
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
        cuda.prepare_rows::<i32, Sum>().expect("kernels");
        let mut graph = {
            let array = cuda.upload(&x).expect("an upload");
            stream
                .capture(|stream| stream.reduce_rows_into(&array.as_slice(), [3, 20_000], &mut out))
                .expect("a graph")
        };
        assert_eq!(out.get().expect("nothing yet"), [0; 3]);
        graph.launch(&stream).expect("a launch");
        graph.launch(&stream).expect("a launch");
        assert_eq!(out.get().expect("sums"), sums(&x, 20_000));
    });
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    leaves_nothing("shapes_that_do_not_fit_are_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&[1i32; 12]).expect("an upload");
        let x = array.as_slice();
        for shape in [[0, 12], [5, 2], [usize::MAX, 3], [13, 1]] {
            let refused = cuda.reduce_rows::<i32, Sum>(&x, shape);
            assert!(matches!(refused, Err(Error::Shape { given: 12, .. })), "{shape:?}: {refused:?}");
        }
        let mut out = cuda.results::<i32, Sum>(5).expect("room");
        let refused = stream.reduce_rows_into(&x, [4, 3], &mut out);
        assert!(matches!(refused, Err(Error::Lengths { left: 4, right: 5 })), "{refused:?}");
        assert_eq!(out.get().expect("nothing yet"), [0; 5]);
        let none = array.slice(3..3).expect("a slice");
        assert_eq!(cuda.reduce_rows::<i32, Sum>(&none, [5, 0]).expect("sums"), [0; 5]);
        assert_eq!(cuda.reduce_rows::<i32, Sum>(&none, [0, 7]).expect("sums"), []);
    });
}
