//! Processes as ranks.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use warpfold::{Communicator, World};
use warpfold_mpi::Mpi;
use warpfold_mpi::mpi::topology::{Color, Communicator as _, SimpleCommunicator};

/// The largest number of ranks.
pub const MOST: usize = 4;

/// How long a rank waits: less than a person, and more than a test.
pub const LIMIT: Duration = Duration::from_secs(120);

/// The ranks that this process has.
struct Ranks {
    /// Of the first few processes, by their number less one: `None` where this process is not among them.
    worlds: Vec<Option<World<Mpi>>>,
    /// Of all processes. It initialized MPI.
    all: Mpi,
}

impl Ranks {
    fn new() -> Self {
        let all = Mpi::world().unwrap().with_time_limit(LIMIT);
        assert_eq!(all.size(), MOST);
        let first = |ranks: usize| {
            let color = if all.rank() < ranks { Color::with_value(0) } else { Color::undefined() };
            let split = SimpleCommunicator::world().split_by_color(color)?;
            Some(World::new(Mpi::new(&split).unwrap().with_time_limit(LIMIT)))
        };
        Self { worlds: (1..=MOST).map(first).collect(), all }
    }
}

thread_local! {
    static RANKS: Ranks = Ranks::new();
}

/// The number of this process.
pub fn rank() -> usize {
    RANKS.with(|ranks| ranks.all.rank())
}

/// What a call gives on each rank of as many as there are parts. Every process has the answers of all.
pub fn on_each(
    cut: &[Range<usize>],
    call: impl Fn(&World<Mpi>, Range<usize>) -> String + Sync,
) -> Vec<String> {
    RANKS.with(|ranks| {
        let rank = ranks.worlds[cut.len() - 1].as_ref();
        let called = catch_unwind(AssertUnwindSafe(|| {
            rank.map(|world| call(world, cut[world.rank()].clone())).unwrap_or_default()
        }));
        // The others must not wait for what failed here.
        let own = called.unwrap_or_else(|_| SimpleCommunicator::world().abort(1));
        let all = ranks.all.all_gather(own.as_bytes()).unwrap();
        all.into_iter().take(cut.len()).map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    })
}
