//! Axes of ndarray's arrays.

use gpu_kernels::Element;
use ndarray::{ArrayBase, ArrayRef, Axis, Data, Dimension};

use crate::error::Error;
use crate::view::View;

/// Views an array of ndarray in place: in standard layout or in Fortran order, with its axes in any order, reversed or
/// broadcast. Fails with [`Error::NotInPlace`] if other elements lie between the array's, as in a slice of some columns,
/// because another thread may be writing to them, and with [`Error::Dimensions`] for more than 8 dimensions.
///
/// ```
/// use ndarray::{Array2, s};
/// use warpfold::{Cpu, Max, View, along};
///
/// let a = Array2::from_shape_fn((2, 3), |(row, column)| 3 * row + column);
/// let a = a.mapv(|x| x as u32);
/// let reversed = a.slice(s![.., ..;-1]);
/// let view = View::try_from(&reversed)?;
/// assert_eq!(Cpu::new().reduce(Max, along(view, &[0]))?, [Some(5), Some(4), Some(3)]);
/// assert!(View::try_from(&a.slice(s![.., ..2])).is_err());
/// # Ok::<(), warpfold::Error>(())
/// ```
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<'a, T: Element, D: Dimension> TryFrom<&'a ArrayRef<T, D>> for View<&'a [T]> {
    type Error = Error;

    fn try_from(array: &'a ArrayRef<T, D>) -> Result<Self, Error> {
        // Broadcast axes are reduced to one index.
        let mut once = array.view().into_dyn();
        for (axis, (&length, &stride)) in array.shape().iter().zip(array.strides()).enumerate() {
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
        View::strided(elements, offset, array.shape(), array.strides())
    }
}

/// Like the array that it refers to.
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<'a, S: Data<Elem: Element>, D: Dimension> TryFrom<&'a ArrayBase<S, D>> for View<&'a [S::Elem]> {
    type Error = Error;

    fn try_from(array: &'a ArrayBase<S, D>) -> Result<Self, Error> {
        let array: &ArrayRef<S::Elem, D> = array;
        View::try_from(array)
    }
}
