//! Histograms, and counts of integers.

use pyo3::prelude::*;
use warpfold::{Bins, Error};

use crate::array::{Array, Integers, ndarray};
use crate::dispatch::Kind;
use crate::failure::{raise, type_error};
use crate::parts::integers;
use crate::results::Values;
use crate::threads::cpu;

/// Where the edges of bins come from.
enum Edges<'py> {
    /// An array of the elements' type.
    Given(Array<'py>),
    /// A number of even bins from the first number to the second.
    Even(usize, [Bound<'py, PyAny>; 2]),
}

/// The counts, the edges, and how many elements are below, above and NaN.
type Found<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, [u64; 3]);

/// Counts in bins between edges, or in even ones in a range.
#[pyfunction]
pub(crate) fn histogram<'py>(
    x: &Bound<'py, PyAny>,
    bins: &Bound<'py, PyAny>,
    range: Option<[Bound<'py, PyAny>; 2]>,
) -> PyResult<Found<'py>> {
    let py = x.py();
    let x = Array::contiguous(x, Integers::Wide)?;
    let edges = match range {
        Some(range) => Edges::Even(bins.extract()?, range),
        None => {
            let edges = ndarray(bins)?;
            let edges = match x.kind {
                Kind::F32 => edges.call_method1("astype", ("float32",))?,
                Kind::F64 => edges.call_method1("astype", ("float64",))?,
                _ => edges,
            };
            Edges::Given(Array::flat(&edges, "bins", Integers::Wide)?)
        }
    };
    macro_rules! counted {
        ($T:ty) => {{
            let bins = match &edges {
                Edges::Even(bins, [low, high]) => Bins::<$T>::even(low.extract()?..=high.extract()?, *bins),
                Edges::Given(edges) if edges.kind == x.kind => Bins::from_edges(edges.elements::<$T>()?),
                Edges::Given(_) => return Err(type_error("edges of integers must be integers")),
            };
            let (bins, elements) = (bins.map_err(raise(py))?, x.elements::<$T>()?);
            let found = py.detach(|| cpu().histogram(&bins, elements)).map_err(raise(py))?;
            let edges: Values = bins.edges().to_vec().into();
            (found.counts, edges, bins.len(), [found.below, found.above, found.nan])
        }};
    }
    let (counts, edges, len, outside) = match x.kind {
        Kind::F32 => counted!(f32),
        Kind::F64 => counted!(f64),
        Kind::I64 => counted!(i64),
        Kind::I32 | Kind::U8 => return Err(type_error("integers here have 64 bits")),
    };
    Ok((signed(counts).array(py, &[len])?, edges.array(py, &[len + 1])?, outside))
}

/// Counts each of the integers 0 to `groups` - 1; others are an error.
#[pyfunction]
pub(crate) fn bincount<'py>(ids: &Bound<'py, PyAny>, groups: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = ids.py();
    let ids = integers(ids, "ids")?;
    let ids = ids.elements::<i64>()?;
    let Some(last) = i64::try_from(groups).unwrap_or(i64::MAX).checked_sub(1).filter(|&last| last >= 0)
    else {
        let first = ids.first().map(|&group| Error::Group { at: 0, group: group.into(), groups });
        return first
            .map_or_else(|| Values::from(Vec::<i64>::new()).array(py, &[0]), |error| Err(raise(py)(error)));
    };
    let run = || {
        let found = cpu().histogram(&Bins::integers(0..=last)?, ids)?;
        if found.below + found.above == 0 {
            return Ok(found.counts);
        }
        let outside = ids.iter().enumerate().find(|&(_, id)| !(0..=last).contains(id));
        let (at, &group) = outside.unwrap_or((0, &-1));
        Err(Error::Group { at, group: group.into(), groups })
    };
    let counts = py.detach(run).map_err(raise(py))?;
    signed(counts).array(py, &[groups])
}

/// Returns counts as NumPy has them.
fn signed(counts: Vec<u64>) -> Values {
    counts.into_iter().map(u64::cast_signed).collect::<Vec<_>>().into()
}
