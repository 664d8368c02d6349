//! `bench world`: f32 Sum of an array on two devices against one of them, and all_reduce of arrays on two devices against
//! NCCL's own, in one process with a thread for each device.

mod all_reduce;
mod peer;
mod reduce;

use std::thread;
use std::time::{Duration, Instant};

use warpfold::{Cuda, Nccl, NcclSizes, Threads, World};

use crate::contest::{Rounds, alone};
use crate::{Outcome, machine::Machine, spread::Spread};

/// The command line of `bench world`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Devices, and so ranks.
    #[arg(long, default_value_t = 2)]
    devices: usize,
    /// Timed calls of each figure.
    #[arg(long, default_value_t = 15)]
    trials: usize,
    /// The largest array of all_reduce: 2 to the power of this many bytes on each device.
    #[arg(long, default_value_t = 30)]
    log2_bytes: u32,
    /// MiB of a piece, instead of the library's.
    #[arg(long)]
    piece: Option<usize>,
    /// Most KiB of an array that each rank gets as a whole, instead of the library's.
    #[arg(long)]
    small: Option<usize>,
    /// Measures all_reduce alone.
    #[arg(long)]
    only_all_reduce: bool,
}

/// Ranks wait for each other no longer.
const LIMIT: Duration = Duration::from_secs(60);

/// A thread with a device.
struct Rank {
    world: World<Nccl<Threads>>,
    cuda: Cuda,
    trials: usize,
}

/// Measures, and prints tables.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let found = Cuda::device_count()?;
    if found < args.devices {
        return Err(format!("{} devices are needed, and {found} were found", args.devices).into());
    }
    let ranks = thread::scope(|scope| {
        let ranks: Vec<_> =
            Threads::new(args.devices).into_iter().map(|rank| scope.spawn(|| measure(args, rank))).collect();
        let end =
            |rank: thread::ScopedJoinHandle<'_, _>| rank.join().unwrap_or(Err("a rank panicked".into()));
        ranks.into_iter().map(end).collect::<Result<Vec<()>, String>>()
    });
    ranks.map(drop).map_err(Into::into)
}

/// Measures on one rank. All ranks call it.
fn measure(args: &Args, rank: Threads) -> Result<(), String> {
    let measured = || -> Outcome<()> {
        use warpfold::Communicator as _;
        let cuda = Cuda::open(rank.rank())?;
        let defaults = NcclSizes::default();
        let piece = args.piece.map_or(defaults.piece, |mib| mib << 20);
        let nccl = Nccl::with_time_limit(rank.with_time_limit(LIMIT), &cuda, LIMIT)?;
        let small = args.small.map_or(defaults.small, |kib| kib << 10);
        let more = args.small.map_or(defaults.more, |_| usize::MAX);
        let world = World::new(nccl.with_sizes(NcclSizes { piece, small, more, ..defaults }));
        let rank = Rank { world, cuda, trials: args.trials };
        if rank.is_first() {
            println!("{} x {}", args.devices, rank.cuda.properties().name);
        }
        if !args.only_all_reduce {
            reduce::measure(&rank)?;
        }
        all_reduce::measure(&rank, args.log2_bytes)
    };
    measured().map_err(|error| error.to_string())
}

impl Rank {
    fn is_first(&self) -> bool {
        self.world.rank() == 0
    }

    /// Times calls in microseconds, `calls` at a time. The ranks begin each together.
    fn time(&self, calls: usize, call: &mut dyn FnMut() -> Outcome<()>) -> Outcome<Spread> {
        let spread = alone(Rounds::all(3, self.trials), || {
            self.world.barrier()?;
            let begun = Instant::now();
            call()?;
            Ok(begun.elapsed().as_secs_f64() * 1e6 / calls as f64)
        })?;
        self.world.barrier()?;
        Ok(spread)
    }
}
