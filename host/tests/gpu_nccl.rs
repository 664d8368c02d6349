//! Arrays on devices, over threads as ranks, on the emulated driver and NCCL: every division
//! has the sums of the obvious loop, what is late or missing is an error, and nothing is left.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::thread;
use std::time::{Duration, Instant};

use emulated::{leaves_nothing_and, with_nccl};
use warpfold::{
    ArgMax, Communicator, Cuda, Error, Nccl, NcclSizes, RankFault, Stream, Sum, SumIn, Threads, World,
};

type Wrapping = SumIn<i32>;

const LIMIT: Duration = Duration::from_secs(60);
/// A limit that is over in a test, but not before the fault: ranks of a busy machine are late by a second. And its margin.
const SHORT: Duration = Duration::from_secs(5);
const MARGIN: Duration = Duration::from_secs(40);

/// With these sizes, arrays of some 100 elements are in several pieces, and arrays of up to 8 are small.
const SMALL: NcclSizes = NcclSizes { piece: 1024, least_share: 0, small: 32, more: 256 };

/// The result of a call on each rank.
fn on_each<R: Send>(
    size: usize,
    limit: Duration,
    call: impl Fn(&World<Nccl<Threads>>, &Cuda) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let call = &call;
        let rank = |rank: Threads| {
            scope.spawn(move || {
                let cuda = Cuda::open(0).expect("the device");
                let own = rank.with_time_limit(limit);
                let nccl = Nccl::with_time_limit(own, &cuda, limit).expect("a rank").with_sizes(SMALL);
                call(&World::new(nccl), &cuda)
            })
        };
        let ranks: Vec<_> = Threads::new(size).into_iter().map(rank).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

/// The array of a rank.
fn array(rank: usize, len: usize) -> Vec<i32> {
    (0..len).map(|i| (i as i32 ^ rank as i32).wrapping_mul(0x1234_5679).rotate_left(rank as u32)).collect()
}

/// The sums of all ranks' elements at each position.
fn sums(size: usize, len: usize) -> Vec<i64> {
    let arrays: Vec<_> = (0..size).map(|rank| array(rank, len)).collect();
    (0..len).map(|i| arrays.iter().map(|array| i64::from(array[i])).sum()).collect()
}

fn wrapped(sums: &[i64]) -> Vec<i32> {
    sums.iter().map(|&sum| sum as i32).collect()
}

fn share(rank: usize, size: usize, len: usize) -> std::ops::Range<usize> {
    len * rank / size..len * (rank + 1) / size
}

const SIZES: [usize; 4] = [1, 2, 3, 7];
/// Nothing, one, fewer than ranks, within a vector, several pieces of equal and of other lengths.
const LENS: [usize; 6] = [0, 1, 5, 63, 1024, 5001];

#[test]
fn sums_of_all_ranks_are_those_of_a_loop() {
    let left = with_nccl("sums_of_all_ranks_are_those_of_a_loop", &[], || {
        for size in SIZES {
            on_each(size, LIMIT, |world, cuda| {
                let stream = cuda.stream().expect("a stream");
                for len in LENS {
                    let (rank, sums, what) =
                        (world.rank(), sums(size, len), format!("{len} on {size} ranks"));
                    let x = cuda.upload(&array(rank, len)).expect("an upload");
                    let op = Wrapping::default();
                    let new = world.all_reduce(op, &x).expect("sums");
                    assert_eq!(new.to_vec().expect("sums"), wrapped(&sums), "{what}");
                    let shared = world.reduce_scatter(Sum, &x).expect("sums").to_vec().expect("sums");
                    assert_eq!(shared, sums[share(rank, size, len)], "{what}");
                    let mut values = cuda.values(len).expect("room");
                    values.copy_from_slice(&array(rank, len)).expect("a copy");
                    world.all_reduce(op, &mut values).expect("sums");
                    assert_eq!(values.to_vec().expect("sums"), wrapped(&sums), "{what}");
                    // Enqueued: results of one call are the elements of the next.
                    values.copy_from_slice(&array(rank, len)).expect("a copy");
                    world.all_reduce_on(&stream, op, &mut values).expect("sums");
                    world.all_reduce_on(&stream, op, &mut values).expect("sums");
                    let mut out = cuda.values(share(rank, size, len).len()).expect("room");
                    world.reduce_scatter_on(&stream, Sum, &x, &mut out).expect("sums");
                    let twice: Vec<_> =
                        wrapped(&sums).iter().map(|sum| sum.wrapping_mul(size as i32)).collect();
                    assert_eq!(values.to_vec().expect("sums"), twice, "{what}");
                    assert_eq!(out.to_vec().expect("sums"), shared, "{what}");
                }
                assert_eq!(cuda.failed_frees(), 0);
            });
        }
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 0 aborted")));
}

/// The reduction of an array, each rank with a part of it, by an operator whose tree matters and by a free one,
/// enqueued and in a graph. The graph is launched twice, with other elements.
#[test]
fn a_stream_reduces_the_parts_of_all_ranks() {
    with_nccl("a_stream_reduces_the_parts_of_all_ranks", &[], || {
        let tile = 4096;
        let lens: [&[usize]; 5] =
            [&[0, 0], &[5, 0, 0], &[2 * tile, tile, 0, tile + 77], &[tile, tile], &[0, tile, 1]];
        for lens in lens {
            on_each(lens.len(), LIMIT, |world, cuda| {
                let rank = world.rank();
                let part = |seed: usize| -> Vec<f32> {
                    let all = (0..lens.iter().sum())
                        .map(|i: usize| (i + seed) as f32 * 0.37 - 1e3 / (i + 1) as f32);
                    all.skip(lens[..rank].iter().sum()).take(lens[rank]).collect()
                };
                let stream = cuda.stream().expect("a stream");
                let arrays = [0, 1].map(|seed| cuda.upload(&part(seed)).expect("an upload"));
                let mut sum = cuda.scalar::<f32, Sum>().expect("room");
                let mut greatest = cuda.scalar::<f32, ArgMax>().expect("room");
                let calls = |stream: &Stream, seed: usize, sum: &mut _, greatest: &mut _| {
                    world.reduce_on(stream, Sum, &arrays[seed], sum)?;
                    world.reduce_on(stream, ArgMax, &arrays[seed], greatest)
                };
                let recorded = stream.capture(|stream| calls(stream, 0, &mut sum, &mut greatest));
                let mut graph = recorded.expect("a graph");
                for seed in [0, 1, 0, 1] {
                    if seed == 0 {
                        graph.launch(&stream).expect("a launch");
                    } else {
                        calls(&stream, seed, &mut sum, &mut greatest).expect("two calls");
                    }
                    let right = world.reduce(Sum, &part(seed)[..]).expect("a sum").to_bits();
                    let place = world.reduce(ArgMax, &part(seed)[..]).expect("a place");
                    assert_eq!(sum.get().expect("a sum").to_bits(), right, "{lens:?}, {seed}");
                    assert_eq!(greatest.get().expect("a place"), place, "{lens:?}, {seed}");
                }
            });
        }
    });
}

/// A part that begins within a tile is an error on all ranks, which go on.
#[test]
fn a_stream_reduces_no_parts_that_begin_within_a_tile() {
    with_nccl("a_stream_reduces_no_parts_that_begin_within_a_tile", &[], || {
        let found = on_each(3, LIMIT, |world, cuda| {
            let x = cuda.upload(&vec![1.5f32; 4096 + usize::from(world.rank() == 1)]).expect("an upload");
            let (stream, mut sum) = (cuda.stream().expect("a stream"), cuda.scalar().expect("room"));
            let refused = world.reduce_on(&stream, Sum, &x, &mut sum);
            world.reduce_on(&stream, Sum, x.slice(..4096).expect("a part"), &mut sum).expect("a sum");
            (refused, sum.get().expect("a sum"))
        });
        for (refused, sum) in found {
            let text = refused.expect_err("an error").to_string();
            assert!(text.contains("multiples of 4096"), "{text}");
            assert_eq!(sum, 1.5 * 3.0 * 4096.0);
        }
    });
}

/// Two streams share the scratch memory of the ranks: calls on one wait for those on the other.
#[test]
fn streams_take_turns() {
    with_nccl("streams_take_turns", &[], || {
        on_each(3, LIMIT, |world, cuda| {
            let (op, rank) = (Wrapping::default(), world.rank());
            let streams: [Stream; 2] = [(), ()].map(|()| cuda.stream().expect("a stream"));
            let mut all: Vec<_> = (0..6).map(|_| cuda.values(1000).expect("room")).collect();
            for (i, values) in all.iter_mut().enumerate() {
                values.copy_from_slice(&array(rank + i, 1000)).expect("a copy");
                world.all_reduce_on(&streams[i % 2], op, values).expect("sums");
            }
            for (i, values) in all.iter().enumerate().rev() {
                let expected = (0..3).map(|rank| array(rank + i, 1000));
                let expected =
                    expected.reduce(|a, b| a.iter().zip(b).map(|(a, b)| a.wrapping_add(b)).collect());
                assert_eq!(values.to_vec().expect("sums"), expected.expect("three"), "{i}");
            }
        });
    });
}

#[test]
fn a_graph_repeats_what_was_recorded() {
    let left = with_nccl("a_graph_repeats_what_was_recorded", &[], || {
        for len in [8, 3000] {
            on_each(2, LIMIT, |world, cuda| {
                let (op, stream) = (Wrapping::default(), cuda.stream().expect("a stream"));
                let mut values = cuda.values(len).expect("room");
                values.copy_from_slice(&array(world.rank(), len)).expect("a copy");
                world.all_reduce_on(&stream, op, &mut values).expect("sums");
                let record = |stream: &Stream| world.all_reduce_on(stream, op, &mut values);
                let mut graph = stream.capture(record).expect("a graph");
                for turn in 1..4 {
                    let expected: Vec<_> =
                        wrapped(&sums(2, len)).iter().map(|sum| sum.wrapping_mul(1 << (turn - 1))).collect();
                    assert_eq!(values.to_vec().expect("sums"), expected, "{len}, turn {turn}");
                    graph.launch(&stream).expect("a launch");
                }
                // Between launches and after the last, other calls of the world go on.
                world.all_reduce_on(&stream, op, &mut values).expect("sums");
                stream.synchronize().expect("an end");
            });
        }
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 0 aborted")));
}

/// Ranks with arrays in host memory and ranks with arrays on devices fold in host memory.
#[test]
fn memory_of_both_kinds() {
    with_nccl("memory_of_both_kinds", &[], || {
        let found = on_each(3, LIMIT, |world, cuda| {
            let (op, own) = (Wrapping::default(), array(world.rank(), 100));
            if world.rank() == 1 {
                let mut x = own.clone();
                world.all_reduce(op, &mut x).expect("sums");
                return (x, world.reduce_scatter(Sum, &own).expect("sums"));
            }
            let x = cuda.upload(&own).expect("an upload");
            let all = world.all_reduce(op, &x).expect("sums").to_vec().expect("sums");
            (all, world.reduce_scatter(Sum, &x).expect("sums").to_vec().expect("sums"))
        });
        let sums = sums(3, 100);
        for (rank, (all, shared)) in found.into_iter().enumerate() {
            assert_eq!((all, &shared[..]), (wrapped(&sums), &sums[share(rank, 3, 100)]), "{rank}");
        }
    });
}

/// Rank 1 fails between the agreement and the exchange: an error there, and on the others within the limit.
#[test]
fn a_rank_that_fails_is_an_error_on_every_rank() {
    let left = with_nccl("a_rank_that_fails_is_an_error_on_every_rank", &[], || {
        let found = on_each(3, SHORT, |world, cuda| {
            let x = cuda.upload(&array(world.rank(), 3000)).expect("an upload");
            let op = Wrapping::default();
            world.all_reduce(op, &x).expect("sums");
            if world.rank() == 1 {
                // SAFETY: the other ranks wait in the barrier, and read no environment.
                unsafe { std::env::set_var("WARPFOLD_EMULATED_FAILURE", "cuMemcpyDtoDAsync_v2 1 1") }
            }
            world.barrier().expect("a barrier");
            let begun = Instant::now();
            let failed = world.all_reduce(op, &x).map(drop);
            assert!(begun.elapsed() < MARGIN, "{:?}", begun.elapsed());
            let closed = world.all_reduce(op, &x);
            assert!(matches!(closed, Err(Error::WorldClosed { .. })), "{closed:?}");
            assert_eq!(cuda.failed_frees(), 0);
            failed
        });
        let failed = |found: &Result<(), Error>| {
            matches!(found, Err(Error::Nccl { .. } | Error::Driver { .. } | Error::Rank { .. }))
        };
        assert!(found.iter().all(failed), "{found:?}");
        assert!(found.iter().any(|found| matches!(found, Err(Error::Driver { .. }))), "{found:?}");
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left")));
}

/// A rank that leaves before a call: the others learn it when they agree, long before the limit.
#[test]
fn a_rank_that_is_gone_is_an_error_at_once() {
    with_nccl("a_rank_that_is_gone_is_an_error_at_once", &[], || {
        let found = on_each(2, LIMIT, |world, cuda| {
            let x = cuda.upload(&array(world.rank(), 3000)).expect("an upload");
            let folded = world.all_reduce(Wrapping::default(), &x).map(drop);
            if world.rank() == 1 {
                folded
            } else {
                folded.and(world.all_reduce(Wrapping::default(), &x).map(drop))
            }
        });
        assert!(found[1].is_ok(), "{found:?}");
        assert!(matches!(found[0], Err(Error::Rank { rank: 1, fault: RankFault::Gone })), "{found:?}");
    });
}

/// One rank enqueues an exchange that another never does: reading the results is an error, within the limit.
#[test]
fn a_late_rank_is_an_error_where_results_are_read() {
    let left = with_nccl("a_late_rank_is_an_error_where_results_are_read", &[], || {
        on_each(2, SHORT, |world, cuda| {
            let (op, stream) = (Wrapping::default(), cuda.stream().expect("a stream"));
            let mut values = cuda.values(3000).expect("room");
            let record = |stream: &Stream| world.all_reduce_on(stream, op, &mut values);
            let mut graph = stream.capture(record).expect("a graph");
            if world.rank() == 1 {
                return;
            }
            let begun = Instant::now();
            graph.launch(&stream).expect("a launch");
            for _ in 0..2 {
                let read = values.to_vec();
                assert!(matches!(read, Err(Error::Nccl { .. })), "{read:?}");
            }
            assert!(stream.synchronize().is_err() && begun.elapsed() < MARGIN, "{:?}", begun.elapsed());
            let again = world.all_reduce_on(&stream, op, &mut values);
            assert!(again.is_err(), "{again:?}");
            assert_eq!(cuda.failed_frees(), 0);
        });
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 1 aborted")));
}

/// A stream folds only in a world over NCCL, and into room of the right length.
#[test]
fn what_a_stream_cannot_do_is_an_error_on_all_ranks() {
    with_nccl("what_a_stream_cannot_do_is_an_error_on_all_ranks", &[], || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let mut x = cuda.values::<i32>(10).expect("room");
        let without = World::threads(1).remove(0);
        let refused = without.all_reduce_on(&stream, Wrapping::default(), &mut x);
        assert!(
            refused.as_ref().is_err_and(|error| error.to_string().contains("warpfold::Nccl")),
            "{refused:?}"
        );
        let found = on_each(2, LIMIT, |world, cuda| {
            let (stream, x) =
                (cuda.stream().expect("a stream"), cuda.upload(&[1i32; 10]).expect("an upload"));
            let mut out = cuda.values(5 + world.rank()).expect("room");
            let refused = world.reduce_scatter_on(&stream, Sum, &x, &mut out);
            let mut out = cuda.values(5).expect("room");
            world.reduce_scatter_on(&stream, Sum, &x, &mut out).expect("sums");
            assert_eq!(out.to_vec().expect("sums"), [2i64; 5]);
            refused
        });
        assert!(matches!(found[1], Err(Error::Results { results: 5, room: 6 })), "{found:?}");
        assert!(
            matches!(found[0], Err(Error::Rank { rank: 1, fault: RankFault::Refused { .. } })),
            "{found:?}"
        );
    });
}

/// A rank without the library is an error there that says what to install, and on the others one that names it.
#[test]
fn a_missing_library_is_an_error_on_every_rank() {
    let missing = [("WARPFOLD_NCCL", "/nowhere/libnccl.so.2")];
    leaves_nothing_and("a_missing_library_is_an_error_on_every_rank", &missing, || {
        let cuda = Cuda::open(0).expect("the device");
        let found: Vec<_> = thread::scope(|scope| {
            let cuda = &cuda;
            let ranks = Threads::new(2).into_iter();
            let ranks: Vec<_> =
                ranks.map(|rank| scope.spawn(move || Nccl::new(rank, cuda).map(drop))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
        });
        for found in found {
            let text = found.expect_err("no NCCL").to_string();
            assert!(["/nowhere", "2.18", "LD_LIBRARY_PATH"].iter().all(|word| text.contains(word)), "{text}");
        }
    });
}

/// A rank that is number 2 of 2 ranks.
struct Misplaced(Threads);

impl Communicator for Misplaced {
    fn rank(&self) -> usize {
        2
    }
    fn size(&self) -> usize {
        2
    }
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.0.all_gather(bytes)
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.0.send(to, bytes)
    }
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.recv(from, bytes)
    }
}

#[test]
fn a_rank_without_a_place_does_not_join() {
    with_nccl("a_rank_without_a_place_does_not_join", &[], || {
        let (cuda, alone) = (Cuda::open(0).expect("the device"), Threads::new(1).remove(0));
        let joined = Nccl::new(Misplaced(alone), &cuda).map(drop);
        let is_refused =
            matches!(joined, Err(Error::Rank { rank: 2, fault: RankFault::Misplaced { ranks: 2 } }));
        assert!(is_refused, "{joined:?}");
    });
}
