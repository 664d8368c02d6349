//! One operation over one array: ours on one thread and on all, and the others.

use serde::Serialize;
use warpfold::Cpu;

use crate::{
    Outcome,
    contest::{Contender, measure, spread, timed},
    figures::record::OURS,
    spread::Spread,
};

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

/// What all contests share, and their results.
pub(super) struct Bench {
    pub(super) one: Cpu,
    pub(super) all: Cpu,
    pub(super) pool: rayon::ThreadPool,
    pub(super) trials: usize,
    pub(super) only: Option<String>,
    pub(super) rows: Vec<Row>,
    pub(super) show: Box<dyn FnMut(&Row)>,
}

/// The contenders of one operation. Their results were checked when they were added.
pub(super) struct Contest<'a, R> {
    operation: String,
    right: R,
    is_right: fn(&R, &R) -> bool,
    contenders: Vec<Contender<'a>>,
}

impl<'a, R: std::fmt::Debug + 'a> Contest<'a, R> {
    /// A contest whose results must equal `right`, according to `is_right`.
    pub(super) fn new(operation: impl Into<String>, right: R, is_right: fn(&R, &R) -> bool) -> Self {
        Self { operation: operation.into(), right, is_right, contenders: Vec::new() }
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
    pub(super) fn other(self, name: &'static str, mut call: impl FnMut() -> R + 'a) -> Outcome<Self> {
        self.add(name, 1, move || Ok(call()))
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

    fn add(
        mut self,
        name: &'static str,
        threads: usize,
        mut call: impl FnMut() -> Result<R, warpfold::Error> + 'a,
    ) -> Outcome<Self> {
        let answer = call()?;
        if !(self.is_right)(&answer, &self.right) {
            let (mut answer, mut right) = (format!("{answer:?}"), format!("{:?}", self.right));
            answer.truncate(80);
            right.truncate(80);
            return Err(format!("{}: {name} answers {answer}, not {right}", self.operation).into());
        }
        self.contenders.push(Contender::calibrated(
            name,
            threads,
            Box::new(move |reps| Ok(timed(reps, &mut call))),
        )?);
        Ok(self)
    }

    /// Measures. Returns a row for each of ours.
    pub(super) fn run(mut self, n: usize, trials: usize) -> Outcome<Vec<Row>> {
        let samples = measure(&mut self.contenders, trials)?;
        let spreads = samples.iter().map(|samples| spread(samples)).collect::<Outcome<Vec<_>>>()?;
        let timed: Vec<_> = self.contenders.iter().zip(spreads).collect();
        let rows = timed.iter().filter(|(contender, _)| contender.name == OURS).map(|(ours, us)| {
            let others =
                timed.iter().filter(|(other, _)| other.name != OURS && other.threads <= ours.threads);
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
        rows.collect()
    }
}

impl Bench {
    /// Whether an operation was selected.
    pub(super) fn wants(&self, operation: &str) -> bool {
        self.only.as_deref().is_none_or(|only| operation.contains(only))
    }

    /// Shows rows and keeps them.
    pub(super) fn keep(&mut self, rows: Vec<Row>) {
        rows.iter().for_each(&mut self.show);
        self.rows.extend(rows);
    }
}

/// A contest: its name, the right result, the comparison; the call of warpfold; the others.
macro_rules! contest {
    ($bench:ident, $n:ident, $name:expr, $right:expr, $same:expr; ours $ours:expr; $($kind:ident $who:literal $call:expr),* $(,)?) => {
        if $bench.wants($name) {
            let contest = $crate::operations::contest::Contest::new($name, $right, $same).ours($bench, $ours)?;
            $( let contest = contest!(@ $bench contest $kind $who $call); )*
            let rows = contest.run($n, $bench.trials)?;
            $bench.keep(rows);
        }
    };
    (@ $bench:ident $contest:ident other $who:literal $call:expr) => { $contest.other($who, $call)? };
    (@ $bench:ident $contest:ident rayon $who:literal $call:expr) => { $contest.rayon($bench, $who, $call)? };
}
pub(super) use contest;
