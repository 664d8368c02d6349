//! Histograms: each thread counts a part of the elements in counters of its own.

mod binned;
mod place;

use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};

use self::place::{ByRank, Distance, Place, Product, Search};
use super::parts::{Bounds, Divided};
use super::{Cpu, TASK_BYTES, processor, share};
use crate::arrays::AsElements;
use crate::bins::{BinNumber, Bins, Guess, Histogram};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Chunks, Rows, Segments};
use crate::verb::{self, Backend};
use crate::{float_environment, memory};

/// Elements whose places are computed before they are counted: 1 KiB of places.
const BLOCK: usize = 256;

/// Counters of a place, which elements take in turn. An addition to a counter waits for the one before it, and equal elements often are
/// neighbours.
const COPIES: usize = 4;

/// Most places that have so many counters. They then fit the first-level cache.
const FEW: usize = 2048;

/// Most elements that are counted in 32 bits.
const MOST: usize = 1 << 31;

/// If an array has at least this many elements for each possible element, all possible elements are counted first, and no place
/// is searched for.
const DENSE: usize = 2;

impl<X> Backend<verb::Histogram<&Bins<X::Element>, &X>> for Cpu
where
    X: AsElements<Element: BinNumber> + ?Sized,
{
    type Results = Histogram;

    fn run(
        &self,
        verb::Histogram { bins, x }: verb::Histogram<&Bins<X::Element>, &X>,
    ) -> Result<Histogram, Error> {
        self.histogram_of(bins, &x.try_elements()?)
    }
}

/// Implements the request for an input that is [`Divided`].
macro_rules! parts {
    ($([$($generics:tt)*] $input:ty;)*) => { $(
        impl<X, $($generics)*> Backend<verb::Histogram<&Bins<X::Element>, $input>> for Cpu
        where
            X: AsElements<Element: BinNumber> + ?Sized,
        {
            type Results = Vec<Histogram>;

            fn run(
                &self,
                verb::Histogram { bins, x: input }: verb::Histogram<&Bins<X::Element>, $input>,
            ) -> Result<Self::Results, Error> {
                let x = input.array().try_elements()?;
                let bounds = input.bounds(x.len(), x.gaps()?.as_ref())?;
                self.histograms_of(bins, &x, &bounds)
            }
        }
    )* };
}
parts! {
    [] Rows<&X>;
    [] Chunks<&X>;
    [I: AsElements<Element: IndexType> + ?Sized] Segments<&X, &I>;
}

impl Cpu {
    /// Counts the elements of a slice.
    pub(crate) fn histogram_of<T: BinNumber>(&self, bins: &Bins<T>, x: &[T]) -> Result<Histogram, Error> {
        let values = ByRank::<T>::values();
        if values.is_some_and(|values| x.len() / DENSE >= values) {
            return ByRank::counts_of(bins, &self.counts(x, ByRank::default())?);
        }
        let counts = match bins.guess() {
            Guess::Search => self.counts(x, Search { bins })?,
            Guess::Distance => self.counts(x, Distance::new(bins))?,
            Guess::Product { scale, slack } => self.counts(x, Product::new(bins, scale, slack))?,
        };
        Ok(histogram(counts))
    }

    /// Counts the elements of each part.
    fn histograms_of<T: BinNumber>(
        &self,
        bins: &Bins<T>,
        x: &[T],
        bounds: &Bounds,
    ) -> Result<Vec<Histogram>, Error> {
        let mut outs = memory::filled(Histogram::default(), bounds.count())?;
        self.share_parts(
            bounds,
            size_of::<T>(),
            &mut outs[..],
            |part| part,
            |parts, outs| {
                for (part, out) in parts.zip(outs) {
                    *out = self.histogram_of(bins, &x[bounds.part(part)])?;
                }
                Ok(())
            },
        )?;
        Ok(outs)
    }

    /// Returns the number of elements in each place.
    fn counts<T: BinNumber, P: Place<T>>(&self, x: &[T], place: P) -> Result<Vec<u64>, Error> {
        let (places, threads) = (place.places(), self.threads_for(size_of_val(x)));
        let mut sums = memory::zeroed(places)?;
        if threads == 1 && x.len() <= places {
            // More counters would take more time than the elements.
            float_environment::check()?;
            processor::widest(Part { x, place, counters: sums.as_chunks_mut::<1>().0 });
            return Ok(sums);
        }
        // Some parts for each thread, so that no thread waits long; each is worth its counters.
        let least = (TASK_BYTES / size_of::<T>()).max(8 * places);
        let part_len = if threads == 1 { MOST } else { x.len().div_ceil(4 * threads).clamp(least, MOST) };
        let total = Mutex::new(&mut sums);
        share(self.pool.as_deref(), threads - 1, x.chunks(part_len), |x| {
            float_environment::check()?;
            if places <= FEW {
                let mut counters = memory::filled([0_u32; COPIES], places)?;
                processor::widest(Part { x, place, counters: &mut counters });
                add(&total, &counters);
            } else {
                let mut counters = memory::filled([0_u32; 1], places)?;
                processor::widest(Part { x, place, counters: &mut counters });
                add(&total, &counters);
            }
            Ok::<_, Error>(())
        })?;
        Ok(sums)
    }
}

/// Adds a part's counters to the sums.
fn add<const C: usize>(total: &Mutex<&mut Vec<u64>>, counters: &[[u32; C]]) {
    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
    for (sum, counters) in total.iter_mut().zip(counters) {
        *sum += counters.iter().copied().map(u64::from).sum::<u64>();
    }
}

/// Splits the counts of all places into the counts of bins and the others.
fn histogram(mut counts: Vec<u64>) -> Histogram {
    let mut next = || counts.pop().unwrap_or(0);
    let (nan, above, below) = (next(), next(), next());
    Histogram { counts, below, above, nan }
}

/// Elements to count on one thread, and the counters.
struct Part<'a, T, P, N, const C: usize> {
    x: &'a [T],
    place: P,
    counters: &'a mut [[N; C]],
}

impl<T: BinNumber, P: Place<T>, N: AddAssign + From<u8>, const C: usize> processor::Job
    for Part<'_, T, P, N, C>
{
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl processor::Processor) {
        let Self { x, place, counters } = self;
        let mut places = [0; BLOCK];
        for x in x.chunks(BLOCK) {
            let places = &mut places[..x.len()];
            place.find(x, places);
            let (groups, rest) = places.as_chunks::<C>();
            for group in groups {
                for (copy, &place) in group.iter().enumerate() {
                    counters[place as usize][copy] += N::from(1);
                }
            }
            for &place in rest {
                counters[place as usize][0] += N::from(1);
            }
        }
    }
}
