//! Ranks that exchange device memory, as threads, on the emulated driver and NCCL.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod emulated;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cust::context::Context;
use cust::device::Device;
use cust::error::CudaError;
use cust::graph::Recording;
use cust::memory::Memory;
use cust::nccl::{Communicator, Move, NcclFault, UniqueId, version};
use cust::side::{Side, Signal};
use cust::stream::Stream;
use emulated::{leaves_nothing_and, with_emulated_nccl, with_nccl};

const LIMIT: Duration = Duration::from_secs(60);
/// A limit that is over in a test, and its margin.
const SHORT: Duration = Duration::from_millis(300);
const MARGIN: Duration = Duration::from_secs(20);

fn open() -> (Arc<Context>, Stream) {
    cust::init().expect("a driver");
    let context = Context::open(Device::get_device(0).expect("a device")).expect("a context");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

/// The result of a call on each rank.
fn on_each<R: Send>(
    size: usize,
    limit: Duration,
    call: impl Fn(&Arc<Communicator>, &Stream) -> R + Sync,
) -> Vec<R> {
    let id = UniqueId::new().expect("an id");
    thread::scope(|scope| {
        let (call, id) = (&call, &id);
        let rank = |rank| {
            scope.spawn(move || {
                let (context, stream) = open();
                let started = Communicator::start(&context, id, rank, size, limit).expect("a communicator");
                call(&started, &stream)
            })
        };
        let ranks: Vec<_> = (0..size).map(rank).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

/// Each rank gets a number of each other one, by way of a stream beside its own, and then all numbers of all.
fn exchange(communicator: &Arc<Communicator>, stream: &Stream, side: Option<&Side>) -> Vec<u32> {
    let (rank, size) = (communicator.rank() as u32, communicator.size());
    let own: Vec<u32> = (0..size as u32).map(|to| 100 * rank + to).collect();
    let from = Memory::uploaded(stream, &own).expect("memory");
    let to = Memory::zeroed(stream, 4 * size).expect("memory");
    let mut moves = Vec::new();
    for peer in 0..size {
        moves.push(Move::Send { to: peer, from: from.region(4 * peer, 4).expect("a region") });
        moves.push(Move::Receive { from: peer, to: to.region(4 * peer, 4).expect("a region") });
    }
    match side {
        None => stream.exchange(communicator, None, &moves).expect("an exchange"),
        Some(side) => {
            let [begun, done] = [(), ()].map(|()| Signal::new(stream.context()).expect("a signal"));
            stream.give(&begun).expect("a signal");
            side.await_signal(&begun).expect("a wait");
            stream.exchange(communicator, Some(side), &moves).expect("an exchange");
            side.give(&done).expect("a signal");
            stream.await_signal(&done).expect("a wait");
        }
    }
    let all = Memory::zeroed(stream, 4 * size * size).expect("memory");
    stream.all_gather(communicator, to.whole(), all.whole()).expect("a gather");
    drop((from, to));
    all.download(stream, 0, size * size).expect("numbers")
}

fn exchanged(size: u32) -> Vec<u32> {
    (0..size).flat_map(|rank| (0..size).map(move |from| 100 * from + rank)).collect()
}

#[test]
fn ranks_exchange_and_gather() {
    let left = with_nccl("ranks_exchange_and_gather", &[], || {
        assert_eq!(version().expect("a version"), 22_203);
        for size in [1, 2, 3, 7] {
            let found = on_each(size, LIMIT, |communicator, stream| {
                let side = Side::new(stream.context()).expect("a stream");
                let alone = exchange(communicator, stream, None);
                assert_eq!(exchange(communicator, stream, Some(&side)), alone);
                alone
            });
            assert_eq!(found, vec![exchanged(size as u32); size]);
        }
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 0 aborted")));
}

/// A graph has the work of both streams, and keeps the communicator.
#[test]
fn a_graph_repeats_an_exchange() {
    let left = with_nccl("a_graph_repeats_an_exchange", &[], || {
        let found = on_each(2, LIMIT, |communicator, stream| {
            let other = 1 - communicator.rank();
            let side = Side::new(stream.context()).expect("a stream");
            let [begun, done] = [(), ()].map(|()| Signal::new(stream.context()).expect("a signal"));
            let from = Memory::zeroed(stream, 4).expect("memory");
            let to = Memory::zeroed(stream, 4).expect("memory");
            let moves =
                [Move::Send { to: other, from: from.whole() }, Move::Receive { from: other, to: to.whole() }];
            stream.exchange(communicator, None, &moves).expect("a first exchange");
            stream.wait().expect("a wait");
            let recording = Recording::start(stream).expect("a recording");
            stream.give(&begun).expect("a signal");
            side.await_signal(&begun).expect("a wait");
            stream.exchange(communicator, Some(&side), &moves).expect("an exchange");
            side.give(&done).expect("a signal");
            stream.await_signal(&done).expect("a wait");
            let mut graph = recording.end().expect("a graph");
            drop(side);
            let mut received = Vec::new();
            for turn in 0..3u32 {
                from.whole().copy_from(stream, &[10 * turn + communicator.rank() as u32]).expect("a copy");
                graph.launch(stream).expect("a launch");
                received.extend(to.download::<u32>(stream, 0, 1).expect("a number"));
            }
            received
        });
        assert_eq!(found, [[1, 11, 21], [0, 10, 20]]);
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 0 aborted")));
}

/// Rank 1 stays away from an exchange: waits on the others end with an error, that time and ever after.
#[test]
fn a_rank_that_does_not_come_is_an_error() {
    let left = with_nccl("a_rank_that_does_not_come_is_an_error", &[], || {
        on_each(3, SHORT, |communicator, stream| {
            exchange(communicator, stream, None);
            if communicator.rank() == 1 {
                return;
            }
            let memory = Memory::zeroed(stream, 12).expect("memory");
            let begun = Instant::now();
            let from = memory.region(0, 4).expect("a region");
            let to = Memory::zeroed(stream, 12).expect("memory");
            stream.all_gather(communicator, from, to.whole()).expect("no rank is needed yet");
            let late = stream.wait();
            let is_late =
                matches!(&late, Err(CudaError::Nccl { fault: NcclFault::Late { limit: SHORT }, .. }));
            assert!(is_late && begun.elapsed() < MARGIN, "{late:?} after {:?}", begun.elapsed());
            for again in [stream.wait(), stream.handle().wait()] {
                assert!(
                    matches!(&again, Err(CudaError::Nccl { fault: NcclFault::Ended { .. }, .. })),
                    "{again:?}"
                );
            }
            let again = stream.all_gather(communicator, from, to.whole());
            assert!(
                matches!(&again, Err(CudaError::Nccl { fault: NcclFault::Ended { .. }, .. })),
                "{again:?}"
            );
            assert!(communicator.check().is_err());
        });
        let (context, _) = open();
        assert_eq!(context.failed_frees(), 0);
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 2 aborted")));
}

#[test]
fn a_rank_that_does_not_join_is_an_error() {
    let left = with_nccl("a_rank_that_does_not_join_is_an_error", &[], || {
        let (context, _) = open();
        let alone = Communicator::start(&context, &UniqueId::new().expect("an id"), 0, 2, SHORT);
        assert!(
            matches!(&alone, Err(CudaError::Nccl { fault: NcclFault::Late { limit: SHORT }, .. })),
            "{alone:?}"
        );
        assert!(alone.is_err_and(|error| error.to_string().contains("start all ranks anew")));
    });
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 1 aborted")));
}

fn is_late(fault: &NcclFault) -> bool {
    matches!(fault, NcclFault::Late { limit: SHORT })
}

fn is_failure(fault: &NcclFault) -> bool {
    matches!(fault, NcclFault::Failed { .. })
}

/// One of two ranks fails while they join: the other one is late, and `leaked` things are.
fn one_fails(leaked: u64) {
    let (id, (context, _)) = (UniqueId::new().expect("an id"), open());
    let errors = thread::scope(|scope| {
        let rank = |rank| {
            let context = &context;
            scope.spawn(move || Communicator::start(context, &id, rank, 2, SHORT).expect_err("a rank fails"))
        };
        let ranks = [0, 1].map(rank);
        ranks.map(|rank| rank.join().expect("no panic"))
    });
    let [late, failed] = [is_late, is_failure].map(|is| {
        errors.iter().filter(|error| matches!(error, CudaError::Nccl { fault, .. } if is(fault))).count()
    });
    assert_eq!((late, failed, context.failed_frees()), (1, 1, leaked), "{errors:?}");
}

#[test]
fn a_rank_that_fails_while_it_joins_is_an_error() {
    let variables = [("WARPFOLD_EMULATED_NCCL_FAILURE", "ncclCommSplit 2 2")];
    let left = with_nccl("a_rank_that_fails_while_it_joins_is_an_error", &variables, || one_fails(0));
    assert!(left.is_none_or(|left| left.contains("0 communicators left, 2 aborted")));
}

/// In the first exchange the other rank blocks for ever.
#[test]
fn a_rank_that_fails_in_the_first_exchange_is_an_error() {
    let failure = ("WARPFOLD_EMULATED_NCCL_FAILURE", "ncclSend 2 2");
    match with_emulated_nccl("a_rank_that_fails_in_the_first_exchange_is_an_error", &[failure]) {
        None => one_fails(1),
        Some(left) => assert!(left.contains("1 communicators left, 1 aborted"), "{left}"),
    }
}

/// A rank enqueues more than NCCL has room for, while the other one stays away.
#[test]
fn no_more_is_enqueued_than_there_is_room_for() {
    with_nccl("no_more_is_enqueued_than_there_is_room_for", &[], || {
        on_each(2, SHORT, |communicator, stream| {
            if communicator.rank() == 1 {
                return;
            }
            let (from, to) =
                (Memory::zeroed(stream, 4).expect("memory"), Memory::zeroed(stream, 8).expect("memory"));
            let call = |_| {
                stream.make_room()?;
                stream.all_gather(communicator, from.whole(), to.whole())
            };
            let late = (0..1000).try_for_each(call);
            assert!(matches!(&late, Err(CudaError::Nccl { fault: NcclFault::Late { .. }, .. })), "{late:?}");
        });
    });
}

/// Each call of NCCL may fail. What it says is in the error, and nothing is left.
#[test]
fn an_error_of_nccl_is_an_error() {
    for (function, aborted) in [
        ("ncclGetUniqueId", 0),
        ("ncclCommInitRankConfig", 0),
        ("ncclCommSplit", 1),
        ("ncclAllGather", 1),
        ("ncclSend", 1),
        ("ncclRecv", 1),
        ("ncclGroupEnd", 1),
        ("async", 1),
    ] {
        let failure = format!("{function} 1 2");
        let variables = [("WARPFOLD_EMULATED_NCCL_FAILURE", failure.as_str())];
        let left = with_nccl("an_error_of_nccl_is_an_error", &variables, || {
            let (context, stream) = open();
            let memory = Memory::zeroed(&stream, 8).expect("memory");
            let alone = UniqueId::new().and_then(|id| {
                let communicator = Communicator::start(&context, &id, 0, 1, LIMIT)?;
                let [from, to] = [0, 4].map(|first| memory.region(first, 4).expect("a region"));
                let moves = [Move::Send { to: 0, from }, Move::Receive { from: 0, to }];
                stream.exchange(&communicator, None, &moves)?;
                stream.wait()
            });
            let error = alone.expect_err("an error").to_string();
            assert!(error.contains("unhandled system error (2)"), "{error}");
            assert_eq!(context.failed_frees(), 0);
        });
        let Some(left) = left else { return };
        assert!(left.contains(&format!("0 communicators left, {aborted} aborted")), "{function}: {left}");
    }
}

#[test]
fn another_library_is_an_error_that_says_what_to_install() {
    const NAME: &str = "another_library_is_an_error_that_says_what_to_install";
    let old = [("WARPFOLD_EMULATED_NCCL", "21304")];
    let missing = [("WARPFOLD_NCCL", "/nowhere/libnccl.so.2")];
    let other = [("WARPFOLD_NCCL", "libc.so.6")];
    for (variables, words) in [(old, "is 2.13.4"), (missing, "/nowhere"), (other, "no known version")] {
        let variables: Vec<_> = variables.into_iter().chain([("WORDS", words)]).collect();
        leaves_nothing_and(NAME, &variables, || {
            open();
            let words = std::env::var("WORDS").expect("words");
            for error in [version().expect_err("no NCCL"), UniqueId::new().expect_err("no NCCL")] {
                let text = error.to_string();
                let told =
                    [words.as_str(), "2.18", "libnccl2", "WARPFOLD_NCCL"].map(|word| text.contains(word));
                assert_eq!(told, [true; 4], "{text}");
            }
        });
        if std::env::var_os("WORDS").is_some() {
            return;
        }
    }
}
