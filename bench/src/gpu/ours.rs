//! Our reduction as a contender, by the plan that it chooses itself or by a given one.

use warpfold::{DeviceScalar, DeviceSlice, Plan, Stream};

use super::{
    answer::Contest,
    contender::{Answers, Contender},
};
use crate::{Outcome, datum::Datum};

/// Our reduction over slices of a device buffer.
pub(super) struct Ours<'a, T: Datum, O: Contest<T>> {
    name: String,
    plan: Option<Plan>,
    stream: &'a Stream,
    slices: &'a [DeviceSlice<'a, T>],
    scalar: DeviceScalar<T, O>,
    landed: Option<O::Out>,
    answers: &'a Answers<'a, T, O>,
}

impl<'a, T: Datum, O: Contest<T>> Ours<'a, T, O> {
    /// Called `name`, over `slices`, by `plan` if there is one.
    pub(super) fn new(
        name: String,
        plan: Option<Plan>,
        stream: &'a Stream,
        slices: &'a [DeviceSlice<'a, T>],
        scalar: DeviceScalar<T, O>,
        answers: &'a Answers<'a, T, O>,
    ) -> Self {
        Self { name, plan, stream, slices, scalar, landed: None, answers }
    }

    fn slice(&self, slot: usize) -> Outcome<&'a DeviceSlice<'a, T>> {
        Ok(self.slices.get(slot).ok_or("there is no such slice")?)
    }

    fn check(&self, slot: usize, ours: &O::Out) -> Outcome<()> {
        if self.answers.of(slot, |right| O::same_bits(right, ours))? {
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
        match &self.plan {
            Some(plan) => self.stream.reduce_into_with_plan::<T, O>(plan, slice, &mut self.scalar)?,
            None => self.stream.reduce_into::<T, O>(slice, &mut self.scalar)?,
        }
        Ok(())
    }

    fn to_host(&mut self, slot: usize) -> Outcome<()> {
        let slice = self.slice(slot)?;
        self.landed = Some(match &self.plan {
            Some(plan) => self.stream.reduce_with_plan::<T, O>(plan, slice)?,
            None => self.stream.reduce::<T, O>(slice)?,
        });
        Ok(())
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
