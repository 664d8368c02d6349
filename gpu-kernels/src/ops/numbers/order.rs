//! A total order of numbers by integer keys. The compiler's own float `min` and `max` leave the order of the two zeros open and
//! differ between targets; integers do not.

use cuda_std::float::FloatOrder;
use half::{bf16, f16};
use num_traits::{PrimInt, Signed};

use crate::op::{Accumulator, Element};

/// A number with a total order, by keys that compare as integers.
///
/// Float keys ascend from -infinity over -0.0 and +0.0 to +infinity and never take the least or greatest key. The operator
/// gives one of these two to NaN. Keys of elements of 1 and 2 bytes fit 16 bits and a sign.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number with a total order",
    label = "not an integer, a float or a bool",
    note = "a generic function asks for it: `T: warpfold::elements::Ordered`",
    note = "numbers that may be missing, `Option<T>`, are collected first: `options.into_iter().collect::<warpfold::Elements<T>>()`",
    note = "the extremes of a struct of your own are found by a field: reduce these, or implement `warpfold::Op`"
)]
pub trait Ordered: Element {
    /// The key type: at least 32 bits, as accumulators have.
    type Key: Key;
    /// The short key type, with as many bits as the element.
    type Short: Copy + Ord;
    /// The least key.
    const LEAST: Self::Key;
    /// The greatest key.
    const GREATEST: Self::Key;
    /// Returns this number's key; for NaN returns `nan`, which is the least or the greatest key.
    fn key(self, nan: Self::Key) -> Self::Key;
    /// Returns the number with this key: canonical NaN for a float key that no number has.
    fn from_key(key: Self::Key) -> Self;
    /// Returns the lesser of two numbers; of a number and NaN the number, of two NaNs some NaN.
    #[inline(always)]
    #[must_use]
    fn lesser(self, other: Self) -> Self {
        if other.key(Self::GREATEST) < self.key(Self::GREATEST) { other } else { self }
    }
    /// Returns the greater of two numbers; of a number and NaN the number, of two NaNs some NaN.
    #[inline(always)]
    #[must_use]
    fn greater(self, other: Self) -> Self {
        if other.key(Self::LEAST) > self.key(Self::LEAST) { other } else { self }
    }
    /// Returns whether both are the same number, bit for bit. NaN is the same as nothing, itself included.
    #[inline(always)]
    fn is_same(self, other: Self) -> bool {
        bytemuck::bytes_of(&self) == bytemuck::bytes_of(&other)
    }
    /// Returns the short form of [`key`](Ordered::key).
    fn short(self, nan: Self::Short) -> Self::Short;
    /// Returns a key's short form.
    fn shorten(key: Self::Key) -> Self::Short;
    /// Returns the key with this short form.
    fn lengthen(short: Self::Short) -> Self::Key;
}

/// An integer key, which can be carried together with the index of its element.
pub trait Key: Accumulator + Ord {
    /// A key and an index, as plain words.
    type Indexed: Accumulator;
    /// The least of all keys, at index `u64::MAX`.
    const LEAST_NOWHERE: Self::Indexed;
    /// The greatest of all keys, at index `u64::MAX`.
    const GREATEST_NOWHERE: Self::Indexed;
    /// Returns this key with the index of its element.
    fn at(self, index: u64) -> Self::Indexed;
    /// Returns the key and the index.
    fn of(indexed: Self::Indexed) -> (Self, u64);
    /// Returns this key with a number below 256 in its low bits, which orders equal keys. The key fits all but 8 bits.
    fn with_place(self, place: u32) -> Self;
    /// Returns the key and the number.
    fn split_place(self) -> (Self, u32);
}

/// A 32-bit key takes a 64-bit word beside the index. Three 32-bit words take more registers (docs/tuning/registers.md).
macro_rules! keys {
    ($($($key:ty),+ => [$word:ty; $words:literal],
       $k:ident, $i:ident to $join:expr, $indexed:ident to $split:expr;)*) => { $($(
        impl Key for $key {
            type Indexed = [$word; $words];
            const LEAST_NOWHERE: Self::Indexed = {
                let ($k, $i) = (<$key>::MIN, u64::MAX);
                $join
            };
            const GREATEST_NOWHERE: Self::Indexed = {
                let ($k, $i) = (<$key>::MAX, u64::MAX);
                $join
            };
            #[inline(always)]
            fn at(self, $i: u64) -> Self::Indexed {
                let $k = self;
                $join
            }
            #[inline(always)]
            fn of($indexed: Self::Indexed) -> (Self, u64) {
                let ($k, $i) = $split;
                ($k as Self, $i)
            }
            #[inline(always)]
            fn with_place(self, place: u32) -> Self {
                (self << 8) | place as Self
            }
            #[inline(always)]
            fn split_place(self) -> (Self, u32) {
                (self >> 8, self as u32 & 0xff)
            }
        }
    )+)* };
}
keys! {
    i32, u32, i64, u64 => [u64; 2], key, index to [key as u64, index], it to (it[0], it[1]);
    i128, u128 => [u64; 3],
        key, index to [key as u64, (key >> 64) as u64, index],
        it to (u128::from(it[0]) | u128::from(it[1]) << 64, it[2]);
}

