//! The report on a file by several processes, each with its part.

use std::time::{Duration, Instant};

use bytemuck::{bytes_of, pod_read_unaligned};
use warpfold::{ArgMinMax, At, Communicator, Cpu, Interpolation, World, tree};
use warpfold_mpi::Mpi;
use warpfold_mpi::mpi::topology::SimpleCommunicator;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::numbers::numeric::Numeric;
use crate::numbers::value::Value;
use crate::numbers::{Array, Rounded, each_type};
use crate::progress::Progress;
use crate::source::Source;
use crate::statistics::loops::{Loops, careful, count_nan, plain};
use crate::statistics::quantiles::Quantile;
use crate::statistics::{Also, Outcome, Place};
use crate::timed::timed;
use crate::{json, report};

/// How long a process waits for the loops of the processes before it, which run one after the other.
const LOOPS: Duration = Duration::from_secs(3600);

/// This process as a rank.
struct Rank {
    world: World<Mpi>,
    /// Passes the state of the loops to the next process. Dropped last, because it initialized MPI.
    line: Mpi,
    progress: Progress,
    threads: usize,
}

/// Reads this process's part, folds it with the others, and returns the text to print, which is empty on all but the first.
pub(crate) fn run(cli: &Cli) -> Result<String, Failure> {
    // First, so that the others are notified of an error below.
    let line = Mpi::world()?.with_time_limit(LOOPS);
    let threads = cli.threads()?;
    let cpu = Cpu::with_threads(threads.get())?;
    let world = World::new(Mpi::new(&SimpleCommunicator::world())?).with_cpu(cpu);
    let Source::Npy(npy) = Source::open(cli)? else {
        let why = "--mpi: one process reads a whole table; only .npy files are read in parts";
        return Err(Failure::Usage(why.into()));
    };
    let count = npy.layout.count;
    let source = Source::Npy(npy.part(world.rank(), world.size()));
    let rank = Rank { world, line, progress: Progress::new(), threads: threads.get() };
    let read = timed(|| source.read(threads, true, &rank.progress))?;
    let also = cli.also();
    let outcome = each_type!(&read.result.numbers, x => rank.measure(x, count, &also, read.time))?;
    rank.progress.finish();
    match rank.world.rank() {
        0 if cli.json => json::render(&source, &outcome),
        0 => Ok(report::render(&source, &outcome)),
        _ => Ok(String::new()),
    }
}

impl Rank {
    /// Measures everything; `x` is this process's part of `count` elements.
    fn measure<T: Numeric>(
        &self,
        x: &Array<'_, T>,
        count: u64,
        also: &Also,
        load: Duration,
    ) -> Result<Outcome, Failure> {
        let (start, world, progress) = (Instant::now(), &self.world, &self.progress);
        // Each process reads its part into memory.
        let x = x.in_memory().unwrap_or_default();
        progress.stage("statistics", size_of_val(x) as u64);
        let folded = timed(|| {
            let sums = world.reduce(T::Sums::default(), x)?;
            let deviations = world.reduce(T::Deviations::default(), x)?;
            Ok((sums, deviations, world.reduce(ArgMinMax, x)?))
        })?;
        let ((sum, mean), (deviation, of_sample), extremes) = folded.result;
        let place = |at: At<T>| Place { index: at.index, value: at.value.into() };
        let quantiles = match also.quantiles.as_slice() {
            [] => None,
            qs => Some(timed(|| self.quantiles(x, qs, count))?),
        };
        let loops = if also.loops { Some(self.loops(x)?) } else { None };
        let sum: Value = sum.into();
        // Any NaN makes the sum one, on all processes.
        let nan = if sum.is_nan() { self.count_nan(x)? } else { 0 };
        Ok(Outcome {
            dtype: T::DTYPE,
            count,
            bytes: count * size_of::<T>() as u64,
            depth: tree::depth::<T>(count),
            nan,
            missing: 0,
            rounded: Rounded::default(),
            device: None,
            why: format!("on each of {} processes", world.size()),
            threads: self.threads,
            pass: folded.time,
            sum,
            mean: mean.map(Into::into),
            deviation: deviation.map(Into::into),
            sample_deviation: also.sample.then(|| of_sample.map(Into::into)),
            min: extremes.map(|at| place(at.min)),
            max: extremes.map(|at| place(at.max)),
            quantiles,
            histogram: None,
            loops,
            load: Some(load),
            total: load + start.elapsed(),
        })
    }

    fn quantiles<T: Numeric>(&self, x: &[T], qs: &[f64], count: u64) -> Result<Vec<Quantile>, Failure> {
        if count == 0 {
            return Ok(qs.iter().map(|&q| Quantile { q, value: None }).collect());
        }
        let values = self.world.quantiles(x, qs, Interpolation::Linear)?;
        Ok(qs.iter().zip(values).map(|(&q, value)| Quantile { q, value: Some(value.into()) }).collect())
    }

    fn loops<T: Numeric>(&self, x: &[T]) -> Result<Loops, Failure> {
        let progress = &self.progress;
        Ok(Loops {
            naive: timed(|| Ok(self.pass_on(T::ZERO, |sum| plain(sum, &x, progress))?.into()))?,
            accurate: timed(|| {
                Ok(self.pass_on(T::Accumulator::default(), |sum| careful(sum, &x, progress))?.into())
            })?,
        })
    }

    fn count_nan<T: Numeric>(&self, x: &[T]) -> Result<u64, Failure> {
        let counts = self.line.all_gather(bytes_of(&count_nan(&x, &self.progress)?))?;
        Ok(counts.iter().map(|count| pod_read_unaligned::<u64>(count)).sum())
    }

    /// Runs a loop that continues from the state of the process before. Returns the state after the last process.
    fn pass_on<S: bytemuck::Pod>(
        &self,
        begin: S,
        go_on: impl FnOnce(S) -> Result<S, Failure>,
    ) -> Result<S, Failure> {
        let (rank, size) = (self.line.rank(), self.line.size());
        let mut state = begin;
        if rank > 0 {
            self.line.recv(rank - 1, bytemuck::bytes_of_mut(&mut state))?;
        }
        state = go_on(state)?;
        if rank + 1 < size {
            self.line.send(rank + 1, bytes_of(&state))?;
        }
        let all = self.line.all_gather(bytes_of(&state))?;
        Ok(all.last().map_or(state, |last| pod_read_unaligned(last)))
    }
}
