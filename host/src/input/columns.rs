//! Columns of a matrix.

use crate::plan::columns::ColumnsPlan;

/// The columns of a matrix: see [`columns`].
#[derive(Clone, Copy, Debug)]
pub struct Columns<X> {
    pub(crate) x: X,
    pub(crate) shape: [usize; 2],
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "the CPU follows none"))]
    pub(crate) plan: Option<ColumnsPlan>,
}

/// Returns an input of each column of a row-major matrix of `[rows, columns]`. A column's result has the bits of a
/// reduction of that column alone, from the first row to the last; an index in it counts rows. The shape counts
/// [missing](crate::Elements) elements, such as nulls of Arrow; a column is reduced without them, and an index in its result
/// counts rows without them.
///
/// On a GPU reads are fastest if the matrix is aligned to 16 bytes and the size of a row is a multiple of 16 bytes.
///
/// # Errors
/// As of [`rows`](crate::rows()).
///
/// ```
/// use warpfold::{Cpu, Sum, columns};
///
/// let x = [1.0, 2.0, 4.0, 0.5, 0.25, 0.125];
/// assert_eq!(Cpu::new().reduce(Sum, columns(&x, [2, 3]))?, [1.5, 2.25, 4.125]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn columns<X>(x: X, shape: [usize; 2]) -> Columns<X> {
    Columns { x, shape, plan: None }
}

impl<X> Columns<X> {
    /// Sets the plan of a reduction on a device. A plan changes the time, but never a result. A plan for other columns is
    /// refused with [`Error::Plan`](crate::Error::Plan).
    ///
    /// ```
    /// use warpfold::plans::ColumnsPlan;
    /// use warpfold::{Cpu, Sum, columns};
    ///
    /// let x = [1.0f32, 2.0, 4.0, 8.0];
    /// let planned = columns(&x, [2, 2]).with_plan(ColumnsPlan::new(16, 1));
    /// assert_eq!(Cpu::new().reduce(Sum, planned)?, [5.0, 10.0]); // The CPU follows no plan.
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_plan(self, plan: ColumnsPlan) -> Self {
        Self { plan: Some(plan), ..self }
    }
}
