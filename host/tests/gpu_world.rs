//! Parts of arrays in device memory, over threads as ranks, on the driver of `fake_driver.c`: the device folds each
//! tile within a part once, the rest is copied, and nothing is freed too early.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/fake_driver/mod.rs"]
mod fake_driver;

use std::ops::Range;
use std::thread;

use fake_driver::{LEFT_NOTHING, leaves_nothing, numbers, with_fake_driver};
use warpfold::{Cuda, Error, RankFault, Sum, Threads, World, chunks, rows, segments, tree};

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

/// Three parts that begin and end within tiles.
const ENDS: [usize; 4] = [0, 250_001, 500_007, 900_000];

#[test]
fn each_tile_within_a_part_is_folded_by_its_rank() {
    const NAME: &str = "each_tile_within_a_part_is_folded_by_its_rank";
    let body = || {
        // SAFETY: this process has only one thread so far.
        unsafe { std::env::set_var("WARPFOLD_FAKE_LOG", "1") }
        let (cuda, x) = (Cuda::open(0).expect("the device"), vec![1.0f32; ENDS[3]]);
        let cut: Vec<_> = ENDS.windows(2).map(|ends| ends[0]..ends[1]).collect();
        on_each(&cut, |world, part| {
            // The driver computes other bits.
            let sum = world.reduce(Sum, &cuda.upload(&x[part]).expect("an upload"));
            assert!(sum.is_ok(), "{sum:?}");
        });
    };
    let Some(output) = with_fake_driver(NAME) else { return body() };
    let text = String::from_utf8_lossy(&output.stderr);
    let folds = text.lines().filter_map(|line| line.strip_prefix("fake driver: folds "));
    let words = |line: &str| line.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<usize>>();
    let mut folds: Vec<_> = folds.map(words).map(|words| words[1]..words[1] + words[0]).collect();
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
                unsafe { std::env::set_var("WARPFOLD_FAKE_FAILURE", "cuLaunchKernel 1 1") }
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
