//! Runs of equal keys.

/// Runs of equal keys: see [`runs`].
#[derive(Clone, Copy, Debug)]
pub struct Runs<K, X> {
    pub(crate) keys: K,
    pub(crate) x: X,
}

/// Returns an input of runs of consecutive elements with equal keys. A reduction returns the key and the result of each
/// run. A key that occurs again later starts another run; to have one result for each key, sort by key first. A key
/// that does not equal itself, such as NaN, is a run of one element. A run's result has the bits of a reduction of that
/// run alone. [Missing](crate::Elements) elements, such as nulls of Arrow, have keys too; a run is reduced without them.
///
/// Keys in host memory are of any type that is `Copy` and `PartialEq`. Keys in device memory are integers, `bool` or
/// `char`; each run takes 8 bytes and a key of device memory.
///
/// # Errors
/// A reduction fails with [`Error::Lengths`](crate::Error::Lengths) if there is not one key for each element, with [`Error::Missing`](crate::Error::Missing) if a key is
/// missing, and with [`Error::TooManyResults`](crate::Error::TooManyResults) if there is no memory for the results.
///
/// ```
/// use warpfold::{Cpu, Sum, runs};
///
/// let (keys, sums) = Cpu::new().reduce(Sum, runs(&["a", "a", "b", "a"], &[1i32, 2, 3, 4]))?;
/// assert_eq!((keys, sums), (vec!["a", "b", "a"], vec![3, 3, 4]));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn runs<K, X>(keys: K, x: X) -> Runs<K, X> {
    Runs { keys, x }
}
