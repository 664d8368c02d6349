//! The values that the text of a formula computes with.

use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::scalar::{Binary, Comparison, Numeric, Scalar, Shift, Unary};

/// How a formula is followed: [`Host`] computes numbers, [`Trace`](super::Trace) records what is done to them.
///
/// The library alone implements it. Formulas are generic over it, so that one text serves both.
pub trait Mode: Copy + Sized {
    /// What stands for a value.
    type Of<T: Scalar>: Copy;
    /// Returns a number, beside a value of the same formula.
    #[doc(hidden)]
    fn number<T: Scalar, U: Scalar>(beside: Self::Of<T>, number: U) -> Self::Of<U>;
    /// Returns the captured number with this index, whose bits are known on the host.
    #[doc(hidden)]
    fn captured<T: Scalar, U: Scalar>(beside: Self::Of<T>, index: usize, word: u64) -> Self::Of<U>;
    #[doc(hidden)]
    fn unary<T: Scalar>(operation: Unary, x: Self::Of<T>) -> Self::Of<T>;
    #[doc(hidden)]
    fn binary<T: Scalar>(operation: Binary, x: Self::Of<T>, y: Self::Of<T>) -> Self::Of<T>;
    #[doc(hidden)]
    fn shift<T: Scalar>(operation: Shift, x: Self::Of<T>, bits: u32) -> Self::Of<T>;
    #[doc(hidden)]
    fn compare<T: Scalar>(comparison: Comparison, x: Self::Of<T>, y: Self::Of<T>) -> Self::Of<bool>;
    #[doc(hidden)]
    fn select<T: Scalar>(which: Self::Of<bool>, x: Self::Of<T>, y: Self::Of<T>) -> Self::Of<T>;
    #[doc(hidden)]
    fn convert<T: Scalar, U: Scalar>(x: Self::Of<T>) -> Self::Of<U>;
    /// Returns what has the same bits.
    #[doc(hidden)]
    fn bits<T: Scalar, U: Scalar>(x: Self::Of<T>) -> Self::Of<U>;
}

/// A formula computes numbers. Nothing of this type is left when it is compiled.
#[derive(Clone, Copy, Debug)]
pub enum Host {}

impl Mode for Host {
    type Of<T: Scalar> = T;

    #[inline(always)]
    fn number<T: Scalar, U: Scalar>(_beside: T, number: U) -> U {
        number
    }
    #[inline(always)]
    fn captured<T: Scalar, U: Scalar>(_beside: T, _index: usize, word: u64) -> U {
        U::from_word(word)
    }
    #[inline(always)]
    fn unary<T: Scalar>(operation: Unary, x: T) -> T {
        x.unary(operation)
    }
    #[inline(always)]
    fn binary<T: Scalar>(operation: Binary, x: T, y: T) -> T {
        x.binary(operation, y)
    }
    #[inline(always)]
    fn shift<T: Scalar>(operation: Shift, x: T, bits: u32) -> T {
        x.shift(operation, bits)
    }
    #[inline(always)]
    fn compare<T: Scalar>(comparison: Comparison, x: T, y: T) -> bool {
        x.compare(comparison, y)
    }
    #[inline(always)]
    fn select<T: Scalar>(which: bool, x: T, y: T) -> T {
        if which { x } else { y }
    }
    #[inline(always)]
    fn convert<T: Scalar, U: Scalar>(x: T) -> U {
        U::convert(x)
    }
    #[inline(always)]
    fn bits<T: Scalar, U: Scalar>(x: T) -> U {
        U::from_word(x.to_word())
    }
}

/// A value in a [`formula!`](crate::formula!): a number of type `T`, or what stands for one.
///
/// It has the operators of Rust, also with numbers (`v - 0.5`, `2.0 * v`), and the methods below. Each rounds to nearest and has the
/// same bits on the CPU and on a GPU, except for the bits of a NaN, which no method shows. Integers wrap around; an integer divided by 0
/// is 0, and its remainder is itself, so that `v / d * d + v % d` is `v` for every `d`.
pub struct Value<M: Mode, T: Scalar>(pub(super) M::Of<T>);

impl<M: Mode, T: Scalar> Clone for Value<M, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Mode, T: Scalar> Copy for Value<M, T> {}

impl<M: Mode, T: Scalar> core::fmt::Debug for Value<M, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Value").field(&T::KIND).finish()
    }
}

/// What a [`Value`] of type `T` is computed with: another one, or a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand for a value of `{T}` in a formula",
    label = "neither a value of `{T}` nor such a number",
    note = "convert a value by `.to::<f64>()`; give two numbers beside each other their type: `select(1.0f32, 0.0)`"
)]
pub trait Operand<M: Mode, T: Scalar>: Copy {
    /// Returns the operand as a value.
    #[doc(hidden)]
    fn beside<U: Scalar>(self, other: Value<M, U>) -> Value<M, T>;
}

impl<M: Mode, T: Scalar> Operand<M, T> for Value<M, T> {
    #[inline(always)]
    fn beside<U: Scalar>(self, _other: Value<M, U>) -> Self {
        self
    }
}

