//! Reductions of runs of equal keys: found on the device, they are segments.

use super::{Cuda, DeviceSlice, KeyType};
use crate::error::{Error, check_lengths};
use crate::float_environment;
use crate::{Element, RowsKernel};

impl Cuda {
    /// Folds each run of elements whose keys are equal and follow each other, and waits: gives the key and the result of each
    /// run. A key that returns later begins a run of its own: sort by key first if it must not. Each result has the bits of
    /// [`reduce`](Self::reduce) of that run alone.
    ///
    /// Keys are integers, `bool` or `char`: see [`KeyType`]. Finding the runs takes 8 bytes and a key of device memory for
    /// each of them.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one key for each element; [`Error::TooManyResults`]; and those of
    /// [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (keys, x) = (cuda.upload(&['a', 'a', 'b', 'a'])?, cuda.upload(&[1i32, 2, 3, 4])?);
    /// let (keys, sums) = cuda.reduce_by_key::<i32, Sum, _>(&keys.as_slice(), &x.as_slice())?;
    /// assert_eq!((keys, sums), (vec!['a', 'b', 'a'], vec![3, 3, 4]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_by_key<T: Element, O: RowsKernel<T> + Default, K: KeyType>(
        &self,
        keys: &DeviceSlice<'_, K>,
        x: &DeviceSlice<'_, T>,
    ) -> Result<(Vec<K>, Vec<O::Out>), Error> {
        self.reduce_by_key_by(O::default(), keys, x)
    }

    /// [`reduce_by_key`](Self::reduce_by_key) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_by_key`](Self::reduce_by_key).
    pub fn reduce_by_key_by<T: Element, O: RowsKernel<T>, K: KeyType>(
        &self,
        op: O,
        keys: &DeviceSlice<'_, K>,
        x: &DeviceSlice<'_, T>,
    ) -> Result<(Vec<K>, Vec<O::Out>), Error> {
        check_lengths(keys.len(), x.len())?;
        if x.is_empty() {
            float_environment::check()?;
            return Ok((Vec::new(), Vec::new()));
        }
        let (of_keys, of_x) = (keys.input()?, x.input()?);
        self.lease(|lane| {
            let runs = lane.count_runs(self, of_keys)?;
            // There are no more of them than elements.
            let count = runs.count as usize;
            let found = lane.enqueue_runs(self, &runs)?;
            let results = lane.fold_segments(op, self, of_x, found.offsets()?, count)?;
            let keys = found.keys::<K::Plain>(lane, count)?;
            Ok((keys.into_iter().map(K::of).collect(), results))
        })
    }
}
