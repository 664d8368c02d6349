//! Parts of arrays in device memory, over threads as ranks, on the emulated driver: the device folds each
//! tile within a part once, the rest is copied, and nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::ops::Range;
use std::thread;

use emulated::{LEFT_NOTHING, folds, leaves_nothing, numbers, with_emulated};
use warpfold::{
    Above, Cpu, Cuda, Error, Interpolation, Order, RankFault, Scan, Sum, SumIn, Threads, View, World, along,
    chunks, columns, groups, rows, runs, segments, tree,
};

/// The result of a call on each rank, with its part.
fn on_each<R: Send>(
    cut: &[Range<usize>],
    call: impl Fn(&World<Threads>, Range<usize>) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let call = &call;
        let ranks = World::threads(cut.len()).into_iter().zip(cut);
        let ranks: Vec<_> =
            ranks.map(|(world, part)| scope.spawn(move || call(&world, part.clone()))).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

#[test]
fn ranks_share_a_device() {
    leaves_nothing("ranks_share_a_device", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, expected) = numbers(600_000);
        let array = cuda.upload(&x).expect("an upload");
        for ends in [vec![], vec![300_000], vec![1, 1, 4096, 5000, 5001, 500_000]] {
            let ends: Vec<usize> = [0].into_iter().chain(ends).chain([x.len()]).collect();
            let cut: Vec<_> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            let found = on_each(&cut, |world, part| {
                // An array of this rank alone, dropped when the call returns.
                let own = Cuda::open(0).expect("the device").upload(&x[part.clone()]).expect("an upload");
                let sums = [world.reduce(Sum, &own), world.reduce(Sum, array.slice(part).expect("a slice"))];
                sums.map(|sum| sum.expect("a sum"))
            });
            assert!(found.iter().all(|&sums| sums == [expected; 2]), "{cut:?}: {found:?}");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn rows_chunks_and_segments_are_folded_by_the_ranks_that_have_them() {
    leaves_nothing("rows_chunks_and_segments_are_folded_by_the_ranks_that_have_them", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(60_000);
        let sum = |x: &[i32]| x.iter().copied().map(i64::from).sum::<i64>();
        let sums = |len: usize| x.chunks(len).map(sum).collect::<Vec<_>>();
        let offsets = [3_u64, 3, 10, 20_000, 20_001, 59_999];
        let between: Vec<_> =
            offsets.windows(2).map(|ends| sum(&x[ends[0] as usize..ends[1] as usize])).collect();
        let array = cuda.upload(&x).expect("an upload");
        for ends in [&[0, 60_000][..], &[0, 20_000, 20_000, 60_000], &[0, 1000, 60_000]] {
            let cut: Vec<_> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            let found = on_each(&cut, |world, part| {
                let x = array.slice(part.clone()).expect("a slice");
                assert_eq!(world.reduce(Sum, rows(x, [part.len() / 100, 100])).expect("sums"), sums(100));
                assert_eq!(world.reduce(Sum, chunks(x, 7001)).expect("sums"), sums(7001));
                world.reduce(Sum, segments(x, &offsets)).expect("sums")
            });
            assert!(found.iter().all(|found| *found == between), "{cut:?}: {found:?}");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// Operations for which elements come to the host, where the driver's kernels take no part in results; and compactions.
#[test]
fn the_host_does_what_a_device_does_not() {
    leaves_nothing("the_host_does_what_a_device_does_not", || {
        let (x, cpu) = (numbers(30_000).0, Cpu::new());
        let keys: Vec<u32> = x.iter().map(|x| x.unsigned_abs() / 100).collect();
        let (above, qs) = (Above { threshold: 500 }, [0.1, 0.9]);
        let mut sorted = x.clone();
        cpu.sort(&mut sorted, Order::Ascending).unwrap();
        let of_columns = cpu.reduce(Sum, columns(&x, [300, 100])).expect("sums");
        let view = View::new(&x, &[300, 10, 10]).expect("a view");
        let of_axes = cpu.reduce(Sum, along(view, &[0, 2])).expect("sums");
        let of_groups = cpu.reduce(Sum, groups(&keys, &x, 10)).expect("sums");
        let of_runs = cpu.reduce(Sum, runs(&keys, &x)).expect("sums");
        let top = cpu.top_k(&x, 5).expect("five");
        let quantiles = cpu.quantiles(&x, &qs, Interpolation::Linear).expect("two");
        for ends in [&[0, 30_000][..], &[0, 10_000, 10_000, 30_000], &[0, 100, 30_000]] {
            let cut: Vec<_> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            let found = on_each(&cut, |world, part| {
                let cuda = Cuda::open(0).expect("the device");
                let own = cuda.upload(&x[part.clone()]).expect("an upload");
                let of_own = cuda.upload(&keys[part.clone()]).expect("an upload");
                let rows = part.len() / 100;
                assert_eq!(world.reduce(Sum, columns(&own, [rows, 100])).expect("sums"), of_columns);
                let view = View::new(&own, &[rows, 10, 10]).expect("a view");
                assert_eq!(world.reduce(Sum, along(view, &[0, 2])).expect("sums"), of_axes);
                assert_eq!(world.reduce(Sum, groups(&of_own, &own, 10)).expect("sums"), of_groups);
                assert_eq!(world.reduce(Sum, runs(&of_own, &own)).expect("sums"), of_runs);
                assert_eq!(world.top_k(&own, 5).expect("five"), top);
                assert_eq!(world.quantiles(&own, &qs, Interpolation::Linear).expect("two"), quantiles);
                let (parted, count) = world.partition(above, &own).expect("two parts");
                assert_eq!(
                    (parted.len(), count),
                    (part.len(), x.iter().filter(|&&x| x > 500).count() as u64)
                );
                let mut values = cuda.values(part.len()).expect("room");
                world.sort_into(&own, &mut values, Order::Ascending).expect("a sort");
                assert_eq!(values.to_vec().expect("values"), sorted[part.clone()]);
                let sums = world.scan(Sum, &own, Scan::inclusive()).expect("sums").to_vec().expect("sums");
                let kept = world.compact(above, &own).expect("some").to_vec().expect("some");
                let flags: Vec<bool> = x[part.clone()].iter().map(|&x| x > 500).collect();
                let on_device = cuda.upload(&flags).expect("an upload");
                // Flags on the device, flags in host memory, and elements of a size for which there are no kernels.
                let flagged = world.compact_by_flags(&on_device, &own).expect("some").to_vec();
                assert_eq!(flagged.expect("some"), kept);
                let flagged = world.compact_by_flags(&flags, &own).expect("some").to_vec();
                assert_eq!(flagged.expect("some"), kept);
                let wide: Vec<[i32; 3]> = x[part.clone()].iter().map(|&x| [x; 3]).collect();
                let wide = cuda.upload(&wide).expect("an upload");
                let flagged =
                    world.compact_by_flags(&on_device, &wide).expect("some").to_vec().expect("some");
                assert_eq!(flagged.iter().map(|x| x[1]).collect::<Vec<_>>(), kept);
                (sums, kept, parted.to_vec().expect("elements"))
            });
            let sums: Vec<i64> = found.iter().flat_map(|found| found.0.clone()).collect();
            assert_eq!(sums, cpu.scan(Sum, &x, Scan::inclusive()).expect("sums"));
            let kept: Vec<i32> = found.iter().flat_map(|found| found.1.clone()).collect();
            assert_eq!(kept, cpu.compact(above, &x).expect("some"));
            let parted: Vec<i32> = found.iter().flat_map(|found| found.2.clone()).collect();
            assert_eq!(parted, cpu.partition(above, &x).expect("two parts").0);
        }
    });
}

/// A copy to the host fails on one rank: an error there, and one that names it on the others; all can continue.
#[test]
fn elements_that_are_not_read_are_an_error_on_every_rank() {
    leaves_nothing("elements_that_are_not_read_are_an_error_on_every_rank", || {
        let cuda = Cuda::open(0).expect("the device");
        let array = cuda.upload(&[1, 2, 3]).expect("an upload");
        let found = on_each(&[0..3, 0..3], |world, _| {
            if world.rank() == 1 {
                // SAFETY: the other rank waits in the barrier, and reads no environment.
                unsafe { std::env::set_var("WARPFOLD_EMULATED_FAILURE", "cuMemcpyDtoHAsync_v2 1 1") }
            }
            world.barrier().expect("a barrier");
            let failed = match world.rank() {
                0 => world.all_reduce(SumIn::<i32>::default(), &mut [1, 2, 3]).map(drop),
                _ => world.all_reduce(SumIn::<i32>::default(), &array).map(drop),
            };
            let sums = world.all_reduce(SumIn::<i32>::default(), &array).expect("sums");
            assert_eq!(sums.to_vec().expect("sums"), [2, 4, 6]);
            failed
        });
        assert!(matches!(found[1], Err(Error::Driver { .. })), "{found:?}");
        let refused = matches!(found[0], Err(Error::Rank { rank: 1, fault: RankFault::Refused { .. } }));
        assert!(refused, "{found:?}");
    });
}

/// Three parts that begin and end within tiles.
const ENDS: [usize; 4] = [0, 250_001, 500_007, 900_000];

#[test]
fn each_tile_within_a_part_is_folded_by_its_rank() {
    const NAME: &str = "each_tile_within_a_part_is_folded_by_its_rank";
    let body = || {
        // SAFETY: this process has only one thread so far.
        unsafe { std::env::set_var("WARPFOLD_EMULATED_LOG", "1") }
        let (cuda, x) = (Cuda::open(0).expect("the device"), vec![1.0f32; ENDS[3]]);
        let cut: Vec<_> = ENDS.windows(2).map(|ends| ends[0]..ends[1]).collect();
        on_each(&cut, |world, part| {
            let sum = world.reduce(Sum, &cuda.upload(&x[part]).expect("an upload"));
            assert!(sum.is_ok(), "{sum:?}");
        });
    };
    let Some(output) = with_emulated(NAME) else { return body() };
    let text = String::from_utf8_lossy(&output.stderr);
    let folds = folds(&text).into_iter().map(|(first, len)| (first as usize, len as usize));
    let mut folds: Vec<_> = folds.map(|(first, len)| first..first + len).collect();
    folds.sort_unstable_by_key(|fold| fold.start);
    let tile = tree::tile_len::<f32>(ENDS[3] as u64) as usize;
    let within = |ends: &[usize]| {
        let end = if ends[1] == ENDS[3] { ends[1] } else { ends[1] / tile * tile };
        ends[0].next_multiple_of(tile)..end
    };
    assert_eq!(folds, ENDS.windows(2).map(within).collect::<Vec<_>>());
    assert!(text.contains(LEFT_NOTHING), "{text}");
}

/// A launch fails on one rank: an error there, and one that names it on the others.
#[test]
fn a_device_that_fails_is_an_error_on_every_rank() {
    leaves_nothing("a_device_that_fails_is_an_error_on_every_rank", || {
        let (cuda, x) = (Cuda::open(0).expect("the device"), vec![1.0f32; 100_000]);
        let array = cuda.upload(&x).expect("an upload");
        // Only rank 1 has a whole tile.
        let found = on_each(&[0..5, 5..99_995, 99_995..100_000], |world, part| {
            if world.rank() == 1 {
                // SAFETY: the other ranks wait in the barrier, and read no environment.
                unsafe { std::env::set_var("WARPFOLD_EMULATED_FAILURE", "cuLaunchKernel 1 1") }
            }
            world.barrier().expect("a barrier");
            let found = world.reduce(Sum, array.slice(part).expect("a slice"));
            let closed = world.reduce(Sum, &x);
            assert!(matches!(closed, Err(Error::WorldClosed { .. })), "{closed:?}");
            found
        });
        assert!(matches!(found[1], Err(Error::Driver { .. })), "{found:?}");
        for found in [&found[0], &found[2]] {
            let fault = matches!(found, Err(Error::Rank { rank: 1, fault: RankFault::Failed { .. } }));
            assert!(fault, "{found:?}");
        }
    });
}
