//! An operator that combines by a formula.

use core::marker::PhantomData;
use core::ops::BitXor;

use bytemuck::cast;

#[cfg(not(target_arch = "nvptx64"))]
use super::mapped::Mapped;
use super::scalar::Numeric;
#[cfg(not(target_arch = "nvptx64"))]
use super::{Host, Mode, Value};
use crate::op::Op;
use crate::ops::WholeWords;

/// The bits of a number, as an unsigned integer of its size: what an operator that combines by a formula carries.
pub trait NumberBits: WholeWords + Eq + BitXor<Output = Self> {
    /// No bits.
    const NONE: Self;
}

impl NumberBits for u32 {
    const NONE: Self = 0;
}
impl NumberBits for u64 {
    const NONE: Self = 0;
}

/// What combines numbers: an [`Operation`] that is [`Written`], or the [`Junction`](super::Junction) in its place. It carries a number as
/// its bits exclusive-or the identity's, so that the identity is 0 in every kernel.
pub trait Combining: 'static {
    /// The type of the numbers.
    type Number: Numeric;
    /// Maps a number's bits to the carried ones, and back.
    fn carry(bits: <Self::Number as Numeric>::Bits) -> <Self::Number as Numeric>::Bits;
    /// Combines two carried numbers.
    fn combine(
        left: <Self::Number as Numeric>::Bits,
        right: <Self::Number as Numeric>::Bits,
    ) -> <Self::Number as Numeric>::Bits;
    /// Returns what records its steps, if it has some.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn program() -> Option<fn() -> super::Program> {
        None
    }
}

/// The text of a formula that combines two numbers, and its identity. `warpfold::operator!` implements it.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Operation: 'static {
    /// The type of the numbers.
    type Number: Numeric;
    /// What empty input results in; not NaN. Combined with it, every number stays as it is.
    const IDENTITY: Self::Number;
    /// The file and the line where it is written.
    const PLACE: &'static str;
    /// Combines two numbers in either [`Mode`].
    fn combine<M: Mode>(
        left: Value<M, Self::Number>,
        right: Value<M, Self::Number>,
    ) -> Value<M, Self::Number>;
}

/// An [`Operation`] as what combines numbers.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
pub struct Written<B>(PhantomData<B>);

#[cfg(not(target_arch = "nvptx64"))]
impl<B: Operation> Combining for Written<B> {
    type Number = B::Number;
    #[inline(always)]
    fn carry(bits: <B::Number as Numeric>::Bits) -> <B::Number as Numeric>::Bits {
        bits ^ cast(B::IDENTITY)
    }
    #[inline(always)]
    fn combine(
        left: <B::Number as Numeric>::Bits,
        right: <B::Number as Numeric>::Bits,
    ) -> <B::Number as Numeric>::Bits {
        let [left, right] = [left, right].map(|carried| Value::<Host, _>(cast(Self::carry(carried))));
        Self::carry(cast(B::combine(left, right).0))
    }
    fn program() -> Option<fn() -> super::Program> {
        Some(super::Program::of_operation::<B>)
    }
}

/// An operator that combines numbers by a formula: what `warpfold::operator!` makes of one.
///
/// Where an operand has the identity's bits, the result is the other one; the formula computes all others. `COMMUTES` tells whether the
/// order of two numbers does not matter.
pub struct Combined<B, const COMMUTES: bool>(PhantomData<fn() -> B>);

impl<B, const COMMUTES: bool> Clone for Combined<B, COMMUTES> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<B, const COMMUTES: bool> Copy for Combined<B, COMMUTES> {}

impl<B, const COMMUTES: bool> core::fmt::Debug for Combined<B, COMMUTES> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Combined").finish()
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: Operation> Combined<Written<B>, false> {
    /// Creates the operator. For `warpfold::operator!`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// Returns the operator with a promise that the order of two numbers does not matter: `combine(a, b)` and `combine(b, a)` have the same bits. So
    /// elements that lie apart are combined too, as in a [`Sum`](crate::Sum), which is faster. An operator that is said to commute and does
    /// not has no fixed result.
    #[must_use]
    pub const fn commutative(self) -> Combined<Written<B>, true> {
        Combined(PhantomData)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: Operation, const COMMUTES: bool> Combined<Written<B>, COMMUTES> {
    /// Returns this operator over the results of a formula, one for each element.
    #[must_use]
    pub const fn of<F>(self, formula: F) -> Mapped<Self, F> {
        Mapped::new(self, formula)
    }

    /// Returns the recorded steps.
    #[must_use]
    pub fn program(self) -> super::Program {
        super::Program::of_operation::<B>()
    }
}

impl<B, const COMMUTES: bool> super::Sparse for Combined<B, COMMUTES> {
    type Over = Self;
    #[inline(always)]
    fn over(self) -> Self {
        self
    }
}

impl<T: Numeric, B: Combining<Number = T>, const COMMUTES: bool> Op<T> for Combined<B, COMMUTES> {
    type Acc = T::Bits;
    type Out = T;
    const IDENTITY: T::Bits = T::Bits::NONE;
    const COMMUTATIVE: bool = COMMUTES;
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = false;
    const IS_MARKED: bool = true;

    #[inline(always)]
    fn lift(self, x: T, _index: u64) -> T::Bits {
        B::carry(cast(x))
    }
    #[inline(always)]
    fn combine(left: T::Bits, right: T::Bits) -> T::Bits {
        let combined = B::combine(left, right);
        // Selects, not branches.
        let combined = if right == T::Bits::NONE { left } else { combined };
        if left == T::Bits::NONE { right } else { combined }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn marked() -> Option<super::Marked> {
        B::program().map(super::Marked::combining::<Self, Combined<super::Junction<T>, COMMUTES>>)
    }
    #[inline(always)]
    fn finish(acc: T::Bits, _len: u64) -> T {
        cast::<T::Bits, T>(B::carry(acc)).canonical()
    }
}
