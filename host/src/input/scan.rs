//! Inputs of scans.

use gpu_kernels::{Element, Op};

use super::Segments;
use crate::{AsElements, Cpu, Error, IndexType, Scan};

/// Inputs in host memory that operator `O` can scan: `&x` of an array, or [`segments(&x,
/// &offsets)`](crate::segments()), where each segment is scanned by itself. There is one output for each element, at
/// the element's index in the array, also for a [missing](crate::Elements) element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing in host memory that `{O}` can scan",
    label = "not `&x` of an array, and not `segments(&x, &offsets)`"
)]
pub trait ScanInput<O>: Sized {
    /// The type of an initial value.
    type Acc;
    /// An output.
    type Out;

    /// Scans on the CPU. Backends call it.
    #[doc(hidden)]
    fn scan_on_cpu(self, cpu: &Cpu, op: O, scan: Scan<Self::Acc>) -> Result<Vec<Self::Out>, Error>;

    /// Scans on the CPU to an existing slice. Backends call it.
    #[doc(hidden)]
    fn scan_into_on_cpu(
        self,
        cpu: &Cpu,
        op: O,
        outs: &mut [Self::Out],
        scan: Scan<Self::Acc>,
    ) -> Result<(), Error>;
}

/// Inputs in host memory that operator `O` can scan in place: `&mut x` of a slice, a `Vec` or an array, or
/// [`segments(&mut x, &offsets)`](crate::segments()).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing in host memory that `{O}` can scan in place",
    label = "not `&mut x` of an array, and not `segments(&mut x, &offsets)`",
    note = "outputs replace the elements only if both have one type"
)]
pub trait ScanInPlace<O>: Sized {
    /// The type of an initial value.
    type Acc;

    /// Scans on the CPU. Backends call it.
    #[doc(hidden)]
    fn scan_in_place_on_cpu(self, cpu: &Cpu, op: O, scan: Scan<Self::Acc>) -> Result<(), Error>;
}

impl<S: AsElements + ?Sized, O: Op<S::Element>> ScanInput<O> for &S {
    type Acc = O::Acc;
    type Out = O::Out;

    fn scan_on_cpu(self, cpu: &Cpu, op: O, scan: Scan<O::Acc>) -> Result<Vec<O::Out>, Error> {
        let x = self.try_elements()?;
        match x.gaps()? {
            None => cpu.scan_slice(op, &x, scan),
            Some(gaps) => cpu.scan_around_gaps(op, (&x, &gaps), &[0, gaps.len()], scan),
        }
    }

    fn scan_into_on_cpu(
        self,
        cpu: &Cpu,
        op: O,
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        let x = self.try_elements()?;
        match x.gaps()? {
            None => cpu.scan_slice_into(op, &x, outs, scan),
            Some(gaps) => cpu.scan_around_gaps_into(op, (&x, &gaps), &[0, gaps.len()], outs, scan),
        }
    }
}

impl<X, I, O> ScanInput<O> for Segments<&X, &I>
where
    X: AsElements + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element>,
{
    type Acc = O::Acc;
    type Out = O::Out;

    fn scan_on_cpu(self, cpu: &Cpu, op: O, scan: Scan<O::Acc>) -> Result<Vec<O::Out>, Error> {
        let (x, offsets) = (self.x.try_elements()?, self.offsets.try_elements()?);
        match x.gaps()? {
            None => cpu.scan_segments(op, &x, offsets.as_offsets()?, scan),
            Some(gaps) => cpu.scan_around_gaps(op, (&x, &gaps), offsets.as_offsets()?, scan),
        }
    }

    fn scan_into_on_cpu(
        self,
        cpu: &Cpu,
        op: O,
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        let (x, offsets) = (self.x.try_elements()?, self.offsets.try_elements()?);
        match x.gaps()? {
            None => cpu.scan_segments_into(op, &x, offsets.as_offsets()?, outs, scan),
            Some(gaps) => cpu.scan_around_gaps_into(op, (&x, &gaps), offsets.as_offsets()?, outs, scan),
        }
    }
}

/// Types whose elements can be scanned in place.
macro_rules! in_place {
    ($(<$element:ident $(, $len:ident)?> $elements:ty;)*) => { $(
        impl<$element: Element, O: Op<$element, Out = $element> $(, const $len: usize)?> ScanInPlace<O>
            for &mut $elements
        {
            type Acc = O::Acc;

            fn scan_in_place_on_cpu(self, cpu: &Cpu, op: O, scan: Scan<O::Acc>) -> Result<(), Error> {
                cpu.scan_slice_in_place(op, self, scan)
            }
        }

        impl<$element, I, O $(, const $len: usize)?> ScanInPlace<O> for Segments<&mut $elements, &I>
        where
            $element: Element,
            I: AsElements<Element: IndexType> + ?Sized,
            O: Op<$element, Out = $element>,
        {
            type Acc = O::Acc;

            fn scan_in_place_on_cpu(self, cpu: &Cpu, op: O, scan: Scan<O::Acc>) -> Result<(), Error> {
                cpu.scan_segments_in_place(op, self.x, self.offsets.try_elements()?.as_offsets()?, scan)
            }
        }
    )* };
}
in_place! {
    <T> [T];
    <T> Vec<T>;
    <T, N> [T; N];
}
