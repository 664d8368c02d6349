//! What the CPU takes the exponentials, the softmax and the norms of: arrays in host memory, and their parts.

use gpu_kernels::FloatElement;

use super::maps::Map;
use crate::arrays::{AsElements, AsSlice};
use crate::cpu::Cpu;
use crate::cpu::batch::{Chunks, Segments, Strided, chunked, rows_of};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{self, Along, Columns, Rows};
use crate::memory;
use crate::verb::{Backend, MapRows, SumExp, WriteTo};
use crate::view::View;

/// Why an array with missing elements is refused.
pub(super) const MISSING: &str = "each element has a place in its row or column: pass an array without nulls";

/// The type in which the exponentials of an array are returned.
type CarrierOf<X> = <<X as AsElements>::Element as FloatElement>::Carrier;

impl<X: AsElements<Element: FloatElement> + ?Sized> Backend<SumExp<&X>> for Cpu {
    type Results = CarrierOf<X>;

    fn run(&self, SumExp { input, result }: SumExp<&X>) -> Result<Self::Results, Error> {
        let x = input.try_elements()?;
        self.sums_exp(&Chunks { x: &x, count: 1, len: x.len() }, result)?.pop().ok_or(Error::NoElements)
    }
}

impl<X: AsElements<Element: FloatElement> + ?Sized> Backend<SumExp<Rows<&X>>> for Cpu {
    type Results = Vec<CarrierOf<X>>;

    fn run(&self, SumExp { input, result }: SumExp<Rows<&X>>) -> Result<Self::Results, Error> {
        let x = input.x.try_elements()?;
        match x.gaps()? {
            None => self.sums_exp(&rows_of(&x, input.shape)?, result),
            Some(gaps) => self.sums_exp(&Segments::by_threads(self, &x, &gaps.rows(input.shape)?)?, result),
        }
    }
}

impl<X: AsElements<Element: FloatElement> + ?Sized> Backend<SumExp<Columns<&X>>> for Cpu {
    type Results = Vec<CarrierOf<X>>;

    fn run(&self, SumExp { input, result }: SumExp<Columns<&X>>) -> Result<Self::Results, Error> {
        let x = input.x.try_elements()?;
        let view = View::new(x.whole(MISSING)?, &input.shape)?;
        self.sums_exp(&Strided::new(&view, &[0])?, result)
    }
}

impl<X: AsElements<Element: FloatElement> + ?Sized> Backend<SumExp<input::Chunks<&X>>> for Cpu {
    type Results = Vec<CarrierOf<X>>;

    fn run(&self, SumExp { input, result }: SumExp<input::Chunks<&X>>) -> Result<Self::Results, Error> {
        let x = input.x.try_elements()?;
        if let Some(gaps) = x.gaps()? {
            return self.sums_exp(&Segments::by_threads(self, &x, &gaps.chunks(input.len)?)?, result);
        }
        let (chunks, rest) = chunked(&x, input.len)?;
        let mut outs = self.sums_exp(&chunks, result)?;
        if !rest.is_empty() {
            memory::push(&mut outs, self.run(SumExp { input: rest, result })?)?;
        }
        Ok(outs)
    }
}

impl<X, I> Backend<SumExp<input::Segments<&X, &I>>> for Cpu
where
    X: AsElements<Element: FloatElement> + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
{
    type Results = Vec<CarrierOf<X>>;

    fn run(&self, SumExp { input, result }: SumExp<input::Segments<&X, &I>>) -> Result<Self::Results, Error> {
        let (x, offsets) = (input.x.try_elements()?, input.offsets.try_elements()?);
        let offsets = offsets.as_offsets()?;
        match x.gaps()? {
            None => self.sums_exp(&Segments::by_threads(self, &x, offsets)?, result),
            Some(gaps) => self.sums_exp(&Segments::by_threads(self, &x, &gaps.segments(offsets)?)?, result),
        }
    }
}

impl<T: FloatElement> Backend<SumExp<Along<'_, View<&[T]>>>> for Cpu {
    type Results = Vec<T::Carrier>;

    fn run(&self, SumExp { input, result }: SumExp<Along<'_, View<&[T]>>>) -> Result<Self::Results, Error> {
        self.sums_exp(&Strided::new(&input.view, input.axes)?, result)
    }
}

impl<X: AsElements<Element: FloatElement> + ?Sized, M: Map<X::Element>> Backend<MapRows<M, Rows<&X>>>
    for Cpu
{
    type Results = Vec<X::Element>;

    fn run(&self, MapRows { map, input }: MapRows<M, Rows<&X>>) -> Result<Self::Results, Error> {
        let x = input.x.try_elements()?;
        self.map_rows(map, &rows_of(x.whole(MISSING)?, input.shape)?)
    }
}

impl<X, M, D> Backend<WriteTo<MapRows<M, Rows<&X>>, &mut D>> for Cpu
where
    X: AsElements<Element: FloatElement> + ?Sized,
    M: Map<X::Element>,
    D: AsSlice<Item = X::Element> + ?Sized,
{
    type Results = ();

    fn run(&self, WriteTo { request, out }: WriteTo<MapRows<M, Rows<&X>>, &mut D>) -> Result<(), Error> {
        let MapRows { map, input } = request;
        let x = input.x.try_elements()?;
        self.map_rows_to(map, &rows_of(x.whole(MISSING)?, input.shape)?, out.slice_mut())
    }
}

impl<X, M> Backend<MapRows<M, Rows<&mut X>>> for Cpu
where
    X: AsSlice<Item: FloatElement> + ?Sized,
    M: Map<X::Item>,
{
    type Results = ();

    fn run(&self, MapRows { map, input }: MapRows<M, Rows<&mut X>>) -> Result<(), Error> {
        self.map_rows_in_place(map, input.x.slice_mut(), input.shape)
    }
}

impl<T: FloatElement, M: Map<T>> Backend<MapRows<M, Along<'_, View<&[T]>>>> for Cpu {
    type Results = Vec<T>;

    fn run(&self, MapRows { map, input }: MapRows<M, Along<'_, View<&[T]>>>) -> Result<Vec<T>, Error> {
        self.map_rows(map, &Strided::new(&input.view, input.axes)?)
    }
}

impl<T, M, D> Backend<WriteTo<MapRows<M, Along<'_, View<&[T]>>>, &mut D>> for Cpu
where
    T: FloatElement,
    M: Map<T>,
    D: AsSlice<Item = T> + ?Sized,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<MapRows<M, Along<'_, View<&[T]>>>, &mut D>,
    ) -> Result<(), Error> {
        let MapRows { map, input } = request;
        self.map_rows_to(map, &Strided::new(&input.view, input.axes)?, out.slice_mut())
    }
}
