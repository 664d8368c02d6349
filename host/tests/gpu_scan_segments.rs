//! Scans of segments, on the emulated driver: the launches get the right arguments, wrong offsets are
//! reported, and nothing is freed or written too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{fail, leaves_nothing, numbers};
use warpfold::{Cpu, Cuda, Error, Scan, Sum, segments};

/// The sums, and `outside` where there is no segment.
fn sums(x: &[i32], offsets: &[u32], scan: Scan<i64>, outside: i64) -> Vec<i64> {
    let mut sums = vec![outside; x.len()];
    Cpu::new().scan_into(Sum, segments(x, offsets), &mut sums, scan).expect("sums");
    sums
}

#[test]
fn scans_of_segments_are_the_cpus() {
    leaves_nothing("scans_of_segments_are_the_cpus", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(60_000);
        let array = cuda.upload(&x).expect("an upload");
        // With and without long segments, with one of everything, and without any.
        for given in [
            &[3u32, 3, 10, 5000, 5001, 40_000, 59_999][..],
            &[0, 100, 700, 701],
            &[0, 60_000],
            &[7, 7],
            &[60_000, 60_000],
        ] {
            let offsets = cuda.upload(given).expect("an upload");
            let wide: Vec<i64> = given.iter().map(|&at| i64::from(at)).collect();
            let wide = cuda.upload(&wide).expect("an upload");
            for scan in [Scan::inclusive(), Scan::exclusive().from(1000, 1)] {
                let found = cuda.scan(Sum, segments(&array, &offsets), scan);
                assert_eq!(
                    found.expect("sums").to_vec().expect("sums"),
                    sums(&x, given, scan, 0),
                    "{given:?}"
                );
                let found = cuda.scan(Sum, segments(&array, &wide), scan);
                assert_eq!(
                    found.expect("sums").to_vec().expect("sums"),
                    sums(&x, given, scan, 0),
                    "{given:?}"
                );
                let mut values = cuda.values::<i64>(x.len()).expect("room");
                stream.scan_into(Sum, &array, &mut values, Scan::exclusive()).expect("a launch");
                // Twice, with the same memory.
                for _ in 0..2 {
                    stream.scan_into(Sum, segments(&array, &offsets), &mut values, scan).expect("launches");
                }
                let mut expected = Cpu::new().scan(Sum, &x, Scan::exclusive()).expect("sums");
                Cpu::new().scan_into(Sum, segments(&x, given), &mut expected, scan).expect("sums");
                assert_eq!(values.to_vec().expect("sums"), expected, "{given:?}");
            }
        }
        let mut two = cuda.values::<i64>(2).expect("room");
        let offsets = cuda.upload(&[0u32, 2]).expect("an upload");
        let refused = stream.scan_into(Sum, segments(&array, &offsets), &mut two, Scan::inclusive());
        assert!(matches!(refused, Err(Error::Results { results: 60_000, room: 2 })), "{refused:?}");
        let none = array.slice(..0).expect("a slice");
        let zeros = cuda.upload(&[0u32, 0]).expect("an upload");
        let found = cuda.scan(Sum, segments(&none, &zeros), Scan::inclusive());
        assert!(found.expect("no sums").is_empty());
        let found = cuda.scan(Sum, segments(&array, zeros.slice(1..).expect("one")), Scan::inclusive());
        assert_eq!(found.expect("zeros").to_vec().expect("zeros"), vec![0; x.len()]);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn wrong_offsets_are_told_by_whoever_asks() {
    leaves_nothing("wrong_offsets_are_told_by_whoever_asks", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&numbers(10_000).0).expect("an upload");
        for (given, wrong) in [([0i32, 5000, 49], 2), ([0, 50, 10_001], 2), ([-1, 50, 60], 0)] {
            let offsets = cuda.upload(&given).expect("an upload");
            let refused = cuda.scan(Sum, segments(&array, &offsets), Scan::inclusive());
            assert!(matches!(refused, Err(Error::Offset { at, .. }) if at == wrong), "{given:?}");
            let mut values = cuda.values::<i64>(10_000).expect("room");
            stream
                .scan_into(Sum, segments(&array, &offsets), &mut values, Scan::inclusive())
                .expect("launches");
            let refused = values.to_vec();
            assert!(
                matches!(refused, Err(Error::Offset { at, .. }) if at == wrong),
                "{given:?}: {refused:?}"
            );
            // The memory can be written as before.
            stream.scan_into(Sum, &array, &mut values, Scan::inclusive()).expect("a launch");
            assert_eq!(values.to_vec().expect("sums").len(), 10_000);
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// For each of the three kernels: none is launched before all are loaded.
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

#[test]
fn a_graph_replays_scans_of_segments_with_memory_of_its_own() {
    leaves_nothing("a_graph_replays_scans_of_segments_with_memory_of_its_own", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(50_000);
        let given = [5u32, 10_000, 10_001, 50_000];
        let (array, offsets) = (cuda.upload(&x).expect("an upload"), cuda.upload(&given).expect("an upload"));
        let mut values = cuda.values::<i64>(50_000).expect("room");
        let parts = segments(&array, &offsets);
        stream.scan_into(Sum, parts, &mut values, Scan::inclusive()).expect("the kernels");
        let mut graph = stream
            .capture(|stream| {
                stream.scan_into(Sum, segments(&array, &offsets), &mut values, Scan::inclusive())
            })
            .expect("a graph");
        drop((array, offsets));
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
            assert_eq!(values.to_vec().expect("sums"), sums(&x, &given, Scan::inclusive(), 0));
        }
        drop(graph);
        assert_eq!(cuda.failed_frees(), 0);
    });
}
