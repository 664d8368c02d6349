//! How operators carry what a formula results in: every number, or only those that are there.

use warpfold_exact::unrolled;

use super::outcome::Outcome;
use super::scalar::{Numeric, Scalar};
use crate::op::Op;
use crate::ops::{Joined, WholeWords};

/// A formula's result that an operator `O` carries.
pub trait Carry<O>: Outcome {
    /// The operator over the numbers that are there.
    type Over: Op<Self::Scalar>;
    /// Maps a result to an accumulator.
    fn lift(op: O, x: Self, index: u64) -> <Self::Over as Op<Self::Scalar>>::Acc;
    /// Folds a result into an accumulator: [`Op::append`].
    fn append(
        op: O,
        acc: <Self::Over as Op<Self::Scalar>>::Acc,
        x: Self,
        index: u64,
    ) -> <Self::Over as Op<Self::Scalar>>::Acc;
    /// Folds rows of results into an accumulator: [`Op::append_rows`].
    fn append_rows<const V: usize, const R: usize>(
        op: O,
        acc: <Self::Over as Op<Self::Scalar>>::Acc,
        rows: [[Self; V]; R],
        first: u64,
        stride: u64,
    ) -> <Self::Over as Op<Self::Scalar>>::Acc;
    /// Folds rows of results into an accumulator for each column: [`Op::append_columns`].
    fn append_columns<const V: usize, const R: usize>(
        op: O,
        accs: &mut [<Self::Over as Op<Self::Scalar>>::Acc; V],
        rows: [[Self; V]; R],
        first: u64,
        stride: u64,
    );
    /// Folds neighbouring results into an accumulator: [`Op::append_slice`].
    #[cfg(not(target_arch = "nvptx64"))]
    fn append_slice(
        op: O,
        acc: <Self::Over as Op<Self::Scalar>>::Acc,
        x: &[Self],
        first: u64,
    ) -> <Self::Over as Op<Self::Scalar>>::Acc;
}

impl<T: Scalar, O: Op<T>> Carry<O> for T {
    type Over = O;
    #[inline(always)]
    fn lift(op: O, x: T, index: u64) -> O::Acc {
        op.lift(x, index)
    }
    #[inline(always)]
    fn append(op: O, acc: O::Acc, x: T, index: u64) -> O::Acc {
        op.append(acc, x, index)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        op: O,
        acc: O::Acc,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> O::Acc {
        op.append_rows(acc, rows, first, stride)
    }
    #[inline(always)]
    fn append_columns<const V: usize, const R: usize>(
        op: O,
        accs: &mut [O::Acc; V],
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) {
        op.append_columns(accs, rows, first, stride);
    }
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn append_slice(op: O, acc: O::Acc, x: &[T], first: u64) -> O::Acc {
        op.append_slice(acc, x, first)
    }
}

/// An operator of which elements may be absent. One whose result depends on the number of elements counts those that are there.
pub trait Sparse: Copy {
    /// This operator, or [`Counting`] of it.
    type Over;
    /// Returns the operator that is told how many elements are there.
    fn over(self) -> Self::Over;
}

/// Most bytes of an accumulator that is computed for an absent element too: those of a float's variance with its count.
const MOST_SELECTED: usize = 32;

/// Returns which results are there, and the numbers, where there is none 0.
#[inline(always)]
fn parts<T: Numeric, const V: usize, const R: usize>(
    rows: [[Option<T>; V]; R],
) -> ([[bool; V]; R], [[T; V]; R]) {
    let number = |x: Option<T>| x.unwrap_or(T::from_word(0));
    (rows.map(|row| row.map(|x| x.is_some())), rows.map(|row| row.map(number)))
}

impl<T: Numeric, O: Sparse<Over: Op<T>>> Carry<O> for Option<T> {
    type Over = O::Over;
    #[inline(always)]
    fn lift(op: O, x: Self, index: u64) -> <O::Over as Op<T>>::Acc {
        match x {
            Some(x) => op.over().lift(x, index),
            None => O::Over::IDENTITY,
        }
    }
    #[inline(always)]
    fn append(op: O, acc: <O::Over as Op<T>>::Acc, x: Self, index: u64) -> <O::Over as Op<T>>::Acc {
        // A predicate of a user's may panic for what is not there.
        if cfg!(not(target_arch = "nvptx64")) || size_of_val(&acc) > MOST_SELECTED {
            return match x {
                Some(x) => op.over().append(acc, x, index),
                None => acc,
            };
        }
        // Selects, not branches: those of neighbouring elements would be taken one after the other.
        op.over().append_if(x.is_some(), acc, x.unwrap_or(T::from_word(0)), index)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        op: O,
        mut acc: <O::Over as Op<T>>::Acc,
        rows: [[Self; V]; R],
        first: u64,
        stride: u64,
    ) -> <O::Over as Op<T>>::Acc {
        if O::Over::NEEDS_INDEX {
            return op.over().append_rows_if(acc, parts(rows), first, stride);
        }
        // `Max` of rows would take a third longer by `append_rows_if`.
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                let index = first.wrapping_add(stride.wrapping_mul(i as u64)).wrapping_add(j as u64);
                acc = Self::append(op, acc, rows[i][j], index);
            });
        });
        acc
    }
    #[inline(always)]
    fn append_columns<const V: usize, const R: usize>(
        op: O,
        accs: &mut [<O::Over as Op<T>>::Acc; V],
        rows: [[Self; V]; R],
        first: u64,
        stride: u64,
    ) {
        op.over().append_columns_if(accs, parts(rows), first, stride);
    }
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn append_slice(
        op: O,
        mut acc: <O::Over as Op<T>>::Acc,
        x: &[Self],
        first: u64,
    ) -> <O::Over as Op<T>>::Acc {
        if O::Over::NEEDS_INDEX {
            return x.iter().zip(first..).fold(acc, |acc, (&x, index)| Self::append(op, acc, x, index));
        }
        // Those that are there are moved together, without branches, and folded as neighbours.
        let mut there = [T::from_word(0); super::mapped::PORTION];
        for x in x.chunks(there.len()) {
            let mut count = 0;
            for x in x {
                there[count] = x.unwrap_or(T::from_word(0));
                count += usize::from(x.is_some());
            }
            acc = op.over().append_slice(acc, &there[..count], first);
        }
        acc
    }
}

