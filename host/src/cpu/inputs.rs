//! Reductions on the CPU: one array, two side by side, or the parts of one.

use bytemuck::Pod;
use gpu_kernels::{Element, Op};

use super::Cpu;
use crate::arrays::{AsElements, AsSlice, at_position, both};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Along, Chunks, Columns, Groups, Rows, Runs, Segments, Zip};
use crate::verb::{Backend, Fold, Reduce};
use crate::view::View;

impl<S: AsElements + ?Sized, O: Op<S::Element>> Backend<Fold<O, &S>> for Cpu {
    type Results = O::Acc;

    fn run(&self, Fold { op, input }: Fold<O, &S>) -> Result<O::Acc, Error> {
        self.fold_slice(op, &input.try_elements()?)
    }
}

impl<T, X, Y, O> Backend<Reduce<O, Zip<&X, &Y>>> for Cpu
where
    T: Element + Pod,
    X: AsElements<Element = T> + ?Sized,
    Y: AsElements<Element = T> + ?Sized,
    O: Op<[T; 2]>,
{
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, Zip<&X, &Y>>) -> Result<O::Out, Error> {
        let (x, y) = both(input.x.try_elements()?, input.y.try_elements()?)?;
        self.pairs(op, &x, &y)
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, Rows<&X>>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Rows<&X>>) -> Result<Vec<O::Out>, Error> {
        let x = input.x.try_elements()?;
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.segments(op, &x, &gaps.rows(input.shape)?);
        }
        self.rows(op, &x, input.shape)
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, Columns<&X>>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Columns<&X>>) -> Result<Vec<O::Out>, Error> {
        let x = input.x.try_elements()?;
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.groups(op, &gaps.columns(input.shape)?, &x, input.shape[1]);
        }
        self.columns(op, &x, input.shape)
    }
}

impl<T: Element, O: Op<T>> Backend<Reduce<O, Along<'_, View<&[T]>>>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Along<'_, View<&[T]>>>) -> Result<Vec<O::Out>, Error> {
        self.axes(op, &input.view, input.axes)
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, Chunks<&X>>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Chunks<&X>>) -> Result<Vec<O::Out>, Error> {
        let x = input.x.try_elements()?;
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.segments(op, &x, &gaps.chunks(input.len)?);
        }
        self.chunks(op, &x, input.len)
    }
}

impl<X, I, O> Backend<Reduce<O, Segments<&X, &I>>> for Cpu
where
    X: AsElements + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Segments<&X, &I>>) -> Result<Vec<O::Out>, Error> {
        let (x, offsets) = (input.x.try_elements()?, input.offsets.try_elements()?);
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.segments(op, &x, &gaps.segments(offsets.as_offsets()?)?);
        }
        self.segments(op, &x, offsets.as_offsets()?)
    }
}

impl<I, X, O> Backend<Reduce<O, Groups<&I, &X>>> for Cpu
where
    I: AsElements<Element: IndexType> + ?Sized,
    X: AsElements + ?Sized,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Groups<&I, &X>>) -> Result<Vec<O::Out>, Error> {
        let (ids, x) = both(input.ids.try_elements()?, input.x.try_elements()?)?;
        self.groups(op, &ids, &x, input.count).map_err(|error| at_position(error, &ids))
    }
}

impl<K, X, O> Backend<Reduce<O, Runs<&K, &X>>> for Cpu
where
    K: AsSlice<Item: PartialEq + Copy + Send + Sync> + ?Sized,
    X: AsElements + ?Sized,
    O: Op<X::Element>,
{
    type Results = (Vec<K::Item>, Vec<O::Out>);

    fn run(&self, Reduce { op, input }: Reduce<O, Runs<&K, &X>>) -> Result<Self::Results, Error> {
        let x = input.x.try_elements()?;
        self.runs(op, input.keys.slice(), &x, x.gaps()?.as_ref())
    }
}
