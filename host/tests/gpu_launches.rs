//! What is launched and allocated for sorts, selections and groups, on the emulated driver: as much as it takes and no more; and
//! the launches for arrays so long that no test has them.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{LEFT_NOTHING, leaves_nothing, leaves_nothing_and, numbers, with_emulated_and};
use warpfold::Order::{Ascending, Descending};
use warpfold::{Cpu, Cuda, DeviceArray, Matrix2, MatrixProduct, Mean, groups, launch_times};

const LOG: [(&str, &str); 1] = [("WARPFOLD_EMULATED_LOG", "1")];

fn mix(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 3
}

/// Runs `body` in a process of its own, and returns what the driver says between the lines `begin` and `end` that it writes.
fn log_of(name: &str, body: impl FnOnce()) -> Option<String> {
    let Some(output) = with_emulated_and(name, &LOG) else {
        body();
        return None;
    };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains(LEFT_NOTHING), "{text}");
    let (_, log) = text.split_once("\nbegin\n").expect("a beginning");
    Some(log.split_once("\nend\n").expect("an end").0.to_owned())
}

/// The kernels launched, in order.
fn launched(log: &str) -> Vec<&str> {
    let launches = log.lines().filter_map(|line| line.strip_prefix("emulated driver: launches "));
    launches.filter_map(|launch| launch.split(' ').next()).collect()
}

/// One block sorts so few elements, from their place to the destination.
#[test]
fn short_sorts_on_a_stream_allocate_nothing() {
    let log = log_of("short_sorts_on_a_stream_allocate_nothing", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let x: Vec<u32> = (0..4096).map(|i| mix(i) as u32).collect();
        let on = cuda.upload(&x).expect("an upload");
        let (mut out, mut indices) =
            (cuda.values::<u32>(4096).expect("room"), cuda.values::<u64>(4096).expect("room"));
        eprintln!("\nbegin");
        for _ in 0..3 {
            stream.sort_into(&on, &mut out, Ascending).expect("a sort");
            stream.argsort_into(&on, &mut indices, Ascending).expect("a sort");
        }
        eprintln!("\nend");
        assert!(out.to_vec().expect("elements").is_sorted());
    });
    if let Some(log) = log {
        assert_eq!(log.matches("emulated driver: allocates").count(), 0, "{log}");
        assert_eq!(launched(&log), ["sort_4_leaf"; 6]);
    }
}

/// A level splits keys in any usual order until a block sorts each part.
#[test]
fn usual_orders_take_one_level() {
    let log = log_of("usual_orders_take_one_level", || {
        let cuda = Cuda::open(0).expect("the device");
        let few =
            (0..6000).map(|i| u128::from(if i % 100 == 0 { mix(i) << 40 } else { mix(i) % 9_000 })).collect();
        eprintln!("\nbegin");
        for x in [few, vec![3; 6000], (0..6000).map(|i| u128::from(mix(i)) << 60).collect::<Vec<_>>()] {
            let found = cuda.sort(&cuda.upload(&x).expect("an upload"), Ascending).expect("a sort");
            assert!(found.to_vec().expect("elements").is_sorted());
            eprintln!("\nsorted");
        }
        eprintln!("\nend");
    });
    if let Some(log) = log {
        let levels: Vec<_> =
            log.split("\nsorted").map(|log| log.matches("launches sort_16_pivots").count()).collect();
        assert_eq!(levels, [1, 1, 1, 0]);
    }
}

/// A sample bounds the first elements of an array in any usual order, so that one pass finds them.
#[test]
fn the_first_few_take_one_pass() {
    let log = log_of("the_first_few_take_one_pass", || {
        let cuda = Cuda::open(0).expect("the device");
        let n = 70_001;
        eprintln!("\nbegin");
        for x in [(0..n).map(mix).collect(), vec![7; n], (0..n).map(|i| i as u64 >> 2).collect::<Vec<_>>()] {
            let on = cuda.upload(&x).expect("an upload");
            assert_eq!(cuda.top_k(&on, 10).expect("elements").0.len(), 10);
        }
        eprintln!("\nend");
    });
    if let Some(log) = log {
        let launched = launched(&log);
        for kernel in ["select_sample", "select_8_filter"] {
            assert_eq!(launched.iter().filter(|&&name| name == kernel).count(), 3, "{launched:?}");
        }
        assert!(!launched.contains(&"select_8_digits"), "{launched:?}");
    }
}

/// The memory of a call is reused by the next one that needs no more.
#[test]
fn a_second_call_finds_its_memory() {
    let log = log_of("a_second_call_finds_its_memory", || {
        let cuda = Cuda::open(0).expect("the device");
        eprintln!("\nbegin");
        for n in [20_000, 20_000, 5000, 40_000, 40_000, 20_000] {
            let (x, _) = numbers(n);
            let ids: Vec<u32> = (0..x.len()).map(|i| (mix(i) % 300) as u32).collect();
            let (on_ids, on_x) = (cuda.upload(&ids).expect("ids"), cuda.upload(&x).expect("an upload"));
            cuda.reduce(Mean, groups(&on_ids, &on_x, 300)).expect("means");
        }
        eprintln!("\nend");
        assert_eq!(cuda.failed_frees(), 0);
    });
    if let Some(log) = log {
        let sizes = log.lines().filter_map(|line| {
            let bytes = line.strip_prefix("emulated driver: allocates ")?.strip_suffix(" bytes")?;
            bytes.parse::<usize>().ok()
        });
        // Larger than an array or the memory of other launches.
        let sizes: Vec<_> = sizes.filter(|&bytes| bytes > 170_000 && bytes != 512 * 1024 + 128).collect();
        assert_eq!(sizes.len(), 2, "{sizes:?}");
        assert!(sizes.is_sorted(), "{sizes:?}");
    }
}

