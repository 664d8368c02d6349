//! An operator over the results of a formula.

use warpfold_exact::unrolled;

use super::carry::{Carry, Counting, Sparse};
use super::outcome::{Given, Outcome};
use crate::op::Op;
use crate::ops::{
    AccurateSum, All, Any, ArgMax, ArgMin, ArgMinMax, Count, ExactSum, Max, Maximum, Mean, Min, MinMax,
    Minimum, Norm1, Norm2, NormInf, Product, ProductIn, SampleStdDev, SampleVariance, StdDev, Sum, SumIn,
    SumOfSquares, Variance,
};

pub(super) mod sealed {
    /// A mapping of this crate: one and its mark have the same layout, on which kernels rely.
    pub trait Sealed {}
}

/// What maps elements: a [`Formula`](super::Formula), or the [`Mark`](super::Mark) in its place.
pub trait Mapping: sealed::Sealed + Copy + Send + Sync + 'static {
    /// What it is given for an element.
    type In: Given;
    /// The type of the result.
    type Out: Outcome;
    /// What kernels have in its place.
    type Mark: 'static;
    /// Maps an element.
    fn map(self, x: Self::In) -> Self::Out;
    /// Returns what records its steps, if it has some.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn program() -> Option<fn() -> super::Program> {
        None
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: super::Body> sealed::Sealed for super::Formula<B> {}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: super::Body> Mapping for super::Formula<B> {
    type In = B::In;
    type Out = B::Out;
    type Mark = super::Mark<B::In, B::Out>;
    #[inline(always)]
    fn map(self, x: B::In) -> B::Out {
        self.of(x)
    }
    fn program() -> Option<fn() -> super::Program> {
        Some(super::Program::of::<B>)
    }
}

/// An operator over the results of a formula, one for each element: what `Sum.of(formula)` returns.
///
/// The tree is the tree of the elements: as many lanes, and tiles of the same length. An element of which the result is `None` is an
/// identity in it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Mapped<O, F> {
    op: O,
    formula: F,
}

impl<O, F> Mapped<O, F> {
    pub(super) const fn new(op: O, formula: F) -> Self {
        Self { op, formula }
    }
}

/// Elements that are mapped before they are folded: as many as fit the first cache beside the input.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const PORTION: usize = 256;

impl<O, F: Mapping> Mapped<O, F> {
    /// Maps rows of elements, where `rows[i][j]` has the index `first + i * stride + j`.
    #[inline(always)]
    fn map<const V: usize, const R: usize>(
        self,
        rows: [[ElementOf<F>; V]; R],
        first: u64,
        stride: u64,
    ) -> [[F::Out; V]; R] {
        let mut mapped = rows.map(|row| row.map(|_| F::Out::of_word(0, false)));
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                let index = first.wrapping_add(stride.wrapping_mul(i as u64)).wrapping_add(j as u64);
                mapped[i][j] = self.formula.map(F::In::of(rows[i][j], index));
            });
        });
        mapped
    }
}

/// The operator that an operator over a formula carries.
type Over<O, F> = <<F as Mapping>::Out as Carry<O>>::Over;

/// The elements of an input.
type ElementOf<F> = <<F as Mapping>::In as Given>::Element;

/// The numbers that it folds.
type ScalarOf<F> = <<F as Mapping>::Out as Outcome>::Scalar;

/// Its accumulator.
type AccOf<O, F> = <Over<O, F> as Op<ScalarOf<F>>>::Acc;

