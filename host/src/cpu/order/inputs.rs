//! What the CPU sorts and selects from: arrays in host memory.

use gpu_kernels::{At, TotalOrder};

use crate::arrays::{AsElements, AsSlice};
use crate::cpu::Cpu;
use crate::error::Error;
use crate::interpolate::Interpolation;
use crate::sort_key::SortKey;
use crate::verb::{Argsort, Backend, Median, Quantiles, Sort, SortPairs, TopK};

impl<X: AsSlice<Item: TotalOrder> + ?Sized> Backend<Sort<&mut X>> for Cpu {
    type Results = ();

    fn run(&self, Sort { x, order }: Sort<&mut X>) -> Result<(), Error> {
        self.sort_slice(x.slice_mut(), order);
        Ok(())
    }
}

impl<K, V> Backend<SortPairs<&mut K, &mut V>> for Cpu
where
    K: AsSlice<Item: TotalOrder> + ?Sized,
    V: AsSlice<Item: Copy + Send + Sync> + ?Sized,
{
    type Results = ();

    fn run(&self, SortPairs { keys, values, order }: SortPairs<&mut K, &mut V>) -> Result<(), Error> {
        self.sort_slice_pairs(keys.slice_mut(), values.slice_mut(), order)
    }
}

impl<X: AsElements<Element: TotalOrder> + ?Sized> Backend<Argsort<&X>> for Cpu {
    type Results = Vec<usize>;

    fn run(&self, Argsort { x, order }: Argsort<&X>) -> Result<Vec<usize>, Error> {
        let x = x.try_elements()?;
        let mut indices = self.argsort_slice(&x, order)?;
        if let Some(gaps) = x.gaps()? {
            indices.iter_mut().for_each(|index| *index = gaps.position(*index));
        }
        Ok(indices)
    }
}

impl<X: AsElements<Element: TotalOrder> + ?Sized> Backend<TopK<&X>> for Cpu {
    type Results = Vec<At<X::Element>>;

    fn run(&self, TopK { x, k, order }: TopK<&X>) -> Result<Self::Results, Error> {
        let x = x.try_elements()?;
        let mut first = self.first(&x, k, order)?;
        if let Some(gaps) = x.gaps()? {
            first.iter_mut().for_each(|at| at.index = gaps.position(at.index as usize) as u64);
        }
        Ok(first)
    }
}

impl<X: AsElements<Element: SortKey> + ?Sized> Backend<Median<&X>> for Cpu {
    type Results = <X::Element as SortKey>::Quantile;

    fn run(&self, Median { x }: Median<&X>) -> Result<Self::Results, Error> {
        let half = self.run(Quantiles { x, qs: &[0.5], how: Interpolation::Linear })?;
        half.first().copied().ok_or(Error::NoElements)
    }
}

impl<X: AsElements<Element: SortKey> + ?Sized> Backend<Quantiles<'_, &X>> for Cpu {
    type Results = Vec<<X::Element as SortKey>::Quantile>;

    fn run(&self, Quantiles { x, qs, how }: Quantiles<'_, &X>) -> Result<Self::Results, Error> {
        self.quantiles_of(&x.try_elements()?, qs, how)
    }
}
