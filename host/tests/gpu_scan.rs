//! Scans, on the emulated driver: the launch gets cleared memory and the right arguments, and nothing
//! is freed or written too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{leaves_nothing, numbers};
use warpfold::{Cpu, Cuda, Error, Scan, Sum};

#[test]
fn scans_are_the_cpus() {
    leaves_nothing("scans_are_the_cpus", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(1_200_000);
        let array = cuda.upload(&x).expect("an upload");
        // Longer and shorter in turn: the words of the previous call are still there.
        for n in [5000, 1_200_000, 1, 4096, 70_000] {
            let slice = array.slice(..n).expect("a slice");
            for scan in [Scan::inclusive(), Scan::exclusive().from(1000, 1)] {
                let right = Cpu::new().scan(Sum, &x[..n], scan).expect("sums");
                let found = cuda.scan(Sum, slice, scan).expect("sums");
                assert_eq!(found.to_vec().expect("sums"), right, "{n}, {:?}", scan.kind());
                let mut values = cuda.values::<i64>(n).expect("room");
                stream.scan_into(Sum, slice, &mut values, scan).expect("a launch");
                stream.scan_into(Sum, slice, &mut values, scan).expect("a launch");
                assert_eq!(values.to_vec().expect("sums"), right, "{n}, {:?}", scan.kind());
            }
        }
        let mut two = cuda.values::<i64>(2).expect("room");
        let refused = stream.scan_into(Sum, &array, &mut two, Scan::inclusive());
        assert!(matches!(refused, Err(Error::Results { results: 1_200_000, room: 2 })), "{refused:?}");
        let none = array.slice(..0).expect("a slice");
        assert!(cuda.scan(Sum, &none, Scan::inclusive()).expect("no sums").is_empty());
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn a_graph_replays_scans_with_words_of_its_own() {
    leaves_nothing("a_graph_replays_scans_with_words_of_its_own", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(50_000);
        let array = cuda.upload(&x).expect("an upload");
        let mut values = cuda.values::<i64>(50_000).expect("room");
        stream.scan_into(Sum, &array, &mut values, Scan::inclusive()).expect("the kernel");
        let mut graph = stream
            .capture(|stream| stream.scan_into(Sum, &array, &mut values, Scan::inclusive()))
            .expect("a graph");
        drop(array);
        let right = Cpu::new().scan(Sum, &x, Scan::inclusive()).expect("sums");
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
            assert_eq!(values.to_vec().expect("sums"), right);
        }
        drop(graph);
        assert_eq!(cuda.failed_frees(), 0);
    });
}
