//! Results finished on the device, on the emulated driver: they belong to the latest reduction, and nothing is freed or
//! written too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::sync::{Arc, Mutex};

use emulated::{leaves_nothing, numbers};
use warpfold::{
    Cpu, Cuda, DeviceArray, DeviceValues, Error, Max, Mean, Scan, Stream, Sum, Variance, View, along, chunks,
    columns, groups, rows, segments,
};

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

/// Without results to keep: calls of different lengths share the accumulators of the stream, also in graphs.
#[test]
fn values_are_written_by_one_call() {
    leaves_nothing("values_are_written_by_one_call", || {
        let cuda = Cuda::open(0).expect("the device");
        let (stream, (x, _)) = (cuda.stream().expect("a stream"), numbers(60_000));
        let (array, cpu) = (cuda.upload(&x).expect("an upload"), Cpu::new());
        let (ids, offsets): (Vec<u32>, _) =
            ((0..60_000).map(|i| i * 7 % 11).collect(), [0u64, 100, 100, 60_000]);
        let ids_there = cuda.upload(&ids).expect("an upload");
        let offsets_there = cuda.upload(&offsets).expect("an upload");
        macro_rules! check {
            ($op:expr, $there:expr, $here:expr) => {{
                let expected = cpu.reduce($op, $here).expect("results");
                let mut values = cuda.values(expected.len()).expect("room");
                stream.reduce_finished_into($op, $there, &mut values).expect("launches");
                assert_eq!(values.to_vec().expect("results"), expected, "{}", stringify!($there));
            }};
        }
        check!(Sum, rows(&array, [300, 200]), rows(&x, [300, 200]));
        check!(Sum, rows(&array, [1, 60_000]), rows(&x, [1, 60_000]));
        check!(Sum, columns(&array, [300, 200]), columns(&x, [300, 200]));
        check!(Sum, chunks(&array, 7001), chunks(&x, 7001));
        check!(Sum, segments(&array, &offsets_there), segments(&x, &offsets));
        check!(Sum, groups(&ids_there, &array, 12), groups(&ids, &x, 12));
        let (here, there) = (View::new(&x, &[30, 40, 50]), View::new(&array, &[30, 40, 50]));
        check!(Sum, along(there.expect("a view"), &[1]), along(here.expect("a view"), &[1]));
        let wrong = cuda.upload(&[0u64, 5, 3]).expect("an upload");
        let mut values = cuda.values::<i64>(2).expect("room");
        let refused = stream.reduce_finished_into(Sum, segments(&array, &wrong), &mut values);
        assert!(matches!(refused, Err(Error::Offset { .. })), "{refused:?}");
        let refused = stream.reduce_finished_into(Sum, rows(&array, [3, 20_000]), &mut values);
        assert!(matches!(refused, Err(Error::Results { results: 3, room: 2 })), "{refused:?}");
        // A graph has accumulators of its own.
        let mut graph = stream
            .capture(|stream| stream.reduce_finished_into(Sum, rows(&array, [2, 30_000]), &mut values))
            .expect("a graph");
        check!(Sum, rows(&array, [600, 100]), rows(&x, [600, 100]));
        graph.launch(&stream).expect("a launch");
        assert_eq!(values.to_vec().expect("sums"), sums(&x, 30_000));
    });
}

/// The arrays that were lent.
type Kept = Arc<Mutex<Vec<DeviceArray<u8>>>>;

/// Lends bytes of arrays that it keeps.
fn lending(cuda: &Cuda) -> (impl Fn(usize) -> Option<u64> + Send + 'static, Kept) {
    let (cuda, kept) = (cuda.clone(), Kept::default());
    let keeps = kept.clone();
    let lend = move |bytes| {
        // As dirty as another library's.
        let lent = cuda.upload(&vec![0xa5u8; bytes]).ok()?;
        let address = lent.as_device_ptr();
        keeps.lock().ok()?.push(lent);
        Some(address)
    };
    (lend, kept)
}

