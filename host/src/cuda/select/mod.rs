//! Selection on a device: the first elements in an order, medians and other quantiles.

pub(in crate::cuda) mod at_positions;
pub(in crate::cuda) mod candidates;
pub(in crate::cuda) mod first;
pub(in crate::cuda) mod first_many;
pub(in crate::cuda) mod word;

use gpu_kernels::{RankedNumber, TotalOrder};

use crate::cpu::Quantiles;
use crate::cuda::launch::Keys;
use crate::cuda::select::word::{of_word, word};
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice};
use crate::error::Error;
use crate::memory;
use crate::{Interpolate, Interpolation, Order, float_environment};

impl Cuda {
    /// Returns the `k` greatest elements by their [total order](crate::TotalOrder), greatest first, and their indices,
    /// of 8 bytes as in [`argsort`](Self::argsort). By it a NaN with a sign is less than every number; of
    /// [`DeviceSlice::nan_greatest`] every NaN is greater. Does on the device what [`Cpu::top_k`](crate::Cpu::top_k) does, bit
    /// for bit. Waits for them.
    ///
    /// Up to 2048 elements are found in one pass over all elements, up to a bound estimated from a sample. If more
    /// elements than there is room for are before that bound, or if `k` is greater, a few passes find another bound: at
    /// most one pass for every 11 bits of an element, and of an index if many elements are equal, until at most 2^16
    /// others, or one in 128 of all elements, are before the bound. The elements before it are sorted on the device.
    /// This takes about 41 bytes of memory for each (75 for elements of 8 bytes, or more than 2^32 of them); up to a
    /// sixteenth of the device's memory is kept for the next call. The host waits once per pass, and once per level of
    /// the sort.
    ///
    /// # Errors
    /// [`Error::TooFew`] if there are fewer than `k` elements; [`Error::OtherDevice`]; [`Error::OutOfMemory`],
    /// [`Error::Driver`], [`Error::Poisoned`]; [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[0.5f32, 4.0, 2.0, 4.0])?;
    /// let (values, indices) = cuda.top_k(&x, 3)?;
    /// assert_eq!(values.to_vec()?, [4.0, 4.0, 2.0]);
    /// assert_eq!(indices.to_vec()?, [1, 3, 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn top_k<T: RankedNumber>(
        &self,
        x: impl DeviceElements<Element = T>,
        k: usize,
    ) -> Result<(DeviceArray<T>, DeviceArray<u64>), Error> {
        self.first(&x.device_slice(), k, Order::Descending)
    }

    /// Returns the `k` least elements, least first, and their indices. Does on the device what
    /// [`Cpu::bottom_k`](crate::Cpu::bottom_k) does. Otherwise as [`top_k`](Self::top_k).
    ///
    /// # Errors
    /// As [`top_k`](Self::top_k).
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[3.0f32, 9.0, 4.0])?;
    /// let (values, indices) = cuda.bottom_k(&x, 2)?;
    /// assert_eq!((values.to_vec()?, indices.to_vec()?), (vec![3.0, 4.0], vec![0, 2]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn bottom_k<T: RankedNumber>(
        &self,
        x: impl DeviceElements<Element = T>,
        k: usize,
    ) -> Result<(DeviceArray<T>, DeviceArray<u64>), Error> {
        self.first(&x.device_slice(), k, Order::Ascending)
    }

    /// Returns the middle one of the sorted elements, or the number halfway between the two middle ones: the linear
    /// [quantile](Self::quantiles) 0.5.
    ///
    /// # Errors
    /// As [`quantiles`](Self::quantiles).
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// assert_eq!(cuda.median(&cuda.upload(&[5.0_f32, 1.0, 2.0])?.as_slice())?, 2.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn median<T: RankedNumber + Interpolate>(
        &self,
        x: impl DeviceElements<Element = T>,
    ) -> Result<T::Out, Error> {
        self.quantiles(x, &[0.5], Interpolation::Linear)?.pop().ok_or(Error::NoElements)
    }

    /// Returns quantiles of the elements, as [`Interpolation`] defines them. Does on the device what
    /// [`Cpu::quantiles`](crate::Cpu::quantiles) does, bit for bit. Waits for them.
    ///
    /// Quantiles are found by selection. One pass over all elements serves all quantiles. Then each element that a
    /// quantile equals or lies next to takes up to two more passes (five for elements of 8 bytes), where these elements
    /// differ in the first 11 bits of their ranks. For many quantiles, sort instead.
    ///
    /// # Errors
    /// [`Error::NoElements`] if there are no elements; [`Error::Quantile`] if a quantile asked for is not from 0 to 1;
    /// [`Error::FloatEnvironment`]; otherwise as [`top_k`](Self::top_k).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Interpolation};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[40, 10, 30, 20])?;
    /// let found = cuda.quantiles(&x, &[0.0, 0.25, 1.0], Interpolation::Linear)?;
    /// assert_eq!(found, [10.0, 17.5, 40.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn quantiles<T: RankedNumber + Interpolate>(
        &self,
        x: impl DeviceElements<Element = T>,
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Out>, Error> {
        let x = &x.device_slice();
        float_environment::check()?;
        let wanted = Quantiles::new(x.len(), qs, how)?;
        let keys = keys(x, Order::Ascending)?;
        // Without NaN of its own an element may have any rank.
        let numbers = match T::NAN {
            Some(_) => T::numbers().map(|number| word(&number.rank())),
            None => [0, mask::<T>()],
        };
        let positions = memory::collected(wanted.positions().iter().map(|&position| position as u64))?;
        let found =
            self.lease(|executor| executor.at_positions(self, keys, (numbers[0], numbers[1]), &positions))?;
        match (found, T::NAN) {
            (Some(found), _) => {
                let elements: Vec<T> =
                    memory::collected(found.iter().map(|&rank| element(rank, Order::Ascending)))?;
                wanted.between(&elements)
            }
            // Some elements are NaN.
            (None, Some(nan)) => memory::filled(nan, qs.len()),
            (None, None) => Err(Error::NoResult),
        }
    }

    /// Returns the first `k` and their indices.
    fn first<T: RankedNumber>(
        &self,
        x: &DeviceSlice<'_, T>,
        k: usize,
        order: Order,
    ) -> Result<(DeviceArray<T>, DeviceArray<u64>), Error> {
        if k > x.len() {
            return Err(Error::TooFew { wanted: k, len: x.len() });
        }
        let (keys, input) = (keys(x, order)?, x.input()?);
        let [values, indices] = self.lease(|executor| match k {
            0 => Ok([executor.allocate(0, 8)?, executor.allocate(0, 8)?]),
            k => executor.first(self, keys, k, input),
        })?;
        Ok((DeviceArray::of(self, values, k), DeviceArray::of(self, indices, k)))
    }
}

