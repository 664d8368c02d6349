//! Rows, columns, axes and segments, on the emulated driver: what unfinished work and graphs use stays until they have ended, and
//! a failure leaves results as they were.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{fail, leaves_nothing, numbers};
use warpfold::plans::ColumnsPlan;
use warpfold::{
    Cpu, Cuda, DeviceArray, DeviceSlice, Error, Sum, View, along, columns, launch_times, rows, segments,
};

/// The sums of the rows.
fn sums_of_rows(x: &[i32], len: usize) -> Vec<i64> {
    Cpu::new().reduce(Sum, rows(x, [x.len() / len, len])).expect("sums")
}

/// The sums of the columns.
fn sums_of_columns(x: &[i32], width: usize) -> Vec<i64> {
    Cpu::new().reduce(Sum, columns(x, [x.len() / width, width])).expect("sums")
}

/// The sums of the segments.
fn sums_of_segments(x: &[i32], offsets: &[u32]) -> Vec<i64> {
    Cpu::new().reduce(Sum, segments(x, offsets)).expect("sums")
}

/// A matrix over all of an array, on the host and on a device.
fn matrices<'a>(
    (x, array): (&'a [i32], &'a DeviceArray<i32>),
    shape: &[usize],
) -> (View<&'a [i32]>, View<DeviceSlice<'a, i32>>) {
    let len = shape.iter().product::<usize>();
    let slice = array.slice(..len).expect("a slice");
    (View::new(&x[..len], shape).expect("a view"), View::new(slice, shape).expect("a view"))
}

#[test]
fn arrays_and_results_of_unfinished_work_may_be_dropped() {
    leaves_nothing("arrays_and_results_of_unfinished_work_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        macro_rules! check {
            ($count:expr, $expected:expr, |$array:ident| $parts:expr) => {
                let mut kept = cuda.results::<i32, Sum>($count).expect("room");
                let mut dropped = cuda.results::<i32, Sum>($count).expect("room");
                let $array = cuda.upload(&x).expect("an upload");
                stream.reduce_into(Sum, $parts, &mut dropped).expect("a launch");
                stream.reduce_into(Sum, $parts, &mut kept).expect("a launch");
                drop(($array, dropped));
                assert_eq!(kept.to_vec().expect("sums"), $expected);
            };
        }
        for [count, len] in [[7500, 8], [3, 20_000]] {
            check!(count, sums_of_rows(&x, len), |array| rows(&array, [count, len]));
        }
        for [height, width] in [[8, 7500], [20_000, 3]] {
            check!(width, sums_of_columns(&x, width), |array| columns(&array, [height, width]));
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// Several calls pack to the same memory, with more and fewer results.
#[test]
fn packed_axes_take_turns() {
    leaves_nothing("packed_axes_take_turns", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let mut outs = Vec::new();
        for (shape, axes) in [([100, 600], [0]), ([60, 50], [0]), ([200, 300], [0]), ([300, 200], [1])] {
            let array = cuda.upload(&x).expect("an upload");
            let (host, device) = matrices((&x, &array), &shape);
            let expected = Cpu::new().reduce(Sum, along(host, &axes)).expect("sums");
            let mut out = cuda.results::<i32, Sum>(expected.len()).expect("room");
            stream.reduce_into(Sum, along(device, &axes), &mut out).expect("launches");
            outs.push((out, expected));
        }
        for (out, expected) in outs {
            assert_eq!(out.to_vec().expect("sums"), expected);
        }
    });
}

/// Also memory of its own for what is packed, and for lists of segments.
#[test]
fn a_graph_keeps_what_it_was_recorded_with() {
    leaves_nothing("a_graph_keeps_what_it_was_recorded_with", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let given = [3u32, 3, 10, 5000, 5001, 40_000, 60_000];
        macro_rules! check {
            ($expected:expr, |$array:ident, $offsets:ident| $parts:expr) => {
                let expected: Vec<i64> = $expected;
                let mut out = cuda.results::<i32, Sum>(expected.len()).expect("room");
                let mut graph = {
                    let $array = cuda.upload(&x).expect("an upload");
                    let $offsets = cuda.upload(&given).expect("an upload");
                    cuda.prepare(Sum, $parts).expect("kernels");
                    stream.capture(|stream| stream.reduce_into(Sum, $parts, &mut out)).expect("a graph")
                };
                assert_eq!(out.to_vec().expect("nothing yet"), vec![0; expected.len()]);
                for _ in 0..2 {
                    graph.launch(&stream).expect("a launch");
                    assert_eq!(out.to_vec().expect("sums"), expected);
                }
            };
        }
        check!(sums_of_rows(&x, 20_000), |array, _offsets| rows(&array, [3, 20_000]));
        check!(sums_of_columns(&x, 3), |array, _offsets| columns(&array, [20_000, 3]));
        check!(sums_of_columns(&x, 600), |array, _offsets| along(
            matrices((&x, &array), &[100, 600]).1,
            &[0]
        ));
        check!(sums_of_segments(&x, &given), |array, offsets| segments(&array, &offsets));
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn offsets_of_unfinished_work_may_be_dropped() {
    leaves_nothing("offsets_of_unfinished_work_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(100);
        let array = cuda.upload(&x).expect("an upload");
        let mut out = cuda.results::<i32, Sum>(2).expect("room");
        for (given, wrong) in [([0i32, 50, 49], 2), ([0, 50, 101], 2), ([-1, 50, 60], 0)] {
            let offsets = cuda.upload(&given).expect("an upload");
            stream.reduce_into(Sum, segments(&array, &offsets), &mut out).expect("launches");
            drop(offsets);
            let told = |error: Option<Error>| matches!(error, Some(Error::Offset { at, .. }) if at == wrong);
            assert!(told(out.to_vec().err()), "{given:?}");
            assert!(told(out.finished().err()), "{given:?}");
        }
        let offsets = cuda.upload(&[0u32, 50, 60]).expect("an upload");
        stream.reduce_into(Sum, segments(&array, &offsets), &mut out).expect("launches");
        drop((array, offsets));
        assert_eq!(out.to_vec().expect("sums"), sums_of_segments(&x, &[0, 50, 60]));
    });
}

/// For each of the three kernels over segments: none is launched before all are loaded.
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
            assert_eq!(before, sums_of_rows(&x, 6667));
            fail("cuModuleLoadDataEx", kernel, 2);
            assert!(stream.reduce_into(Sum, segments(&array, &offsets), &mut out).is_err(), "{kernel}");
            assert_eq!(out.to_vec().expect("sums"), before, "written without kernel {kernel}");
        }
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
            assert_eq!(
                out.to_vec().expect("sums"),
                sums_of_columns(&x[..height * width], width),
                "{height} rows"
            );
        }
    });
}
