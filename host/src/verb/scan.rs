//! Scans.

/// Scans `input` with `op`: one output for each element, the result of all elements up to it, including it or not, as `scan` says. Each
/// of [`segments`](crate::segments()), [`rows`](crate::rows()) and [`chunks`](crate::chunks) is scanned on its own, and so is each line
/// [`along`](crate::along) some axes of a view.
///
/// Output `i` depends only on the elements up to `i`. It has the same bits everywhere, whatever the number of threads
/// or of later elements. [Associative](crate::Op::ASSOCIATIVE) operators, such as sums of integers, have the bits of a
/// loop. Others have the bits of [the scan's tree](crate::scan_tree::tree). This is not the tree of a reduction. An
/// index counts from the first element of the array or segment. Elements before the first offset and after the last
/// have the result of empty input.
///
/// | input | outputs |
/// |---|---|
/// | `&x`, [`segments(&x, &offsets)`](crate::segments()), `rows(&x, [r, c])`, `chunks(&x, len)` | a new array |
/// | [`along(view, &axes)`](crate::along) of a [`View`](crate::View), on `Cpu`, `Auto`, `Cuda` and `Stream` (`scan_into`) | a new array, in row-major order of the view |
/// | `&mut x`, `segments(&mut x, &offsets)`, `rows(&mut x, [r, c])`, `chunks(&mut x, len)` | each in place of its element |
///
/// **`Cpu`, `Auto`.** `x` is any [`AsElements`](crate::AsElements); a [missing](crate::Elements) element, such as a null of Arrow, has an
/// output too: the result of the elements before it, with the bits of the inclusive output of the last one. It does not change the
/// outputs of the others. In place, `x` is a slice, a `Vec`, an array or a `Box` of a slice, and outputs have the
/// elements' type.
///
/// **Backwards.** A scan begins at the other end of an axis that is [reversed](crate::View::reversed). The outputs are in the order of the
/// reversed view.
///
/// **`Cuda`.** `x` is on the device, or as `&x` in host memory, where the outputs go then. A device has the outputs in
/// the form that [`stored`](crate::stored) defines. Each element is read once, and each output written once. Outputs
/// outside every segment are zeros. The device checks offsets when it comes to the work. Lengths may be mixed freely.
///
/// **`Stream`.** Scans `DeviceValues` that a stream wrote in place (`&mut values`), or writes to other values by
/// `scan_into`. Both only enqueue. Outputs outside every segment are left as they are. A graph replays the scan.
/// Writing values again needs no new memory if there are no more segments and elements than before. Fewer than two
/// offsets describe no segment, and are not checked.
///
/// **`World`.** `x` is this rank's part of the whole, and gets as many outputs as it has elements, in the same memory.
/// All ranks pass the same offsets. Offsets count from the start of the whole.
///
/// # Errors
/// [`Error::NoInitialValue`](crate::Error::NoInitialValue) if the scan is exclusive and the operator has no result for
/// empty input ([`Scan::exclusive`](crate::Scan::exclusive)); [`Error::Offset`](crate::Error::Offset) if an offset is
/// less than the one before it, negative, or more than the number of elements;
/// [`Error::Missing`](crate::Error::Missing) if an offset, or for a device an element, is missing; otherwise as
/// [`Reduce`](super::Reduce). In place, some elements may be replaced after
/// [`Error::TooManyResults`](crate::Error::TooManyResults) or
/// [`Error::FloatEnvironment`](crate::Error::FloatEnvironment), and `out` is undefined after an error of a driver. Such
/// an error may come between two launches.
///
/// ```
/// use warpfold::{Cpu, Mean, Scan, Sum, View, along, segments};
///
/// let (cpu, mut x) = (Cpu::new(), [1.0f32, 3.0, 2.0, 6.0]);
/// assert_eq!(cpu.scan(Sum, &x, Scan::inclusive())?, [1.0, 4.0, 6.0, 12.0]);
/// assert_eq!(cpu.scan(Sum, &x, Scan::exclusive())?, [0.0, 1.0, 4.0, 6.0]);
/// assert_eq!(cpu.scan(Mean, &x, Scan::inclusive())?, [1.0, 2.0, 2.0, 3.0].map(Some));
/// assert_eq!(cpu.scan(Sum, segments(&x, &[0, 2, 4]), Scan::inclusive())?, [1.0, 4.0, 2.0, 8.0]);
/// let columns = along(View::new(&x, &[2, 2])?, &[0]);
/// assert_eq!(cpu.scan(Sum, columns, Scan::inclusive())?, [1.0, 3.0, 3.0, 9.0]);
/// cpu.scan(Sum, &mut x, Scan::inclusive())?;
/// assert_eq!(x, [1.0, 4.0, 6.0, 12.0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scan<O, I, A> {
    /// The operator.
    pub op: O,
    /// The elements.
    pub input: I,
    /// The kind of the scan, and an initial value.
    pub scan: crate::scan::Scan<A>,
}
