//! Several operators in one pass: a tuple of two to four operators is an operator, and its result is the tuple of their
//! results.
//!
//! It commutes if all of them do, and is associative if all of them are: `(Min, Sum)` of floats follows the tree because of the
//! sum; the minimum is the same on any tree. Its accumulator is theirs side by side, at most
//! [`MOST_ACC_BYTES`](crate::shapes::MOST_ACC_BYTES) on a GPU.
//!
//! Each operator treats NaN and empty input as it does alone. Beside an operator that does not commute, all follow the tree
//! that keeps the order, where a float sum may have other bits than alone.
//!
//! Every operator whose accumulator is of [`WholeWords`] may stand in a tuple. Implement that for your own operator's
//! accumulator if it is a struct.

use super::words::{Joined, WholeWords};
use crate::op::{Element, Op};

impl<T: Element, A: Op<T, Acc: WholeWords>, B: Op<T, Acc: WholeWords>> Op<T> for (A, B) {
    type Acc = Joined<A::Acc, B::Acc>;
    type Out = (A::Out, B::Out);
    const IDENTITY: Self::Acc = Joined { left: A::IDENTITY, right: B::IDENTITY };
    const COMMUTATIVE: bool = A::COMMUTATIVE && B::COMMUTATIVE;
    const ASSOCIATIVE: bool = A::ASSOCIATIVE && B::ASSOCIATIVE;
    const FINISHES_EMPTY: bool = A::FINISHES_EMPTY && B::FINISHES_EMPTY;
    const NEEDS_INDEX: bool = A::NEEDS_INDEX || B::NEEDS_INDEX;
    #[inline]
    fn lift(self, x: T, index: u64) -> Self::Acc {
        Joined { left: self.0.lift(x, index), right: self.1.lift(x, index) }
    }
    #[inline]
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
        Joined { left: A::combine(left.left, right.left), right: B::combine(left.right, right.right) }
    }
    #[inline(always)]
    fn append(self, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        Joined { left: self.0.append(acc.left, x, index), right: self.1.append(acc.right, x, index) }
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: Self::Acc,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> Self::Acc {
        Joined {
            left: self.0.append_rows(acc.left, rows, first, stride),
            right: self.1.append_rows(acc.right, rows, first, stride),
        }
    }
    #[inline(always)]
    fn append_slice(self, acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
        Joined {
            left: self.0.append_slice(acc.left, x, first),
            right: self.1.append_slice(acc.right, x, first),
        }
    }
    #[inline]
    fn finish(acc: Self::Acc, len: u64) -> Self::Out {
        (A::finish(acc.left, len), B::finish(acc.right, len))
    }
}

/// Implements [`Op`] for a longer tuple by its halves, each a tuple or one operator.
macro_rules! tuple {
    ($($op:ident),*: $left:ty, $right:ty; $split:expr; ($($out:ident),*) from $outs:pat) => {
        impl<T: Element, $($op: Op<T, Acc: WholeWords>),*> Op<T> for ($($op),*) {
            type Acc = Joined<<$left as Op<T>>::Acc, <$right as Op<T>>::Acc>;
            type Out = ($($op::Out),*);
            const IDENTITY: Self::Acc = <($left, $right) as Op<T>>::IDENTITY;
            const COMMUTATIVE: bool = <($left, $right) as Op<T>>::COMMUTATIVE;
            const ASSOCIATIVE: bool = <($left, $right) as Op<T>>::ASSOCIATIVE;
            const FINISHES_EMPTY: bool = <($left, $right) as Op<T>>::FINISHES_EMPTY;
            const NEEDS_INDEX: bool = <($left, $right) as Op<T>>::NEEDS_INDEX;
            #[inline]
            fn lift(self, x: T, index: u64) -> Self::Acc {
                $split(self).lift(x, index)
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                <($left, $right) as Op<T>>::combine(left, right)
            }
            #[inline(always)]
            fn append(self, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
                $split(self).append(acc, x, index)
            }
            #[inline(always)]
            fn append_rows<const V: usize, const R: usize>(
                self,
                acc: Self::Acc,
                rows: [[T; V]; R],
                first: u64,
                stride: u64,
            ) -> Self::Acc {
                $split(self).append_rows(acc, rows, first, stride)
            }
            #[inline(always)]
            fn append_slice(self, acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
                $split(self).append_slice(acc, x, first)
            }
            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Self::Out {
                let $outs = <($left, $right) as Op<T>>::finish(acc, len);
                ($($out),*)
            }
        }
    };
}
tuple!(A, B, C: (A, B), C; |(a, b, c)| ((a, b), c); (a, b, c) from ((a, b), c));
tuple!(A, B, C, D: (A, B), (C, D); |(a, b, c, d)| ((a, b), (c, d)); (a, b, c, d) from ((a, b), (c, d)));