macro_rules! operands {
    ($($type:ty),*) => { $(
        impl<M: Mode> Operand<M, $type> for $type {
            #[inline(always)]
            fn beside<U: Scalar>(self, other: Value<M, U>) -> Value<M, $type> {
                Value(M::number(other.0, self))
            }
        }
    )* };
}
operands!(f32, f64, i32, i64, u32, u64, bool);

impl<M: Mode, T: Scalar> Value<M, T> {
    #[inline(always)]
    fn unary(self, operation: Unary) -> Self {
        Self(M::unary(operation, self.0))
    }
    #[inline(always)]
    pub(super) fn binary(self, operation: Binary, other: impl Operand<M, T>) -> Self {
        Self(M::binary(operation, self.0, other.beside(self).0))
    }
    #[inline(always)]
    pub(super) fn compare(self, comparison: Comparison, other: impl Operand<M, T>) -> Value<M, bool> {
        Value(M::compare(comparison, self.0, other.beside(self).0))
    }
}

/// Comparisons. Those with NaN are false, except [`ne`](Value::ne).
impl<M: Mode, T: Numeric> Value<M, T> {
    /// Returns whether it is less.
    #[inline(always)]
    #[must_use]
    pub fn lt(self, other: impl Operand<M, T>) -> Value<M, bool> {
        self.compare(Comparison::Lt, other)
    }
    /// Returns whether it is less or equal.
    #[inline(always)]
    #[must_use]
    pub fn le(self, other: impl Operand<M, T>) -> Value<M, bool> {
        self.compare(Comparison::Le, other)
    }
    /// Returns whether it is greater.
    #[inline(always)]
    #[must_use]
    pub fn gt(self, other: impl Operand<M, T>) -> Value<M, bool> {
        self.compare(Comparison::Gt, other)
    }
    /// Returns whether it is greater or equal.
    #[inline(always)]
    #[must_use]
    pub fn ge(self, other: impl Operand<M, T>) -> Value<M, bool> {
        self.compare(Comparison::Ge, other)
    }
    /// Returns whether both are equal.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "the result is a value")]
    pub fn eq(self, other: impl Operand<M, T>) -> Value<M, bool> {
        self.compare(Comparison::Eq, other)
    }
    /// Returns whether they differ. NaN differs from everything, itself included.
    #[inline(always)]
    #[must_use]
    pub fn ne(self, other: impl Operand<M, T>) -> Value<M, bool> {
        self.compare(Comparison::Ne, other)
    }
    /// Returns the lesser: of a number and NaN the number, of the zeros -0.0.
    #[inline(always)]
    #[must_use]
    pub fn min(self, other: impl Operand<M, T>) -> Self {
        self.binary(Binary::Lesser, other)
    }
    /// Returns the greater: of a number and NaN the number, of the zeros +0.0.
    #[inline(always)]
    #[must_use]
    pub fn max(self, other: impl Operand<M, T>) -> Self {
        self.binary(Binary::Greater, other)
    }
    /// Returns `least` where it is less, `greatest` where it is greater, and otherwise itself, as NaN.
    #[inline(always)]
    #[must_use]
    pub fn clamp(self, least: impl Operand<M, T>, greatest: impl Operand<M, T>) -> Self {
        let below = self.lt(least).select(least, self);
        self.gt(greatest).select(greatest, below)
    }
    /// Converts to another type, as Rust's `as`: integers are cut off, floats are rounded to nearest, and those that become integers are
    /// rounded towards 0 and clamped, NaN to 0.
    #[inline(always)]
    #[must_use]
    pub fn to<U: Numeric>(self) -> Value<M, U> {
        Value(M::convert(self.0))
    }
}

impl<M: Mode> Value<M, bool> {
    /// Returns `then` where it is true, and `otherwise` elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn select<T: Numeric>(self, then: impl Operand<M, T>, otherwise: impl Operand<M, T>) -> Value<M, T> {
        Value(M::select(self.0, then.beside(self).0, otherwise.beside(self).0))
    }
    /// Returns 1 where it is true, and 0 elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn to<U: Numeric>(self) -> Value<M, U> {
        Value(M::convert(self.0))
    }
}

