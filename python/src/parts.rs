//! Reductions of segments and of groups.

use pyo3::prelude::*;
use warpfold::kernels::RowsKernel;
use warpfold::{Op, groups, segments};

use crate::array::{Array, Integers};
use crate::dispatch::{Kind, Number, OfOperator, of_parts};
use crate::failure::{raise, type_error};
use crate::library::{Given, Library};
use crate::reduce::{missing, together};
use crate::results::{Outcome, Results};
use crate::threads::cpu;
use crate::unfinished::{Finish, Unfinished};

/// A reduction of parts.
struct OfParts<'a, 'py> {
    op: &'a str,
    x: &'a Array<'py>,
    /// The offsets of segments, or the ids of groups, whose number is `count`.
    of: &'a Array<'py>,
    count: Option<usize>,
}

impl<'py> OfOperator for OfParts<'_, 'py> {
    type Answer = Results<'py>;

    fn call<T, F, E>(self) -> PyResult<Results<'py>>
    where
        T: Number,
        F: Op<T> + Default,
        E: RowsKernel<T> + Op<T, Acc = F::Acc, Out: Outcome> + Default,
    {
        let Self { op, x, of, count } = self;
        if let Some(gpu) = x.gpu() {
            return gpu.parts::<T, E>(x, of, count);
        }
        let (py, x, of) = (x.py(), x.elements::<T>()?, of.elements::<i64>()?);
        let run = || {
            let op = Unfinished::<F>::default();
            Finish::<T, E>::all(match count {
                None => cpu().reduce(op, segments(x, of))?,
                Some(count) => cpu().reduce(op, groups(of, x, count))?,
            })
        };
        Ok(E::Out::values(py.detach(run).map_err(raise(py))?, missing(op))?.into())
    }
}

/// Looks at offsets or ids, one dimension of integers. Others than i64 are copied.
pub(crate) fn integers<'py>(x: &Bound<'py, PyAny>, name: &str) -> PyResult<Array<'py>> {
    let given = Given::new(x)?;
    // NumPy's integers of 64 bits without a sign become those with one.
    let array = Array::flat(&given, name, Integers::Wide).or_else(|error| match &given.library {
        Library::Numpy if given.x.getattr("dtype")?.getattr("kind")?.eq("u")? => {
            Array::flat(&given.of_type("int64")?, name, Integers::Wide)
        }
        _ => Err(error),
    })?;
    // A list of nothing is of floats there.
    let array =
        if array.len() == 0 { Array::flat(&given.of_type("int64")?, name, Integers::Wide)? } else { array };
    let is_bool =
        || array.was.as_ref().map_or(Ok(false), |was| Ok::<_, PyErr>(was.str()?.to_str()?.ends_with("bool")));
    if array.kind != Kind::I64 || is_bool()? {
        let dtype = given.x.getattr("dtype")?;
        return Err(type_error(format!("`{name}` has elements of {dtype}: they must be integers")));
    }
    Ok(array)
}

fn reduced<'py>(
    op: &str,
    x: &Bound<'py, PyAny>,
    of: (&Bound<'py, PyAny>, &str),
    count: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let (x, name) = (Array::flat(&Given::new(x)?, "x", Integers::Wide)?, of.1);
    let of = integers(of.0, name)?;
    together(&x, &of, name)?;
    let results = of_parts(op, x.kind, OfParts { op, x: &x, of: &of, count })?;
    let results = results.array(py, &[count.unwrap_or_else(|| of.len().saturating_sub(1))])?;
    if let "minimum" | "maximum" = op { x.restored(results) } else { Ok(results) }
}

/// Reduces each segment.
#[pyfunction]
pub(crate) fn segment_reduce<'py>(
    op: &str,
    x: &Bound<'py, PyAny>,
    offsets: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    reduced(op, x, (offsets, "offsets"), None)
}

/// Reduces each group.
#[pyfunction]
pub(crate) fn group_reduce<'py>(
    op: &str,
    ids: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    groups: usize,
) -> PyResult<Bound<'py, PyAny>> {
    reduced(op, x, (ids, "ids"), Some(groups))
}
