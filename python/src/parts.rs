//! Reductions of segments and of groups.

use pyo3::prelude::*;
use warpfold::{Op, groups, segments};

use crate::array::{Array, Integers, ndarray};
use crate::dispatch::{Number, OfOperator, of_parts};
use crate::failure::{raise, type_error};
use crate::reduce::missing;
use crate::results::{Outcome, Values};
use crate::threads::cpu;
use crate::unfinished::{Finish, Unfinished};

/// How elements are divided.
#[derive(Clone, Copy)]
enum Parts<'a> {
    Segments(&'a [i64]),
    Groups(&'a [i64], usize),
}

/// A reduction of parts.
struct OfParts<'a, 'py> {
    py: Python<'py>,
    op: &'a str,
    x: &'a Array<'py>,
    parts: Parts<'a>,
}

impl OfOperator for OfParts<'_, '_> {
    fn call<T, F, E>(self) -> PyResult<Values>
    where
        T: Number,
        F: Op<T> + Default,
        E: Op<T, Acc = F::Acc, Out: Outcome> + Default,
    {
        let Self { py, op, x, parts } = self;
        let x = x.elements::<T>()?;
        let run = || {
            let op = Unfinished::<F>::default();
            Finish::<T, E>::all(match parts {
                Parts::Segments(offsets) => cpu().reduce(op, segments(x, offsets))?,
                Parts::Groups(ids, count) => cpu().reduce(op, groups(ids, x, count))?,
            })
        };
        E::Out::values(py.detach(run).map_err(raise(py))?, missing(op))
    }
}

/// Looks at offsets or ids, one dimension of integers. Others than i64 are copied.
pub(crate) fn integers<'py>(x: &Bound<'py, PyAny>, name: &str) -> PyResult<Array<'py>> {
    let x = ndarray(x)?;
    let kind: String = x.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = x.len()? == 0;
    if !is_empty && kind != "i" && kind != "u" {
        return Err(type_error(format!(
            "`{name}` has elements of {}: they must be integers",
            x.getattr("dtype")?
        )));
    }
    let x = if kind == "u" || is_empty { x.call_method1("astype", ("int64",))? } else { x };
    Array::flat(&x, name, Integers::Wide)
}

fn reduced<'py>(py: Python<'py>, op: &str, x: &Array<'py>, parts: Parts<'_>) -> PyResult<Bound<'py, PyAny>> {
    let count = match parts {
        Parts::Segments(offsets) => offsets.len().saturating_sub(1),
        Parts::Groups(_, count) => count,
    };
    let results = of_parts(op, x.kind, OfParts { py, op, x, parts })?.array(py, &[count])?;
    if let "minimum" | "maximum" = op { x.restored(results) } else { Ok(results) }
}

/// Reduces each segment.
#[pyfunction]
pub(crate) fn segment_reduce<'py>(
    op: &str,
    x: &Bound<'py, PyAny>,
    offsets: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let (x, offsets) = (Array::flat(x, "x", Integers::Wide)?, integers(offsets, "offsets")?);
    reduced(py, op, &x, Parts::Segments(offsets.elements()?))
}

/// Reduces each group.
#[pyfunction]
pub(crate) fn group_reduce<'py>(
    op: &str,
    ids: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    groups: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let (x, ids) = (Array::flat(x, "x", Integers::Wide)?, integers(ids, "ids")?);
    reduced(py, op, &x, Parts::Groups(ids.elements()?, groups))
}
