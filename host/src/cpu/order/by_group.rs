//! Selections from groups: their elements are copied group after group, as segments.

use gpu_kernels::{At, Element, TotalOrder};

use crate::arrays::{AsElements, at_position, both};
use crate::cpu::Cpu;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Groups, Segments};
use crate::interpolate::Interpolation;
use crate::sort_key::SortKey;
use crate::verb::{Backend, Median, Quantiles, TopK};

/// Implements the requests by those for segments.
macro_rules! by_group {
    ($($Request:ident<$($lifetime:lifetime,)? $bound:ident> { $($field:ident),* } -> $results:ty;)*) => { $(
        impl<I, X> Backend<$Request<$($lifetime,)? Groups<&I, &X>>> for Cpu
        where
            I: AsElements<Element: IndexType> + ?Sized,
            X: AsElements<Element: $bound> + ?Sized,
        {
            type Results = $results;

            fn run(&self, $Request { x, $($field),* }: $Request<$($lifetime,)? Groups<&I, &X>>) -> Result<Self::Results, Error> {
                let (sorted, offsets) = self.by_group(&x)?;
                self.run($Request { x: Segments { x: &sorted, offsets: &offsets }, $($field),* })
            }
        }
    )* };
}
by_group! {
    TopK<TotalOrder> { k, order } -> Vec<At<X::Element>>;
    Quantiles<'_, SortKey> { qs, how } -> Vec<<X::Element as SortKey>::Quantile>;
}

impl<I, X> Backend<Median<Groups<&I, &X>>> for Cpu
where
    I: AsElements<Element: IndexType> + ?Sized,
    X: AsElements<Element: SortKey> + ?Sized,
{
    type Results = Vec<<X::Element as SortKey>::Quantile>;

    fn run(&self, Median { x }: Median<Groups<&I, &X>>) -> Result<Self::Results, Error> {
        self.run(Quantiles { x, qs: &[0.5], how: Interpolation::Linear })
    }
}

impl Cpu {
    /// Returns the elements of each group in their order, group after group, and the offsets of the groups.
    fn by_group<I, X>(&self, input: &Groups<&I, &X>) -> Result<(Vec<X::Element>, Vec<usize>), Error>
    where
        I: AsElements<Element: IndexType> + ?Sized,
        X: AsElements<Element: Element> + ?Sized,
    {
        let (ids, x) = both(input.ids.try_elements()?, input.x.try_elements()?)?;
        self.sorted_by_group(&ids, &x, input.count).map_err(|error| at_position(error, &ids))
    }
}
