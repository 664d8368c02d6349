//! A rank that dies anywhere in a call: each other rank has the right result, because it no longer needed that
//! rank, or an error that names it. None waits for ever.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use warpfold::{Communicator, Error, Threads, World};

use super::verbs::{Verb, verbs};

const RANKS: usize = 4;

/// The rank that dies.
const DYING: usize = 1;

/// The time limit of each rank, which is never reached.
const LIMIT: Duration = Duration::from_secs(60);

/// Threads. One of them dies at its next data movement after a given number of data movements.
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

/// The results of all ranks if one dies after this many movements; `None` for that one.
fn results(movements: u32, call: Verb<Mortal>) -> Vec<Option<Result<String, Error>>> {
    thread::scope(|scope| {
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
fn survives(verb: &str, call: Verb<Mortal>) {
    let begun = Instant::now();
    let whole: Vec<String> =
        results(u32::MAX, call).into_iter().map(|found| found.unwrap().unwrap()).collect();
    for movements in 0.. {
        let found = results(movements, call);
        if found[DYING].is_some() {
            // It survived to the end.
            assert!(movements > 1, "{verb} has one movement at least beside the agreement");
            let found: Vec<String> = found.into_iter().map(|found| found.unwrap().unwrap()).collect();
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
        // After later movements no other rank may need it.
        assert!(errors == RANKS - 1 || movements > 1, "{verb}: {errors} noticed a death after {movements}");
    }
    assert!(begun.elapsed() < LIMIT, "{verb} took {:?}", begun.elapsed());
}

#[test]
fn in_every_verb() {
    for (name, verb) in verbs() {
        survives(name, verb);
    }
}
