//! The plans of one row, measured in turns.

use std::error::Error;
use std::ops::RangeInclusive;

use warpfold::plans::{LaunchConfig, Plan, Tuning};
use warpfold::{Cpu, Cuda, DeviceArray, DeviceScalar, DeviceSlice, Element, Graph, Interpolation, Stream};

use crate::candidates;
use crate::pairs::{Datum, Folds, Pair, elements};

/// Replays of each plan before the fastest take turns, and how many take turns with the default plan.
const HEAT: usize = 3;
const FINALISTS: usize = 3;
/// Turns: enough for quartiles.
const ROUNDS: usize = 21;
/// The median must be below this part of the default plan's: a new driver makes rows stale, so less is not worth one.
const WORTH_IT: f64 = 0.98;

/// The device without a tuning, and the bytes of elements there.
pub(crate) struct Bench {
    cuda: Cuda,
    stream: Stream,
    memory: u32,
}

impl Bench {
    pub(crate) fn new(cuda: &Cuda, memory: u32) -> Result<Self, warpfold::Error> {
        let cuda = cuda.with_tuning(Tuning::empty());
        Ok(Self { stream: cuda.stream()?, cuda, memory })
    }
}

/// The elements of a pair, and the calls of a trial.
struct Course<'a, T: Element, O: Folds<T>> {
    bench: &'a Bench,
    all: &'a DeviceArray<T>,
    inputs: Vec<DeviceSlice<'a, T>>,
    calls: usize,
    /// The CPU's result of the last call.
    expected: O::Out,
}

/// A plan with its times.
struct Entrant<T: Element, O: Folds<T>> {
    config: Option<LaunchConfig>,
    plan: Plan,
    out: DeviceScalar<T, O>,
    graph: Graph,
    by_graph: Vec<f64>,
    by_stream: Vec<f64>,
}

impl<T: Datum, O: Folds<T>> Course<'_, T, O> {
    fn enqueue(
        &self,
        plan: Plan,
        out: &mut DeviceScalar<T, O>,
        stream: &Stream,
    ) -> Result<(), warpfold::Error> {
        let mut calls = self.inputs.iter().cycle().take(self.calls);
        calls.try_for_each(|input| stream.reduce_into(O::default(), input.with_plan(plan), out))
    }

    /// Records a plan's calls; `None` if its blocks have too few registers.
    fn admit(
        &self,
        config: Option<LaunchConfig>,
        plan: Plan,
    ) -> Result<Option<Entrant<T, O>>, Box<dyn Error>> {
        let (stream, mut out) = (&self.bench.stream, self.bench.cuda.scalar::<T, O>()?);
        match self.enqueue(plan, &mut out, stream) {
            Err(warpfold::Error::Plan { .. }) if config.is_some() => return Ok(None),
            enqueued => enqueued?,
        }
        let graph = stream.capture(|stream| self.enqueue(plan, &mut out, stream))?;
        Ok(Some(Entrant { config, plan, out, graph, by_graph: Vec::new(), by_stream: Vec::new() }))
    }

    /// Times a trial, after the device's cache was filled with other elements.
    fn time(&self, entrant: &mut Entrant<T, O>, in_graph: bool) -> Result<(), Box<dyn Error>> {
        let stream = &self.bench.stream;
        stream.reduce_into(O::default(), self.all, &mut entrant.out)?;
        if !in_graph {
            stream.synchronize()?;
        }
        // A graph is enqueued while the cache is being filled, so that the host's time does not count.
        let start = stream.record()?;
        if in_graph {
            entrant.graph.launch(stream)?;
        } else {
            self.enqueue(entrant.plan, &mut entrant.out, stream)?;
        }
        let us = start.elapsed_ms(&stream.record()?)? * 1e3 / self.calls as f64;
        if in_graph { &mut entrant.by_graph } else { &mut entrant.by_stream }.push(us);
        let (found, expected) = (format!("{:?}", entrant.out.get()?), format!("{:?}", self.expected));
        if found != expected {
            let plan = entrant.plan;
            return Err(format!("the GPU has {found} and the CPU {expected}, by the plan: {plan}. Nothing was kept. Please report this").into());
        }
        Ok(())
    }
}

