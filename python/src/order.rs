//! Sorts, first elements and quantiles along an axis.

use bytemuck::{cast_slice, cast_slice_mut};
use pyo3::prelude::*;
use warpfold::{Cpu, Error, Interpolation, Order, rows};

use crate::array::{Array, Integers};
use crate::axes::from_first;
use crate::dispatch::{Number, OfType, Quantile, of_type};
use crate::failure::{raise, value_error};
use crate::library::{Given, Library};
use crate::results::{Results, Values};
use crate::threads::cpu;

/// What is done with each row.
#[derive(Clone, Copy)]
pub(crate) enum Verb<'a> {
    Sort(Order),
    Argsort(Order),
    First(usize, Order),
    Quantiles(&'a [f64], Interpolation),
}

/// An array whose last axis has the elements of one result, and where that axis is in the caller's.
pub(crate) struct Rows<'py> {
    pub(crate) x: Array<'py>,
    pub(crate) shape: [usize; 2],
    axis: usize,
    /// The number of dimensions of the caller's array.
    dimensions: usize,
}

impl<'py> Rows<'py> {
    /// Looks at `x` along an axis, or at all elements in row-major order. Rows that are apart are copied together by its library.
    fn new(x: &Bound<'py, PyAny>, axis: Option<isize>) -> PyResult<Self> {
        Self::of(&Given::new(x)?, axis)
    }

    /// Looks at an array of a library.
    pub(crate) fn of(given: &Given<'py>, axis: Option<isize>) -> PyResult<Self> {
        let mut x = Array::of(given, Integers::Wide)?;
        let dimensions = x.shape.len();
        let axis_of = |axis| from_first(given.x.py(), axis, dimensions);
        let at = axis.map_or(Ok(0), axis_of)?;
        let is_last = axis.is_none() || at + 1 == dimensions;
        if !is_last {
            x = Array::contiguous(&moved(given, at, -1)?, Integers::Wide)?;
        } else if !x.is_contiguous() {
            x = Array::of(&given.contiguous()?, Integers::Wide)?;
        }
        if axis.is_none() {
            (x.shape, x.strides) = (vec![x.len()], vec![1]);
        }
        let axis = at;
        let len = x.shape.last().copied().unwrap_or(1);
        let shape = [x.shape.iter().rev().skip(1).product(), len];
        Ok(Self { x, shape, axis, dimensions })
    }

    /// Runs a verb on each row.
    fn run(&self, py: Python<'py>, verb: Verb<'_>) -> PyResult<[Option<Results<'py>>; 2]> {
        of_type(self.x.kind, Run { py, rows: self, verb })
    }

    /// Gives an array of results, which has `len` of each row, its axes in the caller's order.
    pub(crate) fn present(&self, results: Results<'py>, len: usize) -> PyResult<Bound<'py, PyAny>> {
        let mut shape = self.x.shape.clone();
        if let Some(last) = shape.last_mut() {
            *last = len;
        }
        let results = results.array(self.x.py(), &shape)?;
        if self.axis + 1 == shape.len() {
            return Ok(results);
        }
        Ok(moved(&Given { x: results, library: self.x.library.clone() }, -1, self.axis)?.x)
    }
}

/// Moves an axis: `from` or `to` may be -1, the last.
pub(crate) fn moved<'py>(
    x: &Given<'py>,
    from: impl IntoPyObject<'py>,
    to: impl IntoPyObject<'py>,
) -> PyResult<Given<'py>> {
    let moved = x.library.call(x.x.py(), "moveaxis", (&x.x, from, to))?;
    Ok(Given { x: moved, ..x.clone() })
}

struct Run<'a, 'py> {
    py: Python<'py>,
    rows: &'a Rows<'py>,
    verb: Verb<'a>,
}

impl<'py> OfType for Run<'_, 'py> {
    type Answer = [Option<Results<'py>>; 2];

    fn call<T: Number>(self) -> PyResult<Self::Answer>
    where
        Values: From<Vec<T>>,
    {
        let Self { py, rows: Rows { x, shape, .. }, verb } = self;
        if let Some(gpu) = x.gpu() {
            return gpu.rows::<T>(x, *shape, verb);
        }
        let x = x.elements::<T>()?;
        let results = py.detach(|| apply(&cpu(), x, *shape, verb)).map_err(raise(py))?;
        Ok(results.map(|results| results.map(Results::Host)))
    }
}