impl<F: Mapping<Out: Carry<O>>, O: Copy + Send + Sync + 'static> Op<ElementOf<F>> for Mapped<O, F> {
    type Acc = AccOf<O, F>;
    type Out = <Over<O, F> as Op<ScalarOf<F>>>::Out;
    const IDENTITY: AccOf<O, F> = Over::<O, F>::IDENTITY;
    const COMMUTATIVE: bool = Over::<O, F>::COMMUTATIVE;
    const ASSOCIATIVE: bool = Over::<O, F>::ASSOCIATIVE;
    const NEEDS_LEN: bool = Over::<O, F>::NEEDS_LEN;
    const NEEDS_INDEX: bool = Over::<O, F>::NEEDS_INDEX || F::In::HAS_INDEX;
    const FINISHES_EMPTY: bool = Over::<O, F>::FINISHES_EMPTY;
    const LEAVES_OUT: bool = F::Out::MAY_LACK;

    #[inline(always)]
    fn lift(self, x: ElementOf<F>, index: u64) -> AccOf<O, F> {
        F::Out::lift(self.op, self.formula.map(F::In::of(x, index)), index)
    }
    #[inline(always)]
    fn combine(left: AccOf<O, F>, right: AccOf<O, F>) -> AccOf<O, F> {
        Over::<O, F>::combine(left, right)
    }
    #[inline(always)]
    fn append(self, acc: AccOf<O, F>, x: ElementOf<F>, index: u64) -> AccOf<O, F> {
        F::Out::append(self.op, acc, self.formula.map(F::In::of(x, index)), index)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: AccOf<O, F>,
        rows: [[ElementOf<F>; V]; R],
        first: u64,
        stride: u64,
    ) -> AccOf<O, F> {
        F::Out::append_rows(self.op, acc, self.map(rows, first, stride), first, stride)
    }
    #[inline(always)]
    fn append_columns<const V: usize, const R: usize>(
        self,
        accs: &mut [AccOf<O, F>; V],
        rows: [[ElementOf<F>; V]; R],
        first: u64,
        stride: u64,
    ) {
        if Self::LEAVES_OUT {
            return F::Out::append_columns(self.op, accs, self.map(rows, first, stride), first, stride);
        }
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                accs[j] = self.append(accs[j], rows[i][j], first + stride * i as u64 + j as u64);
            });
        });
    }
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn append_slice(self, mut acc: AccOf<O, F>, x: &[ElementOf<F>], first: u64) -> AccOf<O, F> {
        let mut mapped = [F::Out::of_word(0, false); PORTION];
        for (x, first) in x.chunks(PORTION).zip((first..).step_by(PORTION)) {
            let places = mapped.iter_mut().zip(x);
            if F::In::HAS_INDEX {
                places.zip(first..).for_each(|((to, &x), index)| *to = self.formula.map(F::In::of(x, index)));
            } else {
                places.for_each(|(to, &x)| *to = self.formula.map(F::In::of(x, 0)));
            }
            acc = F::Out::append_slice(self.op, acc, &mapped[..x.len()], first);
        }
        acc
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn marked() -> Option<super::Marked> {
        F::program().map(super::Marked::lifting::<Self, Mapped<O, F::Mark>>)
    }
    #[inline(always)]
    fn finish(acc: AccOf<O, F>, len: u64) -> Self::Out {
        Over::<O, F>::finish(acc, len)
    }
}

macro_rules! after_formulas {
    ($($kind:ident { $($op:ty $(, $generic:ident)?;)* })*) => { $( $(
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
                Mapped::new(self, formula)
            }
        }
        after_formulas! { @ $kind $op $(, $generic)? }
    )* )* };
    (@ itself $op:ty $(, $generic:ident)?) => {
        impl$(<$generic: Copy>)? Sparse for $op {
            type Over = Self;
            #[inline(always)]
            fn over(self) -> Self {
                self
            }
        }
    };
    (@ counting $op:ty $(, $generic:ident)?) => {
        impl$(<$generic: Copy>)? Sparse for $op {
            type Over = Counting<Self>;
            #[inline(always)]
            fn over(self) -> Counting<Self> {
                Counting(self)
            }
        }
    };
}
// Not `First` and `Last`, whose results have an element's bits: those of a NaN that a formula computed differ between backends.
after_formulas! {
    itself {
        Sum; SumIn<A>, A; Product; ProductIn<A>, A; AccurateSum; ExactSum;
        SumOfSquares; Norm1; Norm2; Count<P>, P; All; Any;
    }
    counting {
        Min; Max; Minimum; Maximum; MinMax; ArgMin; ArgMax; ArgMinMax; NormInf;
        Mean; Variance; SampleVariance; StdDev; SampleStdDev;
    }
}
