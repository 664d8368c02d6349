//! Columns, on the emulated driver: every plan's launches get the right arguments, and nothing is
//! freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{leaves_nothing, numbers};
use warpfold::{ColumnsPlan, Cuda, Error, Sum, columns, launch_times};

/// The sums of the columns.
fn sums(x: &[i32], columns: usize) -> Vec<i64> {
    (0..columns).map(|c| x.iter().skip(c).step_by(columns).copied().map(i64::from).sum()).collect()
}

#[test]
fn columns_take_every_plan() {
    leaves_nothing("columns_take_every_plan", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let array = cuda.upload(&x).expect("an upload");
        let mut launched = 0;
        for (height, width) in [(1, 60_000), (8, 7500), (30, 2000), (1000, 60), (7500, 8), (60_000, 1)] {
            let expected = sums(&x, width);
            let shape = [height, width];
            assert_eq!(
                cuda.reduce(Sum, columns(&array, shape)).expect("sums").to_vec().expect("sums"),
                expected,
                "{shape:?}"
            );
            let mut out = cuda.results::<i32, Sum>(width).expect("room");
            for plan in [(1, 1), (16, 1), (256, 1), (64, 4), (128, 16)] {
                let plan = ColumnsPlan::new(plan.0, plan.1);
                match stream.reduce_into(Sum, columns(&array, shape).with_plan(plan), &mut out) {
                    Ok(()) => assert_eq!(out.to_vec().expect("sums"), expected, "{plan:?}, {shape:?}"),
                    Err(Error::Plan { .. }) => continue,
                    Err(error) => panic!("{plan:?}: {error}"),
                }
                launched += 1;
            }
        }
        assert!(launched > 15, "{launched}");
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn arrays_and_results_of_unfinished_work_may_be_dropped() {
    leaves_nothing("arrays_and_results_of_unfinished_work_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        for (height, width) in [(8, 7500), (20_000, 3)] {
            let (mut kept, mut dropped) = (
                cuda.results::<i32, Sum>(width).expect("room"),
                cuda.results::<i32, Sum>(width).expect("room"),
            );
            let array = cuda.upload(&x).expect("an upload");
            stream.reduce_into(Sum, columns(&array, [height, width]), &mut dropped).expect("a launch");
            stream.reduce_into(Sum, columns(&array, [height, width]), &mut kept).expect("a launch");
            drop((array, dropped));
            assert_eq!(kept.to_vec().expect("sums"), sums(&x, width));
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
            cuda.prepare(Sum, columns(&array, [20_000, 3])).expect("kernels");
            stream
                .capture(|stream| stream.reduce_into(Sum, columns(&array, [20_000, 3]), &mut out))
                .expect("a graph")
        };
        assert_eq!(out.to_vec().expect("nothing yet"), [0; 3]);
        graph.launch(&stream).expect("a launch");
        graph.launch(&stream).expect("a launch");
        assert_eq!(out.to_vec().expect("sums"), sums(&x, 3));
    });
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    leaves_nothing("shapes_that_do_not_fit_are_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&[1i32; 12]).expect("an upload");
        for shape in [[0, 12], [5, 2], [usize::MAX, 3], [13, 1]] {
            let refused = cuda.reduce(Sum, columns(&array, shape));
            assert!(matches!(refused, Err(Error::Shape { given: 12, .. })), "{shape:?}: {refused:?}");
        }
        let mut out = cuda.results::<i32, Sum>(5).expect("room");
        let refused = stream.reduce_into(Sum, columns(&array, [3, 4]), &mut out);
        assert!(matches!(refused, Err(Error::Results { results: 4, room: 5 })), "{refused:?}");
        assert_eq!(out.to_vec().expect("nothing yet"), [0; 5]);
        let none = array.slice(3..3).expect("a slice");
        assert_eq!(cuda.reduce(Sum, columns(&none, [0, 5])).expect("sums").to_vec().expect("sums"), [0; 5]);
        assert_eq!(cuda.reduce(Sum, columns(&none, [7, 0])).expect("sums").to_vec().expect("sums"), []);
    });
}

/// Columns that one thread folds alone, of up to 1024 integers of 4 bytes, have a kernel of their own, and so have columns that are
/// not vectors.
#[test]
fn columns_of_few_rows_have_a_kernel_of_their_own() {
    leaves_nothing("columns_of_few_rows_have_a_kernel_of_their_own", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(130_000);
        let array = cuda.upload(&x).expect("an upload");
        for (height, plan, entry) in [
            (8, (1, 1), "reduce_sum_i32_columns_of_few_unaligned"),
            (32, (1, 1), "reduce_sum_i32_columns_of_few_unaligned"),
            (1000, (1, 1), "reduce_sum_i32_columns_of_few_unaligned"),
            (250, (1, 1), "reduce_sum_i32_columns_of_few"),
            (32, (2, 1), "reduce_sum_i32_columns_unaligned"),
            (200, (16, 1), "reduce_sum_i32_columns_unaligned"),
            (250, (16, 1), "reduce_sum_i32_columns"),
        ] {
            let width = x.len() / height;
            let whole = array.slice(..height * width).expect("a slice");
            let mut out = cuda.results::<i32, Sum>(width).expect("room");
            let plan = ColumnsPlan::new(plan.0, plan.1);
            let (launched, times) = launch_times(|| {
                stream.reduce_into(Sum, columns(whole, [height, width]).with_plan(plan), &mut out)
            })
            .expect("times");
            launched.expect("a launch");
            let names: Vec<_> = times.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [entry], "{height} rows, {plan:?}");
            assert_eq!(out.to_vec().expect("sums"), sums(&x[..height * width], width), "{height} rows");
        }
    });
}
