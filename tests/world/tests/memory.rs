//! Memory that runs out on two ranks: each allocation of each call is refused once. No process ends, and no rank waits for
//! another that has left.
#![allow(missing_docs)]

use std::fmt::Debug;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use warpfold::{
    Above, Elements, Error, Interpolation, Order, Scan, Sum, SumIn, Threads, View, World, along, chunks,
    columns, groups, rows, runs, segments,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::failing::{Call, Failing, each_allocation_fails, tried};
use warpfold_tests::{samples, turn};

#[global_allocator]
static MEMORY: Failing = Failing;

/// Elements of each rank's part.
const N: usize = 20_000;

/// The longest time of a call. Less than ranks wait for another.
const LIMIT: Duration = Duration::from_secs(20);

/// Returns a call on two ranks. It lacks memory if a rank says so; the other may have lost its partner.
fn call<R: Debug + Send>(
    name: &str,
    verb: impl Fn(&World<Threads>) -> Result<R, Error> + Sync + 'static,
) -> Call {
    let call = move || {
        let (verb, begun) = (&verb, Instant::now());
        let found: Vec<Result<R, Error>> = thread::scope(|scope| {
            let ranks = World::threads(2).into_iter();
            let ranks: Vec<_> = ranks.map(|world| scope.spawn(move || tried(|| verb(&world)))).collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        });
        assert!(begun.elapsed() < LIMIT, "the call waits: {found:?}");
        if found.iter().any(|found| matches!(found, Err(Error::TooManyResults { .. }))) {
            return None;
        }
        Some(format!("{:?}", found.into_iter().collect::<Result<Vec<R>, Error>>().unwrap()).into())
    };
    (name.to_owned(), Box::new(call))
}

/// A number that tells arrays apart.
fn digest(x: &[f32]) -> u64 {
    x.iter().fold(0, |digest, x| digest.wrapping_mul(31).wrapping_add(x.to_bits().into()))
}

#[test]
fn no_lack_of_memory_ends_the_process() {
    let parts = [0, 1].map(|rank| &*Vec::leak(samples::<f32>(Ordinary, rank, N as u64)));
    let x = move |world: &World<Threads>| parts[world.rank()];
    let keys = &*Vec::leak((0..N as u32).map(|at| at / 7).collect::<Vec<u32>>());
    let ids = &*Vec::leak((0..N as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 21).collect::<Vec<u32>>());
    let flags = &*Vec::leak((0..N).map(|at| at % 3 == 0).collect::<Vec<bool>>());
    let offsets = &*Vec::leak((0..=2 * N as u64 / 10).map(|at| 10 * at).collect::<Vec<u64>>());
    let outs: &[Mutex<Vec<f32>>; 2] = Box::leak(Box::new([0, 1].map(|_| Mutex::new(vec![0.0; N]))));
    let numbers: &[Mutex<Vec<u32>>; 2] = Box::leak(Box::new([0, 1].map(|_| Mutex::new(vec![0; N]))));
    let places: &[Mutex<Vec<u64>>; 2] = Box::leak(Box::new([0, 1].map(|_| Mutex::new(vec![0; N]))));
    let gaps: &[Elements<f32>; 2] = Box::leak(Box::new(
        parts.map(|part| part.iter().enumerate().map(|(at, &x)| (at % 7 != 3).then_some(x)).collect()),
    ));
    let gaps = move |world: &World<Threads>| &gaps[world.rank()];
    let above = Above { threshold: 0.0 };
    let calls = vec![
        call("reduce", move |world| world.reduce(Sum, x(world))),
        call("rows", move |world| world.reduce(Sum, rows(x(world), [N / 10, 10]))),
        call("columns", move |world| world.reduce(Sum, columns(x(world), [10, N / 10]))),
        call("axes with the cut one", move |world| {
            world.reduce(Sum, along(View::new(x(world), &[N / 100, 20, 5])?, &[0, 2]))
        }),
        call("other axes", move |world| {
            world.reduce(Sum, along(View::new(x(world), &[N / 100, 20, 5])?, &[2]))
        }),
        call("chunks", move |world| world.reduce(Sum, chunks(x(world), 7))),
        call("segments", move |world| world.reduce(Sum, segments(x(world), offsets))),
        call("groups", move |world| world.reduce(Sum, groups(ids, x(world), 2048))),
        call("runs", move |world| world.reduce(Sum, runs(keys, x(world)))),
        call("scan", move |world| world.scan(Sum, x(world), Scan::inclusive())),
        call("scan of segments", move |world| {
            world.scan(Sum, segments(x(world), offsets), Scan::inclusive())
        }),
        call("count", move |world| world.count(above, x(world))),
        call("compact", move |world| world.compact(above, x(world))),
        call("compact_by_flags", move |world| world.compact_by_flags(flags, x(world))),
        call("unique", move |world| world.unique(keys)),
        call("partition", move |world| world.partition(above, x(world))),
        call("top_k", move |world| world.top_k(x(world), 3000)),
        call("bottom_k", move |world| world.bottom_k(x(world), 3000)),
        call("median", move |world| world.median(x(world))),
        call("quantiles", move |world| world.quantiles(x(world), &[0.1, 0.9], Interpolation::Linear)),
        call("argsort", move |world| world.argsort(x(world), Order::Descending)),
        call("argsort_into", move |world| {
            let mut out = places[world.rank()].lock().unwrap();
            world.argsort_into(x(world), &mut out[..], Order::Ascending).map(|()| out[..20].to_vec())
        }),
        call("sort", move |world| {
            let mut out = outs[world.rank()].lock().unwrap();
            out.copy_from_slice(x(world));
            world.sort(&mut out[..], Order::Descending).map(|()| digest(&out))
        }),
        call("sort_pairs", move |world| {
            let mut out = outs[world.rank()].lock().unwrap();
            let mut values = numbers[world.rank()].lock().unwrap();
            out.copy_from_slice(x(world));
            values.copy_from_slice(keys);
            let sorted = world.sort_pairs(&mut out[..], &mut values[..], Order::Ascending);
            sorted.map(|()| (digest(&out), format!("{:?}", &values[..20])))
        }),
        call("sort_pairs_into", move |world| {
            let mut out = outs[world.rank()].lock().unwrap();
            let mut values = numbers[world.rank()].lock().unwrap();
            let into = (&mut out[..], &mut values[..]);
            let sorted = world.sort_pairs_into(x(world), keys, into.0, into.1, Order::Ascending);
            sorted.map(|()| (digest(&out), format!("{:?}", &values[..20])))
        }),
        call("sort_into", move |world| {
            let mut out = outs[world.rank()].lock().unwrap();
            world.sort_into(x(world), &mut out[..], Order::Ascending).map(|()| digest(&out))
        }),
        call("rows with gaps", move |world| world.reduce(Sum, rows(gaps(world), [N / 10, 10]))),
        call("columns with gaps", move |world| world.reduce(Sum, columns(gaps(world), [10, N / 10]))),
        call("chunks with gaps", move |world| world.reduce(Sum, chunks(gaps(world), 7))),
        call("segments with gaps", move |world| world.reduce(Sum, segments(gaps(world), offsets))),
        call("groups with gaps", move |world| world.reduce(Sum, groups(ids, gaps(world), 2048))),
        call("runs with gaps", move |world| world.reduce(Sum, runs(keys, gaps(world)))),
        call("scan with gaps", move |world| world.scan(Sum, gaps(world), Scan::inclusive())),
        call("top_k with gaps", move |world| world.top_k(gaps(world), 3000)),
        call("argsort with gaps", move |world| world.argsort(gaps(world), Order::Ascending)),
        call("reduce_scatter", move |world| world.reduce_scatter(Sum, x(world))),
        call("all_reduce", move |world| {
            let mut out = outs[world.rank()].lock().unwrap();
            out.copy_from_slice(x(world));
            world.all_reduce(SumIn::<f32>::default(), &mut out[..]).map(|()| digest(&out))
        }),
    ];
    // Unoptimised, each takes a second.
    let of_turn = (0..).zip(calls).filter(|&(number, _)| turn::is_in_quarter(number));
    each_allocation_fails("no_lack_of_memory_ends_the_process", of_turn.map(|(_, call)| call).collect());
}
