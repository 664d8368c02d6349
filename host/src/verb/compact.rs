//! Compactions and partitions.

/// Selects the elements of `x` for which `predicate` holds, in order.
///
/// **`Cpu`, `Auto`.** `x` is any [`AsElements`](crate::AsElements), and the predicate any [`Predicate`](crate::Predicate), a pure function
/// of the element. Returns a `Vec`.
///
/// **`Cuda`.** Numbers are selected, by predicates that compare them: [`Above`](crate::Above), [`Below`](crate::Below),
/// [`Within`](crate::Within), [`NonZero`](crate::NonZero), [`IsNan`](crate::IsNan) and their [`Not`](crate::Not), or
/// your own that implement [`ByRank`](crate::elements::ByRank); and `f32`, `f64`, `i32`, `i64`, `u32` and `u64` also by a
/// [`formula!`](crate::formula!) that results in a `bool`. For others, write flags: [`CompactByFlags`]. Returns a
/// `DeviceArray` with memory for all elements, because the number of selected ones is not known before. Waits for their
/// number. A `Stream` writes them to the beginning of `out` and their number to `count`, and waits for nothing:
/// `stream.compact_into(predicate, &x, (&mut out, &mut count))`. A graph replays it.
///
/// **`World`.** `x` is this rank's part. The elements stay on their ranks, in the memory of the part.
///
/// # Errors
/// [`Error::FloatEnvironment`](crate::Error::FloatEnvironment) if a thread that calls the predicate flushes subnormal numbers or does not
/// round to nearest; [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory; by `compact_into`
/// [`Error::Room`](crate::Error::Room) if there is too little room, on a stream for all elements; of a device and of ranks as
/// [`Reduce`](super::Reduce).
///
/// ```
/// use warpfold::{Above, Cpu, Predicate};
///
/// let x = [3, -1, 4, -1, 5];
/// assert_eq!(Cpu::new().compact(Above { threshold: 0 }, &x)?, [3, 4, 5]);
///
/// #[derive(Clone, Copy)]
/// struct Even;
/// impl Predicate<i32> for Even {
///     fn holds(self, x: i32) -> bool {
///         x % 2 == 0
///     }
/// }
/// assert_eq!(Cpu::new().compact(Even, &x)?, [4]);
///
/// let mut out = [0; 4];
/// assert_eq!(Cpu::new().compact_into(Even, &x, &mut out)?, 1);
/// assert_eq!(out, [4, 0, 0, 0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Compact<P, X> {
    /// What holds for the selected elements.
    pub predicate: P,
    /// The elements.
    pub x: X,
}

/// Selects the elements of `x` whose flag is `true`, in order. Where an element or its flag is [missing](crate::Elements), nothing is
/// selected. On a device elements have 1, 2, 4, 8 or 16 bytes, and are aligned to their size.
///
/// # Errors
/// [`Error::Lengths`](crate::Error::Lengths) if there is not one flag for each element; [`Error::Plan`](crate::Error::Plan) if elements on
/// a device have another size; otherwise as [`Compact`].
///
/// ```
/// use warpfold::Cpu;
///
/// assert_eq!(Cpu::new().compact_by_flags(&[true, false, true], &['a', 'b', 'c'])?, ['a', 'c']);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CompactByFlags<F, X> {
    /// A `bool` for each element.
    pub flags: F,
    /// The elements.
    pub x: X,
}

/// Selects the first element of each run of equal elements. From a sorted array it selects each distinct
/// element once.
///
/// Elements in host memory are compared by `==`, as for [`runs`](crate::runs()): -0.0 and 0.0 are equal, and every NaN is kept. A device
/// compares bits, so elements there are integers, `bool`s or `char`s. A run over several ranks of a `World` stays on the first.
///
/// # Errors
/// As [`Compact`], and [`Error::Plan`](crate::Error::Plan) if elements on a device are not aligned to their size.
///
/// ```
/// use warpfold::Cpu;
///
/// assert_eq!(Cpu::new().unique(&[1, 1, 2, 2, 2, 1])?, [1, 2, 1]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Unique<X> {
    /// The elements.
    pub x: X,
}

/// Moves the elements of `x` for which `predicate` holds before the others, both in order. Returns all elements, and the number for
/// which `predicate` holds. Takes the inputs of [`Compact`]. A device reads the elements twice.
///
/// **`World`.** Each rank gets as many elements as its part has; the number counts the elements of all ranks.
///
/// # Errors
/// As [`Compact`].
///
/// ```
/// use warpfold::{Below, Cpu};
///
/// let (x, low) = Cpu::new().partition(Below { threshold: 3 }, &[5, 1, 4, 2, 3])?;
/// assert_eq!((&x[..low], &x[low..]), (&[1, 2][..], &[5, 4, 3][..]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Partition<P, X> {
    /// What holds for the elements that come first.
    pub predicate: P,
    /// The elements.
    pub x: X,
}

/// Moves the elements of `x` whose flag is `true` before the others, both in order. Returns them, and the number of such flags.
/// [Missing](crate::Elements) elements and flags are as in [`CompactByFlags`]. `Cpu`, `Auto` and `Cuda` run it.
///
/// # Errors
/// As [`CompactByFlags`].
///
/// ```
/// use warpfold::Cpu;
///
/// let (x, count) = Cpu::new().partition_by_flags(&[true, false, true], &['a', 'b', 'c'])?;
/// assert_eq!((x, count), (vec!['a', 'c', 'b'], 2));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PartitionByFlags<F, X> {
    /// A `bool` for each element.
    pub flags: F,
    /// The elements.
    pub x: X,
}
