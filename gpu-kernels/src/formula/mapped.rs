//! An operator over the results of a formula.

use warpfold_exact::unrolled;

use super::scalar::Scalar;
use crate::op::Op;
use crate::ops::{
    AccurateSum, All, Any, ArgMax, ArgMin, ArgMinMax, Count, ExactSum, Max, Maximum, Mean, Min, MinMax,
    Minimum, Norm1, Norm2, NormInf, Product, ProductIn, SampleStdDev, SampleVariance, StdDev, Sum, SumIn,
    SumOfSquares, Variance,
};

/// What maps elements: a [`Formula`](super::Formula), or the [`Mark`](super::Mark) in its place.
pub trait Mapping: Copy + Send + Sync + 'static {
    /// The type of the element.
    type In: Scalar;
    /// The type of the result.
    type Out: Scalar;
    /// Maps an element.
    fn map(self, x: Self::In) -> Self::Out;
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: super::Body> Mapping for super::Formula<B> {
    type In = B::In;
    type Out = B::Out;
    #[inline(always)]
    fn map(self, x: B::In) -> B::Out {
        self.of(x)
    }
}

/// An operator over the results of a formula, one for each element: what `Sum.of(formula)` returns.
///
/// The tree is the tree of the elements: as many lanes, and tiles of the same length.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Mapped<O, F> {
    op: O,
    formula: F,
}

/// Elements that are mapped before they are folded: as many as fit the first cache beside the input.
#[cfg(not(target_arch = "nvptx64"))]
const PORTION: usize = 256;

impl<F: Mapping, O: Op<F::Out>> Op<F::In> for Mapped<O, F> {
    type Acc = O::Acc;
    type Out = O::Out;
    const IDENTITY: O::Acc = O::IDENTITY;
    const COMMUTATIVE: bool = O::COMMUTATIVE;
    const ASSOCIATIVE: bool = O::ASSOCIATIVE;
    const NEEDS_LEN: bool = O::NEEDS_LEN;
    const NEEDS_INDEX: bool = O::NEEDS_INDEX;
    const FINISHES_EMPTY: bool = O::FINISHES_EMPTY;

    #[inline(always)]
    fn lift(self, x: F::In, index: u64) -> O::Acc {
        self.op.lift(self.formula.map(x), index)
    }
    #[inline(always)]
    fn combine(left: O::Acc, right: O::Acc) -> O::Acc {
        O::combine(left, right)
    }
    #[inline(always)]
    fn append(self, acc: O::Acc, x: F::In, index: u64) -> O::Acc {
        self.op.append(acc, self.formula.map(x), index)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: O::Acc,
        rows: [[F::In; V]; R],
        first: u64,
        stride: u64,
    ) -> O::Acc {
        let mut mapped = rows.map(|row| row.map(|_| F::Out::from_word(0)));
        unrolled!(i < R, up to 8 => { unrolled!(j < V => { mapped[i][j] = self.formula.map(rows[i][j]) }) });
        self.op.append_rows(acc, mapped, first, stride)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn append_slice(self, mut acc: O::Acc, x: &[F::In], first: u64) -> O::Acc {
        let mut mapped = [F::Out::from_word(0); PORTION];
        for (x, first) in x.chunks(PORTION).zip((first..).step_by(PORTION)) {
            mapped.iter_mut().zip(x).for_each(|(to, &x)| *to = self.formula.map(x));
            acc = self.op.append_slice(acc, &mapped[..x.len()], first);
        }
        acc
    }
    #[inline(always)]
    fn finish(acc: O::Acc, len: u64) -> O::Out {
        O::finish(acc, len)
    }
}

macro_rules! after_formulas {
    ($($op:ty $(, $generic:ident)?;)*) => { $(
        impl$(<$generic>)? $op {
            /// Returns this operator over the results of a formula, one for each element.
            ///
            /// ```
            /// use gpu_kernels::{Max, formula, reference};
            ///
            /// let furthest = Max.of(formula!(|v: f32| (v - 0.5).abs()));
            /// assert_eq!(reference::reduce_by(furthest, &[0.25, 1.5, 0.5]), Some(1.0));
            /// ```
            #[must_use]
            pub const fn of<F>(self, formula: F) -> Mapped<Self, F> {
                Mapped { op: self, formula }
            }
        }
    )* };
}
// Not `First` and `Last`, whose results have an element's bits: those of a NaN that a formula computed differ between backends.
after_formulas! {
    Sum; SumIn<A>, A; Product; ProductIn<A>, A; AccurateSum; ExactSum;
    Min; Max; Minimum; Maximum; MinMax; ArgMin; ArgMax; ArgMinMax;
    Mean; Variance; SampleVariance; StdDev; SampleStdDev;
    SumOfSquares; Norm1; Norm2; NormInf; Count<P>, P; All; Any;
}
