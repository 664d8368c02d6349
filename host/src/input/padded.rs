//! Parts that may have fewer elements than are wanted.

/// Parts that may have fewer elements than are wanted: see [`padded`].
#[derive(Clone, Copy, Debug)]
pub struct Padded<I> {
    pub(crate) input: I,
}

/// Returns an input of [`top_k`](crate::Cpu::top_k) and [`bottom_k`](crate::Cpu::bottom_k) on `Cpu` and `Auto` whose parts may have fewer
/// than `k` elements: the first elements of a part are `Some`, and its other places `None`. `input` is [`rows`](crate::rows),
/// [`chunks`](crate::chunks) or [`segments`](crate::segments) of an array. Without `padded` a part of fewer than `k` elements is an
/// error.
///
/// ```
/// use warpfold::{Cpu, Error, chunks, padded, segments};
///
/// let (cpu, x, offsets) = (Cpu::new(), [3, 9, 4, 7], [0, 3, 3, 4]);
/// let first = cpu.top_k(padded(segments(&x, &offsets)), 2)?;
/// let values: Vec<_> = first.iter().map(|at| at.map(|at| at.value)).collect();
/// assert_eq!(values, [Some(9), Some(4), None, None, Some(7), None]);
/// assert!(matches!(cpu.top_k(segments(&x, &offsets), 2), Err(Error::PartTooShort { part: 1, .. })));
/// assert_eq!(cpu.bottom_k(padded(chunks(&x, 3)), 2)?[2].map(|at| at.index), Some(0));
/// # Ok::<(), Error>(())
/// ```
pub fn padded<I>(input: I) -> Padded<I> {
    Padded { input }
}
