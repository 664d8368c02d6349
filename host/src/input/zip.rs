//! Two arrays side by side.

/// The pairs of two arrays: see [`zip`].
#[derive(Clone, Copy, Debug)]
pub struct Zip<X, Y> {
    pub(crate) x: X,
    pub(crate) y: Y,
}

/// Returns an input of the pairs `[x[i], y[i]]` of two arrays of equal length and element type, for operators over
/// pairs, such as dot products. The result has the bits of a reduction of an array of the pairs. A pair with a
/// [missing](crate::Elements) element, such as a null of Arrow, is left out. Nothing is copied if no element is missing.
///
/// # Errors
/// A reduction fails with [`Error::Lengths`](crate::Error::Lengths) if their lengths differ.
///
/// ```
/// use warpfold::{Cpu, Dot, WeightedMean, zip};
///
/// let (cpu, x, y) = (Cpu::new(), [1.0f32, 2.0, 3.0], [4.0f32, 5.0, 6.0]);
/// assert_eq!(cpu.reduce(Dot, zip(&x, &y))?, 32.0);
/// assert_eq!(cpu.reduce(WeightedMean, zip(&x, &[1.0, 0.0, 1.0]))?, Some(2.0));
/// assert!(cpu.reduce(Dot, zip(&x, &y[1..])).is_err());
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn zip<X, Y>(x: X, y: Y) -> Zip<X, Y> {
    Zip { x, y }
}
