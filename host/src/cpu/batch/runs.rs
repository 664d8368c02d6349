//! Runs of equal keys that follow each other.

use gpu_kernels::{Element, Op};

use super::segments::Segments;
use crate::cpu::Cpu;
use crate::error::{Error, check_lengths};

impl Cpu {
    /// Folds each run: see [`crate::runs`].
    pub(crate) fn runs<T: Element, O: Op<T>, K: PartialEq + Copy + Send + Sync>(
        &self,
        op: O,
        keys: &[K],
        x: &[T],
    ) -> Result<(Vec<K>, Vec<O::Out>), Error> {
        check_lengths(keys.len(), x.len())?;
        let mut starts: Vec<usize> = Vec::new();
        let mut of_runs = Vec::new();
        if let Some(&first) = keys.first() {
            starts.push(0);
            of_runs.push(first);
        }
        for (pair, at) in keys.windows(2).zip(1..) {
            if pair[0] != pair[1] {
                starts.push(at);
                of_runs.push(pair[1]);
            }
        }
        starts.push(x.len());
        Ok((of_runs, self.reduce_each(op, &Segments::new(x, &starts)?)?))
    }
}
