//! Selections from groups by id or by key: the device sorts elements by group, and selects from the segments.

use gpu_kernels::Accumulator;

use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceValues, KeyType, Stream};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{ByKey, Groups};
use crate::sort_key::SortKey;
use crate::verb::{Backend, Median, Quantiles, TopK, WriteTo};

/// Implements the requests by those for segments.
macro_rules! by_group {
    ($($Request:ident $(<$lifetime:lifetime>)? { $($field:ident),* } -> $results:ty;)*) => { $(
        impl<I, D> Backend<$Request<$($lifetime,)? Groups<I, D>>> for Cuda
        where
            I: DeviceElements<Element: IndexType>,
            D: DeviceElements<Element: SortKey>,
        {
            type Results = $results;

            fn run(&self, $Request { x, $($field),* }: $Request<$($lifetime,)? Groups<I, D>>) -> Result<Self::Results, Error> {
                let sorted = self.lease(|executor| x.segments(self, executor))?;
                self.run($Request { x: sorted.segments()?, $($field),* })
            }
        }

        impl<K, I, D> Backend<$Request<$($lifetime,)? ByKey<I, D>>> for Cuda
        where
            K: KeyType + SortKey,
            I: DeviceElements<Element = K>,
            D: DeviceElements<Element: SortKey>,
        {
            type Results = (DeviceArray<K>, $results);

            fn run(&self, $Request { x, $($field),* }: $Request<$($lifetime,)? ByKey<I, D>>) -> Result<Self::Results, Error> {
                let (keys, sorted) = x.segments(self)?;
                Ok((keys, self.run($Request { x: sorted.segments()?, $($field),* })?))
            }
        }
    )* };
}
by_group! {
    TopK { k, order } -> (DeviceArray<D::Element>, DeviceArray<u64>);
    Quantiles<'_> { qs, how } -> Vec<<D::Element as SortKey>::Quantile>;
    Median {} -> Vec<<D::Element as SortKey>::Quantile>;
}

/// The stream waits until the elements are sorted by group, to report ids that belong to no group.
impl<I, D> Backend<WriteTo<TopK<Groups<I, D>>, (&mut DeviceValues<D::Element>, &mut DeviceValues<u64>)>>
    for Stream
where
    I: DeviceElements<Element: IndexType>,
    D: DeviceElements<Element: SortKey + Accumulator>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request: TopK { x, k, order }, out }: WriteTo<
            TopK<Groups<I, D>>,
            (&mut DeviceValues<D::Element>, &mut DeviceValues<u64>),
        >,
    ) -> Result<(), Error> {
        let sorted = x.segments(self.cuda(), self.executor())?;
        self.run(WriteTo { request: TopK { x: sorted.segments()?, k, order }, out })
    }
}
