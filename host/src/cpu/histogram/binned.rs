//! Reductions by bin: the place of each key is its group.

use gpu_kernels::Op;

use super::place::{Distance, Place, Product, Search};
use crate::arrays::{AsElements, both};
use crate::bins::{BinNumber, Bins, Guess};
use crate::cpu::{Cpu, TASK_BYTES, processor, share};
use crate::error::Error;
use crate::input::Binned;
use crate::memory;
use crate::verb::{Backend, Reduce};

impl<Y, X, O> Backend<Reduce<O, Binned<&Bins<Y::Element>, &Y, &X>>> for Cpu
where
    Y: AsElements<Element: BinNumber> + ?Sized,
    X: AsElements + ?Sized,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn run(
        &self,
        Reduce { op, input }: Reduce<O, Binned<&Bins<Y::Element>, &Y, &X>>,
    ) -> Result<Vec<O::Out>, Error> {
        let (keys, x) = both(input.keys.try_elements()?, input.x.try_elements()?)?;
        let (places, count) = self.places(input.bins, &keys)?;
        let mut outs = self.groups(op, &places, &x, count)?;
        // The last groups are outside the bins.
        outs.truncate(input.bins.len());
        Ok(outs)
    }
}

impl Cpu {
    /// Returns the place of each key, a bin or behind the last, and the number of places.
    pub(crate) fn places<K: BinNumber>(
        &self,
        bins: &Bins<K>,
        keys: &[K],
    ) -> Result<(Vec<u32>, usize), Error> {
        match bins.guess() {
            Guess::Search => self.places_by(keys, Search { bins }),
            Guess::Distance => self.places_by(keys, Distance::new(bins)),
            Guess::Product { scale, slack } => self.places_by(keys, Product::new(bins, scale, slack)),
        }
    }

    fn places_by<K: BinNumber, P: Place<K>>(&self, keys: &[K], place: P) -> Result<(Vec<u32>, usize), Error> {
        let mut places = memory::filled(0, keys.len())?;
        let len = TASK_BYTES / size_of::<u32>();
        let helpers = self.threads_for(size_of_val(keys)) - 1;
        share(
            self.pool.as_deref(),
            helpers,
            keys.chunks(len).zip(places.chunks_mut(len)),
            |(keys, places)| {
                crate::float_environment::check()?;
                processor::widest(Find { keys, place, places });
                Ok::<_, Error>(())
            },
        )?;
        Ok((places, place.places()))
    }
}

/// Keys whose places are found on one thread.
struct Find<'a, K, P> {
    keys: &'a [K],
    place: P,
    places: &'a mut [u32],
}

impl<K: BinNumber, P: Place<K>> processor::Job for Find<'_, K, P> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl processor::Processor) {
        for (keys, places) in self.keys.chunks(super::BLOCK).zip(self.places.chunks_mut(super::BLOCK)) {
            self.place.find(keys, places);
        }
    }
}
