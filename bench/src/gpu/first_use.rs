//! `bench first-use`: the time of the first reduction of each operator and type in a process, for which the
//! driver compiles the kernels.

use std::time::{Duration, Instant};

use bytemuck::Zeroable;
use warpfold::kernels::Kernel;
use warpfold::{Cuda, Element};

use crate::{Outcome, machine::Machine};

/// The command line of `bench first-use`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The device's number.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// The number of rows to print, slowest first; the figures are of all rows.
    #[arg(long, default_value_t = 12)]
    rows: usize,
}

/// Lengths whose first reductions load one kernel each: one for a block, one for the grid.
const LENGTHS: [usize; 2] = [1000, 1 << 20];

/// The variable that disables the driver's cache of compiled kernels. The driver reads it once, when it starts.
const NO_CACHE: &str = "CUDA_CACHE_DISABLE";

/// Times the first two reductions of every pair of the catalogue, and prints them.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    if std::env::var(NO_CACHE).as_deref() != Ok("1") {
        return Err(format!(
            "set {NO_CACHE}=1, or the driver may load kernels that it compiled for an earlier process"
        )
        .into());
    }
    println!("{}", Machine::here());
    let started = Instant::now();
    let cuda = Cuda::open(args.device)?;
    println!("{}: opened in {:.1} ms", cuda.properties().name, millis(started.elapsed()));
    // For the first kernel of all, the driver also starts its compiler.
    let mut rows = Vec::new();
    macro_rules! measure {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            rows.push((stringify!($row), first::<$element, $op>(&cuda)?));
        )* };
    }
    gpu_kernels::for_each_kernel!(measure);

    let (name, [block, grid]) = rows[0];
    println!(
        "first of all, {name}: {:.1} + {:.1} ms ({} and {} elements)",
        block, grid, LENGTHS[0], LENGTHS[1]
    );
    for (i, length) in LENGTHS.iter().enumerate() {
        let mut times: Vec<f64> = rows.iter().map(|(_, times)| times[i]).collect();
        times.sort_by(f64::total_cmp);
        let (middle, most) = (times[times.len() / 2], times[times.len() - 1]);
        println!("{length} elements, {} rows: median {middle:.1} ms, most {most:.1} ms", rows.len());
    }
    rows.sort_by(|(_, a), (_, b)| total(b).total_cmp(&total(a)));
    for (name, times) in rows.iter().take(args.rows) {
        println!("{name:40} {:6.1} + {:5.1} ms", times[0], times[1]);
    }
    Ok(())
}

/// Milliseconds of the first reduction of each length. Some are short: kernels with the same code are loaded
/// once.
fn first<T: Element + Zeroable, O: Kernel<T> + Default>(cuda: &Cuda) -> Outcome<[f64; 2]> {
    let mut times = [0.0; 2];
    for (time, length) in times.iter_mut().zip(LENGTHS) {
        let x = cuda.zeroed::<T>(length)?;
        let started = Instant::now();
        cuda.reduce(O::default(), &x)?;
        *time = millis(started.elapsed());
    }
    Ok(times)
}

fn total(times: &[f64; 2]) -> f64 {
    times.iter().sum()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
