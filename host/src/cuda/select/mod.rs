//! Selection on a device: the first elements in an order, medians and other quantiles.

pub(crate) mod at_positions;
mod by_group;
mod by_parts;
pub(crate) mod candidates;
pub(crate) mod first;
pub(crate) mod first_many;
mod first_of_parts;
pub(crate) mod word;

use gpu_kernels::{RankedNumber, TotalOrder};

use crate::cpu::Positions;
use crate::cuda::launch::Keys;
use crate::cuda::select::word::{of_word, word};
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice};
use crate::error::Error;
use crate::interpolate::Interpolation;
use crate::sort_key::SortKey;
use crate::verb::order::Order;
use crate::verb::{Backend, Median, Quantiles, TopK};
use crate::{float_environment, memory};

impl<D: DeviceElements<Element: RankedNumber>> Backend<TopK<D>> for Cuda {
    type Results = (DeviceArray<D::Element>, DeviceArray<u64>);

    fn run(&self, TopK { x, k, order }: TopK<D>) -> Result<Self::Results, Error> {
        self.first(&x.device_slice(), k, order)
    }
}

impl<D: DeviceElements<Element: RankedNumber + SortKey>> Backend<Median<D>> for Cuda {
    type Results = <D::Element as SortKey>::Quantile;

    fn run(&self, Median { x }: Median<D>) -> Result<Self::Results, Error> {
        let half = self.run(Quantiles { x, qs: &[0.5], how: Interpolation::Linear })?;
        half.first().copied().ok_or(Error::NoElements)
    }
}

impl<D: DeviceElements<Element: RankedNumber + SortKey>> Backend<Quantiles<'_, D>> for Cuda {
    type Results = Vec<<D::Element as SortKey>::Quantile>;

    fn run(&self, Quantiles { x, qs, how }: Quantiles<'_, D>) -> Result<Self::Results, Error> {
        self.quantiles_of(&x.device_slice(), qs, how)
    }
}

impl Cuda {
    /// Returns quantiles of a slice.
    fn quantiles_of<T: RankedNumber + SortKey>(
        &self,
        x: &DeviceSlice<'_, T>,
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Quantile>, Error> {
        float_environment::check()?;
        let wanted = Positions::new(x.len(), qs, how)?;
        let keys = keys(x, Order::Ascending)?;
        // An element type without NaN may have any rank.
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
pub(crate) fn keys<'a, T: RankedNumber>(x: &DeviceSlice<'a, T>, order: Order) -> Result<Keys<'a>, Error> {
    let items = x.input()?.items();
    let (mask, less) = (mask::<T>(), turned::<T>());
    // The sign of floats is flipped, and all other bits of negative ones too. The rank of zero bits tells whether the sign of
    // integers is flipped.
    let (signed, all) = if T::IS_FLOAT { (mask >> 1, sign::<T>()) } else { (0, word(&T::default().rank())) };
    let (all, less) = match order {
        Order::Ascending => (all, less),
        Order::Descending => (all ^ mask, less.wrapping_neg() & mask),
    };
    Ok(Keys { items, len: x.len() as u64, signed, all, less })
}

/// Returns how many ranks of a float wrap round to the end: all before the first number's in
/// [`NanGreatest`](crate::NanGreatest), else none.
pub(crate) fn turned<T: RankedNumber>() -> u64 {
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
    use gpu_kernels::{NanGreatest, f16};

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
