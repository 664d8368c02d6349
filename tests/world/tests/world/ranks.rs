//! Threads as ranks.

use std::ops::Range;
use std::thread;

use warpfold::{Threads, World};

/// The largest number of ranks.
pub const MOST: usize = 64;

/// The result of a call on each rank; there are as many ranks as parts.
pub fn on_each(
    cut: &[Range<usize>],
    call: impl Fn(&World<Threads>, Range<usize>) -> String + Sync,
) -> Vec<String> {
    thread::scope(|scope| {
        let call = &call;
        let ranks = World::threads(cut.len()).into_iter().zip(cut);
        let ranks: Vec<_> =
            ranks.map(|(world, part)| scope.spawn(move || call(&world, part.clone()))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}
