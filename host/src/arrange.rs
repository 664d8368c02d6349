//! The calls that bring elements together or into order, on the CPU with all its threads.

use gpu_kernels::{At, Element, Predicate, TotalOrder};

use crate::{Cpu, Error, Interpolate, Order};

/// [`Cpu::count_if`] on all threads. With an operator that has kernels, [`reduce_by`](crate::reduce_by) of a
/// [`Count`](crate::Count) does it wherever it is sooner done.
///
/// # Errors
/// As [`Cpu::count_if`].
pub fn count_if<T: Element, P: Predicate<T>>(predicate: P, x: &[T]) -> Result<u64, Error> {
    Cpu::new().count_if(predicate, x)
}

/// The elements that a predicate holds of, in their order: [`Cpu::compact`] on all threads.
///
/// # Errors
/// As [`Cpu::compact`].
///
/// ```
/// use warpfold::{IsNan, Not, compact};
///
/// assert_eq!(compact(Not { predicate: IsNan }, &[1.5, f64::NAN, -2.0])?, [1.5, -2.0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn compact<T: Element, P: Predicate<T>>(predicate: P, x: &[T]) -> Result<Vec<T>, Error> {
    Cpu::new().compact(predicate, x)
}

/// The elements that have a `true` beside them, in their order: [`Cpu::compact_by_flags`] on all threads.
///
/// # Errors
/// As [`Cpu::compact_by_flags`].
pub fn compact_by_flags<T: Element>(flags: &[bool], x: &[T]) -> Result<Vec<T>, Error> {
    Cpu::new().compact_by_flags(flags, x)
}

/// The first of each run of equal elements: [`Cpu::unique`] on all threads.
///
/// # Errors
/// As [`Cpu::unique`].
pub fn unique<T: Element + PartialEq>(x: &[T]) -> Result<Vec<T>, Error> {
    Cpu::new().unique(x)
}

/// First the elements that a predicate holds of, then the others, and how many the first are: [`Cpu::partition`] on all
/// threads.
///
/// # Errors
/// As [`Cpu::partition`].
pub fn partition<T: Element, P: Predicate<T>>(predicate: P, x: &[T]) -> Result<(Vec<T>, usize), Error> {
    Cpu::new().partition(predicate, x)
}

/// Sorts elements by their total order: [`Cpu::sort`] on all threads.
///
/// ```
/// use warpfold::{Order, sort};
///
/// let mut x = [0.5, -1.0, f32::INFINITY, 0.0];
/// sort(&mut x, Order::Ascending);
/// assert_eq!(x, [-1.0, 0.0, 0.5, f32::INFINITY]);
/// ```
pub fn sort<T: TotalOrder>(x: &mut [T], order: Order) {
    Cpu::new().sort(x, order);
}

/// Sorts keys, and each value with its key: [`Cpu::sort_pairs`] on all threads.
///
/// # Errors
/// As [`Cpu::sort_pairs`].
pub fn sort_pairs<K: TotalOrder, V: Copy + Send + Sync>(
    keys: &mut [K],
    values: &mut [V],
    order: Order,
) -> Result<(), Error> {
    Cpu::new().sort_pairs(keys, values, order)
}

/// The indices of the elements in their total order: [`Cpu::argsort`] on all threads.
#[must_use]
pub fn argsort<T: TotalOrder>(x: &[T], order: Order) -> Vec<usize> {
    Cpu::new().argsort(x, order)
}

/// The `k` greatest elements and where they are: [`Cpu::top_k`] on all threads.
///
/// # Errors
/// As [`Cpu::top_k`].
pub fn top_k<T: TotalOrder>(x: &[T], k: usize) -> Result<Vec<At<T>>, Error> {
    Cpu::new().top_k(x, k)
}

/// The number in the middle of the sorted elements: [`Cpu::median`] on all threads.
///
/// # Errors
/// As [`Cpu::median`].
pub fn median<T: Interpolate>(x: &[T]) -> Result<T::Out, Error> {
    Cpu::new().median(x)
}
