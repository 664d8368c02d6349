//! One operation over one array: ours on one thread and on all, and the others.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use serde::Serialize;
use warpfold::Cpu;

use super::{
    python::{Parse, Python},
    read,
};
use crate::{
    Outcome,
    contest::{Rounds, spread, take_turns},
    datum::Datum,
    figures::record::OURS,
    spread::Spread,
};

/// The name of the limit.
pub(super) const READ: &str = "reading memory";

/// The least time of a trial, so that the clock's resolution does not matter.
const TRIAL: Duration = Duration::from_micros(300);

/// One operation: ours on some threads, and the fastest of the others that may use as many.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) operation: String,
    pub(super) n: usize,
    pub(super) threads: usize,
    pub(super) us: Spread,
    pub(super) other: String,
    pub(super) other_threads: usize,
    pub(super) other_us: Spread,
    /// Its median divided by ours.
    pub(super) times_ours: f64,
}

/// One contender of one operation.
#[derive(Serialize)]
pub(super) struct Line {
    pub(super) operation: String,
    pub(super) n: usize,
    pub(super) contender: String,
    pub(super) threads: usize,
    /// Of the input, if its bytes are known.
    pub(super) gigabytes_per_second: Option<f64>,
    /// Its median divided by ours on one thread.
    pub(super) times_ours: f64,
    #[serde(flatten)]
    pub(super) us: Spread,
}

/// What all contests share, and their results.
pub(super) struct Bench {
    pub(super) one: Cpu,
    pub(super) all: Cpu,
    pub(super) pool: rayon::ThreadPool,
    pub(super) trials: usize,
    pub(super) only: Option<String>,
    /// Whether peers that take long to install, and the limit, are measured too, and every contender is shown.
    pub(super) peers: bool,
    /// NumPy and polars, if they are measured and there.
    pub(super) python: Option<Python>,
    pub(super) rows: Vec<Row>,
    pub(super) lines: Vec<Line>,
    pub(super) show: Box<dyn FnMut(&Row)>,
    pub(super) show_line: Box<dyn FnMut(&Line)>,
}

/// Makes the given number of calls one after another and returns the microseconds per call.
pub(super) type Calls<'a> = Box<dyn FnMut(u32) -> Outcome<f64> + 'a>;

/// A contender, whose result was checked.
struct Contender<'a> {
    name: String,
    threads: usize,
    calls: Calls<'a>,
    /// Calls in a trial.
    reps: u32,
}

/// The contenders of one operation. Their results were checked when they were added.
pub(super) struct Contest<'a, R> {
    operation: String,
    right: R,
    is_right: fn(&R, &R) -> bool,
    contenders: Vec<Contender<'a>>,
    /// Bytes of the input, if they are known.
    bytes: Option<usize>,
}

