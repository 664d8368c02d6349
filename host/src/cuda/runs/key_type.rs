//! The types of keys that devices compare to find runs.

use gpu_kernels::Element;

/// A key that devices compare bit by bit: an integer of any size, a `bool` or a `char`.
///
/// Floats are excluded, because equal floats may differ in bits, and equal bits may be unequal floats (-0.0 equals 0.0,
/// and a NaN does not equal itself). Use their bits as keys (`f32::to_bits`, after zeros and NaNs were made uniform),
/// or the CPU, which takes every key that is `PartialEq`.
#[diagnostic::on_unimplemented(
    message = "keys of `{Self}` are not compared on a GPU",
    label = "on a GPU a key is an integer, a `bool` or a `char`",
    note = "make it one (`f32::to_bits` for floats that have no zeros of both signs and no NaN)",
    note = "or fold on the CPU, which takes every key that is `PartialEq`: `warpfold::Cpu::new().reduce(op, runs(&keys, &x))`"
)]
pub trait KeyType: Element + sealed::Bits {}

pub(crate) mod sealed {
    use bytemuck::AnyBitPattern;

    use gpu_kernels::Element;

    /// A key as plain data.
    pub trait Bits: Sized {
        /// The plain type with the same bits.
        type Plain: Element + AnyBitPattern;

        /// Returns the key with these bits, which must have been a key's.
        fn of(plain: Self::Plain) -> Self;
    }
}

macro_rules! integers {
    ($($key:ty),*) => { $(
        impl KeyType for $key {}
        impl sealed::Bits for $key {
            type Plain = Self;
            fn of(plain: Self) -> Self {
                plain
            }
        }
    )* };
}
integers!(i8, u8, i16, u16, i32, u32, i64, u64, i128, u128, isize, usize);

impl KeyType for bool {}
impl sealed::Bits for bool {
    type Plain = u8;
    fn of(plain: u8) -> Self {
        plain != 0
    }
}

impl KeyType for char {}
impl sealed::Bits for char {
    type Plain = u32;
    fn of(plain: u32) -> Self {
        Self::from_u32(plain).unwrap_or(Self::REPLACEMENT_CHARACTER)
    }
}

#[cfg(test)]
mod tests {
    use super::sealed::Bits;

    #[test]
    fn keys_come_back() {
        assert_eq!([0, 1].map(bool::of), [false, true]);
        assert_eq!(['a', '\u{10ffff}'].map(|key| char::of(key as u32)), ['a', '\u{10ffff}']);
        assert_eq!(i128::of(-3), -3);
    }
}
