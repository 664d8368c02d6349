//! The numbers that formulas compute with, and each operation on them.

use super::combined::NumberBits;
use crate::op::Element;
#[cfg(not(target_arch = "nvptx64"))]
use crate::ops::Ordered;
use crate::ops::Wide;

/// The types of a formula's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the types")]
pub enum Kind {
    F32,
    F64,
    I32,
    I64,
    U32,
    U64,
    Bool,
    F16,
    Bf16,
}

/// An operation on one value, whose result has the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operations")]
pub enum Unary {
    Neg,
    Abs,
    Sqrt,
    Not,
    Floor,
    Ceil,
    Trunc,
    RoundTiesEven,
}

/// An operation on two values, whose result has the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operations")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Lesser,
    Greater,
    CopySign,
    And,
    Or,
    Xor,
}

/// A shift by a number of bits that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operations")]
pub enum Shift {
    Left,
    Right,
}

/// A comparison, whose result is a `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operations")]
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// A type of a formula's values: `f32`, `f64`, `i32`, `i64`, `u32`, `u64`, `bool`, or `f16` or `bf16`, which are converted.
#[diagnostic::on_unimplemented(
    message = "formulas do not compute with `{Self}`",
    label = "not f32, f64, i32, i64, u32, u64, bool, f16 or bf16"
)]
pub trait Scalar: Element + private::Sealed {
    /// The type as a value.
    const KIND: Kind;
    /// Returns the bits in the low end of a word.
    fn to_word(self) -> u64;
    /// Returns the number of these bits.
    fn from_word(word: u64) -> Self;
    /// Computes an operation.
    #[cfg(not(target_arch = "nvptx64"))]
    fn unary(self, operation: Unary) -> Self;
    /// Computes an operation.
    #[cfg(not(target_arch = "nvptx64"))]
    fn binary(self, operation: Binary, other: Self) -> Self;
    /// Shifts by `bits` modulo the number of bits that there are.
    #[cfg(not(target_arch = "nvptx64"))]
    fn shift(self, operation: Shift, bits: u32) -> Self;
    /// Compares.
    #[cfg(not(target_arch = "nvptx64"))]
    fn compare(self, comparison: Comparison, other: Self) -> bool;
    /// Converts a number as `as` does.
    #[cfg(not(target_arch = "nvptx64"))]
    fn convert<T: Scalar>(from: T) -> Self;
    /// Returns the number in the widest type of its class.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn widest(self) -> Widest;
}

/// A [`Scalar`] that formulas compute with: not a `bool`, `f16` or `bf16`.
pub trait Numeric: Scalar + Wide {
    /// The bits that an operator carries for it.
    type Bits: NumberBits;
}

/// Any number, for conversions.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Widest {
    F32(f32),
    F64(f64),
    Signed(i64),
    Unsigned(u64),
}

pub(super) mod private {
    pub trait Sealed {}
}

/// The operations that numbers of a class do not have do not occur: `Value` has no methods for them.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const ABSENT: &str = "the type has no such operation";