#[test]
fn launches_are_timed_one_by_one() {
    leaves_nothing("launches_are_timed_one_by_one", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(5000);
        let ids: Vec<u32> = (0..x.len()).map(|i| (mix(i) % 300) as u32).collect();
        let (on_ids, on_x) = (cuda.upload(&ids).expect("an upload"), cuda.upload(&x).expect("an upload"));
        let call = || cuda.reduce(Mean, groups(&on_ids, &on_x, 300));
        let (means, times) = launch_times(call).expect("times");
        assert_eq!(means.expect("means").len(), 300);
        let names: Vec<_> = times.iter().map(|(name, _)| *name).collect();
        let moves = names.iter().filter(|&&name| name == "move_4_scatter_short");
        assert_eq!((moves.count(), names.contains(&"group_histogram")), (2, true), "{names:?}");
        let (_, none) = launch_times(|| ()).expect("times");
        assert!(none.is_empty());
    });
}

/// As for arrays of more than 2^32 elements: positions of 8 bytes, and passes of several launches. Each launch goes on
/// where the one before ended.
#[test]
fn long_arrays_are_moved_by_several_launches() {
    let name = "long_arrays_are_moved_by_several_launches";
    leaves_nothing_and(name, &[("WARPFOLD_EMULATED_SHORT", "1000")], || {
        let (cuda, cpu, n) = (Cuda::open(0).expect("the device"), Cpu::new(), 20_011);
        let numbers = |found: DeviceArray<u64>| found.to_vec().expect("indices");
        let keys: Vec<i32> = (0..n).map(|i| mix(i) as i32 % 5000).collect();
        let short: Vec<u8> = keys.iter().map(|&x| x as u8).collect();
        let wide: Vec<u64> = (0..n).map(|i| mix(i) >> 44).collect();
        let longest: Vec<u128> = wide[..5000].iter().map(|&x| u128::from(x) << 70).collect();
        let triples: Vec<[u32; 3]> = (0..n as u32).map(|i| [i, !i, 7]).collect();
        let (on_keys, on_short) = (cuda.upload(&keys).expect("keys"), cuda.upload(&short).expect("keys"));
        let (on_wide, on_longest) = (cuda.upload(&wide).expect("keys"), cuda.upload(&longest).expect("keys"));
        let on_triples = cuda.upload(&triples).expect("values");
        for order in [Ascending, Descending] {
            let by_keys = cpu.argsort(&keys, order).expect("indices");
            let found = cuda.sort(&on_keys, order).expect("keys").to_vec().expect("keys");
            assert!(found.into_iter().eq(by_keys.iter().map(|&i| keys[i])), "keys, {order:?}");
            let found = numbers(cuda.argsort(&on_keys, order).expect("indices"));
            assert!(found.into_iter().eq(by_keys.iter().map(|&i| i as u64)), "indices, {order:?}");
            let (_, found) = cuda.sort_pairs(&on_keys, &on_wide, order).expect("pairs");
            assert!(numbers(found).into_iter().eq(by_keys.iter().map(|&i| wide[i])), "values, {order:?}");
            let (_, found) = cuda.sort_pairs(&on_keys, &on_triples, order).expect("pairs");
            let found = found.to_vec().expect("values");
            assert!(found.into_iter().eq(by_keys.iter().map(|&i| triples[i])), "gathered, {order:?}");
            let by_wide = cpu.argsort(&wide, order).expect("indices");
            let (_, found) = cuda.sort_pairs(&on_wide, &on_keys, order).expect("pairs");
            assert!(
                found.to_vec().expect("values").into_iter().eq(by_wide.iter().map(|&i| keys[i])),
                "{order:?}"
            );
            let found = numbers(cuda.argsort(&on_short, order).expect("indices"));
            let right = cpu.argsort(&short, order).expect("indices");
            assert!(found.into_iter().eq(right.iter().map(|&i| i as u64)), "bytes, {order:?}");
            let found = numbers(cuda.argsort(&on_longest, order).expect("indices"));
            let right = cpu.argsort(&longest, order).expect("indices");
            assert!(found.into_iter().eq(right.iter().map(|&i| i as u64)), "levels, {order:?}");
        }
        let (_, found) = cuda.top_k(&on_keys, 3000).expect("elements");
        let right = cpu.top_k(&keys, 3000).expect("elements");
        assert!(numbers(found).into_iter().eq(right.iter().map(|at| at.index)), "the first 3000");

        let matrices: Vec<Matrix2<u64>> =
            (0..n).map(|i| Matrix2 { rows: [[mix(i), 1], [i as u64, mix(i ^ 1)]] }).collect();
        let on_matrices = cuda.upload(&matrices).expect("elements");
        for count in [2, 200, 1000, 70_000] {
            let ids: Vec<u64> = (0..n).map(|i| mix(i) % count as u64).collect();
            let on_ids = cuda.upload(&ids).expect("ids");
            let found = cuda.reduce(Mean, groups(&on_ids, &on_keys, count)).expect("means").to_vec();
            let right = cpu.reduce(Mean, groups(&ids, &keys, count)).expect("means");
            assert!(found.expect("sums") == right, "{count} groups");
            let found = cuda.reduce(MatrixProduct, groups(&on_ids, &on_matrices, count)).expect("products");
            let right = cpu.reduce(MatrixProduct, groups(&ids, &matrices, count)).expect("products");
            assert!(found.to_vec().expect("products") == right, "{count} groups, by positions");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}
