//! Two devices at once, on the emulated driver, which refuses what is of one device in the context of the other.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{LEFT_NOTHING, numbers, with_emulated_and};
use warpfold::{Cuda, Sum};

#[test]
fn threads_share_two_devices() {
    let body = || {
        let devices = [0, 1].map(|ordinal| Cuda::open(ordinal).expect("a device"));
        assert_eq!(
            devices.each_ref().map(|cuda| cuda.properties().name.clone()),
            ["emulated 7 (no GPU)", "emulated 8 (no GPU)"]
        );
        assert!(Cuda::open(2).is_err());
        let (x, sum) = numbers(50_000);
        let arrays = devices.each_ref().map(|cuda| cuda.upload(&x).expect("an upload"));
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let (devices, arrays) = (&devices, &arrays);
                scope.spawn(move || {
                    let streams: Vec<_> =
                        (0..8).map(|at| (at % 2, devices[at % 2].stream().expect("a stream"))).collect();
                    for round in 0..5 {
                        // Results of both devices are on their way at once, and are got by turns.
                        let mut results = Vec::new();
                        for (at, stream) in &streams {
                            let mut out = devices[*at].scalar::<i32, Sum>().expect("a scalar");
                            stream.reduce_into(Sum, &arrays[*at], &mut out).expect("to enqueue");
                            results.push(out);
                        }
                        let other = (thread + round) % 2;
                        assert_eq!(devices[other].reduce(Sum, &arrays[other]).expect("a sum"), sum);
                        for out in results {
                            assert_eq!(out.get().expect("a sum"), sum);
                        }
                    }
                });
            }
        });
        assert_eq!(devices.each_ref().map(Cuda::failed_frees), [0, 0]);
        let [first, second] = devices;
        // What is of a device may outlive its handle, and be dropped after the other's.
        let [of_first, of_second] = arrays;
        drop((first, second));
        drop((of_second, of_first));
    };
    if let Some(output) =
        with_emulated_and("threads_share_two_devices", &[("WARPFOLD_EMULATED_DEVICES", "2")])
    {
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(LEFT_NOTHING), "{text}");
    } else {
        body();
    }
}
