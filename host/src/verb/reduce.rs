//! Reductions.

/// Reduces `input` with `op`: all elements of an array to one result, or each part of an array to a result of its own.
///
/// | input | results | |
/// |---|---|---|
/// | `&x` | one | all elements |
/// | [`zip(&x, &y)`](crate::zip) | one | pairs of two arrays |
/// | [`rows(&x, [r, c])`](crate::rows) | many | each row of a matrix |
/// | [`columns(&x, [r, c])`](crate::columns) | many | each column of a matrix |
/// | [`chunks(&x, len)`](crate::chunks) | many | chunks of one length |
/// | [`windows(&x, len)`](crate::windows) | many | windows of one length, which may overlap |
/// | [`segments(&x, &offsets)`](crate::segments) | many | segments of any lengths |
/// | [`groups(&ids, &x, count)`](crate::groups) | many | elements by group |
/// | [`binned(&bins, &keys, &x)`](crate::binned) | many | elements by the bin of their keys |
/// | [`by_key(&keys, &x)`](crate::by_key), on `Cpu`, `Auto` and `Cuda` | keys, and many | elements by key |
/// | [`runs(&keys, &x)`](crate::runs) | keys, and many | runs of equal keys |
/// | [`along(view, &[0, 2])`](crate::along) | many | along axes of a [`View`](crate::View) |
/// | [`along(&array, &[1])`](crate::along) | `ArrayD` | along axes of an array of ndarray |
/// | [`after_element(init, &x)`](crate::after_element), [`after_fold(acc, len, &x)`](crate::after_fold) | one | all elements, after an initial value |
///
/// The results have the same bits on every backend.
///
/// **`Cpu`, `Auto`.** `x` is any [`AsElements`](crate::AsElements); results are a `Vec`. [Missing](crate::Elements) elements, such as
/// nulls of Arrow, are left out; windows refuse them.
///
/// **`Cuda`.** `x` is a `&DeviceArray` or a `DeviceSlice`, or a [`View`](crate::View) of one for `along`. It may also
/// be an array in host memory (`host`), of any length. A single result is copied to the host. Many results stay on the
/// device, as `DeviceResults`. There is no `after_element` and no `after_fold`. Calls from several threads run side by
/// side.
///
/// **`Stream`.** As `Cuda`, without `runs`, `by_key` and arrays in host memory, after the work that was enqueued before. It waits for a
/// single result. Many are only enqueued, and reading them waits: errors of the device and [`Error::Offset`](crate::Error::Offset) come
/// from the calls that read them.
///
/// **`World`.** `x` is this rank's part of an array, in host memory or on a device, and every rank gets the results of the whole:
///
/// | input | the parts of all ranks are |
/// |---|---|
/// | `&x` | pieces of one array |
/// | `zip(&x, &y)` | pieces of two, cut alike |
/// | `rows(&x, [r, c])` | some rows of a matrix each |
/// | `columns(&x, [r, c])` | some rows of a matrix each, whose columns are reduced over all ranks |
/// | `along(view, &axes)` | pieces of an array of several dimensions, cut along axis 0 |
/// | `chunks(&x, len)`, `segments(&x, &offsets)` | pieces of one array, cut anywhere |
/// | `runs(&keys, &x)`, `groups(&ids, &x, count)` | pieces of two arrays, cut alike and anywhere |
///
/// There are no windows of a whole. All ranks pass the same offsets of segments, in host memory. Offsets count from the start of the whole. Axis 0 may
/// be reduced or not. Missing elements of a part count in positions; an index in a result counts the other elements of
/// all ranks. A device folds its part, and the operator needs kernels for that. For columns, axis 0, runs and groups
/// the elements are copied to the host instead. Some ranks may have their parts on devices and others in host memory.
///
/// # Errors
/// The errors of the input. On the CPU [`Error::FloatEnvironment`](crate::Error::FloatEnvironment) if a thread that
/// folds does not round to nearest or flushes subnormal numbers, [`Error::Threads`](crate::Error::Threads) if there is
/// no stack for a large accumulator, and [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough
/// memory for results, intermediate values or a copy of elements that are not contiguous. On a device
/// [`Error::OtherDevice`](crate::Error::OtherDevice) if the input is on another one,
/// [`Error::PtxTooNew`](crate::Error::PtxTooNew) and [`Error::Kernel`](crate::Error::Kernel) from the first call of
/// each operator, [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Driver`](crate::Error::Driver), and
/// [`Error::Poisoned`](crate::Error::Poisoned) once it has stopped working;
/// [`Error::Capturing`](crate::Error::Capturing) from a stream that records a graph. On ranks
/// [`Error::Rank`](crate::Error::Rank) and [`Error::WorldClosed`](crate::Error::WorldClosed), as
/// [`World`](crate::World) describes. From `Auto`, if `WARPFOLD_BACKEND` is `gpu`, all errors of a device, and
/// [`Error::Setting`](crate::Error::Setting) if it has another value than documented.
///
/// ```
/// use warpfold::{Cpu, Max, Mean, Sum, groups, rows};
///
/// let (cpu, x) = (Cpu::new(), vec![1.0f32, 2.0, 3.5, 5.5]);
/// assert_eq!(cpu.reduce(Sum, &x)?, 12.0);
/// assert_eq!(cpu.reduce((Mean, Max), &x[..3])?, (Some(6.5 / 3.0), Some(3.5)));
/// assert_eq!(cpu.reduce(Sum, rows(&x, [2, 2]))?, [3.0, 9.0]);
/// assert_eq!(cpu.reduce(Sum, groups(&[0u32, 1, 0, 1], &x, 2))?, [4.5, 7.5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reduce<O, I> {
    /// The operator.
    pub op: O,
    /// Where the elements are, and how they are divided.
    pub input: I,
}

/// Folds the array `input` with `op`, but does not finish. Returns the accumulator,
/// [`Op::IDENTITY`](crate::Op::IDENTITY) for empty input. It has the same bits on every backend, except the bits of a
/// NaN in it (see [`Op`](crate::Op)). The finished result has the same bits without exception. The caller's stack must
/// hold some copies of it.
///
/// `Cpu`, `Auto` and `Cuda` run it.
///
/// # Errors
/// As [`Reduce`].
///
/// ```
/// use warpfold::{Cpu, Mean, Op};
///
/// let x = [1.0f32, 2.0, 6.0];
/// let acc = Cpu::new().fold(Mean, &x)?;
/// assert_eq!(<Mean as Op<f32>>::finish(acc, 3), Some(3.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fold<O, I> {
    /// The operator.
    pub op: O,
    /// The elements.
    pub input: I,
}
