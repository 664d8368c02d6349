//! What the clock times: ours, with any plan, or a peer.

use std::{cell::RefCell, collections::HashMap};

use crate::Outcome;

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
    /// Fails unless the result on the device is the result of the slice that was enqueued last.
    fn check_on_device(&mut self, slot: usize) -> Outcome<()>;
    /// Fails unless the result on the host is the result of the slice that was reduced to the host last.
    fn check_on_host(&mut self, slot: usize) -> Outcome<()>;
}

/// The right results, from the CPU backend, each computed once.
pub(super) struct Answers<'a, R> {
    right: Box<dyn Fn(usize) -> Outcome<R> + 'a>,
    known: RefCell<HashMap<usize, R>>,
}

impl<'a, R> Answers<'a, R> {
    /// `right` computes the result for a slice.
    pub(super) fn new(right: impl Fn(usize) -> Outcome<R> + 'a) -> Self {
        Self { right: Box::new(right), known: RefCell::default() }
    }

    /// Passes the right result for a slice to `judge`.
    pub(super) fn of<J>(&self, slot: usize, judge: impl FnOnce(&R) -> J) -> Outcome<J> {
        let answer = self.known.borrow_mut().remove(&slot);
        let answer = answer.map_or_else(|| (self.right)(slot), Ok)?;
        Ok(judge(self.known.borrow_mut().entry(slot).or_insert(answer)))
    }
}
