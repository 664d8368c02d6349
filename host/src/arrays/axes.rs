//! Axes of ndarray's arrays.

use gpu_kernels::{Element, Op};
use ndarray::{ArrayBase, ArrayD, ArrayRef, Axis, Data, Dimension, IxDyn};

use super::AsElements;
use crate::{Cpu, Error, View};

/// An array of ndarray as a [`View`].
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
pub trait AsView {
    /// What the array holds.
    type Element: Element;

    /// The array where it is: in standard layout or in Fortran order, with its axes in any order, reversed or broadcast.
    ///
    /// # Errors
    /// [`Error::NotInPlace`] if other elements lie between the array's, which may be someone else's at this time: those
    /// of a slice of some of the columns, say. [`Error::Dimensions`] if there are more than 8.
    ///
    /// ```
    /// use ndarray::{Array2, s};
    /// use warpfold::{AsView, Cpu, Max};
    ///
    /// let a = Array2::from_shape_fn((2, 3), |(row, column)| 3 * row + column);
    /// let a = a.mapv(|x| x as u32);
    /// let reversed = a.slice(s![.., ..;-1]);
    /// let view = reversed.as_view()?;
    /// assert_eq!(Cpu::new().reduce_axes::<u32, Max>(&view, &[0])?, [Some(5), Some(4), Some(3)]);
    /// assert!(a.slice(s![.., ..2]).as_view().is_err());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    fn as_view(&self) -> Result<View<'_, Self::Element>, Error>;
}

#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<T: Element, D: Dimension> AsView for ArrayRef<T, D> {
    type Element = T;

    fn as_view(&self) -> Result<View<'_, T>, Error> {
        // A broadcast axis once.
        let mut once = self.view().into_dyn();
        for (axis, (&length, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            if length > 1 && stride == 0 {
                once.collapse_axis(Axis(axis), 0);
            }
        }
        let elements = once.to_slice_memory_order();
        let elements = elements.ok_or(Error::NotInPlace { why: "other elements lie between the array's" })?;
        // The slice begins with the lowest element, the array with that which lies highest along reversed axes.
        let axes = once.shape().iter().zip(once.strides());
        let reversed = axes.filter(|&(&length, &stride)| length > 1 && stride < 0);
        let offset = reversed.map(|(length, stride)| (length - 1) * stride.unsigned_abs()).sum();
        View::strided(elements, offset, self.shape(), self.strides())
    }
}

/// As the array that it refers to.
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<S: Data<Elem: Element>, D: Dimension> AsView for ArrayBase<S, D> {
    type Element = S::Elem;

    fn as_view(&self) -> Result<View<'_, S::Elem>, Error> {
        ArrayRef::as_view(self)
    }
}

#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl Cpu {
    /// [`reduce_axes`](Self::reduce_axes) of an array of ndarray into another, of the axes that are left, in their order,
    /// or with `keep_dims` of all, those that were reduced being of length 1. An array that [`AsView::as_view`] refuses
    /// because of what lies between its elements is copied first.
    ///
    /// # Errors
    /// As [`reduce_axes`](Self::reduce_axes); [`Error::Dimensions`] if there are more than 8.
    ///
    /// ```
    /// use ndarray::array;
    /// use warpfold::{Cpu, Sum};
    ///
    /// let a = array![[1.0, 2.0], [4.0, 8.0]];
    /// let sums = Cpu::new().reduce_array_axes::<f64, Sum, _>(&a, &[1], true)?;
    /// assert_eq!(sums, array![[3.0], [12.0]].into_dyn());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_array_axes<T: Element, O: Op<T> + Default, D: Dimension>(
        &self,
        array: &ArrayRef<T, D>,
        axes: &[usize],
        keep_dims: bool,
    ) -> Result<ArrayD<O::Out>, Error> {
        self.reduce_array_axes_by(O::default(), array, axes, keep_dims)
    }

    /// [`reduce_array_axes`](Self::reduce_array_axes) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_array_axes`](Self::reduce_array_axes).
    pub fn reduce_array_axes_by<T: Element, O: Op<T>, D: Dimension>(
        &self,
        op: O,
        array: &ArrayRef<T, D>,
        axes: &[usize],
        keep_dims: bool,
    ) -> Result<ArrayD<O::Out>, Error> {
        let copy;
        let view = match array.as_view() {
            Err(Error::NotInPlace { .. }) => {
                copy = array.elements();
                View::new(&copy, array.shape())?
            }
            view => view?,
        };
        let shape = view.reduced_shape(axes, keep_dims)?;
        let outs = self.reduce_axes_by(op, &view, axes)?;
        let given = outs.len() as u64;
        let wrong = |_| Error::Shape { shape: shape.clone().into(), given };
        ArrayD::from_shape_vec(IxDyn(&shape), outs).map_err(wrong)
    }
}
