//! Histograms, and counts of integers.

use pyo3::prelude::*;
use warpfold::{Bins, Error};

use crate::array::{Array, Integers};
use crate::dispatch::Kind;
use crate::failure::{raise, type_error};
use crate::library::{Given, Library};
use crate::parts::integers;
use crate::reduce::reduce;
use crate::results::{Results, Values};
use crate::threads::cpu;

/// Where the edges of bins come from.
enum Edges<'py> {
    /// An array of the elements' type.
    Given(Array<'py>),
    /// A number of even bins from the first number to the second.
    Even(usize, [Bound<'py, PyAny>; 2]),
}

/// The counts, the edges, and how many elements are below, above and NaN.
type Found<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Counts in bins between edges, or in even ones in a range.
#[pyfunction]
pub(crate) fn histogram<'py>(
    x: &Bound<'py, PyAny>,
    bins: &Bound<'py, PyAny>,
    range: Option<[Bound<'py, PyAny>; 2]>,
) -> PyResult<Found<'py>> {
    let py = x.py();
    let x = Array::contiguous(&Given::new(x)?, Integers::Wide)?;
    let edges = match range {
        Some(range) => Edges::Even(bins.extract()?, range),
        None => {
            let edges = Given::new(bins)?;
            if let Library::Gpu(_) = edges.library {
                return Err(type_error("`bins` is on a GPU: copy the edges to host memory"));
            }
            let edges = match x.kind {
                Kind::F32 => edges.of_type("float32")?,
                Kind::F64 => edges.of_type("float64")?,
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
            let bins = bins.map_err(raise(py))?;
            let [counts, outside] = match x.gpu() {
                Some(gpu) => gpu.histogram::<$T>(&x, &bins)?,
                None => {
                    let elements = x.elements::<$T>()?;
                    let found = py.detach(|| cpu().histogram(&bins, elements)).map_err(raise(py))?;
                    [found.counts, [found.below, found.above, found.nan].into()]
                        .map(|counts| signed(counts).into())
                }
            };
            let edges: Values = bins.edges().to_vec().into();
            (counts, edges, bins.len(), outside)
        }};
    }
    let (counts, edges, len, outside): (Results<'_>, _, _, Results<'_>) = match x.kind {
        Kind::F32 => counted!(f32),
        Kind::F64 => counted!(f64),
        Kind::I64 => counted!(i64),
        Kind::I32 | Kind::U8 => return Err(type_error("integers here have 64 bits")),
    };
    let edges = edges.array(py, &[len + 1])?;
    let edges = match x.gpu() {
        Some(gpu) => gpu.library().call_method1("asarray", (edges,))?,
        None => edges,
    };
    let on_gpu = x.gpu().is_some();
    let outside = outside.array(py, &[3])?;
    let outside = if on_gpu { outside } else { outside.call_method0("tolist")? };
    Ok((counts.array(py, &[len])?, edges, outside))
}

/// Counts each of the integers 0 to the greatest, but at least `least` of them. A negative one is an error.
#[pyfunction]
pub(crate) fn bincount<'py>(ids: &Bound<'py, PyAny>, least: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = ids.py();
    let x = integers(ids, "ids")?;
    let negative = |at, id: i64, groups| raise(py)(Error::Group { at, group: id.into(), groups });
    let groups_to = |greatest: i64| least.max(usize::try_from(greatest.saturating_add(1)).unwrap_or(0));
    let bins = |groups: usize| Bins::integers(0..=groups as i64 - 1).map_err(raise(py));
    if let Some(gpu) = x.gpu() {
        gpu.refuses_recording("a count, whose length is that of the greatest integer")?;
        let of_all = |op| match x.len() {
            0 => Ok(0),
            _ => reduce(op, ids, None, false)?.call_method0("item")?.extract::<i64>(),
        };
        let (least, greatest) = (of_all("minimum")?, of_all("maximum")?);
        let groups = if x.len() == 0 { groups_to(-1) } else { groups_to(greatest) };
        if least < 0 {
            return Err(negative(usize::try_from(of_all("argmin")?).unwrap_or(0), least, groups));
        }
        return match groups {
            0 => gpu.library().call_method1("empty", (0, "int64")),
            _ => {
                let [counts, _] = gpu.histogram(&x, &bins(groups)?)?;
                counts.array(py, &[groups])
            }
        };
    }
    let ids = x.elements::<i64>()?;
    let groups = groups_to(py.detach(|| ids.iter().copied().max()).unwrap_or(-1));
    let bins = bins(groups.max(1))?;
    let mut found = py.detach(|| cpu().histogram(&bins, ids)).map_err(raise(py))?;
    if found.below > 0 {
        let (at, &id) = ids.iter().enumerate().find(|&(_, &id)| id < 0).unwrap_or((0, &-1));
        return Err(negative(at, id, groups));
    }
    found.counts.truncate(groups);
    signed(found.counts).array(py, &[groups])
}

/// Returns counts as NumPy has them.
fn signed(counts: Vec<u64>) -> Values {
    counts.into_iter().map(u64::cast_signed).collect::<Vec<_>>().into()
}
