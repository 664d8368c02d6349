//! Windows of one length, which may overlap.

use crate::error::Error;

/// Windows of an array: see [`windows`].
#[derive(Clone, Copy, Debug)]
pub struct Windows<X> {
    pub(crate) x: X,
    pub(crate) len: usize,
    pub(crate) step: usize,
}

/// Returns an input of all windows of `len` neighbouring elements, as [`slice::windows`] does: window `i` begins at element `i`, and there is
/// no window if `x` has fewer than `len` elements. [`step`](Windows::step) leaves windows out. A window's result has the bits of a reduction
/// of that window alone, and an index in it counts from the window's first element.
///
/// The CPU takes back what leaves a window of an exact operator (`ExactSum`, `ExactMean`, `ExactVariance`, `ExactDot`,
/// [`ExactCorrelation`](crate::ExactCorrelation), ..), so that its time does not depend on `len`. Of other operators it folds what windows
/// share once. For windows of `n` elements that is about `2 log2(n)` combinations each, and 3 for an
/// [associative](crate::Op::ASSOCIATIVE) operator over long windows. It folds each window by itself if
/// - that takes fewer combinations, as with a long step;
/// - the operator reads [indices](crate::Op::NEEDS_INDEX);
/// - the operator neither commutes nor is associative;
/// - an accumulator has more than 64 bytes.
///
/// A GPU folds each window by itself.
///
/// # Errors
/// A reduction fails with [`Error::Window`] if `len` or the step is 0, with [`Error::Missing`] if an element is missing, and with
/// [`Error::TooManyResults`] if there is no memory for the results.
///
/// ```
/// use warpfold::{Cpu, Max, Mean, windows};
///
/// let (cpu, x) = (Cpu::new(), [1.0f64, 5.0, 3.0, 3.0, 0.0]);
/// assert_eq!(cpu.reduce(Mean, windows(&x, 3))?, [3.0, 11.0 / 3.0, 2.0].map(Some));
/// assert_eq!(cpu.reduce(Max, windows(&x, 2).step(3))?, [5.0, 3.0].map(Some));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn windows<X>(x: X, len: usize) -> Windows<X> {
    Windows { x, len, step: 1 }
}

impl<X> Windows<X> {
    /// Sets the distance between the first elements of neighbouring windows, 1 by default. With the windows' length, they are
    /// [chunks](crate::chunks) without a shorter last one.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, windows};
    ///
    /// assert_eq!(Cpu::new().reduce(Sum, windows(&[1i32, 2, 3, 4, 5], 2).step(2))?, [3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn step(self, step: usize) -> Self {
        Self { step, ..self }
    }

    /// Returns the number of windows in an array of `all` elements.
    ///
    /// # Errors
    /// [`Error::Window`].
    pub(crate) fn count(&self, all: usize) -> Result<usize, Error> {
        if self.len == 0 || self.step == 0 {
            return Err(Error::Window { len: self.len, step: self.step });
        }
        Ok(all.checked_sub(self.len).map_or(0, |behind| behind / self.step + 1))
    }
}