macro_rules! operators {
    ($($type:ty: $($trait:ident $method:ident),*;)*) => { $( $(
        impl<M: Mode> $trait for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.binary(Binary::$trait, other)
            }
        }
    )* with_numbers! { $type: $($trait $method),* } )* };
}
/// The operators of two values, with a number in the place of either.
macro_rules! with_numbers {
    ($type:ty: $($trait:ident $method:ident),*) => { $(
        impl<M: Mode> $trait<$type> for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: $type) -> Self {
                self.$method(other.beside(self))
            }
        }
        impl<M: Mode> $trait<Value<M, $type>> for $type {
            type Output = Value<M, $type>;
            #[inline(always)]
            fn $method(self, other: Value<M, $type>) -> Value<M, $type> {
                self.beside(other).$method(other)
            }
        }
    )* };
}
/// The bitwise operations, by the names that Rust's traits have for them.
macro_rules! bitwise {
    ($($type:ty),*) => { $(
        bitwise! { @ $type: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor }
        impl<M: Mode> Not for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                self.unary(Unary::Not)
            }
        }
    )* };
    (@ $type:ty: $($trait:ident $method:ident $operation:ident),*) => { $(
        impl<M: Mode> $trait for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.binary(Binary::$operation, other)
            }
        }
    )* with_numbers! { $type: $($trait $method),* } };
}
macro_rules! shifts {
    ($($type:ty),*) => { $(
        impl<M: Mode> Shl<u32> for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn shl(self, bits: u32) -> Self {
                Self(M::shift(Shift::Left, self.0, bits))
            }
        }
        impl<M: Mode> Shr<u32> for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn shr(self, bits: u32) -> Self {
                Self(M::shift(Shift::Right, self.0, bits))
            }
        }
    )* };
}
macro_rules! negations {
    ($($type:ty),*) => { $(
        impl<M: Mode> Neg for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                self.unary(Unary::Neg)
            }
        }
    )* };
}
operators! {
    f32: Add add, Sub sub, Mul mul, Div div;
    f64: Add add, Sub sub, Mul mul, Div div;
    i32: Add add, Sub sub, Mul mul;
    i64: Add add, Sub sub, Mul mul;
    u32: Add add, Sub sub, Mul mul;
    u64: Add add, Sub sub, Mul mul;
}
/// Division of integers. A GPU's division by 0 is not specified, and the least integer by -1 has no quotient, so steps divide by neither.
macro_rules! divisions {
    ($($type:ty: |$x:ident, $by:ident| $is_minus_one:expr, $minus:expr;)*) => { $(
        #[allow(clippy::suspicious_arithmetic_impl, reason = "the divisor is neither 0 nor -1")]
        impl<M: Mode> Div for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn div(self, by: Self) -> Self {
                let ($x, $by) = (self, by);
                let quotient = self.binary(Binary::Div, (by.eq(0) | $is_minus_one).select(1, by));
                by.eq(0).select(0, $is_minus_one.select($minus, quotient))
            }
        }
        #[allow(clippy::suspicious_arithmetic_impl, reason = "the divisor is neither 0 nor -1")]
        impl<M: Mode> Rem for Value<M, $type> {
            type Output = Self;
            #[inline(always)]
            fn rem(self, by: Self) -> Self {
                let ($x, $by) = (self, by);
                let _ = $x;
                let remainder = self.binary(Binary::Rem, (by.eq(0) | $is_minus_one).select(1, by));
                by.eq(0).select(self, remainder)
            }
        }
        with_numbers! { $type: Div div, Rem rem }
    )* };
}
divisions! {
    i32: |x, by| by.eq(-1), -x;
    i64: |x, by| by.eq(-1), -x;
    u32: |x, by| false.beside(by), x;
    u64: |x, by| false.beside(by), x;
}
bitwise!(i32, i64, u32, u64, bool);
shifts!(i32, i64, u32, u64);
negations!(f32, f64, i32, i64);

macro_rules! of_floats {
    ($($type:ty),*) => { $(
        impl<M: Mode> Value<M, $type> {
            /// Returns the magnitude.
            #[inline(always)]
            #[must_use]
            pub fn abs(self) -> Self {
                self.unary(Unary::Abs)
            }
            /// Returns the square root, correctly rounded.
            #[inline(always)]
            #[must_use]
            pub fn sqrt(self) -> Self {
                self.unary(Unary::Sqrt)
            }
            /// Returns the greatest integer that is not greater.
            #[inline(always)]
            #[must_use]
            pub fn floor(self) -> Self {
                self.unary(Unary::Floor)
            }
            /// Returns the least integer that is not less.
            #[inline(always)]
            #[must_use]
            pub fn ceil(self) -> Self {
                self.unary(Unary::Ceil)
            }
            /// Returns the integer part.
            #[inline(always)]
            #[must_use]
            pub fn trunc(self) -> Self {
                self.unary(Unary::Trunc)
            }
            /// Returns the nearest integer, of two the even one.
            #[inline(always)]
            #[must_use]
            pub fn round_ties_even(self) -> Self {
                self.unary(Unary::RoundTiesEven)
            }
            /// Returns its magnitude with the sign of `sign`, a NaN having the sign +: backends have NaNs of different signs.
            #[inline(always)]
            #[must_use]
            pub fn copysign(self, sign: impl Operand<M, $type>) -> Self {
                let sign = sign.beside(self);
                sign.eq(sign).select(self.binary(Binary::CopySign, sign), self.abs())
            }
        }
    )* };
}
of_floats!(f32, f64);

macro_rules! of_signed {
    ($($type:ty),*) => { $(
        impl<M: Mode> Value<M, $type> {
            /// Returns the magnitude; of the least number itself.
            #[inline(always)]
            #[must_use]
            pub fn abs(self) -> Self {
                self.max(-self)
            }
        }
    )* };
}
of_signed!(i32, i64);
