//! Any axes of an array of several dimensions.

/// An array and some of its axes: see [`along`].
#[derive(Clone, Copy, Debug)]
pub struct Along<'a, V> {
    pub(crate) view: V,
    pub(crate) axes: &'a [usize],
    #[cfg(feature = "ndarray")]
    pub(crate) keeps_dims: bool,
}

/// Returns an input of the elements along some axes of an array, for reductions and scans. A reduction has a result for each index along the
/// other axes, in row-major order; [`View::reduced_shape`](crate::View::reduced_shape) is the shape of the results. Each result has the bits of a
/// reduction of its elements alone, in row-major order, for any order of `axes`; an index in it counts in that order.
/// Without axes each element is reduced by itself.
///
/// The array is a [`View`](crate::View), or with the feature `ndarray` a reference to an array of ndarray. The
/// results of the latter are an array of the other axes, or of all axes with `Along::keep_dims`.
///
/// On a GPU elements that are not contiguous row by row are copied together first, in up to 1 GiB of device memory at a
/// time, or in as much as the elements of one result take. A stream keeps up to 32 MiB of it.
///
/// # Errors
/// A reduction fails with [`Error::Axes`](crate::Error::Axes) if an axis is out of range or named twice, and with [`Error::TooManyResults`](crate::Error::TooManyResults)
/// if there is no memory for the results.
///
/// ```
/// use warpfold::{Cpu, Sum, View, along};
///
/// let x: Vec<i32> = (0..24).collect();
/// let view = View::new(&x, &[2, 3, 4])?;
/// assert_eq!(Cpu::new().reduce(Sum, along(view, &[0, 2]))?, [60, 92, 124]);
/// assert_eq!(view.reduced_shape(&[0, 2], true)?, [1, 3, 1]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn along<V>(view: V, axes: &[usize]) -> Along<'_, V> {
    Along {
        view,
        axes,
        #[cfg(feature = "ndarray")]
        keeps_dims: false,
    }
}

#[cfg(feature = "ndarray")]
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<A: ?Sized> Along<'_, &A> {
    /// Keeps the reduced axes in the array of results, with length 1. Otherwise the array has only the other axes.
    ///
    /// ```
    /// use ndarray::array;
    /// use warpfold::{Cpu, Sum, along};
    ///
    /// let a = array![[1.0, 2.0], [4.0, 8.0]];
    /// assert_eq!(Cpu::new().reduce(Sum, along(&a, &[1]))?, array![3.0, 12.0].into_dyn());
    /// assert_eq!(Cpu::new().reduce(Sum, along(&a, &[1]).keep_dims())?, array![[3.0], [12.0]].into_dyn());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn keep_dims(self) -> Self {
        Self { keeps_dims: true, ..self }
    }
}
