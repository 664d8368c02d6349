//! Inputs of reductions: one array, two arrays side by side, or the parts of one array.
//!
//! An input is a value that says where the elements are and how they are divided. A backend's `reduce` takes any input, and
//! checks it.

mod after;
mod along;
mod chunks;
mod columns;
mod flat;
mod groups;
mod rows;
mod runs;
mod scan;
mod segments;
mod zip;

pub use after::{AfterElement, AfterFold, after_element, after_fold};
pub use along::{Along, along};
pub use chunks::{Chunks, chunks};
pub use columns::{Columns, columns};
pub(crate) use groups::at_position;
pub use groups::{Groups, groups};
pub use rows::{Rows, rows};
pub use runs::{Runs, runs};
pub use scan::{ScanInPlace, ScanInput};
pub use segments::{Segments, segments};
pub use zip::{Zip, zip};

use crate::{Auto, Cpu, Error};

/// Inputs in host memory that operator `O` can reduce: `&x` of any [`AsElements`](crate::AsElements), and the values of the
/// functions in the table.
///
/// | input | results | |
/// |---|---|---|
/// | `&x` | one | all elements |
/// | [`zip(&x, &y)`](zip) | one | pairs of two arrays |
/// | [`rows(&x, [r, c])`](rows) | `Vec` | each row of a matrix |
/// | [`columns(&x, [r, c])`](columns) | `Vec` | each column of a matrix |
/// | [`chunks(&x, len)`](chunks) | `Vec` | chunks of one length |
/// | [`segments(&x, &offsets)`](segments) | `Vec` | segments of any lengths |
/// | [`groups(&ids, &x, count)`](groups) | `Vec` | elements by group |
/// | [`runs(&keys, &x)`](runs) | two `Vec`s | runs of equal keys |
/// | [`along(view, &[0, 2])`](along) | `Vec` | along axes of a [`View`](crate::View) |
/// | [`along(&array, &[1])`](along) | `ArrayD` | along axes of an array of ndarray |
/// | [`after_element(init, &x)`](after_element), [`after_fold(acc, len, &x)`](after_fold) | one | all elements, after an initial value |
///
/// `Cuda` (feature `cuda`) takes the same inputs in device memory, except those after an initial value: `DeviceInput`.
/// `Stream` takes these except `runs`: `StreamInput`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing in host memory that `{O}` can reduce",
    label = "not an input of `{O}`",
    note = "an array is passed as `&x`; the parts of one by `rows(&x, ..)`, `columns(..)`, `segments(..)` and their like",
    note = "an iterator is collected first: `let x: Vec<_> = iterator.collect()`",
    note = "`Op<T>` must be implemented for `{O}` and the elements; elements in device memory are reduced by `Cuda` or `Stream`"
)]
pub trait Input<O>: Sized {
    /// The results of a reduction: one, or one for each part.
    type Results;

    /// Reduces on the CPU. Backends call it.
    #[doc(hidden)]
    fn reduce_on_cpu(self, cpu: &Cpu, op: O) -> Result<Self::Results, Error>;

    /// Reduces on the faster backend. Backends call it.
    #[doc(hidden)]
    fn reduce_anywhere(self, auto: &Auto, op: O) -> Result<Self::Results, Error> {
        self.reduce_on_cpu(auto.cpu(), op)
    }
}
