//! One operator over one array: ours, the peers, and the speed of reading that memory.

use std::hint::black_box;

use arrow_array::PrimitiveArray;
use arrow_buffer::ScalarBuffer;
use serde::Serialize;
use warpfold::{ArgMax, Cpu, Max, Op, Sum};

use super::{
    answer::{Answer, Truth},
    operator::{Measured, Operator},
    peers,
    python::Python,
    read,
};
use crate::{
    Outcome,
    contest::{self, Contender, spread, timed},
    datum,
    figures::record::OURS,
    spread::Spread,
};

/// The name of the limit.
pub(super) const READ: &str = "reading memory";

/// One contender over one array.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) n: usize,
    pub(super) element: &'static str,
    pub(super) op: &'static str,
    pub(super) contender: String,
    pub(super) threads: usize,
    pub(super) gigabytes_per_second: f64,
    /// Its time divided by warpfold's time on one thread: the median over the rounds.
    pub(super) times_ours: f64,
    /// Its least time over our least.
    pub(super) times_ours_at_best: f64,
    /// The relative error of its result.
    pub(super) off_by: f64,
    #[serde(flatten)]
    pub(super) us: Spread,
}

/// The threads of the contest.
pub(super) struct Threads {
    pub(super) one: Cpu,
    pub(super) all: Cpu,
    pub(super) pool: rayon::ThreadPool,
}

/// Measures `operators` over `n` elements of `T`, after checking the results.
pub(super) fn contest<T: Measured>(
    n: usize,
    operators: &[Operator],
    trials: usize,
    threads: &Threads,
    python: Option<&Python>,
) -> Outcome<Vec<Row>> {
    let array = PrimitiveArray::<T::Arrow>::new(ScalarBuffer::from(datum::make::<T>(n)), None);
    let x: &[T] = array.values();
    if let Some(python) = python {
        python.hold::<T>(n)?;
    }
    let mut rows = Vec::new();
    for &operator in operators {
        let truth = Truth::of(x, operator).ok_or("there is nothing to reduce")?;
        let mut entrants = vec![ours(&threads.one, x, operator)?];
        if threads.all.threads() > 1 {
            entrants.push(ours(&threads.all, x, operator)?);
        }
        entrants.extend(peers::entrants::<T>(&array, operator)?);
        if let Some(python) = python {
            entrants.extend(python.entrants(operator, n)?);
        }
        entrants.iter().try_for_each(|(answer, peer)| truth.check(&peer.name, *answer))?;
        let mut off_by: Vec<f64> = entrants.iter().map(|entrant| truth.off_by(entrant.0)).collect();
        let mut contenders: Vec<_> = entrants.into_iter().map(|entrant| entrant.1).collect();
        contenders.extend(reading(x, threads));
        off_by.resize(contenders.len(), 0.0);
        let samples = contest::measure(&mut contenders, trials)?;
        let ours = samples.first().ok_or("nobody was measured")?;
        for ((contender, theirs), off_by) in contenders.iter().zip(&samples).zip(off_by) {
            let us = spread(theirs)?;
            let ratios: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
            rows.push(Row {
                n,
                element: T::NAME,
                op: operator.name(),
                contender: contender.name.clone(),
                threads: contender.threads,
                gigabytes_per_second: us.gigabytes_per_second(size_of_val(x) as u64),
                times_ours: spread(&ratios)?.median,
                times_ours_at_best: us.min / spread(ours)?.min,
                off_by,
                us,
            });
        }
    }
    Ok(rows)
}

/// A contender, and its result.
pub(super) type Entrant<'a> = (Answer, Contender<'a>);

/// The calls of a trial over `n` elements: many, so that neither the clock's resolution nor waking threads matters.
pub(super) fn calls(n: usize) -> u32 {
    ((1 << 22) / n.max(1)).max(1) as u32
}

/// `call` over `n` elements; `answer` converts its result.
pub(super) fn entrant<'a, R>(
    name: &str,
    (n, threads): (usize, usize),
    mut call: impl FnMut() -> R + 'a,
    answer: impl FnOnce(R) -> Option<Answer>,
) -> Outcome<Entrant<'a>> {
    let answer = answer(call()).ok_or_else(|| format!("{name} found nothing"))?;
    let trial = Box::new(move |reps| Ok(timed(reps, &mut call)));
    Ok((answer, Contender::new(name, threads, calls(n), trial)))
}

fn ours<'a, T: Measured>(cpu: &'a Cpu, x: &'a [T], operator: Operator) -> Outcome<Entrant<'a>> {
    match operator {
        Operator::Sum => reduction::<T, Sum>(cpu, x, |sum| Some(sum.into())),
        Operator::Max => reduction::<T, Max>(cpu, x, |max| max.map(Into::into)),
        Operator::Argmax => {
            reduction::<T, ArgMax>(cpu, x, |at| Some(Answer::At(usize::try_from(at?.index).ok()?)))
        }
    }
}

fn reduction<'a, T: Measured, O: Op<T> + Default>(
    cpu: &'a Cpu,
    x: &'a [T],
    answer: impl Fn(O::Out) -> Option<Answer>,
) -> Outcome<Entrant<'a>> {
    let call = move || cpu.reduce(O::default(), black_box(x));
    entrant(OURS, (x.len(), cpu.threads()), call, |out| out.ok().and_then(answer))
}

/// Reads `x`, on one thread and on all: the best of one, two and four streams in each trial, since a limit is
/// the most that the machine can do.
fn reading<'a, T: Measured>(x: &'a [T], threads: &'a Threads) -> Vec<Contender<'a>> {
    let (_, words, _): (_, &[u64], _) = bytemuck::pod_align_to(x);
    let limit = |threads, read: Box<dyn Fn(usize) -> u64 + 'a>| {
        let best = move |reps| {
            let trials = [1, 2, 4].map(|streams| timed(reps, || read(streams)));
            Ok(trials.into_iter().fold(f64::INFINITY, f64::min))
        };
        Contender::new(READ, threads, calls(x.len()), Box::new(best))
    };
    let mut limits = vec![limit(1, Box::new(move |streams| read::read(black_box(words), streams)))];
    if threads.all.threads() > 1 {
        let all = Box::new(move |streams| read::read_by(&threads.pool, black_box(words), streams));
        limits.push(limit(threads.all.threads(), all));
    }
    limits
}
