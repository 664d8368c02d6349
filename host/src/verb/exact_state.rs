//! Exact states of arrays.

use std::marker::PhantomData;

/// Returns the exact state `S` of all elements of an array, or of all pairs of two: the state after a `push` of each. It can be merged
/// with a state that another machine made. `Cpu` and `Auto` run it, on all threads.
///
/// | input | states |
/// |---|---|
/// | `&x`, any [`AsElements`](crate::AsElements) | [`Sum`](crate::exact::Sum), [`Moments`](crate::exact::Moments) |
/// | [`zip(&x, &y)`](crate::zip()) | [`Dot`](crate::exact::Dot), [`Comoments`](crate::exact::Comoments) |
///
/// Missing elements are left out, and pairs with one.
///
/// # Errors
/// [`Error::Lengths`](crate::Error::Lengths) if two arrays differ in length; [`Error::FloatEnvironment`](crate::Error::FloatEnvironment)
/// and [`Error::TooManyResults`](crate::Error::TooManyResults) as for [`Reduce`](super::Reduce).
///
/// ```
/// use warpfold::exact::{Comoments, Sum};
/// use warpfold::{Cpu, zip};
///
/// let x: Vec<f64> = (0..1000).map(|i| 0.1 * f64::from(i)).collect();
/// let y: Vec<f64> = x.iter().map(|x| 3.0 - x).collect();
/// let cpu = Cpu::new();
/// // Merge, take back.
/// let mut sum: Sum<f64> = cpu.exact_state(&x[..600])?;
/// sum.merge(&cpu.exact_state(&x[600..])?);
/// sum.unmerge(&cpu.exact_state(&x[..10])?);
/// assert_eq!(sum, x[10..].iter().collect());
/// let line: Comoments<f64> = cpu.exact_state(zip(&x, &y))?;
/// assert_eq!(line.count(), 1000);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ExactState<S, I> {
    /// Where the elements are.
    pub input: I,
    /// The type of the state.
    pub state: PhantomData<S>,
}
