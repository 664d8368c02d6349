//! Segments of any lengths.

/// Segments of any lengths: see [`segments`].
#[derive(Clone, Copy, Debug)]
pub struct Segments<X, I> {
    pub(crate) x: X,
    pub(crate) offsets: I,
}

/// Returns an input of segments of any lengths: segment `s` is `x[offsets[s]..offsets[s + 1]]`, so there is one segment
/// fewer than offsets. Elements before the first offset and after the last one are ignored. A segment's result has the
/// bits of a reduction of that segment alone, and an index in it counts from the segment's first element. Offsets count
/// [missing](crate::Elements) elements, such as nulls of Arrow; a segment is reduced without them.
///
/// # Errors
/// A reduction fails with [`Error::Offset`](crate::Error::Offset) if an offset is less than the one before it, negative, or more than the number of
/// elements, with [`Error::Missing`](crate::Error::Missing) if an offset is missing, and with [`Error::TooManyResults`](crate::Error::TooManyResults) if there is no memory for
/// the results.
///
/// ```
/// use warpfold::{Cpu, Sum, segments};
///
/// let (x, offsets) = ([1i32, 2, 3, 4, 5], [0u32, 3, 3, 5]);
/// assert_eq!(Cpu::new().reduce(Sum, segments(&x, &offsets))?, [6, 0, 9]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn segments<X, I>(x: X, offsets: I) -> Segments<X, I> {
    Segments { x, offsets }
}
