//! The elements of a part that may be at the requested positions.

use gpu_kernels::{Rank as _, TotalOrder};

use super::select::{Counted, Digit};
use crate::cpu::Cpu;
use crate::error::Error;

/// Bits of the digits by which unsorted elements are counted: the counts fit the first-level cache.
pub(super) const BITS: u32 = 8;

/// The elements of a part, without those that are known to be at other positions.
pub(super) struct Candidates<'x, T: TotalOrder> {
    cpu: &'x Cpu,
    x: &'x [T],
    /// The ranks that agree with the known digits, once there are any.
    kept: Option<Vec<T::Rank>>,
}

impl<'x, T: TotalOrder> Candidates<'x, T> {
    pub(super) fn new(cpu: &'x Cpu, x: &'x [T]) -> Self {
        Self { cpu, x, kept: None }
    }
}

impl<T: TotalOrder> Counted<T::Rank> for Candidates<'_, T> {
    fn count(&mut self, digit: &Digit<'_, T::Rank>) -> Result<Vec<u64>, Error> {
        let next = |rank: T::Rank| rank.digit(digit.shift, digit.bits) as usize;
        if digit.is_first() {
            return self.cpu.count_kinds(self.x, digit.digits(), |x| Some(next(x.rank())));
        }
        let kept = self.of_kinds(digit)?;
        let position = |rank| Some(digit.kind(rank)? * digit.digits() + next(rank));
        let counts = self.cpu.count_kinds(&kept, digit.known.len() * digit.digits(), position);
        self.kept = Some(kept);
        counts
    }

    fn of_kinds(&mut self, digit: &Digit<'_, T::Rank>) -> Result<Vec<T::Rank>, Error> {
        let kept = |rank| digit.kind(rank).map(|_| rank);
        match self.kept.take() {
            None => self.cpu.filter_map(self.x, |x| kept(x.rank())),
            Some(of_before) => self.cpu.filter_map(&of_before, kept),
        }
    }
}
