//! Streams, events and results, a hundred thousand of each: nothing remains of them, on the device or on the host.

use std::fs;
use std::time::Instant;

use warpfold::{DeviceResults, DeviceScalar, Event, Pending, Stream, Sum, rows};
use warpfold_tests::{cuda, on_gpu_or_emulated};

use crate::{alone, show};

/// How many are made on a GPU.
const MANY: usize = 100_000;

/// How many are there at a time.
const AT_A_TIME: usize = 20;

/// Bytes that the process may have grown by: 80 for each stream, with its event and its results.
const GROWTH: u64 = 80 * MANY as u64;

/// What is made together.
struct Made {
    stream: Stream,
    events: [Event; 2],
    pending: Pending<i32, Sum>,
    scalar: DeviceScalar<i32, Sum>,
    results: DeviceResults<i32, Sum>,
}

/// Bytes of this process in memory, and its open files.
fn of_process() -> (u64, usize) {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    let resident: u64 = pages.split(' ').nth(1).unwrap().parse().unwrap();
    (resident * 4096, fs::read_dir("/proc/self/fd").unwrap().count())
}

fn make_and_drop(count: usize) {
    let x: Vec<i32> = (0..1000).collect();
    let device = cuda().upload(&x).unwrap();
    let make = || {
        let stream = cuda().stream().unwrap();
        let (mut scalar, mut results) = (cuda().scalar().unwrap(), cuda().results(10).unwrap());
        let start = stream.record().unwrap();
        let pending = stream.reduce_async(Sum, &device).unwrap();
        stream.reduce_into(Sum, &device, &mut scalar).unwrap();
        stream.reduce_into(Sum, rows(&device, [10, 100]), &mut results).unwrap();
        let events = [start, stream.record().unwrap()];
        Made { stream, events, pending, scalar, results }
    };
    for turn in 0..count.div_ceil(AT_A_TIME) {
        let all: Vec<Made> = (0..AT_A_TIME).map(|_| make()).collect();
        for (i, Made { stream, events, pending, scalar, results }) in all.into_iter().enumerate() {
            // Most are dropped unread; some outlive their stream.
            match (turn + i) % 7 {
                0 => {
                    drop(stream);
                    assert_eq!(scalar.get().unwrap(), 499_500);
                    assert_eq!(pending.wait().unwrap(), 499_500);
                }
                1 => assert_eq!(results.to_vec().unwrap()[9], 94_950),
                2 => assert!(events[0].elapsed_ms(&events[1]).unwrap() >= 0.0),
                3 => drop((scalar, results, pending, events, stream)),
                _ => {}
            }
        }
    }
}

#[test]
fn a_hundred_thousand_streams_events_and_results_leave_nothing() {
    let _alone = alone();
    // What the library, the driver and the allocator keep is there afterwards. The emulated device keeps the stacks of its threads.
    let many = on_gpu_or_emulated(MANY, 3000);
    make_and_drop(on_gpu_or_emulated(many / 10, many));
    let (free, (resident, files)) = (cuda().free_bytes().unwrap(), of_process());
    let start = Instant::now();
    make_and_drop(many);
    let (free_now, (resident_now, files_now)) = (cuda().free_bytes().unwrap(), of_process());
    show(&format!(
        "{many} streams, events and results in {:.1?}: free on the device {free} -> {free_now}, of the process {resident} -> \
         {resident_now} bytes and {files} -> {files_now} files",
        start.elapsed()
    ));
    assert_eq!(free_now, free, "free bytes of the device");
    assert!(resident_now <= resident + GROWTH, "{resident} -> {resident_now} bytes of the process");
    assert_eq!(files_now, files, "open files");
    assert_eq!(cuda().failed_frees(), 0);
}
