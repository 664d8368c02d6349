//! Scans, sorts, compactions and groups on a stream and in graphs, on the emulated driver: nothing is freed or written too early, and
//! nothing is left. What they compute is tested in `tests/device`; that a call that fails leaves nothing, in `tests/device/memory`.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{fail, leaves_nothing, numbers};
use warpfold::Order::Ascending;
use warpfold::{Above, Cpu, Cuda, Scan, Sum, groups, segments};

const LEN: usize = 5000;

/// On a stream nothing waits for launches that are under way: the stream keeps what they read.
#[test]
fn arrays_are_dropped_before_results_are_read() {
    leaves_nothing("arrays_are_dropped_before_results_are_read", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(LEN as i32);
        let ids: Vec<u32> = x.iter().map(|&x| x as u32 % 300).collect();
        let (array, on_ids) = (cuda.upload(&x).expect("x"), cuda.upload(&ids).expect("ids"));
        let mut scanned = cuda.values::<i64>(LEN).expect("room");
        let (mut sorted, mut indices) =
            (cuda.values::<i32>(LEN).expect("room"), cuda.values::<u64>(LEN).expect("room"));
        let (mut keys, mut moved) =
            (cuda.values::<u32>(LEN).expect("room"), cuda.values::<i32>(LEN).expect("room"));
        let (mut out, mut count) =
            (cuda.values::<i32>(LEN).expect("room"), cuda.values::<u64>(1).expect("room"));
        let mut sums = cuda.results::<i32, Sum>(300).expect("room");
        stream.scan_into(Sum, &array, &mut scanned, Scan::inclusive()).expect("launches");
        stream.sort_into(&array, &mut sorted, Ascending).expect("launches");
        stream.argsort_into(&array, &mut indices, Ascending).expect("launches");
        stream.sort_pairs_into(&on_ids, &array, &mut keys, &mut moved, Ascending).expect("launches");
        stream.compact_into(Above { threshold: 7 }, &array, (&mut out, &mut count)).expect("launches");
        stream.reduce_into(Sum, groups(&on_ids, &array, 300), &mut sums).expect("launches");
        drop((array, on_ids));
        let cpu = Cpu::new();
        assert!(scanned.to_vec().expect("sums") == cpu.scan(Sum, &x, Scan::inclusive()).expect("sums"));
        let order = cpu.argsort(&x, Ascending).expect("indices");
        assert!(sorted.to_vec().expect("keys").into_iter().eq(order.iter().map(|&i| x[i])));
        assert!(indices.to_vec().expect("indices").into_iter().eq(order.iter().map(|&i| i as u64)));
        let order = cpu.argsort(&ids, Ascending).expect("indices");
        assert!(moved.to_vec().expect("values").into_iter().eq(order.iter().map(|&i| x[i])));
        let above = cpu.compact(Above { threshold: 7 }, &x).expect("elements");
        assert_eq!(count.to_vec().expect("a count"), [above.len() as u64]);
        assert!(out.to_vec().expect("elements")[..above.len()] == above);
        assert!(
            sums.to_vec().expect("sums") == cpu.reduce(Sum, groups(&ids, &x, 300)).expect("sums of the CPU")
        );
        // Never read.
        drop(keys);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// A graph has memory of its own for tiles to wait in, and keeps its inputs.
#[test]
fn graphs_keep_what_they_were_recorded_with() {
    leaves_nothing("graphs_keep_what_they_were_recorded_with", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(20_000);
        let given = [5u32, 10_000, 10_001, 20_000];
        let (array, offsets) = (cuda.upload(&x).expect("x"), cuda.upload(&given).expect("offsets"));
        let [mut scanned, mut in_segments] = [(); 2].map(|()| cuda.values::<i64>(20_000).expect("room"));
        let (mut out, mut count) =
            (cuda.values::<i32>(20_000).expect("room"), cuda.values::<u64>(1).expect("room"));
        let above = Above { threshold: 7 };
        let mut enqueue = |stream: &warpfold::Stream| {
            stream.scan_into(Sum, &array, &mut scanned, Scan::inclusive())?;
            stream.scan_into(Sum, segments(&array, &offsets), &mut in_segments, Scan::inclusive())?;
            stream.compact_into(above, &array, (&mut out, &mut count))
        };
        enqueue(&stream).expect("the kernels");
        let mut graph = stream.capture(|stream| enqueue(stream)).expect("a graph");
        drop((array, offsets));
        let cpu = Cpu::new();
        let mut expected = vec![0; x.len()];
        cpu.scan_into(Sum, segments(&x, &given), &mut expected, Scan::inclusive()).expect("sums");
        let found = cpu.compact(above, &x).expect("elements");
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
            assert!(scanned.to_vec().expect("sums") == cpu.scan(Sum, &x, Scan::inclusive()).expect("sums"));
            assert!(in_segments.to_vec().expect("sums") == expected);
            assert_eq!(count.to_vec().expect("a count"), [found.len() as u64]);
            assert!(out.to_vec().expect("elements")[..found.len()] == found);
        }
        drop(graph);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// For each of the three kernels that scan segments: none is launched before all are loaded.
#[test]
fn a_kernel_that_does_not_load_leaves_values_as_they_were() {
    leaves_nothing("a_kernel_that_does_not_load_leaves_values_as_they_were", || {
        let (x, _) = numbers(20_000);
        for kernel in 1..=3 {
            let cuda = Cuda::open(0).expect("the device");
            let stream = cuda.stream().expect("a stream");
            let array = cuda.upload(&x).expect("an upload");
            let offsets = cuda.upload(&[0u32, 9000, 9005, 20_000]).expect("an upload");
            let mut values = cuda.values::<i64>(x.len()).expect("room");
            stream.scan_into(Sum, &array, &mut values, Scan::exclusive()).expect("a launch");
            let before = values.to_vec().expect("sums");
            fail("cuModuleLoadDataEx", kernel, 2);
            let refused = stream.scan_into(Sum, segments(&array, &offsets), &mut values, Scan::inclusive());
            assert!(refused.is_err(), "{kernel}");
            assert!(values.to_vec().expect("sums") == before, "written without kernel {kernel}");
        }
    });
}
