//! Reductions along axes of ndarray's arrays.

use gpu_kernels::{Element, Op};
use ndarray::{ArrayBase, ArrayD, ArrayRef, Data, Dimension, IxDyn};

use super::Cpu;
use crate::arrays::AsElements;
use crate::error::Error;
use crate::input::Along;
use crate::verb::{Backend, Reduce};
use crate::view::View;

/// Reduces to an array. An array that a [`View`] refuses because of elements in between is copied first.
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<T: Element, D: Dimension, O: Op<T>> Backend<Reduce<O, Along<'_, &ArrayRef<T, D>>>> for Cpu {
    type Results = ArrayD<O::Out>;

    fn run(
        &self,
        Reduce { op, input }: Reduce<O, Along<'_, &ArrayRef<T, D>>>,
    ) -> Result<ArrayD<O::Out>, Error> {
        let Along { view: array, axes, keeps_dims } = input;
        let copy;
        let view = match View::try_from(array) {
            Err(Error::NotInPlace { .. }) => {
                copy = array.try_elements()?;
                View::new(&copy, array.shape())?
            }
            view => view?,
        };
        let shape = view.reduced_shape(axes, keeps_dims)?;
        let outs = self.axes(op, &view, axes)?;
        let given = outs.len() as u64;
        let wrong = |_| Error::Shape { shape: shape.clone().into(), given };
        ArrayD::from_shape_vec(IxDyn(&shape), outs).map_err(wrong)
    }
}

/// Like the array that it refers to.
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<S, D, O> Backend<Reduce<O, Along<'_, &ArrayBase<S, D>>>> for Cpu
where
    S: Data<Elem: Element>,
    D: Dimension,
    O: Op<S::Elem>,
{
    type Results = ArrayD<O::Out>;

    fn run(
        &self,
        Reduce { op, input }: Reduce<O, Along<'_, &ArrayBase<S, D>>>,
    ) -> Result<ArrayD<O::Out>, Error> {
        let array: &ArrayRef<S::Elem, D> = input.view;
        let input = Along { view: array, axes: input.axes, keeps_dims: input.keeps_dims };
        self.run(Reduce { op, input })
    }
}
