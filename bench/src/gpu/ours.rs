//! Our reduction as a contender, with its own plan or a given one.

use warpfold::{DeviceScalar, DeviceSlice, Error, Graph, Plan, Stream};

use super::{
    answer::Contest,
    bits::Bits,
    contender::{Answers, Contender},
};
use crate::{Outcome, datum::Datum};

/// Our reduction over slices of a device buffer.
pub(super) struct Ours<'a, T: Datum, O: Contest<T>> {
    name: String,
    plan: Option<Plan>,
    stream: &'a Stream,
    graph: Option<Graph>,
    slices: &'a [DeviceSlice<'a, T>],
    scalar: DeviceScalar<T, O>,
    landed: Option<O::Out>,
    answers: &'a Answers<'a, T, O>,
}

impl<'a, T: Datum, O: Contest<T>> Ours<'a, T, O> {
    /// Named `name`, over `slices`, with `plan` if given.
    pub(super) fn new(
        name: String,
        plan: Option<Plan>,
        stream: &'a Stream,
        slices: &'a [DeviceSlice<'a, T>],
        scalar: DeviceScalar<T, O>,
        answers: &'a Answers<'a, T, O>,
    ) -> Self {
        Self { name, plan, stream, graph: None, slices, scalar, landed: None, answers }
    }

    fn slice(&self, slot: usize) -> Outcome<DeviceSlice<'a, T>> {
        Ok(*self.slices.get(slot).ok_or("there is no such slice")?)
    }

    fn check(&self, slot: usize, ours: &O::Out) -> Outcome<()> {
        if self.answers.of(slot, |right| right.bits() == ours.bits())? {
            return Ok(());
        }
        Err("the bits differ from the CPU backend's".into())
    }
}

impl<T: Datum, O: Contest<T>> Contender for Ours<'_, T, O> {
    fn name(&self) -> &str {
        &self.name
    }

    fn enqueue(&mut self, slot: usize) -> Outcome<()> {
        let slice = self.slice(slot)?;
        Ok(enqueue::<T, O>(self.stream, self.plan, slice, &mut self.scalar)?)
    }

    fn to_host(&mut self, slot: usize) -> Outcome<()> {
        let slice = self.slice(slot)?;
        self.landed = Some(match self.plan {
            Some(plan) => self.stream.reduce(O::default(), slice.with_plan(plan))?,
            None => self.stream.reduce(O::default(), slice)?,
        });
        Ok(())
    }

    fn capture(&mut self, slots: &[usize]) -> Outcome<()> {
        let slices = slots.iter().map(|&slot| self.slice(slot)).collect::<Outcome<Vec<_>>>()?;
        let (plan, scalar) = (self.plan, &mut self.scalar);
        let mut slices = slices.into_iter();
        let calls =
            |stream: &Stream| slices.try_for_each(|slice| enqueue::<T, O>(stream, plan, slice, scalar));
        self.graph = Some(self.stream.capture(calls)?);
        Ok(())
    }

    fn replay(&mut self) -> Outcome<()> {
        Ok(self.graph.as_mut().ok_or("nothing was captured")?.launch(self.stream)?)
    }

    fn check_on_device(&mut self, slot: usize) -> Outcome<()> {
        let ours = self.scalar.get()?;
        self.check(slot, &ours)
    }

    fn check_on_host(&mut self, slot: usize) -> Outcome<()> {
        let ours = self.landed.as_ref().ok_or("nothing was reduced to the host")?;
        self.check(slot, ours)
    }
}

fn enqueue<T: Datum, O: Contest<T>>(
    stream: &Stream,
    plan: Option<Plan>,
    slice: DeviceSlice<'_, T>,
    scalar: &mut DeviceScalar<T, O>,
) -> Result<(), Error> {
    match plan {
        Some(plan) => stream.reduce_into(O::default(), slice.with_plan(plan), scalar),
        None => stream.reduce_into(O::default(), slice, scalar),
    }
}
