//! Folds over two arrays side by side: dot products and their kin.

use bytemuck::Pod;
use gpu_kernels::Element;
#[cfg(feature = "cuda")]
use gpu_kernels::Op;

use crate::error::check_lengths;
use crate::{Cpu, Error, ZipKernel};

/// Folds the pairs of `x` and `y`, element `i` of one with element `i` of the other, with `O` on the CPU or, if the
/// environment variable `WARPFOLD_BACKEND` is `gpu`, on the GPU. The result's bits are the same, and those of
/// [`reduce`](crate::reduce) over one array of the pairs. The GPU takes both arrays whole, so its memory must have room.
///
/// # Errors
/// [`Error::Lengths`] if they are not of one length, and those of [`reduce`](crate::reduce).
///
/// ```
/// use warpfold::{Dot, WeightedMean, reduce_zip};
///
/// let (x, y) = ([1.0f32, 2.0, 3.0], [4.0f32, 5.0, 6.0]);
/// assert_eq!(reduce_zip::<f32, Dot>(&x, &y)?, 32.0);
/// assert_eq!(reduce_zip::<f32, WeightedMean>(&x, &[1.0, 0.0, 1.0])?, Some(2.0));
/// assert!(reduce_zip::<f32, Dot>(&x, &y[1..]).is_err());
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn reduce_zip<T: Element + Pod, O: ZipKernel<T> + Default>(x: &[T], y: &[T]) -> Result<O::Out, Error> {
    reduce_zip_by(O::default(), x, y)
}

/// [`reduce_zip`] with an operator that is a value, such as one with parameters.
///
/// # Errors
/// As [`reduce_zip`].
pub fn reduce_zip_by<T: Element + Pod, O: ZipKernel<T>>(op: O, x: &[T], y: &[T]) -> Result<O::Out, Error> {
    check_lengths(x.len(), y.len())?;
    #[cfg(feature = "cuda")]
    if let Some(cuda) = crate::auto::wanted_device()? {
        let (x, y) = (cuda.upload(x)?, cuda.upload(y)?);
        return cuda.reduce_zip_by(op, &x.as_slice(), &y.as_slice());
    }
    #[cfg(not(feature = "cuda"))]
    crate::auto::wanted_device()?;
    Cpu::new().reduce_zip_by(op, x, y)
}

/// An operator whose pairs come from two arrays.
#[cfg(feature = "cuda")]
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct Zipped<O>(pub(crate) O);

#[cfg(feature = "cuda")]
impl<T: Element + Pod, O: Op<[T; 2]>> Op<[T; 2]> for Zipped<O> {
    type Acc = O::Acc;
    type Out = O::Out;
    const IDENTITY: O::Acc = O::IDENTITY;
    const COMMUTATIVE: bool = O::COMMUTATIVE;
    const ASSOCIATIVE: bool = O::ASSOCIATIVE;
    const NEEDS_LEN: bool = O::NEEDS_LEN;
    const FINISHES_EMPTY: bool = O::FINISHES_EMPTY;
    fn lift(self, pair: [T; 2], index: u64) -> O::Acc {
        self.0.lift(pair, index)
    }
    fn combine(left: O::Acc, right: O::Acc) -> O::Acc {
        O::combine(left, right)
    }
    fn finish(acc: O::Acc, len: u64) -> O::Out {
        O::finish(acc, len)
    }
}
