//! Compaction: the elements that a predicate or flags select, or one of each run, in order.

mod selection;
mod split;

use gpu_kernels::{Element, Predicate};

pub(super) use self::selection::Selection;
use self::selection::{Changes, Flagged, Satisfying};
use super::Cpu;
use super::unwritten::{Slot, Unwritten};
use crate::arrays::{AsElements, AsSlice, both};
use crate::error::Error;
use crate::verb::{Backend, Compact, CompactByFlags, Partition, PartitionByFlags, Unique, WriteTo};

impl<X: AsElements + ?Sized, P: Predicate<X::Element>> Backend<Compact<P, &X>> for Cpu {
    type Results = Vec<X::Element>;

    fn run(&self, Compact { predicate, x }: Compact<P, &X>) -> Result<Self::Results, Error> {
        let x = &x.try_elements()?[..];
        self.selected(x, &Satisfying { predicate, x })
    }
}

impl<X, P, D> Backend<WriteTo<Compact<P, &X>, &mut D>> for Cpu
where
    X: AsElements + ?Sized,
    P: Predicate<X::Element>,
    D: AsSlice<Item = X::Element> + ?Sized,
{
    type Results = usize;

    fn run(&self, WriteTo { request, out }: WriteTo<Compact<P, &X>, &mut D>) -> Result<usize, Error> {
        let Compact { predicate, x } = request;
        let x = &x.try_elements()?[..];
        self.select_into(x, &Satisfying { predicate, x }, out.slice_mut())
    }
}

impl<F, X> Backend<CompactByFlags<&F, &X>> for Cpu
where
    F: AsElements<Element = bool> + ?Sized,
    X: AsElements + ?Sized,
{
    type Results = Vec<X::Element>;

    fn run(&self, CompactByFlags { flags, x }: CompactByFlags<&F, &X>) -> Result<Self::Results, Error> {
        let (flags, x) = both(flags.try_elements()?, x.try_elements()?)?;
        self.selected(&x, &Flagged { flags: &flags })
    }
}

impl<F, X, D> Backend<WriteTo<CompactByFlags<&F, &X>, &mut D>> for Cpu
where
    F: AsElements<Element = bool> + ?Sized,
    X: AsElements + ?Sized,
    D: AsSlice<Item = X::Element> + ?Sized,
{
    type Results = usize;

    fn run(&self, WriteTo { request, out }: WriteTo<CompactByFlags<&F, &X>, &mut D>) -> Result<usize, Error> {
        let (flags, x) = both(request.flags.try_elements()?, request.x.try_elements()?)?;
        self.select_into(&x, &Flagged { flags: &flags }, out.slice_mut())
    }
}

impl<X: AsElements<Element: PartialEq> + ?Sized> Backend<Unique<&X>> for Cpu {
    type Results = Vec<X::Element>;

    fn run(&self, Unique { x }: Unique<&X>) -> Result<Self::Results, Error> {
        let x = &x.try_elements()?[..];
        self.selected(x, &Changes { x })
    }
}

impl<X, D> Backend<WriteTo<Unique<&X>, &mut D>> for Cpu
where
    X: AsElements<Element: PartialEq> + ?Sized,
    D: AsSlice<Item = X::Element> + ?Sized,
{
    type Results = usize;

    fn run(&self, WriteTo { request, out }: WriteTo<Unique<&X>, &mut D>) -> Result<usize, Error> {
        let x = &request.x.try_elements()?[..];
        self.select_into(x, &Changes { x }, out.slice_mut())
    }
}

impl<X: AsElements + ?Sized, P: Predicate<X::Element>> Backend<Partition<P, &X>> for Cpu {
    type Results = (Vec<X::Element>, usize);

    fn run(&self, Partition { predicate, x }: Partition<P, &X>) -> Result<Self::Results, Error> {
        let x = &x.try_elements()?[..];
        self.parted(x, &Satisfying { predicate, x })
    }
}

impl<X, P, D> Backend<WriteTo<Partition<P, &X>, &mut D>> for Cpu
where
    X: AsElements + ?Sized,
    P: Predicate<X::Element>,
    D: AsSlice<Item = X::Element> + ?Sized,
{
    type Results = usize;

    fn run(&self, WriteTo { request, out }: WriteTo<Partition<P, &X>, &mut D>) -> Result<usize, Error> {
        let Partition { predicate, x } = request;
        let x = &x.try_elements()?[..];
        let out = with_room(out.slice_mut(), x.len())?;
        self.part(x, &Satisfying { predicate, x }, out)
    }
}

impl<F, X> Backend<PartitionByFlags<&F, &X>> for Cpu
where
    F: AsElements<Element = bool> + ?Sized,
    X: AsElements + ?Sized,
{
    type Results = (Vec<X::Element>, usize);

    fn run(&self, PartitionByFlags { flags, x }: PartitionByFlags<&F, &X>) -> Result<Self::Results, Error> {
        let (flags, x) = both(flags.try_elements()?, x.try_elements()?)?;
        self.parted(&x, &Flagged { flags: &flags })
    }
}

impl Cpu {
    /// Returns the selected elements, then the others, and the number of the selected ones.
    fn parted<T: Element>(&self, x: &[T], selection: &impl Selection) -> Result<(Vec<T>, usize), Error> {
        let mut out = Unwritten::new(x.len())?;
        let count = self.part(x, selection, out.slots())?;
        // SAFETY: `part` has written a slot for each element.
        Ok((unsafe { out.written() }, count))
    }

    /// Writes the selected elements, then the others, to as many slots, and returns the number of the selected ones.
    fn part<T: Element, P: Slot<T>>(
        &self,
        x: &[T],
        selection: &impl Selection,
        slots: &mut [P],
    ) -> Result<usize, Error> {
        let counts = self.count_selected(x, selection)?;
        let count = counts.iter().sum();
        let (selected, rejected) = slots.split_at_mut(count);
        self.split(x, selection, &counts, selected, rejected)?;
        Ok(count)
    }

    /// Returns the selected elements.
    pub(super) fn selected<T: Element>(&self, x: &[T], selection: &impl Selection) -> Result<Vec<T>, Error> {
        if x.len() <= split::BLOCK {
            // SAFETY: `of_block` has written every slot.
            return Ok(unsafe { split::of_block(x, selection)?.written() });
        }
        let counts = self.count_selected(x, selection)?;
        let mut out = Unwritten::new(counts.iter().sum())?;
        self.split(x, selection, &counts, out.slots(), &mut [])?;
        // SAFETY: `split` has written every slot.
        Ok(unsafe { out.written() })
    }

    /// Writes the selected elements to the start of a slice, and returns their number.
    fn select_into<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
        out: &mut [T],
    ) -> Result<usize, Error> {
        let counts = self.count_selected(x, selection)?;
        let out = with_room(out, counts.iter().sum())?;
        self.split(x, selection, &counts, out, &mut [])?;
        Ok(out.len())
    }
}

/// Returns the first `needed` elements of a slice, if it has that many.
fn with_room<T>(out: &mut [T], needed: usize) -> Result<&mut [T], Error> {
    let room = out.len();
    out.get_mut(..needed).ok_or(Error::Room { needed, room })
}
