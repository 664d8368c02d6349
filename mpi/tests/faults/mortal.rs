//! A rank that ends after a given number of data movements.

use std::cell::Cell;

use warpfold::{Communicator, Error};
use warpfold_mpi::Mpi;

/// A process as a rank, which ends at its next data movement after a given number of them.
pub struct Mortal {
    ranks: Mpi,
    movements: Cell<u32>,
    end: fn() -> !,
}

impl Mortal {
    pub fn new(ranks: Mpi, movements: u32, end: fn() -> !) -> Self {
        Self { ranks, movements: Cell::new(movements), end }
    }

    fn step(&self) {
        match self.movements.get().checked_sub(1) {
            Some(left) => self.movements.set(left),
            None => (self.end)(),
        }
    }
}

impl Communicator for Mortal {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }
    fn size(&self) -> usize {
        self.ranks.size()
    }
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.step();
        self.ranks.all_gather(bytes)
    }
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.step();
        self.ranks.send(to, bytes)
    }
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.step();
        self.ranks.recv(from, bytes)
    }
    fn leave(&self, cause: &Error) {
        self.ranks.leave(cause);
    }
}
