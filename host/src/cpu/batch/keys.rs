//! Runs of equal keys that follow each other.

use gpu_kernels::{Element, Op};

use super::segments::Segments;
use crate::cpu::Cpu;
use crate::error::{Error, check_lengths};

impl Cpu {
    /// Folds each run of elements whose keys are equal and follow each other, and gives the key and the result of each
    /// run. A key that returns later begins a run of its own: sort by key first if it must not. A key that does not
    /// equal itself, as NaN, is a run of one. Each result has the bits of [`reduce`](Self::reduce) of that run alone.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one key for each element; otherwise as [`reduce_rows`](Self::reduce_rows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum};
    ///
    /// let (keys, sums) = Cpu::new().reduce_by_key::<i32, Sum, _>(&['a', 'a', 'b', 'a'], &[1, 2, 3, 4])?;
    /// assert_eq!((keys, sums), (vec!['a', 'b', 'a'], vec![3, 3, 4]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_by_key<T: Element, O: Op<T> + Default, K: PartialEq + Copy + Send + Sync>(
        &self,
        keys: &[K],
        x: &[T],
    ) -> Result<(Vec<K>, Vec<O::Out>), Error> {
        self.reduce_by_key_by(O::default(), keys, x)
    }

    /// [`reduce_by_key`](Self::reduce_by_key) with an operator that is a value.
    ///
    /// # Errors
    /// As [`reduce_by_key`](Self::reduce_by_key).
    pub fn reduce_by_key_by<T: Element, O: Op<T>, K: PartialEq + Copy + Send + Sync>(
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
