//! Groups by id.

/// Groups by id: see [`groups`].
#[derive(Clone, Copy, Debug)]
pub struct Groups<I, X> {
    pub(crate) ids: I,
    pub(crate) x: X,
    pub(crate) count: usize,
}

/// Returns an input of the elements of each of `count` groups, in the order of `x`. Element `i` is in group `ids[i]`.
/// Every group has a result, an empty group too. A group's result has the bits of a reduction of that group's elements
/// alone, and an index in it counts these alone. An element that is [missing](crate::Elements), such as a null of Arrow, or
/// whose id is missing, is in no group.
///
/// The CPU folds elements in their order in the input, in memory for each group, or sorts them by group first, in
/// memory for as many elements. A GPU folds integer sums, extremes, bits and counts by atomic instructions, in device memory
/// for the accumulators. For other operators it sorts the elements by group first, with a stable radix sort. That takes device memory
/// for: the elements once, or with more than 256 groups twice; with more than 256 groups the ids twice, 2 bytes each
/// for up to 65,536 groups and 4 for more; at most a byte for each element; and 8 bytes for each group. Up to a
/// sixteenth of the device's memory is kept for the next call, until an allocation fails without it.
///
/// # Errors
/// A reduction fails with [`Error::Lengths`](crate::Error::Lengths) if there is not one id for each element, with [`Error::Group`](crate::Error::Group) if an id is
/// not in `0..count`, with [`Error::TooManyResults`](crate::Error::TooManyResults) if there is no memory for the results or, on a GPU, if there are
/// more than 2^32 groups, and on a stream that records a graph with `Error::Capturing`.
///
/// ```
/// use warpfold::{Cpu, Sum, groups};
///
/// let (ids, x) = ([2u32, 0, 2, 0], [1i32, 2, 3, 4]);
/// assert_eq!(Cpu::new().reduce(Sum, groups(&ids, &x, 3))?, [6, 0, 4]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn groups<I, X>(ids: I, x: X, count: usize) -> Groups<I, X> {
    Groups { ids, x, count }
}
