//! What the clock times: ours, with any plan, or a peer.

use std::{cell::RefCell, collections::HashMap};

use super::answer::Contest;
use crate::{Outcome, datum::Datum};

/// A reduction over slices of one device buffer. Slice `slot` of `n` elements begins at element `slot * n`.
pub(super) trait Contender {
    /// The name in tables and records.
    fn name(&self) -> &str;
    /// Enqueues the reduction of a slice; its result stays on the device.
    fn enqueue(&mut self, slot: usize) -> Outcome<()>;
    /// Reduces a slice and waits until its result is on the host.
    fn to_host(&mut self, slot: usize) -> Outcome<()>;
    /// Records the reductions of these slices, as enqueued by `enqueue`, in a CUDA graph that replaces an
    /// earlier one.
    fn capture(&mut self, slots: &[usize]) -> Outcome<()>;
    /// Launches the recorded graph.
    fn replay(&mut self) -> Outcome<()>;
    /// Fails unless the result on the device is that of the slice that was enqueued last.
    fn check_on_device(&mut self, slot: usize) -> Outcome<()>;
    /// Fails unless the result on the host is that of the slice that was reduced to the host last.
    fn check_on_host(&mut self, slot: usize) -> Outcome<()>;
}

/// The right results, from the CPU backend.
pub(super) struct Answers<'a, T: Datum, O: Contest<T>> {
    data: &'a [T],
    n: usize,
    known: RefCell<HashMap<usize, O::Out>>,
}

impl<'a, T: Datum, O: Contest<T>> Answers<'a, T, O> {
    /// For slices of `n` elements of `data`.
    pub(super) fn new(data: &'a [T], n: usize) -> Self {
        Self { data, n, known: RefCell::default() }
    }

    /// Passes the right result for a slice to `judge`.
    pub(super) fn of<R>(&self, slot: usize, judge: impl FnOnce(&O::Out) -> R) -> Outcome<R> {
        if let Some(answer) = self.known.borrow().get(&slot) {
            return Ok(judge(answer));
        }
        let slice = self.data.get(slot * self.n..(slot + 1) * self.n).ok_or("there is no such slice")?;
        let answer = warpfold::Cpu::new().reduce(O::default(), slice)?;
        let judged = judge(&answer);
        self.known.borrow_mut().insert(slot, answer);
        Ok(judged)
    }
}
