//! Rows of a matrix.

use crate::plan::rows::RowsPlan;

/// The rows of a matrix: see [`rows`].
#[derive(Clone, Copy, Debug)]
pub struct Rows<X> {
    pub(crate) x: X,
    pub(crate) shape: [usize; 2],
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "the CPU follows none"))]
    pub(crate) plan: Option<RowsPlan>,
}

/// Returns an input of each row of a row-major matrix of `[rows, columns]`. A row's result has the bits of a reduction
/// of that row alone, and an index in it counts from the row's first element. The shape counts
/// [missing](crate::Elements) elements, such as nulls of Arrow; a row is reduced without them.
///
/// On a GPU reads are fastest if the matrix is aligned to 16 bytes and the size of a row is a multiple of 16 bytes.
///
/// # Errors
/// A reduction fails with [`Error::Shape`](crate::Error::Shape) if rows times columns is not the number of elements, and with
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is no memory for the results.
///
/// ```
/// use warpfold::{ArgMin, Cpu, Sum, rows};
///
/// let x = [1.0, 2.0, 4.0, 0.5, 0.25, 0.125];
/// assert_eq!(Cpu::new().reduce(Sum, rows(&x, [2, 3]))?, [7.0, 0.875]);
/// let least = Cpu::new().reduce(ArgMin, rows(&x, [2, 3]))?;
/// assert_eq!(least.iter().flatten().map(|at| at.index).collect::<Vec<_>>(), [0, 2]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn rows<X>(x: X, shape: [usize; 2]) -> Rows<X> {
    Rows { x, shape, plan: None }
}

impl<X> Rows<X> {
    /// Sets the plan of a reduction on a device. A plan changes the time, but never a result. A plan for other rows is
    /// refused with [`Error::Plan`](crate::Error::Plan).
    ///
    /// ```
    /// use warpfold::plans::RowsPlan;
    /// use warpfold::{Cpu, Sum, rows};
    ///
    /// let x = [1.0f32, 2.0, 4.0, 8.0];
    /// let planned = rows(&x, [2, 2]).with_plan(RowsPlan::Lanes { threads: 256, blocks: 1 });
    /// assert_eq!(Cpu::new().reduce(Sum, planned)?, [3.0, 12.0]); // The CPU follows no plan.
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_plan(self, plan: RowsPlan) -> Self {
        Self { plan: Some(plan), ..self }
    }
}
