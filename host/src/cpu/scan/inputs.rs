//! What the CPU scans: an array or its segments, to new outputs, to existing ones, or in place.

use gpu_kernels::{Element, Op};

use crate::arrays::{AsElements, AsSlice};
use crate::cpu::Cpu;
use crate::cpu::parts::Divided;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Chunks, Rows, Segments};
use crate::verb::{Backend, Scan, WriteTo};

impl<X, O, A> Backend<Scan<O, &X, A>> for Cpu
where
    X: AsElements + ?Sized,
    O: Op<X::Element, Acc = A>,
{
    type Results = Vec<O::Out>;

    fn run(&self, Scan { op, input, scan }: Scan<O, &X, A>) -> Result<Vec<O::Out>, Error> {
        let x = input.try_elements()?;
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.scan_around_gaps(op, (&x, &gaps), &[0, gaps.len()], scan);
        }
        self.scan_slice(op, &x, scan)
    }
}

impl<X, O, A, D> Backend<WriteTo<Scan<O, &X, A>, &mut D>> for Cpu
where
    X: AsElements + ?Sized,
    O: Op<X::Element, Acc = A>,
    D: AsSlice<Item = O::Out> + ?Sized,
{
    type Results = ();

    fn run(&self, WriteTo { request, out }: WriteTo<Scan<O, &X, A>, &mut D>) -> Result<(), Error> {
        let Scan { op, input, scan } = request;
        let (x, outs) = (input.try_elements()?, out.slice_mut());
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.scan_around_gaps_into(op, (&x, &gaps), &[0, gaps.len()], outs, scan);
        }
        self.scan_slice_into(op, &x, outs, scan)
    }
}

impl<X, I, O, A> Backend<Scan<O, Segments<&X, &I>, A>> for Cpu
where
    X: AsElements + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element, Acc = A>,
{
    type Results = Vec<O::Out>;

    fn run(&self, Scan { op, input, scan }: Scan<O, Segments<&X, &I>, A>) -> Result<Vec<O::Out>, Error> {
        let (x, offsets) = (input.x.try_elements()?, input.offsets.try_elements()?);
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.scan_around_gaps(op, (&x, &gaps), offsets.as_offsets()?, scan);
        }
        self.scan_segments(op, &x, offsets.as_offsets()?, scan)
    }
}

impl<X, I, O, A, D> Backend<WriteTo<Scan<O, Segments<&X, &I>, A>, &mut D>> for Cpu
where
    X: AsElements + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element, Acc = A>,
    D: AsSlice<Item = O::Out> + ?Sized,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<Scan<O, Segments<&X, &I>, A>, &mut D>,
    ) -> Result<(), Error> {
        let Scan { op, input, scan } = request;
        let (x, offsets) = (input.x.try_elements()?, input.offsets.try_elements()?);
        let outs = out.slice_mut();
        if const { X::MAY_HAVE_GAPS }
            && let Some(gaps) = x.gaps()?
        {
            return self.scan_around_gaps_into(op, (&x, &gaps), offsets.as_offsets()?, outs, scan);
        }
        self.scan_segments_into(op, &x, offsets.as_offsets()?, outs, scan)
    }
}

impl<X, O, A> Backend<Scan<O, &mut X, A>> for Cpu
where
    X: AsSlice<Item: Element> + ?Sized,
    O: Op<X::Item, Acc = A, Out = X::Item>,
{
    type Results = ();

    fn run(&self, Scan { op, input, scan }: Scan<O, &mut X, A>) -> Result<(), Error> {
        self.scan_slice_in_place(op, input.slice_mut(), scan)
    }
}

impl<X, I, O, A> Backend<Scan<O, Segments<&mut X, &I>, A>> for Cpu
where
    X: AsSlice<Item: Element> + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Item, Acc = A, Out = X::Item>,
{
    type Results = ();

    fn run(&self, Scan { op, input, scan }: Scan<O, Segments<&mut X, &I>, A>) -> Result<(), Error> {
        let offsets = input.offsets.try_elements()?;
        self.scan_segments_in_place(op, input.x.slice_mut(), offsets.as_offsets()?, scan)
    }
}

/// Implements scans of an input whose parts have one length.
macro_rules! parts {
    ($($input:ident),*) => { $(
        impl<X, O, A> Backend<Scan<O, $input<&X>, A>> for Cpu
        where
            X: AsElements + ?Sized,
            O: Op<X::Element, Acc = A>,
        {
            type Results = Vec<O::Out>;

            fn run(&self, Scan { op, input, scan }: Scan<O, $input<&X>, A>) -> Result<Vec<O::Out>, Error> {
                let x = input.x.try_elements()?;
                let bounds = input.bounds(x.array_len() as usize, None)?;
                if const { X::MAY_HAVE_GAPS }
                    && let Some(gaps) = x.gaps()?
                {
                    return self.scan_around_gaps(op, (&x, &gaps), &bounds.offsets()?, scan);
                }
                self.scan_parts(op, &x, bounds, scan)
            }
        }

        impl<X, O, A, D> Backend<WriteTo<Scan<O, $input<&X>, A>, &mut D>> for Cpu
        where
            X: AsElements + ?Sized,
            O: Op<X::Element, Acc = A>,
            D: AsSlice<Item = O::Out> + ?Sized,
        {
            type Results = ();

            fn run(&self, WriteTo { request, out }: WriteTo<Scan<O, $input<&X>, A>, &mut D>) -> Result<(), Error> {
                let Scan { op, input, scan } = request;
                let x = input.x.try_elements()?;
                let bounds = input.bounds(x.array_len() as usize, None)?;
                if const { X::MAY_HAVE_GAPS }
                    && let Some(gaps) = x.gaps()?
                {
                    return self.scan_around_gaps_into(op, (&x, &gaps), &bounds.offsets()?, out.slice_mut(), scan);
                }
                self.scan_parts_into(op, &x, bounds, out.slice_mut(), scan)
            }
        }

        impl<X, O, A> Backend<Scan<O, $input<&mut X>, A>> for Cpu
        where
            X: AsSlice<Item: Element> + ?Sized,
            O: Op<X::Item, Acc = A, Out = X::Item>,
        {
            type Results = ();

            fn run(&self, Scan { op, input, scan }: Scan<O, $input<&mut X>, A>) -> Result<(), Error> {
                let len = input.x.slice_mut().len();
                let bounds = input.bounds(len, None)?;
                self.scan_parts_in_place(op, input.x.slice_mut(), bounds, scan)
            }
        }
    )* };
}
parts!(Rows, Chunks);
