//! Results of several parts in device memory: one part after the other.

use bytemuck::{Pod, Zeroable};
use num_complex::Complex;

use super::Storable;
use crate::ops::{Affine, Extremes, Joined, Matrix2, Ring, WholeWords};

impl<F: Storable<Stored = F>> Storable for Complex<F>
where
    Self: Pod + Send + Sync,
{
    type Stored = Self;
    #[inline(always)]
    fn store(self) -> Self {
        self
    }
    #[inline(always)]
    fn none() -> Self {
        Self { re: F::none(), im: F::none() }
    }
}

impl<N: Ring + Storable<Stored = N>> Storable for Affine<N> {
    type Stored = Self;
    #[inline(always)]
    fn store(self) -> Self {
        self
    }
    #[inline(always)]
    fn none() -> Self {
        Self::new(N::none(), N::none())
    }
}

impl<N: Ring + Storable<Stored = N>> Storable for Matrix2<N> {
    type Stored = Self;
    #[inline(always)]
    fn store(self) -> Self {
        self
    }
    #[inline(always)]
    fn none() -> Self {
        Self { rows: [[N::none(); 2]; 2] }
    }
}

impl<R: Storable, const N: usize> Storable for [R; N]
where
    [R::Stored; N]: Pod,
{
    type Stored = [R::Stored; N];
    #[inline(always)]
    fn store(self) -> [R::Stored; N] {
        self.map(R::store)
    }
    #[inline(always)]
    fn none() -> [R::Stored; N] {
        [R::none(); N]
    }
}

// SAFETY: both fields are of type `T`, which is `Zeroable`.
unsafe impl<T: Zeroable> Zeroable for Extremes<T> {}

// SAFETY: two fields of one type that is plain data have no padding between or behind them (`repr(C)`).
unsafe impl<T: Pod> Pod for Extremes<T> {}

// SAFETY: two fields of a type of whole words, without padding (`repr(C)`).
unsafe impl<T: WholeWords> WholeWords for Extremes<T> {}

impl<R: Storable> Storable for Extremes<R> {
    type Stored = Extremes<R::Stored>;
    #[inline(always)]
    fn store(self) -> Extremes<R::Stored> {
        Extremes { min: self.min.store(), max: self.max.store() }
    }
    #[inline(always)]
    fn none() -> Extremes<R::Stored> {
        Extremes { min: R::none(), max: R::none() }
    }
}

impl<A: Storable<Stored: WholeWords>, B: Storable<Stored: WholeWords>> Storable for (A, B) {
    type Stored = Joined<A::Stored, B::Stored>;
    #[inline(always)]
    fn store(self) -> Self::Stored {
        Joined { left: self.0.store(), right: self.1.store() }
    }
    #[inline(always)]
    fn none() -> Self::Stored {
        Joined { left: A::none(), right: B::none() }
    }
}

/// Implements [`Storable`] for a longer tuple, which consists of two halves as its operator does.
macro_rules! tuple {
    ($($part:ident),*: $left:ty, $right:ty; |$tuple:ident| $halves:expr) => {
        impl<$($part: Storable<Stored: WholeWords>),*> Storable for ($($part),*) {
            type Stored = <($left, $right) as Storable>::Stored;
            #[inline(always)]
            fn store(self) -> Self::Stored {
                let $tuple = self;
                $halves.store()
            }
            #[inline(always)]
            fn none() -> Self::Stored {
                <($left, $right)>::none()
            }
        }
    };
}
tuple!(A, B, C: (A, B), C; |it| ((it.0, it.1), it.2));
tuple!(A, B, C, D: (A, B), (C, D); |it| ((it.0, it.1), (it.2, it.3)));
