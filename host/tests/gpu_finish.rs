//! Results finished on the device, on the emulated driver: they belong to the latest reduction, and nothing is freed or
//! written too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{leaves_nothing, numbers};
use warpfold::{Cuda, Error, Sum, rows};

/// The sums of the rows.
fn sums(x: &[i32], len: usize) -> Vec<i64> {
    x.chunks(len).map(|row| row.iter().copied().map(i64::from).sum()).collect()
}

#[test]
fn streams_make_results_in_the_order_of_the_calls() {
    leaves_nothing("streams_make_results_in_the_order_of_the_calls", || {
        let cuda = Cuda::open(0).expect("the device");
        let (reduces, finishes) = (cuda.stream().expect("a stream"), cuda.stream().expect("a stream"));
        let (x, _) = numbers(60_000);
        // Results allocated before the values and after them: in both cases one is before the other in the
        // host's memory.
        let mut first = cuda.results::<i32, Sum>(30).expect("room");
        let mut values = cuda.values::<i64>(30).expect("room");
        let mut last = cuda.results::<i32, Sum>(30).expect("room");
        assert_eq!(values.to_vec().expect("zeros"), [0; 30]);
        for results in [&mut first, &mut last] {
            for part in [0..60_000, 0..30_000, 15_000..45_000] {
                let array = cuda.upload(&x[part.clone()]).expect("an upload");
                let len = part.len() / 30;
                reduces.reduce_into(Sum, rows(&array, [30, len]), results).expect("a launch");
                finishes.finish_into(results, &mut values).expect("a launch");
                let rest = array.slice(30..60).expect("a slice");
                reduces.reduce_into(Sum, rows(rest, [30, 1]), results).expect("a launch");
                assert_eq!(values.to_vec().expect("sums"), sums(&x[part], len));
            }
        }
        let mut short = cuda.values::<i64>(29).expect("room");
        let refused = finishes.finish_into(&first, &mut short);
        assert!(matches!(refused, Err(Error::Results { results: 30, room: 29 })), "{refused:?}");
    });
}

#[test]
fn results_and_values_of_unfinished_work_may_be_dropped() {
    leaves_nothing("results_and_values_of_unfinished_work_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(6000);
        let array = cuda.upload(&x).expect("an upload");
        let mut results = cuda.results::<i32, Sum>(60).expect("room");
        stream.reduce_into(Sum, rows(&array, [60, 100]), &mut results).expect("a launch");
        let (mut kept, mut dropped) =
            (cuda.values::<i64>(60).expect("room"), cuda.values::<i64>(60).expect("room"));
        stream.finish_into(&results, &mut dropped).expect("a launch");
        stream.finish_into(&results, &mut kept).expect("a launch");
        let finished = results.finished().expect("sums");
        drop((array, results, dropped));
        assert_eq!(kept.to_vec().expect("sums"), sums(&x, 100));
        assert_eq!(finished.to_vec().expect("sums"), sums(&x, 100));
    });
}

#[test]
fn a_graph_makes_results_of_what_it_reduces() {
    leaves_nothing("a_graph_makes_results_of_what_it_reduces", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, total) = numbers(60_000);
        let array = cuda.upload(&x).expect("an upload");
        let mut results = cuda.results::<i32, Sum>(3).expect("room");
        let mut scalar = cuda.scalar::<i32, Sum>().expect("room");
        let (mut sums_there, mut total_there) =
            (cuda.values::<i64>(3).expect("room"), cuda.values::<i64>(1).expect("room"));
        cuda.prepare(Sum, rows(&array, [3, 20_000])).expect("kernels");
        cuda.prepare(Sum, &array).expect("kernels");
        let refused = stream.capture(|stream| stream.finish_into(&results, &mut sums_there));
        assert!(matches!(refused, Err(Error::Capturing { .. })), "{refused:?}");
        let mut graph = stream
            .capture(|stream| {
                stream.reduce_into(Sum, rows(&array, [3, 20_000]), &mut results)?;
                stream.reduce_into(Sum, &array, &mut scalar)?;
                stream.finish_into(&scalar, &mut total_there)?;
                stream.finish_into(&results, &mut sums_there)
            })
            .expect("a graph");
        assert_eq!(sums_there.to_vec().expect("nothing yet"), [0; 3]);
        drop((results, scalar));
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
        }
        assert_eq!(sums_there.to_vec().expect("sums"), sums(&x, 20_000));
        assert_eq!(total_there.to_vec().expect("a sum"), [total]);
    });
}
