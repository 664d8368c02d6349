//! A rank that dies anywhere in a verb: each other rank has the right result, because it needed that rank no more, or an error that
//! names it. None waits for ever.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use warpfold::{
    Above, Communicator, Error, Interpolation, Order, Scan, Sum, SumIn, Threads, World, segments,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

const RANKS: usize = 4;

/// Which rank dies.
const DYING: usize = 1;

/// The time limit of each rank. Nobody waits for it.
const LIMIT: Duration = Duration::from_secs(60);

/// Threads, one of which dies at its next movement once it has made so many.
struct Mortal {
    threads: Threads,
    movements: Cell<u32>,
}

impl Mortal {
    fn step(&self) {
        if self.threads.rank() == DYING {
            match self.movements.get().checked_sub(1) {
                Some(left) => self.movements.set(left),
                // A panic without a message.
                None => resume_unwind(Box::new("died")),
            }
        }
    }
}

impl Communicator for Mortal {
    fn rank(&self) -> usize {
        self.threads.rank()
    }
    fn size(&self) -> usize {
        self.threads.size()
    }
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.step();
        self.threads.all_gather(bytes)
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.step();
        self.threads.send(to, bytes)
    }
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.step();
        self.threads.recv(from, bytes)
    }
    fn leave(&self, cause: &Error) {
        self.threads.leave(cause);
    }
}

/// The results of all ranks, where one dies after so many movements: `None` of the one that died.
fn results<R: Send>(
    movements: u32,
    call: impl Fn(&World<Mortal>) -> Result<R, Error> + Sync,
) -> Vec<Option<Result<R, Error>>> {
    thread::scope(|scope| {
        let call = &call;
        let ranks = Threads::new(RANKS).into_iter();
        let mortal = |threads: Threads| Mortal {
            threads: threads.with_time_limit(LIMIT),
            movements: Cell::new(movements),
        };
        let ranks: Vec<_> = ranks.map(|rank| scope.spawn(move || call(&World::new(mortal(rank))))).collect();
        ranks.into_iter().map(|rank| rank.join().ok()).collect()
    })
}

/// Lets a rank die at each of its movements.
fn survives<R: Send + Debug + PartialEq>(
    verb: &str,
    call: impl Fn(&World<Mortal>) -> Result<R, Error> + Sync,
) {
    let begun = Instant::now();
    let whole: Vec<R> = results(u32::MAX, &call).into_iter().map(|found| found.unwrap().unwrap()).collect();
    for movements in 0.. {
        let found = results(movements, &call);
        if found[DYING].is_some() {
            // It lived to the end.
            assert!(movements > 1, "{verb} has one movement at least beside the agreement");
            let found: Vec<R> = found.into_iter().map(|found| found.unwrap().unwrap()).collect();
            assert_eq!(found, whole, "{verb}");
            break;
        }
        let mut errors = 0;
        for (rank, found) in found.iter().enumerate().filter(|&(rank, _)| rank != DYING) {
            match found {
                Some(Err(Error::Rank { rank: DYING, .. })) => errors += 1,
                Some(Ok(found)) => {
                    assert_eq!(*found, whole[rank], "{verb}: rank {rank}, {movements} movements")
                }
                found => panic!("{verb}: rank {rank}, {movements} movements: {found:?}"),
            }
        }
        // Later ones may need it no more.
        assert!(errors == RANKS - 1 || movements > 1, "{verb}: {errors} noticed a death after {movements}");
    }
    assert!(begun.elapsed() < LIMIT, "{verb} took {:?}", begun.elapsed());
}

/// A part of a whole that is cut in the middle of tiles.
fn part(world: &World<Mortal>) -> Vec<f32> {
    samples(Ordinary, world.rank() as u64, 3000 + 100 * world.rank() as u64)
}

#[test]
fn in_scans() {
    survives("scan", |world| world.scan(Sum, &part(world), Scan::inclusive()));
    let offsets = [0, 10, 3005, 3010, 12_000];
    survives("scan of segments", |world| {
        world.scan(Sum, segments(&part(world), &offsets), Scan::exclusive())
    });
}

#[test]
fn in_selections() {
    let above = Above { threshold: 0.0 };
    survives("count", |world| world.count(above, &part(world)));
    survives("compact", |world| world.compact(above, &part(world)));
    survives("compact_by_flags", |world| world.compact_by_flags(&[true; 9], &[1u8; 9]));
    survives("unique", |world| world.unique(&part(world)));
    survives("partition", |world| world.partition(above, &part(world)));
}

#[test]
fn in_orders() {
    survives("top_k", |world| world.top_k(&part(world), 10));
    survives("bottom_k", |world| world.bottom_k(&part(world), 10));
    survives("median", |world| world.median(&part(world)));
    survives("quantiles", |world| world.quantiles(&part(world), &[0.1, 0.9], Interpolation::Linear));
    survives("argsort", |world| world.argsort(&part(world), Order::Descending));
    survives("sort", |world| {
        let mut x = part(world);
        let sorted = world.sort(&mut x, Order::Ascending);
        // What failed has changed nothing.
        assert!(sorted.is_ok() || x == part(world));
        sorted.map(|()| x)
    });
    survives("sort_pairs", |world| {
        let (mut keys, mut values) = (part(world), part(world));
        world.sort_pairs(&mut keys, &mut values, Order::Ascending).map(|()| (keys, values))
    });
}

#[test]
fn in_arrays_of_all_ranks() {
    let array = |world: &World<Mortal>| samples::<i32>(Ordinary, world.rank() as u64, 1000);
    survives("all_reduce", |world| {
        let mut x = array(world);
        let folded = world.all_reduce(SumIn::<i32>::default(), &mut x);
        assert!(folded.is_ok() || x == array(world));
        folded.map(|()| x)
    });
    survives("reduce_scatter", |world| world.reduce_scatter(Sum, &array(world)));
}
