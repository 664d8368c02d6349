//! And, or and exclusive or of the bits of integers and bools.

use core::ops;

use super::native::of_native_integers;
use crate::op::{Accumulator, Atomic, Element, Op};

/// The bitwise and of all elements; there is no NaN among integers. All ones for empty input: -1, the greatest integer, or
/// `true`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BitAnd;

/// The bitwise or of all elements; there is no NaN among integers. 0 or `false` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct BitOr;

/// The bitwise exclusive or of all elements; there is no NaN among integers. 0 or `false` for empty input. For bools it tells
/// whether an odd number of them is `true`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BitXor;

/// An element whose bits are folded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer or bool, whose bits are folded",
    label = "not an integer or a bool",
    note = "a generic function asks for it: `T: warpfold::elements::BitField`",
    note = "the bits of a float are an integer's: `x.to_bits()`"
)]
pub trait BitField: Element {
    /// The type that carries the bits: at least 4 bytes.
    type Word: Accumulator
        + ops::BitAnd<Output = Self::Word>
        + ops::BitOr<Output = Self::Word>
        + ops::BitXor<Output = Self::Word>;
    /// No bits.
    const ZEROS: Self::Word;
    /// All bits.
    const ONES: Self::Word;
    /// Returns the element's bits, lowest first.
    fn to_word(self) -> Self::Word;
    /// Returns the element with these lowest bits.
    fn from_word(word: Self::Word) -> Self;
}

macro_rules! bit_fields {
    ($($int:ty: $word:ty, $from_word:expr);* $(;)?) => { $(
        impl BitField for $int {
            type Word = $word;
            const ZEROS: $word = 0;
            const ONES: $word = <$word>::MAX;
            #[inline]
            fn to_word(self) -> $word {
                self as $word
            }
            #[inline]
            fn from_word(word: $word) -> Self {
                $from_word(word)
            }
        }
    )* };
}
bit_fields! {
    bool: u32, |word| word & 1 != 0;
    i8: u32, |word| word as i8;
    u8: u32, |word| word as u8;
    i16: u32, |word| word as i16;
    u16: u32, |word| word as u16;
    i32: u32, |word| word as i32;
    u32: u32, |word| word;
    i64: u64, |word| word as i64;
    u64: u64, |word| word;
    i128: u128, |word| word as i128;
    u128: u128, |word| word;
    isize: u64, |word| word as isize;
    usize: u64, |word| word as usize;
}

macro_rules! bitwise {
    ($op:ident: $combine:ident, identity $identity:ident, by $atomic:ident) => {
        impl<T: BitField> Op<T> for $op {
            type Acc = T::Word;
            type Out = T;
            const IDENTITY: T::Word = T::$identity;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const ATOMIC: Option<Atomic> = Atomic::$atomic.of::<T::Word>();
            const NEEDS_LEN: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: T, _index: u64) -> T::Word {
                x.to_word()
            }
            #[inline]
            fn combine(left: T::Word, right: T::Word) -> T::Word {
                ops::$op::$combine(left, right)
            }
            #[inline]
            fn finish(acc: T::Word, _len: u64) -> T {
                T::from_word(acc)
            }
        }
    };
}
bitwise!(BitAnd: bitand, identity ONES, by Or);
bitwise!(BitOr: bitor, identity ZEROS, by Or);
bitwise!(BitXor: bitxor, identity ZEROS, by Xor);

of_native_integers!(BitAnd, BitOr, BitXor);
