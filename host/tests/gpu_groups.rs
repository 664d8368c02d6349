//! Groups and runs of equal keys, on the emulated driver: the launches get the right arguments, and
//! nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{LEFT_NOTHING, leaves_nothing, numbers, with_emulated_and};
use warpfold::{Cpu, Cuda, Error, IndexType, Mean, Sum, groups, launch_times, runs};

fn mix(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 11
}

fn check<I: IndexType>(cuda: &Cuda, ids: &[I], x: &[i32], count: usize) {
    let (on_ids, on_x) = (cuda.upload(ids).expect("an upload"), cuda.upload(x).expect("an upload"));
    let found = cuda.reduce(Sum, groups(&on_ids, &on_x, count)).expect("sums");
    let expected = Cpu::new().reduce(Sum, groups(ids, x, count)).expect("sums");
    assert!(found.to_vec().expect("sums") == expected, "{} elements in {count} groups", x.len());
}

/// Results stay on the device, repeatedly in the same memory, and the sorted elements are freed before the
/// results are read.
#[test]
fn groups_go_to_results_on_the_device() {
    leaves_nothing("groups_go_to_results_on_the_device", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        for count in [1, 300, 9000] {
            let mut sums = cuda.results::<i32, Sum>(count).expect("room");
            let mut means = cuda.results::<i32, Mean>(count).expect("room");
            for n in [20_000, 5000, 1, 0, 12_000] {
                let (x, _) = numbers(n);
                let ids: Vec<u32> = (0..x.len()).map(|i| (mix(i) % count as u64) as u32).collect();
                let (on_ids, on_x) = (cuda.upload(&ids).expect("ids"), cuda.upload(&x).expect("an upload"));
                stream.reduce_into(Sum, groups(&on_ids, &on_x, count), &mut sums).expect("sums");
                drop((on_ids, on_x));
                let expected = Cpu::new().reduce(Sum, groups(&ids, &x, count)).expect("sums");
                assert!(sums.to_vec().expect("sums") == expected, "{n} elements in {count} groups");
            }
            // Nothing was written to these.
            assert!(means.to_vec().expect("means").iter().all(Option::is_none));
            let (ids, x) = (cuda.upload(&[count as u64]).expect("ids"), cuda.upload(&[1]).expect("one"));
            let refused = stream.reduce_into(Mean, groups(&ids, &x, count), &mut means);
            assert!(matches!(refused, Err(Error::Group { at: 0, .. })), "{refused:?}");
            assert!(means.to_vec().expect("means").iter().all(Option::is_none));
            let mut none = cuda.results::<i32, Sum>(0).expect("room");
            let refused = stream.reduce_into(Sum, groups(&ids, &x, 0), &mut none);
            assert!(matches!(refused, Err(Error::Group { at: 0, groups: 0, .. })), "{refused:?}");
            let recorded =
                stream.capture(|stream| stream.reduce_into(Sum, groups(&ids, &x, count), &mut sums));
            assert!(matches!(recorded, Err(Error::Capturing { .. })), "{recorded:?}");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn groups_take_every_number_of_passes() {
    leaves_nothing("groups_take_every_number_of_passes", || {
        let cuda = Cuda::open(0).expect("the device");
        for (n, count) in [(1, 1), (10_000, 2), (10_000, 256), (20_000, 257), (3073, 9000), (20_000, 70_000)]
        {
            let (x, _) = numbers(n);
            let ids: Vec<u64> = (0..x.len()).map(|i| mix(i) % count).collect();
            check(&cuda, &ids, &x, count as usize);
            check(&cuda, &ids.iter().map(|&id| id as i32).collect::<Vec<_>>(), &x, count as usize);
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn ids_of_no_group_are_refused() {
    leaves_nothing("ids_of_no_group_are_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(5000);
        let on_x = cuda.upload(&x).expect("an upload");
        for count in [3usize, 1000] {
            for (at, id) in [(0, -1i64), (4999, count as i64), (70, i64::MIN)] {
                let mut ids = vec![1i64; x.len()];
                ids[at] = id;
                let on_ids = cuda.upload(&ids).expect("an upload");
                let refused = cuda.reduce(Sum, groups(&on_ids, &on_x, count));
                let Err(Error::Group { at: found, group, groups: of }) = refused else {
                    panic!("{refused:?}")
                };
                assert_eq!((found, group, of), (at, i128::from(id), count));
            }
        }
        let few = cuda.upload(&[0u32; 3]).expect("an upload");
        let refused = cuda.reduce(Sum, groups(&few, &on_x, 1));
        assert!(matches!(refused, Err(Error::Lengths { left: 3, right: 5000 })), "{refused:?}");
        let none = on_x.slice(5..5).expect("a slice");
        let sums = cuda.reduce(Sum, groups(few.slice(3..).expect("a slice"), none, 4));
        assert_eq!(sums.expect("sums").to_vec().expect("sums"), [0; 4]);
    });
}

#[test]
fn runs_come_with_their_keys() {
    leaves_nothing("runs_come_with_their_keys", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(20_000);
        let on_x = cuda.upload(&x).expect("an upload");
        for longest in [1, 9, 3000, 100_000] {
            let keys: Vec<u64> = (0..x.len()).map(|i| mix(i / longest) % 3).collect();
            let on_keys = cuda.upload(&keys).expect("an upload");
            let (found, sums) = cuda.reduce(Sum, runs(&on_keys, &on_x)).expect("sums");
            let found = (found.to_vec().expect("keys"), sums.to_vec().expect("sums"));
            assert!(found == Cpu::new().reduce(Sum, runs(&keys, &x)).expect("sums"), "{longest}");
            let signs: Vec<bool> = (0..x.len()).map(|i| i / longest % 5 == 1).collect();
            let on_signs = cuda.upload(&signs).expect("an upload");
            let (found, sums) = cuda.reduce(Sum, runs(&on_signs, &on_x)).expect("sums");
            let found = (found.to_vec().expect("keys"), sums.to_vec().expect("sums"));
            assert!(found == Cpu::new().reduce(Sum, runs(&signs, &x)).expect("sums"), "{longest}");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// The memory of a call is reused by the next one that needs no more.
#[test]
fn a_second_call_finds_its_memory() {
    let name = "a_second_call_finds_its_memory";
    let Some(output) = with_emulated_and(name, &[("WARPFOLD_EMULATED_LOG", "1")]) else {
        let cuda = Cuda::open(0).expect("the device");
        for n in [20_000, 20_000, 5000, 40_000, 40_000, 20_000] {
            let (x, _) = numbers(n);
            let ids: Vec<u32> = (0..x.len()).map(|i| (mix(i) % 300) as u32).collect();
            check(&cuda, &ids, &x, 300);
        }
        return assert_eq!(cuda.failed_frees(), 0);
    };
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(LEFT_NOTHING), "{text}");
    let sizes = text.lines().filter_map(|line| {
        let bytes = line.strip_prefix("emulated driver: allocates ")?.strip_suffix(" bytes")?;
        bytes.parse::<usize>().ok()
    });
    // Larger than an array or the memory of other launches.
    let sizes: Vec<_> = sizes.filter(|&bytes| bytes > 170_000 && bytes != 512 * 1024 + 128).collect();
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    assert!(sizes.is_sorted(), "{sizes:?}");
}

#[test]
fn launches_are_timed_one_by_one() {
    leaves_nothing("launches_are_timed_one_by_one", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(5000);
        let ids: Vec<u32> = (0..x.len()).map(|i| (mix(i) % 300) as u32).collect();
        let (on_ids, on_x) = (cuda.upload(&ids).expect("an upload"), cuda.upload(&x).expect("an upload"));
        let call = || cuda.reduce(Sum, groups(&on_ids, &on_x, 300));
        let (sums, times) = launch_times(call).expect("times");
        assert_eq!(sums.expect("sums").len(), 300);
        let names: Vec<_> = times.iter().map(|(name, _)| *name).collect();
        let moves = names.iter().filter(|&&name| name == "move_4_scatter");
        assert_eq!((moves.count(), names.contains(&"group_histogram")), (2, true), "{names:?}");
        let (_, none) = launch_times(|| ()).expect("times");
        assert!(none.is_empty());
    });
}
