//! Processes as ranks.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use warpfold::{Communicator, World};
use warpfold_mpi::Mpi;
use warpfold_mpi::mpi::topology::{Color, Communicator as _, SimpleCommunicator};

/// The largest number of ranks.
pub const MOST: usize = 4;

/// The time limit of each rank, longer than any test.
pub const LIMIT: Duration = Duration::from_secs(120);

/// The ranks of this process.
struct Ranks {
    /// At index n, the world of the first n + 1 processes: `None` if this process is not among them.
    worlds: Vec<Option<World<Mpi>>>,
    /// The rank among all processes. It initialized MPI.
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

/// Returns the number of this process.
pub fn rank() -> usize {
    RANKS.with(|ranks| ranks.all.rank())
}

/// Returns the result of a call on each rank, on every process; there are as many ranks as parts.
pub fn on_each(
    cut: &[Range<usize>],
    call: impl Fn(&World<Mpi>, Range<usize>) -> String + Sync,
) -> Vec<String> {
    RANKS.with(|ranks| {
        let rank = ranks.worlds[cut.len() - 1].as_ref();
        let called = catch_unwind(AssertUnwindSafe(|| {
            rank.map(|world| call(world, cut[world.rank()].clone())).unwrap_or_default()
        }));
        // After a failure here the others must not wait.
        let own = called.unwrap_or_else(|_| SimpleCommunicator::world().abort(1));
        let all = ranks.all.all_gather(own.as_bytes()).unwrap();
        all.into_iter().take(cut.len()).map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    })
}
