//! Axes of ndarray's arrays.

use gpu_kernels::Element;
use ndarray::{ArrayBase, ArrayRef, Axis, Data, Dimension};

use crate::error::Error;
use crate::view::View;

/// Conversion of an array of ndarray to a [`View`].
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of ndarray",
    label = "not an array with axes",
    note = "elements of a slice with a shape and strides are a `warpfold::View`"
)]
pub trait AsView {
    /// The type of the elements.
    type Element: Element;

    /// Views the array in place: in standard layout or in Fortran order, with its axes in any order, reversed or broadcast.
    ///
    /// # Errors
    /// [`Error::NotInPlace`] if other elements lie between the array's, as in a slice of some columns, because another
    /// thread may be writing to them; [`Error::Dimensions`] for more than 8 dimensions.
    ///
    /// ```
    /// use ndarray::{Array2, s};
    /// use warpfold::{AsView, Cpu, Max, along};
    ///
    /// let a = Array2::from_shape_fn((2, 3), |(row, column)| 3 * row + column);
    /// let a = a.mapv(|x| x as u32);
    /// let reversed = a.slice(s![.., ..;-1]);
    /// let view = reversed.as_view()?;
    /// assert_eq!(Cpu::new().reduce(Max, along(view, &[0]))?, [Some(5), Some(4), Some(3)]);
    /// assert!(a.slice(s![.., ..2]).as_view().is_err());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    fn as_view(&self) -> Result<View<'_, Self::Element>, Error>;
}

#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<T: Element, D: Dimension> AsView for ArrayRef<T, D> {
    type Element = T;

    fn as_view(&self) -> Result<View<'_, T>, Error> {
        // Broadcast axes are reduced to one index.
        let mut once = self.view().into_dyn();
        for (axis, (&length, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            if length > 1 && stride == 0 {
                once.collapse_axis(Axis(axis), 0);
            }
        }
        let elements = once.to_slice_memory_order();
        let elements = elements.ok_or(Error::NotInPlace { why: "other elements lie between the array's" })?;
        // The slice begins at the lowest address. The array's first element is at the highest index of each reversed
        // axis.
        let axes = once.shape().iter().zip(once.strides());
        let reversed = axes.filter(|&(&length, &stride)| length > 1 && stride < 0);
        let offset = reversed.map(|(length, stride)| (length - 1) * stride.unsigned_abs()).sum();
        View::strided(elements, offset, self.shape(), self.strides())
    }
}

/// Like the array that it refers to.
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<S: Data<Elem: Element>, D: Dimension> AsView for ArrayBase<S, D> {
    type Element = S::Elem;

    fn as_view(&self) -> Result<View<'_, S::Elem>, Error> {
        ArrayRef::as_view(self)
    }
}
