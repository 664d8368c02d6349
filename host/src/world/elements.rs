//! A rank's part of an array, in the memory that it lies in.

use gpu_kernels::{Element, Predicate};

use crate::arrays::{AsElements, AsSlice, Elements};
use crate::cpu::Cpu;
#[cfg(feature = "cuda")]
use crate::cuda::DeviceSlice;
use crate::error::Error;

/// Elements of a rank: `&x` in host memory, or with the feature `cuda` a `&DeviceArray` or a `DeviceSlice`.
///
/// Results that a [`World`](crate::World) returns for a part are in the same memory as the part: in a `Vec`, or in a
/// new `DeviceArray`. Some ranks may have their parts in host memory, and others on devices.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of an array that the ranks of a World have",
    label = "neither `&x` in host memory nor an array on a device",
    note = "elements on a device must be `bytemuck::CheckedBitPattern`: numbers, `bool`, `char`, and types that derive it"
)]
pub trait WorldElements {
    /// The type of the elements.
    type Element: Element;
    /// An array in the same memory.
    type Array<R: Element>;

    /// Returns the number of elements.
    #[doc(hidden)]
    fn count(&self) -> Result<usize, Error>;

    /// Returns the number of elements, including missing ones.
    #[doc(hidden)]
    fn array_len(&self) -> Result<usize, Error> {
        self.count()
    }

    /// Returns the elements in host memory. Elements on a device are copied.
    #[doc(hidden)]
    fn in_host_memory(&self) -> Result<Elements<'_, Self::Element>, Error>;

    /// Moves results from host memory to the memory of the elements.
    #[doc(hidden)]
    fn beside<R: Element>(&self, results: Vec<R>) -> Result<Self::Array<R>, Error>;

    /// Returns the elements on a device, if they are there.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    fn on_device(&self) -> Option<DeviceSlice<'_, Self::Element>> {
        None
    }

    /// Returns the elements whose flag is `true`, if a device selects them.
    #[doc(hidden)]
    fn flagged_on_device<F>(&self, _: &F) -> Option<Result<Self::Array<Self::Element>, Error>>
    where
        F: WorldElements<Element = bool>,
    {
        None
    }
}

/// The place of outputs that an operator computes for [elements of a rank](WorldElements): a `Vec` in host memory, or on
/// a device a `DeviceArray` of their [stored form](crate::stored).
#[diagnostic::on_unimplemented(
    message = "the ranks of a World have no array for outputs `{Out}` beside `{Self}`",
    label = "outputs on a device are `Storable`"
)]
pub trait WorldOutputs<Out>: WorldElements {
    /// The outputs.
    type Outs;

    /// Moves outputs from host memory to the memory of the elements.
    #[doc(hidden)]
    fn outputs(&self, outs: Vec<Out>) -> Result<Self::Outs, Error>;
}

/// [Elements of a rank](WorldElements) that a predicate `P` selects from: in host memory elements of any type, by any
/// [`Predicate`]; on a device numbers, by the predicates that `Cuda::compact` takes.
#[diagnostic::on_unimplemented(
    message = "the ranks of a World do not select from `{Self}` by `{P}`",
    label = "on a device numbers are selected, by a `DevicePredicate`",
    note = "for other predicates write flags, and call `compact_by_flags`"
)]
pub trait WorldSelect<P>: WorldElements {
    /// Returns the selected elements of this part.
    #[doc(hidden)]
    fn selected(&self, cpu: &Cpu, predicate: P) -> Result<Self::Array<Self::Element>, Error>;

    /// Returns the selected elements of this part and then the others, in host memory, and the number selected.
    #[doc(hidden)]
    fn partitioned(&self, cpu: &Cpu, predicate: P) -> Result<(Vec<Self::Element>, usize), Error>;
}

/// An array of a rank whose elements an operation replaces.
///
/// | array | results |
/// |---|---|
/// | `&mut x` of a slice, a `Vec` or an array | in its place |
/// | `&mut values` of `DeviceValues` (feature `cuda`) | in their place |
/// | a `&DeviceArray` or a `DeviceSlice` (feature `cuda`), which is never written again | in a new `DeviceArray` |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array whose elements a World can replace",
    label = "neither `&mut x` in host memory nor an array on a device"
)]
pub trait WorldInPlace: Sized {
    /// The type of the elements.
    type Element: Element;
    /// The new array, or `()` if the results are in place.
    type Replaced;

    /// Returns the number of elements.
    #[doc(hidden)]
    fn count(&mut self) -> usize;

    /// Returns the elements in host memory. Elements on a device are copied.
    #[doc(hidden)]
    fn in_host_memory(&mut self) -> Result<Elements<'_, Self::Element>, Error>;

    /// Replaces the elements by as many others.
    #[doc(hidden)]
    fn replace(self, by: &[Self::Element]) -> Result<Self::Replaced, Error>;
}

impl<S: AsElements + ?Sized> WorldElements for &S {
    type Element = S::Element;
    type Array<R: Element> = Vec<R>;

    fn count(&self) -> Result<usize, Error> {
        Ok(self.try_elements()?.len())
    }
    fn array_len(&self) -> Result<usize, Error> {
        Ok(self.try_elements()?.array_len() as usize)
    }
    fn in_host_memory(&self) -> Result<Elements<'_, S::Element>, Error> {
        self.try_elements()
    }
    fn beside<R: Element>(&self, results: Vec<R>) -> Result<Vec<R>, Error> {
        Ok(results)
    }
}

impl<S: AsElements + ?Sized, Out> WorldOutputs<Out> for &S {
    type Outs = Vec<Out>;

    fn outputs(&self, outs: Vec<Out>) -> Result<Vec<Out>, Error> {
        Ok(outs)
    }
}

impl<S: AsElements + ?Sized, P: Predicate<S::Element>> WorldSelect<P> for &S {
    fn selected(&self, cpu: &Cpu, predicate: P) -> Result<Vec<S::Element>, Error> {
        cpu.compact(predicate, &self.try_elements()?)
    }
    fn partitioned(&self, cpu: &Cpu, predicate: P) -> Result<(Vec<S::Element>, usize), Error> {
        cpu.partition(predicate, &self.try_elements()?)
    }
}

impl<X: AsSlice<Item: Element> + ?Sized> WorldInPlace for &mut X {
    type Element = X::Item;
    type Replaced = ();

    fn count(&mut self) -> usize {
        self.slice_mut().len()
    }
    fn in_host_memory(&mut self) -> Result<Elements<'_, X::Item>, Error> {
        Ok((&*self.slice_mut()).into())
    }
    fn replace(self, by: &[X::Item]) -> Result<(), Error> {
        self.slice_mut().copy_from_slice(by);
        Ok(())
    }
}