/// Tunes the sizes of a pair, and prints a line for each.
pub(crate) fn tune<T: Datum, O: Folds<T>>(
    pair: &Pair,
    bench: &Bench,
    classes: RangeInclusive<u32>,
    tuning: &mut Tuning,
) -> Result<(), Box<dyn Error>> {
    let host: Vec<T> = elements((1 << bench.memory) / size_of::<T>());
    let all = bench.cuda.upload(&host)?;
    for class in classes {
        let n = ((1 << class) / size_of::<T>()).max(1);
        let calls = 4 << (28_u32.saturating_sub(class) / 2).min(4); // a trial takes 0.1 ms and more
        let count = (host.len() / n).clamp(1, calls);
        let starts: Vec<usize> = (0..count).map(|at| at * (host.len() / count)).collect();
        let last = starts[(calls - 1) % count];
        let inputs = starts.iter().map(|&start| all.slice(start..start + n)).collect::<Result<_, _>>()?;
        let expected = Cpu::new().reduce(O::default(), &host[last..last + n])?;
        let course = Course::<T, O> { bench, all: &all, inputs, calls, expected };
        let line = contest(&course, n as u64, tuning)?;
        println!("{:8} {:4} 2^{class:<3} {line}", pair.operator, pair.of);
    }
    Ok(())
}

/// Decides a row, and says what was found.
fn contest<T: Datum, O: Folds<T>>(
    course: &Course<'_, T, O>,
    n: u64,
    tuning: &mut Tuning,
) -> Result<String, Box<dyn Error>> {
    let cuda = &course.bench.cuda;
    let usual_plan = cuda.plan::<T, O>(n)?;
    let mut finalists = vec![course.admit(None, usual_plan)?.ok_or("the default plan has no kernel")?];
    let mut others = Vec::new();
    for (config, plan) in candidates::plans::<T>(n, cuda.properties().multiprocessors, &usual_plan) {
        if let Some(mut other) = course.admit(Some(config), plan)? {
            (0..HEAT).try_for_each(|_| course.time(&mut other, true))?;
            others.push((other.by_graph.drain(..).fold(f64::INFINITY, f64::min), other));
        }
    }
    others.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    finalists.extend(others.into_iter().take(FINALISTS).map(|(_, other)| other));
    for round in 0..ROUNDS {
        finalists.rotate_left(round % 2); // the order is not always the same
        finalists
            .iter_mut()
            .try_for_each(|one| course.time(one, true).and_then(|()| course.time(one, false)))?;
    }
    finalists.sort_by_key(|one| one.config.is_some());
    let times = finalists.iter().map(|one| Ok([quartiles(&one.by_graph)?, quartiles(&one.by_stream)?]));
    let times = times.collect::<Result<Vec<_>, warpfold::Error>>()?;
    let best = (1..finalists.len()).min_by(|&one, &other| times[one][0][1].total_cmp(&times[other][0][1]));
    let [usual_graph, usual_stream] = times[0];
    let mut line = format!("{:.3} {:.3}, {usual_plan}", usual_graph[1], usual_stream[1]);
    if let Some(best) = best
        && let Some(config) = finalists[best].config
    {
        let [graph, stream] = times[best];
        line += &format!("; {:.3} {:.3}, {config}", graph[1], stream[1]);
        if graph[1] < WORTH_IT * usual_graph[1] && graph[2] < usual_graph[0] && stream[1] <= usual_stream[2] {
            let nanoseconds = |us: f64| (us * 1e3).round() as u64;
            tuning.set::<T, O>(n, config, (nanoseconds(usual_graph[1]), nanoseconds(graph[1])));
            return Ok(format!("{line}: {:.1} % less", 100.0 * (1.0 - graph[1] / usual_graph[1])));
        }
    }
    tuning.remove::<T, O>(n);
    Ok(line)
}

/// Returns the lower quartile, the median and the upper quartile.
fn quartiles(times: &[f64]) -> Result<[f64; 3], warpfold::Error> {
    let found = Cpu::new().quantiles(times, &[0.25, 0.5, 0.75], Interpolation::Linear)?;
    Ok([0, 1, 2].map(|at| found.get(at).copied().unwrap_or(f64::NAN)))
}