/// In the graph of another library, which replays it over other elements, with memory of that library.
#[test]
fn another_librarys_graph_has_our_work() {
    leaves_nothing("another_librarys_graph_has_our_work", || {
        const LEN: usize = 60_000;
        let cuda = Cuda::open(0).expect("the device");
        let (theirs, cpu) = (cuda.stream().expect("a stream"), Cpu::new());
        let (handle, (lend, kept)) = (theirs.as_raw(), lending(&cuda));
        let mut input = cuda.values::<f32>(LEN).expect("room");
        let offsets = cuda.upload(&[0u64, 100, 100, LEN as u64]).expect("an upload");
        // SAFETY: `input` outlives it, and is not written while work runs.
        let x = unsafe { cuda.borrow_raw::<f32>(input.as_device_ptr(), LEN) }.expect("an array");
        let values = |count| cuda.values::<f32>(count).expect("room");
        let (mut mean, mut variances, mut parts, mut running) =
            (values(1), values(200), values(3), values(LEN));
        let host_ids: Vec<i64> = (0..LEN as i64).map(|i| i * 5 % 7).collect();
        let ids = cuda.upload(&host_ids).expect("an upload");
        let (mut totals, mut maxima) = (values(7), values(7));
        let (mut first, mut at) = (values(30), cuda.values::<u64>(30).expect("room"));
        let calls = |stream: &Stream| {
            assert!(matches!(stream.reduce(Sum, &x), Err(Error::Capturing { .. })));
            assert!(matches!(stream.synchronize(), Err(Error::Capturing { .. })));
            stream.reduce_finished_into(Mean, rows(&x, [1, LEN]), &mut mean)?;
            stream.reduce_finished_into(Variance, columns(&x, [300, 200]), &mut variances)?;
            stream.reduce_finished_into(Sum, segments(&x, &offsets), &mut parts)?;
            stream.scan_into(Sum, &x, &mut running, Scan::inclusive())?;
            stream.reduce_finished_into(Sum, groups(&ids, &x, 7), &mut totals)?;
            stream.reduce_finished_into(Max, groups(&ids, &x, 7), &mut maxima)?;
            stream.top_k_into(rows(&x, [3, 20_000]), 10, &mut first, &mut at)
        };
        // SAFETY: the stream is valid, and nothing is recorded.
        let refused = unsafe { cuda.record_raw(handle, |_| None, |_| Ok(())) };
        assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
        // SAFETY: `kept` and the rest outlive the graph.
        let mut graph = theirs.capture(|_| unsafe { cuda.record_raw(handle, lend, calls) }).expect("a graph");
        // The library knows nothing of when others launch it, so its values are read as theirs.
        let read = |values: &DeviceValues<f32>| {
            // SAFETY: the values outlive it, and all work has ended.
            unsafe { cuda.borrow_raw::<f32>(values.as_device_ptr(), values.len()) }.and_then(|x| x.to_vec())
        };
        for seed in 0..3 {
            let host: Vec<f32> = (0..LEN).map(|i| ((i * 7919 + seed) % 1013) as f32 / 3.0).collect();
            input.copy_from_slice(&host).expect("a copy");
            graph.launch(&theirs).expect("a launch");
            theirs.synchronize().expect("to wait");
            let each = |results: Vec<Option<f32>>| results.into_iter().flatten().collect::<Vec<_>>();
            let means = cpu.reduce(Mean, rows(&host, [1, LEN])).map(each);
            let spread = cpu.reduce(Variance, columns(&host, [300, 200])).map(each);
            assert_eq!((read(&mean), read(&variances)), (means, spread));
            assert_eq!(read(&parts), cpu.reduce(Sum, segments(&host, &[0u64, 100, 100, LEN as u64])));
            assert_eq!(read(&running), cpu.scan(Sum, &host, Scan::inclusive()));
            assert_eq!(read(&totals), cpu.reduce(Sum, groups(&host_ids, &host, 7)));
            let found = cpu.reduce(Max, groups(&host_ids, &host, 7)).expect("maxima");
            assert_eq!(read(&maxima), Ok(found.into_iter().map(|max| max.unwrap_or(f32::NAN)).collect()));
            let greatest = cpu.top_k(rows(&host, [3, 20_000]), 10).expect("elements");
            assert_eq!(read(&first), Ok(greatest.into_iter().map(|at| at.value).collect()));
        }
        assert!(!kept.lock().expect("no panic").is_empty());
        // Without memory the call fails, and the recording goes on.
        let mut sum = values(1);
        let calls = |stream: &Stream| stream.reduce_finished_into(Sum, rows(&x, [1, LEN]), &mut sum);
        let recorded = theirs.capture(|_| {
            // SAFETY: as above.
            let refused = unsafe { cuda.record_raw(handle, |_| None, calls) };
            assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
            Ok(())
        });
        recorded.expect("a graph");
    });
}
