//! Operators over pairs whose halves lie in two arrays.

use bytemuck::Pod;
use gpu_kernels::{Element, Op};

/// An operator whose pairs come from two arrays.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct Zipped<O>(pub(crate) O);

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
