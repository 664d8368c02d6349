//! Arrays of ndarray.

use ndarray::{ArrayBase, ArrayRef, Data, Dimension};

use gpu_kernels::Element;

use super::elements::copied_or_ended;
use super::{AsElements, Elements};
use crate::error::Error;
use crate::memory;

/// Arrays and views of any dimension. Elements are in logical order, as in their iterator: the last index varies
/// fastest. Indices in results count in this order, whatever the layout in memory.
///
/// An array in standard layout is borrowed. A transposed, reversed, strided or broadcast array, or one in Fortran order, is
/// copied. If the order does not matter, reduce it without a copy by `as_slice_memory_order` or `t()`; float sums may then
/// differ in their last bits.
///
/// ```
/// use ndarray::{Array2, s};
/// use warpfold::{ArgMax, AsElements, Sum, reduce};
///
/// let a = Array2::from_shape_fn((1000, 500), |(row, column)| ((row * 31 + column * 17) % 1009) as f32);
/// let x = a.elements();
/// assert!(x.is_borrowed());
/// let at = reduce::<f32, ArgMax>(&x)?.expect("there are elements");
/// let columns = a.ncols() as u64;
/// let position = [at.index / columns, at.index % columns].map(|index| index as usize);
/// assert_eq!(a[position], at.value);
///
/// let every_other = a.slice(s![.., ..;2]);
/// assert!(!every_other.elements().is_borrowed());
/// let sum = reduce::<f32, Sum>(&every_other.elements())?;
/// assert_eq!(sum, reduce::<f32, Sum>(&every_other.iter().copied().collect::<Vec<_>>())?);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<T: Element, D: Dimension> AsElements for ArrayRef<T, D> {
    type Element = T;
    const MAY_HAVE_GAPS: bool = false;

    fn elements(&self) -> Elements<'_, T> {
        copied_or_ended(self.try_elements())
    }

    fn try_elements(&self) -> Result<Elements<'_, T>, Error> {
        if let Some(elements) = self.as_slice() {
            return Ok(elements.into());
        }
        let mut copy = memory::with_room(self.len())?;
        self.rows().into_iter().for_each(|row| copy.extend(row));
        Ok(copy.into())
    }

    fn elements_in_place(&self) -> Result<&[T], Error> {
        self.as_slice().ok_or(Error::NotInPlace {
            why: "the array is transposed, in Fortran order, reversed, strided or broadcast",
        })
    }
}

/// Like the array that it refers to.
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
impl<S: Data<Elem: Element>, D: Dimension> AsElements for ArrayBase<S, D> {
    type Element = S::Elem;
    const MAY_HAVE_GAPS: bool = false;

    fn elements(&self) -> Elements<'_, S::Elem> {
        ArrayRef::elements(self)
    }

    fn try_elements(&self) -> Result<Elements<'_, S::Elem>, Error> {
        ArrayRef::try_elements(self)
    }

    fn elements_in_place(&self) -> Result<&[S::Elem], Error> {
        ArrayRef::elements_in_place(self)
    }
}
