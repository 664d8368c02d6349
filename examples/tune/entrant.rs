//! A plan whose results were checked, with its times.

use warpfold::plans::{LaunchConfig, Plan};
use warpfold::{Cpu, DeviceScalar, DeviceSlice, Error, Graph, Stream};

use crate::arena::Arena;
use crate::catalogue::{Folds, Operator};
use crate::clock::Clock;
use crate::datum::Datum;
use crate::failure::Failure;
use crate::verdict::{Spread, Times, same_bits};

/// The inputs and results for the plans of one row.
pub(crate) struct Course<'a, T: Datum, O: Folds<T>> {
    operator: Operator,
    slices: Vec<DeviceSlice<'a, T>>,
    calls: usize,
    /// The CPU's results for the inputs of the first and of the last call.
    first: O::Out,
    last: O::Out,
}

impl<'a, T: Datum, O: Folds<T>> Course<'a, T, O> {
    /// For `calls` calls over inputs of `n` elements.
    pub(crate) fn new(
        operator: Operator,
        arena: &'a Arena<T>,
        n: usize,
        calls: usize,
    ) -> Result<Self, Failure> {
        let slices = arena.slices(n, calls)?;
        let cpu = Cpu::new();
        let of = |at: usize| cpu.reduce(O::default(), arena.on_host(n, at % slices.len(), slices.len()));
        let (first, last) = (of(0)?, of(calls - 1)?);
        Ok(Self { operator, slices, calls, first, last })
    }

    /// Enqueues the calls.
    fn enqueue(&self, plan: Plan, out: &mut DeviceScalar<T, O>, stream: &Stream) -> Result<(), Error> {
        let mut slices = self.slices.iter().cycle().take(self.calls);
        slices.try_for_each(|slice| stream.reduce_into(O::default(), slice.with_plan(plan), out))
    }
}

/// A plan in the contest.
pub(crate) struct Entrant<'a, T: Datum, O: Folds<T>> {
    course: &'a Course<'a, T, O>,
    /// Its configuration; `None` for the default plan.
    pub(crate) config: Option<LaunchConfig>,
    pub(crate) plan: Plan,
    out: DeviceScalar<T, O>,
    graph: Graph,
    by_graph: Vec<f64>,
    by_stream: Vec<f64>,
}

impl<'a, T: Datum, O: Folds<T>> Entrant<'a, T, O> {
    /// Checks the results of a plan and of its graph; `None` if the kernel has too many registers for the
    /// plan's blocks.
    pub(crate) fn admit(
        course: &'a Course<'a, T, O>,
        clock: &Clock,
        config: Option<LaunchConfig>,
        plan: Plan,
    ) -> Result<Option<Self>, Failure> {
        let stream = &clock.stream;
        let mut out = stream.cuda().scalar::<T, O>()?;
        let first = course.slices.first().ok_or(Failure::Clock("there is nothing to measure on"))?;
        match stream.reduce_into(O::default(), first.with_plan(plan), &mut out) {
            Err(Error::Plan { .. }) if config.is_some() => return Ok(None),
            enqueued => enqueued?,
        }
        let graph = stream.capture(|stream| course.enqueue(plan, &mut out, stream))?;
        let mut entrant =
            Self { course, config, plan, out, graph, by_graph: Vec::new(), by_stream: Vec::new() };
        entrant.check(&course.first)?;
        entrant.graph.launch(stream)?;
        entrant.check(&course.last)?;
        Ok(Some(entrant))
    }

    /// Checks the last call's result.
    pub(crate) fn check_last(&self) -> Result<(), Failure> {
        self.check(&self.course.last)
    }

    fn check(&self, right: &O::Out) -> Result<(), Failure> {
        if same_bits(&self.out.get()?, right) {
            return Ok(());
        }
        Err(Failure::Bits { operator: self.course.operator.name(), dtype: T::NAME, plan: self.plan })
    }

    /// Runs a trial by graph replay.
    pub(crate) fn replay(&mut self, clock: &mut Clock) -> Result<(), Failure> {
        self.by_graph.push(clock.by_graph(&mut self.graph, self.course.calls)?);
        Ok(())
    }

    /// Runs a trial by stream launches.
    pub(crate) fn launch(&mut self, clock: &mut Clock) -> Result<(), Failure> {
        let Self { course, plan, out, .. } = self;
        self.by_stream.push(clock.by_stream(course.calls, |stream| course.enqueue(*plan, out, stream))?);
        Ok(())
    }

    /// The shortest replay so far. It is the best estimate from few trials, since disturbances only add time.
    pub(crate) fn shortest(&self) -> f64 {
        self.by_graph.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Forgets the trials so far.
    pub(crate) fn start_over(&mut self) {
        self.by_graph.clear();
        self.by_stream.clear();
    }

    /// The times of the trials so far.
    pub(crate) fn times(&self) -> Result<Times, Failure> {
        let spread = |timings: &[f64]| Spread::of(timings).ok_or(Failure::Clock("a trial took no time"));
        Ok(Times { graph: spread(&self.by_graph)?, stream: spread(&self.by_stream)? })
    }
}