impl<'a, R: std::fmt::Debug + 'a> Contest<'a, R> {
    /// A contest whose results must equal `right`, according to `is_right`.
    pub(super) fn new(operation: impl Into<String>, right: R, is_right: fn(&R, &R) -> bool) -> Self {
        Self { operation: operation.into(), right, is_right, contenders: Vec::new(), bytes: None }
    }

    /// Adds warpfold on one thread and on all; `call` makes the call.
    pub(super) fn ours(
        self,
        bench: &'a Bench,
        call: impl Fn(&Cpu) -> Result<R, warpfold::Error> + Copy + 'a,
    ) -> Outcome<Self> {
        let (one, all) = (&bench.one, &bench.all);
        let of = |cpu: &'a Cpu| move || call(cpu);
        let this = self.add(OURS, 1, of(one))?;
        if all.threads() == 1 { Ok(this) } else { this.add(OURS, all.threads(), of(all)) }
    }

    /// Adds another contender that runs on one thread.
    pub(super) fn other(
        self,
        _: &'a Bench,
        name: &'static str,
        mut call: impl FnMut() -> R + 'a,
    ) -> Outcome<Self> {
        self.add(name, 1, move || Ok(call()))
    }

    /// Adds another contender that runs on one thread, if peers are measured.
    pub(super) fn peer(
        self,
        bench: &'a Bench,
        name: &'static str,
        call: impl FnMut() -> R + 'a,
    ) -> Outcome<Self> {
        if bench.peers { self.other(bench, name, call) } else { Ok(self) }
    }

    /// Adds another contender that runs on rayon's threads.
    pub(super) fn rayon(
        self,
        bench: &'a Bench,
        name: &'static str,
        call: impl Fn() -> R + Sync + 'a,
    ) -> Outcome<Self>
    where
        R: Send,
    {
        let pool = &bench.pool;
        self.add(name, pool.current_num_threads(), move || Ok(pool.install(&call)))
    }

    /// Adds NumPy and polars by their operator `name` over `x`, which is what they generate too, and the speed of reading `x`; if peers
    /// are measured.
    pub(super) fn python<T: Datum>(
        mut self,
        bench: &'a Bench,
        name: &'static str,
        (x, parse): (&'a [T], Parse<R>),
    ) -> Outcome<Self> {
        if !bench.peers {
            return Ok(self);
        }
        self.bytes = Some(size_of_val(x));
        for (who, answer, calls) in bench.python.iter().flat_map(|python| python.calls::<T>(name, x.len())) {
            let answer = answer?;
            let answer = parse(&answer).ok_or_else(|| format!("{who} answers {answer:?}"))?;
            self.check(&who, &answer)?;
            self.enter(who, 1, calls)?;
        }
        let (_, words, _): (_, &[u64], _) = bytemuck::pod_align_to(x);
        self.enter(READ.into(), 1, best(move |streams| read::read(black_box(words), streams)))?;
        if bench.all.threads() > 1 {
            let read = move |streams| read::read_by(&bench.pool, black_box(words), streams);
            self.enter(READ.into(), bench.pool.current_num_threads(), best(read))?;
        }
        Ok(self)
    }

    fn add(
        mut self,
        name: &'static str,
        threads: usize,
        mut call: impl FnMut() -> Result<R, warpfold::Error> + 'a,
    ) -> Outcome<Self> {
        self.check(name, &call()?)?;
        self.enter(name.into(), threads, Box::new(move |reps| Ok(timed(reps, &mut call))))?;
        Ok(self)
    }

    fn check(&self, name: &str, answer: &R) -> Outcome<()> {
        if (self.is_right)(answer, &self.right) {
            return Ok(());
        }
        let (mut answer, mut right) = (format!("{answer:?}"), format!("{:?}", self.right));
        answer.truncate(80);
        right.truncate(80);
        Err(format!("{}: {name} answers {answer}, not {right}", self.operation).into())
    }

    /// Finds the number of calls in a trial. A first call fills caches.
    fn enter(&mut self, name: String, threads: usize, mut calls: Calls<'a>) -> Outcome<()> {
        calls(1)?;
        let mut reps = 1;
        while calls(reps)? * f64::from(reps) < TRIAL.as_secs_f64() * 1e6 / 2.0 && reps < 1 << 20 {
            reps *= 2;
        }
        self.contenders.push(Contender { name, threads, calls, reps });
        Ok(())
    }

    /// Measures. Returns a row for each of ours, and a line for each contender.
    pub(super) fn run(mut self, n: usize, trials: usize) -> Outcome<(Vec<Row>, Vec<Line>)> {
        let trial = |contender: &mut Contender<'_>, _| (contender.calls)(contender.reps);
        let samples = take_turns(&mut self.contenders, Rounds::all(1, trials), trial);
        let spreads = samples.into_iter().map(|samples| spread(&samples?)).collect::<Outcome<Vec<_>>>()?;
        let timed: Vec<_> = self.contenders.iter().zip(spreads).collect();
        let rows = timed.iter().filter(|(contender, _)| contender.name == OURS).map(|(ours, us)| {
            let others = timed.iter().filter(|(other, _)| {
                other.name != OURS && other.name != READ && other.threads <= ours.threads
            });
            let best = others.min_by(|(_, left), (_, right)| left.median.total_cmp(&right.median));
            let (other, other_us) = best.ok_or_else(|| format!("{}: no others", self.operation))?;
            Ok(Row {
                operation: self.operation.clone(),
                n,
                threads: ours.threads,
                us: *us,
                other: other.name.clone(),
                other_threads: other.threads,
                other_us: *other_us,
                times_ours: other_us.median / us.median,
            })
        });
        let rows = rows.collect::<Outcome<Vec<_>>>()?;
        let ours = rows.first().map_or(f64::NAN, |ours| ours.us.median);
        let lines = timed.iter().map(|(contender, us)| Line {
            operation: self.operation.clone(),
            n,
            contender: contender.name.clone(),
            threads: contender.threads,
            gigabytes_per_second: self.bytes.map(|bytes| us.gigabytes_per_second(bytes as u64)),
            times_ours: us.median / ours,
            us: *us,
        });
        let lines = lines.collect();
        Ok((rows, lines))
    }
}

/// Microseconds per call of `reps` calls one after another. If there are several calls, an untimed one goes first,
/// since the previous contender has left its own data in the caches.
fn timed<R>(reps: u32, mut call: impl FnMut() -> R) -> f64 {
    if reps > 1 {
        black_box(call());
    }
    let start = Instant::now();
    for _ in 0..reps {
        black_box(call());
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(reps)
}

/// The best of one, two and four streams in each trial, since a limit is the most that the machine can do.
fn best<'a>(read: impl Fn(usize) -> u64 + 'a) -> Calls<'a> {
    Box::new(move |reps| {
        let trials = [1, 2, 4].map(|streams| timed(reps, || read(streams)));
        Ok(trials.into_iter().fold(f64::INFINITY, f64::min))
    })
}

impl Bench {
    /// Whether an operation was selected.
    pub(super) fn wants(&self, operation: &str) -> bool {
        self.only.as_deref().is_none_or(|only| operation.contains(only))
    }

    /// Shows results and keeps them.
    pub(super) fn keep(&mut self, (rows, lines): (Vec<Row>, Vec<Line>)) {
        if self.peers {
            lines.iter().for_each(&mut self.show_line);
            self.lines.extend(lines);
        } else {
            rows.iter().for_each(&mut self.show);
        }
        self.rows.extend(rows);
    }
}

/// A contest: its name, the right result, the comparison; the call of warpfold; the others, each by the method of [`Contest`] that adds
/// it.
macro_rules! contest {
    ($bench:ident, $n:ident, $name:expr, $right:expr, $same:expr; ours $ours:expr; $($kind:ident $who:literal $call:expr),* $(,)?) => {
        if $bench.wants($name) {
            let contest = $crate::operations::contest::Contest::new($name, $right, $same).ours($bench, $ours)?;
            $( let contest = contest.$kind($bench, $who, $call)?; )*
            let measured = contest.run($n, $bench.trials)?;
            $bench.keep(measured);
        }
    };
}
pub(super) use contest;