/// Lines `element: key, short form`.
macro_rules! integers {
    ($($int:ty: $key:ty, $short:ty;)*) => { $(
        impl Ordered for $int {
            type Key = $key;
            type Short = $short;
            const LEAST: $key = <$short>::MIN as $key;
            const GREATEST: $key = <$short>::MAX as $key;
            #[inline(always)]
            fn key(self, _nan: $key) -> $key {
                self as $key
            }
            #[inline(always)]
            fn from_key(key: $key) -> Self {
                key as Self
            }
            #[inline(always)]
            fn is_same(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn short(self, _nan: $short) -> $short {
                self as $short
            }
            #[inline(always)]
            fn shorten(key: $key) -> $short {
                key as $short
            }
            #[inline(always)]
            fn lengthen(short: $short) -> $key {
                short as $key
            }
        }
    )* };
}
integers! {
    i8: i32, i8;
    u8: i32, u8;
    i16: i32, i16;
    u16: i32, u16;
    i32: i32, i32;
    u32: u32, u32;
    i64: i64, i64;
    u64: u64, u64;
    i128: i128, i128;
    u128: u128, u128;
    isize: i64, i64;
    usize: u64, u64;
}

impl Ordered for bool {
    type Key = i32;
    type Short = u8;
    const LEAST: i32 = 0;
    const GREATEST: i32 = 1;
    #[inline(always)]
    fn key(self, _nan: i32) -> i32 {
        self.into()
    }
    #[inline(always)]
    fn from_key(key: i32) -> Self {
        key != 0
    }
    #[inline(always)]
    fn short(self, _nan: u8) -> u8 {
        self.into()
    }
    #[inline(always)]
    fn shorten(key: i32) -> u8 {
        key as u8
    }
    #[inline(always)]
    fn lengthen(short: u8) -> i32 {
        short.into()
    }
}

/// Flips all bits but the sign of a negative number, since negative floats descend with their bits. Its own inverse.
///
/// Written so that a GPU needs a shift and one three-input operation; with a shifted mask it needs three.
#[inline(always)]
fn flip<B: PrimInt + Signed>(bits: B) -> B {
    let sign = bits.signed_shr(8 * size_of::<B>() as u32 - 1);
    (bits ^ sign) | (bits & B::min_value())
}

/// Lines `float: key, short form, bits, canonical NaN, the device's own minimum and maximum if it has them`.
macro_rules! floats {
    ($($float:ty: $key:ty, $short:ty, $bits:ty, $nan:literal $(, $min:ident $max:ident)?;)*) => { $(
        impl Ordered for $float {
            $(
                #[inline(always)]
                fn lesser(self, other: Self) -> Self {
                    self.$min(other)
                }
                #[inline(always)]
                fn greater(self, other: Self) -> Self {
                    self.$max(other)
                }
            )?
            #[inline(always)]
            fn is_same(self, other: Self) -> bool {
                (self.to_bits() == other.to_bits()) & !other.is_nan()
            }
            type Key = $key;
            type Short = $short;
            const LEAST: $key = <$short>::MIN as $key;
            const GREATEST: $key = <$short>::MAX as $key;
            #[inline(always)]
            fn key(self, nan: $key) -> $key {
                if size_of::<$key>() == size_of::<$short>() {
                    return if self.is_nan() { nan } else { flip(self.to_bits() as $short) as $key };
                }
                // Computed at the key's width, which a GPU uses; only the element's bits are flipped.
                let bits = self.to_bits() as $short as $key;
                let key = bits ^ (bits >> (<$key>::BITS - 1) & <$short>::MAX as $key);
                let infinity = flip(<$float>::INFINITY.to_bits() as $short) as $key;
                if (-infinity - 1..=infinity).contains(&key) { key } else { nan }
            }
            #[inline(always)]
            fn from_key(key: $key) -> Self {
                if key == Self::LEAST || key == Self::GREATEST {
                    return <$float>::from_bits($nan);
                }
                <$float>::from_bits(flip(key as $short) as $bits)
            }
            #[inline(always)]
            fn short(self, nan: $short) -> $short {
                // Not `is_nan`, which is not compiled to vector code for a 16-bit float.
                let magnitude = self.to_bits() as $short & <$short>::MAX;
                let infinity = <$float>::INFINITY.to_bits() as $short;
                if magnitude > infinity { nan } else { flip(self.to_bits() as $short) }
            }
            #[inline(always)]
            fn shorten(key: $key) -> $short {
                key as $short
            }
            #[inline(always)]
            fn lengthen(short: $short) -> $key {
                short as $key
            }
        }
    )* };
}
floats! {
    f16: i32, i16, u16, 0x7e00;
    bf16: i32, i16, u16, 0x7fc0;
    f32: i32, i32, u32, 0x7fc0_0000, minimum_number maximum_number;
    f64: i64, i64, u64, 0x7ff8_0000_0000_0000, minimum_number maximum_number;
}
