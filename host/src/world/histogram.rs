//! Histograms: each rank counts its part, and all ranks get the sums.

use std::any::type_name;

use gpu_kernels::Rank;

use super::agree::digest;
use super::{Communicator, World, WorldElements};
use crate::bins::{BinNumber, Bins, Histogram};
use crate::error::Error;
use crate::memory;
use crate::verb::{self, Backend};

impl<C, X> Backend<verb::Histogram<&Bins<X::Element>, X>> for World<C>
where
    C: Communicator,
    X: WorldElements<Element: BinNumber>,
{
    type Results = Histogram;

    fn run(
        &self,
        verb::Histogram { bins, x }: verb::Histogram<&Bins<X::Element>, X>,
    ) -> Result<Histogram, Error> {
        let edges = self.known(edges(bins))?;
        let call = format!("histogram of {} in {} bins ({edges:x})", type_name::<X::Element>(), bins.len());
        self.agree(&call, x.count().map(|len| len as u64))?;
        self.together(|| {
            #[cfg(feature = "cuda")]
            let on_device = x.on_device().map(|x| x.histogram(bins));
            #[cfg(not(feature = "cuda"))]
            let on_device = None::<Result<Histogram, Error>>;
            let mut own = match on_device {
                Some(own) => own?,
                None => self.cpu.histogram_of(bins, &x.in_host_memory()?)?,
            };
            let Histogram { counts, below, above, nan } = &mut own;
            let outside: Vec<u64> = self.sums(&[*below, *above, *nan])?;
            self.sums(counts)?.into_iter().zip(counts).for_each(|(sum, count)| *count = sum);
            if let [all_below, all_above, all_nan] = outside[..] {
                (*below, *above, *nan) = (all_below, all_above, all_nan);
            }
            Ok(own)
        })
    }
}

/// Returns a hash of the edges.
pub(super) fn edges<T: BinNumber>(bins: &Bins<T>) -> Result<u64, Error> {
    let word = |rank: T::Rank| {
        let high = if T::Rank::BITS > 32 { rank.digit(32, 32) } else { 0 };
        u64::from(high) << 32 | u64::from(rank.digit(0, 32.min(T::Rank::BITS)))
    };
    let edges = bins.edges();
    Ok(digest(&memory::collected(edges.iter().map(|edge| word(edge.rank())))?))
}

impl<C: Communicator> World<C> {
    /// Returns the sums of all ranks' numbers, place by place.
    fn sums(&self, own: &[u64]) -> Result<Vec<u64>, Error> {
        let all = self.gather(own, |_| own.len())?;
        let mut sums = memory::filled(0_u64, own.len())?;
        for numbers in &all {
            // Wraps, because a rank may send any numbers.
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum = sum.wrapping_add(*number));
        }
        Ok(sums)
    }
}