macro_rules! scalar {
    ($type:ty: $kind:ident, $x:ident to $word:expr, $bits:ident from $from:expr, $w:ident as $widest:expr;
        unary { $($unary:ident => |$of:ident| $one:expr),* } binary { $($binary:ident => |$a:ident, $b:ident| $two:expr),* }
        shift |$s:ident, $by:ident| $left:expr, $right:expr;) => {
        impl private::Sealed for $type {}
        impl Scalar for $type {
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn to_word(self) -> u64 {
                let $x = self;
                $word
            }
            #[inline(always)]
            fn from_word($bits: u64) -> Self {
                $from
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn unary(self, operation: Unary) -> Self {
                match operation {
                    $(Unary::$unary => {
                        let $of = self;
                        $one
                    })*
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("{ABSENT}"),
                }
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn binary(self, operation: Binary, other: Self) -> Self {
                match operation {
                    $(Binary::$binary => {
                        let ($a, $b) = (self, other);
                        $two
                    })*
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("{ABSENT}"),
                }
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn shift(self, operation: Shift, bits: u32) -> Self {
                let ($s, $by) = (self, bits);
                match operation {
                    Shift::Left => $left,
                    Shift::Right => $right,
                }
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn compare(self, comparison: Comparison, other: Self) -> bool {
                match comparison {
                    Comparison::Lt => self < other,
                    Comparison::Le => self <= other,
                    Comparison::Gt => self > other,
                    Comparison::Ge => self >= other,
                    Comparison::Eq => self == other,
                    Comparison::Ne => self != other,
                }
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn convert<T: Scalar>(from: T) -> Self {
                scalar!(@convert $kind, $type, from)
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn widest(self) -> Widest {
                let $w = self;
                $widest
            }
        }
    };
    (@convert Bool, $type:ty, $from:ident) => {{
        let _ = $from;
        unreachable!("{ABSENT}")
    }};
    (@convert $kind:ident, $type:ty, $from:ident) => {
        match $from.widest() {
            Widest::F32(x) => x as $type,
            Widest::F64(x) => x as $type,
            Widest::Signed(x) => x as $type,
            Widest::Unsigned(x) => x as $type,
        }
    };
}

macro_rules! floats {
    ($($type:ty: $kind:ident, $bits:ty;)*) => { $(
        scalar! {
            $type: $kind, x to u64::from(x.to_bits()), word from Self::from_bits(word as $bits), x as Widest::$kind(x);
            unary {
                Neg => |x| -x,
                Abs => |x| x.abs(),
                Sqrt => |x| x.sqrt(),
                Floor => |x| x.floor(),
                Ceil => |x| x.ceil(),
                Trunc => |x| x.trunc(),
                RoundTiesEven => |x| x.round_ties_even()
            }
            binary {
                Add => |x, y| x + y,
                Sub => |x, y| x - y,
                Mul => |x, y| x * y,
                Div => |x, y| x / y,
                Lesser => |x, y| Ordered::lesser(x, y),
                Greater => |x, y| Ordered::greater(x, y),
                CopySign => |x, y| x.copysign(y)
            }
            shift |_x, _bits| unreachable!("{ABSENT}"), unreachable!("{ABSENT}");
        }
        impl Numeric for $type {
            type Bits = $bits;
        }
    )* };
}
floats! {
    f32: F32, u32;
    f64: F64, u64;
}

macro_rules! integers {
    ($($type:ty: $kind:ident, $bits:ty, $widest:ident;)*) => { $(
        scalar! {
            $type: $kind, x to u64::from(x as $bits), word from word as Self, x as Widest::$widest(x.into());
            unary {
                Neg => |x| x.wrapping_neg(),
                Not => |x| !x
            }
            binary {
                Add => |x, y| x.wrapping_add(y),
                Sub => |x, y| x.wrapping_sub(y),
                Mul => |x, y| x.wrapping_mul(y),
                Div => |x, y| if y == 0 { 0 } else { x.wrapping_div(y) },
                Rem => |x, y| if y == 0 { x } else { x.wrapping_rem(y) },
                Lesser => |x, y| Ord::min(x, y),
                Greater => |x, y| Ord::max(x, y),
                And => |x, y| x & y,
                Or => |x, y| x | y,
                Xor => |x, y| x ^ y
            }
            shift |x, bits| x.wrapping_shl(bits), x.wrapping_shr(bits);
        }
        impl Numeric for $type {
            type Bits = $bits;
        }
    )* };
}
integers! {
    i32: I32, u32, Signed;
    i64: I64, u64, Signed;
    u32: U32, u32, Unsigned;
    u64: U64, u64, Unsigned;
}

scalar! {
    bool: Bool, x to u64::from(x), word from word & 1 != 0, x as Widest::Unsigned(x.into());
    unary { Not => |x| !x }
    binary {
        And => |x, y| x & y,
        Or => |x, y| x | y,
        Xor => |x, y| x ^ y
    }
    shift |_x, _bits| unreachable!("{ABSENT}"), unreachable!("{ABSENT}");
}