/// Runs a verb on the rows of a matrix.
fn apply<T: Number>(
    cpu: &Cpu,
    x: &[T],
    shape: [usize; 2],
    verb: Verb<'_>,
) -> Result<[Option<Values>; 2], Error>
where
    Values: From<Vec<T>>,
{
    let keys = cast_slice::<T, T::Key>(x);
    Ok(match verb {
        Verb::Sort(order) => {
            let mut sorted = room(x.len())?;
            sorted.extend(x);
            cpu.sort(rows(cast_slice_mut::<T, T::Key>(&mut sorted), shape), order)?;
            [Some(sorted.into()), None]
        }
        Verb::Argsort(order) => [Some(indices(cpu.argsort(rows(keys, shape), order)?.into_iter())?), None],
        Verb::First(k, order) => {
            let first = match order {
                Order::Descending => cpu.top_k(rows(keys, shape), k)?,
                Order::Ascending => cpu.bottom_k(rows(keys, shape), k)?,
            };
            let mut values = room(first.len())?;
            values.extend(first.iter().map(|at| bytemuck::must_cast::<T::Key, T>(at.value)));
            [Some(values.into()), Some(indices(first.into_iter().map(|at| at.index as usize))?)]
        }
        Verb::Quantiles(qs, how) => {
            let quantiles = cpu.quantiles(rows(x, shape), qs, how)?;
            [Some(Quantile::values(quantiles)), None]
        }
    })
}

/// Returns room for some results.
fn room<V>(results: usize) -> Result<Vec<V>, Error> {
    let mut room = Vec::new();
    room.try_reserve_exact(results).map_err(|_| Error::TooManyResults { results })?;
    Ok(room)
}

/// Returns indices as NumPy has them.
fn indices(found: impl ExactSizeIterator<Item = usize>) -> Result<Values, Error> {
    let mut indices = room(found.len())?;
    indices.extend(found.map(|index| index as i64));
    Ok(indices.into())
}

fn one(results: [Option<Results<'_>>; 2]) -> PyResult<Results<'_>> {
    let [results, _] = results;
    results.ok_or_else(|| value_error("there is no result"))
}

fn order(descending: bool) -> Order {
    if descending { Order::Descending } else { Order::Ascending }
}

/// Sorts along an axis.
#[pyfunction]
pub(crate) fn sort<'py>(
    x: &Bound<'py, PyAny>,
    axis: Option<isize>,
    descending: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, rows) = (x.py(), Rows::new(x, axis)?);
    let sorted = one(rows.run(py, Verb::Sort(order(descending)))?)?;
    rows.x.restored(rows.present(sorted, rows.shape[1])?)
}

/// Returns the indices that sort along an axis.
#[pyfunction]
pub(crate) fn argsort<'py>(
    x: &Bound<'py, PyAny>,
    axis: Option<isize>,
    descending: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, rows) = (x.py(), Rows::new(x, axis)?);
    let indices = one(rows.run(py, Verb::Argsort(order(descending)))?)?;
    rows.present(indices, rows.shape[1])
}

/// Returns the first `k` elements along an axis, and their indices.
#[pyfunction]
pub(crate) fn topk<'py>(
    x: &Bound<'py, PyAny>,
    k: usize,
    axis: Option<isize>,
    largest: bool,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (py, rows) = (x.py(), Rows::new(x, axis)?);
    match rows.run(py, Verb::First(k, order(largest)))? {
        [Some(values), Some(indices)] => {
            Ok((rows.x.restored(rows.present(values, k)?)?, rows.present(indices, k)?))
        }
        _ => Err(value_error("there is no result")),
    }
}

/// Returns the quantiles `qs`, in an array of a shape, along an axis: an array of the shape of `qs`, then of `x` without the axis.
#[pyfunction]
pub(crate) fn quantile<'py>(
    x: &Bound<'py, PyAny>,
    qs: (Vec<f64>, Vec<usize>),
    axis: Option<isize>,
    keepdims: bool,
    method: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let how = match method {
        "linear" => Interpolation::Linear,
        "lower" => Interpolation::Lower,
        "higher" => Interpolation::Higher,
        "nearest" => Interpolation::Nearest,
        "midpoint" => Interpolation::Midpoint,
        _ => {
            return Err(value_error(format!(
                "no method `{method}`: there are linear, lower, higher, nearest and midpoint"
            )));
        }
    };
    let (py, (qs, mut shape)) = (x.py(), qs);
    let rows = Rows::new(x, axis)?;
    let dimensions = rows.dimensions;
    let quantiles = one(rows.run(py, Verb::Quantiles(&qs, how))?)?;
    let mut kept = rows.x.shape.clone();
    kept.pop();
    let found = quantiles.array(py, &[rows.shape[0], qs.len()])?;
    let found = moved(&Given { x: found, library: rows.x.library.clone() }, -1, 0)?;
    if keepdims {
        match axis {
            None => kept = vec![1; dimensions],
            Some(_) => kept.insert(rows.axis, 1),
        }
    }
    shape.extend(kept);
    let is_scalar = shape.is_empty();
    let found = found.by("reshape", shape)?;
    match found.library {
        Library::Numpy if is_scalar => found.x.get_item(()),
        _ => Ok(found.x),
    }
}
