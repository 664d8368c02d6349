//! Reductions with an initial value.

/// Elements after an initial element: see [`after_element`].
#[derive(Clone, Copy, Debug)]
pub struct AfterElement<T, X> {
    pub(crate) init: T,
    pub(crate) x: X,
}

/// Elements after others that are folded already: see [`after_fold`].
#[derive(Clone, Copy, Debug)]
pub struct AfterFold<A, X> {
    pub(crate) init: A,
    pub(crate) before: u64,
    pub(crate) x: X,
}

/// Returns an input of all elements of `x`, after an initial element. The fold of `x` is combined to the right of it.
/// Indices count from 0 in `x`.
///
/// ```
/// use warpfold::{Cpu, Max, Sum, after_element};
///
/// assert_eq!(Cpu::new().reduce(Sum, after_element(100.0, &[1.5f64, 2.5]))?, 104.0);
/// assert_eq!(Cpu::new().reduce(Max, after_element(7.0, &[0.0f32; 0]))?, Some(7.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn after_element<T, X>(init: T, x: X) -> AfterElement<T, X> {
    AfterElement { init, x }
}

/// Returns an input of all elements of `x`, after `before` others whose fold is the accumulator `init` ([`Cpu::fold`](crate::Cpu::fold)).
/// The fold of `x` is combined to the right of it, and the result is finished for all elements. Indices in `x` count
/// from 0, not from `before`. [Missing](crate::Elements) elements count neither in `before` nor in `x`.
///
/// ```
/// use warpfold::{Cpu, Mean, after_fold};
///
/// let (cpu, earlier) = (Cpu::new(), [1.0f64, 2.0, 3.0]);
/// let init = cpu.fold(Mean, &earlier)?;
/// assert_eq!(cpu.reduce(Mean, after_fold(init, 3, &[6.0]))?, Some(3.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn after_fold<A, X>(init: A, before: u64, x: X) -> AfterFold<A, X> {
    AfterFold { init, before, x }
}
