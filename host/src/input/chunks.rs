//! Chunks of one length.

/// Chunks of one length: see [`chunks`].
#[derive(Clone, Copy, Debug)]
pub struct Chunks<X> {
    pub(crate) x: X,
    pub(crate) len: usize,
}

/// Returns an input of chunks of `len` elements, as of [`slice::chunks`]: the last one may be shorter. A chunk's result
/// has the bits of a reduction of that chunk alone. Lengths count [missing](crate::Elements) elements, such as nulls of
/// Arrow; a chunk is reduced without them.
///
/// # Errors
/// A reduction fails with [`Error::ChunkLength`](crate::Error::ChunkLength) if `len` is 0, and with [`Error::TooManyResults`](crate::Error::TooManyResults) if there is no memory
/// for the results.
///
/// ```
/// use warpfold::{Cpu, Sum, chunks};
///
/// assert_eq!(Cpu::new().reduce(Sum, chunks(&[1i32, 2, 3, 4, 5], 2))?, [3, 7, 5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn chunks<X>(x: X, len: usize) -> Chunks<X> {
    Chunks { x, len }
}
