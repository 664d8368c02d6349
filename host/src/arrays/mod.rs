//! Arrays of other crates as slices.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "ndarray")]
mod axes;
mod blocks;
mod both;
mod elements;
mod gaps;
#[cfg(feature = "ndarray")]
mod ndarray;
mod parts;
mod presence;
mod slice;

use gpu_kernels::Element;

use crate::error::Error;
use crate::view::Viewed;
pub(crate) use both::both;
pub use elements::Elements;
pub(crate) use gaps::Gaps;
pub(crate) use slice::AsSlice;

/// An array whose elements can be reduced: a slice; with the feature `ndarray`, an array of ndarray of any dimension; with the
/// feature `arrow`, a primitive or Boolean array of Arrow.
///
/// The array's own iterator gives the elements and their order. Elements that are contiguous in memory in this order are
/// borrowed; others are copied. Missing ones are left out, but [count in positions](Elements).
///
/// ```
/// use warpfold::{AsElements, Error, Max, Min, reduce};
///
/// /// How far the elements lie apart.
/// fn range<A: AsElements<Element = f32> + ?Sized>(array: &A) -> Result<Option<f32>, Error> {
///     let x = array.elements();
///     let least = reduce::<f32, Min>(&x)?;
///     let greatest = reduce::<f32, Max>(&x)?;
///     Ok(greatest.zip(least).map(|(greatest, least)| greatest - least))
/// }
/// assert_eq!(range(&vec![3.0, -1.0, 4.5])?, Some(5.5));
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of elements",
    label = "not an array of elements",
    note = "arrays are slices, `Vec`s, `[T; N]`, `Box<[T]>`, `warpfold::Elements`, and with the features `ndarray` and `arrow` those of these crates",
    note = "an iterator is collected first: `let x: Vec<_> = iterator.collect()`"
)]
pub trait AsElements {
    /// The type of the elements.
    type Element: Element;

    /// Whether elements can be missing. If not, the code for missing elements is left out, which takes longer to compile than the rest
    /// (docs/tuning/cpu.md).
    #[doc(hidden)]
    const MAY_HAVE_GAPS: bool = true;

    /// Returns the elements in the order of their indices: the array's own memory, or a copy if they are not contiguous
    /// there in that order. A copy takes memory for as many elements; copying a large array takes longer than reducing
    /// it. If there is no memory for the copy, the process ends; [`try_elements`](Self::try_elements) returns an error
    /// instead.
    fn elements(&self) -> Elements<'_, Self::Element>;

    /// Does [`elements`](Self::elements), but returns an error if there is no memory for a copy. The backends use it. Implement it
    /// for an array that may be copied.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    fn try_elements(&self) -> Result<Elements<'_, Self::Element>, Error> {
        Ok(self.elements())
    }

    /// Returns the elements in place, without missing ones.
    ///
    /// # Errors
    /// [`Error::NotInPlace`] if [`elements`](Self::elements) would copy.
    fn elements_in_place(&self) -> Result<&[Self::Element], Error>;
}

impl<T: Element> AsElements for [T] {
    type Element = T;
    const MAY_HAVE_GAPS: bool = false;

    fn elements(&self) -> Elements<'_, T> {
        self.into()
    }

    fn elements_in_place(&self) -> Result<&[T], Error> {
        Ok(self)
    }
}

impl<T: Element> AsElements for Vec<T> {
    type Element = T;
    const MAY_HAVE_GAPS: bool = false;

    fn elements(&self) -> Elements<'_, T> {
        self.as_slice().into()
    }

    fn elements_in_place(&self) -> Result<&[T], Error> {
        Ok(self)
    }
}

impl<T: Element, const N: usize> AsElements for [T; N] {
    type Element = T;
    const MAY_HAVE_GAPS: bool = false;

    fn elements(&self) -> Elements<'_, T> {
        self.as_slice().into()
    }

    fn elements_in_place(&self) -> Result<&[T], Error> {
        Ok(self)
    }
}

impl<T: Element> AsElements for Box<[T]> {
    type Element = T;
    const MAY_HAVE_GAPS: bool = false;

    fn elements(&self) -> Elements<'_, T> {
        (**self).into()
    }

    fn elements_in_place(&self) -> Result<&[T], Error> {
        Ok(self)
    }
}

/// The same elements, including the missing ones.
impl<T: Element> AsElements for Elements<'_, T> {
    type Element = T;

    fn elements(&self) -> Elements<'_, T> {
        self.borrowed()
    }

    fn elements_in_place(&self) -> Result<&[T], Error> {
        Ok(self)
    }
}

impl<A: AsElements + ?Sized> AsElements for &A {
    type Element = A::Element;
    const MAY_HAVE_GAPS: bool = A::MAY_HAVE_GAPS;

    fn elements(&self) -> Elements<'_, A::Element> {
        (**self).elements()
    }

    fn try_elements(&self) -> Result<Elements<'_, A::Element>, Error> {
        (**self).try_elements()
    }

    fn elements_in_place(&self) -> Result<&[A::Element], Error> {
        (**self).elements_in_place()
    }
}

impl<'a, X: AsElements + ?Sized> Viewed for &'a X {
    type Slice = &'a [X::Element];

    fn viewed(self) -> Result<(Self::Slice, usize), Error> {
        let elements = self.elements_in_place()?;
        Ok((elements, elements.len()))
    }
}

/// Names an id by its position in the array.
pub(crate) fn at_position<I: Element>(error: Error, ids: &Elements<'_, I>) -> Error {
    match error {
        Error::Group { at, group, groups } => {
            let position = ids.position(at as u64).map_or(at, |position| position as usize);
            Error::Group { at: position, group, groups }
        }
        error => error,
    }
}
