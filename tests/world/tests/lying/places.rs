//! Communicators that give this rank no place among the ranks, or another with each question.

use std::cell::Cell;
use std::thread;

use warpfold::{Communicator, Error, Threads, World};

use super::{LIMIT, LONG, RANKS, memory, verbs};

/// What a communicator says of its place.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// This rank, and this number of ranks.
    Is(usize, usize),
    /// The right ones first, and others later.
    Changes,
}

/// Threads, whose numbers a lie replaces.
struct Misplaced {
    threads: Threads,
    place: Option<Place>,
    asked: [Cell<usize>; 2],
}

impl Misplaced {
    fn say(&self, which: usize, right: usize) -> usize {
        let asked = self.asked[which].replace(self.asked[which].get() + 1);
        match self.place {
            None => right,
            Some(Place::Is(rank, size)) => [rank, size][which],
            Some(Place::Changes) if asked == 0 => right,
            Some(Place::Changes) => [usize::MAX, 0, 7, 1][asked % 4],
        }
    }
}

impl Communicator for Misplaced {
    fn rank(&self) -> usize {
        self.say(0, self.threads.rank())
    }
    fn size(&self) -> usize {
        self.say(1, self.threads.size())
    }
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.threads.all_gather(bytes)
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.threads.send(to, bytes)
    }
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.threads.recv(from, bytes)
    }
    fn leave(&self, cause: &Error) {
        self.threads.leave(cause);
    }
}

/// What each rank returns, if rank 1 is misplaced.
fn results(place: Option<Place>, call: verbs::Verb<Misplaced>) -> Vec<thread::Result<Result<String, Error>>> {
    let limit = if matches!(place, Some(Place::Is(..))) { LIMIT } else { LONG };
    thread::scope(|scope| {
        let ranks = Threads::new(RANKS).into_iter().enumerate();
        let ranks: Vec<_> = ranks
            .map(|(number, rank)| {
                let place = place.filter(|_| number == 1);
                let threads = rank.with_time_limit(limit);
                scope
                    .spawn(move || call(&World::new(Misplaced { threads, place, asked: Default::default() })))
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join()).collect()
    })
}

const WRONG: [(usize, usize); 8] = [
    (0, 0),
    (1, 1),
    (4, 4),
    (usize::MAX, 4),
    (usize::MAX, 0),
    (1, usize::MAX),
    (1, 1 << 40),
    (usize::MAX, usize::MAX),
];

#[test]
fn a_rank_without_a_place_is_an_error_on_every_rank() {
    memory::watch(|| {
        for (verb, call) in verbs::verbs() {
            for (rank, size) in WRONG {
                for (number, found) in results(Some(Place::Is(rank, size)), call).iter().enumerate() {
                    let what = format!("{verb}: rank {number}, if rank 1 is {rank} of {size}");
                    let found = found.as_ref().unwrap_or_else(|_| panic!("{what} panics"));
                    assert!(matches!(found, Err(Error::Rank { .. })), "{what}: {found:?}");
                }
            }
        }
    });
}

#[test]
fn the_place_is_asked_for_once() {
    for (verb, call) in verbs::verbs() {
        let right: Vec<_> = results(None, call).into_iter().map(|found| found.unwrap().unwrap()).collect();
        for (rank, found) in results(Some(Place::Changes), call).into_iter().enumerate() {
            let found = found.unwrap_or_else(|_| panic!("{verb}: rank {rank} panics"));
            assert_eq!(found.unwrap(), right[rank], "{verb}");
        }
    }
}