/// An operator that counts the elements that it folds, and is finished with their number.
#[derive(Clone, Copy, Debug)]
pub struct Counting<O>(pub(super) O);

impl<T: Scalar, O: Op<T, Acc: WholeWords>> Op<T> for Counting<O> {
    type Acc = Joined<u64, O::Acc>;
    type Out = O::Out;
    const IDENTITY: Self::Acc = Joined { left: 0, right: O::IDENTITY };
    const COMMUTATIVE: bool = O::COMMUTATIVE;
    const ASSOCIATIVE: bool = O::ASSOCIATIVE;
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = O::NEEDS_INDEX;
    const FINISHES_EMPTY: bool = O::FINISHES_EMPTY;
    #[inline(always)]
    fn lift(self, x: T, index: u64) -> Self::Acc {
        Joined { left: 1, right: self.0.lift(x, index) }
    }
    #[inline(always)]
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
        Joined { left: left.left.wrapping_add(right.left), right: O::combine(left.right, right.right) }
    }
    #[inline(always)]
    fn append(self, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        Joined { left: acc.left.wrapping_add(1), right: self.0.append(acc.right, x, index) }
    }
    #[inline(always)]
    fn append_if(self, is_there: bool, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        Joined {
            left: acc.left.wrapping_add(is_there.into()),
            right: self.0.append_if(is_there, acc.right, x, index),
        }
    }
    #[inline(always)]
    fn append_rows_if<const V: usize, const R: usize>(
        self,
        acc: Self::Acc,
        (there, rows): ([[bool; V]; R], [[T; V]; R]),
        first: u64,
        stride: u64,
    ) -> Self::Acc {
        let mut count = 0;
        unrolled!(i < R, up to 8 => { unrolled!(j < V => { count += u32::from(there[i][j]) }) });
        Joined {
            left: acc.left.wrapping_add(count.into()),
            right: self.0.append_rows_if(acc.right, (there, rows), first, stride),
        }
    }
    #[inline(always)]
    fn append_columns_if<const V: usize, const R: usize>(
        self,
        accs: &mut [Self::Acc; V],
        (there, rows): ([[bool; V]; R], [[T; V]; R]),
        first: u64,
        stride: u64,
    ) {
        let mut of_op = accs.map(|acc| acc.right);
        self.0.append_columns_if(&mut of_op, (there, rows), first, stride);
        unrolled!(j < V => {
            let mut count = 0;
            unrolled!(i < R, up to 8 => { count += u32::from(there[i][j]) });
            accs[j] = Joined { left: accs[j].left.wrapping_add(count.into()), right: of_op[j] };
        });
    }
    #[inline(always)]
    fn append_slice(self, acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
        Joined {
            left: acc.left.wrapping_add(x.len() as u64),
            right: self.0.append_slice(acc.right, x, first),
        }
    }
    #[inline(always)]
    fn finish(acc: Self::Acc, _len: u64) -> O::Out {
        O::finish(acc.right, acc.left)
    }
}