/// Describes the elements and their ranking to kernels.
fn keys<'a, T: RankedNumber>(x: &DeviceSlice<'a, T>, order: Order) -> Result<Keys<'a>, Error> {
    let items = x.input()?.items();
    let (mask, less) = (mask::<T>(), turned::<T>());
    // In floats the sign is flipped, and in negative ones all other bits too. The rank of zero bits tells whether the sign of
    // integers is.
    let (signed, all) = if T::IS_FLOAT { (mask >> 1, sign::<T>()) } else { (0, word(&T::default().rank())) };
    let (all, less) = match order {
        Order::Ascending => (all, less),
        Order::Descending => (all ^ mask, less.wrapping_neg() & mask),
    };
    Ok(Keys { items, len: x.len() as u64, signed, all, less })
}

/// Returns how many ranks of a float wrap round to the end: all before the first number's in
/// [`NanGreatest`](crate::NanGreatest), else none.
pub(in crate::cuda) fn turned<T: RankedNumber>() -> u64 {
    // Zero has the rank of the sign bit, less those ranks.
    if T::IS_FLOAT { sign::<T>().wrapping_sub(word(&T::default().rank())) } else { 0 }
}

/// Returns the highest bit of a rank.
fn sign<T: TotalOrder>() -> u64 {
    mask::<T>() ^ mask::<T>() >> 1
}

/// Returns the mask of a rank's bits.
fn mask<T: TotalOrder>() -> u64 {
    u64::MAX >> (64_usize.saturating_sub(8 * size_of::<T::Rank>()))
}

/// Returns the element with a rank in this order.
fn element<T: TotalOrder>(rank: u64, order: Order) -> T {
    let rank = if order == Order::Descending { rank ^ mask::<T>() } else { rank };
    T::from_rank(of_word::<T::Rank>(rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NanGreatest, f16};

    #[test]
    fn ranks_become_their_elements_again() {
        fn check<T: RankedNumber + PartialEq + std::fmt::Debug>(all: &[T]) {
            for &x in all {
                let rank = word(&x.rank());
                assert_eq!(word(&element::<T>(rank, Order::Ascending)), word(&x));
                assert_eq!(word(&element::<T>(rank ^ mask::<T>(), Order::Descending)), word(&x));
            }
        }
        check(&[false, true]);
        check(&[i8::MIN, -1, 0, 1, i8::MAX]);
        check(&[0_u64, 1, u64::MAX]);
        check(&[f16::NEG_INFINITY, f16::NAN, -f16::ZERO, f16::ONE]);
        check(&[f64::NEG_INFINITY, -f64::NAN, -0.0, 0.0, 1e-310]);
        check(&[f32::NEG_INFINITY, -f32::NAN, -0.0, f32::NAN, 1e-40].map(NanGreatest));
    }
}
