//! Arrays of all ranks, folded element by element.

/// Folds the arrays of all ranks of a [`World`](crate::World) element by element: every rank's `x[i]` becomes the reduction of the `x[i]`
/// of all ranks. All arrays have the same length. The results replace `&mut x`, or are a new array on the device of a `&DeviceArray`.
///
/// Arrays on devices need an operator with kernels. They pass through host memory, unless the communicator is `Nccl` (feature `cuda`): it
/// moves them from device to device, and the devices fold.
///
/// The elements at each position are folded in pairs of neighbouring ranks, then the results in pairs, and so on; an unpaired one moves
/// up unchanged. The index of an element is its rank. The bits thus depend on the ranks' values and their order alone, not on the array's
/// length, the communicator or the topology.
///
/// The results have the elements' type. [`SumIn`](crate::SumIn) adds integers in their own type; operators with results of another type,
/// such as [`Max`](crate::Max), are for [`ReduceScatter`].
///
/// # Errors
/// [`Error::Rank`](crate::Error::Rank) and [`Error::WorldClosed`](crate::Error::WorldClosed) as `World` describes, also if the arrays'
/// lengths differ; [`Error::FloatEnvironment`](crate::Error::FloatEnvironment) if a thread that folds does not round to nearest or flushes
/// subnormal numbers; [`Error::Nccl`](crate::Error::Nccl) if NCCL fails, or another rank is late, and then `WorldClosed`. After an error
/// `x` is unchanged, unless it is on a device that fails.
///
/// ```
/// use std::thread;
/// use warpfold::{Sum, World};
///
/// let gradients = [[1.0f32, 10.0], [2.0, 20.0], [4.0, 40.0]];
/// let sums = thread::scope(|scope| {
///     let ranks = World::threads(3).into_iter().zip(gradients);
///     let add = |(world, mut x): (World<_>, [f32; 2])| {
///         scope.spawn(move || world.all_reduce(Sum, &mut x).map(|()| x))
///     };
///     let ranks: Vec<_> = ranks.map(add).collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
/// })?;
/// assert_eq!(sums, [[7.0, 70.0]; 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AllReduce<O, X> {
    /// The operator.
    pub op: O,
    /// This rank's array.
    pub x: X,
}

/// Folds as [`AllReduce`] does, but each rank gets only its share of the results: rank `r` of `p` gets the results at the positions from
/// `r * len / p` to `(r + 1) * len / p`, rounded down. They may have any type.
///
/// # Errors
/// As [`AllReduce`]; [`Error::Missing`](crate::Error::Missing) if an element of `x` is missing;
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory for the outputs.
///
/// ```
/// use std::thread;
/// use warpfold::{Max, World};
///
/// let arrays = [[3, 1, 4], [1, 5, 9]];
/// let shares = thread::scope(|scope| {
///     let ranks = World::threads(2).into_iter().zip(&arrays);
///     let ranks: Vec<_> = ranks.map(|(world, x)| scope.spawn(move || world.reduce_scatter(Max, x))).collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
/// })?;
/// assert_eq!(shares, [vec![Some(3)], vec![Some(5), Some(9)]]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReduceScatter<O, X> {
    /// The operator.
    pub op: O,
    /// This rank's array.
    pub x: X,
}
